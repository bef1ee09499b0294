//! Scans the bytes before a parser unpacks them: how large streams become, and whether the end is there.
//!
//! The parser unpacks a stream whole, and a small stream can become a very large one. So streams that could
//! pass the bound are unpacked here first, counting and keeping nothing.

mod size;

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use hayro::hayro_syntax::{Filter, Pdf};
use memchr::memmem;

use super::error::PdfError;

/// The most bytes of one unpacked stream.
const STREAM_BYTES: u64 = 256 << 20;
/// How much larger than packed a stream of one filter can become; LZW is the worst.
const RATIO: u64 = 2_731;
/// The most objects.
const OBJECTS: usize = 1_000_000;
/// How far back from a stream its dictionary is looked for.
const DICTIONARY: usize = 2_048;
/// Where the end of the file is looked for.
const TAIL: usize = 2_048;

/// What the bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StreamScan {
    pub(super) encrypted: bool,
    pub(super) warnings: Vec<String>,
}

/// Looks at the bytes of a file.
pub(super) fn look(bytes: &[u8]) -> Result<StreamScan, PdfError> {
    let head = bytes.get(..1_024).unwrap_or(bytes);
    let headed = memmem::find(head, b"%PDF-").is_some();
    if !headed && !has_body(bytes) {
        return Err(PdfError::NotPdf);
    }
    if memmem::find_iter(bytes, b" obj").nth(OBJECTS).is_some() {
        return Err(PdfError::TooLarge { what: format!("it has more than {OBJECTS} objects") });
    }
    streams(bytes)?;
    let mut warnings = Vec::new();
    if !headed {
        warnings.push("the header of the file is damaged: it does not begin with `%PDF-`".to_owned());
    }
    if !has_end(bytes) {
        let words = "the file is damaged or cut off: its table of objects is missing or wrong, so it was searched \
                     for them; pages and text may be missing";
        warnings.push(words.to_owned());
    }
    Ok(StreamScan { encrypted: memmem::find(bytes, b"/Encrypt").is_some(), warnings })
}

/// Whether there are objects and a table of them, so that only the header can be what is missing.
fn has_body(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or(bytes);
    memmem::find(bytes, b" obj").is_some()
        && memmem::find(bytes, b"endobj").is_some()
        && memmem::find(tail, b"startxref").is_some()
}

/// Whether the end of the file leads to the table of objects.
fn has_end(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or(bytes);
    let Some(at) = memmem::rfind(tail, b"startxref") else { return false };
    let rest = tail.get(at + 9..).unwrap_or_default();
    let digits: Vec<u8> =
        rest.iter().copied().skip_while(u8::is_ascii_whitespace).take_while(u8::is_ascii_digit).collect();
    let offset = std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse::<usize>().ok());
    // Offsets count from the header, which need not be the first byte.
    let start = memmem::find(bytes, b"%PDF-").unwrap_or(0);
    let leads = |at: usize| {
        let place = bytes.get(at..).unwrap_or_default();
        let place = place.trim_ascii_start();
        place.starts_with(b"xref") || is_object(place)
    };
    offset.is_some_and(|offset| leads(offset) || leads(offset.saturating_add(start)))
}

/// Whether an object begins here: two numbers and `obj`.
fn is_object(bytes: &[u8]) -> bool {
    let mut words = bytes.get(..64).unwrap_or(bytes).split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut number = || words.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    number() && number() && words.next().is_some_and(|word| word.starts_with(b"obj"))
}

fn streams(bytes: &[u8]) -> Result<(), PdfError> {
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| memmem::find(rest, b"stream")) {
        let word = from + at;
        from = word + 6;
        let begins = matches!(bytes.get(word + 6), Some(b'\r' | b'\n'));
        let ends = word >= 3 && bytes.get(word - 3..word) == Some(b"end");
        if !begins || ends {
            continue;
        }
        let rest = bytes.get(from..).unwrap_or_default();
        let data = rest.trim_ascii_start();
        let length = memmem::find(rest, b"endstream").unwrap_or(rest.len());
        let dictionary = bytes.get(word.saturating_sub(DICTIONARY)..word).unwrap_or_default();
        let dictionary = memmem::rfind(dictionary, b" obj").and_then(|at| dictionary.get(at..)).unwrap_or(dictionary);
        let packing = packing(dictionary);
        if may_grow(length as u64, packing.filters) {
            check(data.get(..length).unwrap_or(data), packing)?;
        }
        from += length;
    }
    Ok(())
}

