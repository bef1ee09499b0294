//! Adding, deleting, moving and copying slides.

use super::*;

fn titled(titles: &[&str]) -> Vec<u8> {
    let ops: Vec<Value> = titles.iter().map(|title| json!({"op": "add_slide", "title": title})).collect();
    match ops.is_empty() {
        true => crate::pptx::template::deck(Limits::default()).unwrap().save().unwrap(),
        false => run(None, Value::Array(ops)).unwrap().bytes,
    }
}

fn titles(bytes: &[u8]) -> Vec<String> {
    let map = read(bytes, "PptxGetMap", json!({}));
    map["slides"].as_array().unwrap().iter().map(|slide| slide["title"].as_str().unwrap_or("-").to_owned()).collect()
}

/// Three slides in two sections, with a custom show of slides 1 and 2, and a link from slide 0 to slide 1.
fn sectioned() -> Vec<u8> {
    let sections = r#"<p:custShowLst><p:custShow name="s" id="0"><p:sldLst><p:sld r:id="rId7"/><p:sld r:id="rId8"/></p:sldLst></p:custShow></p:custShowLst><p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"><p14:section name="One" id="{1}"><p14:sldIdLst><p14:sldId id="256"/><p14:sldId id="257"/></p14:sldIdLst></p14:section><p14:section name="Two" id="{2}"><p14:sldIdLst><p14:sldId id="258"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>"#;
    let mut making = Making { package: Package::open(titled(&["a", "b", "c"]), Limits::default()).unwrap() };
    let ids = Relationships::read(&making.package, "ppt/presentation.xml").unwrap();
    let slides: Vec<&str> = ids.of_kind("slide").map(|found| found.id.as_str()).collect();
    let sections = sections.replace("rId7", slides[1]).replace("rId8", slides[2]);
    making = making.with("ppt/presentation.xml", "</p:presentation>", &sections);
    making = making.relationship("ppt/slides/slide1.xml", "slide", "ppt/slides/slide2.xml");
    making
        .with(
            "ppt/slides/slide1.xml",
            "<a:r><a:t>a",
            r#"<a:r><a:rPr><a:hlinkClick r:id="rId2" action="ppaction://hlinksldjump"/></a:rPr><a:t>a"#,
        )
        .bytes()
}

fn sections(bytes: &[u8]) -> Value {
    read(bytes, "PptxGetMap", json!({}))["sections"].clone()
}

#[test]
fn a_new_deck_has_the_usual_layouts_and_no_slides() {
    let deck = titled(&[]);
    let map = read(&deck, "PptxGetMap", json!({}));
    let names: Vec<&str> =
        map["layouts"].as_array().unwrap().iter().map(|layout| layout["name"].as_str().unwrap()).collect();
    let wanted = [
        "Title Slide",
        "Title and Content",
        "Section Header",
        "Two Content",
        "Comparison",
        "Title Only",
        "Blank",
        "Content with Caption",
        "Picture with Caption",
        "Title and Vertical Text",
        "Vertical Title and Text",
    ];
    assert_eq!((names.as_slice(), &map["slide_count"]), (wanted.as_slice(), &json!(0)));
    let package = Package::open(deck, Limits::default()).unwrap();
    let types = ContentTypes::read(&package).unwrap();
    for name in package.names().filter(|name| *name != "[Content_Types].xml") {
        package.xml(name).unwrap().tree(&Limits::default()).unwrap();
        assert_ne!(types.of(name), Some("application/xml"), "{name}");
    }
}

#[test]
fn an_added_slide_changes_the_list_alone() {
    let bytes = titled(&["a", "b"]);
    let applied = run(
        Some(bytes),
        json!([{"op": "add_slide", "layout": "SECTION header", "index": 1, "title": "new", "body": "x\ny"}]),
    )
    .unwrap();
    let wanted = [
        "[Content_Types].xml",
        "ppt/presentation.xml",
        "ppt/_rels/presentation.xml.rels",
        "+ppt/slides/slide3.xml",
        "+ppt/slides/_rels/slide3.xml.rels",
    ];
    let mut got = changed(&applied);
    got.sort();
    let mut wanted = wanted.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(got, wanted);
    assert_eq!(titles(&applied.bytes), ["a", "new", "b"]);
    let list = part(&applied.bytes, "ppt/presentation.xml");
    let ids: Vec<&str> = list.split("<p:sldId id=\"").skip(1).map(|rest| rest.get(..3).unwrap()).collect();
    assert_eq!(ids, ["256", "258", "257"]);
    let slide = read(&applied.bytes, "PptxGetSlideContent", json!({"slide_index": 1}));
    let shapes: Vec<_> = slide["slide"]["shapes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|shape| (shape["name"].as_str().unwrap(), shape["placeholder_type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        (shapes, &slide["slide"]["layout"]),
        (vec![("Title 1", "title"), ("Text Placeholder 2", "body")], &json!("Section Header"))
    );
}

