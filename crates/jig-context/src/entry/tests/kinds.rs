//! Kind definitions: what is accepted and what is refused.

use jig_contract::Code;
use jig_contract::ops::{FieldType, KindCategory, KindDefinition};
use serde_json::{Value, json};

use crate::definition::{to_json, to_yaml};
use crate::entry::{
    Tier, all_kinds, as_document_kind, check_change, field, fields, find_kind, key_for, next_version, no_entry,
    read_kind, shipped_kind, shipped_kinds, tier_of,
};

const SEED: &str = r#"
anchor_role: brand
display_name: "Brand Identity"
category: "foundation"
is_singleton: true
field_schema:
  fields:
    - key: "name"
      type: "text"
      label: "Brand Name"
      required: true
      placeholder: "Your company or product name"
    - key: "logo"
      type: "asset"
      label: "Logo"
      accept: "image/*"   # by content
    - key: "colors"
      type: "array"
      label: "Brand Colors"
      item_type: "text"
"#;

#[expect(clippy::needless_pass_by_value, reason = "definitions are written where they are used")]
fn refusals(definition: Value) -> Vec<String> {
    read_kind(&definition).unwrap_err().iter().map(ToString::to_string).collect()
}

/// A valid definition with one field replaced.
#[expect(clippy::needless_pass_by_value, reason = "definitions are written where they are used")]
fn with_field(field: Value) -> Value {
    json!({"anchor_role": "partner", "display_name": "Partner", "category": "market", "field_schema": {"fields": [field]}})
}

fn with(name: &str, value: Value) -> Value {
    let mut definition = with_field(json!({"key": "name", "type": "text", "label": "Name"}));
    definition[name] = value;
    definition
}

#[test]
fn the_seeds_yaml_is_read_and_written_back() {
    let kind = read_kind(&json!(SEED)).unwrap();
    assert_eq!(
        (kind.anchor_role.as_str(), kind.category, kind.is_singleton),
        ("brand", KindCategory::Foundation, true)
    );
    let types: Vec<FieldType> = kind.field_schema.fields.iter().map(|field| field.field_type).collect();
    assert_eq!(types, [FieldType::Text, FieldType::Asset, FieldType::Array]);
    assert_eq!(read_kind(&json!(to_yaml(&kind))), Ok(kind));
}

#[test]
fn a_workbenchs_own_kinds_stand_among_the_shipped_ones() {
    let mut brand = shipped_kind("brand").unwrap().clone();
    (brand.order, brand.version) = (Some(0), 2);
    let own = read_kind(&with("order", json!(5))).unwrap();
    let kinds = all_kinds(vec![own, brand]);
    let names: Vec<&str> = kinds.iter().map(|kind| kind.anchor_role.as_str()).collect();
    assert_eq!(
        (names.len(), &names[..6]),
        (11, &["brand", "problem", "customer", "vision", "partner", "competitor"][..])
    );
    assert_eq!(kinds[0].version, 2);
    let stored: KindDefinition = serde_json::from_slice(&to_json(&kinds[0])).unwrap();
    assert_eq!(stored, kinds[0]);
}

#[test]
fn ten_kinds_are_shipped_in_their_order() {
    let names: Vec<&str> = shipped_kinds().iter().map(|kind| kind.anchor_role.as_str()).collect();
    let expected = [
        "problem",
        "customer",
        "vision",
        "brand",
        "competitor",
        "trend",
        "reference",
        "trend_digest",
        "competitor_snapshot",
        "content_calendar",
    ];
    assert_eq!(names, expected);
    let brand: Vec<String> = fields(shipped_kind("brand").unwrap()).into_iter().map(|field| field.key).collect();
    assert_eq!(brand, ["name", "tagline", "voice", "logo", "colors", "guidelines_doc"]);
    for kind in shipped_kinds() {
        assert!(as_document_kind(kind).is_ok());
        let foundation = kind.category == KindCategory::Foundation && kind.anchor_role != "brand";
        let required = fields(kind).iter().filter(|field| field.required).count();
        assert!(required >= if foundation { 2 } else { 1 }, "{}", kind.anchor_role);
    }
    for role in ["trend_digest", "competitor_snapshot", "content_calendar"] {
        let kind = shipped_kind(role).unwrap();
        assert!(kind.ttl_hours.is_some() && kind.produced_by.is_some(), "{role}");
    }
}

