//! `DocxExtractText` and `DocxFind`.

use serde_json::json;

use super::sample::{Sample, p, styled};
use super::{call, read, text};
use crate::docx::DocumentIssue;

#[test]
fn everything_in_reading_order() {
    let body = format!(
        "{}{}<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}{}</w:tc></w:tr><w:tr><w:tc>{}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>{}",
        styled("Heading1", "One"),
        p("before"),
        p("a|b"),
        p("c"),
        p("d"),
        p("e"),
        p("after"),
    );
    let wanted = "# One\nbefore\n\n| a\\|b | c<br>d |\n| --- | --- |\n| e | |\n\nafter";
    assert_eq!(text(&Sample::body(&body), &json!({})), wanted);
}

#[test]
fn signs_of_runs() {
    let body = concat!(
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>",
        r#"<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r>"#,
        "<w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>",
        "<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink><w:smartTag><w:r><w:t>tag</w:t></w:r></w:smartTag>",
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>control</w:t></w:r></w:sdtContent></w:sdt></w:p>",
    );
    assert_eq!(text(&Sample::body(body), &json!({})), "a\tb\nc-d✓α漢(kan)linktagcontrol");
}

#[test]
fn fields_show_their_results() {
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let instruction = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let inner = [field("begin"), instruction("MERGEFIELD x"), field("separate"), run("hidden"), field("end")].concat();
    let outer =
        [field("begin"), instruction("IF "), inner, instruction(" = 1"), field("separate"), run("shown"), field("end")];
    let unclosed = [field("begin"), run("kept")].concat();
    let body = format!(
        "<w:p>{}</w:p><w:p><w:fldSimple w:instr=\"PAGE\">{}</w:fldSimple></w:p><w:p>{unclosed}</w:p>",
        outer.concat(),
        run("7"),
    );
    assert_eq!(text(&Sample::body(&body), &json!({})), "shown\n7\nkept");
}

