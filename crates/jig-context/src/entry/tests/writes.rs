//! Writes: bases, merge and replace, done marks, archiving, restoring, the file format and permissions.

use jig_contract::ops::{EntryState, FieldChange, FieldChangeKind, PutMode};
use jig_contract::{Actor, Code, OpError};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::fixtures::{HOUR, agent, at, by, given, keyed, kind, made, write};
use crate::document::{Address, Key, KindName, Origin, RevisionNumber, Source};
use crate::entry::{
    Decision, DoneMark, Entry, EntryError, Put, archive, changes, decide, info, mark_done, path_of, rank, restore,
    shipped_kinds, touched,
};

fn code(error: EntryError) -> Code {
    OpError::from(error).code()
}

#[test]
fn two_saves_from_one_base_are_a_conflict() {
    let first = Put { base_revision: Some(0), ..given(json!({"name": "Acme"})) };
    let entry = write("brand", None, first.clone()).unwrap();
    assert_eq!((entry.revision(), entry.document.title.as_str()), (1, "Brand Identity"));
    let error = OpError::from(write("brand", Some(&entry), first).unwrap_err());
    assert_eq!((error.code(), error.info.detail.unwrap()["newest"].clone()), (Code::Conflict, json!(1)));
    let on = |base| Put { base_revision: Some(base), ..given(json!({"tagline": "x"})) };
    let second = write("brand", Some(&entry), on(1)).unwrap();
    assert_eq!(second.revision(), 2);
    assert_eq!(code(write("brand", Some(&second), on(1)).unwrap_err()), Code::Conflict);
    assert_eq!(code(write("brand", Some(&second), on(9)).unwrap_err()), Code::RevisionNotFound);
    assert_eq!(code(write("brand", None, on(2)).unwrap_err()), Code::Conflict, "it was deleted meanwhile");
}

#[test]
fn merge_changes_what_is_named_and_replace_the_rest_too() {
    let entry = made("brand", json!({"voice": "Plain", "name": "Acme", "colors": ["red"]}));
    assert_eq!(entry.data().keys().collect::<Vec<_>>(), ["name", "voice", "colors"], "the kind's order");
    let merged =
        write("brand", Some(&entry), given(json!({"name": "Acme 2", "colors": null, "tagline": null}))).unwrap();
    assert_eq!(Value::Object(merged.data()), json!({"name": "Acme 2", "voice": "Plain"}));
    let put = Put { mode: PutMode::Replace, ..given(json!({"name": "Acme 3", "voice": null})) };
    let replaced = write("brand", Some(&merged), put).unwrap();
    assert_eq!(Value::Object(replaced.data()), json!({"name": "Acme 3"}));
    let change = |field: &str, change| FieldChange { field: field.into(), change };
    assert_eq!(
        changes(Some(&merged), &replaced),
        [change("name", FieldChangeKind::Changed), change("voice", FieldChangeKind::Removed)]
    );
    assert_eq!(changes(None, &replaced), [change("name", FieldChangeKind::Added)]);
    let data = json!({"name": "x", "tagline": null, "colors": null});
    let touches = |mode| Value::Object(touched(Some(&entry), data.as_object().unwrap(), mode));
    assert_eq!(touches(PutMode::Merge), json!({"name": "x", "colors": null}));
    assert_eq!(touches(PutMode::Replace), json!({"name": "x", "colors": null, "voice": null}));
}

#[test]
fn a_write_that_says_nothing_makes_no_revision() {
    let entry = made("brand", json!({"name": "Acme"}));
    assert_eq!(write("brand", Some(&entry), given(json!({}))).unwrap(), entry);
    let titled = Put { display_name: Some("Our brand".into()), ..given(json!({})) };
    assert_eq!(write("brand", Some(&entry), titled).unwrap().revision(), 2);
}

#[test]
fn wrong_values_are_told_and_nothing_is_saved() {
    let error = OpError::from(write("brand", None, given(json!({"name": 1, "voise": "x"}))).unwrap_err());
    assert_eq!(error.code(), Code::ValidationFailed);
    let fields = error.info.detail.unwrap()["fields"].clone();
    assert_eq!((fields[0]["field"].clone(), fields[1]["suggestions"][0].clone()), (json!("name"), json!("voice")));
    assert!(write("brand", None, keyed("acme", json!({"name": "x"}))).is_err(), "a singleton has no key");
    assert!(write("competitor", None, given(json!({"name": "x"}))).is_err(), "one of many has one");
}

