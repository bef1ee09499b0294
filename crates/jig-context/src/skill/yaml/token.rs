//! The tokens of the scanner.

/// The kind of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Start,
    End,
    /// `...`
    DocumentEnd,
    ListStart,
    MapStart,
    BlockEnd,
    /// `-`
    Entry,
    /// `?`, or the position before an implicit key.
    Key,
    /// `:`
    Value,
    /// A text, and whether it was plain (neither quoted nor a block).
    Scalar {
        text: String,
        plain: bool,
    },
    Comment,
}

/// The comments attached to a token. Only their position matters: two in the same position are an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Notes {
    pub(super) after: bool,
    pub(super) before: bool,
}

/// A token with its position.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) column: isize,
    pub(super) end_line: usize,
    pub(super) notes: Option<Notes>,
}

impl Token {
    /// Attaches a comment after this token.
    pub(super) fn add_after(&mut self) {
        self.notes.get_or_insert_default().after = true;
    }

    /// Attaches comments before this token; false if it already has some.
    pub(super) fn add_before(&mut self) -> bool {
        let notes = self.notes.get_or_insert_default();
        !std::mem::replace(&mut notes.before, true)
    }

    /// Attaches the comments of another token; false if this one already has some.
    pub(super) fn hand_on(&mut self, notes: Notes) -> bool {
        let Some(own) = &mut self.notes else {
            self.notes = Some(notes);
            return true;
        };
        if notes.after && own.after || notes.before && own.before {
            return false;
        }
        own.after |= notes.after;
        own.before |= notes.before;
        true
    }
}
