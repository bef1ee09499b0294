//! Files that were made to do harm, and files that were harmed.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::{call, pdf};

const METHODS: &[&str] = &["PdfGetMap", "PdfExtractText", "PdfFind", "PdfRenderPage"];

/// A file of these objects, numbered from 1; the first is the catalog.
fn file(objects: &[String]) -> Arc<[u8]> {
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let start = file.len();
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    (file + &table + &trailer).into_bytes().into()
}

fn stream(entries: &str, content: &str) -> String {
    format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// Every method gives a value or an error.
fn survives(bytes: &Arc<[u8]>) {
    for method in METHODS {
        let _ = call(method, bytes, &json!({ "query": "a", "scale": 0.25 }));
    }
}

#[test]
fn forms_that_draw_forms_end() {
    // Each level draws the next ten times: the last would be drawn ten billion times.
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
            .to_owned(),
        stream("", "/X Do"),
    ];
    for level in 0..10 {
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {} 0 R >> /Font << >> >>",
            objects.len() + 2
        );
        objects.push(stream(&entries, &"/X Do ".repeat(10 + level)));
    }
    objects.push(stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", "BT /F 9 Tf (deep) Tj ET"));
    let bytes = file(&objects);
    let text = call("PdfExtractText", &bytes, &json!({})).unwrap();
    assert_eq!(text["warnings"], json!(["page 1: only its first part was read; it is larger than the bound"]));
    let error = call("PdfRenderPage", &bytes, &json!({})).unwrap_err();
    assert_eq!(error.reason.word(), "too_large", "{error}");
}

/// One page of this size with this font, by its dictionary, as `F`, and this content.
fn page_with(size: &str, font: &str, content: &str) -> Arc<[u8]> {
    file(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
        ),
        stream("", content),
        font.to_owned(),
    ])
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

fn text_with(font: &str, content: &str) -> String {
    let answer = call("PdfExtractText", &page_with("600 600", font, content), &json!({})).unwrap();
    answer["text"].as_str().unwrap().strip_prefix("# Page 1\n\n").unwrap().trim_end().to_owned()
}

#[test]
fn glyphs_that_are_called_by_their_code_are_read() {
    let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 72 \
                /LastChar 106 /Widths [8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8] \
                /CharProcs << >> /Encoding << /Type /Encoding /Differences [72 /a72 105 /105 /g7] >> >>";
    assert_eq!(text_with(font, "BT /F 10 Tf 50 50 Td (Hij) Tj ET"), "Hi");
}

#[test]
fn hebrew_in_a_latin_line_is_read_and_found() {
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def \
               1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfrange <20> <40> <0020> <61> <7A> <0061> \
               endbfrange 4 beginbfchar <41> <05E9> <42> <05DC> <43> <05D5> <44> <05DD> endbfchar endcmap end end";
    let bytes = file(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 600] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        stream("", "BT /F 10 Tf 50 50 Td (invoice for \\(DCBA\\) dated today) Tj ET"),
        HELVETICA.replace("/Encoding", "/ToUnicode 6 0 R /Encoding"),
        stream("", map),
    ]);
    let answer = call("PdfExtractText", &bytes, &json!({})).unwrap();
    assert_eq!(answer["text"], "# Page 1\n\ninvoice for (שלום) dated today\n\n");
    let found = call("PdfFind", &bytes, &json!({ "query": "שלום" })).unwrap();
    assert_eq!(found["match_count"], 1, "{found}");
}

#[test]
fn parted_words_are_put_together_and_others_stay() {
    let content = "BT /F 10 Tf 12 TL 50 500 Td (the accumu-) Tj T* (lated costs of 2019-) Tj T* (2020 in the X-) Tj T* \
                   (Ray unit) Tj ET";
    assert_eq!(text_with(HELVETICA, content), "the accumulated costs of 2019-\n2020 in the X-\nRay unit");
}

#[test]
fn letters_drawn_twice_one_by_one_are_read_once() {
    let bold =
        |letter: char, x: f64| format!("1 0 0 1 {x} 50 Tm ({letter}) Tj 1 0 0 1 {} 50 Tm ({letter}) Tj ", x + 0.3);
    let word: String = "Bold".chars().zip([50.0, 56.7, 62.2, 64.5]).map(|(letter, x)| bold(letter, x)).collect();
    assert_eq!(text_with(HELVETICA, &format!("BT /F 10 Tf {word} ET")), "Bold");
}

