//! What is a number, and what only looks like one.

use super::*;

fn under(text: &str) -> Vec<(NumberSeparators, i128, u8)> {
    let parts = split_number(text);
    let Some(parts) = parts else { return Vec::new() };
    let fits = NumberSeparators::ALL
        .into_iter()
        .filter_map(|separators| parse_digits(parts.body, separators).map(|number| (separators, number)));
    fits.map(|(separators, number)| {
        (separators, if parts.negative { -number.mantissa } else { number.mantissa }, number.scale)
    })
    .collect()
}

#[test]
fn one_mark_decides_what_digits_mean() {
    assert_eq!(under("1,234.50"), [(NumberSeparators::PointComma, 123_450, 2)]);
    assert_eq!(under("1.234,50"), [(NumberSeparators::CommaPoint, 123_450, 2)]);
    assert_eq!(under("1 234,50"), [(NumberSeparators::CommaSpace, 123_450, 2)]);
    assert_eq!(under("1'234.50"), [(NumberSeparators::PointQuote, 123_450, 2)]);
    assert_eq!(
        under("1,234"),
        [
            (NumberSeparators::Comma, 1_234, 3),
            (NumberSeparators::PointComma, 1_234, 0),
            (NumberSeparators::CommaPoint, 1_234, 3),
            (NumberSeparators::CommaSpace, 1_234, 3),
        ]
    );
    assert_eq!(under("(1,234.50)"), [(NumberSeparators::PointComma, -123_450, 2)]);
    assert_eq!(under("-$12.50").first(), Some(&(NumberSeparators::Point, -1_250, 2)));
    assert_eq!(under("12,50 €").first(), Some(&(NumberSeparators::Comma, 1_250, 2)));
}

#[test]
fn names_made_of_digits_are_not_numbers() {
    for text in ["007", "00", "01.5", "1,23,456.7", "1.", "", "-", "--5", "1 2 3", "12a", "1.2.3", "0,123,456"] {
        assert_eq!(under(text), [], "{text}");
    }
}

#[test]
fn digits_are_kept_to_the_last() {
    let long = "12345678901234567890123456.789012345678";
    let number = parse_plain(long.as_bytes()).unwrap();
    assert_eq!(
        (number.mantissa, number.scale, number.whole),
        (12_345_678_901_234_567_890_123_456_789_012_345_678, 12, 26)
    );
    assert_eq!(parse_plain("1".repeat(39).as_bytes()), None);
}

#[test]
fn exponents_are_read_when_a_double_can_hold_the_digits() {
    assert_eq!(parse_scientific("1.5e3"), Some(1500.0));
    assert_eq!(parse_scientific("-2E-4"), Some(-0.0002));
    assert_eq!(parse_scientific("1e400"), None);
    assert_eq!(parse_scientific("12345678901234567890e1"), None);
    assert_eq!(parse_scientific("e5"), None);
}

#[test]
fn a_short_number_is_what_any_number_is() {
    let pieces = ["", "-", "0", "7", ".", "12", "345678", "999999999", ",", " ", "+", "e"];
    for seed in 0..pieces.len().pow(4) {
        let text: String = (0..4).map(|at| pieces[seed / pieces.len().pow(at) % pieces.len()]).collect();
        let body = text.strip_prefix('-').unwrap_or(&text);
        let long = parse_plain(body.as_bytes()).map(|number| {
            let sign = if body.len() < text.len() { -1 } else { 1 };
            (sign * number.mantissa, number.scale)
        });
        if let Some((mantissa, scale)) = parse_short(text.as_bytes()) {
            assert_eq!(long, Some((i128::from(mantissa), scale)), "{text}");
        } else {
            let digits = body.bytes().filter(u8::is_ascii_digit).count();
            assert!(long.is_none() || digits > SHORT_DIGITS as usize, "{text}");
        }
    }
}

#[test]
fn every_currency_is_seen_at_either_end() {
    for symbol in SYMBOLS.iter().chain(CODES) {
        for text in
            [format!("{symbol}12.5"), format!("{symbol} 12.5"), format!("12.5{symbol}"), format!("-12.5 {symbol}")]
        {
            let parts = split_number(&text);
            assert_eq!(parts.map(|parts| (parts.body, parts.currency)), Some(("12.5", Some(*symbol))), "{text}");
        }
    }
    assert_eq!(split_number("result margin 97"), None);
    assert_eq!(split_number("kr"), None);
}

/// What is read at once is what is read one by one, whatever stands before it in the file.
#[test]
fn a_short_text_is_the_same_number_read_either_way() {
    let letters = b"0123459.-+, \x00\xff/:";
    let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 1..=4_usize {
        let all = (0..letters.len().pow(length as u32)).map(|number| {
            let place = |at: usize| letters[number / letters.len().pow(at as u32) % letters.len()];
            (0..length).map(place).collect()
        });
        texts.extend(all);
    }
    for whole in ["", "0", "-", "-0", "7", "-12", "1234", "00012", "-99999", "1234567", "99999999", "-9999999"] {
        for fraction in ["", ".", ".0", ".5", ".05", ".125", ".000001", ".123456", ".1234567", ".1.2", ".-1"] {
            texts.push(format!("{whole}{fraction}").into_bytes());
        }
    }
    let mut numbers = 0;
    for text in texts.iter().filter(|text| text.len() <= 8) {
        for before in [b"00000000", b"-1234.67", b",,,,,,,,", b"\xff\xff\xff\xff\xff\xff\xff\xff"] {
            let line = [&before[..], text].concat();
            for scale in 0..8_u8 {
                let read = parse_eight_bytes(*line.last_chunk().unwrap(), text.len() as u32, u32::from(scale));
                let wanted = parse_short(text).filter(|(_, digits)| *digits == scale).map(|(mantissa, _)| mantissa);
                // Without a digit before its point it is left to the other way.
                let left = text.starts_with(b".") || text.starts_with(b"-.");
                assert_eq!(read, wanted.filter(|_| !left && scale <= 6), "{:?}", text.escape_ascii().to_string());
                numbers += u32::from(read.is_some());
            }
        }
    }
    assert!(numbers > 1_000, "{numbers}");
}
