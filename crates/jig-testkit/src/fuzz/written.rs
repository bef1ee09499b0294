//! Properties of every file that an edit produces.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jig_ooxml::{ContentTypes, Package, Relationships};
use serde_json::Value;

use super::archive::{Archive, Entry};
use super::office::LIMITS;

/// Compares a file before and after by its receipt.
pub(super) fn check(before: Option<&Arc<[u8]>>, after: &[u8], receipt: &Value) {
    let named: HashSet<String> = parts(receipt, |_| true);
    let new = Package::open(after, LIMITS).expect("what was written opens again");
    let old = before.and_then(|bytes| Package::open(bytes.clone(), LIMITS).ok());
    if let Some(bytes) = before {
        untouched(bytes, after, &named);
    }
    for name in &named {
        well_formed(old.as_ref(), &new, name);
    }
    joined(old.as_ref(), &new);
    typed(&new, &parts(receipt, |part| part["before"].is_null()));
}

fn parts(receipt: &Value, wanted: impl Fn(&Value) -> bool) -> HashSet<String> {
    let parts = receipt["parts"].as_array().into_iter().flatten().filter(|part| wanted(part));
    parts.filter_map(|part| part["name"].as_str().map(str::to_owned)).collect()
}

/// Entries that the receipt does not name are unchanged and in order.
fn untouched(before: &[u8], after: &[u8], named: &HashSet<String>) {
    let kept = |bytes: &[u8]| -> Option<Vec<Entry>> {
        let all = Archive::read(bytes)?.0.into_iter();
        Some(all.filter(|entry| !named.contains(&spelled(entry))).collect())
    };
    let (before, after) = (kept(before), kept(after));
    if let Some(before) = before {
        let after = after.expect("a plain archive stays one");
        let names = |list: &[Entry]| list.iter().map(spelled).collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after), "the receipt leaves out a part");
        assert!(before == after, "a part changed that the receipt does not name");
    }
}

fn spelled(entry: &Entry) -> String {
    let latin = || entry.name.iter().map(|byte| char::from(*byte)).collect();
    String::from_utf8(entry.name.clone()).unwrap_or_else(|_| latin())
}

/// An edited part is as well-formed as before.
fn well_formed(old: Option<&Package>, new: &Package, name: &str) {
    let is_xml = [".xml", ".rels", ".vml"].iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    let parses = |package: &Package| package.xml(name).and_then(|part| part.tree(&LIMITS).map(drop));
    let was = old.filter(|old| old.has(name)).is_none_or(|old| parses(old).is_ok());
    if is_xml && was && new.has(name) {
        let now = parses(new);
        let large = matches!(&now, Err(jig_ooxml::PackageError::TooLarge { .. }));
        assert!(now.is_ok() || large, "{name} is not well-formed any more: {now:?}");
    }
}

/// No relationship refers to a missing part, unless that was missing before.
fn joined(old: Option<&Package>, new: &Package) {
    let lost: Vec<_> = missing(new).difference(&old.map(missing).unwrap_or_default()).cloned().collect();
    assert!(lost.is_empty(), "relationships lead to parts that are gone: {lost:?}");
}

fn missing(package: &Package) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for owner in package.names().filter_map(owner) {
        let list = Relationships::read(package, &owner).map(|all| all.list).unwrap_or_default();
        let targets = list.into_iter().filter_map(|one| one.part);
        found.extend(targets.filter(|part| !package.has(part)).map(|part| part.to_ascii_lowercase()));
    }
    found
}

/// The part that a relationships part belongs to.
fn owner(rels: &str) -> Option<String> {
    let (folder, file) = rels.rsplit_once('/').unwrap_or(("", rels));
    let folder = folder.strip_suffix("_rels")?;
    Some(format!("{folder}{}", file.strip_suffix(".rels")?))
}

/// Every new part has a content type. Relationships use a default that every intact file has.
fn typed(new: &Package, added: &HashSet<String>) {
    let Ok(types) = ContentTypes::read(new) else { return };
    let own = |name: &&String| !name.ends_with(".rels") && name.as_str() != "[Content_Types].xml";
    let without: Vec<_> = added.iter().filter(own).filter(|name| types.of(name).is_none()).collect();
    assert!(without.is_empty(), "new parts without a type: {without:?}");
}
