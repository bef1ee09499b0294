//! Attributes and switches in Word's markup.

use std::borrow::Cow;

use crate::xml::{Node, Ns, unescape};

/// An attribute of a Word element. Its prefix is nearly always that of the element, which makes a
/// search for the declaration unnecessary.
pub fn attr<'t>(node: Node<'t>, local: &str) -> Option<Cow<'t, str>> {
    if node.ns() == Ns::W {
        let prefix = node.prefix();
        let found = node.attributes().find(|attribute| attribute.name.strip_prefix(prefix) == Some(local));
        if let Some(attribute) = found {
            return Some(unescape(attribute.raw));
        }
    }
    node.attr(local)
}

/// The attribute `w:val`.
pub fn val(node: Node<'_>) -> Option<Cow<'_, str>> {
    attr(node, "val")
}

/// The attribute `w:val` of a child.
pub fn child_val<'t>(node: Node<'t>, local: &str) -> Option<Cow<'t, str>> {
    val(node.child(Ns::W, local)?)
}

/// An attribute as a whole number.
pub fn number(node: Node<'_>, local: &str) -> Option<i64> {
    attr(node, local)?.trim().parse().ok()
}

/// The attribute `w:val` of a child as a whole number.
pub fn child_number(node: Node<'_>, local: &str) -> Option<i64> {
    number(node.child(Ns::W, local)?, "val")
}

/// A switch such as `<w:b/>`; none if the element is absent.
pub fn switch(node: Node<'_>, local: &str) -> Option<bool> {
    let child = node.child(Ns::W, local)?;
    Some(!matches!(val(child).as_deref(), Some("0" | "false" | "off")))
}

/// The branch of `mc:AlternateContent` that is read: the first choice, else the fallback.
pub fn branch(alternate: Node<'_>) -> Option<Node<'_>> {
    alternate.child(Ns::Mc, "Choice").or_else(|| alternate.child(Ns::Mc, "Fallback"))
}
