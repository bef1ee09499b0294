//! What maps and infos say.

use jig_files::engine::Reason;
use serde_json::{Value, json};

use super::{call, pdf, read};

#[test]
fn an_outline_leads_to_pages() {
    let map = read("PdfGetMap", "outline.pdf", &json!({}));
    let expected = json!([
        { "title": "Start", "page": 1, "level": 1 },
        { "title": "Rules", "page": 2, "level": 1 },
        { "title": "Travel", "page": 3, "level": 2 },
        { "title": "Meals", "page": 4, "level": 3 },
        { "title": "End", "page": 5, "level": 1 },
    ]);
    assert_eq!((&map["has_toc"], &map["toc"]), (&json!(true), &expected));
    let metadata = &map["metadata"];
    assert_eq!(
        (&metadata["title"], &metadata["author"], &metadata["subject"]),
        (&json!("Handbook"), &json!("Office"), &json!("How we work"))
    );
    assert_eq!((&map["page_count"], &map["chunks"]), (&json!(5), &json!([{ "index": 0, "pages": "1-5" }])));
    assert_eq!(map["warnings"], json!([]));
}

#[test]
fn an_outline_of_latex_has_named_destinations() {
    let map = read("PdfGetMap", "pypdf-pdflatex-outline.pdf", &json!({}));
    let toc = map["toc"].as_array().unwrap();
    assert!(toc.len() > 5 && toc.iter().all(|entry| entry["page"].is_u64()), "{}", map["toc"]);
}

#[test]
fn form_fields_have_names_types_and_values() {
    let map = read("PdfGetMap", "form.pdf", &json!({}));
    let expected = json!([
        { "name": "name", "type": "text", "value": "Ada Lovelace", "page": 1, "label": "Full name" },
        { "name": "member", "type": "checkbox", "value": "Yes", "page": 1, "required": true },
        { "name": "colour", "type": "combo", "value": "Green", "page": 1, "options": ["Red", "Green", "Blue"] },
    ]);
    assert_eq!((&map["has_forms"], &map["forms"]), (&json!(true), &expected));
    assert_eq!(map["has_annotations"], false);
}

#[test]
fn annotations_have_page_type_text_and_author() {
    let map = read("PdfGetMap", "annotated.pdf", &json!({}));
    let expected = json!([
        { "page": 2, "type": "text", "text": "Please check the figures", "author": "Grace" },
        { "page": 2, "type": "link", "url": "https://example.org/" },
    ]);
    assert_eq!((&map["has_annotations"], &map["annotations"]), (&json!(true), &expected));
}

#[test]
fn pages_without_text_are_listed() {
    let map = read("PdfGetMap", "no-text.pdf", &json!({}));
    assert_eq!(map["pages_without_text"], json!([1, 3]));
    assert_eq!(read("PdfGetMap", "office-report.pdf", &json!({}))["pages_without_text"], json!([]));
}

#[test]
fn an_info_is_short() {
    let info = read("PdfGetInfo", "encrypted-empty.pdf", &json!({}));
    assert_eq!((&info["encrypted"], &info["version"]), (&json!(true), &json!("1.7")));
    assert!(info["page_count"].as_u64().unwrap() >= 2);
    assert_eq!(info["toc"], Value::Null);
}

#[test]
fn a_password_is_said_to_be_needed() {
    for name in ["encrypted-password.pdf", "pypdf-encrypted-r4-password.pdf"] {
        for method in ["PdfGetMap", "PdfGetInfo", "PdfExtractText", "PdfRenderPage"] {
            let error = call(method, &pdf(name), &json!({})).unwrap_err();
            assert_eq!(error.reason, Reason::Encrypted, "{name}: {method}: {error}");
            assert!(error.message.contains("password"), "{error}");
        }
    }
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_goes_and_says_so() {
    let whole = read("PdfExtractText", "office-report.pdf", &json!({}));
    let answer = read("PdfExtractText", "wrong-table.pdf", &json!({}));
    assert!(answer["warnings"][0].as_str().unwrap().contains("damaged or cut off"), "{answer}");
    assert_eq!(answer["text"], whole["text"]);
    // Cut off before its catalogue, nothing says what the pages are.
    let error = call("PdfExtractText", &pdf("cut-off.pdf"), &json!({})).unwrap_err();
    assert_eq!((error.reason, error.message.contains("damaged")), (Reason::Damaged, true), "{error}");
}

#[test]
fn what_is_no_pdf_is_refused_with_its_reason() {
    let table = [(&b"hello"[..], Reason::WrongKind), (b"", Reason::WrongKind), (b"%PDF-1.7\n%%EOF", Reason::Damaged)];
    for (bytes, reason) in table {
        let error = call("PdfGetMap", &bytes.to_vec().into(), &json!({})).unwrap_err();
        assert_eq!(error.reason, reason, "{error}");
    }
}