#[test]
fn three_competitors_are_three_and_their_order_is_stable() {
    let mut entries: Vec<Entry> = ["globex", "acme", "initech"]
        .iter()
        .map(|key| write("competitor", None, keyed(key, json!({"name": key.to_uppercase()}))).unwrap())
        .collect();
    entries.push(made("brand", json!({"name": "x"})));
    entries.push(made("problem", json!({"statement": "x"})));
    entries.sort_by_key(|entry| rank(shipped_kinds(), entry.document.kind.as_str(), entry.document.key.as_str()));
    let names: Vec<String> = entries.iter().map(|entry| entry.document.address().to_string()).collect();
    assert_eq!(names, ["@problem", "@brand", "@competitor:acme", "@competitor:globex", "@competitor:initech"]);
    assert_eq!(entries[2].document.title, "ACME");
    let path = |kind: &str, key: &str| path_of(&KindName::new(kind).unwrap(), &Key::new(key).unwrap());
    assert_eq!(path("brand", ""), "meta/documents/entries/brand/_.json");
    assert_eq!(path("competitor", "acme"), "meta/documents/entries/competitor/acme.json");
}

#[test]
fn blanks_are_not_filled_and_numbers_are_kept_apart() {
    let entry = made("customer", json!({"description": " \u{200b}\n", "pain_points": ["", " "], "goals": ["x"]}));
    let seen = info(kind("customer"), &entry, &[], None, &[], at(0)).unwrap();
    assert_eq!((seen.filled, seen.parts, seen.completeness, seen.done), (1, 6, 0.0, 0));
    assert_eq!(seen.missing, ["description", "pain_points"]);
    let half = made("customer", json!({"description": "SMB"}));
    assert_eq!(info(kind("customer"), &half, &[], None, &[], at(0)).unwrap().completeness, 0.5);
    let mut free = kind("brand").clone();
    free.field_schema.fields.iter_mut().for_each(|field| field.required = false);
    let seen = info(&free, &made("brand", json!({})), &[], None, &[], at(0)).unwrap();
    assert_eq!((seen.completeness, seen.no_requirements), (1.0, true));
}

#[test]
fn a_view_has_the_fields_that_are_asked_for() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let of = |fields: &[&str]| {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        info(kind("brand"), &entry, &fields, Some(0), &[], at(1))
    };
    let seen = of(&["voice", "tagline"]).unwrap();
    assert_eq!((Value::Object(seen.data), seen.fields.len()), (json!({"voice": "Plain"}), 1));
    assert_eq!(seen.staleness.outdated_view.map(|view| (view.seen, view.newest)), Some((0, 1)));
    let error = OpError::from(of(&["voise"]).unwrap_err());
    assert_eq!((error.code(), error.info.suggestions), (Code::ValidationFailed, vec!["voice".to_owned()]));
}

#[test]
fn done_is_said_by_people_and_a_later_change_shows() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let done = mark_done(kind("brand"), &entry, "voice", DoneMark::Done, &by(Actor::person(), 1)).unwrap();
    let suggested = mark_done(kind("brand"), &done, "name", DoneMark::Done, &by(agent(), 1)).unwrap();
    let changed = write("brand", Some(&suggested), given(json!({"voice": "Warm"}))).unwrap();
    let seen = info(kind("brand"), &changed, &[], None, &[], at(1)).unwrap();
    assert_eq!((seen.done, seen.done_suggested, seen.changed_since_done), (1, 1, 1));
    let undone = mark_done(kind("brand"), &changed, "voice", DoneMark::NotDone, &by(Actor::person(), 2)).unwrap();
    assert_eq!(info(kind("brand"), &undone, &[], None, &[], at(1)).unwrap().done, 0);
    let none = mark_done(kind("brand"), &entry, "tagline", DoneMark::Done, &by(Actor::person(), 1)).unwrap_err();
    assert_eq!(code(none), Code::ValidationFailed);
}

