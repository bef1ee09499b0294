//! Whether the values that a workbook stores beside its formulas are up to date.
//!
//! A file that requests a full calculation on load (openpyxl, XlsxWriter, many exporters) declares that its stored values
//! are not the results of its formulas. Jig requests one too when it had to remove values, but then all other values
//! are right. It therefore writes a seal: a digest of everything that values depend on. A program that changes any of
//! it without calculating breaks the seal, and one that rewrites the workbook drops it.

use super::workbook_part::WorkbookPart;
use crate::package::Package;
use crate::xml::{Node, Ns, Splice};

/// Identifies the extension of the workbook part that holds the seal.
const URI: &str = "{8E0A4C52-5F0B-4C43-9C8B-2B7C0D6A9F31}";

/// Whether the stored values of formulas can be used as they are.
pub(super) fn trusts_stored(package: &Package, book: &WorkbookPart) -> bool {
    let calculation = &book.calculation;
    if !calculation.full_on_load && !calculation.incomplete {
        return true;
    }
    calculation.seal.as_ref().is_some_and(|found| *found == seal(package, book))
}

/// The digest of the sheets, shared strings, tables and names as they are in the package now.
pub(super) fn seal(package: &Package, book: &WorkbookPart) -> String {
    let mut hasher = crc32fast::Hasher::new();
    let mut add = |text: String| hasher.update(text.as_bytes());
    let digest = |part: &str| package.digest(part).map(|digest| (digest.bytes, digest.crc32));
    for sheet in &book.sheets {
        add(format!("{:?} {:?}\n", sheet.name, sheet.part.as_deref().and_then(digest)));
    }
    add(format!("{:?} {}\n", book.shared_strings().and_then(digest), book.date1904));
    for name in &book.names {
        add(format!("{:?} {:?} {:?}\n", name.name, name.sheet, name.formula));
    }
    let mut tables: Vec<&str> = package.names().filter(|name| name.contains("/tables/")).collect();
    tables.sort_unstable();
    for table in tables {
        add(format!("{table} {:?}\n", digest(table)));
    }
    format!("{:08x}", hasher.finalize())
}

/// The seal that the workbook part holds.
pub(super) fn read_seal(root: Node<'_>) -> Option<String> {
    let found = extension(root)?.elements().next()?;
    found.attr("digest").map(|digest| digest.into_owned())
}

fn extension(root: Node<'_>) -> Option<Node<'_>> {
    let list = root.child(Ns::S, "extLst")?;
    list.children_named(Ns::S, "ext").find(|ext| ext.attr("uri").is_some_and(|uri| uri == URI))
}

/// Writes a seal into the workbook part and replaces an old one.
pub(super) fn write_seal(root: Node<'_>, splice: &mut Splice<'_>, seal: &str) {
    if read_seal(root).as_deref() == Some(seal) {
        return;
    }
    let prefix = root.prefix();
    let inner = format!("<jig:stored xmlns:jig=\"urn:jig:calculation\" digest=\"{seal}\"/>");
    let ext = format!("<{prefix}ext uri=\"{URI}\">{inner}</{prefix}ext>");
    match (extension(root), root.child(Ns::S, "extLst")) {
        (Some(old), _) => splice.replace(old.range(), ext),
        (None, Some(list)) => splice.append(list, ext),
        // The list of extensions is the last child of a workbook.
        (None, None) => splice.append(root, format!("<{prefix}extLst>{ext}</{prefix}extLst>")),
    }
}
