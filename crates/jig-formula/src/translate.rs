//! Moving a formula from one cell to another as copying does: relative references move along, fixed
//! ones stay. This turns the master of a shared formula into the formula of any cell of its group.

use super::lexer::TokenKind;
use super::reference::{Area, Edge, Prefix, Reference, Span, Target};
use super::rewrite::{Fate, Rewritten, rewrite};
use jig_file_api::address::{CellRef, MAX_COLUMN, MAX_ROW};

/// The formula of `from` as it reads in `to`. A reference that would leave the grid becomes `#REF!`.
pub fn translate(formula: &str, from: CellRef, to: CellRef) -> Rewritten<'_> {
    let rows = i64::from(to.row()) - i64::from(from.row());
    let cols = i64::from(to.col()) - i64::from(from.col());
    rewrite(formula, |token| match token.kind {
        TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
            let prefix = prefix.map_or("", Prefix::text);
            match moved(area, rows, cols) {
                Some(new) if new == area => Fate::Keep,
                Some(new) => Fate::Replace(format!("{prefix}{new}")),
                None => Fate::Lose(format!("{prefix}#REF!")),
            }
        }
        _ => Fate::Keep,
    })
}

fn moved(area: Area, rows: i64, cols: i64) -> Option<Area> {
    Some(Area { rows: move_span(area.rows, rows, MAX_ROW)?, cols: move_span(area.cols, cols, MAX_COLUMN)?, ..area })
}

fn move_span(span: Option<Span>, by: i64, max: u32) -> Option<Option<Span>> {
    let Some(span) = span else { return Some(None) };
    Some(Some(Span { first: move_edge(span.first, by, max)?, last: move_edge(span.last, by, max)? }))
}

fn move_edge(edge: Edge, by: i64, max: u32) -> Option<Edge> {
    if edge.fixed {
        return Some(edge);
    }
    let at = u32::try_from(i64::from(edge.at) + by).ok().filter(|at| (1..=max).contains(at))?;
    Some(Edge { at, ..edge })
}
