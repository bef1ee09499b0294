//! The truth table: what each file is, whatever its name says.

use jig_files::{Complete, FileKind, FileKind::*, Sniffed, sniff};

use crate::sample;

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const PPTX: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const OLE: &str = "application/x-ole-storage";

#[track_caller]
fn check(name: &str, bytes: &[u8], complete: Complete, expected: (FileKind, &str, Option<&str>)) {
    let found = sniff(name, bytes, complete);
    let found = (found.kind, found.media_type, found.mismatch.as_deref());
    assert_eq!(found, expected, "{name} {complete:?}");
}

#[track_caller]
fn whole(name: &str, bytes: &[u8], kind: FileKind, media_type: &str) {
    check(name, bytes, Complete::Whole, (kind, media_type, None));
}

#[track_caller]
fn mismatch(name: &str, bytes: &[u8], kind: FileKind, media_type: &str, sentence: &str) {
    check(name, bytes, Complete::Whole, (kind, media_type, Some(sentence)));
}

#[test]
fn real_files_under_their_own_names() {
    let cases = [
        ("word.docx", Docx, DOCX),
        ("macros.docm", Docx, "application/vnd.ms-word.document.macroEnabled.12"),
        ("template.dotx", Docx, "application/vnd.openxmlformats-officedocument.wordprocessingml.template"),
        ("openpyxl.xlsx", Xlsx, XLSX),
        ("xlsxwriter.xlsx", Xlsx, XLSX),
        ("streamed.xlsx", Xlsx, XLSX),
        ("macros.xlsm", Xlsx, "application/vnd.ms-excel.sheet.macroEnabled.12"),
        ("binary.xlsb", Binary, "application/vnd.ms-excel.sheet.binary.macroEnabled.12"),
        ("deck.pptx", Pptx, PPTX),
        ("macros.pptm", Pptx, "application/vnd.ms-powerpoint.presentation.macroEnabled.12"),
        ("text.odt", Odt, "application/vnd.oasis.opendocument.text"),
        ("sheet.ods", Zip, "application/vnd.oasis.opendocument.spreadsheet"),
        ("legacy.doc", Doc, "application/msword"),
        ("legacy.xls", Xls, "application/vnd.ms-excel"),
        ("legacy.ppt", Ppt, "application/vnd.ms-powerpoint"),
        ("encrypted.xlsx", EncryptedOffice, OLE),
        ("other.msi", Binary, OLE),
        ("message.msg", Binary, "application/vnd.ms-outlook"),
        ("policy.pdf", Pdf, "application/pdf"),
        ("dot.png", Png, "image/png"),
        ("dot.jpg", Jpeg, "image/jpeg"),
        ("dot.gif", Gif, "image/gif"),
        ("dot.webp", Webp, "image/webp"),
        ("dot.bmp", Image, "image/bmp"),
        ("dot.tiff", Image, "image/tiff"),
        ("dot.ico", Image, "image/vnd.microsoft.icon"),
        ("dot.avif", Image, "image/avif"),
        ("archive.zip", Zip, "application/zip"),
        ("streamed.zip", Zip, "application/zip"),
        ("hello.gz", Binary, "application/gzip"),
        ("hello.bz2", Binary, "application/x-bzip2"),
        ("hello.xz", Binary, "application/x-xz"),
        ("hello.tar", Binary, "application/x-tar"),
        ("data.sqlite", Binary, "application/vnd.sqlite3"),
        ("beep.wav", Binary, "audio/wav"),
    ];
    for (name, kind, media_type) in cases {
        let bytes = sample(name);
        whole(name, &bytes, kind, media_type);
        // Content alone decides.
        whole("no-ending", &bytes, kind, media_type);
        whole(&name.to_uppercase(), &bytes, kind, media_type);
    }
}

