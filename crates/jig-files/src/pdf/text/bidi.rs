//! From the visual order of the characters of a line to the order in which they are read, where a part is written from
//! right to left: Hebrew, Arabic and the other scripts of the Unicode tables.
//!
//! The classes of characters are those of `unicode-bidi`. Its algorithm goes the other way, from text to display; the
//! way back, which PDF files need because they position glyphs one by one, is added here. It is not unique: a number
//! beside such a part may belong to either side, and then stays where it is.

use std::ops::Range;

use unicode_bidi::{BidiClass, bidi_class};

/// What a character means for the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Left,
    Right,
    /// Numbers run to the right, in whatever they stand.
    Number,
    /// Spaces, marks and brackets go with what is around them.
    Neutral,
    /// Between cells, which nothing reaches across.
    Tab,
}

/// A line as it is read, from its characters as they stand from left to right.
pub(super) fn as_read(line: String) -> String {
    if !line.chars().any(|char| kind(char) == Kind::Right) {
        return line;
    }
    let chars: Vec<char> = line.chars().collect();
    let mut kinds = kinds(&chars);
    let count = |wanted: Kind| kinds.iter().filter(|kind| **kind == wanted).count();
    if count(Kind::Right) > count(Kind::Left) {
        right_to_left(&chars, &mut kinds)
    } else {
        left_to_right(&chars, &kinds)
    }
}

/// Each part that runs to the left is turned around in its place.
fn left_to_right(chars: &[char], kinds: &[Kind]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for run in runs(kinds, Kind::Right) {
        let run = with_brackets(chars, run);
        text.extend(chars.get(at..run.start).unwrap_or_default());
        at = run.end;
        turn(chars, kinds, run, &mut text);
    }
    text.extend(chars.get(at..).unwrap_or_default());
    text
}

/// The whole line is turned around; each part that runs to the right stays as it is.
fn right_to_left(chars: &[char], kinds: &mut [Kind]) -> String {
    for run in runs(kinds, Kind::Left) {
        let run = with_brackets(chars, with_numbers(chars, kinds, run));
        kinds.get_mut(run).unwrap_or_default().fill(Kind::Left);
    }
    let mut text = String::new();
    turn(chars, kinds, 0..chars.len(), &mut text);
    text
}

/// From the first to the last character of a kind, as long as none of the other kind and no tab is between.
fn runs(kinds: &[Kind], own: Kind) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, kind) in kinds.iter().enumerate() {
        if *kind == own {
            match runs.last_mut().filter(|_| open) {
                Some(run) => run.end = at + 1,
                None => runs.push(at..at + 1),
            }
            open = true;
        } else if !matches!(kind, Kind::Number | Kind::Neutral) {
            open = false;
        }
    }
    runs
}

/// With the numbers that hang on a run without a space: `A4`, `3D`, `COVID-19`.
fn with_numbers(chars: &[char], kinds: &[Kind], run: Range<usize>) -> Range<usize> {
    let before = kinds.get(..run.start).unwrap_or_default().iter().rev();
    let start = run.start - before.take_while(|kind| **kind == Kind::Number).count();
    let behind = kinds.get(run.end..).unwrap_or_default().iter().zip(chars.get(run.end..).unwrap_or_default());
    let mut end = run.end;
    for (step, (kind, char)) in behind.enumerate() {
        match kind {
            Kind::Number => end = run.end + step + 1,
            Kind::Neutral if !char.is_whitespace() => {}
            _ => break,
        }
    }
    start..end
}

/// With the bracket beside a run whose other half is inside.
fn with_brackets(chars: &[char], run: Range<usize>) -> Range<usize> {
    let (mut open, mut closed) = (0_usize, 0_usize);
    for char in chars.get(run.clone()).unwrap_or_default() {
        if is_open(*char) {
            open += 1;
        } else if is_closed(*char) {
            match open.checked_sub(1) {
                Some(left) => open = left,
                None => closed += 1,
            }
        }
    }
    let beside = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied();
    let before = closed > 0 && beside(run.start.checked_sub(1)).is_some_and(is_open);
    let behind = open > 0 && beside(Some(run.end)).is_some_and(is_closed);
    run.start - usize::from(before)..run.end + usize::from(behind)
}

/// Writes characters from the last to the first. Numbers and what runs to the right stay as they are.
fn turn(chars: &[char], kinds: &[Kind], run: Range<usize>, text: &mut String) {
    let (chars, kinds) = (chars.get(run.clone()).unwrap_or_default(), kinds.get(run).unwrap_or_default());
    let keeps = |kind: Kind| matches!(kind, Kind::Left | Kind::Number);
    let mut end = chars.len();
    for piece in kinds.chunk_by(|a, b| a == b && keeps(*a)).rev() {
        let start = end - piece.len();
        let piece = chars.get(start..end).unwrap_or_default();
        match piece {
            // A bracket is shown the way it opens where the line runs to the left.
            [char] if !kinds.get(start).copied().is_some_and(keeps) => text.push(mirrored(*char)),
            _ => text.extend(piece),
        }
        end = start;
    }
}

