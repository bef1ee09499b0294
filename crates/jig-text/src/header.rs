//! Whether the first record of a delimited text names its columns.

use std::collections::HashSet;

/// Columns that are looked at.
const COLUMNS: usize = 256;

/// Whether `first` names the columns of the records in `body`: names above values of another type, or texts that
/// differ from each other and from everything below them.
#[must_use]
pub fn is_header<S: AsRef<str>>(first: &[S], body: &[Vec<S>]) -> bool {
    let value = |row: &[S], column: usize| row.get(column).map_or("", |text| text.as_ref().trim()).to_owned();
    let width = body.iter().map(Vec::len).fold(first.len(), usize::max).min(COLUMNS);
    if body.is_empty() {
        return (0..width).all(|column| !value(first, column).is_empty() && !looks_typed(&value(first, column)));
    }
    let (mut speaks_for, mut against) = (0_usize, 0_usize);
    for column in 0..width {
        let below: Vec<String> =
            body.iter().map(|row| value(row, column)).filter(|text| !text.is_empty() && !is_nothing(text)).collect();
        let typed = below.iter().filter(|text| looks_typed(text)).count();
        let name = value(first, column);
        if typed * 2 <= below.len() || name.is_empty() || is_nothing(&name) {
            continue;
        }
        // Tables have columns called 2023 and 2024.
        let named = !looks_typed(&name) || (is_year(&name) && !below.iter().all(|text| is_year(text)));
        if named { speaks_for += 1 } else { against += 1 }
    }
    match (speaks_for, against) {
        (0, 0) => is_header_of_texts(first, body, width),
        (0, _) => false,
        _ => true,
    }
}

/// With text everywhere, names differ from each other and from what is below them. A number above texts is a name, as
/// in `district,2018`.
fn is_header_of_texts<S: AsRef<str>>(first: &[S], body: &[Vec<S>], width: usize) -> bool {
    let value = |row: &[S], column: usize| row.get(column).map_or("", |text| text.as_ref().trim()).to_owned();
    let (mut seen, mut words) = (HashSet::new(), 0_usize);
    for column in 0..width {
        let name = value(first, column);
        let typed = looks_typed(&name);
        words += usize::from(!typed);
        let trailing = name.is_empty() && column + 1 == width && width > 1;
        let repeats = |row: &Vec<S>| {
            let below = value(row, column);
            below == name || (typed && looks_typed(&below))
        };
        if !trailing && (name.is_empty() || !seen.insert(name.to_lowercase()) || body.iter().any(repeats)) {
            return false;
        }
    }
    words > 0
}

fn is_year(name: &str) -> bool {
    name.len() == 4 && name.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Texts that mean a missing value.
fn is_nothing(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "na" | "n/a" | "null" | "none" | "nan" | "-" | "\\n")
}

/// Whether a text is a number, a date, a time or a truth value.
fn looks_typed(text: &str) -> bool {
    if text.len() > 48 {
        return false;
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_sign = |c: char| ".,-+%€$£¥'\u{a0}\u{202f} ()/:TZeE".contains(c);
    let numeric = digits > 0 && text.chars().all(|c| c.is_ascii_digit() || is_sign(c));
    // `E5` is a name; an exponent or the `T` of a date follows a digit.
    let begins = text.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    (numeric && begins) || matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> bool {
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        is_header(&rows[0], &rows[1..])
    }

    #[test]
    fn names_stand_above_values_of_another_type() {
        assert!(told("day,amount\n1,20\n2,30"));
        assert!(told("region,2023,2024\nNorth,10,20\nSouth,30,40"));
        assert!(told("district,2018\nAK-1,R+15.21\nAL-1,R+29.5"));
        assert!(told("code,17\nx,alpha\ny,beta"));
        assert!(told("name,joined\nAda,2024-01-31\nBo,2024-02-01"));
        assert!(told("a,b,c\nx,y,z"));
        assert!(!told("1,20\n2,30"));
        assert!(!told("2019,2020\n2021,2022"));
        assert!(!told("North,10\nSouth,20"));
        assert!(!told("x,y\nx,z"));
        assert!(!told("a,a\nb,c"));
        assert!(!told("2024-01-01,5\n2024-01-02,6"));
    }
}
