//! Changes of workbooks, documents, presentations and tables as lines.

use jig_contract::ops::{DiffChange, DiffDetail, DiffGroup, DiffKind, DiffWord, WordTag};

use super::{DiffTextLine, Span, Tone, span};

/// The number of unchanged characters shown around a change.
const AROUND: usize = 36;
/// The maximum width of the address column.
const ID_MAX: usize = 30;
const VALUE_MAX: usize = 100;

/// A group with its changes.
pub(super) fn group(lines: &mut Vec<DiffTextLine>, group: &DiffGroup) {
    lines.push(vec![span(Tone::Strong, format!("@ {}", group.title))]);
    let width = group.changes.iter().map(|change| change.id.chars().count()).max().unwrap_or(0).min(ID_MAX);
    for change in &group.changes {
        change_lines(lines, change, width);
    }
}

/// File properties, before and after.
pub(super) fn properties(lines: &mut Vec<DiffTextLine>, details: &[DiffDetail]) {
    let width = details.iter().map(|detail| detail.name.chars().count()).max().unwrap_or(0);
    let word = |side: &Option<String>| side.as_deref().map_or_else(|| "none".to_owned(), short);
    for detail in details {
        let pad = " ".repeat(width.saturating_sub(detail.name.chars().count()));
        lines.push(vec![
            span(Tone::Mark, format!(" ~ {}{pad}  ", detail.name)),
            span(Tone::Bad, word(&detail.before)),
            span(Tone::Faint, " → "),
            span(Tone::Good, word(&detail.after)),
        ]);
    }
}

const fn sign(kind: DiffKind) -> (char, Tone) {
    match kind {
        DiffKind::Added => ('+', Tone::Good),
        DiffKind::Removed => ('-', Tone::Bad),
        DiffKind::Changed | DiffKind::Renamed => ('~', Tone::Mark),
        DiffKind::Moved => ('>', Tone::Mark),
        DiffKind::Formatted => ('*', Tone::Faint),
        DiffKind::Recalculated => ('=', Tone::Faint),
    }
}

fn change_lines(lines: &mut Vec<DiffTextLine>, change: &DiffChange, width: usize) {
    let (mark, tone) = sign(change.kind);
    let tick = if change.accepted { span(Tone::Good, "✓") } else { span(Tone::Plain, " ") };
    let pad = " ".repeat(width.saturating_sub(change.id.chars().count()));
    let id = span(Tone::Mark, format!("{}{pad}", change.id));
    let mut line = vec![tick, span(tone, format!("{mark} ")), id];
    let beside = if change.words.is_empty() { values(change) } else { Vec::new() };
    line.extend(beside);
    if change.kind == DiffKind::Moved {
        line.push(span(Tone::Faint, "  moved"));
    }
    if change.words.is_empty() {
        line.extend(details(&change.details, change.kind));
        lines.push(line);
        return;
    }
    lines.push(line);
    let mut text = vec![span(Tone::Plain, "    ")];
    text.extend(words(&change.words));
    lines.push(text);
    // The cells of a row are already in the text.
    let beyond = |detail: &&DiffDetail| !detail.name.starts_with("column ") && !detail.name.starts_with("row ");
    let rest: Vec<DiffDetail> = change.details.iter().filter(beyond).cloned().collect();
    if !rest.is_empty() {
        let mut more = vec![span(Tone::Plain, "  ")];
        more.extend(details(&rest, change.kind));
        lines.push(more);
    }
}

/// The old and new value next to an address.
fn values(change: &DiffChange) -> Vec<Span> {
    let (before, after) = (change.before.as_deref().map(short), change.after.as_deref().map(short));
    match (before, after) {
        (Some(before), Some(after)) if before != after => vec![
            span(Tone::Plain, "  "),
            span(Tone::Bad, shown(before)),
            span(Tone::Faint, " → "),
            span(Tone::Good, shown(after)),
        ],
        (Some(before), None) => vec![span(Tone::Plain, "  "), span(Tone::Bad, shown(before))],
        (None, Some(after)) if change.kind == DiffKind::Added => {
            vec![span(Tone::Plain, "  "), span(Tone::Good, shown(after))]
        }
        (_, Some(after)) => vec![span(Tone::Plain, "  "), span(Tone::Plain, shown(after))],
        (None, None) => Vec::new(),
    }
}

