//! Ops on text: what is written, byte by byte, and what is refused.

use super::*;

fn deck() -> Vec<u8> {
    let title = text_shape(2, "Title 1", r#"type="title""#, "<a:p><a:r><a:t>Old</a:t></a:r></a:p>");
    let body = r#"<a:lstStyle/><a:p><a:pPr marL="0" lvl="1"><a:buNone/></a:pPr><a:r><a:rPr lang="de-DE" b="1" dirty="0"><a:solidFill><a:schemeClr val="tx2"/></a:solidFill><a:hlinkClick r:id="rId9"/></a:rPr><a:t>first</a:t></a:r></a:p><a:p><a:r><a:t>last</a:t></a:r></a:p>"#;
    Making::new().slide(&format!("{title}{}", text_shape(3, "Content 2", r#"idx="1""#, body))).bytes()
}

/// The markup of the body's text after ops.
fn body_after(ops: Value) -> String {
    let applied = run(Some(deck()), ops).unwrap();
    assert_eq!(changed(&applied), ["ppt/slides/slide1.xml"]);
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    let (before, after) = slide.split_once(r#"<p:ph idx="1"/>"#).unwrap();
    assert!(before.contains("<a:t>Old</a:t>"));
    let text = after.split_once("<a:bodyPr/>").unwrap().1;
    text.split_once("</p:txBody>").unwrap().0.to_owned()
}

#[test]
fn new_text_has_the_format_of_the_old() {
    let kept = |text: &str| {
        format!(
            r#"<a:p><a:pPr marL="0" lvl="1"><a:buNone/></a:pPr><a:r><a:rPr lang="de-DE" b="1"><a:solidFill><a:schemeClr val="tx2"/></a:solidFill></a:rPr><a:t>{text}</a:t></a:r></a:p>"#
        )
    };
    let got = body_after(json!([{"op": "set_slide_text", "index": 0, "body": "a < b\r\nc"}]));
    assert_eq!(got, format!("<a:lstStyle/>{}{}", kept("a &lt; b"), kept("c")));
}

#[test]
fn formats_change_only_what_they_name_in_the_order_of_the_schema() {
    let runs = json!([{"text": "x", "bold": false, "italic": true, "underline": true, "font_size": 12.5, "font_name": "A\"B", "font_color": "#0a0b0c", "highlight_color": "Bright Green"}]);
    let ops = json!([{"op": "set_slide_text", "slide_index": 0, "body_runs": runs, "alignment": "justify", "space_before": 1.5, "space_after": 0, "line_spacing": 1.15}]);
    let wanted = r#"<a:lstStyle/><a:p><a:pPr marL="0" lvl="1" algn="just"><a:lnSpc><a:spcPct val="115000"/></a:lnSpc><a:spcBef><a:spcPts val="150"/></a:spcBef><a:spcAft><a:spcPts val="0"/></a:spcAft><a:buNone/></a:pPr><a:r><a:rPr lang="de-DE" sz="1250" b="0" i="1" u="sng"><a:solidFill><a:srgbClr val="0A0B0C"/></a:solidFill><a:highlight><a:srgbClr val="00FF00"/></a:highlight><a:latin typeface="A&quot;B"/><a:cs typeface="A&quot;B"/></a:rPr><a:t>x</a:t></a:r></a:p>"#;
    assert_eq!(body_after(ops), wanted);
}

#[test]
fn bullets_follow_the_last_one() {
    let ops = json!([{"op": "append_bullets", "index": 0, "bullets": ["b1", {"text": "b2", "level": 2}, {"runs": [{"text": "b3", "bold": true}]}]}]);
    let got = body_after(ops);
    let wanted = r#"<a:p><a:r><a:t>last</a:t></a:r></a:p><a:p><a:r><a:t>b1</a:t></a:r></a:p><a:p><a:pPr lvl="2"/><a:r><a:t>b2</a:t></a:r></a:p><a:p><a:r><a:rPr b="1"/><a:t>b3</a:t></a:r></a:p>"#;
    assert!(got.ends_with(wanted), "{got}");
}

#[test]
fn the_second_placeholder_is_reached_by_name_or_number() {
    let ops = json!([
        {"op": "add_slide", "layout": "two_content", "title": "t", "body": "left"},
        {"op": "set_slide_text", "index": 0, "placeholder": 2, "body": "right"},
        {"op": "append_bullets", "index": 0, "placeholder": "content placeholder 3", "bullets": ["more"]},
    ]);
    let applied = run(None, ops).unwrap();
    assert_eq!(text(&applied.bytes), "# Slide 1\nt\nleft\nright\nmore\n");
    let error = refused(&applied.bytes, json!([{"op": "set_slide_text", "index": 0, "placeholder": 9, "body": "x"}]));
    assert_eq!((error.at.as_str(), error.suggestions.len()), ("ops[0].placeholder", 3));
}

#[test]
fn text_is_replaced_across_runs_in_groups_fallbacks_and_notes() {
    let split = "<a:p><a:r><a:rPr b=\"1\"/><a:t>say He</a:t></a:r><a:r><a:t>llo he</a:t></a:r><a:br/><a:r><a:t>llo</a:t></a:r></a:p>";
    let shape = text_shape(4, "S", "", split);
    let choice = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"x\">{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>",
        text_shape(5, "C", "", "<a:p><a:r><a:t>hello</a:t></a:r></a:p>")
    );
    let group = format!(
        "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"6\" name=\"G\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shape}</p:grpSp>"
    );
    let bytes = Making::new().slide("").slide(&format!("{group}{choice}")).bytes();
    let bytes = run(Some(bytes), json!([{"op": "set_notes", "index": 1, "text": "HELLO"}])).unwrap().bytes;
    let applied = run(Some(bytes), json!([{"op": "replace_text", "find": "hello", "replace": "a&\nb"}])).unwrap();
    assert_eq!(changed(&applied), ["ppt/slides/slide2.xml", "ppt/notesSlides/notesSlide1.xml"]);
    assert_eq!(
        serde_json::to_value(&applied.changes).unwrap(),
        json!([{
            "index": 0, "op": "replace_text", "summary": "Replaced 3 occurrences on 1 slide.", "replacements": 3,
            "slides": [{"slide_index": 1, "replacements": 3}],
        }])
    );
    let slide = part(&applied.bytes, "ppt/slides/slide2.xml");
    let split = r#"<a:p><a:r><a:rPr b="1"/><a:t>say a&amp;</a:t></a:r><a:br><a:rPr b="1"/></a:br><a:r><a:rPr b="1"/><a:t>b</a:t></a:r><a:r><a:t> he</a:t></a:r><a:br/><a:r><a:t>llo</a:t></a:r></a:p>"#;
    assert!(slide.contains(split), "{slide}");
    assert_eq!(slide.matches("<a:p><a:r><a:t>a&amp;</a:t></a:r><a:br></a:br><a:r><a:t>b</a:t></a:r></a:p>").count(), 2);
}

#[test]
fn nothing_found_is_said_and_changes_nothing() {
    let bytes = deck();
    let applied =
        run(Some(bytes.clone()), json!([{"op": "replace_text", "search": "nowhere", "replace": ""}])).unwrap();
    assert_eq!((applied.bytes, applied.warnings), (bytes, vec!["ops[0].search: `nowhere` was not found".to_owned()]));
}

#[test]
fn notes_are_added_and_changed() {
    let added = run(Some(deck()), json!([{"op": "set_notes", "index": 0, "text": "one"}])).unwrap();
    let wanted = [
        "[Content_Types].xml",
        "ppt/presentation.xml",
        "ppt/_rels/presentation.xml.rels",
        "ppt/slides/_rels/slide1.xml.rels",
        "+ppt/notesMasters/notesMaster1.xml",
        "+ppt/theme/theme2.xml",
        "+ppt/notesMasters/_rels/notesMaster1.xml.rels",
        "+ppt/notesSlides/notesSlide1.xml",
        "+ppt/notesSlides/_rels/notesSlide1.xml.rels",
    ];
    assert_eq!(changed(&added), wanted);
    let again = run(Some(added.bytes), json!([{"op": "set_notes", "slide_index": 0, "notes": "two\nthree"}])).unwrap();
    assert_eq!(changed(&again), ["ppt/notesSlides/notesSlide1.xml"]);
    assert!(text(&again.bytes).ends_with("\nNotes:\ntwo\nthree\n"));
}

#[test]
fn control_characters_and_unknown_fields_are_told() {
    let ops = json!([{"op": "set_slide_text", "index": 0, "title": "a\u{1}b\u{b}c", "alignment": 1, "body_runs": [{"text": "x", "size": 9999}]}]);
    let applied = run(Some(deck()), ops).unwrap();
    let wanted = [
        "ops[0].alignment: skipped: expected one of left, center, right, justify, got the number 1",
        "ops[0].body_runs[0].font_size: skipped: expected a number from 1 to 4000, got the number 9999",
        "ops[0].title: 1 control characters were left out",
    ];
    let mut warnings = applied.warnings;
    warnings.sort();
    let mut wanted = wanted.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(warnings, wanted);
    assert!(
        part(&applied.bytes, "ppt/slides/slide1.xml")
            .contains("<a:r><a:t>ab</a:t></a:r><a:br></a:br><a:r><a:t>c</a:t></a:r>")
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let title_only = text_shape(2, "Heading", r#"type="title""#, "<a:p/>");
    let bytes = Making::new().slide(&title_only).bytes();
    let cases = [
        (json!([{"op": "ad_slide"}]), "ops[0].op", vec!["add_slide"]),
        (json!([{"op": "set_slide_text", "index": 7, "title": "x"}]), "ops[0].index", vec!["0"]),
        (json!([{"op": "set_slide_text", "title": "x"}]), "ops[0].index", vec![]),
        (json!([{"op": "set_slide_text", "index": 0}]), "ops[0]", vec![]),
        (json!([{"op": "set_slide_text", "index": 0, "body": "x"}]), "ops[0].body", vec!["Heading"]),
        (json!([{"op": "append_bullets", "index": 0, "bullets": ["x"]}]), "ops[0].body", vec!["Heading"]),
        (json!([{"op": "append_bullets", "index": 0, "bullets": [[3]]}]), "ops[0].bullets[0]", vec![]),
        (
            json!([{"op": "add_slide", "layout": "Tittle Slide"}]),
            "ops[0].layout",
            vec!["Title Slide", "title_slide", "title"],
        ),
        (json!([{"op": "add_slide", "layout": "blank", "title": "x"}]), "ops[0].title", vec![]),
        (json!([{"op": "add_slide", "index": 2}]), "ops[0].index", vec!["1"]),
        (json!([{"op": "move_slide", "from": 0, "to": 3}]), "ops[0].to", vec!["0"]),
        (json!([{"op": "replace_text", "search": "", "replace": "x"}]), "ops[0].search", vec![]),
        (
            json!([{"op": "set_table_cells", "index": 0, "cells": [{"row": 0, "col": 0, "text": "x"}]}]),
            "ops[0].table",
            vec![],
        ),
        (json!([{"op": "insert_image", "index": 0, "path": "no.png"}]), "ops[0].path", vec![]),
        (json!([{"op": "insert_image", "index": 0, "data_base64": "?"}]), "ops[0].data_base64", vec![]),
        (json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS, "width": -1}]), "ops[0].width", vec![]),
        (
            json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS, "placeholder": "pic"}]),
            "ops[0].placeholder",
            vec!["Heading"],
        ),
        (json!([{"op": "delete_slide", "index": 0}, {"op": "delete_slide", "index": 0}]), "ops[1].index", vec![]),
    ];
    for (ops, at, suggestions) in cases {
        let error = refused(&bytes, ops.clone());
        let near: Vec<&str> = error.suggestions.iter().map(String::as_str).collect();
        assert_eq!((error.at.as_str(), near.first()), (at, suggestions.first()), "{ops} gives {error}");
    }
}
