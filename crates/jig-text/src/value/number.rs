//! Numbers with any separators, signs, currency or percent sign, parsed without rounding.

/// The decimal separator and the thousands separator of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberSeparators {
    /// `1234.5`
    Point,
    /// `1234,5`
    Comma,
    /// `1,234.5`
    PointComma,
    /// `1.234,5`
    CommaPoint,
    /// `1 234.5`
    PointSpace,
    /// `1 234,5`
    CommaSpace,
    /// `1'234.5`
    PointQuote,
}

impl NumberSeparators {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Point,
        Self::Comma,
        Self::PointComma,
        Self::CommaPoint,
        Self::PointSpace,
        Self::CommaSpace,
        Self::PointQuote,
    ];

    /// Its bit in a set of separators.
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    const fn decimal(self) -> char {
        match self {
            Self::Comma | Self::CommaPoint | Self::CommaSpace => ',',
            _ => '.',
        }
    }

    const fn is_thousands(self, c: char) -> bool {
        match self {
            Self::Point | Self::Comma => false,
            Self::PointComma => c == ',',
            Self::CommaPoint => c == '.',
            Self::PointSpace | Self::CommaSpace => matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'),
            Self::PointQuote => matches!(c, '\'' | '\u{2019}'),
        }
    }

    /// The separators in words; `None` for [`Point`](Self::Point).
    #[must_use]
    pub const fn description(self) -> Option<&'static str> {
        match self {
            Self::Point => None,
            Self::Comma => Some("decimal comma"),
            Self::PointComma => Some("thousands by comma"),
            Self::CommaPoint => Some("thousands by point, decimal comma"),
            Self::PointSpace => Some("thousands by space"),
            Self::CommaSpace => Some("thousands by space, decimal comma"),
            Self::PointQuote => Some("thousands by apostrophe"),
        }
    }
}

/// A number, exactly: `mantissa / 10^scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The digits without separators.
    pub mantissa: i128,
    /// How many digits are after the decimal separator.
    pub scale: u8,
    /// How many digits are before it; 0 for a lone zero.
    pub whole: u8,
}

/// A number split into its digits and what surrounds them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NumberParts<'a> {
    /// The digits with their separators.
    pub body: &'a str,
    /// Whether a minus sign or parentheses make it negative.
    pub negative: bool,
    /// Whether it is in parentheses, which make a number negative in accounting.
    pub parentheses: bool,
    /// The currency symbol or code.
    pub currency: Option<&'a str>,
    /// Whether a percent sign follows.
    pub percent: bool,
    /// Whether a plus sign precedes.
    pub plus: bool,
}

/// Currency symbols; `R$` before `$`, with which it ends.
const SYMBOLS: &[&str] = &["R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "฿", "₫", "₴", "₪", "zł", "kr"];
const CODES: &[&str] = &[
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "BRL", "MXN", "ZAR", "RUB", "TRY", "KRW", "SGD", "HKD", "THB", "ILS", "RON", "BGN", "UAH",
];

/// Numbers with more digits are not parsed, because they would have to be rounded.
pub const MAX_DIGITS: usize = 38;

/// A double holds at most this many digits.
const DOUBLE_DIGITS: usize = 17;

/// More digits after a plus sign are a telephone number.
pub const MAX_SIGNED_DIGITS: usize = 6;

/// Splits sign, currency and percent sign off. `None` if the rest does not start and end like a number.
#[must_use]
pub fn split_number(text: &str) -> Option<NumberParts<'_>> {
    let text = text.trim();
    let first = text.chars().next()?;
    let last = text.chars().next_back()?;
    if first.is_ascii_digit() && last.is_ascii_digit() {
        return Some(NumberParts { body: text, ..NumberParts::default() });
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut parts = NumberParts { body: text, ..NumberParts::default() };
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (parts.parentheses, parts.negative, parts.body) = (true, true, inner.trim());
    }
    sign(&mut parts)?;
    if let Some(rest) = parts.body.strip_suffix('%') {
        (parts.percent, parts.body) = (true, rest.trim_end());
    }
    currency(&mut parts);
    sign(&mut parts)?;
    let starts = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    (parts.body.starts_with(starts) && parts.body.ends_with(|c: char| c.is_ascii_digit())).then_some(parts)
}

