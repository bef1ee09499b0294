//! Numbers in the ways people write them, read without any rounding.

/// How the digits of a number are set: the mark before decimals, and the mark between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Marks {
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

impl Marks {
    pub(crate) const ALL: [Self; 7] = [
        Self::Point,
        Self::Comma,
        Self::PointComma,
        Self::CommaPoint,
        Self::PointSpace,
        Self::CommaSpace,
        Self::PointQuote,
    ];

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    const fn decimal(self) -> char {
        match self {
            Self::Comma | Self::CommaPoint | Self::CommaSpace => ',',
            _ => '.',
        }
    }

    const fn is_group(self, c: char) -> bool {
        match self {
            Self::Point | Self::Comma => false,
            Self::PointComma => c == ',',
            Self::CommaPoint => c == '.',
            Self::PointSpace | Self::CommaSpace => matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'),
            Self::PointQuote => matches!(c, '\'' | '\u{2019}'),
        }
    }

    /// How the marks are told, when they are not the plain ones.
    pub(crate) const fn note(self) -> Option<&'static str> {
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
pub(crate) struct Number {
    pub(crate) mantissa: i128,
    /// Digits after the mark.
    pub(crate) scale: u8,
    /// Digits before it, without leading zeros.
    pub(crate) whole: u8,
}

/// What stands around the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dress<'a> {
    /// The digits with their marks.
    pub(crate) body: &'a str,
    pub(crate) negative: bool,
    /// Negative by parentheses, as accountants write.
    pub(crate) parens: bool,
    pub(crate) currency: Option<&'a str>,
    pub(crate) percent: bool,
    pub(crate) plus: bool,
}

/// `R$` before the `$` that it ends with.
const SYMBOLS: &[&str] = &["R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "฿", "₫", "₴", "₪", "zł", "kr"];
const CODES: &[&str] = &[
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "BRL", "MXN", "ZAR", "RUB", "TRY", "KRW", "SGD", "HKD", "THB", "ILS", "RON", "BGN", "UAH",
];

/// The most digits that are read exactly.
pub(crate) const MOST_DIGITS: usize = 38;

/// Takes signs, currency and percent off. None when what is left cannot be digits.
pub(crate) fn undress(text: &str) -> Option<Dress<'_>> {
    let text = text.trim();
    let first = text.chars().next()?;
    let last = text.chars().next_back()?;
    if first.is_ascii_digit() && last.is_ascii_digit() {
        return Some(Dress { body: text, negative: false, parens: false, currency: None, percent: false, plus: false });
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut dress = Dress { body: text, negative: false, parens: false, currency: None, percent: false, plus: false };
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (dress.parens, dress.negative, dress.body) = (true, true, inner.trim());
    }
    sign(&mut dress)?;
    if let Some(rest) = dress.body.strip_suffix('%') {
        (dress.percent, dress.body) = (true, rest.trim_end());
    }
    currency(&mut dress);
    sign(&mut dress)?;
    let starts = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    (dress.body.starts_with(starts) && dress.body.ends_with(|c: char| c.is_ascii_digit())).then_some(dress)
}

/// Takes a sign off; none when there are two.
fn sign(dress: &mut Dress<'_>) -> Option<()> {
    let minus = |c: char| c == '-' || c == '\u{2212}';
    let signed = dress.negative || dress.plus;
    if let Some(rest) = dress.body.strip_prefix(minus) {
        (dress.negative, dress.body) = (true, rest.trim_start());
        return (!signed).then_some(());
    }
    if let Some(rest) = dress.body.strip_prefix('+') {
        (dress.plus, dress.body) = (true, rest);
        return (!signed).then_some(());
    }
    Some(())
}

/// A look at both ends, which spares most words of a text the look at every symbol.
fn may_have_currency(body: &str) -> bool {
    let may = |c: char, small: &[char]| !c.is_ascii() || c.is_ascii_uppercase() || c == '$' || small.contains(&c);
    body.starts_with(|c| may(c, &['z', 'k'])) || body.ends_with(|c| may(c, &['r']))
}

fn currency<'a>(dress: &mut Dress<'a>) {
    let body = dress.body;
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
        dress.currency = Some(symbol);
        dress.body = rest;
        return;
    }
}

