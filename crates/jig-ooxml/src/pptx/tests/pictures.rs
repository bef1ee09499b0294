//! Images on slides.

use super::*;

fn place(bytes: &[u8], slide: usize, shape: usize) -> (String, [i64; 4]) {
    let content = read(bytes, "PptxGetSlideContent", json!({"slide_index": slide}));
    let shape = &content["slide"]["shapes"][shape];
    let sides = ["left", "top", "width", "height"].map(|name| shape[name].as_i64().unwrap());
    (shape["shape_type"].as_str().unwrap().to_owned(), sides)
}

#[test]
fn a_picture_goes_where_it_is_asked_to() {
    let bytes = run(None, json!([{"op": "add_slide", "layout": "blank"}])).unwrap().bytes;
    let cases = [
        (json!({"left": 1, "top": 2, "width": 4, "height": 3}), [914_400, 1_828_800, 3_657_600, 2_743_200]),
        (json!({"width": 2}), [5_181_600, 2_971_800, 1_828_800, 914_400]),
        (json!({"height": 1}), [5_181_600, 2_971_800, 1_828_800, 914_400]),
        // Two pixels of 96 in an inch, in the middle.
        (json!({}), [6_086_475, 3_424_238, 19_050, 9_525]),
    ];
    for (fields, wanted) in cases {
        let mut op = json!({"op": "insert_image", "index": 0, "data_base64": PIXELS, "alt_text": "a <pic>"});
        op.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let applied = run(Some(bytes.clone()), json!([op])).unwrap();
        assert_eq!(place(&applied.bytes, 0, 0), ("picture".to_owned(), wanted));
        let content = read(&applied.bytes, "PptxGetSlideContent", json!({}));
        let shape = &content["slide"]["shapes"][0];
        assert_eq!(
            (&shape["alt_text"], &shape["image_ref"]),
            (
                &json!("a <pic>"),
                &json!({
                    "rel_id": "rId2", "filename": "image1.png", "ext": "png", "content_type": "image/png", "size_bytes": 68,
                    "sha1": shape["image_ref"]["sha1"],
                })
            )
        );
    }
}

#[test]
fn a_picture_fills_its_placeholder() {
    let bytes = run(None, json!([{"op": "add_slide", "layout": "picture_with_caption"}])).unwrap().bytes;
    let applied = run(
        Some(bytes),
        json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS, "placeholder": "pic", "left": 1}]),
    )
    .unwrap();
    assert_eq!(applied.warnings, ["ops[0].placeholder: left, top, width and height are ignored in a placeholder"]);
    assert_eq!(place(&applied.bytes, 0, 1), ("picture".to_owned(), [5_183_188, 987_425, 6_172_200, 4_873_625]));
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    // 2 by 1 in a frame of 1.2665 by 1: what is left and right of the middle is cut off.
    assert!(slide.contains(r#"<a:srcRect l="18339" r="18339"/>"#), "{slide}");
    assert!(slide.contains(r#"<p:nvPr><p:ph type="pic" idx="1"/></p:nvPr>"#));
    assert_eq!(read(&applied.bytes, "PptxGetMap", json!({}))["slides"][0]["has_images"], true);
}

#[test]
fn a_file_of_the_workbench_is_used_by_its_path() {
    use base64::Engine;
    let picture = base64::engine::general_purpose::STANDARD.decode(PIXELS).unwrap();
    let files = |path: &str| (path == "logo.png").then(|| picture.clone());
    let options = ApplyOptions { files: &files, ..ApplyOptions::default() };
    let ops = json!([{"op": "add_slide", "layout": "blank"}, {"op": "insert_image", "index": 0, "path": "logo.png"}, {"op": "insert_image", "index": 0, "path": "logo.png"}]);
    let applied = apply(None, &ops, &options).unwrap();
    let media: Vec<String> = changed(&applied).into_iter().filter(|part| part.contains("media")).collect();
    assert_eq!(media, ["+ppt/media/image1.png"]);
}
