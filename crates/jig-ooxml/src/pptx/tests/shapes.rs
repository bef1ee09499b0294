//! Ops on any shape: text, place, deletion.

use super::*;

/// A slide with a title, a group that is shown at half its size, a picture with a fallback, and an animation.
fn deck() -> Vec<u8> {
    let inner = text_shape(5, "Inner", "", "<a:p><a:r><a:rPr b=\"1\"/><a:t>in</a:t></a:r></a:p>").replace(
        "<p:spPr/>",
        r#"<p:spPr><a:xfrm><a:off x="200" y="400"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>"#,
    );
    let other = text_shape(6, "Same", "", "<a:p/>");
    let group = format!(
        r#"<p:grpSp><p:nvGrpSpPr><p:cNvPr id="4" name="Group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="914400" y="0"/><a:ext cx="500" cy="500"/><a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>{inner}{other}</p:grpSp>"#
    );
    let same = text_shape(7, "Same", "", "<a:p/>");
    let line = r#"<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="8" name="Line"/><p:cNvCxnSpPr><a:stCxn id="5" idx="0"/><a:endCxn id="7" idx="0"/></p:cNvCxnSpPr><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>"#;
    let alternate = format!(
        r#"<mc:AlternateContent><mc:Choice Requires="a14">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>"#,
        text_shape(9, "Maths", "", "<a:p><a:r><a:t>x</a:t></a:r></a:p>"),
        text_shape(9, "Maths", "", "<a:p><a:r><a:t>old x</a:t></a:r></a:p>")
    );
    let effect = |id: u32| {
        format!(
            r#"<p:par><p:cTn><p:childTnLst><p:set><p:cBhvr><p:cTn/><p:tgtEl><p:spTgt spid="{id}"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par>"#
        )
    };
    let timing = format!(
        r#"<p:timing><p:tnLst><p:par><p:cTn><p:childTnLst>{}{}</p:childTnLst></p:cTn></p:par></p:tnLst><p:bldLst><p:bldP spid="7" grpId="0"/><p:bldP spid="5" grpId="0"/></p:bldLst></p:timing>"#,
        effect(5),
        effect(7)
    );
    let title = text_shape(2, "Title 1", "type=\"title\"", "<a:p/>");
    let making = Making::new().slide(&format!("{title}{group}{same}{line}{alternate}"));
    making.with("ppt/slides/slide1.xml", "</p:cSld>", &format!("</p:cSld>{timing}")).bytes()
}

fn slide(bytes: &[u8]) -> String {
    part(bytes, "ppt/slides/slide1.xml")
}

