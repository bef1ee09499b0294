//! `[Content_Types].xml`: what each part is.

use std::collections::HashMap;

use crate::error::{Error, InternalError, PackageError};
use crate::package::Package;
use crate::relationships::index_tree;
use crate::xml::{Ns, Splice, escape_attribute};

/// The part's name.
const NAME: &str = "[Content_Types].xml";

/// The content types of a package as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentTypes {
    /// By extension, in lower case.
    defaults: HashMap<String, String>,
    /// By part name with its leading slash, in lower case.
    overrides: HashMap<String, String>,
}

impl ContentTypes {
    /// Reads the part. Office programs open no package without it.
    pub fn read(package: &Package) -> Result<Self, PackageError> {
        let part = package.xml(NAME)?;
        let tree = index_tree(package, &part)?;
        let mut types = Self::default();
        for node in tree.root().elements() {
            let Some(kind) = node.attr("ContentType") else { continue };
            match node.local() {
                "Default" => {
                    if let Some(extension) = node.attr("Extension") {
                        types.defaults.insert(extension.to_ascii_lowercase(), kind.into_owned());
                    }
                }
                "Override" => {
                    if let Some(name) = node.attr("PartName") {
                        types.overrides.insert(name.to_ascii_lowercase(), kind.into_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(types)
    }

    /// The type of a part.
    pub fn of(&self, part: &str) -> Option<&str> {
        let name = format!("/{}", part.trim_start_matches('/')).to_ascii_lowercase();
        if let Some(kind) = self.overrides.get(&name) {
            return Some(kind);
        }
        self.defaults.get(name.rsplit_once('.')?.1).map(String::as_str)
    }

    /// Whether an extension has a type of its own.
    pub fn default_of(&self, extension: &str) -> Option<&str> {
        self.defaults.get(&extension.to_ascii_lowercase()).map(String::as_str)
    }

    /// Adds a part of its own type. One that has it already is left alone.
    pub fn add(package: &mut Package, part: &str, kind: &str) -> Result<(), Error> {
        let name = format!("/{}", part.trim_start_matches('/'));
        if Self::read(package)?.of(part) == Some(kind) {
            return Ok(());
        }
        let markup = |prefix: &str| {
            format!(
                r#"<{prefix}Override PartName="{}" ContentType="{}"/>"#,
                escape_attribute(&name),
                escape_attribute(kind)
            )
        };
        insert(package, markup, Position::End)
    }

    /// Gives an extension a type, unless it has one.
    pub fn add_default(package: &mut Package, extension: &str, kind: &str) -> Result<(), Error> {
        if Self::read(package)?.default_of(extension).is_some() {
            return Ok(());
        }
        let markup = |prefix: &str| {
            format!(
                r#"<{prefix}Default Extension="{}" ContentType="{}"/>"#,
                escape_attribute(extension),
                escape_attribute(kind)
            )
        };
        insert(package, markup, Position::AfterDefaults)
    }

    /// Takes a part's own type out.
    pub fn remove(package: &mut Package, part: &str) -> Result<(), Error> {
        let name = format!("/{}", part.trim_start_matches('/'));
        let mut content = package.xml(NAME)?;
        let tree = index_tree(package, &content)?;
        let mut splice = Splice::new(&content.text);
        for node in tree.root().children_named(Ns::Types, "Override") {
            if node.attr("PartName").is_some_and(|found| found.eq_ignore_ascii_case(&name)) {
                splice.remove(node);
            }
        }
        if !splice.is_empty() {
            content.text = splice.finish().map_err(|e| InternalError::overlap(NAME, &e))?;
            package.set_xml(&content);
        }
        Ok(())
    }
}

enum Position {
    /// The standard wants no order, but some readers expect defaults first.
    AfterDefaults,
    End,
}

fn insert(package: &mut Package, markup: impl Fn(&str) -> String, position: Position) -> Result<(), Error> {
    let mut content = package.xml(NAME)?;
    let tree = index_tree(package, &content)?;
    let root = tree.root();
    let mut splice = Splice::new(&content.text);
    let markup = markup(root.prefix());
    match (position, root.children_named(Ns::Types, "Default").last()) {
        (Position::AfterDefaults, Some(last)) => splice.after(last, markup),
        (Position::AfterDefaults, None) => splice.prepend(root, markup),
        (Position::End, _) => splice.append(root, markup),
    }
    content.text = splice.finish().map_err(|e| InternalError::overlap(NAME, &e))?;
    package.set_xml(&content);
    Ok(())
}
