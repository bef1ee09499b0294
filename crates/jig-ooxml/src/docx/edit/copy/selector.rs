//! What is to be copied, as a text such as `paragraph_style:Quote` or as an object.

use serde_json::{Map, Value};

use crate::docx::styles::StyleKind;
use crate::edit::{EditError, nearest};

const TYPES: [&str; 4] = ["paragraph_style", "character_style", "table_style", "image"];

/// An asset that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selector {
    pub(super) asset: Asset,
    /// As it was given.
    given: Value,
    /// Its place, for messages.
    pub(super) at: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asset {
    /// A style by name or id.
    Style(StyleKind, String),
    /// A picture by the id of its relationship.
    Image(String),
}

impl Selector {
    pub(super) fn read(given: &Value, at: &str) -> Result<Self, EditError> {
        let (kind, name) = match given {
            Value::String(text) => {
                let parts = text.split_once(':');
                let (kind, name) = parts.ok_or_else(|| {
                    EditError::new(at, "an asset is written type:name")
                        .suggest(["paragraph_style:Heading 1", "image:rId5"])
                })?;
                (kind.trim().to_owned(), name.trim().to_owned())
            }
            Value::Object(fields) => {
                let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
                let id = text("asset_id").and_then(|id| id.split_once(':').map(|(k, n)| (k.to_owned(), n.to_owned())));
                let kind = text("type").or_else(|| id.as_ref().map(|(kind, _)| kind.clone()));
                let names = ["name", "id", "rel_id", "style_id"].iter().find_map(|name| text(name));
                let kind = kind.ok_or_else(|| EditError::new(format!("{at}.type"), "missing").suggest(TYPES))?;
                let name = names.or_else(|| id.map(|(_, name)| name));
                let name =
                    name.ok_or_else(|| EditError::new(format!("{at}.name"), "missing: the name or id of the asset"))?;
                (kind, name)
            }
            _ => return Err(EditError::new(at, "an asset is a text or an object")),
        };
        let asset = match kind.as_str() {
            "paragraph_style" => Asset::Style(StyleKind::Paragraph, name),
            "character_style" => Asset::Style(StyleKind::Character, name),
            "table_style" => Asset::Style(StyleKind::Table, name),
            "image" => Asset::Image(name),
            other => {
                let why = format!("there is no type of asset `{other}`; there are {}", TYPES.join(", "));
                return Err(EditError::new(at, why).suggest(nearest(other, TYPES)));
            }
        };
        Ok(Self { asset, given: given.clone(), at: at.to_owned() })
    }

    /// What every entry of the result says.
    pub(super) fn details(&self, kind: &str) -> Map<String, Value> {
        let mut details = Map::new();
        details.insert("type".to_owned(), kind.into());
        details.insert("selector".to_owned(), self.given.clone());
        details
    }
}
