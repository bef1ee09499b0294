//! Rejects files that are not zip packages and says what they are.

use crate::error::PackageError;

const CFB: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// An error for a file that does not begin as a zip.
pub(super) fn other_files(bytes: &[u8]) -> Result<(), PackageError> {
    if bytes.starts_with(&CFB) {
        return Err(container(bytes));
    }
    // A zip can follow other bytes, for example those of a program that extracts it.
    let begins = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06");
    if begins || memchr::memmem::rfind(bytes, b"PK\x05\x06").is_some() {
        Ok(())
    } else {
        Err(PackageError::NotAPackage)
    }
}

/// What an OLE container holds, by the names of its streams, which are UTF-16.
fn container(bytes: &[u8]) -> PackageError {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") {
        PackageError::Encrypted
    } else if has("WordDocument") {
        PackageError::Legacy { format: ".doc", instead: ".docx" }
    } else if has("Workbook") || has("Book") {
        PackageError::Legacy { format: ".xls", instead: ".xlsx" }
    } else if has("PowerPoint Document") {
        PackageError::Legacy { format: ".ppt", instead: ".pptx" }
    } else {
        PackageError::NotAPackage
    }
}
