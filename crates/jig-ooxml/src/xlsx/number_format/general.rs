//! `General`: as many digits as eleven characters hold.

use super::decimal::Decimal;

/// A number as `General` shows it in a column that is wide enough.
pub fn general(value: f64) -> String {
    if !value.is_finite() {
        return "#NUM!".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1e11 {
        return (value as i64).to_string();
    }
    let plain = value.to_string();
    if is_short(&plain) {
        return plain;
    }
    let decimal = Decimal::of(value);
    if decimal.is_zero() {
        return "0".to_owned();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let shown = match decimal.point {
        12.. => exponential(&decimal),
        // Below 0.0001 only what fits exactly is written out.
        ..=-4 if !fits(&decimal, 9) => exponential(&decimal),
        point => fixed(&decimal, if point <= 1 { 9 } else { (10 - point).max(0) }),
    };
    format!("{sign}{shown}")
}

/// Whether a number that is written out in full has so few digits that `General` shows all of them. Most
/// numbers do, and to round them would take many times longer.
pub(crate) fn is_short(plain: &str) -> bool {
    let digits = plain.strip_prefix('-').unwrap_or(plain);
    match digits.split_once('.') {
        Some((whole, behind)) if whole.len() <= 1 => behind.len() <= 9,
        Some((whole, behind)) => whole.len() + behind.len() <= 10,
        None => digits.len() <= 11,
    }
}

fn fits(decimal: &Decimal, places: i32) -> bool {
    let mut rounded = decimal.clone();
    rounded.round(places);
    rounded == *decimal
}

fn fixed(decimal: &Decimal, places: i32) -> String {
    let mut decimal = decimal.clone();
    decimal.round(places);
    let whole = decimal.whole();
    let whole = if whole.is_empty() { "0" } else { &whole };
    let behind = decimal.behind(places.max(0) as usize);
    let behind = behind.trim_end_matches('0');
    if behind.is_empty() { whole.to_owned() } else { format!("{whole}.{behind}") }
}

fn exponential(decimal: &Decimal) -> String {
    let mut decimal = decimal.clone();
    let mut exponent = decimal.point - 1;
    decimal.shift(-exponent);
    decimal.round(5);
    if decimal.point > 1 {
        exponent += 1;
        decimal.shift(-1);
    }
    let (whole, behind) = (decimal.whole(), decimal.behind(5));
    let behind = behind.trim_end_matches('0');
    let point = if behind.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{whole}{point}{behind}E{sign}{:02}", exponent.abs())
}