#[test]
fn merged_cells_keep_their_places_and_nested_tables_are_flat() {
    let cell = |properties: &str, inner: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>");
    let nested = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("", &p("x")), cell("", &p("y")));
    let rows = [
        [cell(r#"<w:gridSpan w:val="2"/>"#, &p("wide")), cell(r#"<w:vMerge w:val="restart"/>"#, &p("tall"))].concat(),
        [cell("", &p("1")), cell("", &format!("{nested}{}", p("2"))), cell("<w:vMerge/>", &p("not shown"))].concat(),
    ];
    let body = format!("<w:tbl>{}</w:tbl>", rows.map(|row| format!("<w:tr>{row}</w:tr>")).concat());
    let wanted = "| wide | | tall |\n| --- | --- | --- |\n| 1 | x; y<br>2 | |";
    assert_eq!(text(&Sample::body(&body), &json!({})), wanted);
}

#[test]
fn a_table_that_claims_a_huge_grid_stays_small() {
    let row = r#"<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>"#;
    let text = text(&Sample::body(&format!("<w:tbl>{}</w:tbl>", row.repeat(1_000))), &json!({}));
    assert_eq!(text, format!("| a |\n| --- |{}", "\n| a |".repeat(999)));
}

#[test]
fn notes_boxes_pictures_and_mathematics() {
    let choice = format!(
        "<w:drawing><wp:inline><wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx></wp:inline></w:drawing>",
        p("boxed")
    );
    let fallback = format!(
        "<w:pict><v:shape><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict>",
        p("boxed")
    );
    let boxed = format!(
        "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>"
    );
    let picture = concat!(
        r#"<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A  hill"/><a:graphic><a:graphicData>"#,
        r#"<pic:pic><pic:blipFill><a:blip r:embed="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"#,
    );
    let math =
        "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>";
    let body = format!(
        "<w:p><w:r><w:t>see</w:t><w:endnoteReference w:id=\"5\"/></w:r><w:r><w:footnoteReference w:id=\"3\"/></w:r>{boxed}</w:p><w:p>{picture}{math}</w:p>"
    );
    let mut sample = Sample::body(&body);
    let note = |local: &str, id: u32, text: &str| format!("<w:{local} w:id=\"{id}\">{}</w:{local}>", p(text));
    let separator = "<w:footnote w:type=\"separator\" w:id=\"0\"><w:p/></w:footnote>";
    sample.part(
        "footnotes",
        "footnotes",
        &format!("<w:footnotes DECLARED>{separator}{}</w:footnotes>", note("footnote", 3, "foot")),
    );
    sample.part("endnotes", "endnotes", &format!("<w:endnotes DECLARED>{}</w:endnotes>", note("endnote", 5, "end")));
    let wanted = "see[^e1][^1]\n[text box] boxed\n[image: A hill](a+b)/2\n\n[^e1]: end\n[^1]: foot";
    assert_eq!(text(&sample, &json!({})), wanted);
}

#[test]
fn headers_and_footers_stand_apart() {
    let body = format!(
        "{}<w:sectPr><w:headerReference w:type=\"first\" r:id=\"rId1\"/><w:footerReference w:type=\"default\" r:id=\"rId2\"/></w:sectPr>",
        p("text")
    );
    let mut sample = Sample::body(&body);
    sample.part("header", "header1", &format!("<w:hdr DECLARED>{}</w:hdr>", p("top")));
    sample.part("footer", "footer1", &format!("<w:ftr DECLARED>{}</w:ftr>", p("bottom")));
    assert_eq!(text(&sample, &json!({})), "text\n\n---\n[Header (first page)] top\n[Footer] bottom");
    assert_eq!(text(&sample, &json!({ "include_headers_footers": false })), "text");
    assert_eq!(text(&sample, &json!({ "section": 0 })), "text");
}

#[test]
fn a_section_by_heading_or_index() {
    let body = format!("{}{}{}{}", p("start"), styled("Heading1", "2024"), p("x"), styled("Heading2", "Costs"));
    let sample = Sample::body(&body);
    for section in [json!("2024"), json!(1), json!("1"), json!("# 2024")] {
        assert_eq!(text(&sample, &json!({ "section": section })), "# 2024\nx", "{section}");
    }
    assert_eq!(text(&sample, &json!({ "section": " costs " })), "## Costs");
    let error = |section| call(&sample.open(), "DocxExtractText", &json!({ "section": section })).unwrap_err();
    assert_eq!(error(json!(3)).to_string(), "section: section 3 not found; the document has sections 0 to 2");
    let wanted = crate::edit::EditError::new("section", DocumentIssue::NoHeading { heading: "Kosts".to_owned() })
        .suggest(["Costs"]);
    assert_eq!(error(json!("Kosts")), crate::Error::Edit(wanted));
}

#[test]
fn long_texts_come_in_chunks_too() {
    let paragraphs: Vec<String> = (0..5).map(|at| p(&at.to_string().repeat(1_500))).collect();
    let sample = Sample::body(&format!("{}{}", paragraphs.concat(), p(&"é".repeat(9_000))));
    let info = |index: usize, more: bool, range: &str| json!({ "chunk_index": index, "total_chunks": 6, "has_more": more, "range": range });
    let whole = read(&sample, "DocxExtractText", &json!({}));
    assert_eq!(whole["chunk_info"], info(0, false, "0-5"));
    let first = read(&sample, "DocxExtractText", &json!({ "chunk": 0 }));
    assert_eq!(first["chunk_info"], info(0, true, "0-1"));
    assert_eq!(first["text"].as_str().unwrap().len(), 3_001);
    let last = read(&sample, "DocxExtractText", &json!({ "chunk": 5 }));
    assert_eq!(last, json!({ "text": "é".repeat(1_000), "chunk_info": info(5, false, "5") }));
    let error = call(&sample.open(), "DocxExtractText", &json!({ "chunk": 6 })).unwrap_err();
    assert_eq!(error.to_string(), "chunk: chunk 6 not found; the text has chunks 0 to 5");
    assert_eq!(text(&sample, &json!({ "paragraphs": "1-1" })), "1".repeat(1_500));
}

#[test]
fn a_chunk_has_its_notes_beside_it() {
    let body = r#"<w:p><w:r><w:t>see [^7]</w:t><w:footnoteReference w:id="3"/></w:r></w:p>"#;
    let mut sample = Sample::body(&format!("{body}{}", p(&"x".repeat(4_000))));
    let note = format!("<w:footnotes DECLARED><w:footnote w:id=\"3\">{}</w:footnote></w:footnotes>", p("foot"));
    sample.part("footnotes", "footnotes", &note);
    let wanted = json!({
        "text": "see [^7][^1]",
        "chunk_info": { "chunk_index": 0, "total_chunks": 2, "has_more": true, "range": "0" },
        "notes": [{ "label": "1", "text": "foot" }],
    });
    assert_eq!(read(&sample, "DocxExtractText", &json!({ "chunk": 0 })), wanted);
}

#[test]
fn finding_gives_places() {
    let body = format!(
        "{}{}<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
        styled("Heading1", "Über"),
        p("an über b ÜBER"),
        p("Über")
    );
    let sample = Sample::body(&body);
    let found = read(&sample, "DocxFind", &json!({ "query": "ÜBER", "max_results": 2 }));
    let place = |paragraph: usize, count: usize, snippet: &str| json!({ "place": "body", "section_index": 0, "section": "Über", "paragraph": paragraph, "count": count, "snippet": snippet });
    let wanted = json!({
        "matches": [place(0, 1, "# Über"), place(1, 2, "an über b ÜBER")],
        "match_count": 4,
        "place_count": 3,
        "truncated": true,
    });
    assert_eq!(found, wanted);
    assert_eq!(read(&sample, "DocxFind", &json!({ "query": "ÜBER", "match_case": true }))["match_count"], 1);
}
