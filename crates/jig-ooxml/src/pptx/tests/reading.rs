//! What the read methods answer.

use super::*;
use pretty::*;

mod pretty {
    /// A group that halves what is in it and is turned by 90 degrees, with a box in its upper left corner.
    pub(super) const GROUP: &str = r#"<p:grpSp><p:nvGrpSpPr><p:cNvPr id="5" name="Group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm rot="5400000"><a:off x="1000" y="1000"/><a:ext cx="1000" cy="1000"/><a:chOff x="0" y="0"/><a:chExt cx="2000" cy="2000"/></a:xfrm></p:grpSpPr><p:sp><p:nvSpPr><p:cNvPr id="6" name="Inner"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="400" cy="200"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>grouped</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>"#;
    pub(super) const TABLE: &str = r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="7" name="Table 1"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid><a:tr h="1"><a:tc gridSpan="2"><a:txBody><a:bodyPr/><a:p><a:r><a:t>wide</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p><a:r><a:t>unseen</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr h="1"><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>a|b</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>x</a:t></a:r></a:p><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"#;
    pub(super) const CHOICE: &str = r#"<mc:AlternateContent><mc:Choice Requires="p14"><p:sp><p:nvSpPr><p:cNvPr id="8" name="New"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>once</a:t></a:r></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback><p:sp><p:nvSpPr><p:cNvPr id="8" name="Old"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>once</a:t></a:r></a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>"#;
}

