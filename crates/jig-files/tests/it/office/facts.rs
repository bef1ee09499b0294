//! The facts that cases are compared by.

use serde_json::json;

use crate::support::archive::{Archive, Entry};
use crate::support::describe::{Parts, edit};

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
    let result = json!({
        "ok": true,
        "changes": [{"op": "set_cells", "summary": "Set 1 cell.", "cells": 1}],
        "warnings": ["ops[0].style: skipped: not a style", "the file was created"],
        "hash": "0123456789abcdef0123456789abcdef",
    });
    let expected = "\
== result
{
  \"ok\": true,
  \"changes\": [
    {
      \"op\": \"set_cells\",
      \"cells\": 1
    }
  ],
  \"warnings\": [
    \"ops[0].style\",
    \"the call\"
  ],
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
