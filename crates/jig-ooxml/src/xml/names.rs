//! The namespaces of Office files. Strict and transitional files name the same things differently;
//! here they are one.

macro_rules! namespaces {
    ($($(#[$doc:meta])* $name:ident = $first:literal $(| $more:literal)*;)+) => {
        /// A namespace that the engine knows, whichever of its addresses a file uses.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Ns {
            /// No namespace.
            None,
            /// One that the engine has no word for.
            Other,
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

            /// The address that transitional files use.
            pub fn uri(self) -> &'static str {
                match self {
                    Self::None | Self::Other => "",
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
    /// Pictures, `pic:`.
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
    /// OpenDocument: the document itself, `office:`.
    OdOffice = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
    /// OpenDocument: text, `text:`.
    OdText = "urn:oasis:names:tc:opendocument:xmlns:text:1.0";
    /// OpenDocument: tables, `table:`.
    OdTable = "urn:oasis:names:tc:opendocument:xmlns:table:1.0";
    /// OpenDocument: drawings, `draw:`.
    OdDraw = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0";
    /// OpenDocument: styles, `style:`.
    OdStyle = "urn:oasis:names:tc:opendocument:xmlns:style:1.0";
    /// OpenDocument: what it takes from SVG, `svg:`.
    OdSvg = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0";
    /// OpenDocument: the list of a package's files, `manifest:`.
    OdManifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0";
    /// Links in attributes, `xlink:`.
    Xlink = "http://www.w3.org/1999/xlink";
    /// `xml:`.
    Xml = "http://www.w3.org/XML/1998/namespace";
}
