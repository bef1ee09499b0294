//! Protects sheets and removes the protection. Passwords are stored as salted hashes only (ISO/IEC 29500-1, 18.3.1.85).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_file_api::ops::xlsx::{ProtectSheet, UnprotectSheet};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::WorkbookEdit;
use super::order::{WORKSHEET, insert_in_order};
use crate::edit::{OpInput, OpReport};
use crate::error::Error;
use crate::xml::{Node, Ns};

/// How often the hash is applied, as Excel does.
const SPINS: u32 = 100_000;
/// The most applications that a file may ask for.
const MOST_SPINS: u32 = 10_000_000;
/// The most characters of a password in Excel.
const MOST_CHARS: usize = 255;

/// What users may do, and the attribute that forbids it.
const ACTIONS: [(&str, &str); 15] = [
    ("objects", "objects"),
    ("scenarios", "scenarios"),
    ("format_cells", "formatCells"),
    ("format_columns", "formatColumns"),
    ("format_rows", "formatRows"),
    ("insert_columns", "insertColumns"),
    ("insert_rows", "insertRows"),
    ("insert_hyperlinks", "insertHyperlinks"),
    ("delete_columns", "deleteColumns"),
    ("delete_rows", "deleteRows"),
    ("select_locked_cells", "selectLockedCells"),
    ("sort", "sort"),
    ("filter", "autoFilter"),
    ("pivot_tables", "pivotTables"),
    ("select_unlocked_cells", "selectUnlockedCells"),
];

/// Protects a sheet.
pub(super) fn protect(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &ProtectSheet) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let password = op.password.as_deref().filter(|password| !password.is_empty());
    if password.is_some_and(|password| password.encode_utf16().count() > MOST_CHARS) {
        return Err(input.error("password", format!("a password has at most {MOST_CHARS} characters")).into());
    }
    let allowed: Vec<&str> = op.allow.iter().flatten().map(|action| action.0.as_str()).collect();
    let mut attributes = String::new();
    if let Some(password) = password {
        let salt = salt(editor, &part);
        let hash = hashed::<Sha512>(&salt, password, SPINS);
        attributes = format!(
            " algorithmName=\"SHA-512\" hashValue=\"{}\" saltValue=\"{}\" spinCount=\"{SPINS}\"",
            STANDARD.encode(hash),
            STANDARD.encode(salt)
        );
    }
    attributes.push_str(" sheet=\"1\"");
    for (action, attribute) in ACTIONS {
        let is_allowed = allowed.contains(&action);
        match action {
            // Cells can be selected in any case, as in a protection that Excel sets.
            "select_locked_cells" | "select_unlocked_cells" => {}
            "objects" | "scenarios" if !is_allowed => attributes.push_str(&format!(" {attribute}=\"1\"")),
            "objects" | "scenarios" => {}
            _ if is_allowed => attributes.push_str(&format!(" {attribute}=\"0\"")),
            _ => {}
        }
    }
    check_removable(editor, input, &part, None, "is protected already; remove that protection first")?;
    editor.edit_frame(&part, |root, splice| {
        let markup = format!("<{}sheetProtection{attributes}/>", root.prefix());
        match root.child(Ns::S, "sheetProtection") {
            Some(old) => splice.replace(old.range(), markup),
            None => insert_in_order(splice, root, "sheetProtection", &markup, &WORKSHEET),
        }
        Ok(())
    })?;
    let with = if password.is_some() { " with a password" } else { "" };
    let summary = format!("Protected the sheet {name}{with}.");
    let change = OpReport::new(input, summary).with("sheet", name).with("password", password.is_some());
    Ok(change.with("allow", allowed))
}

/// Removes the protection of a sheet. One with a password is removed only with it.
pub(super) fn unprotect(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &UnprotectSheet,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let why = "is protected with another password";
    let found = check_removable(editor, input, &part, op.password.as_deref(), why)?;
    editor.edit_frame(&part, |root, splice| {
        if let Some(old) = root.child(Ns::S, "sheetProtection") {
            splice.remove(old);
        }
        Ok(())
    })?;
    let summary = match found {
        true => format!("Removed the protection of the sheet {name}."),
        false => format!("The sheet {name} was not protected."),
    };
    Ok(OpReport::new(input, summary).with("sheet", name).with("protected", found))
}

