//! The operations of the specification and the additional ones: validation and results.

use jig_contract::{Actor, Code, OpError};
use serde_json::json;

use super::super::*;
use super::fixtures::*;

fn refused(error: ArtifactError) -> (Code, String, Vec<String>) {
    let error: OpError = error.into();
    (error.code(), error.info.message.clone(), error.info.suggestions.clone())
}

#[test]
fn the_four_operations_of_the_seed_are_taken_as_they_are_written() {
    let artifact = made(CONCEPT);
    let after = applied(
        &artifact,
        json!([
            { "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it",
              "content": "Updated content here...", "reason": "Clarified definition based on research" },
            { "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "problem-being-solved",
              "is_done": true },
            { "operation": "create_section", "artifact_slug": "concept", "after_section": "core-features",
              "title": "Technical Requirements", "content": "...", "order": 4 },
        ]),
    );
    assert_eq!(
        after.markdown(),
        "# Project Concept: ACK\n\nIntro.\n\n## What Is It?\n\nUpdated content here...\n\n## Problem Being Solved\n\n## Core Features\n\n- one\n- two\n\n## Technical Requirements\n\n...\n"
    );
    assert_eq!(slugs(&after), ["what-is-it", "problem-being-solved", "core-features", "technical-requirements"]);
    assert_eq!((after.revision(), after.counts()), (2, (1, 4)));
    assert_eq!(after.document.revision.reason, "Clarified definition based on research");
    let advice = run(
        &artifact,
        None,
        agent("a"),
        json!([{ "operation": "suggest_edit", "artifact_slug": "concept", "section_slug": "core-features",
                 "suggestion": "Add comparison of pricing models", "rationale": "User asked about pricing validation" }]),
    )
    .unwrap();
    assert_eq!(advice.artifact, None, "advice changes nothing");
    let new = advice.edits[0].suggestion.clone().unwrap();
    assert_eq!((new.suggestion.as_str(), new.base_revision), ("Add comparison of pricing models", 1));
    assert_eq!(new.rationale.as_deref(), Some("User asked about pricing validation"));
}

#[test]
fn unknown_members_and_missing_ones_are_refused() {
    let read = |value| serde_json::from_value::<jig_contract::ops::ArtifactOp>(value);
    let unknown =
        json!({ "operation": "update_section", "artifact_slug": "a", "section_slug": "b", "content": "", "x": 1 });
    assert!(read(unknown).unwrap_err().to_string().contains('x'));
    assert!(read(json!({ "operation": "explode", "artifact_slug": "a" })).is_err());
    assert!(read(json!({ "operation": "update_section", "artifact_slug": "a" })).is_err());
}

#[test]
fn errors_have_the_fields_and_words_of_the_seed() {
    let artifact = made(CONCEPT);
    let update = |slug: &str| json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": slug, "content": "x" }]);
    let (code, message, suggestions) = refused(run(&artifact, None, person(), update("xyz")).unwrap_err());
    assert_eq!((code, message.as_str()), (Code::SectionNotFound, "Section 'xyz' not found in artifact 'concept'"));
    assert_eq!(suggestions, ["what-is-it", "problem-being-solved", "core-features"]);
    let (_, _, near) = refused(run(&artifact, None, person(), update("problem-being-sovled")).unwrap_err());
    assert_eq!(near, ["problem-being-solved"]);

    let locked = finalize(&artifact, None, &person(), None).unwrap();
    let error: OpError = run(&locked, None, agent("a"), update("what-is-it")).unwrap_err().into();
    assert_eq!(error.code(), Code::ArtifactFinalized);
    assert_eq!(error.info.message, "Cannot modify finalized artifact 'concept'");
    assert_eq!(error.info.actions, ["Ask user to un-finalize or create snapshot"]);
    assert_eq!(error.info.detail.as_ref().unwrap()["base_revision"], 2);
    assert_eq!(error.info.detail.as_ref().unwrap()["finalized"]["revision"], 2);

    let error = no_artifact("concpet", ["concept", "research"]);
    assert_eq!((error.code(), error.info.message.as_str()), (Code::ArtifactNotFound, "Artifact 'concpet' not found"));
    assert_eq!(error.info.suggestions, ["concept"]);
    assert_eq!(no_artifact("zzz", ["a", "b"]).info.suggestions, ["a", "b"]);
}

#[test]
fn a_lock_is_passed_over_by_override_and_the_record_says_so() {
    let locked = finalize(&made(CONCEPT), None, &person(), None).unwrap();
    let author = Author { overrides: true, ..person() };
    let ops = json!([{ "operation": "delete_section", "artifact_slug": "concept", "section_slug": "core-features" }]);
    let after = run(&locked, None, author, ops).unwrap().artifact.unwrap();
    assert_eq!(after.document.revision.reason, "changed although finalized: deleted core-features");
    assert_eq!(after.status, jig_contract::ops::ArtifactStatus::Finalized, "the lock stays");
    // Collapsing and suggesting do not change locked content.
    let fold = json!([{ "operation": "collapse_section", "artifact_slug": "concept", "section_slug": "core-features" },
                      { "operation": "suggest_edit", "artifact_slug": "concept", "section_slug": "core-features", "suggestion": "x" }]);
    let folded = run(&locked, None, agent("a"), fold).unwrap().artifact.unwrap();
    assert!(info(&folded, &[], Wish::Outline).unwrap().sections[2].is_collapsed);
    assert_eq!(folded.markdown(), locked.markdown());
}

