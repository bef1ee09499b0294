//! Replaces a part of a sample with any bytes, then reads and edits it, so that no zip layer is between fuzzer and
//! parser.

use std::sync::{Arc, OnceLock};

use jig_files::engine::{Engine, Format};
use jig_worker::{FileApi, Method};
use serde_json::json;

use super::archive::Archive;
use super::{office, ops, seeds};

/// A sample and the part that is replaced.
pub(super) struct Host {
    pub(super) format: Format,
    pub(super) file: &'static str,
    pub(super) part: &'static str,
}

const fn host(format: Format, file: &'static str, part: &'static str) -> Host {
    Host { format, file, part }
}

static XLSX_WORKBOOK: Host = host(Format::Xlsx, "everything.xlsx", "xl/workbook.xml");
static XLSX_SHEET: Host = host(Format::Xlsx, "everything.xlsx", "xl/worksheets/sheet1.xml");
static XLSX_STRINGS: Host = host(Format::Xlsx, "everything.xlsx", "xl/sharedStrings.xml");
static XLSX_STYLES: Host = host(Format::Xlsx, "everything.xlsx", "xl/styles.xml");
static DOCX_DOCUMENT: Host = host(Format::Docx, "google-like.docx", "word/document.xml");
static DOCX_STYLES: Host = host(Format::Docx, "google-like.docx", "word/styles.xml");
static DOCX_NUMBERING: Host = host(Format::Docx, "google-like.docx", "word/numbering.xml");
static PPTX_PRESENTATION: Host = host(Format::Pptx, "minimal.pptx", "ppt/presentation.xml");
static PPTX_SLIDE: Host = host(Format::Pptx, "minimal.pptx", "ppt/slides/slide1.xml");

/// The host of a target.
pub(super) fn host_of(target: &str) -> Option<&'static Host> {
    Some(match target {
        "xlsx_workbook" => &XLSX_WORKBOOK,
        "xlsx_sheet" => &XLSX_SHEET,
        "xlsx_strings" => &XLSX_STRINGS,
        "xlsx_styles" => &XLSX_STYLES,
        "docx_document" => &DOCX_DOCUMENT,
        "docx_styles" => &DOCX_STYLES,
        "docx_numbering" => &DOCX_NUMBERING,
        "pptx_presentation" => &PPTX_PRESENTATION,
        "pptx_slide" => &PPTX_SLIDE,
        _ => return None,
    })
}

macro_rules! part_targets {
    ($($name:ident => $host:ident),* $(,)?) => {$(
        pub(super) fn $name(bytes: &[u8]) {
            static ARCHIVE: OnceLock<Archive> = OnceLock::new();
            run(&$host, ARCHIVE.get_or_init(|| $host.open()), bytes);
        }
    )*};
}

part_targets! {
    xlsx_workbook => XLSX_WORKBOOK,
    xlsx_sheet => XLSX_SHEET,
    xlsx_strings => XLSX_STRINGS,
    xlsx_styles => XLSX_STYLES,
    docx_document => DOCX_DOCUMENT,
    docx_styles => DOCX_STYLES,
    docx_numbering => DOCX_NUMBERING,
    pptx_presentation => PPTX_PRESENTATION,
    pptx_slide => PPTX_SLIDE,
}

impl Host {
    fn open(&self) -> Archive {
        Archive::read(&seeds::sample(self.file)).expect("a sample is a plain archive")
    }
}

fn run(host: &Host, archive: &Archive, bytes: &[u8]) {
    let mut archive = archive.clone();
    archive.put(host.part, bytes);
    let file: Arc<[u8]> = archive.write().into();
    office::read(host.format, &file);
    // Derived from the content, so that an input is always treated alike.
    let number = bytes.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
    let list = ops::list(host.format, &first_sheet(host.format, &file), number);
    office::apply(host.format, Some(&file), &list);
}

/// The name of the first sheet, if the format has sheets.
fn first_sheet(format: Format, file: &Arc<[u8]>) -> String {
    let method = Method::find("XlsxGetInfo").filter(|_| format == Format::Xlsx);
    let info = method.and_then(|method| FileApi::from(Engine::new(office::LIMITS)).read(method, file, &json!({})).ok());
    info.and_then(|info| Some(info["sheets"][0]["name"].as_str()?.to_owned())).unwrap_or_default()
}
