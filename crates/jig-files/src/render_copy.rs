//! A copy of an Office file for LibreOffice to draw: the same pages, without anything that leads out of the file.
//!
//! LibreOffice fetches what a document refers to: images by URL or path, linked objects, included files, web services.
//! The document's author is not the viewer, so nothing of that may happen. The copy is rebuilt part by part
//! and holds only what is known to be harmless, whatever format LibreOffice takes the file for:
//! - XML, with external references removed ([`xml`]) and never deeper than LibreOffice can bear;
//! - images and fonts, recognised by their content;
//! - nothing else: no macros, no embedded files, no scripts, no media.
//!
//! A file that this module cannot read completely is refused, and then LibreOffice never sees it.

mod fields;
mod reference;
mod xml;

use std::io::{Cursor, Write as _};
use std::sync::Arc;

use jig_ooxml::xml::XmlPart;
use jig_ooxml::{Limits, Package};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::engine::{FileError, Format, Reason};

/// The most bytes that all parts may have together. LibreOffice takes many times as much.
const TOTAL_BYTES: u64 = 512 << 20;
/// The most elements inside each other. LibreOffice needs much more time and memory with each nested group.
const DEPTH: usize = 100;

/// Rebuilds a file that its own reader has accepted.
pub(crate) fn copy_for_rendering(format: Format, bytes: &Arc<[u8]>, limits: Limits) -> Result<Vec<u8>, FileError> {
    if !matches!(format, Format::Xlsx | Format::Docx | Format::Pptx | Format::Odt) {
        return Err(FileError::invalid(format!("{} files are not drawn by LibreOffice", format.prefix())));
    }
    if format == Format::Odt && is_xml(bytes) {
        let part = XmlPart::decode("the file", bytes.to_vec())?;
        return xml::detach(&part.text, DEPTH, &|_| true).map_err(|why| refused("the file", &why));
    }
    let package = Package::open(bytes.clone(), Limits { total_bytes: TOTAL_BYTES.min(limits.total_bytes), ..limits })?;
    let mut names: Vec<&str> = package.names().filter(|name| is_plain(name)).collect();
    // OpenDocument wants its type to be the first part.
    names.sort_by_key(|name| *name != MIMETYPE);
    let is_part = |name: &str| package.has(name);
    let mut copy = ZipWriter::new(Cursor::new(Vec::with_capacity(bytes.len())));
    for name in names {
        let Some(content) = harmless(name, package.read(name)?, &is_part)? else { continue };
        let method = if name == MIMETYPE { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(method).compression_level(if name == MIMETYPE {
            None
        } else {
            Some(1)
        });
        let written =
            copy.start_file(name, options).map_err(std::io::Error::from).and_then(|()| copy.write_all(&content));
        written.map_err(|error| unwritable(&error))?;
    }
    let copy = copy.finish().map_err(|error| unwritable(&error.into()))?;
    Ok(copy.into_inner())
}

const MIMETYPE: &str = "mimetype";

/// What of a part may be in the copy; none to leave the part out.
fn harmless(name: &str, content: Vec<u8>, is_part: &dyn Fn(&str) -> bool) -> Result<Option<Vec<u8>>, FileError> {
    if is_xml(&content) {
        let part = XmlPart::decode(name, content)?;
        let inside = |target: &str| is_part(&reference::resolve(name, target).unwrap_or_default());
        return xml::detach(&part.text, DEPTH, &inside).map(Some).map_err(|why| refused(name, &why));
    }
    let is_type = name == MIMETYPE && content.len() < 200 && content.is_ascii();
    Ok((is_type || is_image(&content) || is_font(name, &content)).then_some(content))
}

/// Whether a reader would take a part for XML.
fn is_xml(bytes: &[u8]) -> bool {
    let head = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wide = [&b"\xff\xfe"[..], b"\xfe\xff", b"<\0", b"\0<"].iter().any(|start| head.starts_with(start));
    wide || head.trim_ascii_start().starts_with(b"<")
}

/// Images without a way to refer to anything. SVG is XML; PDF and compressed SVG are left out.
fn is_image(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 9] = [
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF8",
        b"BM",
        b"II*\0",
        b"MM\0*",
        // WMF with and without its own header; EMF is recognised by its mark below.
        b"\xd7\xcd\xc6\x9a",
        b"\x01\0\x09\0\0\x03",
        b"RIFF",
    ];
    STARTS.iter().any(|start| bytes.starts_with(start))
        || (bytes.starts_with(b"\x01\0\0\0") && bytes.get(40..44) == Some(b" EMF"))
}

/// Fonts in a file, which Word and PowerPoint scramble, so that their content says nothing.
fn is_font(name: &str, bytes: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let named = [".odttf", ".fntdata", ".ttf", ".otf"].iter().any(|ending| name.ends_with(ending));
    let known_other = [&b"\x1f\x8b"[..], b"%PDF", b"PK"].iter().any(|start| bytes.starts_with(start));
    named && !known_other
}

/// Scripts are left out, and names that could mean another place.
fn is_plain(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    let scripts = ["Basic", "Scripts", "Dialogs", "Versions"].contains(&first);
    !scripts && !name.contains('\\') && name.split('/').all(|segment| !segment.is_empty() && segment != "..")
}

fn refused(name: &str, why: &str) -> FileError {
    FileError::new(Reason::Damaged, format!("{name}: {why}"))
}

fn unwritable(error: &std::io::Error) -> FileError {
    FileError::new(Reason::Damaged, format!("the file cannot be copied for rendering: {error}"))
}
