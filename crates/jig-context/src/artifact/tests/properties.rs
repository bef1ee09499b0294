//! Properties of random operation sequences: text and sections agree, and untouched content is unchanged.

use jig_contract::ops::ArtifactOp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tiptap::{from_markdown, to_markdown};
use super::super::*;
use super::fixtures::*;

/// Building blocks of random texts; some are parser traps.
fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c ]{0,12}",
        Just("- a\n- b".to_owned()),
        Just("```\n## no\n```".to_owned()),
        Just("<!-- ## no -->".to_owned()),
        Just("> ## no".to_owned()),
        Just("### deeper".to_owned()),
        Just("| a | b |\n|---|---|\n| 1 | 2 |".to_owned()),
        Just("a\n\nb".to_owned()),
        Just("x\n---".to_owned()),
        Just("## y".to_owned()),
        Just("```\nopen".to_owned()),
        Just("***".to_owned()),
        Just("日本語 é".to_owned()),
    ]
}

fn document() -> impl Strategy<Value = String> {
    let heading =
        prop_oneof![Just("## One"), Just("## Two ##"), Just("Three\n---"), Just("## One"), Just("##"), Just("# T")];
    let end = prop_oneof![Just("\n"), Just("\n\n"), Just("\r\n\r\n")];
    proptest::collection::vec((prop_oneof![heading.prop_map(str::to_owned), block()], end), 0..10)
        .prop_map(|pieces| pieces.into_iter().map(|(text, end)| format!("{text}{end}")).collect())
}

fn op() -> impl Strategy<Value = Value> {
    let section =
        prop_oneof![Just("one"), Just("two"), Just("three"), Just("one-2"), Just("part"), Just("new"), Just("nope")];
    let place = proptest::option::of(0_u32..6);
    (0..8_u8, section, block(), place, any::<bool>()).prop_map(|(kind, section, content, order, flag)| {
        let mut op = json!({ "artifact_slug": "concept", "section_slug": section });
        let (name, more) = match kind {
            0 | 1 => ("update_section", json!({ "content": content, "split": flag })),
            2 => ("mark_section_done", json!({ "is_done": flag })),
            3 => ("create_section", json!({ "title": "New", "content": content, "order": order, "split": flag })),
            4 => ("rename_section", json!({ "title": if flag { "Two" } else { "Other" } })),
            5 => ("move_section", json!({ "order": order })),
            6 => ("delete_section", json!({})),
            _ => ("collapse_section", json!({ "is_collapsed": flag })),
        };
        op["operation"] = json!(name);
        op.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        if kind == 3 {
            op.as_object_mut().unwrap().remove("section_slug");
        }
        op
    })
}

/// The invariants of every artifact.
fn check(artifact: &Artifact) {
    let text = artifact.markdown();
    let found = outline(&text);
    let titles: Vec<&str> = found.sections.iter().map(|span| span.title.as_str()).collect();
    let parts = &artifact.document.parts;
    assert_eq!(titles, parts.iter().map(|part| part.title.as_str()).collect::<Vec<_>>(), "{text:?}");
    let mut names: Vec<&str> = slugs(artifact);
    let mut ids: Vec<u32> = parts.iter().map(|part| part.id.0).collect();
    names.sort_unstable();
    ids.sort_unstable();
    names.dedup();
    ids.dedup();
    assert_eq!((names.len(), ids.len()), (parts.len(), parts.len()), "unique");
    assert!(ids.iter().all(|id| *id < artifact.document.next_part));
    assert_eq!(artifact.layout.len(), parts.len());
    let shown = info(artifact, &[], Wish::Outline).unwrap();
    let orders: Vec<u32> = shown.sections.iter().map(|section| section.order).collect();
    assert_eq!(orders, (1..=parts.len() as u32).collect::<Vec<_>>());
    let done = shown.sections.iter().filter(|section| section.is_done).count() as u64;
    assert_eq!((shown.sections_complete, shown.sections_total), (done, parts.len() as u64));
    assert_eq!(Artifact::from_json(&artifact.to_json()).unwrap(), *artifact);
}

