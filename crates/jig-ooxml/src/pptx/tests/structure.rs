//! Ops on slides as a whole: sections, visibility, background, layout.

use super::*;

fn deck(slides: usize) -> Vec<u8> {
    let ops: Vec<Value> =
        (1..=slides).map(|number| json!({"op": "add_slide", "title": format!("s{number}"), "body": "b"})).collect();
    run(None, Value::Array(ops)).unwrap().bytes
}

fn sections(bytes: &[u8]) -> Value {
    read(bytes, "PptxGetMap", json!({}))["sections"].clone()
}

#[test]
fn sections_are_added_renamed_deleted_and_filled() {
    let ops = json!([
        {"op": "add_section", "name": "Middle", "slide": 2},
        {"op": "add_section", "name": "End", "slide": 4},
        {"op": "add_section", "name": "Later"},
    ]);
    let bytes = run(Some(deck(5)), ops).unwrap().bytes;
    let wanted = json!([
        {"name": "Default Section", "slides": [0]}, {"name": "Middle", "slides": [1, 2]},
        {"name": "End", "slides": [3, 4]}, {"name": "Later", "slides": []},
    ]);
    assert_eq!(sections(&bytes), wanted);
    let presentation = part(&bytes, "ppt/presentation.xml");
    assert_eq!(presentation.matches("<p14:section ").count(), 4);
    let moved = run(
        Some(bytes.clone()),
        json!([{"op": "move_slide", "slide": 2, "section": "later"}, {"op": "move_slide", "slide": 1, "section": 3}]),
    )
    .unwrap();
    assert_eq!(moved.changes[0].summary, "Moved slide 2 to 5 in the section Later.");
    let wanted = json!([
        {"name": "Default Section", "slides": []}, {"name": "Middle", "slides": [0]},
        {"name": "End", "slides": [1, 2, 3]}, {"name": "Later", "slides": [4]},
    ]);
    assert_eq!(sections(&moved.bytes), wanted);
    let ops = json!([
        {"op": "rename_section", "section": "Middle", "name": "M & co"},
        {"op": "delete_section", "section": 1},
        {"op": "delete_section", "section": "End", "delete_slides": true},
    ]);
    let bytes = run(Some(bytes), ops).unwrap().bytes;
    assert_eq!(sections(&bytes), json!([{"name": "M & co", "slides": [0, 1, 2]}, {"name": "Later", "slides": []}]));
    assert_eq!(read(&bytes, "PptxGetMap", json!({}))["slide_count"], 3);
    let bytes =
        run(Some(bytes), json!([{"op": "delete_section", "section": 2}, {"op": "delete_section", "section": 1}]))
            .unwrap()
            .bytes;
    assert!(!part(&bytes, "ppt/presentation.xml").contains("extLst"));
}

#[test]
fn unclear_sections_are_refused() {
    let ops = json!([{"op": "add_section", "name": "A", "slide": 1}, {"op": "add_section", "name": "A", "slide": 2}]);
    let bytes = run(Some(deck(3)), ops).unwrap().bytes;
    let cases = [
        (
            json!({"op": "rename_section", "section": "A", "name": "B"}),
            "ops[0].section: 2 sections are named A; give the number of one: 1, 2",
        ),
        (
            json!({"op": "rename_section", "section": "C", "name": "B"}),
            "ops[0].section: section C not found; the deck has 1 `A`, 2 `A`",
        ),
        (
            json!({"op": "delete_section", "section": 3}),
            "ops[0].section: section 3 not found; the deck has 1 `A`, 2 `A`",
        ),
        (
            json!({"op": "add_section", "name": "B", "slide": 2}),
            "ops[0].index: slide 2 already begins the section `A`; rename_section renames it",
        ),
        (json!({"op": "add_section", "name": " \u{1}"}), "ops[0].name: missing: the name of the section"),
        (json!({"op": "move_slide", "slide": 1}), "ops[0].to: give either `to` or `section`"),
        (
            json!({"op": "move_slide", "slide": 1, "to_slide": 2, "section": 1}),
            "ops[0].to: give either `to` or `section`",
        ),
    ];
    for (op, wanted) in cases {
        assert_eq!(refused(&bytes, json!([op])).to_string(), wanted);
    }
}

