//! What styles come to, and how they are found.

use super::*;

fn styles(inner: &str) -> Styles {
    let text = format!(r#"<w:styles xmlns:w="{}">{inner}</w:styles>"#, Ns::W.uri());
    Styles::read(Some(&XmlPart::new("word/styles.xml", text)), None, &Limits::default()).unwrap()
}

fn style(id: &str, name: &str, inner: &str) -> String {
    format!(r#"<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{inner}</w:style>"#)
}

#[test]
fn headings_by_name_level_and_inheritance() {
    let outline = |level: u8| format!(r#"<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>"#);
    let based = |id: &str| format!(r#"<w:basedOn w:val="{id}"/>"#);
    let styles = styles(
        &[
            style("a0", "Normal", ""),
            style("2", "heading 3", &based("a0")),
            style("Mine", "My chapter", &based("2")),
            style("Toc", "TOC Heading", &(based("2") + &outline(9))),
            style("Level", "Clause", &outline(1)),
            style("berschrift1", "Überschrift 1", ""),
            style("T", "Title", &based("a0")),
            style("C1", "x", &based("C2")),
            style("C2", "y", &(based("C1") + &outline(4))),
            style("Self", "z", &based("Self")),
        ]
        .concat(),
    );
    let wanted = [
        ("a0", 0),
        ("2", 3),
        ("Mine", 3),
        ("Toc", 0),
        ("Level", 2),
        ("berschrift1", 1),
        ("T", 0),
        ("C1", 5),
        ("C2", 5),
        ("Self", 0),
    ];
    for (id, level) in wanted {
        assert_eq!(styles.heading_level(Some(id)), level, "{id}");
    }
    // One that the document uses without having it.
    assert_eq!(styles.heading_level(Some("Heading4")), 4);
    assert_eq!(styles.heading_level(None), 0);
}

#[test]
fn names_of_headings_in_other_languages() {
    let cases = [
        ("heading 1", Some(1)),
        ("Heading2", Some(2)),
        ("Titre 3", Some(3)),
        ("Заголовок 4", Some(4)),
        ("標題 5", Some(5)),
        ("見出し 6", Some(6)),
        ("Heading 1 Char", None),
        ("Heading 0", None),
        ("heading", None),
        ("List 2", None),
        ("", None),
        ("é", None),
    ];
    for (name, wanted) in cases {
        assert_eq!(heading_number(name), wanted, "{name}");
    }
}

#[test]
fn styles_are_found_as_people_write_them() {
    let inner = style("berschrift1", "heading 1", r#"<w:aliases w:val="Chapter,Kapitel"/>"#)
        + &style("ListBullet", "List Bullet", "")
        + r#"<w:style w:type="character" w:styleId="S"><w:name w:val="Strong"/></w:style>"#;
    let styles = styles(&inner);
    let found = |given: &str| styles.find(StyleKind::Paragraph, given).map(|style| style.id.as_str());
    for given in ["heading 1", "Heading1", "HEADING 1", "berschrift1", "Überschrift 1", "kapitel"] {
        assert_eq!(found(given), Some("berschrift1"), "{given}");
    }
    assert_eq!(found("list bullet"), Some("ListBullet"));
    assert_eq!(found("Strong"), None);
    assert_eq!(styles.near(StyleKind::Paragraph, "List Bulet"), ["List Bullet"]);
}

#[test]
fn a_long_chain_is_resolved_in_one_go() {
    let chain: String =
        (0..20_000).map(|at| style(&format!("s{at}"), "n", &format!(r#"<w:basedOn w:val="s{}"/>"#, at + 1))).collect();
    let styles = styles(&(chain + &style("s20000", "heading 2", "")));
    assert_eq!(styles.heading_level(Some("s0")), 2);
}
