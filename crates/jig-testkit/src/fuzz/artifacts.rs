//! Artifacts: any text has sections, and any editor document is converted or refused.

use jig_context::artifact::{
    ArtifactOp, Author, Batch, New, Put, Wish, apply, create, info, outline, preview, put, tiptap, trimmed,
    without_comments,
};
use jig_context::document::{DocumentId, KindName};
use serde_json::{Value, from_value, json};

fn author() -> Author {
    from_actor(json!({ "type": "person" }))
}

fn from_actor(actor: Value) -> Author {
    let actor = from_value(actor).expect("an actor");
    let at = from_value(json!("2026-01-01T00:00:00Z")).expect("a time");
    Author { actor, at, reason: String::new(), overrides: false }
}

/// Any text as an artifact: its sections add up to the text, and updating one leaves the others unchanged.
pub(super) fn sections(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4_000)).unwrap_or_default()).into_owned();
    let found = outline(&text);
    let mut again = text[found.lead.clone()].to_owned();
    for section in &found.sections {
        again.push_str(&text[section.heading.clone()]);
        again.push_str(&text[section.body.clone()]);
    }
    assert_eq!(again, text, "pieces that are not the text");
    let _ = (preview(&text), trimmed(&text), without_comments(&text));
    let id = DocumentId(from_value(json!("0190b6c2-7d3e-7000-8000-000000000001")).expect("an id"));
    let slug = KindName::new("concept").expect("a name");
    let new = New { id, slug, title: "T".to_owned(), stage: "s".to_owned(), template: None, content: text.clone() };
    let Ok(artifact) = create(new, author()) else {
        assert!(text.contains('\0') || found.sections.len() > 1_000, "refused: {text:?}");
        return;
    };
    assert_eq!(artifact.markdown(), text);
    let shown = info(&artifact, &[], Wish::Outline).expect("an outline");
    let Some(first) = shown.sections.first() else { return };
    let ops = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": first.slug, "content": "x" }]);
    let ops: Vec<ArtifactOp> = from_value(ops).expect("operations");
    let batch = Batch { ops: ops.iter().enumerate().collect(), base_revision: None, author: author(), previous: None };
    if let Ok(done) = apply(&artifact, batch) {
        let next = done.artifact.expect("a revision").markdown();
        assert!(next.ends_with(&text[found.sections[0].body.end..]), "what follows stays");
        assert!(next.starts_with(&text[found.lead.clone()]), "what stands before stays");
        let back = Put { content: Some(text.clone()), title: None, stage: None, base_revision: None };
        let back = put(&artifact, back, author(), None).expect("a whole edit");
        assert_eq!(back.markdown(), text);
    }
}

/// Lines of JSON, each an editor document.
pub(super) fn editor(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n').take(4).filter(|line| line.len() < 4_000) {
        let Ok(document) = serde_json::from_slice::<Value>(line) else { continue };
        match tiptap::to_markdown(&document) {
            Err(why) => assert!(!why.is_empty()),
            Ok(made) => {
                let given = tiptap::from_markdown(&made.document).document;
                let again = tiptap::to_markdown(&given).expect("our own document").document;
                assert_eq!(again, made.document, "not the same when it is taken in again");
            }
        }
    }
}
