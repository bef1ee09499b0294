//! What a column holds, told by all of its values that are seen.

mod decide;
mod profile;

pub(crate) use decide::{Column, Decided, Kind, NumberStyle, decide};
pub(crate) use profile::{Profile, clip};

use crate::value::number::{self, Marks};
use crate::value::{Truth, date, time};

/// Whether a text is a number, a date, a time or a truth value in some way of writing.
pub(crate) fn looks_typed(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > 48 {
        return false;
    }
    is_number(text)
        || date::parts(text).is_some()
        || time::of_day(text).is_some()
        || time::moment(text).is_some()
        || Truth::ALL.into_iter().any(|truth| truth.is_plain() && truth.parse(text).is_some())
}

fn is_number(text: &str) -> bool {
    let dressed = number::undress(text);
    dressed.is_some_and(|dress| Marks::ALL.into_iter().any(|marks| number::digits(dress.body, marks).is_some()))
        || number::scientific(text).is_some()
}
