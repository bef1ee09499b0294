//! Documents in ZIP packages: OOXML by the type of its main part, OpenDocument by its `mimetype`.

use super::Format;
use super::container::{ZipEntry, zip_directory, zip_headers};
use crate::kind::FileKind::{self, *};
use crate::text::Text;

pub(super) const ODT: &str = "application/vnd.oasis.opendocument.text";
pub(super) const OTT: &str = "application/vnd.oasis.opendocument.text-template";
pub(super) const ODS: &str = "application/vnd.oasis.opendocument.spreadsheet";
pub(super) const ODP: &str = "application/vnd.oasis.opendocument.presentation";
pub(super) const EPUB: &str = "application/epub+zip";

const ZIP: Format = Format::plain(Zip, "application/zip");

/// The promise of an OOXML ending.
pub(super) fn by_ending(ending: &str) -> Option<Format> {
    let flavour = FLAVOURS.iter().find(|flavour| flavour.ending == ending)?;
    Some(flavour.format())
}

/// The document in a ZIP archive, or the archive itself.
pub(super) fn package(named: Option<Format>, bytes: &[u8]) -> Format {
    match zip_directory(bytes) {
        // A name and entries of an Office file without a usable declaration: a damaged one. Other archives may well have a
        // folder `word`.
        Some(entries) => {
            let office = named.filter(|format| format.kind.is_ooxml());
            let damaged = || office.and_then(|_| evident(office, zip_directory(bytes)?));
            declared(entries).or_else(damaged).unwrap_or(ZIP)
        }
        // The end is missing: a head, or a damaged file. What can be seen has to do.
        None => declared(zip_headers(bytes)).or_else(|| evident(named, zip_headers(bytes))).unwrap_or(ZIP),
    }
}

/// What the package says about itself.
fn declared<'a>(mut entries: impl Iterator<Item = ZipEntry<'a>>) -> Option<Format> {
    entries.find_map(|entry| match entry.name {
        b"mimetype" => open_document(&entry.content()),
        name if name.eq_ignore_ascii_case(b"[Content_Types].xml") => main_part(&entry.content()),
        _ => None,
    })
}

fn open_document(mimetype: &[u8]) -> Option<Format> {
    let mimetype = mimetype.trim_ascii();
    OPEN_DOCUMENTS.iter().copied().find(|format| format.media_type.as_bytes() == mimetype)
}

fn main_part(content_types: &[u8]) -> Option<Format> {
    let xml = Text::decode(content_types);
    let mut types = attribute_values(xml.content(), "ContentType");
    types.find_map(|value| {
        let same = |flavour: &&Flavour| flavour.main_part.eq_ignore_ascii_case(value);
        FLAVOURS.iter().find(same).map(Flavour::format)
    })
}

/// The values of an attribute, wherever it stands. Enough for a flat list of declarations.
fn attribute_values<'a>(xml: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    xml.split(name).skip(1).filter_map(|after| {
        let value = after.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        value.get(1..)?.split(quote).next()
    })
}

/// What the names of the entries show, when the declaration is not among them.
fn evident<'a>(named: Option<Format>, entries: impl Iterator<Item = ZipEntry<'a>>) -> Option<Format> {
    let ooxml = named.filter(|format| format.kind.is_ooxml());
    let mut package_like = false;
    for entry in entries {
        if let Some(kind) = family(entry.name) {
            // The family is certain. Its flavour is not, so the name may choose that.
            return ooxml.filter(|format| format.kind == kind).or_else(|| plain(kind));
        }
        package_like |= OPC_FOLDERS.iter().any(|folder| entry.name.starts_with(folder));
    }
    ooxml.filter(|_| package_like)
}

const OPC_FOLDERS: &[&[u8]] = &[b"[Content_Types].xml", b"_rels/", b"docProps/", b"customXml/"];

