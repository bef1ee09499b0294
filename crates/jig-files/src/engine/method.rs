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
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Xlsx, Self::Docx, Self::Pptx, Self::Pdf];

    /// How method names begin.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Xlsx => "Xlsx",
            Self::Docx => "Docx",
            Self::Pptx => "Pptx",
            Self::Pdf => "Pdf",
        }
    }

    /// The usual ending of file names.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Pdf => "pdf",
        }
    }

    /// All endings of file names: with macros, templates and slide shows too.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Xlsx => &["xlsx", "xlsm", "xltx", "xltm"],
            Self::Docx => &["docx", "docm", "dotx", "dotm"],
            Self::Pptx => &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
            Self::Pdf => &["pdf"],
        }
    }

    pub(super) const fn find_method(self) -> &'static str {
        match self {
            Self::Xlsx => "XlsxFind",
            Self::Docx => "DocxFind",
            Self::Pptx => "PptxFind",
            Self::Pdf => "PdfFind",
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

    /// Whether its answer is a `text` that can be given in pages.
    pub(super) fn gives_text(self) -> bool {
        matches!(
            self.name,
            "XlsxReadRange" | "XlsxExtractText" | "DocxExtractText" | "PptxExtractText" | "PdfExtractText"
        )
    }
}
