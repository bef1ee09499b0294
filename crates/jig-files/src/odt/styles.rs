//! How lists and headings are numbered.

use std::collections::HashMap;

use jig_ooxml::docx::numbering::Format;
use jig_ooxml::xml::{Node, Tree};

use super::namespaces::{OFFICE, STYLE, TEXT};

/// The styles of lists by name, and that of headings.
#[derive(Debug, Default)]
pub(super) struct Styles {
    lists: HashMap<String, Vec<Option<Level>>>,
    pub(super) outline: Vec<Option<Level>>,
}

/// How one level of a list is numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) format: Format,
    prefix: String,
    suffix: String,
    /// How many levels the number shows.
    shown: usize,
    pub(super) start: i64,
}

/// Levels that a list has at most.
const LEVELS: usize = 10;

impl Styles {
    pub(super) fn read(trees: &[&Tree<'_>]) -> Self {
        let mut styles = Self::default();
        for tree in trees {
            let groups =
                tree.root().elements().filter(|node| node.is(OFFICE, "styles") || node.is(OFFICE, "automatic-styles"));
            for style in groups.flat_map(|group| group.elements().collect::<Vec<_>>()) {
                if style.is(TEXT, "list-style") {
                    let name = style.attr_ns(STYLE, "name").unwrap_or_default().into_owned();
                    styles.lists.insert(name, levels(style));
                } else if style.is(TEXT, "outline-style") {
                    styles.outline = levels(style);
                }
            }
        }
        styles
    }

    /// The levels of a list's style.
    pub(super) fn list(&self, name: &str) -> &[Option<Level>] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}

fn levels(style: Node<'_>) -> Vec<Option<Level>> {
    let mut levels = vec![None; LEVELS];
    for node in style.elements() {
        let number = |name: &str| node.attr_ns(TEXT, name).and_then(|text| text.trim().parse::<usize>().ok());
        let Some(at) = number("level").and_then(|level| level.checked_sub(1)) else { continue };
        let Some(place) = levels.get_mut(at) else { continue };
        let text = |name: &str| node.attr_ns(STYLE, name).unwrap_or_default().into_owned();
        let numbered = matches!(node.local(), "list-level-style-number" | "outline-level-style");
        let format = if numbered { format(&text("num-format")) } else { Format::Bullet };
        *place = Some(Level {
            format,
            prefix: text("num-prefix"),
            suffix: text("num-suffix"),
            shown: number("display-levels").unwrap_or(1).clamp(1, LEVELS),
            start: number("start-value").and_then(|start| i64::try_from(start).ok()).unwrap_or(1),
        });
    }
    levels
}

fn format(name: &str) -> Format {
    match name {
        "" => Format::None,
        "a" => Format::LowerLetter,
        "A" => Format::UpperLetter,
        "i" => Format::LowerRoman,
        "I" => Format::UpperRoman,
        "一, 二, 三, ..." => Format::Ideograph,
        "①, ②, ③, ..." => Format::Circle,
        _ => Format::Decimal,
    }
}

/// The label at the last of some counters, or none for what has no number.
pub(super) fn label(levels: &[Option<Level>], counters: &[i64]) -> Option<String> {
    let at = counters.len().checked_sub(1)?;
    let level = levels.get(at)?.as_ref()?;
    if matches!(level.format, Format::None | Format::Bullet) {
        return None;
    }
    let first = (at + 1).saturating_sub(level.shown);
    let numbers = counters.iter().enumerate().skip(first).filter_map(|(at, number)| {
        let format = levels.get(at)?.as_ref()?.format;
        let numbered = !matches!(format, Format::None | Format::Bullet);
        numbered.then(|| format.write(*number))
    });
    let numbers: Vec<String> = numbers.collect();
    Some(format!("{}{}{}", level.prefix, numbers.join("."), level.suffix).trim().to_owned())
}
