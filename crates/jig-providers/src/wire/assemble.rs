//! Assembles streamed tool calls, and parsing helpers shared by all formats.

use serde_json::{Value, json};

use super::arguments::{Arguments, Ending};
use super::{Decoded, Trouble};
use crate::message::{Delta, StopReason};
use crate::request::ToolCall;

/// The prefix of ids generated for servers that send none.
pub(super) const MADE_ID: &str = "jig-call-";

/// Tool calls while they are being received.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// The server's index of the call.
    slot: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signature: Option<String>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Starts a call and returns its index.
    pub(super) fn begin(&mut self, slot: Option<u64>, id: &str, name: &str, deltas: &mut Vec<Delta>) -> usize {
        let index = self.calls.len();
        self.calls.push(Open { slot, id: id.to_owned(), name: name.to_owned(), ..Open::default() });
        deltas.push(Delta::ToolCall { index, name: name.to_owned() });
        index
    }

    /// The call that a fragment belongs to. Some servers omit the index, others send 0 for every call.
    pub(super) fn place(&self, slot: Option<u64>, id: &str) -> Option<usize> {
        let found = match slot {
            Some(_) => self.calls.iter().rposition(|call| call.slot == slot),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        }?;
        let other = !id.is_empty() && !self.calls[found].id.is_empty() && self.calls[found].id != id;
        (!other).then_some(found)
    }

    /// Appends to a call's arguments, which arrive as text or as a complete value.
    pub(super) fn arguments(&mut self, index: usize, piece: &Value, deltas: &mut Vec<Delta>) {
        let json = match piece {
            Value::String(text) => text.clone(),
            Value::Null => return,
            whole => whole.to_string(),
        };
        if let Some(call) = self.calls.get_mut(index).filter(|_| !json.is_empty()) {
            call.arguments.push_str(&json);
            deltas.push(Delta::Arguments { index, json });
        }
    }

    /// Stores the signature that the provider expects back.
    pub(super) fn sign(&mut self, index: usize, signature: Option<&str>) {
        if let Some(call) = self.calls.get_mut(index) {
            call.signature = signature.map(str::to_owned);
        }
    }

    /// All calls, including malformed ones.
    pub(super) fn finish(self, stop: StopReason) -> Vec<ToolCall> {
        let last = self.calls.len().saturating_sub(1);
        let calls = self.calls.into_iter().enumerate();
        calls.map(|(index, call)| call.finish(index, ending(stop, index == last))).collect()
    }

    /// A call that is already complete.
    pub(super) fn take(&mut self, index: usize, ending: Ending) -> Decoded<ToolCall> {
        let call =
            self.calls.get_mut(index).map(std::mem::take).ok_or(Trouble::Unreadable("a tool call is missing"))?;
        Ok(call.finish(index, ending))
    }
}

/// Only the last call of an answer that reached its limit can be incomplete.
pub(super) fn ending(stop: StopReason, last: bool) -> Ending {
    if last && matches!(stop, StopReason::MaxTokens | StopReason::WindowFull) { Ending::Cut } else { Ending::Complete }
}

impl Open {
    /// A call without a name is preserved, so that the tool runner can answer it with an error.
    fn finish(self, index: usize, ending: Ending) -> ToolCall {
        let id = if self.id.is_empty() { format!("{MADE_ID}{index}") } else { self.id };
        let Arguments { value, corrected, malformed } = Arguments::of_text(&self.arguments, ending);
        ToolCall { id, name: self.name, arguments: value, signature: self.signature, corrected, malformed }
    }
}

/// A text field; empty if it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A count field; 0 if it is missing.
pub(super) fn count(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// An image as a `data:` URL.
pub(super) fn data_url(image: &crate::request::Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.base64)
}

/// An event's data as JSON.
pub(super) fn parse(data: &str) -> Decoded<Value> {
    serde_json::from_str(data).map_err(|_| Trouble::Unreadable("an event is not JSON"))
}

/// Sets a field, unless the value is `None`.
pub(super) fn set(body: &mut Value, key: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        body[key] = json!(value);
    }
}
