//! Decks that lack parts: what needs them is left out, and the rest is read and can be edited.

use super::*;

/// A deck with a slide that has an image and notes.
fn complete() -> Making {
    let picture = r#"<p:pic><p:nvPicPr><p:cNvPr id="3" name="Picture 2"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId9"/></p:blipFill><p:spPr/></p:pic>"#;
    let title = text_shape(2, "Title 1", r#"type="title""#, "<a:p><a:r><a:t>Results</a:t></a:r></a:p>");
    let making = Making::new().slide(&format!("{title}{picture}")).part("ppt/media/image1.png", "image/png", "pixels");
    let bytes = run(Some(making.bytes()), json!([{"op": "set_notes", "index": 0, "text": "Remember"}])).unwrap().bytes;
    Making { package: Package::open(bytes, Limits::default()).unwrap() }
}

#[test]
fn each_part_but_the_slide_itself_can_be_missing() {
    let needed = ["[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"];
    let slide = complete().package.names().find(|name| name.starts_with("ppt/slides/slide")).unwrap().to_owned();
    let names: Vec<String> = complete().package.names().map(str::to_owned).collect();
    let optional = names.iter().filter(|name| !needed.contains(&name.as_str()) && **name != slide);
    let mut checked = 0;
    for name in optional {
        let mut package = complete().package;
        package.remove(name);
        let bytes = package.save().unwrap();
        let map = read(&bytes, "PptxGetMap", json!({}));
        assert_eq!(map["slides"][0]["title"], "Results", "without {name}");
        assert!(text(&bytes).contains("Results"), "without {name}");
        let keeps_notes = !name.starts_with("ppt/notesSlides/notesSlide") && !name.starts_with("ppt/slides/_rels");
        assert_eq!(map["slides"][0]["has_notes"], json!(keeps_notes), "without {name}");
        for method in ["PptxGetSlideContent", "PptxGetStyles"] {
            let reply = call(&Deck::open(bytes.clone(), Limits::default()).unwrap(), method, &json!({}));
            assert!(reply.is_ok(), "{method} without {name}: {:?}", reply.err());
        }
        let ops = json!([{"op": "replace_text", "search": "Results", "replace": "Outcome"}]);
        let applied = run(Some(bytes), ops).unwrap();
        assert_eq!(read(&applied.bytes, "PptxGetMap", json!({}))["slides"][0]["title"], "Outcome", "without {name}");
        checked += 1;
    }
    assert!(checked > 10, "only {checked} parts were removed");
}

#[test]
fn a_missing_slide_is_reported_and_does_not_hide_the_others() {
    let deck =
        Making::new().slide(&text_shape(2, "Title 1", r#"type="title""#, "<a:p><a:r><a:t>One</a:t></a:r></a:p>"));
    let deck = deck.slide(&text_shape(2, "Title 1", r#"type="title""#, "<a:p><a:r><a:t>Two</a:t></a:r></a:p>"));
    let mut package = deck.package;
    let slides: Vec<String> =
        package.names().filter(|name| name.starts_with("ppt/slides/slide")).map(str::to_owned).collect();
    package.remove(&slides[0]);
    let map = read(&package.save().unwrap(), "PptxGetMap", json!({}));
    assert_eq!((&map["slide_count"], &map["slides"][0]["title"]), (&json!(1), &json!("Two")));
    assert_eq!(map["warnings"].as_array().unwrap().len(), 1, "{map}");
}

#[test]
fn layouts_of_several_masters_have_their_own_master() {
    let source = Making::new().with("ppt/theme/theme1.xml", "<a:dk2>", "<a:dk2><!-- other -->").bytes();
    let target = Making::new().slide(&text_shape(2, "Title 1", r#"type="title""#, "<a:p/>")).bytes();
    let copied = crate::pptx::copy_assets(
        Arc::from(source),
        Some(Arc::from(target)),
        &json!(["layout:Title Only", "layout:Two Content"]),
        &ApplyOptions::default(),
    );
    let bytes = copied.unwrap().bytes;
    let map = read(&bytes, "PptxGetMap", json!({}));
    let layouts = map["layouts"].as_array().unwrap();
    let of_master = |master: usize| -> Vec<&str> {
        let own = layouts.iter().filter(|layout| layout["master"] == json!(master));
        own.map(|layout| layout["name"].as_str().unwrap()).collect()
    };
    assert_eq!(of_master(0).len(), 11);
    assert_eq!(of_master(1), ["1_Title Only", "1_Two Content"]);
    // A layout by name is that of its master, and a kind is that of the first master which has it.
    for (layout, used) in
        [("1_Two Content", "1_Two Content"), ("two_content", "Two Content"), ("title_only", "Title Only")]
    {
        let added = run(Some(bytes.clone()), json!([{"op": "add_slide", "layout": layout, "title": "New"}])).unwrap();
        let map = read(&added.bytes, "PptxGetMap", json!({}));
        assert_eq!((&map["slides"][1]["layout"], &map["slides"][1]["title"]), (&json!(used), &json!("New")));
        let slide = map["slides"].as_array().unwrap().len();
        assert_eq!(slide, 2);
    }
}