#[test]
fn text_by_name() {
    let cases = [
        ("bank.csv", Csv, "text/csv"),
        ("bank.tsv", Tsv, "text/tab-separated-values"),
        ("notes.txt", Text, "text/plain"),
        ("server.log", Text, "text/plain"),
        ("README.md", Markdown, "text/markdown"),
        ("broken.json", Json, "application/json"),
        ("rows.jsonl", Text, "application/x-ndjson"),
        ("feed.xml", Xml, "application/xml"),
        ("page.htm", Html, "text/html"),
        ("ci.yml", Yaml, "application/yaml"),
        ("main.rs", Code, "text/plain"),
        ("app.ts", Code, "text/plain"),
        ("query.sql", Code, "application/sql"),
        ("style.css", Code, "text/css"),
        ("src/Makefile", Code, "text/plain"),
        (".gitignore", Code, "text/plain"),
        ("a.b.c.CSV", Csv, "text/csv"),
        ("folder.csv/plain", Text, "text/plain"),
        ("unknown.zzz", Text, "text/plain"),
        ("", Text, "text/plain"),
        ("no-ending", Text, "text/plain"),
    ];
    for (name, kind, media_type) in cases {
        whole(name, b"one,two\nthree\n", kind, media_type);
    }
}

#[test]
fn text_by_content_where_the_name_is_silent() {
    let cases: &[(&[u8], FileKind, &str)] = &[
        (b"{\"a\": [1, 2]}\n", Json, "application/json"),
        (b"\xef\xbb\xbf[]", Json, "application/json"),
        (b"{not json}", Text, "text/plain"),
        (b"{\"a\": 1} and more", Text, "text/plain"),
        (b"42", Text, "text/plain"),
        (b"<?xml version=\"1.0\"?><a/>", Xml, "application/xml"),
        (b"<!DOCTYPE html><p>Hi", Html, "text/html"),
        (b"\n <HTML><body>", Html, "text/html"),
        (b"<!-- c --><svg xmlns=\"x\"/>", Svg, "image/svg+xml"),
        (b"<?xml version=\"1.0\"?><!DOCTYPE svg><svg:svg>", Svg, "image/svg+xml"),
        (b"<3 this is no markup", Text, "text/plain"),
        (b"#!/bin/sh\necho hi\n", Code, "text/plain"),
        (b"{\\rtf1 Hello}", Text, "application/rtf"),
        (b"GIF89a is an image format", Text, "text/plain"),
        (b"BM is a prefix, MZ another", Text, "text/plain"),
        (b"A text on %PDF-1.7 headers", Text, "text/plain"),
        (b"\x1b[31mred\x1b[0m\n", Text, "text/plain"),
        (b"\xff\xfeh\0i\0", Text, "text/plain"),
        (b"h\0e\0l\0l\0o\0", Text, "text/plain"),
        (b"K\xe4se f\xfcr J\xfcrgen\r\n", Text, "text/plain"),
        (b"\0\x01\x02\x03\x04", Binary, "application/octet-stream"),
        (b"text\0with a NUL", Binary, "application/octet-stream"),
        (b"id\x01name\n1\x01Ann\n", Text, "text/plain"),
        (b"\x02", Binary, "application/octet-stream"),
        (b"", Empty, "application/x-empty"),
        (b"PK\x03\x04 cut", Zip, "application/zip"),
        (b"%PDF-1.4\n%\xe2\xe3", Pdf, "application/pdf"),
        (b"\0\x01garbage first\n%PDF-1.4\n", Pdf, "application/pdf"),
    ];
    for (bytes, kind, media_type) in cases {
        whole("file", bytes, *kind, media_type);
    }
}

#[test]
fn one_nul_in_a_long_text_makes_it_binary() {
    let mut bytes = "a long text ".repeat(100).into_bytes();
    whole("file", &bytes, Text, "text/plain");
    bytes[500] = 0;
    whole("file", &bytes, Binary, "application/octet-stream");
}