/// The bytes of a section: heading and text, without trailing blank lines.
fn bytes(artifact: &Artifact, id: u32) -> Option<String> {
    let part = artifact.document.parts.iter().find(|part| part.id.0 == id)?;
    Some(format!("{}{}", artifact.heading(part.id), part.text().unwrap().trim_end()).trim_end().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_sequence_of_operations_keeps_sections_right_and_the_rest_untouched(
        text in document(),
        rounds in proptest::collection::vec(proptest::collection::vec(op(), 1..3), 1..8),
    ) {
        let mut artifact = made(&text);
        prop_assert_eq!(artifact.markdown(), text);
        check(&artifact);
        for round in rounds {
            let Ok(done) = run(&artifact, None, person(), json!(round)) else { continue };
            // An operation without effect creates no revision.
            let Some(next) = done.artifact else { continue };
            check(&next);
            prop_assert_eq!(next.revision(), artifact.revision() + 1);
            let touched: Vec<u32> = done.edits.iter().map(|edit| edit.section_id.0).collect();
            for part in &artifact.document.parts {
                if !touched.contains(&part.id.0) {
                    prop_assert_eq!(bytes(&next, part.id.0), bytes(&artifact, part.id.0), "an untouched section");
                }
            }
            prop_assert_eq!(next.lead.trim_end(), artifact.lead.trim_end());
            prop_assert!(next.lead.starts_with(&artifact.lead));
            artifact = next;
        }
    }

    #[test]
    fn one_update_leaves_every_other_byte(text in document(), content in "[a-z]{1,10}", at in 0_usize..6) {
        let artifact = made(&text);
        if artifact.document.parts.is_empty() {
            return Ok(());
        }
        let at = at % artifact.document.parts.len();
        let slug = slugs(&artifact)[at];
        let ops = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": slug, "content": content }]);
        if let Ok(done) = run(&artifact, None, person(), ops) {
            let next = done.artifact.unwrap();
            let (found, after) = (outline(&text), next.markdown());
            prop_assert!(after.starts_with(text[..found.sections[at].heading.end].trim_end_matches(['\n', '\r'])));
            prop_assert!(after.ends_with(&text[found.sections[at].body.end..]));
            prop_assert_eq!(next.content(&next.document.parts[at]), content);
        }
    }

    #[test]
    fn whole_edits_keep_ids_of_what_stays(before in document(), after in document()) {
        let artifact = made(&before);
        let next = rewritten(&artifact, &after);
        prop_assert_eq!(next.markdown(), after);
        check(&next);
        // The same text under the same heading is the same section, unless it occurs several times.
        for (part, id) in artifact.document.parts.iter().map(|part| (part, part.id)) {
            let same = |other: &&crate::document::Part| other.title == part.title && next.content(other) == artifact.content(part);
            let there = next.document.parts.iter().filter(same).count();
            let here = artifact.document.parts.iter().filter(same).count();
            if there == 1 && here == 1 {
                prop_assert_eq!(next.document.parts.iter().find(same).map(|other| other.id), Some(id));
            }
        }
        let back = rewritten(&next, &before);
        prop_assert_eq!(back.markdown(), before);
    }

    #[test]
    fn markdown_through_an_editor_and_back_is_stable(text in document()) {
        let first = from_markdown(&text).document;
        let once = to_markdown(&first).unwrap().document;
        let twice = to_markdown(&from_markdown(&once).document).unwrap().document;
        prop_assert_eq!(&twice, &once);
    }

    #[test]
    fn any_text_of_an_editor_is_stable(document in editor()) {
        let once = to_markdown(&document).unwrap().document;
        let given = from_markdown(&once).document;
        let twice = to_markdown(&given).unwrap().document;
        prop_assert_eq!(&twice, &once);
        prop_assert_eq!(from_markdown(&twice).document, given);
    }

    #[test]
    fn any_operation_is_read_or_refused(value in "\\PC{0,60}") {
        let _ = serde_json::from_str::<ArtifactOp>(&value);
        let _ = outline(&value);
        let _ = preview(&value);
        let _ = without_comments(&value);
    }
}

/// Documents as editors may produce them.
fn editor() -> impl Strategy<Value = Value> {
    let words = prop_oneof!["[ -~]{0,12}", "[a-z*_`#>|!\\[\\]() -]{0,10}", Just("日本 é".to_owned())];
    let mark = prop_oneof![
        Just(json!({ "type": "bold" })),
        Just(json!({ "type": "italic" })),
        Just(json!({ "type": "strike" })),
        Just(json!({ "type": "code" })),
        Just(json!({ "type": "link", "attrs": { "href": "u v", "title": "t\"" } })),
        Just(json!({ "type": "underline" })),
    ];
    let run = (words.clone(), proptest::collection::vec(mark, 0..3))
        .prop_map(|(text, marks)| json!({ "type": "text", "text": text, "marks": marks }));
    let inline = prop_oneof![
        4 => run,
        1 => Just(json!({ "type": "hardBreak" })),
        1 => Just(json!({ "type": "image", "attrs": { "src": "a b", "alt": "[x]" } })),
        1 => Just(json!({ "type": "mention", "attrs": { "label": "*" } })),
    ];
    let paragraph =
        proptest::collection::vec(inline, 0..4).prop_map(|content| json!({ "type": "paragraph", "content": content }));
    let leaf = prop_oneof![
        4 => paragraph.clone(),
        1 => (1_u8..8, words.clone()).prop_map(|(level, text)| json!({ "type": "heading", "attrs": { "level": level }, "content": [{ "type": "text", "text": text }] })),
        1 => words.prop_map(|text| json!({ "type": "codeBlock", "attrs": { "language": null }, "content": [{ "type": "text", "text": text }] })),
        1 => Just(json!({ "type": "horizontalRule" })),
        1 => Just(json!({ "type": "htmlBlock", "content": [{ "type": "text", "text": "<div>\n\n## x" }] })),
        1 => paragraph.prop_map(|one| json!({ "type": "table", "content": [{ "type": "tableRow", "content": [
            { "type": "tableHeader", "content": [one.clone()] }, { "type": "tableCell", "content": [one.clone(), one] }] }] })),
    ];
    let block = leaf.prop_recursive(3, 12, 3, |inner| {
        let many = proptest::collection::vec(inner, 0..3);
        prop_oneof![
            many.clone().prop_map(|content| json!({ "type": "blockquote", "content": content })),
            many.clone().prop_map(|content| json!({ "type": "bulletList", "content": [{ "type": "listItem", "content": content }] })),
            many.clone().prop_map(|content| json!({ "type": "orderedList", "attrs": { "start": 2 }, "content": [{ "type": "listItem", "content": content.clone() }, { "type": "listItem", "content": content }] })),
            many.prop_map(|content| json!({ "type": "taskList", "content": [{ "type": "taskItem", "attrs": { "checked": true }, "content": content }] })),
        ]
    });
    proptest::collection::vec(block, 0..4).prop_map(|content| json!({ "type": "doc", "content": content }))
}
