//! OpenDocument texts as LibreOffice writes them, and malformed ones.

use std::sync::Arc;

use jig_files::engine::{FileError, Reason};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

use crate::sample;
use crate::support::archive::{Archive, Entry};

fn call(method: &str, bytes: &[u8], params: &Value) -> Result<Value, FileError> {
    let bytes: Arc<[u8]> = bytes.into();
    FileApi::default().read(Method::find(method).unwrap(), &bytes, params)
}

fn text(bytes: &[u8]) -> String {
    let answer = call("OdtExtractText", bytes, &json!({})).unwrap();
    assert_eq!(answer.get("warnings"), None);
    answer["text"].as_str().unwrap().to_owned()
}

/// The text and the map of every sample, as `tests/data/odt/<name>.expected` keeps them. `UPDATE=1` rewrites them.
#[test]
fn samples_read_as_expected() {
    for name in ["page.odt", "report.odt", "review.odt", "drawings.odt", "fields.odt"] {
        let bytes = sample(&format!("odt/{name}"));
        let map = call("OdtGetMap", &bytes, &json!({})).unwrap();
        let got = format!("{}\n\n=== map\n{}\n", text(&bytes), serde_json::to_string_pretty(&map).unwrap());
        let path = format!("{}/tests/data/odt/{name}.expected", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &got).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(got, expected, "{name}");
    }
}

const PAGE: &str = "Before any heading.

# Plan
Costs & dates, with two blanks and a line
break.
1. First
2. Second
  a. inner one
  b. inner two
3. Third
- Milk
- Bread

## Budget

| Item | Cost |
| --- | --- |
| Desk \\| lamp | 420 |
| merged<br>twice | |

Straße, 東京, Привет.

# Plan
The heading above is there twice.";

#[test]
fn packages_templates_and_flat_files_read_the_same() {
    for name in ["page.odt", "page.ott", "page.fodt"] {
        assert_eq!(text(&sample(&format!("odt/{name}"))), PAGE, "{name}");
    }
}