/// The filters that a dictionary names for its stream; all of them when they are named in another object.
fn packing(dictionary: &[u8]) -> Packing {
    let Some(at) = memmem::find(dictionary, b"/Filter") else {
        return Packing { filters: 0, lzw: false, run_length: false };
    };
    let rest = dictionary.get(at + 7..).unwrap_or_default();
    let filters = match rest.trim_ascii_start().first() {
        Some(b'/') => 1,
        Some(b'[') => {
            let list = rest.split(|byte| *byte == b']').next().unwrap_or_default();
            u32::try_from(list.iter().filter(|byte| **byte == b'/').count()).unwrap_or(u32::MAX)
        }
        _ => return Packing { filters: 2, lzw: true, run_length: true },
    };
    // Names can be written with escapes, so a `#` may be any of them.
    let named = |name: &[u8]| memmem::find(rest, name).is_some() || rest.contains(&b'#');
    Packing { filters, lzw: named(b"LZW"), run_length: named(b"RunLength") || named(b"/RL") }
}

fn may_grow(length: u64, filters: u32) -> bool {
    let most = RATIO.checked_pow(filters).and_then(|ratio| ratio.checked_mul(length));
    most.is_none_or(|most| most > STREAM_BYTES)
}

/// Which filters a stream may be packed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packing {
    filters: u32,
    lzw: bool,
    run_length: bool,
}

/// Unpacks a stream, and what it holds when that is packed again, without keeping it.
fn check(data: &[u8], packing: Packing) -> Result<(), PdfError> {
    let mut length = size::flate(data, STREAM_BYTES);
    if packing.lzw {
        length = length.max(size::lzw(data, STREAM_BYTES));
    }
    if packing.run_length {
        length = length.max(size::run_length(data, STREAM_BYTES));
    }
    // Packed twice: what is packed first is small enough to be held.
    if packing.filters > 1 && length <= STREAM_BYTES {
        let mut once = Vec::new();
        // What is broken further on has been unpacked up to there.
        let _ = ZlibDecoder::new(data).take(STREAM_BYTES).read_to_end(&mut once);
        length = length.max(size::flate(&once, STREAM_BYTES));
    }
    if length > STREAM_BYTES { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> PdfError {
    PdfError::TooLarge { what: format!("a stream in it unpacks to more than {} MiB", STREAM_BYTES >> 20) }
}

/// The same for the streams of an encrypted file, which only the parser can decrypt.
pub(super) fn objects(pdf: &Pdf) -> Result<(), PdfError> {
    for object in pdf.objects() {
        let Some(stream) = object.into_stream() else { continue };
        let filters = stream.filters();
        let has = |filter: Filter| filters.contains(&filter);
        let packing = Packing {
            filters: u32::try_from(filters.len()).unwrap_or(u32::MAX),
            lzw: has(Filter::LzwDecode),
            run_length: has(Filter::RunLengthDecode),
        };
        let data = stream.raw_data();
        if may_grow(data.len() as u64, packing.filters) {
            check(&data, packing)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(data).unwrap();
        writer.finish().unwrap()
    }

    fn file(filter: &str, data: &[u8]) -> Vec<u8> {
        let mut file =
            format!("%PDF-1.7\n1 0 obj\n<< /Length {} /Filter {filter} >>\nstream\n", data.len()).into_bytes();
        file.extend(data);
        file.extend(b"\nendstream\nendobj\n");
        file
    }

    #[test]
    fn a_stream_that_unpacks_to_too_much_is_refused() {
        let large = packed(&vec![0; (STREAM_BYTES + 1) as usize]);
        assert_eq!(look(&file("/FlateDecode", &large)), Err(too_large()));
        assert_eq!(look(&file("[ /FlateDecode ]", &large)), Err(too_large()));
        let nested = packed(&large);
        assert!(nested.len() < 10_000);
        assert_eq!(look(&file("[/FlateDecode /FlateDecode]", &nested)), Err(too_large()));
        assert_eq!(look(&file("7 0 R", &nested)), Err(too_large()));
        assert!(look(&file("/FlateDecode", &packed(&vec![0; 1 << 20]))).is_ok());
    }

    #[test]
    fn a_missing_end_is_noticed() {
        let whole = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nxref\n0 1\ntrailer\n<<>>\nstartxref\n30\n%%EOF";
        let at = memmem::find(whole, b"xref\n0").unwrap();
        let whole = String::from_utf8_lossy(whole).replace("\n30\n", &format!("\n{at}\n"));
        assert_eq!(look(whole.as_bytes()), Ok(StreamScan { encrypted: false, warnings: Vec::new() }));
        assert_eq!(look(&whole.as_bytes()[..40]).unwrap().warnings.len(), 1);
        assert_eq!(look(whole.replace(&format!("\n{at}\n"), "\n3\n").as_bytes()).unwrap().warnings.len(), 1);
        assert_eq!(look(b"no such thing"), Err(PdfError::NotPdf));
    }
}
