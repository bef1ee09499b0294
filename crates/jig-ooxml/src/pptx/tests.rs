//! Decks made by hand, read and edited.

mod any;
mod assets;
mod charts;
mod missing;
mod ops;
mod pictures;
mod reading;
mod shapes;
mod slides;
mod structure;
mod table_grid;
mod tables;

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Deck, apply, template};
use crate::content_types::ContentTypes;
use crate::edit::{Applied, ApplyOptions, EditError};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::relationships::Relationships;

/// A PNG of 2 by 1 pixels.
const PIXELS: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGMwOAAAASMA8cD9vewAAAAASUVORK5CYII=";

/// A deck in the making: the template with slides that hold the given shapes.
struct Making {
    package: Package,
}

impl Making {
    fn new() -> Self {
        Self { package: template::deck(Limits::default()).unwrap() }
    }

    /// Adds a slide on the layout "Title and Content".
    fn slide(self, shapes: &str) -> Self {
        let spaces = r#"xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006""#;
        self.raw_slide(&format!(
            r#"<p:sld {spaces}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:sld>"#
        ))
    }

    fn raw_slide(self, markup: &str) -> Self {
        let bytes = self.package.save().unwrap();
        let applied = run(Some(bytes), json!([{"op": "add_slide"}])).unwrap();
        let added = applied.parts.iter().find(|part| part.name.starts_with("ppt/slides/slide")).unwrap().name.clone();
        let mut package = Package::open(applied.bytes, Limits::default()).unwrap();
        package.set(&added, markup.as_bytes());
        Self { package }
    }

    fn part(mut self, name: &str, content_type: &str, text: &str) -> Self {
        self.package.set(name, text.as_bytes());
        ContentTypes::add(&mut self.package, name, content_type).unwrap();
        self
    }

    fn relationship(mut self, from: &str, kind: &str, to: &str) -> Self {
        Relationships::add(&mut self.package, from, kind, to).unwrap();
        self
    }

    /// Changes the text of a part.
    fn with(mut self, part: &str, old: &str, new: &str) -> Self {
        let text = String::from_utf8(self.package.read(part).unwrap()).unwrap();
        assert!(text.contains(old), "{part} has no {old}");
        self.package.set(part, text.replacen(old, new, 1).as_bytes());
        self
    }

    fn bytes(self) -> Vec<u8> {
        self.package.save().unwrap()
    }
}

/// A shape with a text.
fn text_shape(id: u32, name: &str, ph: &str, paragraphs: &str) -> String {
    let ph = if ph.is_empty() { String::new() } else { format!("<p:ph {ph}/>") };
    format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{name}"/><p:cNvSpPr/><p:nvPr>{ph}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"#
    )
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better with the value in place")]
fn run(bytes: Option<Vec<u8>>, ops: Value) -> Result<Applied, Error> {
    apply(bytes.map(Arc::from), &ops, &ApplyOptions::default())
}

/// The error of ops that must fail.
fn refused(bytes: &[u8], ops: Value) -> EditError {
    match run(Some(bytes.to_vec()), ops).unwrap_err() {
        Error::Edit(error) => error,
        Error::Package(error) => unreachable!("the deck can be read: {error}"),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better with the value in place")]
fn read(bytes: &[u8], method: &str, params: Value) -> Value {
    call(&Deck::open(bytes, Limits::default()).unwrap(), method, &params).unwrap()
}

/// Calls a method of the worker protocol.
fn call(deck: &Deck, method: &str, params: &Value) -> Result<Value, Error> {
    fn query<T: DeserializeOwned>(params: &Value) -> Result<T, EditError> {
        serde_json::from_value(params.clone()).map_err(|error| EditError::new("params", error.to_string()))
    }
    fn reply(reply: impl Serialize) -> Value {
        serde_json::to_value(reply).unwrap()
    }
    match method {
        "PptxGetMap" => deck.map().map(reply),
        "PptxExtractText" => deck.text(&query(params)?).map(reply),
        "PptxGetSlideContent" => deck.slide(&query(params)?).map(reply),
        "PptxGetStyles" => deck.styles().map(reply),
        "PptxFind" => deck.find(&query(params)?).map(reply),
        other => unreachable!("{other}"),
    }
}

fn text(bytes: &[u8]) -> String {
    read(bytes, "PptxExtractText", json!({}))["text"].as_str().unwrap().to_owned()
}

/// A part of a file as text.
fn part(bytes: &[u8], name: &str) -> String {
    let package = Package::open(bytes.to_vec(), Limits::default()).unwrap();
    String::from_utf8(package.read(name).unwrap()).unwrap()
}

/// The names of the parts that an edit changed, with `+` for new and `-` for gone ones.
fn changed(applied: &Applied) -> Vec<String> {
    let told = |part: &crate::PartChange| match (part.before, part.after) {
        (None, _) => format!("+{}", part.name),
        (_, None) => format!("-{}", part.name),
        _ => part.name.clone(),
    };
    applied.parts.iter().map(told).collect()
}
