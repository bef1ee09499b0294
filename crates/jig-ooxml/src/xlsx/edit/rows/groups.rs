//! Shared formulas when references shift: a group stays shared if one text still fits all of its cells; otherwise each
//! cell gets its own formula.

use std::collections::HashMap;

use super::super::cells::element_prefix;
use super::super::reach;
use super::super::rewrite_references::{Report, Rewriter};
use super::super::sheet::{Shared, SheetState};
use crate::xlsx::address::CellRef;
use crate::xlsx::formula::translate;
use crate::xml::escape_text;

/// Finds the new `f` elements of all cells in shared groups, by their old place.
pub(crate) fn settle(
    state: &SheetState,
    name: &str,
    rewriter: &Rewriter<'_>,
    moved: &dyn Fn(CellRef) -> Option<CellRef>,
    report: &mut Report,
    formulas: &mut HashMap<CellRef, String>,
) {
    let prefix = element_prefix(state);
    for (number, group) in &state.shared {
        one(*number, group, &prefix, name, rewriter, moved, report, formulas);
    }
}

#[expect(clippy::too_many_arguments, reason = "one step of `settle`, which holds them all")]
fn one(
    number: u32,
    group: &Shared,
    prefix: &str,
    name: &str,
    rewriter: &Rewriter<'_>,
    moved: &dyn Fn(CellRef) -> Option<CellRef>,
    report: &mut Report,
    formulas: &mut HashMap<CellRef, String>,
) {
    let Some((master, old_text)) = &group.master else { return };
    let mut left: Vec<(CellRef, CellRef, String)> = Vec::with_capacity(group.members.len());
    for old in &group.members {
        let (Some(new), Some(text)) = (moved(*old), group.formula_at(*old)) else { continue };
        let rewritten = rewriter.formula(&text, name);
        let plain = rewritten.text.clone().into_owned();
        report.take(rewritten, || format!("{name}!{new}"));
        left.push((*old, new, plain));
    }
    let head = left.iter().find(|(old, ..)| old == master).cloned();
    let shared = head
        .as_ref()
        .filter(|(_, head, text)| left.iter().all(|(_, new, own)| translate(text, *head, *new).text == own.as_str()));
    let Some((_, _, text)) = shared else {
        for (old, _, text) in left {
            formulas.insert(old, format!("<{prefix}f>{}</{prefix}f>", escape_text(&text)));
        }
        return;
    };
    let still = left.len() == group.members.len() && left.iter().all(|(old, new, _)| old == new);
    if still && text == old_text {
        return;
    }
    if let Some(range) = reach(left.iter().map(|(_, new, _)| *new)) {
        let text = escape_text(text);
        formulas.insert(*master, format!("<{prefix}f t=\"shared\" ref=\"{range}\" si=\"{number}\">{text}</{prefix}f>"));
    }
}
