//! Full-text edits, history, snapshots and the file format.

use jig_contract::ops::SectionChangeKind;
use jig_contract::{Code, OpError};
use serde_json::json;

use super::super::*;
use super::fixtures::*;

fn ids(artifact: &Artifact) -> Vec<(u32, String)> {
    artifact.document.parts.iter().map(|part| (part.id.0, part.name.to_string())).collect()
}

fn pairs(expected: &[(u32, &str)]) -> Vec<(u32, String)> {
    expected.iter().map(|(id, name)| (*id, (*name).to_owned())).collect()
}

#[test]
fn sections_are_found_again_by_slug_alias_text_and_likeness() {
    let artifact = made("## Overview\n\na\n\n## Problem Being Solved\n\nb\n\n## Core Features\n\nc\n");
    // Sections in another order, with other texts and another case.
    let after = rewritten(&artifact, "## core features\n\nnew\n\n## Overview\n\na\n\n## Problem Being Solved\n\nb2\n");
    assert_eq!(ids(&after), pairs(&[(3, "core-features"), (1, "overview"), (2, "problem-being-solved")]));
    // A similar heading at the same position is the same section, and its former slug still resolves.
    let after = rewritten(&artifact, "## Overview\n\na\n\n## Problem We Solve\n\nb2\n\n## Core Features\n\nc\n");
    assert_eq!(ids(&after), pairs(&[(1, "overview"), (2, "problem-we-solve"), (3, "core-features")]));
    assert_eq!(after.document.parts[1].aliases[0].as_str(), "problem-being-solved");
    // A former slug.
    let back = rewritten(&after, "## Overview\n\na\n\n## Problem Being Solved\n\nzzz\n\n## Core Features\n\nc\n");
    assert_eq!(ids(&back), ids(&artifact));
    // The same text under another heading.
    let after = rewritten(&artifact, "## Overview\n\na\n\n## Zebra\n\nb\n\n## Core Features\n\nc\n");
    assert_eq!(ids(&after)[1], (2, "zebra".to_owned()));
    // Nothing similar: one section is removed and one is new. Ids are never reused.
    let after = rewritten(&artifact, "## Overview\n\na\n\n## Quite Different\n\nq\n\n## Core Features\n\nc\n");
    assert_eq!(ids(&after), pairs(&[(1, "overview"), (4, "quite-different"), (3, "core-features")]));
    // Of two sections with the same heading, the one with the same text matches.
    let twice = made("## Notes\n\none\n\n## Notes\n\ntwo\n");
    assert_eq!(ids(&rewritten(&twice, "## Notes\n\ntwo\n")), pairs(&[(2, "notes-2")]));
}

#[test]
fn done_marks_stay_with_their_sections() {
    let done = json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "core-features" },
                      { "operation": "collapse_section", "artifact_slug": "concept", "section_slug": "core-features" }]);
    let artifact = applied(&made(CONCEPT), done);
    let after =
        rewritten(&artifact, "# New title\n\n## Core Feature\n\n- one\n- two\n- three\n\n## What Is It?\n\nx\n");
    let shown = info(&after, &[], Wish::Outline).unwrap();
    assert_eq!((shown.title.as_str(), shown.sections_complete, shown.sections_total), ("New title", 1, 2));
    let section = &shown.sections[0];
    assert_eq!((section.slug.as_str(), section.id, section.order), ("core-feature", 3, 1));
    assert!(section.is_done && section.changed_since_done && section.is_collapsed);
    // A change of surrounding blank lines does not count as a change.
    let spaced = rewritten(&artifact, &artifact.markdown().replace("## Core", "\n\n## Core"));
    assert!(!info(&spaced, &[], Wish::Outline).unwrap().sections[2].changed_since_done);
    assert_eq!(spaced.document.parts[2].changed, artifact.document.parts[2].changed);
}

#[test]
fn a_write_that_says_nothing_makes_no_revision_and_an_old_base_is_a_conflict() {
    let artifact = made(CONCEPT);
    assert_eq!(rewritten(&artifact, CONCEPT), artifact);
    let new = |base| Put { content: Some("x".to_owned()), title: None, stage: None, base_revision: base };
    let next = put(&artifact, new(Some(1)), person(), None).unwrap();
    let error: OpError = put(&next, new(Some(1)), person(), None).unwrap_err().into();
    assert_eq!((error.code(), &error.info.detail.unwrap()["content"]), (Code::Conflict, &json!("x")));
    let title =
        Put { content: None, title: Some("Other".to_owned()), stage: Some("design".to_owned()), base_revision: None };
    let retitled = put(&artifact, title, person(), None).unwrap();
    assert!(retitled.markdown().starts_with("# Other\n\nIntro."), "{}", retitled.markdown());
    assert_eq!((retitled.document.title.as_str(), retitled.stage.as_str()), ("Other", "design"));
}

