//! Proposals: created, compared with a changing entry, partly accepted, rejected.

use jig_contract::ops::{ProposalInfo, ProposalOrigin, ProposalState, ProposedField};
use jig_contract::{Actor, Code, OpError, ProposalId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::fixtures::{agent, at, given, kind, made, write};
use crate::document::{DocumentId, Key};
use crate::entry::{
    Accepting, Entry, EntryError, NewProposal, accept, as_seen, proposal_from_json, proposal_path, proposal_to_json,
    propose, reject,
};
use crate::extract::by_rules;

fn value(field: &str, value: Value) -> ProposedField {
    ProposedField {
        field: field.into(),
        value,
        quote: None,
        quote_found: None,
        confidence: Some(0.9),
        current: None,
        conflict: false,
        state: ProposalState::Pending,
    }
}

fn proposal(fields: Vec<ProposedField>, entry: Option<&Entry>) -> ProposalInfo {
    let new = NewProposal {
        id: ProposalId::new("0190b6c2-7d3e-7000-8000-000000000001").unwrap(),
        origin: ProposalOrigin::Extraction,
        role: "brand".into(),
        key: Key::singleton(),
        display_name: None,
        fields,
        by: agent(),
        at: at(1),
        model_id: Some("m".into()),
        sources: vec![jig_contract::ops::EntrySource::Text],
        recipe: None,
        job_id: None,
        reason: None,
        warnings: Vec::new(),
    };
    propose(new, entry)
}

fn accepting(fields: &[&str], base_revision: Option<u64>) -> Accepting {
    Accepting {
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        base_revision,
        author: Actor::person(),
        at: at(2),
        fresh_id: DocumentId(Uuid::from_u128(9)),
        previous: None,
    }
}

fn take(
    entry: Option<&Entry>,
    proposal: &ProposalInfo,
    accepting: Accepting,
) -> Result<(Entry, ProposalInfo), EntryError> {
    accept(kind("brand"), entry, proposal, accepting)
}

#[test]
fn all_of_it_makes_an_entry_with_its_provenance() {
    let made = proposal(vec![value("name", json!("Acme")), value("voice", json!("Plain"))], None);
    assert_eq!(made.base_revision, 0);
    let (entry, after) = take(None, &made, accepting(&[], None)).unwrap();
    assert_eq!(Value::Object(entry.data()), json!({"name": "Acme", "voice": "Plain"}));
    assert_eq!((after.state, after.decided_by.clone()), (ProposalState::Accepted, Some(Actor::person())));
    let part = entry.document.part("name").unwrap();
    assert_eq!((&part.provenance.by, part.provenance.origin.model_id.as_deref()), (&Actor::person(), Some("m")));
    let error = OpError::from(take(Some(&entry), &after, accepting(&[], None)).unwrap_err());
    assert_eq!(error.code(), Code::Conflict, "it was decided");
}

#[test]
fn some_of_it_leaves_the_rest_waiting() {
    let made = proposal(vec![value("name", json!("Acme")), value("voice", json!("Plain"))], None);
    let (entry, after) = take(None, &made, accepting(&["voice"], None)).unwrap();
    assert_eq!((Value::Object(entry.data()), after.state), (json!({"voice": "Plain"}), ProposalState::Pending));
    let again = take(Some(&entry), &after, accepting(&["voice"], None)).unwrap_err();
    assert_eq!(OpError::from(again).code(), Code::ValidationFailed, "voice waits no longer");
    let refused = reject(&after, Actor::person(), at(3), Some("no".into())).unwrap();
    assert_eq!((refused.state, refused.fields[0].state), (ProposalState::Accepted, ProposalState::Rejected));
    let none = reject(&made, Actor::person(), at(3), None).unwrap();
    assert_eq!(none.state, ProposalState::Rejected);
    assert!(reject(&none, Actor::person(), at(4), None).is_err());
}

#[test]
fn a_field_that_moved_is_a_conflict_and_is_not_applied() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let made = proposal(vec![value("voice", json!("Bold")), value("tagline", json!("Ropes"))], Some(&entry));
    assert_eq!(made.fields[0].current, Some(json!("Plain")));
    let other = write("brand", Some(&entry), given(json!({"name": "Globex"}))).unwrap();
    assert!(!as_seen(&made, Some(&other)).conflict, "another field moved");
    let moved = write("brand", Some(&other), given(json!({"voice": "Warm"}))).unwrap();
    let seen = as_seen(&made, Some(&moved));
    assert_eq!((seen.conflict, seen.fields[0].conflict, seen.fields[1].conflict), (true, true, false));
    assert_eq!(seen.fields[0].current, Some(json!("Warm")));
    let error = OpError::from(take(Some(&moved), &made, accepting(&[], None)).unwrap_err());
    assert_eq!((error.code(), error.info.detail.unwrap()["fields"].clone()), (Code::Conflict, json!(["voice"])));
    assert!(take(Some(&moved), &made, accepting(&["tagline"], None)).is_ok(), "the field that did not move");
    assert!(take(Some(&moved), &made, accepting(&[], Some(2))).is_err(), "an old base");
    let (forced, _) = take(Some(&moved), &made, accepting(&[], Some(3))).unwrap();
    assert_eq!(forced.data()["voice"], json!("Bold"));
}

