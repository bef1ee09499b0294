//! Byte sizes with units.

/// Parses `25MiB`, `1.5 GB` or `1024`.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number = number.replace('_', "");
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        "t" | "tb" => 1_000_000_000_000,
        "tib" => 1 << 40,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let (whole, part) = number.split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    let tenths: u32 = u32::try_from(part.len()).ok()?;
    let part = part.parse::<u64>().ok()?.checked_mul(factor)? / 10_u64.checked_pow(tenths)?;
    whole.checked_mul(factor)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_never_overflow() {
        let table = [
            ("1024", Some(1_024)),
            ("25MiB", Some(26_214_400)),
            ("10 mb", Some(10_000_000)),
            ("1.5 GB", Some(1_500_000_000)),
            ("2GiB", Some(2_147_483_648)),
            ("1_000", Some(1_000)),
            ("", None),
            ("MiB", None),
            ("-1", None),
            ("1.2.3", None),
            ("12 parsecs", None),
            ("99999999999999TiB", None),
        ];
        for (text, bytes) in table {
            assert_eq!(parse(text), bytes, "{text}");
        }
    }
}