#[test]
fn a_blank_slide_has_no_place_for_text_whatever_else_is_called_blank() {
    let making = || {
        Making { package: Package::open(titled(&[]), Limits::default()).unwrap() }
            .with("ppt/slideLayouts/slideLayout7.xml", "name=\"Blank\"", "name=\"Leer\"")
            .with("ppt/slideLayouts/slideLayout8.xml", "type=\"objTx\"", "type=\"blank\"")
    };
    let bytes = making().bytes();
    let error = refused(&bytes, json!([{"op": "add_slide", "layout": "blank", "title": "x"}]));
    assert_eq!(error.to_string(), "ops[0].title: the layout `Leer` has no place for a title; it has no placeholders");
    let applied = run(Some(bytes), json!([{"op": "add_slide", "layout": "blank"}])).unwrap();
    assert_eq!(applied.changes[0].details["layout"], "Leer");
    let none = making().with("ppt/slideLayouts/slideLayout7.xml", "type=\"blank\"", "type=\"cust\"").bytes();
    let error = refused(&none, json!([{"op": "add_slide", "layout": "blank", "title": "x"}]));
    assert_eq!(error.at, "ops[0].layout");
}

#[test]
fn layouts_are_found_by_their_kind_and_stood_in_for() {
    let renamed = |kind: &str| {
        let making = Making { package: Package::open(titled(&[]), Limits::default()).unwrap() };
        making
            .with("ppt/slideLayouts/slideLayout2.xml", "name=\"Title and Content\"", "name=\"Titel und Inhalt\"")
            .with("ppt/slideLayouts/slideLayout2.xml", "type=\"obj\"", kind)
            .bytes()
    };
    let applied =
        run(Some(renamed("type=\"obj\"")), json!([{"op": "add_slide", "layout": "title_and_content", "title": "x"}]))
            .unwrap();
    assert_eq!((applied.changes[0].details["layout"].clone(), applied.warnings.len()), (json!("Titel und Inhalt"), 0));
    let applied = run(Some(renamed("")), json!([{"op": "add_slide", "title": "x", "body": "y"}])).unwrap();
    assert_eq!(applied.changes[0].details["layout"], "Title Slide");
    assert_eq!(
        applied.warnings,
        ["ops[0].layout: the deck has no layout of the kind title_and_content; `Title Slide` was used"]
    );
}

#[test]
fn a_deck_without_layouts_gets_them() {
    let mut package = Package::open(titled(&[]), Limits::default()).unwrap();
    let list = part(&package.save().unwrap(), "ppt/presentation.xml");
    let (start, end) = (list.find("<p:sldMasterIdLst>").unwrap(), list.find("</p:sldMasterIdLst>").unwrap());
    package.set(
        "ppt/presentation.xml",
        format!("{}{}", &list[..start], &list[end + "</p:sldMasterIdLst>".len()..]).as_bytes(),
    );
    let applied = run(Some(package.save().unwrap()), json!([{"op": "add_slide", "title": "x"}])).unwrap();
    assert_eq!(titles(&applied.bytes), ["x"]);
    assert_eq!(applied.warnings.len(), 1);
}

