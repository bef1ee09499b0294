//! `WorkbenchPath`: the only type for file paths inside a workbench.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::id::shown;

/// The maximum length of a segment, in bytes.
pub const SEGMENT_MAX: usize = 255;
/// The maximum length of a path, in bytes.
pub const PATH_MAX: usize = 1_024;

/// The path of a file in a workbench: relative, separated by `/`, Unicode NFC.
///
/// On every system, it cannot leave its folder, name a device or contain a control character.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct WorkbenchPath(String);

/// Why a text is not a valid path of a workbench.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {} is not allowed: {rule}", shown(.text))]
pub struct BadPath {
    /// The rejected text.
    pub text: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

impl WorkbenchPath {
    /// Validates an external text and normalizes it to NFC.
    pub fn new(text: impl AsRef<str>) -> Result<Self, BadPath> {
        let text = text.as_ref();
        // Checked before normalisation, so that a text of several megabytes is refused cheaply.
        let checked = if text.len() > 4 * PATH_MAX {
            Err("a path has at most 1,024 bytes")
        } else {
            let nfc: String = if text.is_ascii() { text.to_owned() } else { text.nfc().collect() };
            check(&nfc).map(|()| nfc)
        };
        checked.map(Self).map_err(|rule| BadPath { text: text.to_owned(), rule })
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names from the top folder to the file.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last name.
    pub fn file_name(&self) -> &str {
        self.segments().next_back().unwrap_or_default()
    }

    /// The folder that contains it, or none at the top.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// The part of the last name after its last dot, in lower case; empty if the name has no dot.
    pub fn extension(&self) -> String {
        let name = self.file_name();
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
            _ => String::new(),
        }
    }

    /// The path of `name` inside this folder.
    pub fn join(&self, name: &str) -> Result<Self, BadPath> {
        Self::new(format!("{}/{name}", self.0))
    }

    /// Whether this is `folder` or is inside it.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The form in which two names that differ only in case are equal.
    pub fn folded(&self) -> String {
        fold_case(&self.0)
    }
}

/// Folds the case of a name. Names with the same result are the same file on some systems.
pub fn fold_case(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Upper case first: it unifies letters such as ß/ẞ and ſ/s that lower case alone does not.
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

fn check(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("a path must not be empty");
    }
    if path.len() > PATH_MAX {
        return Err("a path has at most 1,024 bytes");
    }
    if path.starts_with('/') {
        return Err("a path is relative to the workbench and must not start with a slash");
    }
    path.split('/').try_for_each(check_segment)
}

fn check_segment(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a path must not have empty segments");
    }
    if name == "." || name == ".." {
        return Err("`.` and `..` are not names");
    }
    if name.len() > SEGMENT_MAX {
        return Err("a name has at most 255 bytes");
    }
    if name.contains('\\') {
        return Err("a name must not contain a backslash; separate folders with `/`");
    }
    if has_drive(name) {
        return Err("a name must not start with a drive letter");
    }
    if name.chars().any(char::is_control) {
        return Err("a name must not contain control characters");
    }
    if name.chars().any(changes_reading) {
        return Err("a name must not contain invisible characters that change the reading order");
    }
    if name.ends_with('.') || name.ends_with(' ') {
        return Err("a name must not end with a dot or a space, which Windows removes");
    }
    if is_device_name(name) {
        return Err("Windows reserves this name for a device");
    }
    Ok(())
}

fn has_drive(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// Bidirectional control characters can make `exe.txt` look like `txt.exe`.
fn changes_reading(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether Windows treats this name, with or without an extension, as a device.
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let digit = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    digit.is_some_and(|d| matches!(d, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
}

impl fmt::Display for WorkbenchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<WorkbenchPath> for String {
    fn from(path: WorkbenchPath) -> Self {
        path.0
    }
}

impl TryFrom<String> for WorkbenchPath {
    type Error = BadPath;
    fn try_from(text: String) -> Result<Self, BadPath> {
        Self::new(text)
    }
}

impl std::str::FromStr for WorkbenchPath {
    type Err = BadPath;
    fn from_str(text: &str) -> Result<Self, BadPath> {
        Self::new(text)
    }
}
