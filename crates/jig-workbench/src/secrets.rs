//! Detects likely keys in outgoing requests and in added files.
//!
//! A request is scanned in its final form, in every text that it contains. A finding stops the call unless a person has
//! allowed this key for this receiver. Keys are never stored or shown: a finding has a location, a kind and a
//! fingerprint.

use std::collections::HashSet;

use jig_contract::ops::{Consent, ConsentReach, EgressScope, LikelySecret};
use jig_contract::{Code, OpError, WorkbenchId};
use jig_files::find_secrets;
use jig_prompt::Prompt;
use serde_json::{Value, json};

use crate::Workbench;

/// How deep texts within texts are searched: a tool result is JSON inside a text of a request.
const NESTED_MAX: u32 = 4;
/// A pure base64 text of at least this length is binary data, such as an image.
const DATA_BYTES: usize = 1_024;
/// The maximum number of findings that a result lists. A request is checked for all of them.
pub(crate) const LISTED_MAX: usize = 50;

/// Locates the source of a likely key in a request.
pub(crate) trait Locate: Sync {
    /// The name of the source, and the line in it.
    fn locate(&self, key: &str) -> Option<(String, u32)>;
}

/// A prompt knows the source of each of its bytes.
impl Locate for Prompt {
    fn locate(&self, key: &str) -> Option<(String, u32)> {
        let text = self.text();
        let at = text.find(key)?;
        let span = self.bill.spans.iter().find(|span| span.bytes.contains(&at))?;
        let name = self.bill.lines.get(span.line)?.source.name.clone();
        // The first line of a source is its enclosing tag.
        Some((name, newlines(text.get(span.bytes.start..at)?).max(1)))
    }
}

/// A scope has no positions, so all of its sources are named.
impl Locate for EgressScope {
    fn locate(&self, _: &str) -> Option<(String, u32)> {
        let Self { files, items, entries, artifacts, sources, input, .. } = self;
        let given = input.iter().chain(files).chain(items).chain(entries).chain(artifacts).chain(sources);
        let names: Vec<&str> = given.map(String::as_str).collect();
        (!names.is_empty()).then(|| (names.join(", "), 1))
    }
}

/// A named text.
pub(crate) struct Named<'a>(pub(crate) &'a str, pub(crate) &'a str);

impl Locate for Named<'_> {
    fn locate(&self, key: &str) -> Option<(String, u32)> {
        let line = self.1.find(key).and_then(|at| self.1.get(..at)).map_or(0, newlines);
        Some((self.0.to_owned(), line + 1))
    }
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Identifies a key within one workbench without revealing it.
fn fingerprint(workbench: &WorkbenchId, key: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("jig likely secret");
    hasher.update(workbench.as_str().as_bytes()).update(&[0]).update(key.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// A finding for a file whose name suggests that it contains keys, although none was detected.
pub(crate) fn secret_file(workbench: &WorkbenchId, path: &str) -> LikelySecret {
    let fingerprint = fingerprint(workbench, path);
    LikelySecret { kind: "secret-file".to_owned(), source: path.to_owned(), place: None, line: 1, fingerprint }
}

/// The likely keys in a text of a workbench.
pub(crate) fn secrets_in(workbench: &WorkbenchId, text: &str, source: &dyn Locate) -> Vec<LikelySecret> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for finding in find_secrets(text) {
        let Some(key) = text.get(finding.bytes.clone()) else { continue };
        let fingerprint = fingerprint(workbench, key);
        if !known.insert(fingerprint.clone()) {
            continue;
        }
        let (source, line) = source.locate(key).unwrap_or_else(|| ("the request".to_owned(), 1));
        found.push(LikelySecret { kind: finding.kind.to_owned(), source, place: None, line, fingerprint });
    }
    found
}

/// All texts of a request: every string of its JSON, including nested JSON.
fn texts(body: &[u8]) -> Vec<String> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return vec![String::from_utf8_lossy(body).into_owned()];
    };
    let mut out = Vec::new();
    collect(value, NESTED_MAX, &mut out);
    out
}

fn collect(value: Value, deeper: u32, out: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let is_data = text.len() > DATA_BYTES && is_base64(&text);
            let nested = text.trim_start().starts_with(['{', '[']) && deeper > 0;
            if nested && let Ok(inside) = serde_json::from_str::<Value>(&text) {
                collect(inside, deeper - 1, out);
            }
            if !is_data {
                out.push(text);
            }
        }
        Value::Array(all) => all.into_iter().for_each(|one| collect(one, deeper, out)),
        Value::Object(all) => {
            for (name, one) in all {
                // In data, a field name helps to classify its value: `{"password": "…"}`. The request's own fields are
                // not data.
                if let Value::String(text) = &one
                    && deeper < NESTED_MAX
                    && text.len() <= DATA_BYTES
                    && !text.contains('\n')
                {
                    out.push(format!("{name}: \"{text}\""));
                }
                collect(one, deeper, out);
            }
        }
        _ => {}
    }
}

/// Whether a text is base64, possibly as a data URL.
fn is_base64(text: &str) -> bool {
    let data = match text.split_once(";base64,") {
        Some((kind, data)) if kind.starts_with("data:image/") && kind.len() < 40 => data,
        _ => text,
    };
    data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
}

impl Workbench {
    /// Refuses a request that contains a likely key, unless a person has allowed it for this receiver.
    pub(crate) async fn check_secrets(
        &self,
        workbench: &WorkbenchId,
        (receiver, host): (&str, &str),
        body: &[u8],
        source: &dyn Locate,
    ) -> Result<(), OpError> {
        // Local models send nothing.
        if host.is_empty() {
            return Ok(());
        }
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        for text in texts(body) {
            let fresh = secrets_in(workbench, &text, source).into_iter();
            found.extend(fresh.filter(|one| known.insert(one.fingerprint.clone())));
        }
        if found.is_empty() {
            return Ok(());
        }
        let consents = self.store().consents(workbench).await?;
        let allows = |consent: &Consent| {
            consent.reach == ConsentReach::Secret && consent.model_id == receiver && consent.host == host
        };
        let allowed: HashSet<String> =
            consents.into_iter().filter(allows).filter_map(|consent| consent.scope_hash).collect();
        found.retain(|one| !allowed.contains(&one.fingerprint));
        if found.is_empty() { Ok(()) } else { Err(refused(receiver, &found).workbench(workbench)) }
    }
}

fn refused(receiver: &str, found: &[LikelySecret]) -> OpError {
    let places: Vec<String> = found.iter().take(3).map(place).collect();
    let more = match found.len().saturating_sub(places.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let words = format!("nothing was sent: the request contains a likely key: {}{more}", places.join(", "));
    let mut error = OpError::new(Code::SecretDetected, words)
        .hint("remove the key from there, or replace it with a placeholder; a key that was shared should be revoked");
    if let Some(first) = found.first() {
        error = error.hint(format!(
            "a person can allow it: `jig consent grant {receiver} --reach secret --scope-hash {}`",
            first.fingerprint
        ));
    }
    let listed = found.get(..LISTED_MAX).unwrap_or(found);
    error.detail(json!({ "secrets": listed, "receiver": receiver }))
}

/// The location of a likely key, for people.
pub(crate) fn place(secret: &LikelySecret) -> String {
    format!("{} in {}, line {}", secret.kind, secret.source, secret.line)
}