fn family(entry: &[u8]) -> Option<FileKind> {
    match entry.split(|&byte| byte == b'/').next()? {
        folder if folder.len() == entry.len() => None,
        b"word" => Some(Docx),
        b"xl" => Some(Xlsx),
        b"ppt" => Some(Pptx),
        _ => None,
    }
}

fn plain(kind: FileKind) -> Option<Format> {
    by_ending(kind.as_str())
}

const OPEN_DOCUMENTS: &[Format] = &[
    Format::plain(Odt, ODT),
    Format::new(Odt, OTT, "an OpenDocument text template"),
    Format::new(Odt, "application/vnd.oasis.opendocument.text-web", "an OpenDocument web page"),
    Format::new(Odt, "application/vnd.oasis.opendocument.text-master", "an OpenDocument master document"),
    Format::new(Zip, ODS, "an OpenDocument spreadsheet"),
    Format::new(Zip, ODP, "an OpenDocument presentation"),
    Format::new(Zip, EPUB, "an EPUB book"),
];

/// One of the formats that share the OOXML package.
struct Flavour {
    ending: &'static str,
    kind: FileKind,
    main_part: &'static str,
    media_type: &'static str,
    words: &'static str,
}

impl Flavour {
    fn format(&self) -> Format {
        Format::new(self.kind, self.media_type, self.words)
    }
}

macro_rules! flavours {
    ($($ending:literal $kind:ident $words:literal: $main:literal => $media:literal;)+) => {
        &[$(Flavour {
            ending: $ending,
            kind: $kind,
            main_part: $main,
            media_type: $media,
            words: $words,
        },)+]
    };
}

const FLAVOURS: &[Flavour] = flavours! {
    "docx" Docx "a Word document":
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        => "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    "docm" Docx "a Word document with macros":
        "application/vnd.ms-word.document.macroEnabled.main+xml"
        => "application/vnd.ms-word.document.macroEnabled.12";
    "dotx" Docx "a Word template":
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"
        => "application/vnd.openxmlformats-officedocument.wordprocessingml.template";
    "dotm" Docx "a Word template with macros":
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"
        => "application/vnd.ms-word.template.macroEnabled.12";
    "xlsx" Xlsx "an Excel workbook":
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
        => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    "xlsm" Xlsx "an Excel workbook with macros":
        "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
        => "application/vnd.ms-excel.sheet.macroEnabled.12";
    "xltx" Xlsx "an Excel template":
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"
        => "application/vnd.openxmlformats-officedocument.spreadsheetml.template";
    "xltm" Xlsx "an Excel template with macros":
        "application/vnd.ms-excel.template.macroEnabled.main+xml"
        => "application/vnd.ms-excel.template.macroEnabled.12";
    "xlam" Xlsx "an Excel add-in":
        "application/vnd.ms-excel.addin.macroEnabled.main+xml"
        => "application/vnd.ms-excel.addin.macroEnabled.12";
    "xlsb" Binary "an Excel workbook in the binary format (.xlsb)":
        "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
        => "application/vnd.ms-excel.sheet.binary.macroEnabled.12";
    "pptx" Pptx "a PowerPoint presentation":
        "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
        => "application/vnd.openxmlformats-officedocument.presentationml.presentation";
    "pptm" Pptx "a PowerPoint presentation with macros":
        "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"
        => "application/vnd.ms-powerpoint.presentation.macroEnabled.12";
    "potx" Pptx "a PowerPoint template":
        "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml"
        => "application/vnd.openxmlformats-officedocument.presentationml.template";
    "potm" Pptx "a PowerPoint template with macros":
        "application/vnd.ms-powerpoint.template.macroEnabled.main+xml"
        => "application/vnd.ms-powerpoint.template.macroEnabled.12";
    "ppsx" Pptx "a PowerPoint slide show":
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"
        => "application/vnd.openxmlformats-officedocument.presentationml.slideshow";
    "ppsm" Pptx "a PowerPoint slide show with macros":
        "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"
        => "application/vnd.ms-powerpoint.slideshow.macroEnabled.12";
};
