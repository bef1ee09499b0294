//! Packages: zip file, content types, relationships.

use jig_ooxml::{ContentTypes, Package, PackageError, Relationships, TargetMode};

use super::archive::{Archive, Entry};
use super::office::LIMITS;

/// Opens any bytes as a package, reads every part, and changes one.
pub(super) fn package(bytes: &[u8]) {
    let Ok(package) = Package::open(bytes, LIMITS) else { return };
    assert!(package.save().as_deref() == Ok(bytes), "opened and saved is not the same file");
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    let contents: Vec<_> = names.iter().map(|name| package.read(name)).collect();
    let free = package.free_name("a/new{}.xml");
    assert!(!package.has(&free));
    let mut edited = package.clone();
    edited.set(&free, b"<new/>");
    let touched = names.first().filter(|name| package.read(name).is_ok()).cloned();
    if let Some(name) = &touched {
        edited.set(name, b"<touched/>");
    }
    let Ok(saved) = edited.save() else { return };
    let again = match Package::open(saved, LIMITS) {
        Ok(again) => again,
        Err(PackageError::TooLarge { .. }) => return,
        Err(error) => panic!("what was saved does not open: {error}"),
    };
    assert_eq!(again.read(&free).as_deref(), Ok(&b"<new/>"[..]));
    for (name, content) in names.iter().zip(contents) {
        let content = if same(Some(name), touched.as_ref()) { Ok(b"<touched/>".to_vec()) } else { content };
        assert_eq!(again.read(name).ok(), content.ok(), "{name}");
    }
}

/// Whether two names refer to the same part.
fn same(one: Option<&String>, other: Option<&String>) -> bool {
    let plain = |name: &String| name.replace('\\', "/").trim_start_matches('/').to_ascii_lowercase();
    one.map(plain) == other.map(plain)
}

/// Any bytes as the content types.
pub(super) fn content_types(bytes: &[u8]) {
    let part = "xl/new.xml";
    let mut package = with(&[("[Content_Types].xml", bytes)]);
    let Ok(types) = ContentTypes::read(&package) else { return };
    let _ = (types.of(part), types.default_of("xml"));
    let before = package.save();
    if ContentTypes::add(&mut package, part, "kind/new").is_ok() {
        let read = ContentTypes::read(&package).expect("they are read again");
        assert_eq!(read.of(part), Some("kind/new"));
    }
    if ContentTypes::add_default(&mut package, "new", "kind/new").is_ok() {
        let read = ContentTypes::read(&package).expect("they are read again");
        assert!(read.default_of("new").is_some());
    }
    if types.of(part) != Some("kind/new") && ContentTypes::remove(&mut package, part).is_ok() {
        let read = ContentTypes::read(&package).expect("they are read again");
        assert_eq!(read.of("xl/other.xml"), types.of("xl/other.xml"));
    }
    assert!(before.is_ok() && package.save().is_ok());
}

/// Any bytes as the relationships of a part.
pub(super) fn relationships(bytes: &[u8]) {
    let owner = "xl/workbook.xml";
    let mut package = with(&[("[Content_Types].xml", b"<Types/>"), ("xl/_rels/workbook.xml.rels", bytes)]);
    let Ok(before) = Relationships::read(&package, owner) else { return };
    let Ok(id) = Relationships::add_raw(&mut package, owner, "a/kind", "x & y.xml", TargetMode::External) else {
        return;
    };
    let after = Relationships::read(&package, owner).expect("they are read again");
    assert!(before.by_id(&id).is_none(), "an id that was taken");
    let found = after.by_id(&id).expect("the new one is there");
    assert_eq!((found.target.as_str(), found.kind.as_str(), &found.part), ("x & y.xml", "kind", &None));
    Relationships::remove(&mut package, owner, &id).expect("the new one is taken out");
    assert_eq!(Relationships::read(&package, owner), Ok(before));
}

fn with(parts: &[(&str, &[u8])]) -> Package {
    let entries = parts.iter().map(|(name, content)| Entry::new(name.as_bytes(), content));
    Package::open(Archive(entries.collect()).write(), LIMITS).expect("a plain archive opens")
}
