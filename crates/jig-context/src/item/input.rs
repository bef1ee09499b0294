//! Raw input: a text, or a file with a note. Unsupported input is refused here, before anything is sent.

use jig_contract::{BadPath, Code, OpError, WorkbenchPath};

use super::SourceFile;
use super::source::SourceInput;

/// The maximum size of an input file, the same as for any file of a workbench.
pub const FILE_BYTES_MAX: u64 = 25 << 20;

/// The error for images.
pub const IMAGE_REFUSED: &str = "Image files cannot be used as context input. Please provide text or a document file.";

/// The error for other unsupported types.
pub const TYPE_REFUSED: &str = "This file type is not supported for context input.";

const TEXT: &[&str] = &["md", "txt", "csv", "json", "xml", "yaml", "html"];
const CODE: &[&str] = &["js", "ts", "py", "java", "go", "rb", "rs", "c", "cpp", "h", "css", "sql"];
const DOCUMENTS: &[&str] = &["docx", "odt", "pdf"];
const PRESENTATIONS: &[&str] = &["pptx"];
const SPREADSHEETS: &[&str] = &["xlsx"];
const IMAGES: &[&str] = &[
    "png", "jpg", "jpeg", "jpe", "jfif", "gif", "bmp", "webp", "svg", "tif", "tiff", "ico", "heic", "heif", "avif",
    "jxl", "psd", "raw",
];

