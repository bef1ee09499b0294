//! What to copy, from a string or an object.

use serde_json::{Map, Value};

use super::objects::ObjectCopy;
use crate::edit::EditError;
use crate::xlsx::address::{AddressError, SheetRange, quoted_sheet, split_sheet};

/// One asset with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selector {
    pub(super) asset: Asset,
    /// As it was given.
    pub(super) text: String,
}

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asset {
    NamedStyle(String),
    CellStyle { from: SheetRange, to: SheetRange },
    NumberFormat { code: String, to: SheetRange },
    Chart(ObjectCopy),
    Image(ObjectCopy),
}

impl Asset {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::NamedStyle(_) => "named_style",
            Self::CellStyle { .. } => "cell_style",
            Self::NumberFormat { .. } => "number_format",
            Self::Chart(_) => "chart",
            Self::Image(_) => "image",
        }
    }
}

const KINDS: [&str; 5] = ["named_style", "cell_style", "number_format", "chart", "image"];
const FIELDS: [&str; 15] = [
    "type",
    "asset_id",
    "selector",
    "source",
    "source_sheet",
    "source_cell",
    "target",
    "target_sheet",
    "target_cell",
    "target_range",
    "number_format",
    "code",
    "name",
    "id",
    "sheet",
];

impl Selector {
    /// Reads an asset. Fields that mean nothing here become warnings.
    pub(super) fn read(value: &Value, at: &str, warnings: &mut Vec<String>) -> Result<Self, EditError> {
        match value {
            Value::String(text) => {
                let (kind, rest) = split_kind(text, at)?;
                let (what, target) = match rest.rsplit_once("->") {
                    Some((what, target)) => (what.trim(), Some(target.trim().to_owned())),
                    None => (rest, None),
                };
                Ok(Self { asset: asset(kind, what, target.as_deref(), at)?, text: text.clone() })
            }
            Value::Object(fields) => Self::object(fields, at, warnings),
            _ => Err(EditError::new(at, "an asset is a text such as `cell_style:Sheet1!A1->Sheet1!B2`, or an object")),
        }
    }

    fn object(fields: &Map<String, Value>, at: &str, warnings: &mut Vec<String>) -> Result<Self, EditError> {
        for name in fields.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
            warnings.push(format!("{at}.{name}: unknown field, skipped"));
        }
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let id = text("asset_id").or_else(|| text("selector"));
        let (kind, named) = match (text("type"), id) {
            (Some(kind), None) => (known_kind(kind, &format!("{at}.type"))?, None),
            (Some(kind), Some(id)) => {
                let kind = known_kind(kind, &format!("{at}.type"))?;
                (kind, Some(id.strip_prefix(kind).and_then(|rest| rest.strip_prefix(':')).unwrap_or(id)))
            }
            (None, Some(id)) => {
                let (kind, rest) = split_kind(id, &format!("{at}.asset_id"))?;
                (kind, Some(rest))
            }
            (None, None) => return Err(EditError::new(format!("{at}.type"), "missing: the type").suggest(KINDS)),
        };
        let (named, inline) = match named.and_then(|named| named.rsplit_once("->")) {
            Some((what, target)) => (Some(what.trim()), Some(target.trim().to_owned())),
            None => (named, None),
        };
        let cell = |sheet: Option<&str>, cell: Option<&str>| Some(format!("{}!{}", quoted_sheet(sheet?), cell?));
        let target = text("target").map(str::to_owned).or(inline);
        let target = target.or_else(|| cell(text("target_sheet"), text("target_range").or(text("target_cell"))));
        let what = match kind {
            "cell_style" => {
                let given = text("source").or(named).map(str::to_owned);
                given.or_else(|| cell(text("source_sheet").or(text("sheet")), text("source_cell")))
            }
            "chart" | "image" => {
                let given = text("source").or(named).map(str::to_owned);
                given.or_else(|| cell(text("source_sheet").or(text("sheet")), text("name").or(text("id"))))
            }
            "number_format" => text("number_format").or(text("code")).or(text("name")).or(named).map(str::to_owned),
            _ => text("name").or(text("id")).or(named).map(str::to_owned),
        };
        let Some(what) = what else {
            let field = if kind == "cell_style" { "source" } else { "name" };
            return Err(EditError::new(format!("{at}.{field}"), "missing: what to copy"));
        };
        let what = what.strip_prefix(kind).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&what).to_owned();
        let shown = id.map_or_else(|| format!("{kind}:{what}"), str::to_owned);
        Ok(Self { asset: asset(kind, &what, target.as_deref(), at)?, text: shown })
    }
}

fn known_kind(kind: &str, at: &str) -> Result<&'static str, EditError> {
    KINDS
        .into_iter()
        .find(|known| *known == kind)
        .ok_or_else(|| EditError::new(at, format!("`{kind}` is none of {}", KINDS.join(", "))).suggest(KINDS))
}

fn split_kind<'a>(text: &'a str, at: &str) -> Result<(&'static str, &'a str), EditError> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let kind = known_kind(kind.trim(), at)?;
    if rest.trim().is_empty() {
        return Err(EditError::new(at, format!("`{text}` does not say what to copy")));
    }
    Ok((kind, rest.trim()))
}

fn asset(kind: &str, what: &str, target: Option<&str>, at: &str) -> Result<Asset, EditError> {
    let to = || match target {
        Some(target) => place(target, at),
        None => Err(EditError::new(at, "missing: the cells to copy to; write `…->Sheet1!B2`, or give a target")),
    };
    Ok(match kind {
        "named_style" => Asset::NamedStyle(what.to_owned()),
        "chart" | "image" => {
            let Some((sheet, name)) = split_sheet(what).filter(|(sheet, name)| !sheet.is_empty() && !name.is_empty())
            else {
                let why = format!("`{what}` does not say which {kind} to copy; write it like `Sheet1!Chart 1`");
                return Err(EditError::new(at, why));
            };
            let copy = ObjectCopy { sheet: sheet.into_owned(), name: name.trim().to_owned(), to: to()? };
            if kind == "chart" { Asset::Chart(copy) } else { Asset::Image(copy) }
        }
        "cell_style" => Asset::CellStyle { from: place(what, at)?, to: to()? },
        _ => {
            if what.chars().count() > 255 {
                return Err(EditError::new(at, "a number format has at most 255 characters"));
            }
            Asset::NumberFormat { code: what.to_owned(), to: to()? }
        }
    })
}

/// `Sheet1!B2` or `'My sheet'!B2:C3`.
fn place(text: &str, at: &str) -> Result<SheetRange, EditError> {
    text.parse().map_err(|error: AddressError| EditError::new(at, error.to_string()))
}
