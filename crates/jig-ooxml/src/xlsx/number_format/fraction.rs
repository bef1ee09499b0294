//! Numbers as fractions: `# ?/?`, `# ??/??`, `# ?/8`.

use super::section::Token;

/// A number in a section with a stroke.
pub(super) fn fraction(tokens: &[Token], value: f64) -> String {
    let stroke = tokens.iter().position(|token| *token == Token::Stroke).unwrap_or(tokens.len());
    let (left, right) = tokens.split_at(stroke);
    let right = right.get(1..).unwrap_or_default();
    // Digits before a gap are the whole part; those next to the stroke are above it.
    let above = left.iter().rev().skip_while(|token| !digit(token)).take_while(|token| digit(token)).count();
    let above_start = left.iter().rposition(digit).map_or(0, |last| last + 1 - above.min(last + 1));
    let whole_tokens = left.get(..above_start).unwrap_or_default();
    let has_whole = whole_tokens.iter().any(digit);
    let amount = value.abs();
    let whole = if has_whole { amount.trunc() } else { 0.0 };
    let (mut top, bottom) = ratio(amount - whole, right);
    let mut whole = whole;
    if has_whole && top >= bottom {
        whole += 1.0;
        top -= bottom;
    }
    let sign = if value < 0.0 && (whole > 0.0 || top > 0) { "-" } else { "" };
    let mut out = sign.to_owned();
    if has_whole {
        let shown = super::number::plain(whole_tokens, whole);
        out.push_str(if whole == 0.0 && top > 0 { shown.trim_start_matches('0') } else { &shown });
        if whole == 0.0 && top == 0 && !shown.contains('0') {
            out.push('0');
        }
    }
    let width = right.iter().filter(|token| digit(token)).count();
    if has_whole && top == 0 {
        return out.trim().to_owned();
    }
    out.push_str(&format!("{top:>above$}/{bottom:<width$}"));
    out.extend(right.iter().filter_map(|token| match token {
        Token::Literal(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => Some(text.as_str()),
        _ => None,
    }));
    out.trim().to_owned()
}

fn digit(token: &Token) -> bool {
    matches!(token, Token::Digit(_))
}

/// The nearest fraction whose lower number has as many digits as there are places, or is the one given.
fn ratio(part: f64, right: &[Token]) -> (u64, u64) {
    if let Some(fixed) = given(right) {
        return ((part * fixed as f64).round() as u64, fixed);
    }
    let places = right.iter().filter(|token| digit(token)).count().clamp(1, 7);
    nearest(part, 10_u64.pow(places as u32) - 1)
}

/// A lower number written out, such as the 8 of `?/8`.
fn given(right: &[Token]) -> Option<u64> {
    let mut text = String::new();
    for token in right {
        match token {
            Token::Literal(literal) => text.push_str(literal),
            Token::Digit(c) if *c == '0' && !text.is_empty() => text.push('0'),
            _ => {}
        }
    }
    text.trim().parse().ok().filter(|number| (1..=1_000_000_000).contains(number))
}

/// The last step of its continued fraction with a lower number of at most `most`: what Excel takes.
fn nearest(part: f64, most: u64) -> (u64, u64) {
    let (mut before, mut now) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = part;
    // Numbers too large for a step are shown over 1.
    while rest.floor() <= 1e9 {
        let whole = rest.floor();
        let step = whole as u64;
        let follow = |now: u64, before: u64| step.saturating_mul(now).saturating_add(before);
        let next = (follow(now.0, before.0), follow(now.1, before.1));
        if next.1 > most {
            break;
        }
        (before, now) = (now, next);
        let left = rest - whole;
        if left < 1e-11 {
            break;
        }
        rest = 1.0 / left;
    }
    if now.1 == 0 { (part as u64, 1) } else { now }
}
