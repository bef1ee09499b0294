//! `DocxGetStyles`: styles and images that can be copied into another document.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use super::capped::capped;
use super::source::Source;
use super::{Document, params};
use crate::content_types::ContentTypes;
use crate::docx::styles::{Style, StyleKind};
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationship;

#[derive(Deserialize)]
struct Params {}

/// The styles and images of a document.
pub(super) fn styles(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let _: Params = params::parse(given, warnings)?;
    let source = &document.source;
    let mut of_kind = |kind: StyleKind, what: &str| -> Vec<Value> {
        let styles = source.beside().styles.iter().filter(|style| style.kind == kind);
        capped(styles.map(|style| entry(source, style)), what, warnings)
    };
    let paragraph = of_kind(StyleKind::Paragraph, "paragraph styles");
    let character = of_kind(StyleKind::Character, "character styles");
    let table = of_kind(StyleKind::Table, "table styles");
    let numbering = of_kind(StyleKind::Numbering, "numbering styles");
    let images = images(source, warnings)?;
    let styles: Vec<Value> = [&paragraph, &character, &table].into_iter().flatten().cloned().collect();
    let assets: Vec<Value> = styles.iter().chain(&images).cloned().collect();
    Ok(json!({
        "format": "docx",
        "style_count": styles.len(),
        "styles": styles,
        "assets": assets,
        "paragraph_styles": paragraph,
        "character_styles": character,
        "table_styles": table,
        "numbering_styles": numbering,
        "image_assets": images,
        "supported_copy_asset_types": ["paragraph_style", "character_style", "table_style", "image"],
    }))
}

fn entry(source: &Source, style: &Style) -> Value {
    let kind = style.kind.asset_type();
    let base = style.based_on.as_deref();
    json!({
        "asset_id": format!("{kind}:{}", style.name),
        "name": style.name,
        "style_id": style.id,
        "type": kind,
        "builtin": !style.custom,
        "base_style": base.map(|id| source.beside().styles.get(id).map_or(id, |base| base.name.as_str())),
        "default": style.is_default,
        "heading_level": source.beside().styles.resolved(Some(&style.id)).map_or(0, |resolved| resolved.heading_level),
    })
}

fn images(source: &Source, warnings: &mut Vec<String>) -> Result<Vec<Value>, Error> {
    let package = Package::open(Arc::clone(&source.bytes), source.limits)?;
    let types = ContentTypes::read(&package).unwrap_or_default();
    let mut images = Vec::new();
    for image in source.names.relationships.of_kind("image") {
        match &image.part {
            None => warnings.push(format!("the image {} lies outside of the file, at {}", image.id, image.target)),
            Some(part) => match package.read(part) {
                Ok(bytes) => images.push(image_entry(image, part, types.of(part), &bytes)),
                Err(error) => warnings.push(format!("the image {} is left out: {error}", image.id)),
            },
        }
    }
    Ok(images)
}

fn image_entry(image: &Relationship, part: &str, kind: Option<&str>, bytes: &[u8]) -> Value {
    let digest: String = Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "asset_id": format!("image:{}", image.id),
        "type": "image",
        "rel_id": image.id,
        "filename": part.rsplit('/').next().unwrap_or(part),
        "content_type": kind,
        "size_bytes": bytes.len(),
        "sha1": digest,
    })
}
