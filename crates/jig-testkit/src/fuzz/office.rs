//! Reads and edits entire files through the engine, like the worker does.

use std::sync::Arc;

use jig_files::engine::{EditOptions, Edited, Engine, FileError, Format, Reason};
use jig_ooxml::Limits;
use jig_worker::{FileApi, Method, Verb, apply_reply, copy_reply};
use serde_json::{Value, json};

use super::archive::Archive;
use super::{ops, written};

/// Low limits: what holds at a megabyte holds at a gigabyte, in a thousandth of the time.
pub(super) const LIMITS: Limits = Limits {
    entries: 500,
    part_bytes: 4 << 20,
    tree_bytes: 4 << 20,
    total_bytes: 64 << 20,
    ratio: 600,
    ratio_from: 1 << 20,
    depth: 256,
    nodes: 200_000,
    tag_bytes: 64 << 10,
};

/// The maximum size of an output, which may repeat content of the file, such as a shared string in many cells.
const ANSWER_BASE: usize = 1 << 20;
const ANSWER_TIMES: usize = 512;

pub(super) fn xlsx_read(bytes: &[u8]) {
    read(Format::Xlsx, bytes);
}

pub(super) fn docx_read(bytes: &[u8]) {
    read(Format::Docx, bytes);
}

pub(super) fn pptx_read(bytes: &[u8]) {
    read(Format::Pptx, bytes);
}

pub(super) fn pdf_read(bytes: &[u8]) {
    read(Format::Pdf, bytes);
}

pub(super) fn odt_read(bytes: &[u8]) {
    read(Format::Odt, bytes);
}

pub(super) fn image_read(bytes: &[u8]) {
    read(Format::Image, bytes);
}

pub(super) fn text_read(bytes: &[u8]) {
    read(Format::Text, bytes);
}

/// The copy of a file for LibreOffice: a readable package, or a refusal with a reason.
pub(super) fn render_copy(bytes: &[u8]) {
    let engine = Engine::new(LIMITS);
    let content: Arc<[u8]> = Arc::from(bytes);
    for format in [Format::Xlsx, Format::Docx, Format::Pptx, Format::Odt] {
        match engine.render_copy(format, &content) {
            Err(error) => assert!(!error.to_string().is_empty(), "a refusal without a reason"),
            Ok(copy) => assert!(Archive::read(&copy).is_some(), "the copy of a {format:?} file cannot be read"),
        }
    }
}

/// The likely keys in a text: each has the right line, and the result is the same twice.
pub(super) fn secrets(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = jig_files::find_secrets(&text);
    for finding in &found {
        let before = text.get(..finding.bytes.start).expect("a position in the text");
        assert!(text.get(finding.bytes.clone()).is_some_and(|key| !key.is_empty()), "{finding:?}");
        assert_eq!(finding.line, before.matches('\n').count() + 1, "{finding:?}");
    }
    assert_eq!(found, jig_files::find_secrets(&text), "other keys the second time");
}

pub(super) fn xlsx_apply(input: &[u8]) {
    call(Format::Xlsx, input);
}

pub(super) fn docx_apply(input: &[u8]) {
    call(Format::Docx, input);
}

pub(super) fn pptx_apply(input: &[u8]) {
    call(Format::Pptx, input);
}

/// Calls every read method of a format.
pub(super) fn read(format: Format, bytes: &[u8]) {
    let file: Arc<[u8]> = bytes.into();
    let engine = FileApi::from(Engine::new(LIMITS));
    let most = ANSWER_BASE + ANSWER_TIMES * (bytes.len() + inflated(bytes));
    let reads = Method::all().iter().filter(|method| method.format == format && method.verb == Verb::Read);
    // Images are large whatever the file's size, and rendering one per input would leave no time for anything else.
    let pictures = ["DocxRenderPage", "XlsxRenderPage", "PptxRenderSlide", "PdfRenderPage", "OdtRenderPage"];
    for method in reads.filter(|method| !pictures.contains(&method.name)) {
        for params in questions(method.name) {
            let first = engine.read(*method, &file, &params);
            let size = first.as_ref().map_or(0, |answer| answer.to_string().len());
            assert!(size <= most, "{}: an answer of {size} bytes to {} of a file", method.name, bytes.len());
            check_error(first.as_ref().err());
            // The second result comes from the cache that the first one filled.
            assert_eq!(first, engine.read(*method, &file, &params), "{}: two answers to {params}", method.name);
        }
        pages(&engine, *method, &file);
    }
    if matches!(format, Format::Xlsx | Format::Docx | Format::Pptx | Format::Odt) {
        check_error(engine.engine.render_copy(format, &file).as_ref().err());
    }
}

fn inflated(bytes: &[u8]) -> usize {
    Archive::read(bytes).map_or(0, |archive| archive.0.iter().map(|entry| entry.content().len()).sum())
}

