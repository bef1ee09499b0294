//! Reading the text of slides, their shapes, what can be copied, and where a text occurs.

mod find;
mod shapes;
mod styles;
mod text;

pub(super) use find::find;
pub(super) use shapes::{hex, slide};
pub(super) use styles::styles;
pub(super) use text::{table_texts, text};