#[test]
fn restore_brings_texts_headings_and_marks_back_and_keeps_lock_and_names() {
    let first = made(CONCEPT);
    let named = snapshot(&first, "before", &person()).unwrap();
    assert_eq!(named.revision(), 1, "a name is not a write");
    assert_eq!(snapshot(&named, "before", &person()).unwrap(), named, "the same name for the same revision");
    assert!(snapshot(&named, " ", &person()).is_err());
    let changed = rewritten(&named, "# Else\n\n## Other\n\ntext\n");
    let back = restore(&changed, &first, None, &person(), None).unwrap();
    assert_eq!((back.markdown(), back.revision()), (CONCEPT.to_owned(), 3));
    assert_eq!((slugs(&back), back.snapshots.len()), (slugs(&first), 1));
    assert_eq!(back.document.next_part, changed.document.next_part, "no id is given twice");
    let locked = finalize(&changed, None, &person(), None).unwrap();
    assert!(restore(&locked, &first, None, &person(), None).is_err());
    let forced = restore(&locked, &first, None, &Author { overrides: true, ..person() }, None).unwrap();
    assert_eq!(forced.status, jig_contract::ops::ArtifactStatus::Finalized);
    assert_eq!(unfinalize(&forced, None, &person(), None).unwrap().finalized, None);
    assert_eq!(finalize(&locked, None, &person(), None).unwrap(), locked, "locked already");
}

#[test]
fn history_says_what_became_of_each_section() {
    let before = made(CONCEPT);
    let after = applied(
        &before,
        json!([
            { "operation": "rename_section", "artifact_slug": "concept", "section_slug": "what-is-it", "title": "Definition" },
            { "operation": "update_section", "artifact_slug": "concept", "section_slug": "definition", "content": "x" },
            { "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "definition" },
            { "operation": "delete_section", "artifact_slug": "concept", "section_slug": "problem-being-solved" },
            { "operation": "create_section", "artifact_slug": "concept", "title": "New", "order": 1 },
            { "operation": "move_section", "artifact_slug": "concept", "section_slug": "core-features", "order": 1 },
        ]),
    );
    use SectionChangeKind::{Added, Changed, Done, Moved, Removed, Renamed, Undone};
    let told = |before: Option<&Artifact>, after: &Artifact| -> Vec<(String, SectionChangeKind)> {
        let found = changes(before.map(|artifact| &artifact.document), &after.document);
        found.into_iter().map(|change| (change.section, change.change)).collect()
    };
    let expected = [
        ("core-features", Moved),
        ("new", Added),
        ("definition", Renamed),
        ("definition", Changed),
        ("definition", Done),
        ("problem-being-solved", Removed),
    ];
    assert_eq!(told(Some(&before), &after), expected.map(|(name, change)| (name.to_owned(), change)));
    assert_eq!(told(None, &before).len(), 3);
    let undone = json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "definition", "is_done": false }]);
    assert_eq!(told(Some(&after), &applied(&after, undone)), [("definition".to_owned(), Undone)]);
}

#[test]
fn the_file_is_canonical_and_keeps_what_it_does_not_know() {
    let artifact = applied(
        &made(CONCEPT),
        json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it" }]),
    );
    let bytes = artifact.to_json();
    assert_eq!(Artifact::from_json(&bytes).unwrap(), artifact);
    let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        (&value["family"], &value["state"], &value["status"]),
        (&json!("artifacts"), &json!("active"), &json!("draft"))
    );
    value["of_a_later_version"] = json!({ "a": 1 });
    let again = Artifact::from_json(value.to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&again.to_json()).unwrap(), value);
    value["family"] = json!("entries");
    assert!(Artifact::from_json(value.to_string().as_bytes()).is_err());
    // Damaged layout loses only the form of a heading, never text.
    value["family"] = json!("artifacts");
    value["layout"] = json!([]);
    assert_eq!(Artifact::from_json(value.to_string().as_bytes()).unwrap().markdown(), artifact.markdown());
}
