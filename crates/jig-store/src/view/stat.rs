//! File marks: what the file system reports about a file without opening it, and when that is reliable.

/// A file's mark. A file with the same mark was not written to, unless the mark was taken too soon after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Size in bytes.
    pub bytes: u64,
    /// The modification time in nanoseconds since 1970.
    pub modified: i64,
    /// The time of the last change of content, name or permissions, in nanoseconds since 1970; `modified` if the system
    /// has none.
    pub changed: i64,
    /// The inode number; the creation time on systems without inode numbers.
    pub inode: u64,
}

/// File system clocks advance in steps of some milliseconds. A write in the same step does not change the mark, so a
/// mark this young is not relied on.
const YOUNG: i64 = 50_000_000;

impl Mark {
    /// Whether a write may have happened, or may still happen, within the same clock step.
    ///
    /// `now` is the file system's time, read before the mark was taken.
    pub(super) fn is_young(&self, now: i64) -> bool {
        self.modified.max(self.changed) >= now.saturating_sub(YOUNG)
    }
}

/// What is at a path in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    /// A regular file.
    File(Mark),
    /// A folder.
    Folder,
    /// Anything else, with its description.
    Other(&'static str),
}

/// A time in nanoseconds since 1970.
pub(super) fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_young_for_fifty_milliseconds_after_content_or_name_changed() {
        let now = 10_000_000_000;
        let mark = |modified, changed| Mark { bytes: 1, modified, changed, inode: 1 };
        let old = now - YOUNG - 1;
        assert!(!mark(old, old).is_young(now));
        assert!(mark(now - YOUNG, old).is_young(now));
        assert!(mark(old, now - YOUNG).is_young(now));
        assert!(mark(now + YOUNG, old).is_young(now), "a date in the future proves nothing");
    }

    #[test]
    fn dates_out_of_range_do_not_overflow() {
        assert_eq!(nanos(i64::MAX, 5), i64::MAX);
        assert_eq!(nanos(i64::MIN, 0), i64::MIN);
    }
}
