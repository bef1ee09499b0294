//! An edit in words that a reviewer can read: which parts changed, and what in them.

use std::fmt::Write as _;

use serde_json::Value;
use similar::TextDiff;

use super::archive::Archive;
use super::engine::Refusal;

/// Two packages compared part by part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) changed: Vec<String>,
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    /// Parts whose content is the same, but whose entry is not: each one breaks a promise.
    pub(crate) rewritten: Vec<String>,
    /// Whether the entries that both have come in the same order.
    pub(crate) in_order: bool,
}

impl Parts {
    pub(crate) fn compare(before: &Archive, after: &Archive) -> Self {
        let mut parts = Self { in_order: common(before, after) == common(after, before), ..Self::default() };
        for old in &before.0 {
            match after.get(&old.name) {
                None => parts.removed.push(old.name.clone()),
                Some(new) if new == old => {}
                Some(new) if new.content() == old.content() => parts.rewritten.push(old.name.clone()),
                Some(_) => parts.changed.push(old.name.clone()),
            }
        }
        let is_new = |name: &String| before.get(name).is_none();
        parts.added = after.0.iter().map(|entry| entry.name.clone()).filter(is_new).collect();
        parts
    }

    /// Stops the test unless every entry whose content did not change was copied raw and in order.
    pub(crate) fn assert_raw(&self, what: &str) {
        assert_eq!(self.rewritten, [""; 0], "{what}: written anew without a change");
        assert!(self.in_order, "{what}: the order of the entries changed");
    }
}

/// The names in `one` that `other` has too.
fn common<'a>(one: &'a Archive, other: &Archive) -> Vec<&'a str> {
    one.0.iter().map(|entry| entry.name.as_str()).filter(|name| other.get(name).is_some()).collect()
}

/// The whole of an edit: result, parts, the changes in each part.
pub(crate) fn edit(result: &Value, before: &Archive, after: &Archive) -> String {
    let parts = Parts::compare(before, after);
    let mut out = self::result(result);
    out.push_str("\n== parts\n");
    for (word, names) in [("changed", &parts.changed), ("added", &parts.added), ("removed", &parts.removed)] {
        for name in names {
            let _ = writeln!(out, "{word} {name}");
        }
    }
    for name in parts.changed.iter().chain(&parts.added) {
        let content = |archive: &Archive| archive.get(name).map(super::archive::Entry::content).unwrap_or_default();
        let _ = write!(out, "\n== {name}\n{}", difference(&content(before), &content(after)));
    }
    out
}

/// A result as text. Hashes are left out: they say nothing to a reader and change with every byte.
pub(crate) fn result(result: &Value) -> String {
    format!("== result\n{}\n", serde_json::to_string_pretty(&without_hashes(result.clone())).unwrap())
}

pub(crate) fn refusal(refusal: &Refusal) -> String {
    format!("== refused\n{}: {}\n", refusal.code, refusal.message)
}

fn without_hashes(value: Value) -> Value {
    match value {
        Value::String(text) if is_hash(&text) => Value::from("<hash>"),
        Value::Array(values) => values.into_iter().map(without_hashes).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, without_hashes(value))).collect(),
        other => other,
    }
}

fn is_hash(text: &str) -> bool {
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Only the changed places, one element a line.
fn difference(before: &[u8], after: &[u8]) -> String {
    let (Some(before), Some(after)) = (xml_lines(before), xml_lines(after)) else {
        return format!("binary, {} bytes\n", after.len());
    };
    let diff = TextDiff::from_lines(&before, &after);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        out.push_str("@@\n");
        for change in hunk.iter_changes() {
            let _ = writeln!(out, "{}{}", change.tag(), change.value().trim_end_matches('\n'));
        }
    }
    out
}

fn xml_lines(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.is_empty() || text.starts_with(['<', '\u{feff}']))?;
    Some(text.replace("><", ">\n<") + "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::archive::Entry;
    use super::*;

    fn before() -> Archive {
        let entries = [("keep.xml", "<k/>"), ("edit.xml", "<r><a/><b>1</b><c/></r>"), ("drop.xml", "<d/>")];
        Archive(entries.map(|(name, content)| Entry::new(name, content.as_bytes())).to_vec())
    }

    #[test]
    fn an_edit_is_told_by_its_changed_places() {
        let mut after = before();
        after.put("edit.xml", b"<r><a/><b>2</b><c/></r>");
        after.put("new.bin", &[0xff, 0xd8]);
        after.remove("drop.xml");
        let result = json!({"ok": true, "hash": "0123456789abcdef0123456789abcdef"});
        let expected = "\
== result
{
  \"ok\": true,
  \"hash\": \"<hash>\"
}

== parts
changed edit.xml
added new.bin
removed drop.xml

== edit.xml
@@
 <r>
 <a/>
-<b>1</b>
+<b>2</b>
 <c/>
 </r>

== new.bin
binary, 2 bytes
";
        assert_eq!(edit(&result, &before(), &after), expected);
    }

    #[test]
    fn an_entry_packed_anew_and_a_new_order_are_noticed() {
        let mut after = before();
        let content = after.0[0].content();
        after.0[0] = Entry { method: 0, compressed: content, ..after.0[0].clone() };
        after.0.swap(1, 2);
        let expected = Parts { rewritten: vec!["keep.xml".to_owned()], ..Parts::default() };
        assert_eq!(Parts::compare(&before(), &after), expected);
    }

    #[test]
    fn flags_and_dates_belong_to_the_entry() {
        for change in [|entry: &mut Entry| entry.flags = 0x800, |entry: &mut Entry| entry.time += 1] {
            let mut after = before();
            change(&mut after.0[1]);
            assert_eq!(Parts::compare(&before(), &after).rewritten, ["edit.xml"]);
        }
    }
}