#[test]
fn archive_and_restore_are_writes_that_lose_nothing() {
    let first = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let second = write("brand", Some(&first), given(json!({"name": "Globex", "voice": null}))).unwrap();
    let archived = archive(kind("brand"), &second, EntryState::Archived, &by(Actor::person(), 1)).unwrap();
    assert_eq!((archived.state, archived.revision()), (EntryState::Archived, 3));
    assert_eq!(archive(kind("brand"), &archived, EntryState::Archived, &by(Actor::person(), 2)).unwrap(), archived);
    let restored = restore(kind("brand"), &archived, &first, &by(Actor::person(), 2)).unwrap();
    assert_eq!(restored.data(), first.data());
    assert_eq!(
        (restored.state, restored.revision(), restored.previous.as_deref()),
        (EntryState::Archived, 4, Some("hash"))
    );
    assert_eq!(restored.document.revision.reason, "restored revision 1");
    let mut late = by(Actor::person(), 3);
    late.base_revision = Some(2);
    assert_eq!(code(restore(kind("brand"), &restored, &first, &late).unwrap_err()), Code::Conflict);
}

#[test]
fn an_insight_expires_by_its_content_alone() {
    let digest = made("trend_digest", json!({"summary": "x"}));
    let ttl = i64::from(kind("trend_digest").ttl_hours.unwrap());
    let expired = |entry: &Entry, millis: i64| {
        let now = jig_contract::Timestamp::from_millis(at(0).as_millis() + millis);
        info(kind("trend_digest"), entry, &[], None, &[], now).unwrap().staleness.expired
    };
    assert_eq!(expired(&digest, ttl * HOUR), None, "at the very hour it is not yet");
    assert_eq!(expired(&digest, ttl * HOUR + 1).unwrap().hours_over, 0);
    let titled = Put { display_name: Some("Other".into()), at: at(ttl), ..given(json!({})) };
    let titled = write("trend_digest", Some(&digest), titled).unwrap();
    assert!(expired(&titled, ttl * HOUR + HOUR).is_some(), "a new title is not new content");
    let again = Put { at: at(ttl), ..given(json!({"summary": "x"})) };
    let again = write("trend_digest", Some(&digest), again).unwrap();
    assert!(expired(&again, ttl * HOUR + HOUR).is_some(), "saving it as it is makes nothing younger");
    assert_eq!(again, digest);
    let renewed = Put { at: at(ttl), ..given(json!({"summary": "y"})) };
    let renewed = write("trend_digest", Some(&digest), renewed).unwrap();
    assert_eq!(expired(&renewed, ttl * HOUR + HOUR), None);
}

#[test]
fn a_source_that_changed_is_told() {
    let brand = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let source = |part: &str| Source::Document { address: Address::parse(part).unwrap(), revision: RevisionNumber(1) };
    let origin = Origin { model_id: Some("m".into()), sources: vec![source("@brand#voice"), source("@brand#name")] };
    let digest = write("trend_digest", None, Put { origin, ..given(json!({"summary": "x"})) }).unwrap();
    let newer = |brand: &Entry| {
        let documents = [brand.document.clone()];
        info(kind("trend_digest"), &digest, &[], None, &documents, at(0)).unwrap().staleness.newer_sources
    };
    assert_eq!(newer(&brand), []);
    let changed = write("brand", Some(&brand), given(json!({"voice": "Warm"}))).unwrap();
    let told = newer(&changed);
    assert_eq!(
        (told.len(), told[0].address.as_str(), told[0].used, told[0].changed_in),
        (1, "@brand#voice", 1, Some(2))
    );
}

#[test]
fn agents_write_working_kinds_and_propose_the_rest() {
    let propose = |decision: Decision| matches!(decision, Decision::Propose { .. });
    assert!(propose(decide(kind("brand"), None, &["name"], &agent())));
    assert!(propose(decide(kind("brand"), None, &["name"], &Actor::System)));
    assert_eq!(decide(kind("brand"), None, &["name"], &Actor::person()), Decision::Write);
    assert_eq!(decide(kind("competitor"), None, &["name"], &agent()), Decision::Write);
    let by_agent = write(
        "competitor",
        None,
        Put { author: agent(), ..keyed("acme", json!({"name": "A", "website": "https://a.example"})) },
    )
    .unwrap();
    assert_eq!(decide(kind("competitor"), Some(&by_agent), &["name"], &agent()), Decision::Write);
    let touched = write("competitor", Some(&by_agent), keyed("acme", json!({"name": "B"}))).unwrap();
    assert!(propose(decide(kind("competitor"), Some(&touched), &["website", "name"], &agent())));
    assert_eq!(decide(kind("competitor"), Some(&touched), &["website", "strengths"], &agent()), Decision::Write);
    let done = mark_done(kind("competitor"), &touched, "website", DoneMark::Done, &by(Actor::person(), 1)).unwrap();
    assert!(propose(decide(kind("competitor"), Some(&done), &["website"], &agent())));
    let mut newer = kind("competitor").clone();
    newer.tier = Some("sandbox".into());
    assert!(propose(decide(&newer, None, &["name"], &agent())));
}

