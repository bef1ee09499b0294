//! Putting tool calls together from pieces, and small readings that all formats share.

use serde_json::{Value, json};

use super::arguments::{Arguments, Ending};
use super::{Decoded, Trouble};
use crate::message::{Delta, StopReason};
use crate::request::ToolCall;

/// The beginning of ids that were made here, for servers that give none.
pub(super) const MADE_ID: &str = "jig-call-";

/// Tool calls as they come in.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Where the server says it stands.
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

    /// Begins a call and gives its place among the calls.
    pub(super) fn begin(&mut self, slot: Option<u64>, id: &str, name: &str, deltas: &mut Vec<Delta>) -> usize {
        let index = self.calls.len();
        self.calls.push(Open { slot, id: id.to_owned(), name: name.to_owned(), ..Open::default() });
        deltas.push(Delta::ToolCall { index, name: name.to_owned() });
        index
    }

    /// The call a piece belongs to. Some servers leave the place out, others say 0 for every call.
    pub(super) fn place(&self, slot: Option<u64>, id: &str) -> Option<usize> {
        let found = match slot {
            Some(_) => self.calls.iter().rposition(|call| call.slot == slot),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        }?;
        let other = !id.is_empty() && !self.calls[found].id.is_empty() && self.calls[found].id != id;
        (!other).then_some(found)
    }

    /// Adds to a call's arguments, which come as text or whole.
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

    /// Keeps what the provider wants back.
    pub(super) fn sign(&mut self, index: usize, signature: Option<&str>) {
        if let Some(call) = self.calls.get_mut(index) {
            call.signature = signature.map(str::to_owned);
        }
    }

    /// All calls. Malformed ones are among them, marked.
    pub(super) fn finish(self, stop: StopReason) -> Vec<ToolCall> {
        let last = self.calls.len().saturating_sub(1);
        let calls = self.calls.into_iter().enumerate();
        calls.map(|(index, call)| call.finish(index, ending(stop, index == last))).collect()
    }

    /// One call that is complete already.
    pub(super) fn take(&mut self, index: usize, ending: Ending) -> Decoded<ToolCall> {
        let call =
            self.calls.get_mut(index).map(std::mem::take).ok_or(Trouble::Unreadable("a tool call is missing"))?;
        Ok(call.finish(index, ending))
    }
}

/// Only the last call of an answer that ran into its limit can be incomplete.
pub(super) fn ending(stop: StopReason, last: bool) -> Ending {
    if last && matches!(stop, StopReason::MaxTokens | StopReason::WindowFull) { Ending::Cut } else { Ending::Complete }
}

impl Open {
    /// A call without a name is kept: whoever runs the tools answers it with an error.
    fn finish(self, index: usize, ending: Ending) -> ToolCall {
        let id = if self.id.is_empty() { format!("{MADE_ID}{index}") } else { self.id };
        let Arguments { value, corrected, malformed } = Arguments::of_text(&self.arguments, ending);
        ToolCall { id, name: self.name, arguments: value, signature: self.signature, corrected, malformed }
    }
}

/// A text, or nothing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A count, or 0.
pub(super) fn count(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// A `data:` address, as some formats want pictures.
pub(super) fn data_url(image: &crate::request::Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.base64)
}

/// An event's data as JSON.
pub(super) fn parse(data: &str) -> Decoded<Value> {
    serde_json::from_str(data).map_err(|_| Trouble::Unreadable("an event of it is no JSON"))
}

/// Sets a field unless there is nothing to set.
pub(super) fn set(body: &mut Value, key: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        body[key] = json!(value);
    }
}
