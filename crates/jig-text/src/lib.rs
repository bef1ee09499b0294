//! Text files and CSV files as other programs write them.
//!
#![doc = include_str!("../README.md")]

pub mod csv;
mod encoding;
mod lines;
pub mod value;

pub use encoding::{Charset, Decoder, DetectedEncoding, EncodeError, TextEncoding, TextReader, detect_encoding};
pub use lines::{Line, LineEnding, line_starts};