#[test]
fn names_that_promise_something_else() {
    let pdf = sample("policy.pdf");
    let is_pdf = |name: &str, sentence: &str| mismatch(name, &pdf, Pdf, "application/pdf", sentence);
    is_pdf("offer.docx", "The name ends in .docx, but the content is a PDF document.");
    is_pdf("notes.TXT", "The name ends in .txt, but the content is a PDF document.");
    is_pdf("a.png", "The name ends in .png, but the content is a PDF document.");

    let with_macros = "The name ends in .docx, but the content is a Word document with macros.";
    let media_type = "application/vnd.ms-word.document.macroEnabled.12";
    mismatch("a.docx", &sample("macros.docm"), Docx, media_type, with_macros);
    let workbook = "The name ends in .docx, but the content is an Excel workbook.";
    mismatch("a.docx", &sample("openpyxl.xlsx"), Xlsx, XLSX, workbook);
    let archive = "The name ends in .xlsx, but the content is a ZIP archive.";
    mismatch("a.xlsx", &sample("archive.zip"), Zip, "application/zip", archive);
    let document = "The name ends in .zip, but the content is a Word document.";
    mismatch("a.zip", &sample("word.docx"), Docx, DOCX, document);
    let legacy = "The name ends in .xlsx, but the content is a legacy Excel workbook (.xls).";
    mismatch("a.xlsx", &sample("legacy.xls"), Xls, "application/vnd.ms-excel", legacy);
    let protected = "The name ends in .txt, but the content is a password-protected Office document.";
    mismatch("a.txt", &sample("encrypted.xlsx"), EncryptedOffice, OLE, protected);
    let page = "The name ends in .xls, but the content is an HTML page.";
    mismatch("export.xls", b"<html><table>", Html, "text/html", page);
    let rich = "The name ends in .doc, but the content is rich text (RTF).";
    mismatch("old.doc", b"{\\rtf1 Hi}", Text, "application/rtf", rich);
    let plain = "The name ends in .svg, but the content is plain text.";
    mismatch("logo.svg", b"not a drawing", Text, "text/plain", plain);
    let image = "The name ends in .jpg, but the content is a PNG image.";
    mismatch("photo.jpg", &sample("dot.png"), Png, "image/png", image);
    let tiff = "The name ends in .bmp, but the content is a TIFF image.";
    mismatch("scan.bmp", &sample("dot.tiff"), Image, "image/tiff", tiff);
    let data = "The name ends in .csv, but the content is binary data.";
    mismatch("a.csv", b"\0\x01\x02", Binary, "application/octet-stream", data);
    let nothing = "The name ends in .docx, but the file is empty.";
    mismatch("a.docx", b"", Empty, "application/x-empty", nothing);
    whole("a.csv", b"", Empty, "application/x-empty");
}

#[test]
fn heads_of_large_files() {
    let head = |name: &str, bytes: &[u8], kind, media_type| {
        check(name, bytes, Complete::Head, (kind, media_type, None));
    };
    let cut = |name: &str, length: usize| {
        let mut bytes = sample(name);
        assert!(length < bytes.len());
        bytes.truncate(length);
        bytes
    };
    // The declaration is the first entry, or comes too late and the parts show the family.
    head("a.docm", &cut("macros.docm", 4000), Docx, "application/vnd.ms-word.document.macroEnabled.12");
    head("file", &cut("streamed.xlsx", 4000), Xlsx, XLSX);
    let macros = "application/vnd.ms-excel.sheet.macroEnabled.12";
    head("a.xlsm", &cut("streamed.xlsx", 4000), Xlsx, macros);
    // Only the first entry, which every package has.
    head("a.xlsx", &cut("streamed.xlsx", 200), Xlsx, XLSX);
    head("file", &cut("streamed.xlsx", 200), Zip, "application/zip");
    head("file", &cut("text.odt", 200), Odt, "application/vnd.oasis.opendocument.text");
    // A workbook stored inside the archive does not make the archive a workbook.
    head("file", &cut("archive.zip", 5000), Zip, "application/zip");
    head("file", &cut("streamed.zip", 5000), Zip, "application/zip");
    let archive = "The name ends in .xlsx, but the content is a ZIP archive.";
    let expected = (Zip, "application/zip", Some(archive));
    check("a.xlsx", &cut("archive.zip", 5000), Complete::Head, expected);
    head("a.doc", &cut("legacy.doc", 600), Doc, "application/msword");
    head("file", &cut("legacy.doc", 600), Binary, OLE);
    head("file", "ein Käse".as_bytes().get(..6).unwrap(), Text, "text/plain");
    head("a.json", b"{\"cut\": ", Json, "application/json");
    head("file", b"{\"cut\": ", Text, "text/plain");
    head("file", b"\xff\xfeh\0i\0j", Text, "text/plain");
}

#[test]
fn a_bomb_is_not_inflated_to_its_end() {
    // The main part is declared after 12 MB of spaces, beyond what sniffing inflates. By its name it is a Word document,
    // so that the engine says what is wrong with it; without one it is an archive.
    let found = sniff("bomb.docx", &sample("bomb.docx"), Complete::Whole);
    assert_eq!(found, Sniffed { kind: Docx, media_type: DOCX, mismatch: None });
    assert_eq!(sniff("bomb", &sample("bomb.docx"), Complete::Whole).kind, Zip);
}
