//! The namespaces of Office files. Strict and transitional files use different addresses for the same namespace; here they
//! are one.

/// Returns the namespace with an address. [`Ns::of`] is that of Office files; readers of other formats have their own.
pub type Vocabulary = fn(&str) -> Ns;

macro_rules! namespaces {
    ($($(#[$doc:meta])* $name:ident = $first:literal $(| $more:literal)*;)+) => {
        /// A known namespace, whichever of its addresses a file uses.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Ns {
            /// No namespace.
            None,
            /// An unknown namespace.
            Other,
            /// A namespace of another file format, numbered by the [`Vocabulary`] that a part is parsed with.
            Foreign(u8),
            $($(#[$doc])* $name,)+
        }

        impl Ns {
            /// The namespace with this address.
            pub fn of(uri: &str) -> Self {
                match uri {
                    "" => Self::None,
                    $($first $(| $more)* => Self::$name,)+
                    _ => Self::Other,
                }
            }

            /// The address that transitional files use; empty for an unknown namespace.
            pub fn uri(self) -> &'static str {
                match self {
                    Self::None | Self::Other | Self::Foreign(_) => "",
                    $(Self::$name => $first,)+
                }
            }
        }
    };
}

namespaces! {
    /// WordprocessingML, `w:`.
    W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main" | "http://purl.oclc.org/ooxml/wordprocessingml/main";
    /// SpreadsheetML, mostly the default namespace.
    S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main" | "http://purl.oclc.org/ooxml/spreadsheetml/main";
    /// PresentationML, `p:`.
    P = "http://schemas.openxmlformats.org/presentationml/2006/main" | "http://purl.oclc.org/ooxml/presentationml/main";
    /// DrawingML, `a:`.
    A = "http://schemas.openxmlformats.org/drawingml/2006/main" | "http://purl.oclc.org/ooxml/drawingml/main";
    /// Images, `pic:`.
    Pic = "http://schemas.openxmlformats.org/drawingml/2006/picture" | "http://purl.oclc.org/ooxml/drawingml/picture";
    /// Charts, `c:`.
    C = "http://schemas.openxmlformats.org/drawingml/2006/chart" | "http://purl.oclc.org/ooxml/drawingml/chart";
    /// Charts of 2014 and later, `cx:`.
    Cx = "http://schemas.microsoft.com/office/drawing/2014/chartex";
    /// Drawings in Word text, `wp:`.
    Wp = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" | "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing";
    /// Drawings on sheets, `xdr:`.
    Xdr = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" | "http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing";
    /// Shapes in Word text, `wps:`.
    Wps = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape";
    /// Groups of shapes in Word text, `wpg:`.
    Wpg = "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup";
    /// SmartArt, `dgm:`.
    Dgm = "http://schemas.openxmlformats.org/drawingml/2006/diagram" | "http://purl.oclc.org/ooxml/drawingml/diagram";
    /// Mathematics, `m:`.
    M = "http://schemas.openxmlformats.org/officeDocument/2006/math" | "http://purl.oclc.org/ooxml/officeDocument/math";
    /// References to relationships in attributes, `r:`.
    R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships" | "http://purl.oclc.org/ooxml/officeDocument/relationships";
    /// Relationship parts.
    Rels = "http://schemas.openxmlformats.org/package/2006/relationships";
    /// `[Content_Types].xml`.
    Types = "http://schemas.openxmlformats.org/package/2006/content-types";
    /// Markup compatibility, `mc:`.
    Mc = "http://schemas.openxmlformats.org/markup-compatibility/2006";
    /// VML, `v:`.
    V = "urn:schemas-microsoft-com:vml";
    /// Excel 2009 extensions, `x14:`.
    X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
    /// Excel formulas in extensions, `xm:`.
    Xm = "http://schemas.microsoft.com/office/excel/2006/main";
    /// Word 2010, `w14:`.
    W14 = "http://schemas.microsoft.com/office/word/2010/wordml";
    /// Word 2012, `w15:`.
    W15 = "http://schemas.microsoft.com/office/word/2012/wordml";
    /// PowerPoint 2010, `p14:`.
    P14 = "http://schemas.microsoft.com/office/powerpoint/2010/main";
    /// Links in attributes, `xlink:`.
    Xlink = "http://www.w3.org/1999/xlink";
    /// `xml:`.
    Xml = "http://www.w3.org/XML/1998/namespace";
}
