//! Tree and splice together: positions are correct, and what no change names stays as it is.

use proptest::prelude::*;

use super::*;
use crate::error::{ActualKind, PackageError, PartFault, Quantity};
use crate::limits::Limits;

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn wrapped(inner: &str) -> String {
    format!("\u{FEFF}<?xml version=\"1.0\"?>\n<w:a xmlns:w=\"{W}\" xmlns:r='urn:x'>{inner}</w:a>\n")
}

fn parse(text: &str) -> Result<Tree<'_>, PackageError> {
    Tree::parse("p.xml", text, &Limits::default())
}

#[test]
fn ranges_are_those_of_the_text() {
    let text = wrapped("<w:p w:val='a &amp; b' x=\"1\">one<w:r/>t&lt;wo<!-- c --></w:p>");
    let tree = parse(&text).unwrap();
    let p = tree.root().child(Ns::W, "p").unwrap();
    assert_eq!(p.attr("val").unwrap(), "a & b");
    assert_eq!(p.attr("x").unwrap(), "1");
    assert_eq!(&text[p.attr_value_range("val").unwrap()], "a &amp; b");
    assert_eq!(&text[p.attr_range("x").unwrap()], " x=\"1\"");
    assert_eq!(p.inner(), "one<w:r/>t&lt;wo<!-- c -->");
    assert_eq!(p.text(), "onet<wo");
    assert!(p.child(Ns::W, "r").unwrap().is_single_tag());
    assert_eq!(p.descendants().count(), 4);
    assert_eq!(p.prefix_for(Ns::W).as_deref(), Some("w:"));
    assert_eq!(p.prefix_for(Ns::A), None);
}

#[test]
fn strict_and_transitional_are_one() {
    let text = "<x:worksheet xmlns:x='http://purl.oclc.org/ooxml/spreadsheetml/main'/>";
    assert!(parse(text).unwrap().root().is(Ns::S, "worksheet"));
}

#[test]
fn the_nearest_declaration_counts() {
    let text = format!("<a xmlns:w='{W}' xmlns:v='{W}'><w:b xmlns:w='urn:x' w:c='1'><v:d v:e='2'/>t</w:b><w:f/></a>");
    let tree = parse(&text).unwrap();
    let names: Vec<(&str, Ns)> =
        tree.root().descendants().filter(|n| n.is_element()).map(|n| (n.local(), n.ns())).collect();
    assert_eq!(names, [("b", Ns::Other), ("d", Ns::W), ("f", Ns::W)]);
    let b = tree.root().elements().next().unwrap();
    assert_eq!((b.prefix_for(Ns::W).as_deref(), b.attr("c")), (Some("v:"), None));
    assert_eq!(tree.root().prefix_for(Ns::W).as_deref(), Some("w:"));
    assert_eq!(b.last().unwrap().namespace_of("v"), Some(Ns::W));
    assert_eq!(b.elements().next().unwrap().attr("e").as_deref(), Some("2"));
}

#[test]
fn more_namespaces_than_any_part_has_are_refused() {
    let declared = |count: usize| (0..count).map(|n| format!(" xmlns:n{n}='u'")).collect::<String>();
    let text = |count: usize| format!("<a{}><b{}/></a>", declared(count), declared(count));
    assert!(parse(&text(500)).is_ok());
    assert!(matches!(parse(&text(501)), Err(PackageError::TooLarge { limit: 1_000, .. })));
}

#[test]
fn what_is_removed_inside_of_what_is_removed_is_no_contradiction() {
    let mut splice = Splice::new("0123456789");
    for range in [3..4, 2..6, 2..3, 4..6, 2..6, 8..9] {
        splice.delete(range);
    }
    assert_eq!(splice.finish(), Ok("01679".to_owned()));
    let mut splice = Splice::new("0123456789");
    splice.delete(2..6);
    splice.insert(4, "x");
    assert_eq!(splice.finish(), Err(Overlap { at: 4 }));
}

#[test]
fn nodes_are_changed_in_place() {
    let text = wrapped("<w:p/><w:q b='1'>old</w:q>");
    let tree = parse(&text).unwrap();
    let (p, q) = (tree.root().child(Ns::W, "p").unwrap(), tree.root().child(Ns::W, "q").unwrap());
    let mut splice = Splice::new(&text);
    splice.append(p, "<w:r/>");
    splice.append(p, "<w:s/>");
    splice.set_attr(p, "w:n", "a\"b");
    splice.set_text(q, "n<w");
    splice.remove_attr(q, "b");
    splice.before(q, "<!--1-->");
    splice.before(q, "<!--2-->");
    let wanted = wrapped("<w:p w:n=\"a&quot;b\"><w:r/><w:s/></w:p><!--1--><!--2--><w:q>n&lt;w</w:q>");
    assert_eq!(splice.finish().unwrap(), wanted);
}

#[test]
fn text_that_is_not_well_formed_is_refused_with_its_position() {
    let cases = [
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", 0, PartFault::DocumentType),
        ("<a><b></a>", 6, PartFault::WrongEndTag { found: "a".to_owned(), expected: "b".to_owned() }),
        ("<a></a></a>", 7, PartFault::NoStartTag { found: "a".to_owned() }),
        ("<a>", 3, PartFault::Unfinished),
        ("<a", 0, PartFault::NotClosed { what: "a tag" }),
        ("", 0, PartFault::NoElement),
        ("<a/><b/>", 4, PartFault::SecondRoot),
        ("<a/>text", 4, PartFault::TextOutsideRoot),
        ("text<a/>", 0, PartFault::TextOutsideRoot),
        ("<p:a/>", 0, PartFault::UndeclaredPrefix { prefix: "p".to_owned() }),
    ];
    for (text, at, fault) in cases {
        assert_eq!(parse(text).unwrap_err(), PackageError::part("p.xml", at, fault), "{text}");
    }
    let error = parse(&"<a>".repeat(300)).unwrap_err();
    assert_eq!(error, PackageError::TooLarge { what: Quantity::Depth { part: "p.xml".to_owned() }, limit: 256 });
}

