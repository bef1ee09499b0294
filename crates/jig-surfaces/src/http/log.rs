//! A JSON line per request: what, when and how long. Never content, and never query values.

use std::sync::Arc;
use std::time::Duration;

use jig_contract::Timestamp;
use serde_json::json;

/// The destination of log lines. Cheap to clone.
#[derive(Clone)]
pub struct Log(Option<Arc<dyn Fn(String) + Send + Sync>>);

impl Log {
    /// Discards all lines.
    pub fn none() -> Self {
        Self(None)
    }

    /// Passes lines to this function, which must not block for long.
    pub fn new(write: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(write)))
    }

    /// Writes a line, unless logging is off.
    pub(super) fn write(&self, entry: &Entry<'_>) {
        if let Some(write) = &self.0 {
            write(entry.line());
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Log" } else { "Log(none)" })
    }
}

/// What is known about a request when it ends.
pub(super) struct Entry<'e> {
    pub(super) at: Timestamp,
    pub(super) id: &'e str,
    pub(super) method: &'e str,
    /// The route pattern, without values.
    pub(super) route: &'e str,
    pub(super) operation: &'e str,
    pub(super) status: u16,
    pub(super) took: Duration,
    /// The token's id, which is not secret.
    pub(super) token: Option<&'e str>,
    pub(super) error_code: Option<&'e str>,
    /// The cause of an internal error, which callers do not get.
    pub(super) cause: Option<String>,
}

impl Entry<'_> {
    fn line(&self) -> String {
        let micros = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX);
        #[expect(clippy::cast_precision_loss, reason = "a request of centuries may be off by a little")]
        let ms = micros as f64 / 1_000.0;
        let mut line = json!({
            "time": self.at, "id": self.id, "method": self.method, "route": self.route, "operation": self.operation,
            "status": self.status, "ms": ms,
        });
        for (name, value) in [("token", self.token), ("error_code", self.error_code), ("cause", self.cause.as_deref())]
        {
            if let Some(value) = value {
                line[name] = value.into();
            }
        }
        line.to_string()
    }
}
