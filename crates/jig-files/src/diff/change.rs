//! One change of a file that is compared inside, with an address that names what it is.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::words::Word;

/// Texts of a change are cut here; the cut is said.
const TEXT_MAX: usize = 16 << 10;
/// Changes of one file that are listed one by one; the rest are counted.
pub(super) const LIST_MAX: usize = 20_000;
/// The change that all rows of a table share when they stand in another order: its address, and what changed.
pub(super) const ROW_ORDER: &str = "row order";

/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its content is another.
    Changed,
    /// It stands elsewhere, its content is the same.
    Moved,
    /// Its content is the same and looks another.
    Formatted,
    /// It has another name.
    Renamed,
    /// A formula that is the same gives another value.
    Recalculated,
}

impl ChangeKind {
    /// The word for summaries.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Formatted => "reformatted",
            Self::Renamed => "renamed",
            Self::Recalculated => "recalculated",
        }
    }
}

/// A property before and after.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Detail {
    /// Which property.
    pub name: String,
    /// Before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// After.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Detail {
    pub(super) fn new(name: impl Into<String>, before: impl Into<String>, after: impl Into<String>) -> Self {
        let some = |text: String| (!text.is_empty()).then(|| cut(&text));
        Self { name: name.into(), before: some(before.into()), after: some(after.into()) }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its address, unique in its diff: `Budget!B3`, `section 2, paragraph 14`, `slide 3`.
    pub id: String,
    /// What happened.
    pub kind: ChangeKind,
    /// To what: `cell`, `row`, `paragraph`, `slide`.
    pub what: &'static str,
    /// Its content before, as a person reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its content after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The text with the words that went and came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// Formula, format, place: what else differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// Why it cannot be taken back by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// How it is taken back.
    #[serde(skip)]
    pub(super) undo: Undo,
}

/// How a change is taken back in the new file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Undo {
    /// Not by itself; `fixed` says why.
    #[default]
    None,
    /// By other markup in places of the new file.
    Splices(Vec<Splice>),
    /// By other markup for all children of this name of a sheet.
    Frame { part: String, name: String, markup: String },
    /// By the old bytes of a part.
    Part { name: String },
    /// By ops on the new file, in the order of their rank: the highest goes first.
    Ops { rank: u64, ops: Vec<Value> },
    /// By the values and formats that cells had.
    Cells(Vec<CellUndo>),
    /// By a row put back or taken out.
    Row(Box<RowUndo>),
    /// By a slide put behind another one, or first; its part comes from the old file when it is gone.
    Slide { part: String, behind: Option<String> },
    /// By records in the place of others: ranges of the old text for a range of the new one.
    Records { old: Range<usize>, new: Range<usize> },
    /// With what it follows from.
    Follows,
}

/// Other markup in the place of a range of a part of the new file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Splice {
    pub(super) part: String,
    pub(super) range: Range<usize>,
    pub(super) markup: String,
}

/// A cell to put back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellUndo {
    /// The sheet's name in the new file and in the old one.
    pub(super) sheets: (String, String),
    /// Where it is now, and where it was.
    pub(super) at: (u32, u32),
    pub(super) old_row: u32,
    /// As `set_cells` takes it; none when the content is the same.
    pub(super) cell: Option<Value>,
    /// Whether its format is put back.
    pub(super) style: bool,
}

/// A row to put back, or to take out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowUndo {
    pub(super) sheets: (String, String),
    /// Where it stands in the new file, or where it is to be put.
    pub(super) at: u32,
    /// The row of the old file; none when the row is to go.
    pub(super) old: Option<(u32, Vec<Value>)>,
}

impl Change {
    pub(super) fn new(id: impl Into<String>, kind: ChangeKind, what: &'static str) -> Self {
        Self {
            id: id.into(),
            kind,
            what,
            before: None,
            after: None,
            words: Vec::new(),
            details: Vec::new(),
            fixed: None,
            undo: Undo::None,
        }
    }

    #[must_use]
    pub(super) fn texts(mut self, before: Option<&str>, after: Option<&str>) -> Self {
        self.before = before.map(cut);
        self.after = after.map(cut);
        self
    }

    #[must_use]
    pub(super) fn words(mut self, before: &str, after: &str) -> Self {
        self.words = super::words::words(&cut(before), &cut(after));
        self
    }

    #[must_use]
    pub(super) fn detail(mut self, detail: Detail) -> Self {
        // A property that is equal on both sides is not a difference.
        if detail.before != detail.after {
            self.details.push(detail);
        }
        self
    }

    #[must_use]
    pub(super) fn undone_by(mut self, undo: Undo) -> Self {
        self.undo = undo;
        self.fixed = None;
        self
    }

    /// Can be taken back with the whole file only.
    #[must_use]
    pub(super) fn fixed(mut self, why: impl Into<String>) -> Self {
        self.fixed = Some(why.into());
        self.undo = Undo::None;
        self
    }

    /// What the change says, as a number: the same id with the same mark is the same change.
    pub fn mark(&self) -> String {
        let said = serde_json::to_vec(self).unwrap_or_default();
        blake3::hash(&said).to_hex().chars().take(16).collect()
    }

    /// Where it stands among others: content first, then values that follow from it, then formats and layout, then
    /// parts that a reader does not see as text.
    pub(super) fn rank(&self) -> usize {
        match (self.kind, self.what) {
            (ChangeKind::Recalculated, _) => 1,
            (ChangeKind::Formatted, _) => 2,
            (_, "layout" | "page setup" | "style" | "sheet visibility") => 2,
            (
                _,
                "theme"
                | "slide layout"
                | "list definitions"
                | "styles"
                | "part"
                | "custom data"
                | "drawing"
                | "link to another file"
                | "diagram",
            ) => 3,
            _ => 0,
        }
    }

    /// About how much room it takes in an answer.
    pub(super) fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let details = |detail: &Detail| 40 + detail.name.len() + text(&detail.before) + text(&detail.after);
        let words: usize = self.words.iter().map(|word| 30 + word.text.len()).sum();
        120 + text(&self.before) + text(&self.after) + words + self.details.iter().map(details).sum::<usize>()
    }
}

/// Changes that belong together: those of a sheet, a section, a slide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// What they belong to.
    pub title: String,
    /// In the order of the file.
    pub changes: Vec<Change>,
}

/// A text short enough to show; what is left out is said.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_owned();
    }
    let end = (0..=TEXT_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (kept, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    format!("{kept}… ({} more characters)", rest.chars().count())
}

/// A count with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, noun) => format!("1 {noun}"),
        (number, "property") => format!("{number} properties"),
        (number, noun) if noun.ends_with(" text") => format!("{number} {noun}s"),
        (number, noun) if noun.ends_with('s') => format!("{number} {noun}"),
        (number, noun) => format!("{number} {noun}s"),
    }
}
