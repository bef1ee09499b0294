//! The namespaces of OpenDocument, for parts that are parsed with [`vocabulary`].

use jig_ooxml::xml::Ns;

/// The document itself, `office:`.
pub(super) const OFFICE: Ns = Ns::Foreign(0);
/// Text, `text:`.
pub(super) const TEXT: Ns = Ns::Foreign(1);
/// Tables, `table:`.
pub(super) const TABLE: Ns = Ns::Foreign(2);
/// Drawings, `draw:`.
pub(super) const DRAW: Ns = Ns::Foreign(3);
/// Styles, `style:`.
pub(super) const STYLE: Ns = Ns::Foreign(4);
/// Elements adopted from SVG, `svg:`.
pub(super) const SVG: Ns = Ns::Foreign(5);
/// The list of the files in a package, `manifest:`.
pub(super) const MANIFEST: Ns = Ns::Foreign(6);

/// The namespace with an address.
pub(super) fn vocabulary(uri: &str) -> Ns {
    match uri {
        "urn:oasis:names:tc:opendocument:xmlns:office:1.0" => OFFICE,
        "urn:oasis:names:tc:opendocument:xmlns:text:1.0" => TEXT,
        "urn:oasis:names:tc:opendocument:xmlns:table:1.0" => TABLE,
        "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" => DRAW,
        "urn:oasis:names:tc:opendocument:xmlns:style:1.0" => STYLE,
        "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" => SVG,
        "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" => MANIFEST,
        other => Ns::of(other),
    }
}
