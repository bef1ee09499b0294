//! Relationships: how parts refer to each other.

use std::collections::HashSet;

use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::xml::{Splice, XmlPart, escape_attribute, unescape};

/// One relationship of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relationship {
    /// Its id, such as `rId3`.
    pub id: String,
    /// The last word of its type, such as `worksheet`: the same in strict and transitional files.
    pub kind: String,
    /// The type as it is written.
    pub type_uri: String,
    /// The target as it is written.
    pub target: String,
    /// The name of the part it leads to; none when it leads outside the package. Never followed there.
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
        let tree = content.tree(package.limits())?;
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

    /// An id that none has.
    pub fn free_id(&self) -> String {
        // A set: a file may take every id that the search comes to.
        let taken: HashSet<String> = self.list.iter().map(|one| one.id.to_ascii_lowercase()).collect();
        let mut number = self.list.len() + 1;
        while taken.contains(&format!("rid{number}")) {
            number += 1;
        }
        format!("rId{number}")
    }

    /// Adds a relationship from a part to another part, and gives its id. `kind` is the last word of
    /// the type; strict packages get the strict address.
    pub fn add(package: &mut Package, part: &str, kind: &str, target_part: &str) -> Result<String, Error> {
        let known = Self::read(package, part)?;
        let strict =
            known.list.iter().any(|relationship| relationship.type_uri.starts_with(STRICT)) || is_strict(package)?;
        let base = if strict { STRICT } else { TRANSITIONAL };
        Self::add_raw(package, part, &format!("{base}{kind}"), &relative(part, target_part), Mode::Internal)
    }

    /// Adds a relationship with its type and target as they are to be written, and gives its id.
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
        let tree = content.tree(package.limits())?;
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
        content.text = splice.finish().map_err(|e| crate::edit::overlap(&name, &e))?;
        package.set_xml(&content);
        Ok(id)
    }

    /// Takes a relationship out.
    pub fn remove(package: &mut Package, part: &str, id: &str) -> Result<(), Error> {
        let name = rels_name(part);
        if !package.has(&name) {
            return Ok(());
        }
        let mut content = package.xml(&name)?;
        let tree = content.tree(package.limits())?;
        let mut splice = Splice::new(&content.text);
        for node in tree.root().elements().filter(|node| node.attr("Id").is_some_and(|found| found == id)) {
            splice.remove(node);
        }
        if !splice.is_empty() {
            content.text = splice.finish().map_err(|e| crate::edit::overlap(&name, &e))?;
            package.set_xml(&content);
        }
        Ok(())
    }
}

/// Whether a target lies in the package.
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

/// The part name that a target stands for, seen from a part. None when it leads out of the package.
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

/// A name with its percent signs resolved: part names in the zip have none.
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
    fn a_free_id_is_one_that_none_has() {
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
