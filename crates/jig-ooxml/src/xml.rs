//! XML parts with byte positions: read as a [`Tree`], changed by a [`Splice`], never serialised again.

mod escape;
mod namespaces;
mod node;
mod part;
pub(crate) mod scan;
mod splice;
mod tree;

pub use escape::{escape_attribute, escape_text, is_xml_char, strip_illegal, unescape};
pub use namespaces::{Ns, Vocabulary};
pub use node::{Attribute, Node};
pub(crate) use part::ParsedPart;
pub use part::XmlPart;
pub use splice::{Overlap, Splice};
pub use tree::{NodeId, NodeKind, Tree};

#[cfg(test)]
mod tests;
