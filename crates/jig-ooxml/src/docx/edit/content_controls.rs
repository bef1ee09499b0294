//! `set_content_control`: the text of a content control by its tag or title.

use jig_file_api::ops::docx_content::SetContentControl;

use super::DocumentEdit;
use super::blocks::first_run_properties;
use super::markup::{Dialect, Markup};
use super::revisions::kept_properties;
use crate::docx::blocks::blocks;
use crate::docx::word;
use crate::edit::{OpInput, OpReport, excerpt, nearest};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, Ns, Splice};

impl DocumentEdit<'_> {
    /// Applies `set_content_control`: every control with the tag or title gets the content.
    pub(super) fn set_content_control(&mut self, input: &OpInput, fields: &SetContentControl) -> Result<(), Error> {
        if self.revisions(None)?.is_some() {
            self.warn(format!("{}: the content of controls is not tracked", input.at("")));
        }
        let text = fields.text.as_deref().map(|text| self.clean(text, &input.at("text")));
        if text.is_none() && fields.checked.is_none() {
            return Err(input.error("text", DocumentIssue::Missing { what: "the text, or `checked`" }).into());
        }
        let limits = self.limits();
        let (mut known, mut set, mut old) = (Vec::new(), 0, Vec::new());
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        for name in names {
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            let mut splice = Splice::new(part.text());
            let mut covered = 0;
            for control in tree.root().descendants().filter(|node| node.is(Ns::W, "sdt")) {
                let Some(properties) = control.child(Ns::W, "sdtPr") else { continue };
                let names = ["tag", "alias"].map(|name| word::child_val(properties, name));
                let wanted = fields.control.trim().to_lowercase();
                let is_it = names.iter().flatten().any(|name| name.trim().to_lowercase() == wanted);
                known.extend(names.into_iter().flatten().map(std::borrow::Cow::into_owned));
                // A control inside one that is set goes with its content.
                if !is_it || control.range().start < covered {
                    continue;
                }
                covered = control.range().end;
                let locked = word::child_val(properties, "lock")
                    .is_some_and(|lock| lock.to_lowercase().contains("contentlocked"));
                if locked {
                    return Err(input
                        .error("control", DocumentIssue::LockedControl { name: fields.control.clone() })
                        .into());
                }
                let Some(content) = control.child(Ns::W, "sdtContent") else { continue };
                old.push(excerpt(&super::paragraphs::text_of(content)));
                let text = match checkbox(properties) {
                    Some(checkbox) => {
                        let on = fields.checked.ok_or_else(|| {
                            input.error("checked", DocumentIssue::Missing { what: "the state of the check box" })
                        })?;
                        check(&mut splice, checkbox, on)
                    }
                    None => {
                        let text = text.clone().ok_or_else(|| {
                            input.error("text", DocumentIssue::Missing { what: "the text of the control" })
                        })?;
                        chosen(&mut splice, properties, &text, input)?
                    }
                };
                if let Some(shown) = properties.child(Ns::W, "showingPlcHdr") {
                    splice.remove(shown);
                }
                if properties.child(Ns::W, "dataBinding").is_some() {
                    self.warn(format!(
                        "{}: the control is bound to data; Word may restore the old text",
                        input.at("control")
                    ));
                }
                fill(&mut splice, content, properties.child(Ns::W, "showingPlcHdr").is_some(), &text);
                set += 1;
            }
            self.splice_part(&part, splice)?;
        }
        if set == 0 {
            known.sort_unstable();
            known.dedup();
            let mut near = nearest(&fields.control, known.iter().map(String::as_str));
            if near.is_empty() {
                near = known.into_iter().take(10).collect();
            }
            let issue = DocumentIssue::NoControl { name: fields.control.clone() };
            return Err(input.error("control", issue).suggest(near).into());
        }
        let summary = format!("Set {} “{}”.", counted(set, "content control"), fields.control);
        self.report(OpReport::new(input, summary).with("controls", set).with("old", old));
        Ok(())
    }
}

fn checkbox(properties: Node<'_>) -> Option<Node<'_>> {
    properties.elements().find(|node| node.ns() == Ns::W14 && node.local() == "checkbox")
}

/// Sets the state of a check box; returns the sign that shows it.
fn check(splice: &mut Splice<'_>, checkbox: Node<'_>, on: bool) -> String {
    let prefix = checkbox.prefix();
    let markup = format!("<{prefix}checked {prefix}val=\"{}\"/>", u8::from(on));
    let state = |name: &str| {
        let node = checkbox.elements().find(|node| node.local() == name)?;
        let value = super::comments::extension_attr(node, "val")?;
        char::from_u32(u32::from_str_radix(&value, 16).ok()?)
    };
    match checkbox.elements().find(|node| node.local() == "checked") {
        Some(old) => splice.replace(old.range(), markup),
        None => splice.prepend(checkbox, markup),
    }
    let sign = if on { state("checkedState").unwrap_or('☒') } else { state("uncheckedState").unwrap_or('☐') };
    sign.to_string()
}

/// The text of a control; that of a list must be one of its entries.
fn chosen(splice: &mut Splice<'_>, properties: Node<'_>, text: &str, input: &OpInput) -> Result<String, Error> {
    let list = properties.child(Ns::W, "dropDownList");
    let Some(list) = list else { return Ok(text.to_owned()) };
    let entries: Vec<(String, String)> = list
        .children_named(Ns::W, "listItem")
        .map(|item| {
            let value = word::attr(item, "value").unwrap_or_default().into_owned();
            (word::attr(item, "displayText").map_or_else(|| value.clone(), std::borrow::Cow::into_owned), value)
        })
        .collect();
    let same = |one: &str| one.trim().to_lowercase() == text.trim().to_lowercase();
    let Some((shown, value)) = entries.iter().find(|(shown, value)| same(shown) || same(value)) else {
        let issue = DocumentIssue::NoListEntry { text: excerpt(text) };
        return Err(input.error("text", issue).suggest(entries.into_iter().take(10).map(|(shown, _)| shown)).into());
    };
    if word::attr(list, "lastValue").is_some() {
        let w = Dialect::at(list).w;
        splice.set_attr(list, &format!("{w}lastValue"), value);
    }
    Ok(shown.clone())
}

/// Replaces the content of a control by a text with the format of its first run.
fn fill(splice: &mut Splice<'_>, content: Node<'_>, placeholder: bool, text: &str) {
    let dialect = Dialect::at(content);
    let run = |properties: &str| {
        let mut markup = Markup::new(&dialect);
        markup.open("r", &[]);
        // The style of a placeholder is not that of the text.
        markup.raw(if placeholder { "" } else { properties });
        markup.run_text(text, "t");
        markup.close("r");
        markup.finish()
    };
    let all = blocks(content);
    let cell = content.descendants().find(|node| node.is(Ns::W, "tc"));
    let inner = match (all.is_empty(), cell) {
        (true, Some(cell)) => blocks(cell),
        _ => all,
    };
    let Some(first) = inner.iter().find_map(|block| block.paragraph()).map(|paragraph| paragraph.node) else {
        let properties = content.descendants().find(|node| node.is(Ns::W, "r")).and_then(|run| run.child(Ns::W, "rPr"));
        splice.set_inner(content, run(&properties.map(kept_properties).unwrap_or_default()));
        return;
    };
    let properties = first.child(Ns::W, "pPr").map_or("", Node::source);
    splice.set_inner(first, format!("{properties}{}", run(&first_run_properties(first))));
    for block in inner.iter().map(|block| block.node()).filter(|node| *node != first) {
        splice.remove(block);
    }
}
