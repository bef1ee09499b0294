//! What the scanner makes of characters.

/// What a token is.
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
    /// `?`, or the place before a key that has none.
    Key,
    /// `:`
    Value,
    /// A text, and whether it stood there without quotes or a block sign.
    Scalar {
        text: String,
        plain: bool,
    },
    Comment,
}

/// Which comments hang on a token. Only where they are matters: two in the same place are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Notes {
    pub(super) after: bool,
    pub(super) before: bool,
}

/// A token with its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) column: isize,
    pub(super) end_line: usize,
    pub(super) notes: Option<Notes>,
}

impl Token {
    /// A comment comes after this one.
    pub(super) fn add_after(&mut self) {
        self.notes.get_or_insert_default().after = true;
    }

    /// Comments come before this one; false if there are such already.
    pub(super) fn add_before(&mut self) -> bool {
        let notes = self.notes.get_or_insert_default();
        !std::mem::replace(&mut notes.before, true)
    }

    /// Hands comments on to this token; false if it has such already.
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
