//! Human-readable numbers.

/// A size: `812 bytes`, `24 KB`, `1.2 MB`, in decimal units.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")];
    for (unit, name) in UNITS {
        if bytes < unit {
            continue;
        }
        let tenths = bytes / (unit / 10);
        return if tenths < 100 && !tenths.is_multiple_of(10) {
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        } else {
            format!("{} {name}", tenths / 10)
        };
    }
    count(bytes, "byte", "bytes")
}

/// `1 file`, `1,200 files`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1 KB"),
            (1_250, "1.2 KB"),
            (24_576, "24 KB"),
            (999_999, "999 KB"),
            (1_200_000, "1.2 MB"),
            (3_000_000_000, "3 GB"),
        ] {
            assert_eq!(size(bytes), words);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
