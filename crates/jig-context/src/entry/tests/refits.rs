//! Changing kinds: what no longer fits is reported, and nothing is dropped.

use jig_contract::Actor;
use serde_json::{Value, json};

use super::fixtures::{agent, at, by, given, kind, made, write};
use crate::entry::{Entry, Put, field, next_version, put, refit, report, restore};

#[test]
fn values_of_a_removed_field_are_kept_aside_and_come_back() {
    let entry = write(
        "brand",
        None,
        Put { author: agent(), ..given(json!({"name": "Acme", "tagline": "Ropes", "voice": "Plain"})) },
    )
    .unwrap();
    let mut without = kind("brand").clone();
    without.field_schema.fields.retain(|field| field.key != "tagline");
    let without = next_version(Some(kind("brand")), without).unwrap();
    let fitted = refit(&without, &entry, Actor::person(), at(5), Some("h1".into())).unwrap();
    assert_eq!(Value::Object(fitted.entry.data()), json!({"name": "Acme", "voice": "Plain"}));
    assert_eq!((fitted.entry.revision(), fitted.entry.kind_version), (2, 2));
    let told = report(std::slice::from_ref(&fitted));
    assert_eq!((told.checked, told.set_aside.len(), told.misfits.len()), (1, 1, 0));
    assert_eq!((told.set_aside[0].field.as_str(), &told.set_aside[0].value), ("tagline", &json!("Ropes")));

    let stored = Entry::from_json(&fitted.entry.to_json(&without)).unwrap();
    assert_eq!(stored, fitted.entry, "what is kept aside is in the file");
    assert!(field(&without, "tagline").is_none());
    let changed = put(&without, Some(&stored), given(json!({"name": "Globex"}))).unwrap();

    let with = next_version(Some(&without), kind("brand").clone()).unwrap();
    let back = refit(&with, &changed, Actor::person(), at(9), Some("h2".into())).unwrap();
    assert_eq!(Value::Object(back.entry.data()), json!({"name": "Globex", "tagline": "Ropes", "voice": "Plain"}));
    assert_eq!(back.brought_back.len(), 1);
    assert!(back.entry.kept_aside.is_empty());
    let tagline = back.entry.document.part("tagline").unwrap();
    let now = back.entry.document.revision.number;
    assert_eq!((tagline.changed, back.entry.document.changed), (now, now), "it is news for whoever saw it go");
    assert_eq!((&tagline.provenance.by, tagline.provenance.at), (&agent(), at(0)), "with where it came from");
}

#[test]
fn values_that_no_longer_fit_stay_and_are_told() {
    let entry = made("brand", json!({"name": "Acme", "voice": "x".repeat(600)}));
    let mut shorter = kind("brand").clone();
    for field in shorter.field_schema.fields.iter_mut().filter(|field| field.key == "voice") {
        field.field_type = jig_contract::ops::FieldType::Text;
    }
    let fitted = refit(&shorter, &entry, Actor::person(), at(1), None).unwrap();
    assert_eq!(fitted.entry.data(), entry.data());
    assert_eq!((fitted.misfits.len(), fitted.misfits[0].field.as_str()), (1, "voice"));
    let other = put(&shorter, Some(&fitted.entry), given(json!({"name": "B"}))).unwrap();
    assert_eq!(other.data()["voice"], entry.data()["voice"], "until somebody writes the field");
    assert!(put(&shorter, Some(&other), given(json!({"voice": "x".repeat(600)}))).is_err());
}

#[test]
fn an_old_revision_is_fitted_to_the_kind_as_it_is_now() {
    let first = made("brand", json!({"name": "Acme", "tagline": "Ropes"}));
    let mut without = kind("brand").clone();
    without.field_schema.fields.retain(|field| field.key != "tagline");
    let head = put(&without, Some(&first), given(json!({"name": "Globex", "tagline": null})));
    assert!(head.is_err(), "the field is not known any more");
    let head = refit(&without, &first, Actor::person(), at(1), None).unwrap().entry;
    let head = put(&without, Some(&head), given(json!({"name": "Globex"}))).unwrap();
    let restored = restore(&without, &head, &first, &by(Actor::person(), 2)).unwrap();
    assert_eq!(Value::Object(restored.data()), json!({"name": "Acme"}));
    assert_eq!(restored.kept_aside.len(), 1);
}
