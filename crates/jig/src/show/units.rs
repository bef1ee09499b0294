//! Human-readable sizes, counts and times.

use jig_contract::Timestamp;

/// `1.2 kB`.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1_000 {
        return format!("{count} B");
    }
    let (mut unit, mut size) = (0, 1_000_u128);
    let tenths = |size: u128| (u128::from(count) * 10 + size / 2) / size;
    while tenths(size) >= 10_000 && unit + 1 < UNITS.len() {
        unit += 1;
        size *= 1_000;
    }
    format!("{}.{} {}", tenths(size) / 10, tenths(size) % 10, UNITS[unit])
}

/// `1 file`, `3 files`.
pub(crate) fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// `5 minutes ago`, or the date if it is long ago.
pub(super) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(then) / 1_000;
    let (number, unit) = match seconds {
        ..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        86_400..2_592_000 => (seconds / 86_400, "day"),
        _ => return then.to_string().chars().take(10).collect(),
    };
    format!("{} ago", count(u64::try_from(number).unwrap_or_default(), unit))
}

/// `2026-11-15T09:30:00.000Z` → `2026-11-15 09:30`.
pub(crate) fn minute(moment: &str) -> String {
    moment.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_that_reads_best() {
        let table = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (1_234, "1.2 kB"),
            (999_949, "999.9 kB"),
            (999_999, "1.0 MB"),
            (25_000_000, "25.0 MB"),
            (2_147_483_648, "2.1 GB"),
        ];
        for (number, text) in table {
            assert_eq!(bytes(number), text);
        }
        assert!(bytes(u64::MAX).ends_with(" TB"));
    }

    #[test]
    fn times_are_told_from_now_and_never_from_the_future() {
        let at = |seconds: i64| Timestamp::from_millis(1_763_199_000_000 + seconds * 1_000);
        let table = [
            (0, "just now"),
            (-5, "just now"),
            (61, "1 minute ago"),
            (7_200, "2 hours ago"),
            (86_400 * 3, "3 days ago"),
            (86_400 * 40, "2025-11-15"),
        ];
        for (passed, text) in table {
            assert_eq!(ago(at(0), at(passed)), text, "{passed}");
        }
        assert_eq!(minute("2026-11-15T09:30:00.000Z"), "2026-11-15 09:30");
    }
}
