//! Token budgets of results. Some operations apply a budget themselves; other results are truncated here, with a
//! cursor.
//!
//! The largest list or text of a result is truncated. The cursor encodes how much was returned; the next call is
//! executed again and continues there. A write cannot be repeated, so its result only states what was left out.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jig_contract::{Code, Effect, OpError, OpSpec};
use jig_workbench::count_tokens;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The default token budget of a result.
pub(super) const DEFAULT: usize = 4_000;
/// The minimum token budget.
const LEAST: usize = 200;
/// The tokens reserved for the cursor and its surroundings.
const AROUND: usize = 100;

/// The budget of a call whose operation does not support one itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    max_tokens: usize,
    from: usize,
    /// The operation's own cursor at the start of the page.
    inner: Option<String>,
    takes_cursor: bool,
}

/// The start of the next part.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    from: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inner: Option<String>,
}

impl Budget {
    /// Takes `max_tokens` and `cursor` out of the arguments; `None` if the operation handles them itself.
    pub(super) fn take(op: &OpSpec, arguments: &mut Map<String, Value>) -> Result<Option<Self>, OpError> {
        let schema = (op.params_schema)().to_value();
        let has = |name: &str| schema["properties"][name].is_object();
        if has("max_tokens") {
            return Ok(None);
        }
        let max_tokens = match arguments.remove("max_tokens") {
            None | Some(Value::Null) => DEFAULT,
            Some(value) => value
                .as_u64()
                .and_then(|n| usize::try_from(n).ok())
                .filter(|n| *n > 0)
                .ok_or_else(|| OpError::new(Code::InvalidParams, "`max_tokens` must be a whole number above 0"))?,
        };
        let mut budget = Self { max_tokens: max_tokens.max(LEAST), from: 0, inner: None, takes_cursor: has("cursor") };
        let given = arguments.get("cursor").and_then(Value::as_str).and_then(place);
        if let Some(place) = given {
            arguments.remove("cursor");
            if let (true, Some(inner)) = (budget.takes_cursor, &place.inner) {
                arguments.insert("cursor".to_owned(), inner.as_str().into());
            }
            budget = Self { from: place.from, inner: place.inner, ..budget };
        } else if budget.takes_cursor {
            budget.inner = arguments.get("cursor").and_then(Value::as_str).map(str::to_owned);
        } else if arguments.remove("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(OpError::new(Code::InvalidParams, "the cursor is not one that an earlier answer gave"));
        }
        Ok(Some(budget))
    }

    /// The result, truncated to the budget.
    pub(super) fn fit(&self, op: &OpSpec, mut value: Value) -> Value {
        if self.from == 0 && tokens(&value) <= self.max_tokens {
            return value;
        }
        let Some(pointer) = largest(&value) else { return value };
        let Some(place) = value.pointer_mut(&pointer) else { return value };
        let whole = std::mem::take(place);
        let room = self.max_tokens.saturating_sub(tokens(&value) + AROUND);
        let (given, next, total) = piece(&whole, self.from, room);
        if let Some(place) = value.pointer_mut(&pointer) {
            *place = given;
        }
        if let (Some(next), Some(members)) = (next, value.as_object_mut()) {
            if op.effect == Effect::Read {
                let place = Place { from: next, inner: self.inner.clone() };
                members.insert("cursor".to_owned(), write(&place).into());
            } else {
                members.insert("left_out".to_owned(), json!(total - next));
            }
        }
        value
    }
}

fn tokens(value: &Value) -> usize {
    count_tokens(&value.to_string())
}

/// The JSON pointer of the largest list or text. Nested lists count as part of the outer one.
fn largest(value: &Value) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    let mut open = vec![(value, String::new())];
    while let Some((value, pointer)) = open.pop() {
        let size = match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    open.push((member, format!("{pointer}/{name}")));
                }
                continue;
            }
            Value::Array(_) => value.to_string().len(),
            Value::String(text) => text.len(),
            _ => continue,
        };
        // Ties are broken by position, so that the next call finds the same one.
        let better = best.as_ref().is_none_or(|(most, at)| (size, &pointer) > (*most, at));
        if better && !pointer.is_empty() {
            best = Some((size, pointer));
        }
    }
    best.map(|(_, pointer)| pointer)
}

/// A part of a list or text from an offset on: the part, the next offset, and the total length. Always makes progress.
fn piece(whole: &Value, from: usize, room: usize) -> (Value, Option<usize>, usize) {
    match whole {
        Value::Array(items) => {
            let (mut given, mut used) = (Vec::new(), 0);
            for item in items.iter().skip(from) {
                used += tokens(item) + 1;
                if used > room && !given.is_empty() {
                    break;
                }
                given.push(item.clone());
            }
            let next = from + given.len();
            (Value::Array(given), (next < items.len()).then_some(next), items.len())
        }
        Value::String(text) => {
            let rest = text.get(from..).unwrap_or_default();
            let cut = cut_text(rest, room.max(1));
            let next = from + cut.len();
            (cut.into(), (next < text.len()).then_some(next), text.len())
        }
        other => (other.clone(), None, 0),
    }
}