fn questions(method: &str) -> Vec<Value> {
    match method {
        "XlsxReadRange" => vec![json!({"range": "A1:C9"}), json!({"range": "B2:XFD1048576", "show": "both"})],
        "XlsxRenderGrid" => vec![json!({"row_start": 0, "row_count": 200, "col_start": 0, "col_count": 50})],
        "DocxExtractText" => vec![json!({}), json!({"view": "markup"}), json!({"section": 0})],
        "PptxGetSlideContent" => vec![json!({"index": 0, "detail": "positioned"})],
        name if name.ends_with("Find") => vec![json!({"query": "e"})],
        _ => vec![json!({})],
    }
}

/// Every page makes progress, and the pages end.
fn pages(engine: &FileApi, method: Method, file: &Arc<[u8]>) {
    if !method.name.ends_with("ExtractText") {
        return;
    }
    let mut cursors: Vec<Value> = vec![Value::Null];
    while let Some(cursor) = cursors.last().filter(|_| cursors.len() < 12).cloned() {
        match engine.read(method, file, &json!({"max_tokens": 40, "cursor": cursor})) {
            Err(error) => return check_error(Some(&error)),
            Ok(answer) => match answer.get("cursor") {
                None => return,
                Some(next) => {
                    assert!(!cursors.contains(next), "{}: the page at {cursor} leads back", method.name);
                    cursors.push(next.clone());
                }
            },
        }
    }
}

/// Applies the operations of the first line to the file after it, or to a new file.
fn call(format: Format, input: &[u8]) {
    let (line, file) = ops::split(input);
    let Ok(params) = serde_json::from_slice::<Value>(line) else { return };
    let file: Option<Arc<[u8]>> = (!file.is_empty()).then(|| file.into());
    match (params.get("assets"), file) {
        (Some(assets), Some(file)) => copy(format, &file, assets),
        (_, file) => apply(format, file.as_ref(), &params),
    }
}

fn copy(format: Format, file: &Arc<[u8]>, assets: &Value) {
    let edited =
        Engine::new(LIMITS).copy_assets(format, file.into(), Some(file.into()), assets, &EditOptions::default());
    check_error(edited.as_ref().err());
    if let Ok(edited) = edited {
        written::check(Some(file), &edited.bytes, &copy_reply(&edited).expect("replies are JSON")["receipt"]);
        check_reads(format, file, &edited);
    }
}

/// Applies operations and checks the result.
pub(super) fn apply(format: Format, file: Option<&Arc<[u8]>>, ops: &Value) {
    let edited = edit(format, file, ops);
    check_error(edited.as_ref().err());
    let Ok(edited) = edited else { return };
    let receipt = apply_reply(&edited).expect("replies are JSON")["receipt"].take();
    let again = edit(format, file, ops).map(|again| again.bytes);
    assert!(again.as_ref() == Ok(&edited.bytes), "the same ops give another file the second time: {ops}");
    if let Some(file) = file {
        let none = edit(format, Some(file), &json!([]));
        assert!(none.is_err(), "a list without ops is accepted");
        check_reads(format, file, &edited);
    }
    written::check(file, &edited.bytes, &receipt);
}

fn edit(format: Format, file: Option<&Arc<[u8]>>, ops: &Value) -> Result<Edited, FileError> {
    let options = EditOptions { now: Some("2024-01-05T10:00:00Z"), ..EditOptions::default() };
    Engine::new(LIMITS).apply(format, file.map(Into::into), ops, &options)
}

/// What could be read before the edit can be read after it.
fn check_reads(format: Format, before: &Arc<[u8]>, edited: &Edited) {
    let after: Arc<[u8]> = edited.bytes.as_slice().into();
    for verb in ["GetMap", "ExtractText"] {
        let Some(method) = Method::find(&format!("{}{verb}", format.prefix())) else { continue };
        let read = |bytes: &Arc<[u8]>| FileApi::from(Engine::new(LIMITS)).read(method, bytes, &json!({}));
        if read(before).is_ok()
            && let Err(error) = read(&after)
        {
            // An edit may make a file exceed a limit.
            assert!(error.reason == Reason::TooLarge, "{verb} fails after the edit: {error}");
        }
    }
}

/// An error is about the file or the call, never about the engine's own output.
pub(super) fn check_error(error: Option<&FileError>) {
    let Some(error) = error else { return };
    let known = match error.reason {
        Reason::Invalid
        | Reason::Encrypted
        | Reason::Legacy
        | Reason::WrongKind
        | Reason::Damaged
        | Reason::TooLarge => true,
        Reason::Sandbox
        | Reason::Stale
        | Reason::NotFound
        | Reason::Unreadable
        | Reason::Unwritable
        | Reason::DiskFull
        | Reason::Unavailable
        | Reason::Internal => false,
    };
    assert!(known && !error.message.is_empty(), "not an error of an engine: {error:?}");
    assert!(!error.message.contains("two changes fall on the same bytes"), "a fault of our own: {error}");
}