/// The digits of a number, set by these marks. Leading zeros make it none: such a text is a name, not a number.
pub(crate) fn digits(body: &str, marks: Marks) -> Option<Number> {
    if marks == Marks::Point {
        return plain(body.as_bytes());
    }
    let mut mantissa: i128 = 0;
    let (mut whole, mut scale, mut written) = (0usize, 0usize, 0usize);
    let (mut after, mut since_group, mut groups) = (false, 0usize, 0usize);
    let mut group_mark = None;
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
        } else if !after && c == marks.decimal() {
            if groups > 0 && since_group != 3 {
                return None;
            }
            after = true;
        } else if !after && marks.is_group(c) {
            let fits = if groups == 0 { (1..=3).contains(&since_group) && mantissa != 0 } else { since_group == 3 };
            if !fits || group_mark.is_some_and(|mark| mark != c) {
                return None;
            }
            group_mark = Some(c);
            groups += 1;
            since_group = 0;
        } else {
            return None;
        }
    }
    if !after && groups > 0 && since_group != 3 {
        return None;
    }
    if written == 0 || whole + scale > MOST_DIGITS || (after && scale == 0) {
        return None;
    }
    Some(Number { mantissa, scale: scale as u8, whole: whole as u8 })
}

/// The most digits of a [`short`] number.
pub(crate) const SHORT_DIGITS: u32 = 18;

/// The usual number, with the digits after its point: a minus or none, and as many digits as always fit. None for any
/// other text, number or not.
#[inline]
pub(crate) fn short(text: &[u8]) -> Option<(i64, u8)> {
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
            // One digit more than fit can come before the end shows that there are too many.
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

/// The mantissa of a usual number, at most eight bytes long, with so many digits after its point: all at once, because
/// a loop would stumble over each one's sign and length. None for any other text, number or not. The text is the last
/// `length` of these bytes.
#[inline]
pub(crate) fn shortest(eight: [u8; 8], length: u32, scale: u32) -> Option<i64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0xf0 * ONES;
    /// A digit and the point must fit as well.
    const MOST_SCALE: u32 = 6;
    if length == 0 || length > 8 || scale > MOST_SCALE {
        return None;
    }
    // The first byte is the lowest. What stands before the digits becomes zeros.
    let written = u64::from_le_bytes(eight);
    let before = 64 - 8 * length;
    let negative = (written >> before) as u8 == b'-';
    let zeros = ((1 << before) - 1) | ((u64::from(negative) * 0xff) << before);
    let word = (written & !zeros) | ((u64::from(b'0') * ONES) & zeros);
    // The point goes out, and what stands before it moves up by a byte.
    let (digits, pointed) = if scale == 0 {
        (word, true)
    } else {
        let at = 56 - 8 * scale;
        let whole = word & ((1 << at) - 1);
        ((word >> (at + 8) << (at + 8)) | (whole << 8) | u64::from(b'0'), (word >> at) as u8 == b'.')
    };
    // A digit's high half is three, and stays so when six is added.
    let is_digits = (digits & HIGH) | ((digits.wrapping_add(6 * ONES) & HIGH) >> 4) == 0x33 * ONES;
    let marks = u32::from(negative) + if scale == 0 { 0 } else { scale + 1 };
    let first = (written >> before >> (8 * u32::from(negative))) as u8;
    // At least one digit, and none that is a zero before others.
    let odd = length <= marks || (first == b'0' && length > marks + 1);
    if odd | !is_digits | !pointed {
        return None;
    }
    let pairs = (digits & (0x0f * ONES)).wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65_536 + 1) >> 16;
    let value = ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * (1 << 32) + 1) >> 32) as i64;
    Some(if negative { -value } else { value })
}

/// The common case: digits with at most one point.
pub(crate) fn plain(body: &[u8]) -> Option<Number> {
    let point = body.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        None => (body, &[][..]),
        Some(at) => (body.get(..at)?, body.get(at + 1..)?),
    };
    if (point.is_some() && fraction.is_empty()) || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return None;
    }
    if whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > MOST_DIGITS {
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
        // At most 18 digits come here: no overflow.
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

/// A number with an exponent, when a double holds all its digits.
pub(crate) fn scientific(text: &str) -> Option<f64> {
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let mantissa_digits = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa_digits.split_once('.').unwrap_or((mantissa_digits, "0"));
    if !all_digits(exponent_digits) || !all_digits(whole) || !all_digits(fraction) || whole.len() + fraction.len() > 17
    {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests;