/// The longest prefix with at most this many tokens as JSON, ending at a line break if possible.
fn cut_text(text: &str, room: usize) -> &str {
    let fits = |end: usize| count_tokens(&Value::from(&text[..end]).to_string()) <= room;
    let (mut low, mut high) = (0, text.len().min(room.saturating_mul(16)));
    while !text.is_char_boundary(high) {
        high -= 1;
    }
    if fits(high) {
        low = high;
    }
    while low + 64 < high {
        let mut middle = low.midpoint(high);
        while !text.is_char_boundary(middle) {
            middle -= 1;
        }
        if middle <= low {
            break;
        }
        if fits(middle) { low = middle } else { high = middle }
    }
    if low == text.len() {
        return text;
    }
    let line = text[..low].rfind('\n').map(|at| at + 1).filter(|at| *at * 2 > low);
    let first = text.chars().next().map_or(0, char::len_utf8);
    &text[..line.unwrap_or(low).max(first)]
}

fn write(place: &Place) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(place).unwrap_or_default())
}

fn place(cursor: &str) -> Option<Place> {
    URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

#[cfg(test)]
mod tests {
    use jig_contract::find;

    use super::*;

    fn all(op: &str, value: &Value, pointer: &str, max_tokens: u64) -> Vec<Value> {
        let op = find(op).unwrap();
        let (mut pieces, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let mut arguments = Map::from_iter([("max_tokens".to_owned(), json!(max_tokens))]);
            arguments.insert("cursor".to_owned(), cursor);
            let budget = Budget::take(op, &mut arguments).unwrap().unwrap();
            assert!(!arguments.contains_key("max_tokens"));
            let mut given = budget.fit(op, value.clone());
            assert!(tokens(&given) <= usize::try_from(max_tokens).unwrap(), "{}", tokens(&given));
            pieces.push(given.pointer_mut(pointer).unwrap().take());
            match given["cursor"].take() {
                Value::Null => return pieces,
                next => cursor = next,
            }
        }
    }

    #[test]
    fn a_long_list_comes_in_pieces_without_loss() {
        let items: Vec<Value> = (0..500).map(|n| json!({ "id": format!("bench-{n}"), "name": "A name" })).collect();
        let value = json!({ "workbenches": items, "other": 1 });
        let pieces = all("WorkbenchList", &value, "/workbenches", 1_000);
        assert!(pieces.len() > 5, "{}", pieces.len());
        let joined: Vec<Value> = pieces.into_iter().flat_map(|piece| piece.as_array().cloned().unwrap()).collect();
        assert_eq!(joined, items);
    }

    #[test]
    fn a_long_text_comes_in_pieces_without_loss() {
        let text: String = (0..2_000).map(|n| format!("Zeile {n}: äöü \"x\"\n")).collect();
        let value = json!({ "artifact": { "slug": "a", "content": text } });
        let pieces = all("ArtifactGet", &value, "/artifact/content", 600);
        let joined: String = pieces.iter().map(|piece| piece.as_str().unwrap()).collect();
        assert_eq!(joined, text);
        assert!(pieces.iter().all(|piece| piece.as_str().unwrap().ends_with('\n')));
    }

    #[test]
    fn what_fits_is_left_as_it_is_and_what_was_written_says_what_is_missing() {
        let small = json!({ "files": [1, 2] });
        let list = find("FileList").unwrap();
        let budget = Budget::take(list, &mut Map::new()).unwrap().unwrap();
        assert_eq!(budget.fit(list, small.clone()), small);
        let edit = find("XlsxApplyOps").unwrap();
        let changes: Vec<String> = (0..2_000).map(|n| format!("cell A{n} changed")).collect();
        let cut = Budget::take(edit, &mut Map::new()).unwrap().unwrap().fit(edit, json!({ "changes": changes }));
        let given = cut["changes"].as_array().unwrap().len();
        assert_eq!(cut["left_out"], json!(2_000 - given));
        assert!(cut["cursor"].is_null());
    }

    #[test]
    fn operations_that_count_for_themselves_are_left_alone() {
        let mut arguments = Map::from_iter([("max_tokens".to_owned(), json!(7))]);
        assert_eq!(Budget::take(find("FileRead").unwrap(), &mut arguments).unwrap(), None);
        assert_eq!(arguments["max_tokens"], 7);
        for wrong in [json!(0), json!(-1), json!("x"), json!(1.5)] {
            let mut arguments = Map::from_iter([("max_tokens".to_owned(), wrong)]);
            assert!(Budget::take(find("FileList").unwrap(), &mut arguments).is_err());
        }
        let mut arguments = Map::from_iter([("cursor".to_owned(), json!("nonsense"))]);
        assert!(Budget::take(find("WorkbenchList").unwrap(), &mut arguments).is_err());
    }
}