#[test]
fn sections_are_read_by_heading_or_number_and_in_pages() {
    let bytes = sample("odt/page.odt");
    let section = |given: Value| call("OdtExtractText", &bytes, &json!({ "section": given })).unwrap();
    assert_eq!(section(json!(0)), json!({ "text": "Before any heading." }));
    assert!(section(json!("budget"))["text"].as_str().unwrap().starts_with("## Budget\n\n| Item | Cost |"));
    let twice = section(json!("Plan"));
    assert!(twice["text"].as_str().unwrap().ends_with("- Bread"));
    assert_eq!(twice["warnings"], json!(["2 sections have this heading; the first, section 1, is used"]));
    let error = call("OdtExtractText", &bytes, &json!({ "section": "Budgt" })).unwrap_err();
    assert_eq!(error.suggestions, ["Budget"]);
    let mut params = json!({ "max_tokens": 20 });
    let mut whole = String::new();
    loop {
        let page = call("OdtExtractText", &bytes, &params).unwrap();
        assert!(page["tokens"].as_u64().unwrap() <= 20);
        whole.push_str(page["text"].as_str().unwrap());
        match page.get("cursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(whole, PAGE);
}

#[test]
fn texts_are_found_with_their_section() {
    let bytes = sample("odt/page.odt");
    let found = call("OdtFind", &bytes, &json!({ "query": "desk" })).unwrap();
    assert_eq!((&found["match_count"], &found["place_count"]), (&json!(1), &json!(1)));
    let hit = &found["matches"][0];
    let told = (&hit["place"], &hit["section"], &hit["section_index"], &hit["table"], &hit["count"]);
    assert_eq!(told, (&json!("table"), &json!("Budget"), &json!(2), &json!(0), &json!(1)));
    let none = call("OdtFind", &bytes, &json!({ "query": "desk", "match_case": true })).unwrap();
    assert_eq!(none, json!({ "matches": [], "match_count": 0, "place_count": 0, "truncated": false }));
    let many = call("OdtFind", &bytes, &json!({ "query": "e", "max_results": 2 })).unwrap();
    assert_eq!((many["matches"].as_array().unwrap().len(), &many["truncated"]), (2, &json!(true)));
}

#[test]
fn what_cannot_be_read_is_said_clearly() {
    let refused = |bytes: &[u8]| call("OdtExtractText", bytes, &json!({})).unwrap_err();
    let encrypted = refused(&sample("odt/encrypted.odt"));
    assert_eq!(encrypted.reason, Reason::Encrypted);
    assert!(encrypted.message.contains("password"), "{}", encrypted.message);
    let sheet = refused(&sample("sheet.ods"));
    assert_eq!(sheet.reason, Reason::WrongKind);
    assert!(sheet.message.contains("opendocument.spreadsheet"), "{}", sheet.message);
    assert_eq!(refused(&sample("word.docx")).reason, Reason::WrongKind);
    assert_eq!(refused(b"plain text").reason, Reason::WrongKind);
    assert_eq!(refused(b"<html><p>x</p></html>").reason, Reason::WrongKind);
    let good = sample("odt/page.odt");
    assert_eq!(refused(&good[..good.len() / 2]).reason, Reason::Damaged);
    assert_eq!(refused(b"").reason, Reason::WrongKind);
}

/// A flat document with this body.
fn flat(body: &str) -> Vec<u8> {
    let names = ["office", "text", "table", "style"];
    let names =
        names.map(|name| format!(" xmlns:{name}=\"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0\"")).concat();
    format!("<?xml version=\"1.0\"?><office:document{names}><office:body><office:text>{body}</office:text></office:body></office:document>")
        .into_bytes()
}

#[test]
fn blanks_notes_and_repeats_follow_the_standard() {
    let body = "<text:p>  a \n  b<text:s text:c=\"3\"/>c<text:tab/>d<text:note text:note-class=\"endnote\"><text:note-body>\
        <text:p>See  there.</text:p></text:note-body></text:note><text:note><text:note-body><text:p>One</text:p>\
        </text:note-body></text:note> </text:p>\
        <table:table><table:table-row><table:table-cell table:number-columns-repeated=\"3\"><text:p>x</text:p></table:table-cell>\
        </table:table-row></table:table>";
    let expected = "a b   c\td[^e1][^1]\n\n| x | x | x |\n| --- | --- | --- |\n\n[^e1]: See there.\n[^1]: One";
    assert_eq!(text(&flat(body)), expected);
}

#[test]
fn headings_that_are_items_of_a_list_have_its_numbers() {
    let item = |words: &str, level: u8| {
        format!("<text:list-item><text:h text:outline-level=\"{level}\">{words}</text:h></text:list-item>")
    };
    let body = format!("<text:list text:style-name=\"L\">{}{}</text:list>", item("First", 1), item("Second", 1));
    let style = "<office:automatic-styles><text:list-style style:name=\"L\"><text:list-level-style-number text:level=\"1\" \
        style:num-format=\"1\" style:num-suffix=\".0\"/></text:list-style></office:automatic-styles><office:body>";
    let file = String::from_utf8(flat(&body)).unwrap().replace("<office:body>", style);
    assert_eq!(text(file.as_bytes()), "# 1.0 First\n\n# 2.0 Second");
    assert_eq!(text(&flat(&body)), "# First\n\n# Second", "without a style nothing says that they are numbered");
}

#[test]
fn repeats_beyond_reason_are_cut_and_said() {
    let body = "<table:table><table:table-row table:number-rows-repeated=\"1000000000\">\
        <table:table-cell table:number-columns-repeated=\"1000000000\"><text:p>x</text:p></table:table-cell></table:table-row></table:table>\
        <text:p><text:s text:c=\"4000000000\"/>y</text:p>";
    let answer = call("OdtExtractText", &flat(body), &json!({})).unwrap();
    assert_eq!(answer["warnings"], json!(["tables: repeated or very many cells are left out"]));
    assert!(answer["text"].as_str().unwrap().len() < 1 << 20);
}

#[test]
fn depth_and_entities_are_refused() {
    let deep = format!("{}{}", "<text:section>".repeat(100_000), "</text:section>".repeat(100_000));
    assert_eq!(call("OdtGetMap", &flat(&deep), &json!({})).unwrap_err().reason, Reason::TooLarge);
    let entities = br#"<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>"#;
    assert!(call("OdtGetMap", entities, &json!({})).is_err());
}

#[test]
fn a_bomb_is_refused_before_it_unfolds() {
    let kind = Entry::new("mimetype", b"application/vnd.oasis.opendocument.text");
    let bomb = Archive(vec![kind, Entry::new("content.xml", &vec![b' '; 80 << 20])]).write();
    assert_eq!(call("OdtExtractText", &bomb, &json!({})).unwrap_err().reason, Reason::TooLarge);
}
