//! Formats of list numbers.

/// A number format. The other formats of the standard are written as decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 1, 2, 3.
    Decimal,
    /// 01, 02, 10.
    DecimalZero,
    /// With leading zeros up to a length: 001, 002.
    Padded(usize),
    /// I, II, III.
    UpperRoman,
    /// i, ii, iii.
    LowerRoman,
    /// A, B, …, Z, AA, BB.
    UpperLetter,
    /// a, b, …, z, aa, bb.
    LowerLetter,
    /// А, Б, В.
    UpperRussian,
    /// а, б, в.
    LowerRussian,
    /// 1st, 2nd, 3rd.
    Ordinal,
    /// ①, ②, ③.
    Circle,
    /// - 1 -.
    Dashes,
    /// 一, 二, 三.
    Ideograph,
    /// A bullet instead of a number.
    Bullet,
    /// Nothing.
    None,
}

/// Beyond this many letters a number is written as a decimal.
const LONGEST: i64 = 30;

impl Format {
    /// The format with a name in the file.
    pub fn named(name: &str) -> Self {
        match name {
            "decimalZero" => Self::DecimalZero,
            "upperRoman" => Self::UpperRoman,
            "lowerRoman" => Self::LowerRoman,
            "upperLetter" => Self::UpperLetter,
            "lowerLetter" => Self::LowerLetter,
            "russianUpper" => Self::UpperRussian,
            "russianLower" => Self::LowerRussian,
            "ordinal" => Self::Ordinal,
            "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => Self::Circle,
            "numberInDash" => Self::Dashes,
            "chineseCounting"
            | "chineseCountingThousand"
            | "japaneseCounting"
            | "taiwaneseCounting"
            | "taiwaneseCountingThousand"
            | "ideographDigital"
            | "koreanCounting" => Self::Ideograph,
            "bullet" => Self::Bullet,
            "none" => Self::None,
            _ => Self::Decimal,
        }
    }

    /// A number in this format.
    pub fn write(self, number: i64) -> String {
        let special = match self {
            Self::Decimal => None,
            Self::DecimalZero => Some(format!("{number:02}")),
            Self::Padded(length) => Some(format!("{number:0length$}")),
            Self::UpperRoman => roman(number),
            Self::LowerRoman => roman(number).map(|text| text.to_lowercase()),
            Self::UpperLetter => letters(number, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            Self::LowerLetter => letters(number, "abcdefghijklmnopqrstuvwxyz"),
            Self::UpperRussian => letters(number, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"),
            Self::LowerRussian => letters(number, "абвгдежзиклмнопрстуфхцчшщэюя"),
            Self::Ordinal => Some(ordinal(number)),
            Self::Circle => circle(number),
            Self::Dashes => Some(format!("- {number} -")),
            Self::Ideograph => ideograph(number),
            Self::Bullet | Self::None => Some(String::new()),
        };
        special.unwrap_or_else(|| number.to_string())
    }
}

fn roman(number: i64) -> Option<String> {
    const SIGNS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut rest = number;
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while rest >= value {
            out.push_str(sign);
            rest -= value;
        }
    }
    Some(out)
}

/// Letters, doubled after the last one: z, aa, bb.
fn letters(number: i64, alphabet: &str) -> Option<String> {
    let count = i64::try_from(alphabet.chars().count()).ok()?;
    if !(1..=count * LONGEST).contains(&number) {
        return None;
    }
    let (times, at) = ((number - 1) / count + 1, (number - 1) % count);
    let letter = alphabet.chars().nth(usize::try_from(at).ok()?)?;
    Some(std::iter::repeat_n(letter, usize::try_from(times).ok()?).collect())
}

fn ordinal(number: i64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn circle(number: i64) -> Option<String> {
    let offset = u32::try_from(number).ok().filter(|number| (1..=20).contains(number))?;
    char::from_u32('①' as u32 + offset - 1).map(String::from)
}

fn ideograph(number: i64) -> Option<String> {
    let digit = |digit: i64| "零一二三四五六七八九".chars().nth(usize::try_from(digit).ok()?);
    let (tens, ones) = (number / 10, number % 10);
    if !(1..100).contains(&number) {
        return None;
    }
    let mut out = String::new();
    if tens > 1 {
        out.push(digit(tens)?);
    }
    if tens > 0 {
        out.push('十');
    }
    if ones > 0 {
        out.push(digit(ones)?);
    }
    Some(out)
}
