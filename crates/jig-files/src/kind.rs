//! What a file is: the closed list of kinds that the rest of Jig decides by, and the formats that it is opened as.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! file_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $words:literal;)+) => {
        /// What a file is, judged by its content.
        ///
        /// Flavours of one format share a kind: a workbook with macros is still `xlsx`. The media
        /// type in [`Sniffed`](crate::Sniffed) tells them apart.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum FileKind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl FileKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The stable name, the same as in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The kind in words with its article, to be used inside a sentence.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words,)+ }
            }
        }
    };
}

file_kinds! {
    /// Word document, with or without macros, or a template of one.
    Docx = "docx", "a Word document";
    /// Excel workbook, with or without macros, or a template of one.
    Xlsx = "xlsx", "an Excel workbook";
    /// PowerPoint presentation, slide show or template, with or without macros.
    Pptx = "pptx", "a PowerPoint presentation";
    /// OpenDocument text.
    Odt = "odt", "an OpenDocument text";
    /// PDF document.
    Pdf = "pdf", "a PDF document";
    /// Comma-separated values (or another delimiter under the same name).
    Csv = "csv", "comma-separated values";
    /// Tab-separated values.
    Tsv = "tsv", "tab-separated values";
    /// Plain text, and every text without a more exact kind.
    Text = "text", "plain text";
    /// Markdown.
    Markdown = "markdown", "Markdown text";
    /// JSON.
    Json = "json", "JSON";
    /// XML other than SVG.
    Xml = "xml", "XML";
    /// HTML.
    Html = "html", "an HTML page";
    /// YAML.
    Yaml = "yaml", "YAML";
    /// Source code, scripts and configuration.
    Code = "code", "source code";
    /// PNG image.
    Png = "png", "a PNG image";
    /// JPEG image.
    Jpeg = "jpeg", "a JPEG image";
    /// GIF image.
    Gif = "gif", "a GIF image";
    /// WebP image.
    Webp = "webp", "a WebP image";
    /// SVG image, which is text too.
    Svg = "svg", "an SVG image";
    /// An image in another format, such as TIFF, BMP or HEIC.
    Image = "image", "an image";
    /// Word document in the binary format of Word 97 to 2003.
    Doc = "doc", "a legacy Word document (.doc)";
    /// Excel workbook in the binary format of Excel 97 to 2003.
    Xls = "xls", "a legacy Excel workbook (.xls)";
    /// PowerPoint presentation in the binary format of PowerPoint 97 to 2003.
    Ppt = "ppt", "a legacy PowerPoint presentation (.ppt)";
    /// Office document that needs a password before anything can be read.
    EncryptedOffice = "encrypted_office", "a password-protected Office document";
    /// ZIP archive that is not a known document.
    Zip = "zip", "a ZIP archive";
    /// Anything else that is not text.
    Binary = "binary", "binary data";
    /// No bytes at all.
    Empty = "empty", "an empty file";
}

impl FileKind {
    /// Whether the file is read, edited and compared as text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Csv
                | Self::Tsv
                | Self::Text
                | Self::Markdown
                | Self::Json
                | Self::Xml
                | Self::Html
                | Self::Yaml
                | Self::Code
                | Self::Svg
        )
    }

    /// Whether the file is an OOXML package: docx, xlsx or pptx.
    #[must_use]
    pub const fn is_ooxml(self) -> bool {
        matches!(self, Self::Docx | Self::Xlsx | Self::Pptx)
    }

    /// Whether the file is an image.
    #[must_use]
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg | Self::Gif | Self::Webp | Self::Svg | Self::Image)
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A name that is not one of a [`FileKind`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a file kind")]
pub struct UnknownKind {
    /// The name as given.
    pub name: String,
}

impl FromStr for FileKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| UnknownKind { name: name.to_owned() })
    }
}

/// The reader of a file: what it is opened as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Excel workbooks.
    Xlsx,
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
    /// PDF files.
    Pdf,
    /// OpenDocument texts.
    Odt,
    /// Images.
    Image,
    /// Text and code.
    Text,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Xlsx, Self::Docx, Self::Pptx, Self::Pdf, Self::Odt, Self::Image, Self::Text];

    /// How method names begin.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Xlsx => "Xlsx",
            Self::Docx => "Docx",
            Self::Pptx => "Pptx",
            Self::Pdf => "Pdf",
            Self::Odt => "Odt",
            Self::Image => "Image",
            Self::Text => "Text",
        }
    }

    /// The format in words with its article, if it is one of an Office program's packages.
    pub(crate) const fn office_words(self) -> Option<&'static str> {
        match self {
            Self::Xlsx => Some("an Excel workbook"),
            Self::Docx => Some("a Word document"),
            Self::Pptx => Some("a PowerPoint presentation"),
            Self::Pdf | Self::Odt | Self::Image | Self::Text => None,
        }
    }

    /// The usual ending of file names.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Pdf => "pdf",
            Self::Odt => "odt",
            Self::Image => "png",
            Self::Text => "txt",
        }
    }

    /// All endings of file names: with macros, templates and slide shows too. Text has too many to list them.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Xlsx => &["xlsx", "xlsm", "xltx", "xltm"],
            Self::Docx => &["docx", "docm", "dotx", "dotm"],
            Self::Pptx => &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
            Self::Pdf => &["pdf"],
            Self::Odt => &["odt", "ott", "fodt"],
            Self::Image => &["png", "jpg", "jpeg", "gif", "webp", "svg"],
            Self::Text => &[],
        }
    }

    /// Whether this format's ops can edit a file of this name. A text may have any name that is not one of another kind.
    pub fn takes(self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        match self {
            Self::Text => crate::sniff::named(name).is_none_or(FileKind::is_text),
            _ => self.endings().contains(&ending.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_match_json() {
        for &kind in FileKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            let json = format!("\"{}\"", kind.as_str());
            assert_eq!(serde_json::to_string(&kind).unwrap(), json);
            assert_eq!(serde_json::from_str::<FileKind>(&json).unwrap(), kind);
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        let error = "DOCX".parse::<FileKind>().unwrap_err();
        assert_eq!(error.to_string(), "`DOCX` is not a file kind");
    }
}
