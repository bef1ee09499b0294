//! Text in any encoding, and what delimited text says of itself. Every reader of text and of delimited files detects and decodes with this crate, so that two
//! methods never read the same bytes as different characters.

mod charset;
mod detect;
mod header;

pub use charset::{Charset, CharsetDecoder};
pub use detect::{DetectedEncoding, detect};
pub use header::is_header;