/// The accepted types, in groups with their extensions.
pub const fn accepted_types() -> [(&'static str, &'static [&'static str]); 5] {
    [
        ("Text", TEXT),
        ("Code", CODE),
        ("Documents", DOCUMENTS),
        ("Presentations", PRESENTATIONS),
        ("Spreadsheets", SPREADSHEETS),
    ]
}

/// Why an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// It is an image.
    #[error("{IMAGE_REFUSED}")]
    Image,
    /// Its type is not supported.
    #[error("{TYPE_REFUSED}")]
    Type,
    /// It is too large.
    #[error("The input has {bytes} bytes; context input has at most 25 MB ({FILE_BYTES_MAX} bytes).")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The text is blank.
    #[error("The text is empty. Write what the context should say.")]
    Empty,
    /// The file contains no text.
    #[error("No text was found in `{name}`. Choose another file, or write the text instead.")]
    NoText {
        /// The file's name.
        name: String,
    },
    /// The file could not be read.
    #[error("`{name}` could not be read: {why}. Choose another file, or write the text instead.")]
    Unreadable {
        /// The file's name.
        name: String,
        /// The error of the reader.
        why: String,
    },
    /// Its name is not a valid path.
    #[error(transparent)]
    Name(#[from] BadPath),
}

impl From<InputError> for OpError {
    fn from(error: InputError) -> Self {
        let code = match error {
            InputError::Image | InputError::Type | InputError::Empty | InputError::NoText { .. } => {
                Code::ValidationFailed
            }
            InputError::TooLarge { .. } => Code::LimitExceeded,
            InputError::Unreadable { .. } => Code::FileReadFailed,
            InputError::Name(_) => Code::SandboxViolation,
        };
        let told = Self::new(code, error.to_string());
        match error {
            InputError::Type => told.hint(format!("these are taken: {}", list_of_types())),
            _ => told,
        }
    }
}

fn list_of_types() -> String {
    let all: Vec<String> =
        accepted_types().iter().flat_map(|(_, types)| types.iter().map(|extension| format!(".{extension}"))).collect();
    all.join(", ")
}

/// Checks a file's name and size before anything reads it.
pub fn check_file(name: &str, bytes: u64) -> Result<(), InputError> {
    let path = WorkbenchPath::new(name)?;
    if path.as_str().contains('/') {
        return Err(BadPath { text: name.to_owned(), rule: "give the name of the file, without its folders" }.into());
    }
    let extension = path.extension();
    let is_in = |types: &[&str]| types.contains(&extension.as_str());
    if is_in(IMAGES) {
        return Err(InputError::Image);
    }
    if !accepted_types().iter().any(|(_, types)| is_in(types)) {
        return Err(InputError::Type);
    }
    check_size(bytes)
}

fn check_size(bytes: u64) -> Result<(), InputError> {
    if bytes > FILE_BYTES_MAX { Err(InputError::TooLarge { bytes }) } else { Ok(()) }
}

/// Validated input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    content: String,
    note: Option<String>,
    file: Option<SourceFile>,
}

impl Input {
    /// Creates input from a text.
    pub fn text(text: impl Into<String>) -> Result<Self, InputError> {
        let content = text.into();
        check_size(content.len() as u64)?;
        if is_blank(&content) {
            return Err(InputError::Empty);
        }
        Ok(Self { content, note: None, file: None })
    }

    /// Creates input from a file, the text read from it, and a note on what to look for. A blank note counts as none.
    pub fn file(name: &str, bytes: Vec<u8>, text: String, note: Option<String>) -> Result<Self, InputError> {
        check_file(name, bytes.len() as u64)?;
        if is_blank(&text) {
            return Err(InputError::NoText { name: name.to_owned() });
        }
        let note = note.filter(|note| !is_blank(note));
        // Names are stored in one Unicode normalisation form, like every path of a workbench.
        let name = String::from(WorkbenchPath::new(name)?);
        Ok(Self { content: text, note, file: Some(SourceFile { name, bytes }) })
    }

    /// The text to process.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// What to look for in the text.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The file it was read from.
    pub const fn source_file(&self) -> Option<&SourceFile> {
        self.file.as_ref()
    }

    /// The input as `source.json` records it.
    pub(crate) fn source(&self) -> SourceInput {
        match &self.file {
            None => SourceInput::Text { text: self.content.clone() },
            Some(file) => SourceInput::File { original_filename: file.name.clone(), note: self.note.clone() },
        }
    }
}

pub(crate) fn is_blank(text: &str) -> bool {
    !crate::document::is_filled(&serde_json::Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_type_is_taken() {
        let all = "md txt csv json xml yaml html js ts py java go rb rs c cpp h css sql docx odt pdf pptx xlsx";
        for extension in all.split(' ') {
            assert_eq!(check_file(&format!("a.{extension}"), 1), Ok(()), "{extension}");
            assert_eq!(check_file(&format!("A B.{}", extension.to_uppercase()), 1), Ok(()), "{extension}");
        }
        let listed: usize = accepted_types().iter().map(|(_, types)| types.len()).sum();
        assert_eq!(listed, all.split(' ').count());
    }

    #[test]
    fn pictures_and_other_types_are_refused_with_their_own_words() {
        for name in ["a.png", "a.JPG", "a.jpeg", "a.gif", "a.svg", "a.webp", "a.tiff", "a.heic"] {
            let told = OpError::from(check_file(name, 1).unwrap_err());
            assert_eq!(told.code(), Code::ValidationFailed);
            assert_eq!(
                told.info.message,
                "Image files cannot be used as context input. Please provide text or a document file."
            );
        }
        for name in ["a.exe", "a.zip", "a.mp3", "a", ".md", "a.doc", "a.md.bak"] {
            let told = OpError::from(check_file(name, 1).unwrap_err());
            assert_eq!(told.code(), Code::ValidationFailed);
            assert_eq!(told.info.message, "This file type is not supported for context input.", "{name}");
            assert!(told.info.hints[0].contains(".docx"));
        }
    }

    #[test]
    fn a_file_has_at_most_25_mb() {
        assert_eq!(check_file("a.txt", 26_214_400), Ok(()));
        let told = OpError::from(check_file("a.txt", 26_214_401).unwrap_err());
        assert_eq!(told.code(), Code::LimitExceeded);
        assert!(told.info.message.contains("25 MB"), "{}", told.info.message);
        assert_eq!(Input::text("a".repeat(26_214_401)), Err(InputError::TooLarge { bytes: 26_214_401 }));
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["../a.md", "/etc/a.md", "b/a.md", "a\\b.md", "C:a.md", "con.md", "a\u{0}.md", ""] {
            let told = OpError::from(check_file(name, 1).unwrap_err());
            assert_eq!(told.code(), Code::SandboxViolation, "{name:?}");
        }
    }

    #[test]
    fn input_without_words_is_refused() {
        assert_eq!(Input::text(" \n\u{feff}\u{200b}"), Err(InputError::Empty));
        let scan = Input::file("scan.pdf", vec![1], "\n".into(), None).unwrap_err();
        assert_eq!(
            scan.to_string(),
            "No text was found in `scan.pdf`. Choose another file, or write the text instead."
        );
        let broken = InputError::Unreadable { name: "a.docx".into(), why: "the archive is damaged".into() };
        let told = OpError::from(broken);
        assert_eq!(told.code(), Code::FileReadFailed);
        assert!(told.info.message.ends_with("Choose another file, or write the text instead."));
    }
}