/// Refuses to touch a protection with another password. Returns whether there is a protection.
fn check_removable(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    password: Option<&str>,
    why: &str,
) -> Result<bool, Error> {
    let mut found = false;
    let mut opens = true;
    editor.edit_frame(part, |root, _| {
        if let Some(node) = root.child(Ns::S, "sheetProtection") {
            found = true;
            opens = is_opened_by(node, password);
        }
        Ok(())
    })?;
    if !opens {
        let why = match password {
            None => "the sheet is protected with a password; give it in `password`".to_owned(),
            Some(_) => format!("the sheet {why}"),
        };
        return Err(input.error("password", why).into());
    }
    Ok(found)
}

/// Whether a protection has no password, or this one.
fn is_opened_by(node: Node<'_>, password: Option<&str>) -> bool {
    let (hash, salt) = (node.attr("hashValue"), node.attr("saltValue"));
    if let Some(legacy) = node.attr("password").filter(|hash| !hash.trim().is_empty()) {
        let wanted = u16::from_str_radix(legacy.trim(), 16).ok();
        return password.is_some_and(|password| wanted == Some(legacy_hash(password)));
    }
    let Some(hash) = hash.filter(|hash| !hash.is_empty()) else { return true };
    let Some(password) = password else { return false };
    let spins = node.attr("spinCount").and_then(|count| count.trim().parse::<u32>().ok()).unwrap_or(0).min(MOST_SPINS);
    let salt = STANDARD.decode(salt.unwrap_or_default().trim()).unwrap_or_default();
    let found = match node.attr("algorithmName").as_deref() {
        Some("SHA-512") => hashed::<Sha512>(&salt, password, spins),
        Some("SHA-384") => hashed::<Sha384>(&salt, password, spins),
        Some("SHA-256") => hashed::<Sha256>(&salt, password, spins),
        Some("SHA-1") => hashed_sha1(&salt, password, spins),
        _ => return false,
    };
    STANDARD.decode(hash.trim()).is_ok_and(|hash| hash == found)
}

/// `H(salt + password)`, then `H(hash + number)` for each application.
fn hashed<D: Digest>(salt: &[u8], password: &str, spins: u32) -> Vec<u8> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut hash = D::new().chain_update(salt).chain_update(&password).finalize().to_vec();
    for number in 0..spins {
        hash = D::new().chain_update(&hash).chain_update(number.to_le_bytes()).finalize().to_vec();
    }
    hash
}

/// The same with SHA-1, as older files have it.
fn hashed_sha1(salt: &[u8], password: &str, spins: u32) -> Vec<u8> {
    hashed::<Sha1>(salt, password, spins)
}

/// The 16 bits that Excel stored before 2013 (ISO/IEC 29500-4, 14.7.1).
fn legacy_hash(password: &str) -> u16 {
    let bytes: Vec<u8> = password.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).take(15).collect();
    let mut hash: u16 = 0;
    for byte in bytes.iter().rev() {
        hash = ((hash >> 14) & 1) | ((hash << 1) & 0x7FFF);
        hash ^= u16::from(*byte);
    }
    hash = ((hash >> 14) & 1) | ((hash << 1) & 0x7FFF);
    hash ^= u16::try_from(bytes.len()).unwrap_or(0);
    hash ^ 0xCE4B
}

/// A salt without randomness: it differs by file, sheet and time, so that equal passwords have other hashes. It is not
/// made from the password: that would let a guess be checked without the slow hash.
fn salt(editor: &WorkbookEdit<'_>, part: &str) -> [u8; 16] {
    let digest = editor.package.digest(part);
    let hash = Sha512::new()
        .chain_update(b"sheet protection")
        .chain_update(editor.package.source())
        .chain_update(part)
        .chain_update(digest.map_or(0, |digest| digest.crc32).to_le_bytes())
        .chain_update(editor.options.now.unwrap_or_default())
        .finalize();
    let mut salt = [0; 16];
    for (slot, byte) in salt.iter_mut().zip(hash.iter()) {
        *slot = *byte;
    }
    salt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // Known values of the 16-bit hash.
        assert_eq!(legacy_hash("test"), 0xCBEB);
        assert_eq!(legacy_hash("password"), 0x83AF);
        let salt = STANDARD.decode("uq81pJRRGFX5CnRkTbYRBQ==").unwrap();
        let (one, two) = (hashed::<Sha512>(&salt, "a", 10), hashed::<Sha512>(&salt, "b", 10));
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
    }
}