fn kinds(chars: &[char]) -> Vec<Kind> {
    let is_digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|char| kind(*char) == Kind::Number);
    let one = |(at, char): (usize, &char)| {
        let (before, behind) = (is_digit(at.checked_sub(1)), is_digit(at.checked_add(1)));
        let of_number = match char {
            '.' | ',' | ':' | '/' | '-' | '+' | '\u{66B}' | '\u{66C}' => before && behind,
            '%' | '‰' | '°' | '#' | '$' | '€' | '£' | '¥' | '₪' | '\u{66A}' => before || behind,
            _ => false,
        };
        if of_number { Kind::Number } else { kind(*char) }
    };
    chars.iter().enumerate().map(one).collect()
}

fn kind(char: char) -> Kind {
    match (char, bidi_class(char)) {
        ('\t', _) => Kind::Tab,
        (_, BidiClass::EN | BidiClass::AN) => Kind::Number,
        (_, BidiClass::R | BidiClass::AL) => Kind::Right,
        // Points, accents and marks of the scripts above go with their letters.
        ('\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}', _) => Kind::Right,
        (_, BidiClass::L) => Kind::Left,
        (_, BidiClass::NSM) => Kind::Left,
        _ => Kind::Neutral,
    }
}

/// Brackets that are shown turned where text runs to the left.
const PAIRS: [(char, char); 6] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»'), ('‹', '›')];

fn is_open(char: char) -> bool {
    PAIRS.iter().any(|(open, _)| *open == char)
}

fn is_closed(char: char) -> bool {
    PAIRS.iter().any(|(_, closed)| *closed == char)
}

fn mirrored(char: char) -> char {
    match PAIRS.iter().find(|(open, closed)| [*open, *closed].contains(&char)) {
        Some((open, closed)) if *open == char => *closed,
        Some((open, _)) => *open,
        None => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text that runs to the left as it stands, so that the cases below read as they are written.
    fn back(text: &str) -> String {
        text.chars().rev().collect()
    }

    #[track_caller]
    fn check(shown: &str, expected: &str) {
        assert_eq!(as_read(shown.to_owned()), expected);
    }

    #[test]
    fn words_that_run_to_the_left_are_turned_inside_a_latin_line() {
        check(&format!("Invoice for {} dated today", back("שלום עולם")), "Invoice for שלום עולם dated today");
        check(&format!("He said {}, and left", back("مرحبا")), "He said مرحبا, and left");
        check(&format!("Pay {} at once", back("שלום 21 עולם")), "Pay שלום 12 עולם at once");
        check(&format!("one {} two {} three", back("שלום"), back("עולם")), "one שלום two עולם three");
        check(&format!("Name\t{}\t{}\tOffice", back("שלום"), back("עולם")), "Name\tשלום\tעולם\tOffice");
    }

    #[test]
    fn brackets_open_where_they_are_read() {
        check(&format!("Invoice ({}) dated", back("שלום עולם")), "Invoice (שלום עולם) dated");
        check(&format!("Invoice ({}) {} dated", back("עולם"), back("שלום")), "Invoice שלום (עולם) dated");
        check(&format!("({}) {}", back("עולם"), back("שלום")), "שלום (עולם)");
        check(&format!("[{}] {{{}}}", back("עולם"), back("שלום")), "{שלום} [עולם]");
    }

    #[test]
    fn latin_words_and_numbers_keep_their_order_in_a_line_that_runs_to_the_left() {
        let (first, last) = (back("החברה הגדולה"), back("נוסדה בעיר"));
        check(&format!("{last} Acme Trading Ltd {first}"), "החברה הגדולה Acme Trading Ltd נוסדה בעיר");
        check(&format!("{last} (Acme Ltd) {first}"), "החברה הגדולה (Acme Ltd) נוסדה בעיר");
        check(&format!("{last} Acme (UK) {first}"), "החברה הגדולה Acme (UK) נוסדה בעיר");
        check(&format!("{last} COVID-19 {first}"), "החברה הגדולה COVID-19 נוסדה בעיר");
        check(&format!(".{last} 1,250.50 {first}"), "החברה הגדולה 1,250.50 נוסדה בעיר.");
        check(&format!("{last} ,50% {first}"), "החברה הגדולה 50%, נוסדה בעיר");
    }

    #[test]
    fn lines_of_one_direction_stay_whole() {
        check("plain (text) 12", "plain (text) 12");
        check("١٢٣", "١٢٣");
        check(&back("שלום עולם"), "שלום עולם");
    }
}
