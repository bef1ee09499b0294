//! Saying where a text is, or what is most like one that is nowhere.

use jig_ooxml::edit::{EditError, OpInput, nearest};

use super::lines::Lines;

/// How many lines are compared with a text that was not found.
const COMPARED: usize = 20_000;
/// Longer lines are not compared.
const COMPARED_BYTES: usize = 400;

/// `line 3`, `lines 3, 7, 9 and 12 more`.
pub(super) fn at_lines(lines: &[usize]) -> String {
    let mut lines = lines.to_vec();
    lines.dedup();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let shown: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
    match lines.len().saturating_sub(shown.len()) {
        0 => format!("{word} {}", shown.join(", ")),
        more => format!("{word} {} and {more} more", shown.join(", ")),
    }
}

/// A text is nowhere: the error says what is most like it.
pub(super) fn not_found(lines: &Lines<'_>, input: &OpInput, field: &str, text: &str) -> EditError {
    let same = |one: &str, other: &str| squeezed(one) == squeezed(other);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(text);
    let candidates = || (0..lines.count().min(COMPARED)).map(move |at| (at, lines.bare(at)));
    if let Some((at, _)) = candidates().find(|(_, line)| contains_squeezed(line, first)) {
        let rest = if text.trim().lines().count() > 1 { "; its first line is there" } else { "" };
        let why = format!(
            "the text is not in the file as it is given{rest}: line {} has it with other white space or case, or goes on otherwise",
            at + 1
        );
        return input.error(field, why).suggest([numbered(at, lines.bare(at))]);
    }
    let short = || candidates().map(|(at, line)| (at, line.trim())).filter(|(_, line)| line.len() <= COMPARED_BYTES);
    let near = nearest(&limited(first), short().map(|(_, line)| line));
    let near: Vec<String> = near
        .iter()
        .filter_map(|line| short().find(|(_, other)| same(other, line)).map(|(at, line)| numbered(at, line)))
        .collect();
    let why = match near.is_empty() {
        true => "the text is not in the file",
        false => "the text is not in the file; near to it are the lines below",
    };
    input.error(field, why).suggest(near)
}

fn numbered(at: usize, line: &str) -> String {
    format!("line {}: {}", at + 1, limited(line.trim()))
}

fn limited(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Without regard to white space and case.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_lowercase()
}

fn contains_squeezed(line: &str, text: &str) -> bool {
    let wanted = squeezed(text);
    !wanted.is_empty() && line.len() <= 100 * COMPARED_BYTES && squeezed(line).contains(&wanted)
}
