//! The runs of a paragraph with the look they come to.

use serde_json::{Value, json};

use super::source::Source;
use crate::docx::inline::{Piece, View, What};
use crate::docx::styles::RunFormat;
use crate::docx::word;
use crate::xml::{Node, Ns};

/// The runs that have text, tracked changes accepted. What neither run nor styles say is null.
pub(super) fn runs<'a>(
    source: &'a Source,
    style_id: Option<&str>,
    pieces: &'a [Piece<'_>],
) -> impl Iterator<Item = Value> + use<'a> {
    let mut grouped: Vec<(Option<Node<'_>>, String)> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.mark.is_in(View::Final)) {
        let What::Text(text) = &piece.what else { continue };
        match grouped.last_mut() {
            Some((run, before)) if *run == piece.run && run.is_some() => before.push_str(text),
            _ => grouped.push((piece.run, text.clone().into_owned())),
        }
    }
    let base = source.beside().styles.resolved(style_id).map(|style| style.run.clone()).unwrap_or_default();
    let entries = grouped.into_iter().filter(|(_, text)| !text.is_empty()).enumerate();
    entries.map(move |(index, (run, text))| entry(source, index, &text, &effective(source, &base, run)))
}

fn effective(source: &Source, base: &RunFormat, run: Option<Node<'_>>) -> RunFormat {
    let properties = run.and_then(|run| run.child(Ns::W, "rPr"));
    let direct = properties.map(RunFormat::read).unwrap_or_default();
    let style = properties.and_then(|properties| word::child_val(properties, "rStyle"));
    let style = style.and_then(|id| source.beside().styles.resolved(Some(&id)));
    let styled = match style {
        Some(style) => style.run.clone().style_over(base),
        None => base.clone(),
    };
    direct.over(&styled).over(source.beside().styles.defaults())
}

fn entry(source: &Source, index: usize, text: &str, format: &RunFormat) -> Value {
    json!({
        "index": index,
        "text": text,
        "bold": format.bold,
        "italic": format.italic,
        "underline": format.underline,
        "size_pt": format.size_pt,
        "font_name": format.font_name(source.beside().styles.theme()),
        "color": format.color.as_ref().map(|color| format!("#{color}")),
    })
}
