//! Formats that begin with known bytes.

use super::Format;
use crate::kind::FileKind::*;

/// Formats whose first bytes no text starts with.
pub(super) fn certain(bytes: &[u8]) -> Option<Format> {
    if is_pdf(bytes) {
        return Some(PDF);
    }
    CERTAIN
        .iter()
        .find(|(offset, magic, _)| at(bytes, *offset, magic))
        .map(|(.., format)| *format)
        .or_else(|| iso_media(bytes))
        .or_else(|| icon(bytes))
}

/// Formats whose first bytes are letters, so that a text may start with them too. The caller has
/// found that this is not text.
pub(super) fn unless_text(bytes: &[u8]) -> Option<Format> {
    UNLESS_TEXT
        .iter()
        .find(|(offset, magic, _)| at(bytes, *offset, magic))
        .map(|(.., format)| *format)
        .or_else(|| riff(bytes))
        .or_else(|| late_pdf(bytes))
}

fn at(bytes: &[u8], offset: usize, magic: &[u8]) -> bool {
    bytes.get(offset..).is_some_and(|rest| rest.starts_with(magic))
}

const PDF: Format = Format::plain(Pdf, "application/pdf");

fn is_pdf(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    has_pdf_header(bytes.trim_ascii_start())
}

fn has_pdf_header(bytes: &[u8]) -> bool {
    matches!(bytes.strip_prefix(b"%PDF-"), Some([b'0'..=b'9', b'.', ..]))
}

/// Readers accept a PDF whose header comes after up to 1,024 other bytes.
fn late_pdf(bytes: &[u8]) -> Option<Format> {
    let head = bytes.get(..bytes.len().min(1024 + 8))?;
    head.windows(8).any(has_pdf_header).then_some(PDF)
}

/// A file that is called a PDF and has objects, but a damaged header.
pub(super) fn pdf_without_header(named: Option<Format>, bytes: &[u8]) -> Option<Format> {
    let head = bytes.get(..bytes.len().min(4096))?;
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    (named.is_some_and(|named| named.kind == Pdf) && has(b" obj") && (has(b"endobj") || has(b"stream"))).then_some(PDF)
}

/// MP4 and its relatives, told apart by the brand in the first box.
fn iso_media(bytes: &[u8]) -> Option<Format> {
    if !at(bytes, 4, b"ftyp") {
        return None;
    }
    Some(match bytes.get(8..12)? {
        b"heic" | b"heix" | b"heim" | b"heis" | b"mif1" => Format::new(Image, "image/heic", "a HEIC image"),
        b"avif" | b"avis" => Format::new(Image, "image/avif", "an AVIF image"),
        b"qt  " => Format::new(Binary, "video/quicktime", "a QuickTime video"),
        b"M4A " => Format::new(Binary, "audio/mp4", "an MPEG-4 sound file"),
        _ => Format::new(Binary, "video/mp4", "an MPEG-4 video"),
    })
}

/// The magic of an icon is weak, so the first directory entry has to make sense too.
fn icon(bytes: &[u8]) -> Option<Format> {
    let [0, 0, 1, 0, count, 0, _, _, _, 0, planes, 0, ..] = bytes else {
        return None;
    };
    let plausible = *count > 0 && *planes <= 1;
    plausible.then_some(Format::new(Image, "image/vnd.microsoft.icon", "an icon"))
}

fn riff(bytes: &[u8]) -> Option<Format> {
    if !bytes.starts_with(b"RIFF") {
        return None;
    }
    match bytes.get(8..12)? {
        b"WEBP" => Some(Format::plain(Webp, "image/webp")),
        b"WAVE" => Some(Format::new(Binary, "audio/wav", "a WAV sound file")),
        b"AVI " => Some(Format::new(Binary, "video/x-msvideo", "an AVI video")),
        _ => None,
    }
}

type Magic = (usize, &'static [u8], Format);

const TIFF: Format = Format::new(Image, "image/tiff", "a TIFF image");
const JXL: Format = Format::new(Image, "image/jxl", "a JPEG XL image");
const GIF: Format = Format::plain(Gif, "image/gif");
const TAR: Format = Format::new(Binary, "application/x-tar", "a tar archive");

const CERTAIN: &[Magic] = &[
    (0, b"\x89PNG\r\n\x1a\n", Format::plain(Png, "image/png")),
    (0, b"\xff\xd8\xff", Format::plain(Jpeg, "image/jpeg")),
    (0, b"II*\0", TIFF),
    (0, b"MM\0*", TIFF),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", JXL),
    (40, b" EMF\0\0\x01\0", Format::new(Image, "image/emf", "an EMF image")),
    (0, b"\xd7\xcd\xc6\x9a", Format::new(Image, "image/wmf", "a WMF image")),
    (0, b"\x1f\x8b\x08", Format::new(Binary, "application/gzip", "gzip data")),
    (0, b"\xfd7zXZ\0", Format::new(Binary, "application/x-xz", "xz data")),
    (0, b"\x28\xb5\x2f\xfd", Format::new(Binary, "application/zstd", "zstd data")),
    (0, b"7z\xbc\xaf\x27\x1c", Format::new(Binary, "application/x-7z-compressed", "a 7z archive")),
    (0, b"Rar!\x1a\x07", Format::new(Binary, "application/vnd.rar", "a RAR archive")),
    (0, b"SQLite format 3\0", Format::new(Binary, "application/vnd.sqlite3", "a SQLite database")),
    (0, b"\x7fELF", Format::new(Binary, "application/x-elf", "a program")),
    (0, b"\0asm", Format::new(Binary, "application/wasm", "a WebAssembly module")),
    (257, b"ustar\x0000", TAR),
    (257, b"ustar  \0", TAR),
];

const UNLESS_TEXT: &[Magic] = &[
    (0, b"GIF87a", GIF),
    (0, b"GIF89a", GIF),
    (0, b"BM", Format::new(Image, "image/bmp", "a BMP image")),
    (0, b"8BPS\0\x01", Format::new(Image, "image/vnd.adobe.photoshop", "a Photoshop image")),
    (0, b"BZh", Format::new(Binary, "application/x-bzip2", "bzip2 data")),
    (0, b"MZ", Format::new(Binary, "application/vnd.microsoft.portable-executable", "a program")),
    (0, b"PAR1", Format::new(Binary, "application/vnd.apache.parquet", "a Parquet table")),
    (0, b"OggS\0", Format::new(Binary, "audio/ogg", "an Ogg file")),
    (0, b"fLaC", Format::new(Binary, "audio/flac", "a FLAC sound file")),
    (0, b"ID3", Format::new(Binary, "audio/mpeg", "an MP3 sound file")),
    (0, b"wOFF", Format::new(Binary, "font/woff", "a web font")),
    (0, b"wOF2", Format::new(Binary, "font/woff2", "a web font")),
];