#[test]
fn shapes_are_found_by_name_id_address_and_kind() {
    for shape in [json!("Inner"), json!("inner"), json!(5), json!("5"), json!("1.0")] {
        let applied =
            run(Some(deck()), json!([{"op": "set_shape_text", "slide": 1, "shape": shape, "text": "new"}])).unwrap();
        assert_eq!(applied.changes[0].summary, "Set the text of Inner on slide 1.");
        assert!(slide(&applied.bytes).contains(r#"<a:r><a:rPr b="1"/><a:t>new</a:t></a:r>"#));
    }
    let applied =
        run(Some(deck()), json!([{"op": "set_shape_text", "slide": 1, "shape": "title", "text": "t"}])).unwrap();
    assert_eq!(applied.changes[0].details["shape"], "Title 1");
}

#[test]
fn unclear_shapes_are_refused_with_those_that_there_are() {
    let error =
        |shape: Value| refused(&deck(), json!([{"op": "set_shape_text", "index": 0, "shape": shape, "text": "t"}]));
    assert_eq!(
        error(json!("Iner")).to_string(),
        "ops[0].shape: shape Iner not found on slide 1; it has Title 1 (id 2), Group (id 4), Inner (id 5), Same (id 6), Same (id 7), Line (id 8), Maths (id 9)"
    );
    assert_eq!(error(json!("Iner")).suggestions[0], "Inner");
    let same = error(json!("same"));
    assert_eq!(same.to_string(), "ops[0].shape: slide 1 has 2 shapes named same; give the id of one: 6, 7");
    assert_eq!(
        error(json!("Group")).to_string(),
        "ops[0].shape: the shape Group is a group and has no text of its own; name a shape inside the group"
    );
}

#[test]
fn text_takes_levels_formats_and_both_branches() {
    let ops = json!([
        {"op": "set_shape_text", "index": 0, "shape": 9, "text": "y < 1", "font_size": 20, "color": "red"},
        {"op": "set_shape_text", "index": 0, "shape": 7, "paragraphs": ["a", {"text": "b", "level": 1}], "bold": true, "alignment": "center"},
        {"op": "set_shape_text", "index": 0, "shape": 7, "text": "c", "append": true},
        {"op": "set_shape_text", "index": 0, "shape": 5, "clear": true},
    ]);
    let applied = run(Some(deck()), ops).unwrap();
    let slide = slide(&applied.bytes);
    let run = r#"<a:rPr sz="2000"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr><a:t>y &lt; 1</a:t>"#;
    assert_eq!(slide.matches(run).count(), 2);
    assert!(!slide.contains("old x"));
    assert!(
        slide.contains(r#"<a:p><a:pPr lvl="1" algn="ctr"/><a:r><a:rPr b="1"/><a:t>b</a:t></a:r></a:p>"#),
        "{slide}"
    );
    assert!(slide.contains("<a:t>c</a:t>"));
    assert!(!slide.contains("<a:t>in</a:t>"));
}

#[test]
fn text_boxes_are_added_where_they_are_asked_for() {
    let ops = json!([
        {"op": "add_text_box", "index": 0, "text": "one\ntwo", "left": 1, "top": 2, "width": 3, "height": 0.5, "fill": "navy", "name": "Note & co"},
        {"op": "add_text_box", "index": 0, "text": "wide", "left": 12, "top": 7.3},
    ]);
    let applied = run(Some(deck()), ops).unwrap();
    let slide = slide(&applied.bytes);
    assert!(slide.contains(r#"<p:cNvPr id="10" name="Note &amp; co"/>"#));
    assert!(slide.contains(r#"<a:off x="914400" y="1828800"/><a:ext cx="2743200" cy="457200"/>"#));
    assert!(slide.contains(r#"<a:solidFill><a:srgbClr val="000080"/></a:solidFill></p:spPr><p:txBody><a:bodyPr wrap="square" rtlCol="0"><a:noAutofit/></a:bodyPr>"#));
    assert_eq!(applied.changes[1].details["shape"], "TextBox 10");
    assert_eq!(applied.warnings, ["ops[1]: the text box reaches beyond the slide; the slide is 13.33 by 7.5 inches"]);
    let error = refused(&deck(), json!([{"op": "add_text_box", "index": 0, "text": "t", "left": 914400}]));
    assert_eq!(error.to_string(), "ops[0].left: expected inches from -100 to 100");
    let error = refused(&deck(), json!([{"op": "add_text_box", "index": 0}]));
    assert_eq!(error.to_string(), "ops[0].text: missing: the text of the text box");
}

#[test]
fn a_shape_in_a_group_is_moved_in_the_measure_of_the_group() {
    let applied =
        run(Some(deck()), json!([{"op": "move_shape", "index": 0, "shape": 5, "left": 2, "width": 1}])).unwrap();
    // One inch right of the group's left edge, at half the scale.
    assert!(slide(&applied.bytes).contains(r#"<a:off x="1828800" y="400"/><a:ext cx="1828800" cy="100"/>"#));
    assert_eq!(applied.warnings, ["ops[0]: connectors that are attached to the shape stay where they are: Line"]);
    let content = read(&applied.bytes, "PptxGetSlideContent", json!({}));
    let inner = &content["slide"]["shapes"][1]["shapes"][0];
    assert_eq!((&inner["left"], &inner["width"], &inner["id"]), (&json!(1_828_800), &json!(914_400), &json!(5)));
}

#[test]
fn a_placeholder_gets_a_place_of_its_own_that_begins_where_its_layout_has_it() {
    let applied =
        run(Some(deck()), json!([{"op": "move_shape", "index": 0, "shape": "title", "top": 1, "rotation": 90}]))
            .unwrap();
    let wanted = r#"<p:spPr><a:xfrm rot="5400000"><a:off x="838200" y="914400"/><a:ext cx="10515600" cy="1325563"/></a:xfrm></p:spPr>"#;
    assert!(slide(&applied.bytes).contains(wanted), "{}", slide(&applied.bytes));
    assert_eq!(applied.changes[0].details["old"]["top"], json!(0.399));
    let error = refused(&deck(), json!([{"op": "move_shape", "index": 0, "shape": 7, "left": 1}]));
    assert_eq!(
        error.to_string(),
        "ops[0].shape: the shape Same has no place of its own and inherits none; give left, top, width and height"
    );
    let error = refused(&deck(), json!([{"op": "move_shape", "index": 0, "shape": 7}]));
    assert_eq!(error.to_string(), "ops[0].left: missing: left, top, width, height or rotation");
}

#[test]
fn a_deleted_shape_takes_its_animations_ends_of_connectors_and_branches_along() {
    let applied = run(Some(deck()), json!([{"op": "delete_shape", "index": 0, "shape": "Group"}])).unwrap();
    let text = slide(&applied.bytes);
    assert!(!text.contains("Inner") && !text.contains(r#"spid="5""#) && !text.contains("stCxn"), "{text}");
    assert!(text.contains(r#"<a:endCxn id="7" idx="0"/>"#));
    let left = r#"<p:childTnLst><p:par><p:cTn><p:childTnLst><p:set><p:cBhvr><p:cTn/><p:tgtEl><p:spTgt spid="7"/>"#;
    assert!(text.contains(left), "{text}");
    assert!(text.contains(r#"<p:bldLst><p:bldP spid="7" grpId="0"/></p:bldLst>"#));
    let ops = json!([{"op": "delete_shape", "index": 0, "shape": 5}, {"op": "delete_shape", "index": 0, "shape": 7}, {"op": "delete_shape", "index": 0, "shape": 9}]);
    let text = slide(&run(Some(deck()), ops).unwrap().bytes);
    assert!(!text.contains("p:timing") && !text.contains("mc:AlternateContent"), "{text}");
}

#[test]
fn a_deleted_picture_takes_its_image_along_unless_it_is_used_elsewhere() {
    let ops = json!([
        {"op": "insert_image", "index": 0, "data_base64": PIXELS, "name": "One"},
        {"op": "insert_image", "index": 0, "data_base64": PIXELS, "name": "Two"},
    ]);
    let two = run(Some(deck()), ops).unwrap().bytes;
    let once = run(Some(two), json!([{"op": "delete_shape", "index": 0, "shape": "One"}])).unwrap();
    assert_eq!(once.changes[0].details["parts_removed"], 0);
    let twice = run(Some(once.bytes), json!([{"op": "delete_shape", "index": 0, "shape": "Two"}])).unwrap();
    assert!(changed(&twice).contains(&"-ppt/media/image1.png".to_owned()));
    assert!(!part(&twice.bytes, "ppt/slides/_rels/slide1.xml.rels").contains("image"));
}

#[test]
fn a_picture_gets_another_image_in_its_place() {
    let one = run(Some(deck()), json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS, "name": "One", "left": 1, "top": 1, "width": 2, "height": 2}])).unwrap().bytes;
    let other = "R0lGODlhAQACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAIAAAICBAoAOw==";
    let applied = run(
        Some(one.clone()),
        json!([{"op": "insert_image", "index": 0, "replace": "One", "data_base64": other, "alt_text": "new"}]),
    )
    .unwrap();
    let text = slide(&applied.bytes);
    assert!(text.contains(r#"<a:srcRect t="25000" b="25000"/>"#), "{text}");
    assert!(text.contains(r#"descr="new""#) && text.contains(r#"<a:off x="914400" y="914400"/>"#));
    assert!(changed(&applied).contains(&"-ppt/media/image1.png".to_owned()));
    let ops = json!([{"op": "insert_image", "index": 0, "replaces": "One", "data_base64": other, "fit": "contain"}]);
    let text = slide(&run(Some(one.clone()), ops).unwrap().bytes);
    assert!(text.contains(r#"<a:off x="1371600" y="914400"/><a:ext cx="914400" cy="1828800"/>"#), "{text}");
    let error = refused(&one, json!([{"op": "insert_image", "index": 0, "replaces": 7, "data_base64": other}]));
    assert_eq!(error.to_string(), "ops[0].replaces: the shape Same is a auto_shape, not a picture");
}