#[test]
fn words_over_each_other_stay_apart() {
    let content = "BT /F 10 Tf 50 50 Td (January) Tj ET BT /F 10 Tf 50 50 Td (Friday) Tj ET";
    let mut words: Vec<String> = text_with(HELVETICA, content).split_whitespace().map(str::to_owned).collect();
    words.sort();
    assert_eq!(words, ["Friday", "January"]);
}

#[test]
fn twenty_thousand_words_on_one_line_end() {
    let content = format!("BT /F 1 Tf 50 50 Td {} ET", "(a) Tj 1 0 Td ".repeat(20_000));
    let bytes = page_with("90000 600", HELVETICA, &content);
    let answer = call("PdfExtractText", &bytes, &json!({})).unwrap();
    // With that of the line `# Page 1`.
    assert_eq!(answer["text"].as_str().unwrap().matches('a').count(), 20_001);
}

#[test]
fn what_comes_back_to_itself_ends() {
    let bytes = file(&[
        "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /AcroForm << /Fields [7 0 R] >> /Names << /Dests 8 0 R >> >>"
            .to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R 2 0 R] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /X 9 0 R >> >> >>"
            .to_owned(),
        stream("", "/X Do"),
        "<< /First 6 0 R >>".to_owned(),
        "<< /Title (Round) /First 6 0 R /Next 6 0 R /Dest (name) >>".to_owned(),
        "<< /T (field) /FT /Tx /Kids [7 0 R] >>".to_owned(),
        "<< /Kids [8 0 R] >>".to_owned(),
        stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 9 0 R >> >>", "/X Do"),
    ]);
    let map = call("PdfGetMap", &bytes, &json!({})).unwrap();
    assert_eq!(map["toc"], json!([{ "title": "Round", "page": null, "level": 1 }]));
    survives(&bytes);
}

#[test]
fn a_huge_page_or_image_is_made_small_or_refused() {
    let page = |size: &str, more: &str| {
        file(&[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents 4 0 R {more} >>"),
            stream("", "1 0 0 rg 0 0 50 50 re f /I Do"),
            stream(
                "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8",
                "x",
            ),
            stream(
                "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /SMask 5 0 R",
                "four",
            ),
        ])
    };
    let large = call("PdfRenderPage", &page("1000000 1000000", ""), &json!({})).unwrap();
    assert_eq!((&large["scaled_down"], &large["width"]), (&json!(true), &json!(2048)));
    let thin = call("PdfRenderPage", &page("1000000 0.001", ""), &json!({}));
    assert!(thin.is_err() || thin.is_ok_and(|thin| thin["width"].as_u64() <= Some(2048)));
    // By itself, and as the mask of a small one.
    for object in [5, 6] {
        let image = page("100 100", &format!("/Resources << /XObject << /I {object} 0 R >> >>"));
        let error = call("PdfRenderPage", &image, &json!({})).unwrap_err();
        assert_eq!(error.reason.word(), "too_large", "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files(
        name in prop::sample::select(vec![
            "outline.pdf", "form.pdf", "annotated.pdf", "type3.pdf", "pypdf-encrypted-r3.pdf", "east-asian.pdf", "no-text.pdf",
        ]),
        cut in any::<prop::sample::Index>(),
        keep in any::<bool>(),
        hits in vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = pdf(name).to_vec();
        for (place, value) in hits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if !keep {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        survives(&bytes.into());
    }
}

#[test]
fn a_damaged_header_is_a_warning_and_not_the_end() {
    let good: Arc<[u8]> = crate::sample("policy.pdf").into();
    let text = |bytes: &Arc<[u8]>| call("PdfExtractText", bytes, &json!({})).unwrap();
    let expected = text(&good)["text"].clone();
    for header in [&b"%PFD-1.4"[..], b"%pdf-1.7", b"PDF 1.4\n", b"\0\0\0\0\0\0\0\0"] {
        let mut bytes = good.to_vec();
        bytes[..8].copy_from_slice(header);
        let found = text(&Arc::from(bytes.as_slice()));
        assert_eq!(found["text"], expected, "{header:?}");
        assert!(found["warnings"].to_string().contains("header of the file is damaged"), "{found}");
        let kind = jig_files::sniff("policy.pdf", &bytes, jig_files::Complete::Whole).kind;
        assert_eq!(kind.as_str(), "pdf", "{header:?}");
    }
    // Without objects it is not a PDF file, whatever its name.
    let error = call("PdfGetMap", &Arc::from(&b"not a pdf file at all, only 1 0 obj"[..]), &json!({})).unwrap_err();
    assert_eq!(error.message, "this is not a PDF file");
}
