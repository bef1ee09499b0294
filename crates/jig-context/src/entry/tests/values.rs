//! The values and files that each field type accepts.

use jig_contract::ops::{FieldDefinition, FieldType};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::kind;
use crate::entry::{accepts, asset_references, check_data, check_value, is_date, notes_field};

fn of(field_type: FieldType) -> FieldDefinition {
    FieldDefinition { key: "x".into(), field_type, options: vec!["a".into(), "b".into()], ..notes_field() }
}

fn list_of(item: FieldType) -> FieldDefinition {
    FieldDefinition { item_type: Some(item), ..of(FieldType::Array) }
}

#[test]
fn values_of_every_type() {
    let asset = "asset://550e8400-e29b-41d4-a716-446655440000";
    let good = [
        (FieldType::Text, json!("x".repeat(500))),
        (FieldType::Text, json!("é".repeat(500))),
        (FieldType::Text, json!("  spaces stay  ")),
        (FieldType::Longtext, json!("x".repeat(100_000))),
        (FieldType::Number, json!(-1.5)),
        (FieldType::Boolean, json!(false)),
        (FieldType::Date, json!("2024-02-29")),
        (FieldType::Url, json!("https://example.com/a?b#c")),
        (FieldType::Url, json!("HTTP://example.com")),
        (FieldType::Select, json!("b")),
        (FieldType::Asset, json!(asset)),
    ];
    for (field_type, value) in good {
        assert_eq!(check_value(&of(field_type), &value), Ok(()), "{field_type:?} {value}");
    }
    assert_eq!(check_value(&list_of(FieldType::Text), &json!(vec!["x"; 200])), Ok(()));
    assert_eq!(check_value(&list_of(FieldType::Asset), &json!([asset])), Ok(()));
}

#[test]
fn what_does_not_fit_is_told() {
    let bad = [
        (FieldType::Text, json!("x".repeat(501)), "it has 501 characters; at most 500 are allowed"),
        (FieldType::Text, json!(5), "it must be a text, and is a number"),
        (FieldType::Text, json!("a\0b"), "NUL"),
        (FieldType::Longtext, json!("x".repeat(100_001)), "at most 100000"),
        (FieldType::Number, json!("5"), "it must be a number, and is a text"),
        (FieldType::Boolean, json!("true"), "it must be true or false"),
        (FieldType::Date, json!("2023-02-29"), "it must be a day"),
        (FieldType::Date, json!("17.11.2026"), "it must be a day"),
        (FieldType::Date, json!("2026-11-17T00:00"), "it must be a day"),
        (FieldType::Url, json!("ftp://example.com"), "web address"),
        (FieldType::Url, json!("https://"), "web address"),
        (FieldType::Url, json!("javascript:alert(1)"), "web address"),
        (FieldType::Url, json!("https://a b"), "web address"),
        (FieldType::Url, json!(format!("https://a/{}", "x".repeat(2_048))), "at most 2048"),
        (FieldType::Select, json!("c"), "it must be one of a, b"),
        (FieldType::Asset, json!("asset://x"), "`asset://` and its id"),
        (FieldType::Asset, json!("asset://550E8400-E29B-41D4-A716-446655440000"), "lower case"),
        (FieldType::Asset, json!({"asset_id": "x"}), "and is an object"),
    ];
    for (field_type, value, words) in bad {
        let told = check_value(&of(field_type), &value).unwrap_err();
        assert!(told.contains(words), "{field_type:?} {value}: {told}");
    }
    let list = |value: Value| check_value(&list_of(FieldType::Number), &value).unwrap_err();
    assert_eq!(list(json!("x")), "it must be a list, and is a text");
    assert_eq!(list(json!([1, "x"])), "value 2: it must be a number, and is a text");
    assert!(list(json!(vec![1; 201])).contains("at most 200"));
}

#[test]
fn every_wrong_field_has_its_message() {
    let data = json!({"name": 5, "taglin": "x", "logo": "logo.png", "voice": null, "colors": ["x"]});
    let told: Vec<String> =
        check_data(kind("brand"), data.as_object().unwrap()).iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "`name`: it must be a text, and is a number");
    assert_eq!(told[1], "`taglin`: brand has no such field; did you mean `tagline`?");
    assert_eq!((told[2].starts_with("`logo`: it must name a file"), told.len()), (true, 3));
}

#[test]
fn files_are_taken_by_content_and_listed_endings() {
    let field = |accept: &str| FieldDefinition { accept: Some(accept.into()), ..of(FieldType::Asset) };
    assert!(accepts(&of(FieldType::Asset), "x/y", "z"));
    assert!(accepts(&field("image/*"), "image/png", "logo.txt"));
    assert!(!accepts(&field("image/*"), "text/plain", "logo.png"), "the name says nothing");
    let docs = field("application/pdf, .docx");
    assert!(accepts(&docs, "application/pdf", "a") && accepts(&docs, "application/zip", "A.DOCX"));
    assert!(!accepts(&docs, "application/zip", "a.zip"));
    assert!(!accepts(&field("image/*"), "imagex/png", "a"));
}

#[test]
fn named_assets_are_listed_in_the_order_of_the_fields() {
    let id = |n: u8| format!("550e8400-e29b-41d4-a716-44665544000{n}");
    let data = json!({"guidelines_doc": format!("asset://{}", id(1)), "logo": format!("asset://{}", id(2)), "voice": format!("asset://{}", id(3))});
    let found = asset_references(kind("brand"), data.as_object().unwrap());
    let found: Vec<(String, String)> = found.into_iter().map(|(field, id)| (field, id.to_string())).collect();
    assert_eq!(found, [("logo".to_owned(), id(2)), ("guidelines_doc".to_owned(), id(1))]);
}

proptest! {
    #[test]
    fn any_value_fits_or_is_told(text in "\\PC{0,40}", number in any::<f64>()) {
        for field_type in [FieldType::Text, FieldType::Date, FieldType::Url, FieldType::Asset, FieldType::Number] {
            let _ = check_value(&of(field_type), &json!(text));
            let _ = check_value(&of(field_type), &json!(number));
        }
        prop_assert_eq!(is_date(&text), check_value(&of(FieldType::Date), &json!(text)).is_ok());
    }
}