#[test]
fn a_value_that_went_or_an_entry_that_came_is_a_conflict() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let on_value = proposal(vec![value("voice", json!("Bold"))], Some(&entry));
    let without = write("brand", Some(&entry), given(json!({"voice": null}))).unwrap();
    assert!(as_seen(&on_value, Some(&without)).conflict);
    let on_entry = proposal(vec![value("tagline", json!("x"))], Some(&entry));
    assert!(
        as_seen(&on_entry, None).conflict && take(None, &on_entry, accepting(&[], None)).is_err(),
        "it was deleted"
    );
    let on_nothing = proposal(vec![value("name", json!("Bolt"))], None);
    assert!(as_seen(&on_nothing, Some(&entry)).conflict);
    assert!(take(Some(&entry), &on_nothing, accepting(&[], None)).is_err());
}

#[test]
fn extraction_over_a_persons_words_only_proposes() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let found = by_rules(kind("brand"), "Brand Voice: Loud\nTagline: Ropes\n");
    let made = proposal(found.fields, Some(&entry));
    assert_eq!(Value::Object(entry.data()), json!({"name": "Acme", "voice": "Plain"}));
    let seen = as_seen(&made, Some(&entry));
    let shown: Vec<(&str, Option<&Value>)> =
        seen.fields.iter().map(|f| (f.field.as_str(), f.current.as_ref())).collect();
    assert_eq!(shown, [("tagline", None), ("voice", Some(&json!("Plain")))]);
}

#[test]
fn values_are_checked_again_by_the_kind_as_it_is() {
    let bad = proposal(vec![value("name", json!(5)), value("nothing", json!("x"))], None);
    let error = OpError::from(take(None, &bad, accepting(&[], None)).unwrap_err());
    assert_eq!(
        (error.code(), error.info.detail.unwrap()["fields"].as_array().unwrap().len()),
        (Code::ValidationFailed, 2)
    );
}

#[test]
fn a_proposal_can_take_a_value_away() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let (after, _) =
        take(Some(&entry), &proposal(vec![value("voice", Value::Null)], Some(&entry)), accepting(&[], None)).unwrap();
    assert_eq!(Value::Object(after.data()), json!({"name": "Acme"}));
}

#[test]
fn its_file_is_read_as_it_was_written() {
    let made = proposal(vec![value("name", json!("Acme"))], None);
    assert_eq!(proposal_from_json(&proposal_to_json(&made)), Ok(made.clone()));
    assert_eq!(proposal_path(&made.id), "meta/proposals/0190b6c2-7d3e-7000-8000-000000000001.json");
    assert!(proposal_from_json(b"{}").is_err());
}
