//! The styles and images that can be copied into another document.

use std::sync::Arc;

use jig_file_api::read::docx::{DocumentAsset, DocumentStyles, ImageAsset, StyleEntry};
use sha1::{Digest, Sha1};

use super::listed;
use crate::content_types::ContentTypes;
use crate::docx::document::Document;
use crate::docx::styles::{Style, StyleKind};
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationship;

pub(in crate::docx) fn styles(document: &Document) -> Result<DocumentStyles, Error> {
    let mut warnings = document.supporting().warnings.clone();
    let mut of_kind = |kind: StyleKind, what: &str| -> Vec<StyleEntry> {
        let styles = document.supporting().styles.iter().filter(|style| style.kind == kind);
        listed(styles.map(|style| style_entry(document, style)), what, &mut warnings)
    };
    let paragraph_styles = of_kind(StyleKind::Paragraph, "paragraph styles");
    let character_styles = of_kind(StyleKind::Character, "character styles");
    let table_styles = of_kind(StyleKind::Table, "table styles");
    let numbering_styles = of_kind(StyleKind::Numbering, "numbering styles");
    let image_assets = images(document, &mut warnings)?;
    // The reply repeats the lists: clients of the worker protocol read either form.
    let styles = [&paragraph_styles, &character_styles, &table_styles];
    let styles: Vec<StyleEntry> = styles.into_iter().flatten().cloned().collect();
    let images = image_assets.iter().cloned().map(DocumentAsset::Image);
    Ok(DocumentStyles {
        format: "docx",
        style_count: styles.len(),
        assets: styles.iter().cloned().map(DocumentAsset::Style).chain(images).collect(),
        styles,
        paragraph_styles,
        character_styles,
        table_styles,
        numbering_styles,
        image_assets,
        supported_copy_asset_types: vec!["paragraph_style", "character_style", "table_style", "image"],
        warnings,
    })
}

fn style_entry(document: &Document, style: &Style) -> StyleEntry {
    let styles = &document.supporting().styles;
    let kind = style.kind.asset_type();
    let base = style.based_on.as_ref();
    StyleEntry {
        asset_id: format!("{kind}:{}", style.name),
        name: style.name.clone(),
        style_id: style.id.clone(),
        kind,
        builtin: !style.custom,
        base_style: base.map(|id| styles.get(id).map_or(id, |base| &base.name).clone()),
        default: style.is_default,
        heading_level: styles.resolved(Some(&style.id)).map_or(0, |resolved| resolved.heading_level),
    }
}

fn images(document: &Document, warnings: &mut Vec<String>) -> Result<Vec<ImageAsset>, Error> {
    let package = Package::open(Arc::clone(&document.bytes), document.limits)?;
    let types = ContentTypes::read(&package).unwrap_or_default();
    let mut images = Vec::new();
    for image in document.names.relationships.of_kind("image") {
        match &image.part {
            None => warnings.push(format!(
                "the image {} is linked and not stored in the file: it is at {}",
                image.id, image.target
            )),
            Some(part) => match package.read(part) {
                Ok(bytes) => images.push(image_asset(image, part, types.of(part), &bytes)),
                Err(error) => warnings.push(format!("the image {} is left out: {error}", image.id)),
            },
        }
    }
    Ok(images)
}

fn image_asset(image: &Relationship, part: &str, content_type: Option<&str>, bytes: &[u8]) -> ImageAsset {
    ImageAsset {
        asset_id: format!("image:{}", image.id),
        kind: "image",
        rel_id: image.id.clone(),
        filename: part.rsplit('/').next().unwrap_or(part).to_owned(),
        content_type: content_type.map(str::to_owned),
        size_bytes: bytes.len(),
        sha1: Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