#[test]
fn every_broken_rule_is_told_with_its_place() {
    let cases = [
        (json!("a: ["), "invalid YAML"),
        (json!([1]), "the definition must be a map"),
        (with("anchor_role", json!("Partner")), "`anchor_role`: `Partner` is not a valid name"),
        (with("anchor_role", json!("xmlthing")), "XML keeps those"),
        (with("anchor_role", json!("situation")), "means something else already"),
        (with("anchor_role", json!("../x")), "is not a valid name"),
        (with("display_name", json!("")), "`display_name`: it is missing or empty"),
        (with("display_name", json!("x".repeat(201))), "at most 200"),
        (with("category", json!("markets")), "did you mean `market`?"),
        (with("category", Value::Null), "`category`: it must be one of"),
        (with("ttl_hours", json!(0)), "`ttl_hours`: it must be a whole number from 1 to"),
        (with("ttl_hours", json!(1.5)), "whole number"),
        (with("tier", json!("basement")), "`tier`: `basement` is none of foundation, working, scratch"),
        (with("is_singleton", json!("yes")), "must be true or false"),
        (with("field_schema", Value::Null), "a kind has fields"),
        (with("field_schema", json!({"fields": []})), "at least one field"),
        (with("colour", json!(1)), "`colour`: there is no such member"),
        (with_field(json!("x")), "must be a map"),
        (with_field(json!({"key": "a b", "type": "text", "label": "A"})), "`field_schema.fields[0].key`"),
        (with_field(json!({"key": "a", "type": "texts", "label": "A"})), "did you mean `text`?"),
        (with_field(json!({"key": "a", "type": "text"})), "`field_schema.fields[0].label`: it is missing"),
        (with_field(json!({"key": "a", "type": "select", "label": "A"})), "needs something to choose from"),
        (with_field(json!({"key": "a", "type": "select", "label": "A", "options": ["x", "x"]})), "is there twice"),
        (with_field(json!({"key": "a", "type": "text", "label": "A", "options": ["x"]})), "only a choice has options"),
        (with_field(json!({"key": "a", "type": "text", "label": "A", "accept": "image/*"})), "only a file has it"),
        (with_field(json!({"key": "a", "type": "asset", "label": "A", "accept": "images"})), "neither a media type"),
        (with_field(json!({"key": "a", "type": "array", "label": "A"})), "says what its values are"),
        (with_field(json!({"key": "a", "type": "array", "label": "A", "item_type": "array"})), "a list of lists"),
        (with_field(json!({"key": "a", "type": "text", "label": "A", "item_type": "text"})), "only a list has values"),
        (with_field(json!({"key": "a", "type": "text", "label": "A", "requierd": true})), "did you mean `required`?"),
    ];
    for (definition, words) in cases {
        let told = refusals(definition.clone());
        assert!(told.iter().any(|message| message.contains(words)), "{words}: {told:?}");
    }
}

#[test]
fn all_problems_are_told_at_once() {
    let field = json!({"key": "a", "type": "text", "label": "A"});
    let twice = json!({"anchor_role": "1", "display_name": 2, "category": "x", "notes": true, "field_schema": {"fields": [field, field,
        {"key": "notes", "type": "text", "label": "N"}]}});
    let told = refusals(twice);
    for words in ["anchor_role", "display_name", "category", "another field has this key", "`notes: true`"] {
        assert!(told.iter().any(|message| message.contains(words)), "{words}: {told:?}");
    }
}

#[test]
fn notes_are_a_field_where_the_kind_has_them() {
    let with_notes = read_kind(&with("notes", json!(true))).unwrap();
    assert_eq!(field(&with_notes, "notes").map(|field| field.field_type), Some(FieldType::Longtext));
    assert!(field(&read_kind(&with("notes", json!(false))).unwrap(), "notes").is_none());
}

#[test]
fn versions_count_up_only_when_something_is_different() {
    let first = next_version(None, read_kind(&with("version", json!(9))).unwrap()).unwrap();
    assert_eq!(first.version, 1);
    assert_eq!(next_version(Some(&first), read_kind(&with("version", json!(5))).unwrap()), None);
    let second = next_version(Some(&first), read_kind(&with("order", json!(3))).unwrap()).unwrap();
    assert_eq!(second.version, 2);
}

#[test]
fn what_a_caller_names_is_found_or_what_there_is_is_told() {
    let kinds = shipped_kinds();
    assert_eq!(find_kind(kinds, "Brand").map(|kind| kind.anchor_role.as_str()).ok(), Some("brand"));
    let error = find_kind(kinds, "brnd").unwrap_err();
    assert_eq!((error.code(), error.info.suggestions), (Code::KindNotFound, vec!["brand".to_owned(), "trend".into()]));
    let (brand, competitor) = (shipped_kind("brand").unwrap(), shipped_kind("competitor").unwrap());
    assert!(key_for(brand, None).is_ok_and(|key| key.is_singleton()));
    assert!(key_for(competitor, Some("Acme")).is_ok_and(|key| key.as_str() == "acme"));
    for (kind, key) in [(brand, Some("acme")), (competitor, None), (competitor, Some("")), (competitor, Some("../x"))] {
        assert_eq!(key_for(kind, key).unwrap_err().code(), Code::ValidationFailed, "{key:?}");
    }
    let none = no_entry(competitor, &key_for(competitor, Some("acne")).unwrap(), ["acme", "globex"]);
    assert_eq!((none.code(), none.info.message.as_str()), (Code::EntryNotFound, "there is no @competitor:acne"));
    assert_eq!(none.info.suggestions, ["acme"]);
}

#[test]
fn one_does_not_become_many_while_there_are_entries() {
    let brand = shipped_kind("brand").unwrap();
    let mut many = brand.clone();
    many.is_singleton = false;
    assert!(check_change(brand, &many, 0).is_ok() && check_change(brand, brand, 1).is_ok());
    assert_eq!(check_change(brand, &many, 1).unwrap_err().place, "is_singleton");
}

#[test]
fn tiers_come_from_the_category_and_strange_ones_are_not_trusted() {
    assert_eq!(tier_of(shipped_kind("brand").unwrap()), Tier::Foundation);
    assert_eq!(tier_of(shipped_kind("competitor").unwrap()), Tier::Working);
    assert_eq!(tier_of(shipped_kind("trend_digest").unwrap()), Tier::Working);
    assert_eq!(tier_of(&read_kind(&with("tier", json!("scratch"))).unwrap()), Tier::Scratch);
    let mut newer = shipped_kind("competitor").unwrap().clone();
    newer.tier = Some("sandbox".into());
    assert_eq!(tier_of(&newer), Tier::Unknown);
}
