//! Reading the parameters of a call: wrong ones are errors with their place.

use serde_json::Value;

use crate::edit::{EditError, nearest};
use crate::xlsx::book::Book;

/// The parameters of a call. A null was not given.
#[derive(Clone, Copy)]
pub(super) struct Params<'p>(pub(super) &'p Value);

impl<'p> Params<'p> {
    fn get(self, name: &str) -> Option<&'p Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'p str>, EditError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(EditError::new(name, format!("a text is needed, not {other}"))),
        }
    }

    /// Whether something is wanted.
    pub(super) fn flag(self, name: &str) -> Result<bool, EditError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(EditError::new(name, format!("true or false is needed, not {other}"))),
        }
    }

    /// A whole number from 0; a float without a fraction is one too.
    pub(super) fn number(self, name: &str) -> Result<Option<u64>, EditError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        match value.as_u64().or(whole.map(|number| number as u64)) {
            Some(number) => Ok(Some(number)),
            None => Err(EditError::new(name, format!("a whole number from 0 is needed, not {value}"))),
        }
    }

    /// One of some words.
    pub(super) fn choice(self, name: &str, known: &[&'static str]) -> Result<Option<&'static str>, EditError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match known.iter().find(|word| word.eq_ignore_ascii_case(text)) {
            Some(word) => Ok(Some(word)),
            None => {
                let why = format!("`{text}` is not known; write one of {}", known.join(", "));
                Err(EditError::new(name, why).suggest(nearest(text, known.iter().copied())))
            }
        }
    }

    /// The sheet that `sheet` names; none when it is not given.
    pub(super) fn sheet(self, book: &Book) -> Result<Option<usize>, EditError> {
        let Some(name) = self.text("sheet")? else { return Ok(None) };
        // Spaces around a name are a slip, unless a sheet has them in its name.
        if let Some(place) = book.sheet_place(name).or_else(|| book.sheet_place(name.trim())) {
            return Ok(Some(place));
        }
        let names = || book.sheets.iter().map(|sheet| sheet.name.as_str());
        let listed: Vec<&str> = names().take(20).collect();
        let more = if book.sheets.len() > 20 { ", …" } else { "" };
        let why = format!("unknown sheet `{name}`; there are {}{more}", listed.join(", "));
        let near = nearest(name, names());
        let suggestions = if near.is_empty() { listed.iter().map(|name| (*name).to_owned()).collect() } else { near };
        Err(EditError::new("sheet", why).suggest(suggestions))
    }

    /// The sheet that `sheet` names, else the first one.
    pub(super) fn sheet_or_first(self, book: &Book) -> Result<usize, EditError> {
        match self.sheet(book)? {
            Some(place) => Ok(place),
            // The first with cells: a chart sheet in front has nothing to read.
            None => {
                let first = book.sheets.iter().position(|sheet| sheet.kind.has_cells() && sheet.part.is_some());
                first
                    .or((!book.sheets.is_empty()).then_some(0))
                    .ok_or_else(|| EditError::new("sheet", "the workbook has no sheet"))
            }
        }
    }
}
