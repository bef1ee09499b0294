//! What the file system says of a file without opening it, and when that may be trusted.

/// A file's mark: a file that still has it was not written to, unless it was marked too soon after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Size in bytes.
    pub bytes: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// Last change of content, name or rights, in nanoseconds since 1970; `modified` where the system has no such time.
    pub changed: i64,
    /// The number of the file in its file system; the time of its creation where files have none.
    pub inode: u64,
}

/// Clocks of file systems move in steps of some milliseconds. A write in the same step as the mark
/// leaves the mark as it is, so a mark this young is not believed the next time.
const YOUNG: i64 = 50_000_000;

impl Mark {
    /// Whether a write could have come, or still come, within the same step of the clock.
    ///
    /// `now` is the file system's own time, read before the mark was taken.
    pub(super) fn is_young(&self, now: i64) -> bool {
        self.modified.max(self.changed) >= now.saturating_sub(YOUNG)
    }
}

/// What stands at a place in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    /// A plain file.
    File(Mark),
    /// A folder.
    Folder,
    /// Neither, in words.
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