fn rich() -> Vec<u8> {
    let body = r#"<a:p><a:r><a:rPr b="1" sz="2400"><a:solidFill><a:srgbClr val="ff0000"/></a:solidFill><a:latin typeface="Arial"/></a:rPr><a:t>one</a:t></a:r><a:br/><a:fld id="{1}" type="slidenum"><a:t>1</a:t></a:fld></a:p><a:p><a:pPr lvl="1" algn="ctr"/><a:r><a:t>two &amp; three</a:t></a:r></a:p>"#;
    let shapes = [
        text_shape(3, "Body", r#"idx="1""#, body),
        text_shape(2, "Title", r#"type="title""#, "<a:p><a:r><a:t>The </a:t></a:r><a:r><a:t>title</a:t></a:r></a:p>"),
        GROUP.to_owned(),
        TABLE.to_owned(),
        CHOICE.to_owned(),
    ];
    let bytes =
        Making::new().slide(&shapes.concat()).with("ppt/slides/slide1.xml", "<p:sld ", "<p:sld show=\"0\" ").bytes();
    run(Some(bytes), json!([{"op": "set_notes", "index": 0, "text": "say it\nslowly"}])).unwrap().bytes
}

#[test]
fn text_is_in_reading_order_with_groups_tables_and_notes() {
    let wanted = "# Slide 1 (hidden)\nThe title\none\n1\n  two & three\ngrouped\n| wide |  |\n| --- | --- |\n| a\\|b | x<br>y |\nonce\n\nNotes:\nsay it\nslowly\n";
    assert_eq!(text(&rich()), wanted);
    let one = read(&rich(), "PptxExtractText", json!({"slide_index": 0}));
    let chunk = json!({"chunk_index": 0, "total_chunks": 1, "has_more": false, "range": "slide 0"});
    assert_eq!(one, json!({"text": wanted, "chunk_info": chunk}));
}

#[test]
fn the_map_tells_what_is_on_a_slide() {
    let mut map = read(&rich(), "PptxGetMap", json!({}));
    assert_eq!(map["layouts"].as_array_mut().unwrap().drain(..).count(), 11);
    let slide = json!({
        "index": 0, "title": "The title", "layout": "Title and Content", "has_images": false, "has_charts": false,
        "has_notes": true, "has_tables": true, "has_smart_art": false, "has_media": false, "has_comments": false,
        "hidden": true, "section": null, "shape_count": 6, "image_count": 0, "char_count": 47,
    });
    let wanted = json!({
        "slides": [slide], "slide_count": 1,
        "slide_size": {"width": 12_192_000, "height": 6_858_000, "unit": "emu"},
        "sections": [], "layouts": [], "has_notes_master": true, "warnings": [],
    });
    assert_eq!(map, wanted);
}

#[test]
fn shapes_have_their_fields_and_inherit_their_places() {
    let content = read(&rich(), "PptxGetSlideContent", json!({"index": 0, "detail": "positioned"}));
    let slide = &content["slide"];
    assert_eq!(slide["notes"], "say it\nslowly");
    let run = |index: usize, text: &str| json!({"index": index, "text": text, "bold": null, "italic": null, "underline": null, "size_pt": null, "font_name": null, "color": null});
    let mut styled = run(0, "one");
    styled["bold"] = true.into();
    styled["size_pt"] = 24.0.into();
    styled["font_name"] = "Arial".into();
    styled["color"] = "#FF0000".into();
    let mut field = run(1, "1");
    field["field"] = "slidenum".into();
    // The frame is the master's: neither slide nor layout has one.
    let body = json!({
        "index": 0, "address": "0", "id": 3, "name": "Body", "shape_type": "placeholder", "z_index": 0,
        "left": 838_200, "top": 1_825_625, "width": 10_515_600, "height": 4_351_338, "rotation": 0.0,
        "text_blocks": [
            {"index": 0, "level": 0, "text": "one\n1", "alignment": null, "runs": [styled, field]},
            {"index": 1, "level": 1, "text": "two & three", "alignment": "center", "runs": [run(0, "two & three")]},
        ],
        "has_image": false, "placeholder_type": "obj", "placeholder_index": 1,
    });
    assert_eq!(slide["shapes"][0], body);
    let table = json!({"row_count": 2, "col_count": 2, "rows": [["wide", ""], ["a|b", "x\ny"]]});
    assert_eq!(slide["shapes"][3]["table"], table);
    let positioned = &slide["positioned"];
    assert_eq!(positioned["positioned_shapes"].as_array().unwrap().len(), 5);
    assert_eq!(positioned["font_families"], json!(["Arial"]));
    assert_eq!(positioned["positioned_shapes"][0]["x"], 0.06875);
}

#[test]
fn a_group_moves_scales_and_turns_what_is_in_it() {
    let content = read(&rich(), "PptxGetSlideContent", json!({}));
    let inner = &content["slide"]["shapes"][2]["shapes"][0];
    // Halved to 200 by 100 at (1000, 1000): the centre (1100, 1050) turns around (1500, 1500) to (1950, 1100).
    let place = ["left", "top", "width", "height"].map(|name| inner[name].as_i64().unwrap());
    assert_eq!(
        (place, inner["rotation"].as_f64().unwrap(), &inner["address"]),
        ([1850, 1050, 200, 100], 90.0, &json!("2.0"))
    );
}

#[test]
fn text_is_found_with_its_place() {
    let found = read(&rich(), "PptxFind", json!({"query": "X"}));
    let wanted = json!({
        "slide_index": 0, "shape_index": 3, "shape_address": "3", "shape_name": "Table 1", "where": "table",
        "row": 1, "col": 1, "snippet": "x y",
    });
    assert_eq!(found, json!({"query": "X", "matches": [wanted], "match_count": 1, "has_more": false, "warnings": []}));
    let notes = read(&rich(), "PptxFind", json!({"query": "SLOW"}));
    assert_eq!(notes["matches"], json!([{"slide_index": 0, "where": "notes", "snippet": "say it slowly"}]));
    assert_eq!(read(&rich(), "PptxFind", json!({"query": "SLOW", "match_case": true}))["match_count"], 0);
    let cut = read(&rich(), "PptxFind", json!({"query": "o", "max_results": 1}));
    assert_eq!((cut["matches"].as_array().unwrap().len(), &cut["has_more"]), (1, &json!(true)));
}

#[test]
fn wrong_parameters_are_told() {
    let deck = Deck::open(rich(), Limits::default()).unwrap();
    let cases = [
        ("PptxExtractText", json!({"slide_index": 1}), "slide_index: slide 2 not found; the deck has 1 slide"),
        ("PptxFind", json!({}), "query: missing: the text to search for"),
    ];
    for (method, params, wanted) in cases {
        assert_eq!(call(&deck, method, &params).unwrap_err().to_string(), wanted);
    }
}

#[test]
fn a_damaged_slide_does_not_hide_the_others() {
    let bytes = Making::new()
        .slide("")
        .raw_slide("<p:sld")
        .slide(&text_shape(2, "T", r#"type="title""#, "<a:p><a:r><a:t>kept</a:t></a:r></a:p>"))
        .bytes();
    let map = read(&bytes, "PptxGetMap", json!({}));
    assert_eq!((&map["slide_count"], &map["slides"][2]["title"]), (&json!(3), &json!("kept")));
    assert_eq!(map["warnings"].as_array().unwrap().len(), 1);
    assert!(text(&bytes).contains("# Slide 2\n(cannot be read: the part ppt/slides/slide2.xml"));
}
