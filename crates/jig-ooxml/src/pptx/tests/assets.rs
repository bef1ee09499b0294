//! Copying from deck to deck.

use super::*;
use crate::pptx::copy_assets;

fn decks() -> (Vec<u8>, Vec<u8>) {
    let styled = r#"<a:p><a:r><a:rPr lang="de-DE" sz="4000" b="1"><a:solidFill><a:schemeClr val="accent2"/></a:solidFill><a:hlinkClick r:id="rId9"/></a:rPr><a:t>x</a:t></a:r></a:p>"#;
    let source = Making::new().slide(&text_shape(2, "From", "", styled)).bytes();
    let source = run(Some(source), json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS, "left": 1, "top": 1, "width": 2, "alt_text": "dot"}])).unwrap().bytes;
    let plain = "<a:p><a:r><a:rPr lang=\"fr-FR\" i=\"1\"/><a:t>y</a:t></a:r><a:r><a:t>z</a:t></a:r></a:p>";
    (source, Making::new().slide(&text_shape(2, "To", "", plain)).bytes())
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better with the value in place")]
fn copy(assets: Value) -> Result<Applied, Error> {
    let (source, target) = decks();
    copy_assets(Arc::from(source), Some(Arc::from(target)), &assets, &ApplyOptions::default())
}

#[test]
fn a_text_style_is_taken_over() {
    let applied = copy(json!(["text_style:0:0->0:0"])).unwrap();
    assert_eq!(changed(&applied), ["ppt/slides/slide1.xml"]);
    let style = r#"sz="4000" b="1"><a:solidFill><a:schemeClr val="accent2"/></a:solidFill></a:rPr>"#;
    let wanted = format!(
        r#"<a:p><a:r><a:rPr lang="fr-FR" {style}<a:t>y</a:t></a:r><a:r><a:rPr {style}<a:t>z</a:t></a:r></a:p>"#
    );
    assert!(part(&applied.bytes, "ppt/slides/slide1.xml").contains(&wanted));
    assert_eq!(
        serde_json::to_value(&applied.changes).unwrap(),
        json!([{
            "index": 0, "op": "copy_asset", "summary": "Copied the text style of 0:0 to 0:0.", "type": "text_style",
            "selector": "text_style:0:0->0:0", "name": "To", "run_count": 2,
        }])
    );
}

#[test]
fn a_picture_is_taken_over() {
    let object = json!({"type": "image", "source_slide_index": 0, "source_shape_index": 1, "target_slide_index": 0});
    for asset in [json!("image:0:1->0"), object] {
        let applied = copy(json!([asset])).unwrap();
        let shapes = read(&applied.bytes, "PptxGetSlideContent", json!({}))["slide"]["shapes"].clone();
        let shape = &shapes[1];
        assert_eq!(
            (&shape["left"], &shape["width"], &shape["alt_text"]),
            (&json!(914_400), &json!(1_828_800), &json!("dot"))
        );
        assert_eq!(shape["image_ref"]["size_bytes"], 68);
        assert_eq!(applied.changes[0].details["sha1"], shape["image_ref"]["sha1"]);
    }
}

#[test]
fn wrong_selectors_are_told() {
    let cases = [
        json!("layout:No such layout"),
        json!("layout: "),
        json!({"type": "layout"}),
        json!("image:0:1"),
        json!("text_style:0:0->0"),
        json!("image:0:7->0"),
        json!("image:0:0->0"),
        json!("image:0:1->5"),
        json!("text_style:0:1->0:0"),
        json!({"type": "image"}),
        json!(3),
        json!("x"),
    ];
    for asset in cases {
        let error = copy(json!([asset])).unwrap_err().to_string();
        assert!(error.starts_with("assets[0]"), "{asset} gives {error}");
    }
}

/// A deck whose layout "Title Only" has an image and a link, under a theme of its own.
fn branded() -> Vec<u8> {
    let layout = "ppt/slideLayouts/slideLayout6.xml";
    let making = Making::new()
        .with("ppt/theme/theme1.xml", "<a:dk2>", "<a:dk2><!-- brand -->")
        .part("ppt/media/image1.png", "image/png", "picture")
        .relationship(layout, "image", "ppt/media/image1.png");
    making.bytes()
}

