//! The text of pages, against what pdftotext reads (made by `tests/data/pdf/make.py`).

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use jig_worker::{FileApi, Method};
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{pdf, read, text_of};

/// Words as they are compared: ligatures spelled out, marks of writing direction left out.
fn split_words(text: &str) -> Vec<String> {
    let text: String =
        text.chars().filter(|char| !matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')).collect();
    let text = text.replace('ﬁ', "fi").replace('ﬂ', "fl").replace('ﬀ', "ff").replace('ﬃ', "ffi").replace('ﬄ', "ffl");
    text.split_whitespace().map(str::to_owned).collect()
}

fn without_page_lines(text: &str) -> String {
    let line = |line: &&str| line.strip_prefix("# Page ").is_none_or(|rest| rest.parse::<u32>().is_err());
    text.lines().filter(line).collect::<Vec<_>>().join("\n")
}

/// How alike two texts are, from 0 to 1, by the sequence of their words.
fn similarity(ours: &str, theirs: &str) -> f64 {
    let (ours, theirs) = (split_words(&without_page_lines(ours)), split_words(theirs));
    let ops = capture_diff_slices(Algorithm::Myers, &ours, &theirs);
    let same = ops.iter().map(|op| if let DiffOp::Equal { len, .. } = op { *len } else { 0 }).sum::<usize>();
    // Two texts without words are the same.
    if ours.is_empty() && theirs.is_empty() { 1.0 } else { 2.0 * same as f64 / (ours.len() + theirs.len()) as f64 }
}

#[test]
fn text_is_what_pdftotext_reads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdf");
    let mut results = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let name = path.with_extension("pdf").file_name().unwrap().to_str().unwrap().to_owned();
        let theirs = std::fs::read_to_string(&path).unwrap();
        results.push((similarity(&text_of(&name, &json!({})), &theirs), name));
    }
    results.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mean = results.iter().map(|(similarity, _)| similarity).sum::<f64>() / results.len() as f64;
    println!("mean {mean:.4} of {}: {results:.3?}", results.len());
    assert!(results.len() >= 30, "{}", results.len());
    assert!(mean >= 0.97, "{mean:.4}: {results:.3?}");
    // The least alike has a line that runs upwards, which is read in another place.
    assert!(results.iter().all(|(similarity, _)| *similarity > 0.7), "{results:.3?}");
}

#[test]
fn columns_are_read_one_after_another() {
    for name in ["columns-2.pdf", "columns-3.pdf", "office-columns.pdf"] {
        let theirs = String::from_utf8(crate::sample(&format!("pdf/{}", name.replace(".pdf", ".txt")))).unwrap();
        let alike = similarity(&text_of(name, &json!({})), &theirs);
        assert!(alike > 0.98, "{name}: {alike}");
    }
}

#[test]
fn what_is_drawn_twice_is_read_once() {
    let expected = "# Page 1\n\nA heading made bold by drawing it twice\n\nPlain text follows below the heading\n\n";
    assert_eq!(text_of("drawn-twice.pdf", &json!({})), expected);
}

#[test]
fn pages_are_given_as_asked_for_with_their_chunk() {
    let answer = read("PdfExtractText", "rotated-pages.pdf", &json!({ "pages": [3, 1] }));
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with("# Page 3\n\nPage turned by upside down, line 1 of twelve\n"), "{text}");
    assert!(text.contains("# Page 1\n\nPage turned by upright, line 1 of twelve\n"), "{text}");
    assert_eq!((&answer["page_count"], &answer["chunk_info"]), (&json!(4), &Value::Null));
    assert_eq!(answer["warnings"], Value::Null);
    let by_words = read("PdfExtractText", "rotated-pages.pdf", &json!({ "pages": "3,1" }));
    assert_eq!(answer, by_words);
    let beyond = super::call("PdfExtractText", &pdf("rotated-pages.pdf"), &json!({ "pages": "4-5" })).unwrap_err();
    assert_eq!(beyond.message, "page 5 does not exist: the file has 4 pages");
}

#[test]
fn text_in_pages_of_tokens_loses_nothing() {
    let whole = text_of("office-report.pdf", &json!({}));
    let engine = FileApi::default();
    let method = Method::find("PdfExtractText").unwrap();
    let (mut text, mut cursor, mut count) = (String::new(), Value::Null, 0);
    loop {
        let page =
            engine.read(method, pdf("office-report.pdf"), &json!({ "max_tokens": 200, "cursor": cursor })).unwrap();
        assert!(page["tokens"].as_u64().unwrap() <= 200);
        text.push_str(page["text"].as_str().unwrap());
        cursor = page["cursor"].clone();
        count += 1;
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(text, whole);
    assert!(count > 4, "{count}");
}

#[test]
fn a_page_without_text_is_said_to_have_none() {
    let answer = read("PdfExtractText", "no-text.pdf", &json!({}));
    assert_eq!(answer["text"], "# Page 1\n\n# Page 2\n\nThe second page has text\n\n# Page 3\n\n");
    assert_eq!(answer["warnings"], json!(["page 1 has no text layer", "page 3 has no text layer"]));
}

#[test]
fn a_phrase_is_found_with_its_page() {
    let found = read("PdfFind", "outline.pdf", &json!({ "query": "RULES: rent AND" }));
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(0), "{found}");
    let found = read("PdfFind", "outline.pdf", &json!({ "query": "travel:" }));
    assert_eq!(found["matches"][0]["pages"], "3", "{found}");
    assert!(found["matches"][0]["snippet"].as_str().unwrap().starts_with("Travel: "), "{found}");
    let cased = read("PdfFind", "outline.pdf", &json!({ "query": "travel:", "match_case": true }));
    assert_eq!(cased["matches"], json!([]));
    let few = read("PdfFind", "columns-2.pdf", &json!({ "query": "the", "max_results": 3 }));
    assert_eq!((few["matches"].as_array().map(Vec::len), &few["truncated"]), (Some(3), &json!(true)));
    assert!(few["match_count"].as_u64().unwrap() > 50, "{few}");
    // Across the end of a line.
    let across = read("PdfFind", "columns-2.pdf", &json!({ "query": "first Monday of the month and went" }));
    assert!(!across["matches"].as_array().unwrap().is_empty());
}

