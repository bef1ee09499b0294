//! A corrected list for ops that are refused, where the correction can be known.

use serde_json::{Map, Value};

use super::issue::OpIssue;
use super::{NAME_FIELDS, OpSet, Strictness, parse_list};
use crate::nearest::{is_misspelling, squashed};

/// The largest list that is corrected, in bytes of JSON.
const MOST_BYTES: usize = 8 << 10;
/// The most corrections in a list.
const MOST_STEPS: usize = 16;

/// The ops with misspelt names corrected and misplaced positions moved to the right op; none when that does not make
/// them valid, or when a name may mean something else than the nearest one: whoever sends a corrected list as it is must
/// get what was intended.
pub(super) fn corrected<T: OpSet>(ops: &Value, strictness: Strictness) -> Option<Value> {
    let mut list = ops.as_array().filter(|list| !list.is_empty())?.clone();
    if serde_json::to_string(&list).ok()?.len() > MOST_BYTES {
        return None;
    }
    for _ in 0..MOST_STEPS {
        match parse_list::<T>(&list, strictness, &mut Vec::new()) {
            Ok(_) => return Some(Value::Array(list)),
            Err((issue, _)) => correct(&mut list, &issue)?,
        }
    }
    None
}

fn correct(list: &mut Vec<Value>, issue: &OpIssue) -> Option<()> {
    let steps = steps(issue.at());
    let index = match steps.first()? {
        Step::Index(index) => *index,
        Step::Key(_) => return None,
    };
    let inside = steps.get(1..)?;
    let slip_of = |given: &str, near: &[String]| near.iter().find(|near| is_misspelling(given, near)).cloned();
    match issue {
        OpIssue::UnknownOp { name, near, .. } => {
            let op = list.get_mut(index)?.as_object_mut()?;
            let key = NAME_FIELDS.iter().find(|key| op.contains_key(**key))?;
            op.insert((*key).to_owned(), slip_of(name, near)?.into());
        }
        OpIssue::UnknownField { field, near, belongs: None, .. } => {
            let object = object_at(list.get_mut(index)?, inside.get(..inside.len().checked_sub(1)?)?)?;
            let near = slip_of(field, near)?;
            if object.contains_key(&near) {
                return None;
            }
            // In its place, so that the corrected op reads like the one that was given.
            let renamed = std::mem::take(object).into_iter();
            *object =
                renamed.map(|(key, value)| if key == *field { (near.clone(), value) } else { (key, value) }).collect();
        }
        OpIssue::WrongOp { right, .. } => split(list, index, inside, right)?,
        _ => return None,
    }
    Some(())
}

/// One op for each item: `set_paragraphs` with indexes becomes several `set_paragraph`.
fn split(list: &mut Vec<Value>, index: usize, inside: &[Step], right: &str) -> Option<()> {
    let Step::Key(field) = inside.first()? else { return None };
    let op = list.get(index)?.as_object()?;
    let items = op.get(field)?.as_array()?;
    // The number of another name is left to be corrected in the next step, or given up.
    let single = |item: &Value| {
        let mut single = Map::from_iter([("op".to_owned(), Value::from(right))]);
        for (key, value) in item.as_object()? {
            let plain = squashed(key);
            let is_index =
                matches!(plain.as_str(), "n" | "i" | "idx" | "position" | "pos" | "number" | "num" | "id" | "at");
            // Which base they count from is not known.
            if is_index {
                return None;
            }
            single.insert(key.clone(), value.clone());
        }
        Some(Value::Object(single))
    };
    let singles: Option<Vec<Value>> = items.iter().map(single).collect();
    list.splice(index..=index, singles?);
    Some(())
}

enum Step {
    Key(String),
    Index(usize),
}

/// The steps of `ops[0].cells[3].value` behind `ops`.
fn steps(at: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for piece in at.split('.') {
        let mut parts = piece.split('[');
        let key = parts.next().unwrap_or_default();
        if !(key.is_empty() || steps.is_empty() && key == "ops") {
            steps.push(Step::Key(key.to_owned()));
        }
        steps.extend(parts.filter_map(|part| part.trim_end_matches(']').parse().ok()).map(Step::Index));
    }
    steps
}

fn object_at<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Map<String, Value>> {
    let mut value = value;
    for step in steps {
        value = match step {
            Step::Key(key) => value.get_mut(key)?,
            Step::Index(index) => value.get_mut(*index)?,
        };
    }
    value.as_object_mut()
}
