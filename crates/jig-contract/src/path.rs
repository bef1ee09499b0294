//! `WorkbenchPath`: the only type for file paths inside a workbench.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::id::shown;

/// The longest segment, in bytes.
pub const SEGMENT_MAX: usize = 255;
/// The longest path, in bytes.
pub const PATH_MAX: usize = 1_024;

/// A file's place in a workbench: relative, `/` between the names, Unicode NFC.
///
/// It cannot leave its folder, name a device or carry a control character, on any system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct WorkbenchPath(String);

/// Why a text is not a path of a workbench.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {} is not allowed: {rule}", shown(.text))]
pub struct BadPath {
    /// The text that was refused.
    pub text: String,
    /// The rule it breaks, in words.
    pub rule: &'static str,
}

impl WorkbenchPath {
    /// Checks a text from outside. Text in another Unicode form is brought to NFC.
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

    /// The folder that holds it, or none at the top.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// The part of the last name after its last dot, in lower case; empty when there is none.
    pub fn extension(&self) -> String {
        let name = self.file_name();
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
            _ => String::new(),
        }
    }

    /// This path inside the folder that `name` names.
    pub fn join(&self, name: &str) -> Result<Self, BadPath> {
        Self::new(format!("{}/{name}", self.0))
    }

    /// Whether this is `folder` or lies below it.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The form in which two names that differ only in case are equal.
    pub fn folded(&self) -> String {
        fold_case(&self.0)
    }
}

/// Names that fold to the same text are the same name on some systems.
pub fn fold_case(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Upper case first: it joins letters such as ß/ẞ and ſ/s that lower case alone keeps apart.
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

fn check(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("a path may not be empty");
    }
    if path.len() > PATH_MAX {
        return Err("a path has at most 1,024 bytes");
    }
    if path.starts_with('/') {
        return Err("a path starts inside the workbench, without a slash");
    }
    path.split('/').try_for_each(check_segment)
}

fn check_segment(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a name between two slashes may not be empty");
    }
    if name == "." || name == ".." {
        return Err("`.` and `..` are not names");
    }
    if name.len() > SEGMENT_MAX {
        return Err("a name has at most 255 bytes");
    }
    if name.contains('\\') {
        return Err("folders are separated by `/`; a name has no backslash");
    }
    if has_drive(name) {
        return Err("a name does not start with a drive letter");
    }
    if name.chars().any(char::is_control) {
        return Err("a name has no control character");
    }
    if name.chars().any(changes_reading) {
        return Err("a name has no character that is unseen and changes the order of reading");
    }
    if name.ends_with('.') || name.ends_with(' ') {
        return Err("Windows drops a dot or space at the end of a name");
    }
    if is_device_name(name) {
        return Err("Windows keeps this name for a device");
    }
    Ok(())
}

fn has_drive(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// Marks that turn the reading order make `exe.txt` look like `txt.exe`.
fn changes_reading(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether Windows takes this name, with or without an extension, for a device.
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