fn shown(text: String) -> String {
    if text.is_empty() { "(empty)".to_owned() } else { text }
}

fn short(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= VALUE_MAX {
        return text.to_owned();
    }
    text.chars().take(VALUE_MAX - 1).chain(['…']).collect()
}

fn details(details: &[DiffDetail], kind: DiffKind) -> Vec<Span> {
    let mut spans = Vec::new();
    for detail in details {
        let (before, after) = (detail.before.as_deref().map(short), detail.after.as_deref().map(short));
        let words = match (before, after) {
            (Some(before), Some(after)) if before == after => format!("{} {after}", detail.name),
            (Some(before), Some(after)) => format!("{} {before} → {after}", detail.name),
            (Some(before), None) => format!("{} {before} → none", detail.name),
            (None, Some(after)) => format!("{} {after}", detail.name),
            (None, None) => detail.name.clone(),
        };
        spans.push(span(Tone::Faint, format!("  {words}")));
    }
    if kind == DiffKind::Recalculated {
        spans.push(span(Tone::Faint, "  recalculated"));
    }
    spans
}

/// A word diff; only the ends of a long unchanged run are shown.
fn words(words: &[DiffWord]) -> Vec<Span> {
    let last = words.len().saturating_sub(1);
    let one = |(at, word): (usize, &DiffWord)| match word.tag {
        WordTag::Added => span(Tone::GoodWord, word.text.as_str()),
        WordTag::Removed => span(Tone::BadWord, word.text.as_str()),
        WordTag::Same => span(Tone::Plain, shortened(&word.text, at > 0, at < last)),
    };
    words.iter().enumerate().map(one).collect()
}

fn shortened(text: &str, before: bool, after: bool) -> String {
    let length = text.chars().count();
    let (head, tail) = (if before { AROUND } else { 0 }, if after { AROUND } else { 0 });
    if length <= head + tail + 8 {
        return text.to_owned();
    }
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(id: &str, kind: DiffKind, before: Option<&str>, after: Option<&str>) -> DiffChange {
        DiffChange {
            id: id.to_owned(),
            kind,
            what: "cell".to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            words: Vec::new(),
            details: Vec::new(),
            fixed: None,
            accepted: false,
            mark: String::new(),
        }
    }

    fn text(changes: Vec<DiffChange>) -> Vec<String> {
        let mut lines = Vec::new();
        group(&mut lines, &DiffGroup { title: "Budget".to_owned(), changes });
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn cells_stand_in_a_table() {
        let mut formula = change("Budget!B10", DiffKind::Recalculated, Some("900"), Some("930"));
        formula.details.push(DiffDetail {
            name: "formula".to_owned(),
            before: Some("=SUM(B3:B9)".to_owned()),
            after: Some("=SUM(B3:B9)".to_owned()),
        });
        let mut accepted = change("Budget!B3", DiffKind::Changed, Some("120"), Some("150"));
        accepted.accepted = true;
        let lines = text(vec![accepted, formula, change("Budget!C1", DiffKind::Added, None, Some("new"))]);
        assert_eq!(
            lines,
            [
                "@ Budget",
                "✓~ Budget!B3   120 → 150",
                " = Budget!B10  900 → 930  formula =SUM(B3:B9)  recalculated",
                " + Budget!C1   new",
            ]
        );
    }

    #[test]
    fn long_runs_of_the_same_words_are_shortened_to_their_ends() {
        assert_eq!(shortened("short", true, true), "short");
        let long = "abcdefghij".repeat(20);
        let cut = shortened(&long, true, false);
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (AROUND + 1, true));
    }
}
