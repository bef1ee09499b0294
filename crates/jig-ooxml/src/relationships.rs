//! Relationships: the references from one part to another.

use std::collections::HashSet;

use crate::error::{Error, InternalError, PackageError};
use crate::package::Package;
use crate::xml::{Ns, Splice, Tree, XmlPart, escape_attribute, unescape};

/// One relationship of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relationship {
    /// Its id, such as `rId3`.
    pub id: String,
    /// The last segment of its type, such as `worksheet`: the same in strict and transitional files.
    pub kind: String,
    /// The type as it is written.
    pub type_uri: String,
    /// The target as it is written.
    pub target: String,
    /// The name of the part that it leads to; none for a target outside the package, which is never read.
    pub part: Option<String>,
}

/// All relationships of a part, or of the package itself for the empty name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relationships {
    /// In the order they are written.
    pub list: Vec<Relationship>,
}

const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships/";
const EMPTY: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";

/// The name of the part that holds the relationships of a part.
pub fn rels_name(part: &str) -> String {
    let part = part.trim_start_matches('/');
    match part.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

impl Relationships {
    /// Reads a part's relationships; none when it has no part for them.
    pub fn read(package: &Package, part: &str) -> Result<Self, PackageError> {
        let name = rels_name(part);
        if !package.has(&name) {
            return Ok(Self::default());
        }
        let content = package.xml(&name)?;
        let tree = index_tree(package, &content)?;
        let list = tree.root().elements().filter(|node| node.local() == "Relationship").map(|node| {
            let (mut id, mut type_uri, mut target, mut external) = Default::default();
            for attribute in node.attributes() {
                let value = || unescape(attribute.raw).into_owned();
                match attribute.name {
                    "Id" => id = value(),
                    "Type" => type_uri = value(),
                    "Target" => target = value(),
                    "TargetMode" => external = value().eq_ignore_ascii_case("external"),
                    _ => {}
                }
            }
            let part = if external { None } else { resolve(part, &target) };
            let kind = type_uri.rsplit('/').next().unwrap_or_default().to_owned();
            Relationship { id, kind, type_uri, target, part }
        });
        Ok(Self { list: list.collect() })
    }

    /// The relationship with an id.
    pub fn by_id(&self, id: &str) -> Option<&Relationship> {
        self.list.iter().find(|relationship| relationship.id == id)
    }

    /// The part that an id leads to.
    pub fn part(&self, id: &str) -> Option<&str> {
        self.by_id(id)?.part.as_deref()
    }

    /// All relationships of a kind.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Relationship> {
        self.list.iter().filter(move |relationship| relationship.kind == kind)
    }

    /// The part of the first relationship of a kind.
    pub fn first(&self, kind: &str) -> Option<&str> {
        self.list.iter().filter(|relationship| relationship.kind == kind).find_map(|found| found.part.as_deref())
    }

    /// An id that no relationship has.
    pub fn free_id(&self) -> String {
        // A set, because a hostile file can use every id that this search tries.
        let taken: HashSet<String> = self.list.iter().map(|one| one.id.to_ascii_lowercase()).collect();
        let mut number = self.list.len() + 1;
        while taken.contains(&format!("rid{number}")) {
            number += 1;
        }
        format!("rId{number}")
    }

    /// Adds a relationship from a part to another part; returns its id. `kind` is the last segment of the type; strict
    /// packages get the strict address.
    pub fn add(package: &mut Package, part: &str, kind: &str, target_part: &str) -> Result<String, Error> {
        let known = Self::read(package, part)?;
        let strict =
            known.list.iter().any(|relationship| relationship.type_uri.starts_with(STRICT)) || is_strict(package)?;
        let base = if strict { STRICT } else { TRANSITIONAL };
        Self::add_raw(package, part, &format!("{base}{kind}"), &relative(part, target_part), Mode::Internal)
    }

    /// Adds a relationship with this type and target; returns its id.
    pub fn add_raw(
        package: &mut Package,
        part: &str,
        type_uri: &str,
        target: &str,
        mode: Mode,
    ) -> Result<String, Error> {
        let id = Self::read(package, part)?.free_id();
        let name = rels_name(part);
        let mut content = if package.has(&name) { package.xml(&name)? } else { XmlPart::new(name.as_str(), EMPTY) };
        let tree = index_tree(package, &content)?;
        let mode = match mode {
            Mode::Internal => "",
            Mode::External => " TargetMode=\"External\"",
        };
        let markup = format!(
            r#"<{}Relationship Id="{id}" Type="{}" Target="{}"{mode}/>"#,
            tree.root().prefix(),
            escape_attribute(type_uri),
            escape_attribute(target)
        );
        let mut splice = Splice::new(&content.text);
        splice.append(tree.root(), markup);
        content.text = splice.finish().map_err(|e| InternalError::overlap(&name, &e))?;
        package.set_xml(&content);
        Ok(id)
    }

    /// Removes a relationship.
    pub fn remove(package: &mut Package, part: &str, id: &str) -> Result<(), Error> {
        let name = rels_name(part);
        if !package.has(&name) {
            return Ok(());
        }
        let mut content = package.xml(&name)?;
        let tree = index_tree(package, &content)?;
        let mut splice = Splice::new(&content.text);
        for node in tree.root().elements().filter(|node| node.attr("Id").is_some_and(|found| found == id)) {
            splice.remove(node);
        }
        if !splice.is_empty() {
            content.text = splice.finish().map_err(|e| InternalError::overlap(&name, &e))?;
            package.set_xml(&content);
        }
        Ok(())
    }
}