/// Splits a sign off; `None` if there is a second one.
fn sign(parts: &mut NumberParts<'_>) -> Option<()> {
    let minus = |c: char| c == '-' || c == '\u{2212}';
    let signed = parts.negative || parts.plus;
    if let Some(rest) = parts.body.strip_prefix(minus) {
        (parts.negative, parts.body) = (true, rest.trim_start());
        return (!signed).then_some(());
    }
    if let Some(rest) = parts.body.strip_prefix('+') {
        (parts.plus, parts.body) = (true, rest);
        return (!signed).then_some(());
    }
    Some(())
}

/// Checks both ends, so that most texts are not compared with every symbol.
fn may_have_currency(body: &str) -> bool {
    let may = |c: char, small: &[char]| !c.is_ascii() || c.is_ascii_uppercase() || c == '$' || small.contains(&c);
    body.starts_with(|c| may(c, &['z', 'k'])) || body.ends_with(|c| may(c, &['r']))
}

fn currency<'a>(parts: &mut NumberParts<'a>) {
    let body = parts.body;
    if !may_have_currency(body) {
        return;
    }
    for symbol in SYMBOLS.iter().chain(CODES) {
        let rest = if let Some(rest) = body.strip_prefix(symbol) {
            rest.trim_start()
        } else if let Some(rest) = body.strip_suffix(symbol) {
            rest.trim_end()
        } else {
            continue;
        };
        parts.currency = Some(symbol);
        parts.body = rest;
        return;
    }
}

/// Parses digits with these separators. Digits with leading zeros are not a number but an identifier.
#[must_use]
pub fn parse_digits(body: &str, separators: NumberSeparators) -> Option<Number> {
    if separators == NumberSeparators::Point {
        return parse_plain(body.as_bytes());
    }
    let mut mantissa: i128 = 0;
    let (mut whole, mut scale, mut written) = (0usize, 0usize, 0usize);
    let (mut after, mut since_group, mut groups) = (false, 0usize, 0usize);
    let mut separator = None;
    for c in body.chars() {
        if let Some(digit) = c.to_digit(10) {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit))?;
            written += 1;
            if after {
                scale += 1;
            } else {
                since_group += 1;
                whole += usize::from(mantissa != 0);
                if since_group > 3 && groups > 0 {
                    return None;
                }
                if written == 2 && mantissa < 10 {
                    return None;
                }
            }
        } else if !after && c == separators.decimal() {
            if groups > 0 && since_group != 3 {
                return None;
            }
            after = true;
        } else if !after && separators.is_thousands(c) {
            let fits = if groups == 0 { (1..=3).contains(&since_group) && mantissa != 0 } else { since_group == 3 };
            if !fits || separator.is_some_and(|first| first != c) {
                return None;
            }
            separator = Some(c);
            groups += 1;
            since_group = 0;
        } else {
            return None;
        }
    }
    if !after && groups > 0 && since_group != 3 {
        return None;
    }
    if written == 0 || whole + scale > MAX_DIGITS || (after && scale == 0) {
        return None;
    }
    Some(Number { mantissa, scale: scale as u8, whole: whole as u8 })
}

/// The maximum number of digits of a [`parse_short`] number.
pub const SHORT_DIGITS: u32 = 18;

/// Parses the most common form of a number fast: an optional minus sign and at most [`SHORT_DIGITS`] digits with at most
/// one decimal point. Returns the digits as an integer and how many are after the point; `None` for all other text.
#[inline]
#[must_use]
pub fn parse_short(text: &[u8]) -> Option<(i64, u8)> {
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if body.len() > SHORT_DIGITS as usize + 1 {
        return None;
    }
    let (mut value, mut point) = (0_i64, body.len());
    for (at, byte) in body.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            // The length check allows one digit too many (in place of a point); the check below rejects it.
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        } else if *byte == b'.' && point == body.len() {
            point = at;
        } else {
            return None;
        }
    }
    let after = body.len().saturating_sub(point + 1);
    let pointed = point < body.len();
    let odd = body.is_empty() || (pointed && after == 0) || (!pointed && body.len() > SHORT_DIGITS as usize);
    if odd || (point > 1 && body.first() == Some(&b'0')) {
        return None;
    }
    Some((if negative { -value } else { value }, after as u8))
}

