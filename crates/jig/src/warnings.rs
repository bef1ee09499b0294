//! Warnings of the servers, as JSON lines on standard error.

use std::fmt::Debug;
use std::io::Write;

use jig_contract::Env;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Installs a subscriber that prints warnings and errors of Jig's own crates. Those of other crates are dropped,
/// because they may contain file contents.
pub(crate) fn print(env: &Env) {
    let write = |line: String| {
        // A closed standard error must not stop the server.
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    // Fails only if a subscriber is already set, which then stays.
    let _ = tracing::subscriber::set_global_default(Warnings { env: env.clone(), write });
}

struct Warnings<W> {
    env: Env,
    write: W,
}

impl<W: Fn(String) + 'static> Subscriber for Warnings<W> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= LevelFilter::WARN && metadata.target().starts_with("jig")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let mut members = Members(Map::new());
        event.record(&mut members);
        let mut line = json!({ "time": self.env.now(), "level": event.metadata().level().as_str().to_lowercase() });
        if let Some(line) = line.as_object_mut() {
            line.extend(members.0);
        }
        (self.write)(line.to_string());
    }

    // Spans are not printed.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Collects the fields of a warning by name.
struct Members(Map<String, Value>);

impl Visit for Members {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_warning_is_one_line_with_its_members() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let write = move |line: String| sink.lock().unwrap().push(line);
        let warnings = Warnings { env: Env::system(), write };
        tracing::subscriber::with_default(warnings, || {
            tracing::warn!(target: "jig_workbench::sessions", workbench = %"deck", step = 2_u32, "an item\nis missing");
            tracing::info!(target: "jig_workbench::sessions", "not a warning");
            tracing::warn!(target: "other_crate", "what others say");
        });
        let lines = lines.lock().unwrap();
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line: Value = serde_json::from_str(&lines[0]).unwrap();
        assert!(!lines[0].contains('\n') && line["time"].is_string());
        assert_eq!(line["message"], "an item\nis missing");
        assert_eq!((&line["level"], &line["workbench"], &line["step"]), (&json!("warn"), &json!("deck"), &json!(2)));
    }
}