/// The tree of a part that lists others: relationships or content types. Text outside its root element, which some programs
/// leave there, hides nothing, so it is only a warning.
pub(crate) fn index_tree<'a>(package: &Package, content: &'a XmlPart) -> Result<Tree<'a>, PackageError> {
    let (tree, stray) = Tree::parse_with_stray_text(&content.name, &content.text, package.limits(), Ns::of)?;
    if stray.is_some() {
        package.warn(format!("the part {} has text outside its root element, which is ignored", content.name));
    }
    Ok(tree)
}

/// Whether a target is in the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A part.
    Internal,
    /// An address outside, such as a hyperlink's.
    External,
}

/// Whether the package is written in the strict form.
fn is_strict(package: &Package) -> Result<bool, PackageError> {
    let root = Relationships::read(package, "")?;
    Ok(root.list.iter().any(|relationship| relationship.type_uri.starts_with(STRICT)))
}

/// The name of the part that a target of a relationship names. None when it leads out of the package.
fn resolve(part: &str, target: &str) -> Option<String> {
    let target = target.replace('\\', "/");
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let mut segments: Vec<String> = Vec::new();
    if !target.starts_with('/') {
        let folder = part.trim_start_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
        segments.extend(folder.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned));
    }
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(decoded(name)),
        }
    }
    (!segments.is_empty()).then(|| segments.join("/"))
}

/// A name with its percent encoding resolved: part names in the zip have none.
fn decoded(name: &str) -> String {
    if !name.contains('%') {
        return name.to_owned();
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// A target as it is written from a part: relative, as Office programs do.
pub(crate) fn relative(part: &str, target: &str) -> String {
    let from: Vec<&str> = part.trim_start_matches('/').split('/').collect();
    let to: Vec<&str> = target.trim_start_matches('/').split('/').collect();
    let folder = from.get(..from.len().saturating_sub(1)).unwrap_or_default();
    let common = folder.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - common);
    let down = to.iter().skip(common).copied();
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_from_their_part() {
        let cases = [
            ("xl/workbook.xml", "worksheets/sheet1.xml", Some("xl/worksheets/sheet1.xml")),
            ("xl/worksheets/sheet1.xml", "../drawings/drawing1.xml", Some("xl/drawings/drawing1.xml")),
            ("xl/workbook.xml", "/xl/styles.xml", Some("xl/styles.xml")),
            ("", "xl/workbook.xml", Some("xl/workbook.xml")),
            ("", "/word/document.xml", Some("word/document.xml")),
            ("xl/workbook.xml", "..\\xl\\styles.xml", Some("xl/styles.xml")),
            ("ppt/slides/slide1.xml", "../media/image%201.png", Some("ppt/media/image 1.png")),
            ("xl/workbook.xml", "../../../etc/passwd", None),
            ("xl/workbook.xml", "", Some("xl")),
        ];
        for (part, target, wanted) in cases {
            assert_eq!(resolve(part, target).as_deref(), wanted, "{target} from {part}");
        }
    }

    #[test]
    fn text_outside_the_root_element_is_kept_with_a_warning() {
        let list = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="x/y" Target="a.xml"/></Relationships>"#;
        for (before, after) in [("stray", ""), ("", "\u{1}stray"), ("\u{FEFF}x ", " y"), ("&#0;", "")] {
            let mut package =
                Package::open(*b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", crate::Limits::default()).unwrap();
            package.set("_rels/.rels", format!("{before}{list}{after}").as_bytes());
            assert_eq!(Relationships::read(&package, "").unwrap().part("rId1"), Some("a.xml"));
            let warning = "the part _rels/.rels has text outside its root element, which is ignored";
            assert_eq!(package.warnings(), [warning]);
            let id = Relationships::add(&mut package, "", "z", "b.xml").unwrap();
            let text = package.xml("_rels/.rels").unwrap().text;
            assert!(text.starts_with(before) && text.ends_with(after), "{text}");
            assert_eq!(Relationships::read(&package, "").unwrap().part(&id), Some("b.xml"));
        }
    }

    #[test]
    fn a_free_id_is_one_that_no_relationship_has() {
        let one = |id: &str| Relationship { id: id.to_owned(), ..Relationship::default() };
        let ids = |list: &[&str]| Relationships { list: list.iter().map(|id| one(id)).collect() }.free_id();
        assert_eq!((ids(&[]), ids(&["x", "RID3", "rId4"])), ("rId1".to_owned(), "rId5".to_owned()));
    }

    #[test]
    fn targets_are_written_relative() {
        assert_eq!(relative("xl/workbook.xml", "xl/worksheets/sheet2.xml"), "worksheets/sheet2.xml");
        assert_eq!(relative("ppt/slides/slide1.xml", "ppt/media/image1.png"), "../media/image1.png");
        assert_eq!(relative("", "word/document.xml"), "word/document.xml");
    }
}
