//! Where sections begin.

use serde_json::json;

use super::*;
use crate::docx::blocks::blocks;
use crate::limits::Limits;
use crate::xml::{Ns, Tree};

fn divided(inner: &str) -> Vec<(String, u8, Range<usize>)> {
    let text = format!(r#"<w:body xmlns:w="{}">{inner}</w:body>"#, Ns::W.uri());
    let tree = Tree::parse("d", &text, &Limits::default()).unwrap();
    let found = sections(&blocks(tree.root()), &Styles::default());
    found.into_iter().map(|section| (section.heading, section.level, section.blocks)).collect()
}

fn styled(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

#[test]
fn what_begins_a_section_and_what_does_not() {
    let in_table = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", styled("Heading1", "in a table"));
    let direct = r#"<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>direct</w:t></w:r></w:p>"#;
    let body = [
        styled("Title", "Title"),
        styled("Heading1", " A  b "),
        in_table,
        styled("Heading2", " "),
        direct.to_owned(),
        format!("<w:del>{}</w:del>", styled("Heading1", "deleted")),
    ];
    let wanted = [(String::new(), 0, 0..1), ("A b".to_owned(), 1, 1..4), ("direct".to_owned(), 3, 4..6)];
    assert_eq!(divided(&body.concat()), wanted);
}

#[test]
fn nothing_before_the_first_heading_is_no_section() {
    assert_eq!(divided(&format!("<w:p/>{}", styled("Heading1", "A"))), [("A".to_owned(), 1, 1..2)]);
    assert_eq!(divided("<w:p/>"), [(String::new(), 0, 0..1)]);
    assert_eq!(divided(""), [(String::new(), 0, 0..0)]);
}

fn reference(given: &serde_json::Value) -> SectionRef {
    serde_json::from_value(given.clone()).unwrap()
}

#[test]
fn a_section_is_given_in_several_ways() {
    let section = |heading: &str| Section { heading: heading.to_owned(), level: 1, blocks: 0..1 };
    let list = [section("7"), section("Costs"), section("costs")];
    let cases = [
        (json!("7"), Ok(0)),
        (json!(2), Ok(2)),
        (json!("2"), Ok(2)),
        (json!("COSTS"), Ok(1)),
        (json!("## 1.2. Costs"), Ok(1)),
        (json!(7), Err("s: section 7 not found; the document has sections 0 to 2")),
        (json!(-1), Err("s: section -1 not found; the document has sections 0 to 2")),
        (json!("x"), Err("s: no section has the heading “x”")),
        (json!([]), Err("s: a section is given by its heading's text or its index")),
    ];
    for (given, wanted) in cases {
        let found = find_section(&list, &reference(&given), "s").map_err(|error| error.to_string());
        assert_eq!(found, wanted.map_err(str::to_owned), "{given}");
    }
    let told = Some("2 sections have this heading; the first, section 1, is used".to_owned());
    for (given, found, wanted) in [
        (json!("COSTS"), 1, told.clone()),
        (json!("## 1.2. Costs"), 1, told),
        (json!("2"), 2, None),
        (json!(1), 1, None),
        (json!("7"), 0, None),
    ] {
        assert_eq!(ambiguity(&list, &reference(&given), found), wanted, "{given}");
    }
}