#[test]
fn a_deleted_slide_leaves_nothing_behind() {
    let bytes = run(Some(sectioned()), json!([{"op": "set_notes", "index": 1, "text": "n"}, {"op": "insert_image", "index": 1, "data_base64": PIXELS}])).unwrap().bytes;
    let applied = run(Some(bytes), json!([{"op": "delete_slide", "slide_index": 1}])).unwrap();
    let mut got = changed(&applied);
    got.sort();
    let wanted = [
        "-ppt/media/image1.png",
        "-ppt/notesSlides/_rels/notesSlide1.xml.rels",
        "-ppt/notesSlides/notesSlide1.xml",
        "-ppt/slides/_rels/slide2.xml.rels",
        "-ppt/slides/slide2.xml",
        "[Content_Types].xml",
        "ppt/_rels/presentation.xml.rels",
        "ppt/presentation.xml",
        "ppt/slides/_rels/slide1.xml.rels",
        "ppt/slides/slide1.xml",
    ];
    assert_eq!(got, wanted);
    assert_eq!(titles(&applied.bytes), ["a", "c"]);
    assert_eq!(sections(&applied.bytes), json!([{"name": "One", "slides": [0]}, {"name": "Two", "slides": [1]}]));
    assert_eq!(applied.warnings, ["ops[0]: links to the deleted slide were taken out of slide 1"]);
    assert!(!part(&applied.bytes, "ppt/slides/slide1.xml").contains("hlinkClick"));
    assert_eq!(part(&applied.bytes, "ppt/presentation.xml").matches("<p:sld ").count(), 1);
    assert!(!part(&applied.bytes, "[Content_Types].xml").contains("notesSlide1"));
}

#[test]
fn pictures_of_other_slides_stay() {
    let bytes = run(Some(titled(&["a", "b"])), json!([{"op": "insert_image", "index": 0, "data_base64": PIXELS}, {"op": "insert_image", "index": 1, "data_base64": PIXELS}])).unwrap().bytes;
    let applied = run(Some(bytes), json!([{"op": "delete_slide", "index": 0}])).unwrap();
    assert!(!changed(&applied).iter().any(|part| part.contains("media")));
}

#[test]
fn a_moved_slide_changes_its_section() {
    let applied = run(Some(sectioned()), json!([{"op": "move_slide", "index": 0, "to": 2}])).unwrap();
    assert_eq!(
        (titles(&applied.bytes), changed(&applied)),
        (["b", "c", "a"].map(str::to_owned).to_vec(), vec!["ppt/presentation.xml".to_owned()])
    );
    assert_eq!(sections(&applied.bytes), json!([{"name": "One", "slides": [0]}, {"name": "Two", "slides": [1, 2]}]));
    let back = run(Some(applied.bytes), json!([{"op": "move_slide", "from": 2, "to": 0}])).unwrap();
    assert_eq!(titles(&back.bytes), ["a", "b", "c"]);
}