/// Parses a number of at most eight bytes with exactly `scale` digits after its decimal point: all bytes at once, because
/// a loop would mispredict a branch for each number's sign and length. The text is the last `length` of the bytes.
/// Returns the digits as an integer; `None` for all other text.
#[inline]
#[must_use]
pub fn parse_eight_bytes(eight: [u8; 8], length: u32, scale: u32) -> Option<i64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0xf0 * ONES;
    /// There must be room for the point and a digit before it.
    const MOST_SCALE: u32 = 6;
    if length == 0 || length > 8 || scale > MOST_SCALE {
        return None;
    }
    // The first character is the lowest byte. Everything before the digits is replaced by the digit 0.
    let written = u64::from_le_bytes(eight);
    let before = 64 - 8 * length;
    let negative = (written >> before) as u8 == b'-';
    let zeros = ((1 << before) - 1) | ((u64::from(negative) * 0xff) << before);
    let word = (written & !zeros) | ((u64::from(b'0') * ONES) & zeros);
    // Remove the point: the characters before it move by one byte, and a 0 fills the gap in front.
    let (digits, pointed) = if scale == 0 {
        (word, true)
    } else {
        let at = 56 - 8 * scale;
        let whole = word & ((1 << at) - 1);
        ((word >> (at + 8) << (at + 8)) | (whole << 8) | u64::from(b'0'), (word >> at) as u8 == b'.')
    };
    // The high half of a digit's byte is 3, and stays 3 when 6 is added.
    let is_digits = (digits & HIGH) | ((digits.wrapping_add(6 * ONES) & HIGH) >> 4) == 0x33 * ONES;
    let marks = u32::from(negative) + if scale == 0 { 0 } else { scale + 1 };
    let first = (written >> before >> (8 * u32::from(negative))) as u8;
    // At least one digit and no leading zeros.
    let odd = length <= marks || (first == b'0' && length > marks + 1);
    if odd | !is_digits | !pointed {
        return None;
    }
    // Combine neighbouring digits to pairs, pairs to fours and fours to eight digits, each with one multiplication.
    let pairs = (digits & (0x0f * ONES)).wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65_536 + 1) >> 16;
    let value = ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * (1 << 32) + 1) >> 32) as i64;
    Some(if negative { -value } else { value })
}

/// Parses digits with at most one decimal point.
#[must_use]
pub fn parse_plain(body: &[u8]) -> Option<Number> {
    let point = body.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        None => (body, &[][..]),
        Some(at) => (body.get(..at)?, body.get(at + 1..)?),
    };
    if (point.is_some() && fraction.is_empty()) || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return None;
    }
    if whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    let significant = if whole == b"0" { 0 } else { whole.len() };
    let mantissa = if whole.len() + fraction.len() <= 18 {
        let small = fold_small(fraction, fold_small(whole, 0)?)?;
        i128::from(small)
    } else {
        fold(fraction, fold(whole, 0)?)?
    };
    Some(Number { mantissa, scale: fraction.len() as u8, whole: significant as u8 })
}

fn fold_small(digits: &[u8], start: i64) -> Option<i64> {
    let mut value = start;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // At most 18 digits: no overflow.
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

fn fold(digits: &[u8], start: i128) -> Option<i128> {
    digits.iter().try_fold(start, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(i128::from(digit)) }
    })
}

/// Parses a number with an exponent whose digits all fit a double.
#[must_use]
pub fn parse_scientific(text: &str) -> Option<f64> {
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let mantissa_digits = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa_digits.split_once('.').unwrap_or((mantissa_digits, "0"));
    if !all_digits(exponent_digits)
        || !all_digits(whole)
        || !all_digits(fraction)
        || whole.len() + fraction.len() > DOUBLE_DIGITS
    {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Parses a number with or without an exponent whose digits all fit a double.
#[must_use]
pub fn parse_double(text: &str) -> Option<f64> {
    if let Some(value) = parse_scientific(text) {
        return Some(value);
    }
    let parts = split_number(text)?;
    let is_telephone = parts.plus && parts.body.len() > MAX_SIGNED_DIGITS;
    let is_plain = !parts.percent && !parts.parentheses && !is_telephone && parts.currency.is_none();
    let number = parse_plain(parts.body.as_bytes()).filter(|_| is_plain)?;
    if usize::from(number.whole) + usize::from(number.scale) > DOUBLE_DIGITS {
        return None;
    }
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests;