#[test]
fn another_vocabulary_names_the_namespaces() {
    let vocabulary = |uri: &str| if uri == "urn:x" { Ns::Foreign(7) } else { Ns::of(uri) };
    let text = format!("<a xmlns='urn:x' xmlns:w='{W}'><w:b/></a>");
    let tree = Tree::parse_with("p.xml", &text, &Limits::default(), vocabulary).unwrap();
    assert!(tree.root().is(Ns::Foreign(7), "a"));
    assert!(tree.root().child(Ns::W, "b").is_some());
    assert_eq!(parse(&text).unwrap().root().ns(), Ns::Other);
}

#[test]
fn a_root_element_of_another_kind_or_namespace_is_named() {
    let found = |text: &str| parse(text).unwrap().root().unexpected_root("workbook");
    assert_eq!(found("<x:document xmlns:x='urn:x'/>"), ActualKind::MainElement { element: "x:document".to_owned() });
    for text in ["<workbook xmlns='urn:beta'/>", "<x:workbook xmlns:y='urn:y' xmlns:x='urn:beta'/>"] {
        assert_eq!(found(text), ActualKind::OtherNamespace { namespace: "urn:beta".to_owned() });
    }
}

#[test]
fn a_part_goes_out_in_the_encoding_it_came_in() {
    let text = wrapped("<w:t>Grüße 日本</w:t>");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [text.clone().into_bytes(), wide] {
        let part = XmlPart::decode("p.xml", bytes.clone()).unwrap();
        assert_eq!(part.text, text);
        assert_eq!(part.encode(), bytes);
    }
}

#[test]
fn what_is_not_ascii_is_a_reference_in_parts_that_are_not_unicode() {
    let head = r#"<?xml version="1.0" encoding="ISO-8859-1"?>"#;
    let bytes = [head.as_bytes(), b"<a b='\xE4>'>\xE4<!--\xE4--><![CDATA[\xE4<]]></a>"].concat();
    let mut part = XmlPart::decode("p.xml", bytes).unwrap();
    assert_eq!(part.text, format!("{head}<a b='ä>'>ä<!--ä--><![CDATA[ä<]]></a>"));
    part.text = part.text.replace("ä>'>", "€>'>€");
    let body = b"<a b='&#x20AC;>'>&#x20AC;&#xE4;<!--\xE4--><![CDATA[]]>&#xE4;<![CDATA[<]]></a>";
    assert_eq!(part.encode(), [head.as_bytes(), body].concat());
}

#[test]
fn overlapping_changes_are_refused() {
    let mut splice = Splice::new("0123456789");
    splice.replace(2..5, "a");
    splice.replace(4..6, "b");
    assert_eq!(splice.finish(), Err(Overlap { at: 4 }));
}

proptest! {
    /// Taking the replacements out again gives the source: nothing else was touched.
    #[test]
    fn only_named_ranges_change(source in "[a-zé<>&]{0,60}", cuts in prop::collection::vec((0_usize..64, 0_usize..4, "[A-Z]{0,4}"), 0..8)) {
        let mut splice = Splice::new(&source);
        let mut wanted = String::new();
        let mut at = 0;
        let mut cuts: Vec<_> = cuts;
        cuts.sort();
        for (start, len, text) in cuts {
            let (start, end) = (start.max(at), start.max(at) + len);
            if source.get(start..end).is_none() || source.get(at..start).is_none() || (start == at && at > 0) {
                continue;
            }
            splice.replace(start..end, text.clone());
            wanted.push_str(&source[at..start]);
            wanted.push_str(&text);
            at = end;
        }
        wanted.push_str(&source[at..]);
        prop_assert_eq!(splice.finish().unwrap(), wanted);
    }

    #[test]
    fn text_survives_escaping(text in any::<String>()) {
        let (text, _) = strip_illegal(&text);
        let (content, value) = (escape_text(&text), escape_attribute(&text));
        prop_assert_eq!(unescape(&content), &*text);
        prop_assert_eq!(unescape(&value), &*text);
    }

    #[test]
    fn any_text_is_an_error_or_a_tree_whose_ranges_nest(text in "[<>/a-c:='\" &;!\\[\\]\\-?]{0,80}") {
        if let Ok(tree) = parse(&text) {
            for node in tree.root().descendants() {
                let parent = node.parent().unwrap().inner_range();
                let (range, inner) = (node.range(), node.inner_range());
                prop_assert!(parent.start <= range.start && range.end <= parent.end, "{range:?} in {parent:?}");
                prop_assert!(range.start <= inner.start && inner.end <= range.end, "{inner:?} in {range:?}");
                prop_assert_eq!(node.source(), &text[range.clone()]);
                if let Some(next) = node.next() {
                    prop_assert_eq!(range.end, next.range().start);
                }
                for attribute in node.attributes() {
                    let (start, end) = (range.start + attribute.start, range.start + attribute.end);
                    prop_assert!(text[start..end].starts_with(attribute.name));
                    prop_assert_eq!(&text[range.start + attribute.value_start..end - 1], attribute.raw);
                }
            }
        }
    }
}
