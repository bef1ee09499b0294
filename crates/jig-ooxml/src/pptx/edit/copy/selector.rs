//! How assets are named: `text_style:s:h->s:h`, `image:s:h->s`, `layout:<name>`, or objects that say the same.

use serde_json::{Map, Value};

use super::layout::LayoutAsset;
use crate::edit::{Change, EditError};

/// What can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    TextStyle,
    Image,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::TextStyle => "text_style",
            Self::Image => "image",
        }
    }
}

/// A shape: the number of its slide, and its address there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) slide: usize,
    pub(super) shape: Vec<usize>,
}

/// What is to be copied, from where to where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asset {
    number: usize,
    pub(super) kind: Kind,
    selector: String,
    pub(super) from: Spot,
    pub(super) to: Spot,
}

/// Something that is to be copied.
pub(super) enum Wanted {
    /// What a shape has, for another shape or slide.
    Shape(Asset),
    /// A layout, for the deck.
    Layout(LayoutAsset),
}

impl Wanted {
    /// Reads a selector, written as a text or as an object.
    pub(super) fn read(number: usize, asset: &Value) -> Result<Self, EditError> {
        let at = format!("assets[{number}]");
        match asset {
            Value::String(text) => match text.split_once(':').filter(|(kind, _)| kind.trim() == "layout") {
                Some((_, name)) => layout(number, &at, name),
                None => Asset::from_text(number, &at, text).map(Self::Shape),
            },
            Value::Object(fields) if fields.get("type").and_then(Value::as_str) == Some("layout") => {
                let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
                layout(number, &format!("{at}.name"), name)
            }
            Value::Object(fields) => Asset::from_object(number, &at, fields).map(Self::Shape),
            _ => Err(EditError::new(at, "an asset is a text or an object")),
        }
    }
}

fn layout(number: usize, at: &str, name: &str) -> Result<Wanted, EditError> {
    if name.trim().is_empty() {
        return Err(EditError::new(at, "missing: the name of the layout"));
    }
    Ok(Wanted::Layout(LayoutAsset { number, name: name.trim().to_owned() }))
}

impl Asset {
    fn from_text(number: usize, at: &str, text: &str) -> Result<Self, EditError> {
        let form = "written `text_style:slide:shape->slide:shape`, `image:slide:shape->slide` or `layout:name`";
        let wrong = || EditError::new(at, format!("`{text}` is no asset that can be copied; it is {form}"));
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        let kind = kind_of(at, kind.trim())?;
        let (from, to) = rest
            .split_once("->")
            .ok_or_else(|| EditError::new(at, format!("`{text}` does not say where it goes; it is {form}")))?;
        let from = spot(from).filter(|spot| !spot.shape.is_empty()).ok_or_else(wrong)?;
        let to = spot(to).filter(|spot| kind == Kind::Image || !spot.shape.is_empty()).ok_or_else(wrong)?;
        Ok(Self { number, kind, selector: text.to_owned(), from, to })
    }

    fn from_object(number: usize, at: &str, fields: &Map<String, Value>) -> Result<Self, EditError> {
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let kind = kind_of(&format!("{at}.type"), kind)?;
        let number_of = |name: &str| -> Result<usize, EditError> {
            let value = fields.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
            value.ok_or_else(|| EditError::new(format!("{at}.{name}"), "a whole number from 0 on is needed"))
        };
        let address = |name: &str| -> Result<Vec<usize>, EditError> {
            match fields.get(name) {
                Some(Value::String(text)) => self::address(text).ok_or_else(|| {
                    EditError::new(format!("{at}.{name}"), "a number, or numbers with points, are needed")
                }),
                _ => number_of(name).map(|number| vec![number]),
            }
        };
        let from = Spot { slide: number_of("source_slide_index")?, shape: address("source_shape_index")? };
        let shape = if kind == Kind::Image { Vec::new() } else { address("target_shape_index")? };
        let to = Spot { slide: number_of("target_slide_index")?, shape };
        let selector = format!("{}:{}->{}", kind.name(), from.told(), to.told());
        Ok(Self { number, kind, selector, from, to })
    }

    /// Its place for messages.
    pub(super) fn at(&self) -> String {
        format!("assets[{}]", self.number)
    }

    /// What copying it did.
    pub(super) fn change(&self, summary: String) -> Change {
        let change = Change { index: self.number, op: "copy_asset".to_owned(), summary, details: Map::new() };
        change.with("type", self.kind.name()).with("selector", self.selector.clone())
    }
}

impl Spot {
    /// As it is written.
    pub(super) fn told(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        if shape.is_empty() { self.slide.to_string() } else { format!("{}:{}", self.slide, shape.join(".")) }
    }
}

fn kind_of(at: &str, name: &str) -> Result<Kind, EditError> {
    match name {
        "text_style" => Ok(Kind::TextStyle),
        "image" => Ok(Kind::Image),
        other => {
            let why = format!("assets of the type `{other}` cannot be copied; text_style, image and layout can");
            Err(EditError::new(at, why).suggest(["text_style", "image", "layout"]))
        }
    }
}

fn spot(text: &str) -> Option<Spot> {
    let text = text.trim();
    let (slide, shape) = text.split_once(':').map_or((text, None), |(slide, shape)| (slide, Some(shape)));
    let shape = shape.map_or(Some(Vec::new()), address)?;
    Some(Spot { slide: slide.trim().parse().ok()?, shape })
}

fn address(text: &str) -> Option<Vec<usize>> {
    text.trim().split('.').map(|number| number.parse().ok()).collect()
}
