//! Pictures as results name them.

use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use crate::content_types::ContentTypes;
use crate::package::Package;
use crate::pptx::shape::Shape;
use crate::relationships::Relationships;

/// The picture of a shape: name, type, size and hash; or why there are none.
pub(super) fn image_ref(
    package: &Package,
    types: &ContentTypes,
    relationships: &Relationships,
    shape: &Shape<'_>,
) -> Option<Value> {
    let id = shape.picture()?;
    let Some(relationship) = relationships.by_id(&id) else {
        return Some(json!({"rel_id": id, "error": "the picture is not in the file"}));
    };
    let Some(part) = &relationship.part else {
        return Some(json!({"rel_id": id, "linked": true, "error": "the picture lies outside the file"}));
    };
    let filename = part.rsplit('/').next().unwrap_or_default();
    let extension = filename.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match package.read(part) {
        Ok(bytes) => json!({
            "rel_id": id,
            "filename": filename,
            "ext": extension,
            "content_type": types.of(part),
            "size_bytes": bytes.len(),
            "sha1": hex(&Sha1::digest(&bytes)),
        }),
        Err(error) => json!({"rel_id": id, "filename": filename, "ext": extension, "error": error.to_string()}),
    })
}

/// Bytes as lower-case digits.
pub(in crate::pptx) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
