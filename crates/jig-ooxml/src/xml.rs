//! XML parts with byte positions: read as a [`Tree`], changed by a [`Splice`], never written back whole.

mod build;
mod escape;
mod insert;
mod names;
mod node;
mod part;
mod splice;
mod token;
mod tree;

pub use escape::{escape_attribute, escape_text, is_xml_char, strip_illegal, unescape};
pub use names::Ns;
pub use node::{Attribute, Node};
pub(crate) use part::ParsedPart;
pub use part::XmlPart;
pub use splice::{Overlap, Splice};
pub(crate) use token::tag_end;
pub use tree::{NodeId, NodeKind, Tree};

#[cfg(test)]
mod tests;
