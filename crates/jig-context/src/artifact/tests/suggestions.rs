//! Suggestions relative to the current section.

use jig_contract::ops::{ProposalState, SuggestedLineTag, SuggestionInfo};
use jig_contract::{Actor, Code, SuggestionId, Timestamp};
use serde_json::json;

use super::super::*;
use super::fixtures::*;

fn suggested(artifact: &Artifact, content: Option<&str>) -> SuggestionInfo {
    let ops = json!([{ "operation": "suggest_edit", "artifact_slug": "concept", "section_slug": "core-features",
                       "suggestion": "Say three", "content": content }]);
    let edit = run(artifact, None, agent("a"), ops).unwrap().edits.remove(0);
    let id = SuggestionId::new("0190b6c2-7d3e-7000-8000-000000000001").unwrap();
    let section = (edit.section_id, edit.section_slug.clone());
    edit.suggestion.unwrap().suggestion(artifact, section, id, Actor::agent("a"), Timestamp::from_millis(5))
}

#[test]
fn a_suggestion_shows_what_it_would_change_and_conflicts_when_the_section_moved() {
    let artifact = made(CONCEPT);
    let suggestion = suggested(&artifact, Some("- one\n- three"));
    assert_eq!(suggestion_from_json(&suggestion_to_json(&suggestion)).unwrap(), suggestion);
    let seen = as_seen(&suggestion, Some(&artifact));
    let lines: Vec<(SuggestedLineTag, &str)> = seen.diff.iter().map(|line| (line.tag, line.text.as_str())).collect();
    use SuggestedLineTag::{Added, Context, Removed};
    assert_eq!(lines, [(Context, "- one"), (Removed, "- two"), (Added, "- three")]);
    assert!(!seen.conflict);
    let (section, content) = accept_suggestion(&suggestion, &artifact, None, None).unwrap();
    assert_eq!((section.as_str(), content.as_deref()), ("core-features", Some("- one\n- three")));

    // A change of another section or of the title does not matter; a changed text does.
    let renamed = applied(
        &artifact,
        json!([
        { "operation": "rename_section", "artifact_slug": "concept", "section_slug": "core-features", "title": "Features" },
        { "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "x" }]),
    );
    let seen = as_seen(&suggestion, Some(&renamed));
    assert_eq!((seen.section_slug.as_str(), seen.conflict), ("features", false));
    let moved = applied(
        &renamed,
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "features", "content": "- zero" }]),
    );
    assert!(as_seen(&suggestion, Some(&moved)).conflict && as_seen(&suggestion, None).conflict);
    let error = accept_suggestion(&suggestion, &moved, None, None).unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert_eq!(error.info.detail.as_ref().unwrap()["content"], "- zero");
    assert!(accept_suggestion(&suggestion, &moved, None, Some(moved.revision())).is_ok());
    assert_eq!(accept_suggestion(&suggestion, &moved, None, Some(1)).unwrap_err().code(), Code::Conflict);
    let gone = applied(
        &moved,
        json!([{ "operation": "delete_section", "artifact_slug": "concept", "section_slug": "features" }]),
    );
    assert_eq!(accept_suggestion(&suggestion, &gone, None, None).unwrap_err().code(), Code::SectionNotFound);
}

#[test]
fn a_decision_is_made_once_and_advice_without_a_text_changes_nothing() {
    let artifact = made(CONCEPT);
    let advice = suggested(&artifact, None);
    assert_eq!(as_seen(&advice, Some(&artifact)).diff, []);
    assert_eq!(accept_suggestion(&advice, &artifact, None, None).unwrap().1, None);
    assert_eq!(
        accept_suggestion(&advice, &artifact, Some("mine".to_owned()), None).unwrap().1.as_deref(),
        Some("mine")
    );
    let rejected =
        reject_suggestion(&advice, Actor::person(), Timestamp::from_millis(9), Some("no".to_owned())).unwrap();
    assert_eq!((rejected.state, rejected.decision_reason.as_deref()), (ProposalState::Rejected, Some("no")));
    assert_eq!(accept_suggestion(&rejected, &artifact, None, None).unwrap_err().code(), Code::Conflict);
    assert!(reject_suggestion(&rejected, Actor::person(), Timestamp::from_millis(9), None).is_err());
}