#[test]
fn a_layout_comes_with_its_master_theme_and_pictures() {
    let (_, target) = decks();
    let before = read(&target, "PptxGetStyles", json!({}))["layouts"].as_array().unwrap().len();
    let assets = json!(["layout:title only", {"type": "layout", "name": "Blank"}, "layout:Blank"]);
    let applied =
        copy_assets(Arc::from(branded()), Some(Arc::from(target)), &assets, &ApplyOptions::default()).unwrap();
    let names: Vec<&Value> = applied.changes.iter().map(|change| &change.details["name"]).collect();
    assert_eq!(names, ["1_Title Only", "1_Blank", "1_Blank"]);
    assert_eq!(
        applied.changes[0].details["parts"],
        json!([
            "ppt/slideMasters/slideMaster2.xml",
            "ppt/theme/theme2.xml",
            "ppt/slideLayouts/slideLayout12.xml",
            "ppt/media/image1.png",
        ])
    );
    assert_eq!(applied.changes[1].details["parts"], json!(["ppt/slideLayouts/slideLayout13.xml"]));
    let layouts = read(&applied.bytes, "PptxGetStyles", json!({}))["layouts"].as_array().unwrap().len();
    assert_eq!(layouts, before + 2);
    let ops = json!([{"op": "add_slide", "layout": "1_Title Only", "title": "On the copy"}]);
    let slide = run(Some(applied.bytes), ops).unwrap().bytes;
    assert_eq!(read(&slide, "PptxGetSlideContent", json!({"slide_index": 1}))["slide"]["layout"], "1_Title Only");
}

#[test]
fn a_layout_of_the_same_master_joins_it() {
    let target = Making::new().bytes();
    let source = Making::new().slide("").bytes();
    let applied = copy_assets(
        Arc::from(source),
        Some(Arc::from(target.clone())),
        &json!(["layout:Blank"]),
        &ApplyOptions::default(),
    )
    .unwrap();
    assert_eq!((applied.bytes, &applied.changes[0].details["parts"]), (target, &json!([])));
}

#[test]
fn media_is_copied_with_its_still_image() {
    let movie = r#"<p:pic xmlns:v="urn:v"><p:nvPicPr><p:cNvPr id="4" name="Movie"><a:hlinkClick r:id="" action="ppaction://media"/></p:cNvPr><p:cNvPicPr/><p:nvPr><a:videoFile r:link="rId2"/></p:nvPr></p:nvPicPr><p:blipFill><a:blip r:embed="rId3"/></p:blipFill><p:spPr><a:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></a:xfrm></p:spPr></p:pic>"#;
    let source = Making::new()
        .slide(movie)
        .part("ppt/media/film.mp4", "video/mp4", "film")
        .part("ppt/media/still.png", "image/png", "still")
        .relationship("ppt/slides/slide1.xml", "video", "ppt/media/film.mp4")
        .relationship("ppt/slides/slide1.xml", "image", "ppt/media/still.png")
        .bytes();
    let target = run(None, json!([{"op": "add_slide", "title": "t"}])).unwrap().bytes;
    let copy = |assets: Value| {
        copy_assets(Arc::from(source.clone()), Some(Arc::from(target.clone())), &assets, &ApplyOptions::default())
    };
    let applied = copy(json!(["media:0:0->0"])).unwrap();
    assert_eq!(applied.changes[0].summary, "Copied the media Movie to slide 1.");
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    let rels = part(&applied.bytes, "ppt/slides/_rels/slide1.xml.rels");
    assert!(rels.contains(r#"relationships/video" Target="../media/image1.mp4""#), "{rels}");
    assert!(slide.contains(r#"id="4" name="Movie""#) && slide.contains(r#"<a:off x="1" y="2"/>"#), "{slide}");
    assert_eq!(read(&applied.bytes, "PptxGetMap", json!({}))["slides"][0]["has_media"], true);
    let error = match copy(json!(["image:0:9->0"])).unwrap_err() {
        Error::Edit(error) => error,
        Error::Package(error) => unreachable!("{error}"),
    };
    assert!(error.to_string().contains("has no shape 0:9"));
}