#[test]
fn a_font_without_words_for_its_glyphs_is_asked_itself() {
    let answer = read("PdfExtractText", "pdfminer-no-unicode.pdf", &json!({ "pages": [1] }));
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("91-504 Łódź") && text.contains("Spółka Akcyjna"), "{text}");
    assert_eq!(answer["warnings"], Value::Null);
}

#[test]
fn a_value_that_nobody_has_drawn_is_read() {
    let text = text_of("pypdf-libreoffice-form.pdf", &json!({}));
    assert!(text.contains("Alice") && text.contains("Bob"), "{text}");
}

#[test]
fn the_choices_of_a_list_are_read_and_those_of_a_closed_one_are_not() {
    let text = text_of("pypdf-FormTestFromOo.pdf", &json!({}));
    assert!(["Liste2", "Liste3", "Lst1", "Lst4"].iter().all(|choice| text.contains(choice)), "{text}");
    let closed = text_of("form.pdf", &json!({}));
    assert!(closed.contains("Green") && !closed.contains("Blue"), "{closed}");
}

#[test]
fn turned_text_is_read_where_it_begins() {
    let text = text_of("type3.pdf", &json!({}));
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    assert!(place("Sales by quarter") < place("Thousand units sold"), "{text}");
    assert!(place("Thousand units sold") < place("Quarter of the year"), "{text}");
}

#[test]
fn cells_of_a_row_stand_in_one_line() {
    let text = text_of("table.pdf", &json!({}));
    assert!(text.contains("Item\tPlan\tActual\tDifference\nPosition 1\t120\t117\t-3\n"), "{text}");
}

/// A file of these objects, numbered from 1; the first is the catalog.
fn file_of(objects: &[String]) -> Arc<[u8]> {
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        writeln!(file, "{} 0 obj\n{object}\nendobj", at + 1).unwrap();
    }
    let start = file.len();
    let size = objects.len() + 1;
    write!(file, "{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file.into_bytes().into()
}

fn stream(dict: &str, content: &str) -> String {
    format!("<< {dict} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

fn text_in(bytes: &Arc<[u8]>) -> String {
    super::call("PdfExtractText", bytes, &json!({})).unwrap()["text"].as_str().unwrap().to_owned()
}

#[test]
fn codes_of_a_font_with_an_identity_mapping_are_unicode() {
    let font = |mapping: &str| {
        file_of(&[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>"
                .to_owned(),
            stream("", "BT /F1 12 Tf 20 100 Td <004700720075006500DF0065> Tj ET"),
            format!(
                "<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H {mapping} /DescendantFonts [6 0 R] >>"
            ),
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /DW 600 /CIDSystemInfo << /Registry (Adobe) \
             /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R >>"
                .to_owned(),
            "<< /Type /FontDescriptor /FontName /Arial /Flags 33 /FontBBox [0 0 1000 1000] /Ascent 900 /Descent -200 \
             /CapHeight 700 /ItalicAngle 0 /StemV 80 >>"
                .to_owned(),
        ])
    };
    assert!(text_in(&font("/ToUnicode /Identity-H")).contains("Grueße"));
    assert!(!text_in(&font("")).contains("Grueße"), "codes without a mapping are glyph numbers");
}

#[test]
fn fields_with_outdated_appearances_show_their_values() {
    let form = |needs: bool| {
        file_of(&[
            format!(
                "<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances {needs} /Fields [4 0 R] /DR << /Font << \
                 /Helv 6 0 R >> >> >> >>"
            ),
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R] >>".to_owned(),
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Hello World) /F 4 /Rect [20 100 170 122] \
             /DA (/Helv 12 Tf 0 g) /AP << /N 5 0 R >> /P 3 0 R >>"
                .to_owned(),
            stream(
                "/Type /XObject /Subtype /Form /BBox [0 0 150 22] /Resources << /Font << /Helv 6 0 R >> >>",
                "/Tx BMC BT /Helv 12 Tf 2 6 Td (Dlrow Olleh) Tj ET EMC",
            ),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        ])
    };
    let redrawn = text_in(&form(true));
    assert!(redrawn.contains("Hello World") && !redrawn.contains("Olleh"), "{redrawn}");
    assert!(text_in(&form(false)).contains("Dlrow Olleh"), "a current appearance is what the page shows");
}