#[test]
fn a_level_2_heading_in_a_text_is_refused_or_split() {
    let artifact = made(CONCEPT);
    let ops = |split: bool| {
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it",
        "content": "Own words.\n\n## More\n\ntext\n\nEven More\n---\nend", "split": split }])
    };
    let error: OpError = run(&artifact, None, person(), ops(false)).unwrap_err().into();
    assert_eq!(error.code(), Code::ValidationFailed);
    assert!(error.info.message.contains("“More”") && error.info.hints[0].contains("split: true"), "{error:?}");
    let applied = run(&artifact, None, person(), ops(true)).unwrap();
    assert_eq!(applied.edits[0].split_into, ["more", "even-more"]);
    let after = applied.artifact.unwrap();
    assert_eq!(slugs(&after), ["what-is-it", "more", "even-more", "problem-being-solved", "core-features"]);
    let contents: Vec<&str> = after.document.parts.iter().map(|part| after.content(part)).collect();
    assert_eq!(contents[..3], ["Own words.", "text", "end"]);
    for open in ["```\ncode", "<!-- open", "~~~~\n## x\n~~~", "<pre>\n"] {
        let ops = json!([{ "operation": "create_section", "artifact_slug": "concept", "title": "T", "content": open }]);
        let (code, message, _) = refused(run(&artifact, None, person(), ops).unwrap_err());
        assert!(code == Code::ValidationFailed && message.contains("open"), "{open}: {message}");
    }
    let fenced = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it",
        "content": "---\na: b\n---\n\n```md\n## not a section\n```" }]);
    assert!(run(&artifact, None, person(), fenced).is_err(), "an underlined line is a heading");
    let fenced = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it",
        "content": "```md\n## not a section\n```" }]);
    assert_eq!(slugs(&applied_ok(&artifact, fenced)), slugs(&artifact));
}

fn applied_ok(artifact: &Artifact, value: serde_json::Value) -> Artifact {
    applied(artifact, value)
}

#[test]
fn places_are_by_section_or_number_and_must_agree() {
    let artifact = made(CONCEPT);
    let create = |extra: serde_json::Value| {
        let mut op =
            json!({ "operation": "create_section", "artifact_slug": "concept", "title": "New", "content": "n" });
        op.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        run(&artifact, None, person(), json!([op])).map(|applied| {
            let after = applied.artifact.unwrap();
            slugs(&after).iter().position(|slug| *slug == "new").unwrap() + 1
        })
    };
    assert_eq!(create(json!({})).unwrap(), 4);
    assert_eq!(create(json!({ "order": 1 })).unwrap(), 1);
    assert_eq!(create(json!({ "order": 4 })).unwrap(), 4);
    assert_eq!(create(json!({ "after_section": "what-is-it" })).unwrap(), 2);
    assert_eq!(create(json!({ "after_section": "what-is-it", "order": 2 })).unwrap(), 2);
    for wrong in [json!({ "after_section": "what-is-it", "order": 3 }), json!({ "order": 0 }), json!({ "order": 5 })] {
        assert_eq!(refused(create(wrong).unwrap_err()).0, Code::ValidationFailed);
    }
    assert_eq!(refused(create(json!({ "after_section": "nope" })).unwrap_err()).0, Code::SectionNotFound);
    let moved = |extra: serde_json::Value| {
        let mut op = json!({ "operation": "move_section", "artifact_slug": "concept", "section_slug": "what-is-it" });
        op.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        run(&artifact, None, person(), json!([op])).map(|applied| {
            // A move to the same position changes nothing.
            let after = applied.artifact.unwrap_or_else(|| artifact.clone());
            slugs(&after).iter().map(|slug| slug.chars().next().unwrap()).collect::<String>()
        })
    };
    assert_eq!(moved(json!({ "order": 3 })).unwrap(), "pcw");
    assert_eq!(moved(json!({ "order": 1 })).unwrap(), "wpc");
    assert_eq!(moved(json!({ "after_section": "problem-being-solved" })).unwrap(), "pwc");
    assert_eq!(moved(json!({ "after_section": "core-features", "order": 3 })).unwrap(), "pcw");
    for wrong in [
        json!({}),
        json!({ "after_section": "what-is-it" }),
        json!({ "order": 4 }),
        json!({ "after_section": "core-features", "order": 1 }),
    ] {
        assert!(moved(wrong).is_err());
    }
}

