//! The fonts that a theme names.

use crate::error::PackageError;
use crate::limits::Limits;
use crate::xml::{Node, Ns, XmlPart};

/// The Latin fonts of a theme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThemeFonts {
    /// For headings.
    pub major: Option<String>,
    /// For text.
    pub minor: Option<String>,
}

impl ThemeFonts {
    /// Reads a theme part.
    pub fn read(part: &XmlPart, limits: &Limits) -> Result<Self, PackageError> {
        let tree = part.tree(limits)?;
        let fonts = tree.root().path(Ns::A, &["themeElements", "fontScheme"]);
        let latin = |local| fonts.and_then(|fonts: Node<'_>| fonts.path(Ns::A, &[local, "latin"]));
        let name = |local| latin(local).and_then(|node| node.attr("typeface")).filter(|name| !name.is_empty());
        Ok(Self { major: name("majorFont").map(Into::into), minor: name("minorFont").map(Into::into) })
    }
}
