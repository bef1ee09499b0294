//! The methods of the protocol, as values.

/// Which engine.
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
    /// Pictures.
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
    pub(super) const fn office_words(self) -> Option<&'static str> {
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

    /// Whether a file of this name can be edited by this format's ops. Any name but those of other kinds is good
    /// for a text.
    pub fn takes(self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        match self {
            Self::Text => crate::sniff::named(name).is_none_or(crate::kind::FileKind::is_text),
            _ => self.endings().contains(&ending.as_str()),
        }
    }
}

/// What a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads a file.
    Read,
    /// Applies ops to a file.
    Apply,
    /// Copies from one file into another.
    Copy,
    /// Compares two files of any format.
    Compare,
    /// Takes changes of a file back, of any format.
    Revert,
    /// Makes a copy of a file for LibreOffice to draw, without anything that leads out of it.
    RenderCopy,
}

/// A method of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// Which engine.
    pub format: Format,
    /// What it does.
    pub verb: Verb,
}

const fn method(name: &'static str, format: Format, verb: Verb) -> Method {
    Method { name, format, verb }
}

static METHODS: &[Method] = &[
    method("XlsxGetMap", Format::Xlsx, Verb::Read),
    method("XlsxGetInfo", Format::Xlsx, Verb::Read),
    method("XlsxReadRange", Format::Xlsx, Verb::Read),
    method("XlsxExtractText", Format::Xlsx, Verb::Read),
    method("XlsxRenderGrid", Format::Xlsx, Verb::Read),
    method("XlsxGetStyles", Format::Xlsx, Verb::Read),
    method("XlsxFind", Format::Xlsx, Verb::Read),
    method("XlsxRenderPage", Format::Xlsx, Verb::Read),
    method("XlsxCopyAssets", Format::Xlsx, Verb::Copy),
    method("XlsxApplyOps", Format::Xlsx, Verb::Apply),
    method("DocxGetMap", Format::Docx, Verb::Read),
    method("DocxExtractText", Format::Docx, Verb::Read),
    method("DocxGetSectionContent", Format::Docx, Verb::Read),
    method("DocxGetStyles", Format::Docx, Verb::Read),
    method("DocxFind", Format::Docx, Verb::Read),
    method("DocxRenderPage", Format::Docx, Verb::Read),
    method("DocxCopyAssets", Format::Docx, Verb::Copy),
    method("DocxApplyOps", Format::Docx, Verb::Apply),
    method("PptxGetMap", Format::Pptx, Verb::Read),
    method("PptxExtractText", Format::Pptx, Verb::Read),
    method("PptxGetSlideContent", Format::Pptx, Verb::Read),
    method("PptxGetStyles", Format::Pptx, Verb::Read),
    method("PptxFind", Format::Pptx, Verb::Read),
    method("PptxRenderSlide", Format::Pptx, Verb::Read),
    method("PptxCopyAssets", Format::Pptx, Verb::Copy),
    method("PptxApplyOps", Format::Pptx, Verb::Apply),
    method("PdfGetMap", Format::Pdf, Verb::Read),
    method("PdfGetInfo", Format::Pdf, Verb::Read),
    method("PdfExtractText", Format::Pdf, Verb::Read),
    method("PdfFind", Format::Pdf, Verb::Read),
    method("PdfRenderPage", Format::Pdf, Verb::Read),
    // These two find the format out by themselves.
    method("FileDiff", Format::Xlsx, Verb::Compare),
    method("FileRevert", Format::Xlsx, Verb::Revert),
    method("XlsxRenderCopy", Format::Xlsx, Verb::RenderCopy),
    method("DocxRenderCopy", Format::Docx, Verb::RenderCopy),
    method("PptxRenderCopy", Format::Pptx, Verb::RenderCopy),
    method("OdtRenderCopy", Format::Odt, Verb::RenderCopy),
    method("OdtGetMap", Format::Odt, Verb::Read),
    method("OdtExtractText", Format::Odt, Verb::Read),
    method("OdtFind", Format::Odt, Verb::Read),
    method("OdtRenderPage", Format::Odt, Verb::Read),
    method("ImageGetMetadata", Format::Image, Verb::Read),
    method("ImageRender", Format::Image, Verb::Read),
    method("TextGetMap", Format::Text, Verb::Read),
    method("TextReadLines", Format::Text, Verb::Read),
    method("TextFind", Format::Text, Verb::Read),
    method("TextApplyOps", Format::Text, Verb::Apply),
];

impl Method {
    /// All methods.
    pub fn all() -> &'static [Self] {
        METHODS
    }

    /// The method of this name.
    pub fn find(name: &str) -> Option<Self> {
        METHODS.iter().find(|method| method.name == name).copied()
    }

    /// Whether its answer is a `text` that is given in pages here. Lines of text files have pages of their own.
    pub(super) fn gives_text(self) -> bool {
        matches!(
            self.name,
            "XlsxReadRange"
                | "XlsxExtractText"
                | "DocxExtractText"
                | "PptxExtractText"
                | "PdfExtractText"
                | "OdtExtractText"
        )
    }
}
