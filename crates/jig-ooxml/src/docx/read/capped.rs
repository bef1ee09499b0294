//! Lists in results end somewhere, and say so: a small file can hold millions of empty things.

/// Sections, tables, images or styles in one result.
pub(super) const MOST: usize = 10_000;

/// What a list may hold, with a warning when there is more.
pub(super) fn capped<T>(items: impl Iterator<Item = T>, what: &str, warnings: &mut Vec<String>) -> Vec<T> {
    let mut items = items.fuse();
    let kept: Vec<T> = items.by_ref().take(MOST).collect();
    let more = items.count();
    if more > 0 {
        warnings.push(format!("{more} more {what} are not listed; the first {MOST} are"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_said() {
        let mut warnings = Vec::new();
        assert_eq!(capped(0..3, "things", &mut warnings), [0, 1, 2]);
        assert!(warnings.is_empty());
        assert_eq!(capped(0..MOST + 2, "things", &mut warnings).len(), MOST);
        assert_eq!(warnings, ["2 more things are not listed; the first 10000 are"]);
    }
}
