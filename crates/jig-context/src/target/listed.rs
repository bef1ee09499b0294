//! Catalog entries for artifacts, entries and context items.

use jig_contract::ops::KindDefinition;

use super::catalog::{CatalogDocument, CatalogPart, Class};
use crate::artifact::Artifact;
use crate::document::Document;
use crate::entry::Entry;
use crate::item::{Category, part_name};

/// An artifact with its slug, file name and title; its sections with slug, title and former slugs.
pub fn of_artifact(artifact: &Artifact) -> CatalogDocument {
    CatalogDocument {
        class: Class::Artifact,
        address: artifact.slug().to_owned(),
        name: format!("{}.md", artifact.slug()),
        title: artifact.document.title.clone(),
        aliases: Vec::new(),
        parts: parts(&artifact.document),
    }
}

fn parts(document: &Document) -> Vec<CatalogPart> {
    let part = |part: &crate::document::Part| CatalogPart {
        slug: part.name.to_string(),
        title: part.title.clone(),
        aliases: part.aliases.iter().map(ToString::to_string).collect(),
    };
    document.parts.iter().map(part).collect()
}

/// An entry with its kind, key and display name; all fields of its kind, filled or not.
pub fn of_entry(kind: &KindDefinition, entry: &Entry) -> CatalogDocument {
    let document = &entry.document;
    let address = document.address().to_string();
    let address = address.trim_start_matches('@').to_owned();
    let field = |field: &jig_contract::ops::FieldDefinition| CatalogPart {
        slug: field.key.clone(),
        title: field.label.clone(),
        aliases: Vec::new(),
    };
    // The entry of a singleton kind is also named after the kind; keyed entries have names of their own.
    let kind_name = kind.is_singleton.then(|| kind.display_name.clone());
    let key = Some(document.key.to_string()).filter(|key| !key.is_empty());
    CatalogDocument {
        class: Class::Entry,
        name: address.clone(),
        address,
        title: document.title.clone(),
        aliases: kind_name.into_iter().chain(key).collect(),
        parts: kind.field_schema.fields.iter().map(field).collect(),
    }
}

/// A context item with its category; its texts with their short names and paths.
pub fn of_item<'a>(category: Category, paths: impl IntoIterator<Item = &'a str>) -> CatalogDocument {
    let part = |path: &str| CatalogPart {
        slug: part_name(category, path).to_string(),
        title: path.to_owned(),
        aliases: vec![path.to_owned()],
    };
    CatalogDocument {
        class: Class::Item,
        address: category.as_str().to_owned(),
        name: category.as_str().to_owned(),
        title: category.as_str().replace('-', " "),
        aliases: Vec::new(),
        parts: paths.into_iter().map(part).collect(),
    }
}
