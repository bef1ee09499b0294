//! Mathematics on one line.

use crate::xml::{Node, Ns};

/// An `m:oMath` or `m:oMathPara` as text: `(a+b)/2`, `x^2`, `sqrt(y)`.
pub(super) fn linear(node: Node<'_>) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(parent: Node<'_>, out: &mut String) {
    for node in parent.elements() {
        match (node.ns(), node.local()) {
            (Ns::M, "t") | (Ns::W, "t") => out.push_str(&node.text()),
            (Ns::M, "f") => {
                argument(node, "num", out);
                out.push('/');
                argument(node, "den", out);
            }
            (Ns::M, "sSup") => scripts(node, &[("^", "sup")], out),
            (Ns::M, "sSub") => scripts(node, &[("_", "sub")], out),
            (Ns::M, "sSubSup") => scripts(node, &[("_", "sub"), ("^", "sup")], out),
            (Ns::M, "nary") => nary(node, out),
            (Ns::M, "rad") => radical(node, out),
            (Ns::M, "d") => delimited(node, out),
            (Ns::M, "m") => matrix(node, out),
            (Ns::W, "br") => out.push('\n'),
            (_, name) if name.ends_with("Pr") => {}
            _ => write(node, out),
        }
    }
}

/// A child, in brackets if it is more than one sign or word.
fn argument(node: Node<'_>, name: &str, out: &mut String) {
    let Some(child) = node.child(Ns::M, name) else { return };
    let inner = linear(child);
    if inner.chars().all(char::is_alphanumeric) {
        out.push_str(&inner);
    } else {
        out.push('(');
        out.push_str(&inner);
        out.push(')');
    }
}

fn scripts(node: Node<'_>, scripts: &[(&str, &str)], out: &mut String) {
    if let Some(base) = node.child(Ns::M, "e") {
        write(base, out);
    }
    for (sign, name) in scripts {
        if node.child(Ns::M, name).is_some_and(|child| child.elements().next().is_some()) {
            out.push_str(sign);
            argument(node, name, out);
        }
    }
}

fn nary(node: Node<'_>, out: &mut String) {
    let sign = node.path(Ns::M, &["naryPr", "chr"]).and_then(property);
    out.push_str(sign.as_deref().unwrap_or("∫"));
    for (sign, name) in [("_", "sub"), ("^", "sup")] {
        if node.child(Ns::M, name).is_some_and(|child| child.elements().next().is_some()) {
            out.push_str(sign);
            argument(node, name, out);
        }
    }
    out.push(' ');
    if let Some(base) = node.child(Ns::M, "e") {
        write(base, out);
    }
}

fn radical(node: Node<'_>, out: &mut String) {
    let degree = node.child(Ns::M, "deg").map(linear).unwrap_or_default();
    if degree.is_empty() {
        out.push_str("sqrt(");
    } else {
        out.push_str(&format!("root({degree}, "));
    }
    if let Some(base) = node.child(Ns::M, "e") {
        write(base, out);
    }
    out.push(')');
}

fn delimited(node: Node<'_>, out: &mut String) {
    let sign = |name| node.path(Ns::M, &["dPr", name]).and_then(property);
    out.push_str(sign("begChr").as_deref().unwrap_or("("));
    for (at, child) in node.children_named(Ns::M, "e").enumerate() {
        if at > 0 {
            out.push_str(sign("sepChr").as_deref().unwrap_or("|"));
        }
        write(child, out);
    }
    out.push_str(sign("endChr").as_deref().unwrap_or(")"));
}

fn matrix(node: Node<'_>, out: &mut String) {
    let rows = node.children_named(Ns::M, "mr");
    let rows: Vec<String> =
        rows.map(|row| row.children_named(Ns::M, "e").map(linear).collect::<Vec<_>>().join(", ")).collect();
    out.push_str(&rows.join("; "));
}

/// `m:val`, which is qualified like Word's attributes.
fn property(node: Node<'_>) -> Option<String> {
    node.attr_ns(Ns::M, "val").or_else(|| node.attr("val")).map(std::borrow::Cow::into_owned)
}
