//! Copying styles and pictures from one document into another.

mod fragment;
mod lists;
mod selector;
mod styles;

use std::sync::Arc;

use serde_json::{Map, Value};
use sha1::{Digest, Sha1};

use crate::content_types::ContentTypes;
use crate::docx::parts::PartNames;
use crate::docx::styles::Styles;
use crate::edit::{Applied, ApplyOptions, Change, EditError, asset_list, nearest};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::XmlPart;

use self::selector::{Asset, Selector};
use super::session::Session;

/// What assets are taken from.
struct Source {
    package: Package,
    names: PartNames,
    styles: Styles,
    styles_part: Option<XmlPart>,
    numbering_part: Option<XmlPart>,
}

impl Source {
    fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Package::open(bytes, limits)?;
        let names = PartNames::find(&package)?;
        let read = |name: &Option<String>| name.as_deref().map(|name| package.xml(name)).transpose();
        let (styles_part, numbering_part) = (read(&names.styles)?, read(&names.numbering)?);
        let styles = Styles::read(styles_part.as_ref(), None, &limits)?;
        Ok(Self { package, names, styles, styles_part, numbering_part })
    }
}

/// Copies assets of one document into another. A style comes with the styles it is based on or linked
/// to and the list it needs; one that the target has under the same name is redefined. A picture comes
/// as a part of the target, under the id that the result gives. All or nothing.
///
/// Without a target, into a new document.
pub fn copy_assets(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    let list = asset_list(assets)?;
    let asked = list.iter().enumerate().map(|(at, asset)| Selector::read(asset, &format!("assets[{at}]")));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    let source = Source::open(source, options.limits)?;
    let mut session = Session::open(target, options)?;
    let mut copied = styles::Copied::default();
    for (index, selector) in asked.iter().enumerate() {
        let (summary, details) = match &selector.asset {
            Asset::Style(kind, name) => session.copy_style(&source, *kind, name, selector, &mut copied)?,
            Asset::Image(rel_id) => session.copy_image(&source, rel_id, selector)?,
        };
        session.report(Change { index, op: "copy_asset".to_owned(), summary, details });
    }
    session.finish()
}

impl Session<'_> {
    fn copy_image(
        &mut self,
        source: &Source,
        rel_id: &str,
        selector: &Selector,
    ) -> Result<(String, Map<String, Value>), Error> {
        let images: Vec<_> = source.names.relationships.of_kind("image").collect();
        let Some(found) = images.iter().find(|image| image.id == rel_id) else {
            let near = nearest(rel_id, images.iter().map(|image| image.id.as_str()));
            let why = format!("the source has no picture `{rel_id}`");
            return Err(EditError::new(&selector.at, why).suggest(near).into());
        };
        let part = found.part.as_deref().filter(|part| source.package.has(part)).ok_or_else(|| {
            EditError::new(&selector.at, "this picture is linked from outside, it is not in the file")
        })?;
        let bytes = source.package.read(part)?;
        let extension = part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
        let types = ContentTypes::read(&source.package)?;
        let content_type = types.of(part).unwrap_or("application/octet-stream").to_owned();
        let new_id = self.add_picture(&bytes, &extension, &content_type)?;
        let digest: String = Sha1::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut details = selector.details("image");
        details.insert("rel_id".to_owned(), new_id.clone().into());
        details.insert("source_rel_id".to_owned(), rel_id.into());
        details.insert("size_bytes".to_owned(), bytes.len().into());
        details.insert("sha1".to_owned(), digest.into());
        Ok((format!("Copied the picture {rel_id} as {new_id}."), details))
    }
}