#[test]
fn slides_are_hidden_and_shown() {
    let hidden =
        run(Some(deck(2)), json!([{"op": "hide_slide", "slide": 2}, {"op": "hide_slide", "slide": 2}])).unwrap();
    assert_eq!(hidden.warnings, ["ops[1].index: the slide was hidden already"]);
    assert!(part(&hidden.bytes, "ppt/slides/slide2.xml").contains(r#" show="0""#));
    let shown = run(Some(hidden.bytes), json!([{"op": "show_slide", "slide": 2}])).unwrap();
    assert_eq!(part(&shown.bytes, "ppt/slides/slide2.xml"), part(&deck(2), "ppt/slides/slide2.xml"));
    let error = refused(&deck(2), json!([{"op": "hide_slide", "slide": 3}]));
    assert_eq!(error.to_string(), "ops[0].index: slide 3 not found; the deck has 2 slides");
}

#[test]
fn backgrounds_are_set_replaced_and_removed() {
    let applied = run(Some(deck(2)), json!([{"op": "set_background", "all_slides": true, "color": "navy"}, {"op": "set_background", "slide": 1, "color": "Accent 2"}])).unwrap();
    let first = part(&applied.bytes, "ppt/slides/slide1.xml");
    assert!(first.contains(r#"<p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val="accent2"/></a:solidFill><a:effectLst/></p:bgPr></p:bg><p:spTree>"#));
    assert!(part(&applied.bytes, "ppt/slides/slide2.xml").contains(r#"<a:srgbClr val="000080"/>"#));
    let cleared = run(Some(applied.bytes), json!([{"op": "set_background", "slide": 1, "clear": true}])).unwrap();
    assert_eq!(part(&cleared.bytes, "ppt/slides/slide1.xml"), part(&deck(2), "ppt/slides/slide1.xml"));
    let error = refused(&deck(1), json!([{"op": "set_background", "slide": 1, "color": "mauvish"}]));
    assert_eq!(error.to_string(), "ops[0].color: expected a colour such as #2F5496 or `navy`");
    let error = refused(&deck(1), json!([{"op": "set_background", "color": "red"}]));
    assert_eq!(error.to_string(), "ops[0].index: missing: the slide, or all_slides");
}

#[test]
fn another_layout_takes_the_texts_along() {
    let bytes = deck(1);
    let applied = run(Some(bytes), json!([{"op": "set_slide_layout", "slide": 1, "layout": "two_content"}])).unwrap();
    assert_eq!(applied.changes[0].details["old"], "Title and Content");
    assert_eq!(applied.warnings, Vec::<String>::new());
    let content = read(&applied.bytes, "PptxGetSlideContent", json!({}));
    let shapes = content["slide"]["shapes"].as_array().unwrap();
    assert_eq!(content["slide"]["layout"], "Two Content");
    assert_eq!(shapes.len(), 3);
    let rels = part(&applied.bytes, "ppt/slides/_rels/slide1.xml.rels");
    assert_eq!(rels.matches("slideLayout").count(), 3, "{rels}");
    // To a layout without a place for the text: it stays where it was, and the empty placeholder goes.
    let applied =
        run(Some(applied.bytes), json!([{"op": "set_slide_layout", "slide": 1, "layout": "Title Only"}])).unwrap();
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    assert_eq!(applied.changes[0].details["placeholders_removed"].as_array().unwrap().len(), 1);
    assert_eq!(applied.warnings.len(), 1);
    assert!(slide.contains("<a:off ") && slide.contains("<a:t>b</a:t>"), "{slide}");
    let error = refused(&deck(1), json!([{"op": "set_slide_layout", "slide": 1, "layout": "Nope"}]));
    assert!(error.to_string().starts_with("ops[0].layout: layout `Nope` not found; the deck has Title Slide,"));
}

/// A deck with a second master, whose layouts have the same names.
fn two_masters() -> Vec<u8> {
    let mut package = Package::open(deck(1), Limits::default()).unwrap();
    template::add_master(&mut package).unwrap();
    let theme = String::from_utf8(package.read("ppt/theme/theme2.xml").unwrap()).unwrap();
    package.set("ppt/theme/theme2.xml", theme.replace("name=\"Jig\">", "name=\"Second\">").as_bytes());
    package.save().unwrap()
}

#[test]
fn a_new_slide_keeps_the_master_of_its_neighbour() {
    let layout = |bytes: &[u8], number: usize| part(bytes, &format!("ppt/slides/_rels/slide{number}.xml.rels"));
    let bytes = run(
        Some(two_masters()),
        json!([{"op": "add_slide", "layout": "Title Only", "master": "second", "title": "t"}]),
    )
    .unwrap()
    .bytes;
    assert!(layout(&bytes, 2).contains("slideLayout17.xml"), "{}", layout(&bytes, 2));
    // Behind that slide the same name is the layout of its master; at the start that of the first.
    let ops = json!([{"op": "add_slide", "layout": "Title Only"}, {"op": "add_slide", "layout": "Title Only", "slide": 1}, {"op": "add_slide"}]);
    let bytes = run(Some(bytes), ops).unwrap().bytes;
    assert!(layout(&bytes, 3).contains("slideLayout17.xml"));
    assert!(layout(&bytes, 4).contains("slideLayout6.xml"));
    assert!(layout(&bytes, 5).contains("slideLayout13.xml"));
    let bytes =
        run(Some(bytes), json!([{"op": "add_slide", "like": 1}, {"op": "add_slide", "layout": 21}])).unwrap().bytes;
    assert!(layout(&bytes, 6).contains("slideLayout6.xml"));
    assert!(layout(&bytes, 7).contains("slideLayout22.xml"));
    let map = read(&bytes, "PptxGetMap", json!({}));
    assert_eq!((&map["layouts"][21]["name"], &map["layouts"][21]["master"]), (&map["layouts"][10]["name"], &json!(1)));
    let error = refused(&bytes, json!([{"op": "add_slide", "master": 2}]));
    assert_eq!(error.to_string(), "ops[0].master: master 2 not found; the deck has 0 `Jig`, 1 `Second`");
    let error = refused(&bytes, json!([{"op": "add_slide", "like": 1, "layout": "Blank"}]));
    assert_eq!(error.to_string(), "ops[0].like: give either like or layout");
    let error = refused(&bytes, json!([{"op": "add_slide", "layout": "Blank", "title": "t"}]));
    assert!(error.to_string().contains("it has no placeholders"), "{error}");
}

#[test]
fn text_is_replaced_in_layouts_when_asked() {
    let bytes = deck(1);
    let ops = json!([{"op": "replace_text", "search": "Click to edit the title", "replace": "Title here"}]);
    assert_eq!(run(Some(bytes.clone()), ops).unwrap().changes[0].details["replacements"], 0);
    let ops =
        json!([{"op": "replace_text", "search": "Click to edit the title", "replace": "Title here", "layouts": true}]);
    let applied = run(Some(bytes), ops).unwrap();
    assert!(applied.changes[0].details["layout_replacements"].as_u64().unwrap() >= 1);
    assert!(part(&applied.bytes, "ppt/slideMasters/slideMaster1.xml").contains("Title here"));
}