#[test]
fn a_copy_has_charts_and_notes_of_its_own_and_shares_pictures() {
    let chart = r#"<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/>"#;
    let bytes = run(Some(sectioned()), json!([{"op": "set_notes", "index": 0, "text": "n"}, {"op": "insert_image", "index": 0, "data_base64": PIXELS}])).unwrap().bytes;
    let making = Making { package: Package::open(bytes, Limits::default()).unwrap() };
    let bytes = making
        .part("ppt/charts/chart3.xml", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", chart)
        .part("ppt/embeddings/book.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "book")
        .relationship("ppt/charts/chart3.xml", "package", "ppt/embeddings/book.xlsx")
        .relationship("ppt/slides/slide1.xml", "chart", "ppt/charts/chart3.xml")
        .bytes();
    let applied = run(Some(bytes), json!([{"op": "duplicate_slide", "index": 0}])).unwrap();
    assert_eq!(titles(&applied.bytes), ["a", "a", "b", "c"]);
    assert_eq!(sections(&applied.bytes), json!([{"name": "One", "slides": [0, 1, 2]}, {"name": "Two", "slides": [3]}]));
    let package = Package::open(applied.bytes, Limits::default()).unwrap();
    let targets = |part: &str| {
        let mut all: Vec<String> =
            Relationships::read(&package, part).unwrap().list.into_iter().filter_map(|found| found.part).collect();
        all.sort();
        all
    };
    let wanted = [
        "ppt/charts/chart1.xml",
        "ppt/media/image1.png",
        "ppt/notesSlides/notesSlide2.xml",
        "ppt/slideLayouts/slideLayout2.xml",
        "ppt/slides/slide2.xml",
    ];
    assert_eq!(targets("ppt/slides/slide4.xml"), wanted);
    assert_eq!(targets("ppt/charts/chart1.xml"), ["ppt/embeddings/book1.xlsx"]);
    assert_eq!(
        targets("ppt/notesSlides/notesSlide2.xml"),
        ["ppt/notesMasters/notesMaster1.xml", "ppt/slides/slide4.xml"]
    );
    assert_eq!(package.read("ppt/embeddings/book1.xlsx").unwrap(), b"book");
}

#[test]
fn prefixes_and_strict_addresses_of_a_deck_are_kept() {
    let bytes = titled(&["a"]);
    let mut package = Package::open(bytes, Limits::default()).unwrap();
    let strict = |text: String| {
        text.replace(
            "http://schemas.openxmlformats.org/presentationml/2006/main",
            "http://purl.oclc.org/ooxml/presentationml/main",
        )
        .replace("http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main")
        .replace(
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            "http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        .replace("<p:", "<")
        .replace("</p:", "</")
        .replace("xmlns:p=", "xmlns=")
        .replace("<a:", "<d:")
        .replace("</a:", "</d:")
        .replace("xmlns:a=", "xmlns:d=")
        .replace(" r:", " rel:")
        .replace("xmlns:r=", "xmlns:rel=")
    };
    for name in package.names().map(str::to_owned).collect::<Vec<_>>() {
        let text = String::from_utf8(package.read(&name).unwrap()).unwrap();
        package.set(&name, strict(text).as_bytes());
    }
    let ops = json!([
        {"op": "set_slide_text", "index": 0, "title": "b", "alignment": "center"},
        {"op": "append_bullets", "index": 0, "bullets": ["c"]},
        {"op": "insert_image", "index": 0, "data_base64": PIXELS},
        {"op": "set_notes", "index": 0, "text": "n"},
        {"op": "add_slide", "title": "d"},
        {"op": "duplicate_slide", "index": 0},
    ]);
    let applied = run(Some(package.save().unwrap()), ops).unwrap();
    assert_eq!(titles(&applied.bytes), ["b", "b", "d"]);
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    assert!(slide.contains(r#"<d:p><d:pPr algn="ctr"/><d:r><d:t>b</d:t></d:r></d:p>"#), "{slide}");
    assert!(slide.contains(r#"<pic><nvPicPr>"#) && slide.contains(r#"<d:blip rel:embed="#), "{slide}");
    let package = Package::open(applied.bytes, Limits::default()).unwrap();
    for name in package.names().filter(|name| name.ends_with(".rels") || name.ends_with(".xml")) {
        let text = String::from_utf8(package.read(name).unwrap()).unwrap();
        assert!(
            !text.contains("org/officeDocument/2006/relationships") && !text.contains("presentationml/2006/main"),
            "{name}"
        );
    }
}

#[test]
fn a_master_without_layouts_stays_beside_the_new_one() {
    let mut package = Package::open(titled(&[]), Limits::default()).unwrap();
    let master = part(&package.save().unwrap(), "ppt/slideMasters/slideMaster1.xml");
    let (start, end) = (master.find("<p:sldLayoutIdLst>").unwrap(), master.find("<p:txStyles>").unwrap());
    package.set("ppt/slideMasters/slideMaster1.xml", format!("{}{}", &master[..start], &master[end..]).as_bytes());
    for id in Relationships::read(&package, "ppt/slideMasters/slideMaster1.xml")
        .unwrap()
        .of_kind("slideLayout")
        .map(|found| found.id.clone())
        .collect::<Vec<_>>()
    {
        Relationships::remove(&mut package, "ppt/slideMasters/slideMaster1.xml", &id).unwrap();
    }
    let applied = run(Some(package.save().unwrap()), json!([{"op": "add_slide", "title": "x"}])).unwrap();
    let list = part(&applied.bytes, "ppt/presentation.xml");
    let ids: Vec<&str> = list.split("<p:sldMasterId id=\"").skip(1).map(|rest| rest.get(..10).unwrap()).collect();
    assert_eq!((titles(&applied.bytes), ids), (vec!["x".to_owned()], vec!["2147483648", "2147483649"]));
    assert!(part(&applied.bytes, "ppt/slideMasters/slideMaster2.xml").contains(r#"<p:sldLayoutId id="2147483650""#));
}