#[test]
fn the_file_is_canonical_and_keeps_what_it_does_not_know() {
    let entry = made("brand", json!({"name": "Acme", "voice": "Plain"}));
    let entry = mark_done(kind("brand"), &entry, "voice", DoneMark::Done, &by(Actor::person(), 1)).unwrap();
    let bytes = entry.to_json(kind("brand"));
    let mut value: Map<String, Value> = serde_json::from_slice(&bytes).unwrap();
    let top = ["completeness", "data", "family", "id", "key", "kind", "revision", "state", "title", "updated_at"];
    for name in top {
        assert!(value.contains_key(name), "{name}");
    }
    assert_eq!((value["family"].clone(), value["revision"].clone()), (json!("entries"), json!(2)));
    assert_eq!(String::from_utf8_lossy(&bytes).matches("Plain").count(), 1, "values are stored once");
    assert!(value.keys().is_sorted());
    assert_eq!(Entry::from_json(&bytes).unwrap(), entry);
    value.insert("from_the_future".into(), json!({"b": 1, "a": [2]}));
    let newer = Entry::from_json(&serde_json::to_vec(&value).unwrap()).unwrap();
    let again: Value = serde_json::from_slice(&newer.to_json(kind("brand"))).unwrap();
    assert_eq!(again["from_the_future"], json!({"a": [2], "b": 1}));
    assert!(Entry::from_json(b"{}").is_err() && Entry::from_json(b"[").is_err());
}

#[test]
fn a_value_whose_history_is_damaged_belongs_to_a_person() {
    let entry = write(
        "competitor",
        None,
        Put { author: agent(), ..keyed("acme", json!({"name": "A", "website": "https://a.example"})) },
    )
    .unwrap();
    let mut value: Value = serde_json::from_slice(&entry.to_json(kind("competitor"))).unwrap();
    value["parts"][0]["provenance"]["by"] = json!({"type": "robot"});
    let damaged = Entry::from_json(&serde_json::to_vec(&value).unwrap()).unwrap();
    assert_eq!(damaged.data(), entry.data());
    assert!(matches!(decide(kind("competitor"), Some(&damaged), &["name"], &agent()), Decision::Propose { .. }));
    assert_eq!(decide(kind("competitor"), Some(&damaged), &["website"], &agent()), Decision::Write);
}

fn any_put() -> impl Strategy<Value = (Value, bool)> {
    let value = prop_oneof![Just(Value::Null), "[a-z ]{0,6}".prop_map(Value::from)];
    let list =
        prop_oneof![Just(Value::Null), proptest::collection::vec("[a-z]{0,3}", 0..4).prop_map(|list| json!(list))];
    let data = (value.clone(), value, list)
        .prop_map(|(name, voice, colors)| json!({"name": name, "voice": voice, "colors": colors}));
    (data, any::<bool>())
}

proptest! {
    #[test]
    fn any_sequence_of_writes_keeps_numbers_and_files_right(puts in proptest::collection::vec(any_put(), 1..12)) {
        let mut entry: Option<Entry> = None;
        for (hours, (data, replace)) in (0..).zip(puts) {
            let mode = if replace { PutMode::Replace } else { PutMode::Merge };
            let before = entry.as_ref().map_or(0, Entry::revision);
            let next = write("brand", entry.as_ref(), Put { mode, at: at(hours), base_revision: Some(before), ..given(data.clone()) }).unwrap();
            prop_assert!(next.revision() == before + 1 || Some(&next) == entry.as_ref());
            for (field, value) in data.as_object().unwrap() {
                prop_assert_eq!(next.data().get(field).cloned(), Some(value.clone()).filter(|value| !value.is_null()));
            }
            let seen = info(kind("brand"), &next, &[], None, &[], at(hours)).unwrap();
            prop_assert_eq!(seen.completeness, if seen.missing.is_empty() { 1.0 } else { 0.0 });
            prop_assert_eq!(seen.parts, 6);
            let bytes = next.to_json(kind("brand"));
            let read = Entry::from_json(&bytes).unwrap();
            prop_assert_eq!(&read, &next);
            prop_assert_eq!(read.to_json(kind("brand")), bytes);
            entry = Some(next);
        }
    }
}
