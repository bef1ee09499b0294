//! The difference of files that are not compared inside.

use super::change::Detail;
use crate::kind::FileKind;

/// What can be said about two versions without reading into them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueDiff {
    /// The old version; `None` if the file is new.
    pub old: Option<OpaqueSide>,
    /// The new version; `None` if the file is gone.
    pub new: Option<OpaqueSide>,
    /// Whether both versions have the same bytes.
    pub same_bytes: bool,
    /// What else is known: why nothing inside is compared, what the content says of itself.
    pub notes: Vec<String>,
    /// What a picture says of itself, where both sides say it differently.
    pub details: Vec<Detail>,
}

/// One version of a file that is not compared inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpaqueSide {
    /// What the content is.
    pub kind: FileKind,
    /// Bytes in the file.
    pub size: usize,
}

impl OpaqueDiff {
    /// The difference in one line of words.
    #[must_use]
    pub fn summary(&self) -> String {
        match (self.old, self.new) {
            (None, None) => "no file before or after".to_owned(),
            (None, Some(new)) => format!("file created: {}, {}", new.kind.words(), size(new.size)),
            (Some(old), None) => format!("file deleted: {}, {}", old.kind.words(), size(old.size)),
            _ if self.same_bytes => "no changes".to_owned(),
            (Some(old), Some(new)) => changed(old, new),
        }
    }
}

fn changed(old: OpaqueSide, new: OpaqueSide) -> String {
    let what = if old.kind == new.kind {
        format!("{} changed", new.kind.words())
    } else {
        format!("{} replaced by {}", old.kind.words(), new.kind.words())
    };
    if old.size == new.size {
        return format!("{what}, size still {}", size(new.size));
    }
    format!("{what}, {} before, {} after", size(old.size), size(new.size))
}

fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}