#[test]
fn a_renamed_section_keeps_id_done_mark_and_old_slug() {
    let artifact = made(CONCEPT);
    let after = applied(
        &artifact,
        json!([
            { "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it" },
            { "operation": "rename_section", "artifact_slug": "concept", "section_slug": "what-is-it", "title": "Definition of C#" },
            { "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "By the old name." },
        ]),
    );
    let section = &info(&after, &["what-is-it".to_owned()], Wish::Content).unwrap().sections[0];
    assert_eq!((section.slug.as_str(), section.title.as_str(), section.id), ("definition-of-c", "Definition of C#", 1));
    assert_eq!((section.is_done, section.content.as_deref()), (true, Some("By the old name.")));
    assert_eq!(section.aliases, ["what-is-it"]);
    for bad in ["", "  ", "two\nlines", &"x".repeat(201), "<!-- -->"] {
        let ops = json!([{ "operation": "rename_section", "artifact_slug": "concept", "section_slug": "what-is-it", "title": bad }]);
        assert_eq!(refused(run(&artifact, None, person(), ops).unwrap_err()).0, Code::ValidationFailed, "{bad}");
    }
}

#[test]
fn done_is_said_by_whom_it_was_said_and_a_later_change_shows() {
    let done = json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it", "is_done": true }]);
    let after = run(&made(CONCEPT), None, agent("claude"), done).unwrap().artifact.unwrap();
    let section = |artifact: &Artifact| info(artifact, &[], Wish::Outline).unwrap().sections[0].clone();
    assert_eq!(section(&after).done.unwrap().by, Actor::agent("claude"));
    assert!(section(&after).is_done && !section(&after).changed_since_done);
    let update = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "New." }]);
    let changed = applied(&after, update);
    assert!(section(&changed).is_done && section(&changed).changed_since_done);
    let undone = json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it", "is_done": false }]);
    let undone = applied(&changed, undone);
    assert_eq!(
        (section(&undone).is_done, section(&undone).changed_since_done, undone.counts()),
        (false, false, (0, 3))
    );
}

#[test]
fn two_writers_of_one_section_from_one_base_conflict_and_of_two_sections_do_not() {
    let artifact = made(CONCEPT);
    let write = |artifact: &Artifact, base, section: &str, who: &str| {
        let ops = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": section, "content": format!("by {who}") }]);
        run(artifact, Some(base), agent(who), ops)
    };
    let one = write(&artifact, 1, "what-is-it", "one").unwrap().artifact.unwrap();
    let error: OpError = write(&one, 1, "what-is-it", "two").unwrap_err().into();
    assert_eq!(error.code(), Code::Conflict);
    let detail = error.info.detail.unwrap();
    assert_eq!(
        (&detail["content"], &detail["base_revision"], &detail["newest"]),
        (&json!("by one"), &json!(1), &json!(2))
    );
    let two = write(&one, 1, "core-features", "two").unwrap().artifact.unwrap();
    assert!(two.markdown().contains("by one") && two.markdown().contains("by two"), "nothing is lost");
    assert!(write(&one, 2, "what-is-it", "two").is_ok(), "on the newest it goes");
    assert_eq!(refused(write(&one, 9, "what-is-it", "two").unwrap_err()).0, Code::RevisionNotFound);
    // One list may change a section twice without a conflict with itself.
    let ops = json!([
        { "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "a" },
        { "operation": "rename_section", "artifact_slug": "concept", "section_slug": "what-is-it", "title": "B" },
        { "operation": "delete_section", "artifact_slug": "concept", "section_slug": "b" },
    ]);
    assert_eq!(
        slugs(&run(&artifact, Some(1), person(), ops).unwrap().artifact.unwrap()),
        ["problem-being-solved", "core-features"]
    );
    let rename = |artifact: &Artifact, title: &str| {
        let ops = json!([{ "operation": "rename_section", "artifact_slug": "concept", "section_slug": "what-is-it", "title": title }]);
        run(artifact, Some(1), person(), ops)
    };
    let renamed = rename(&artifact, "X").unwrap().artifact.unwrap();
    assert_eq!(refused(rename(&renamed, "Y").unwrap_err()).0, Code::Conflict);
}

#[test]
fn windows_lines_and_tight_texts_stay_as_they_are() {
    let artifact = made("# T\r\n\r\n## A\r\none\r\n## B\r\ntwo\r\n");
    let ops =
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "a", "content": "x\ny" }]);
    assert_eq!(applied(&artifact, ops).markdown(), "# T\r\n\r\n## A\r\nx\r\ny\r\n\r\n## B\r\ntwo\r\n");
    let tight = made("a\n\nB\n---\nb\n\nC\n---\nc");
    let ops = json!([{ "operation": "delete_section", "artifact_slug": "concept", "section_slug": "b" }]);
    assert_eq!(applied(&tight, ops).markdown(), "a\n\nC\n---\nc");
    let ops = json!([{ "operation": "move_section", "artifact_slug": "concept", "section_slug": "c", "order": 1 }]);
    assert_eq!(applied(&tight, ops).markdown(), "a\n\nC\n---\nc\n\nB\n---\nb\n\n");
}
