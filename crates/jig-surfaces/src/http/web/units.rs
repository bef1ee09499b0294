//! Human-readable sizes, counts and times.

use jig_contract::{Actor, Timestamp};
use maud::{Markup, html};

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
pub(super) fn count(number: u64, one: &str) -> String {
    if number == 1 {
        return format!("1 {one}");
    }
    let many = one.strip_suffix('y').map_or_else(|| format!("{one}s"), |stem| format!("{stem}ies"));
    format!("{} {many}", grouped(number))
}

/// `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share between 0 and 1 as a percentage. Rounded down, so that 100 means all.
pub(super) fn percent(share: f64) -> u64 {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 100")]
    let whole = (share * 100.0).floor() as u64;
    whole
}

/// A relative time, with the absolute time for machines and as a tooltip.
pub(super) fn when(then: Timestamp, now: Timestamp) -> Markup {
    let moment = then.to_string();
    let exact: String = moment.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect();
    html! { time datetime=(moment) title={ (exact) " UTC" } { (ago(then, now)) } }
}

fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(then) / 1_000;
    let (number, unit) = match seconds {
        ..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        86_400..2_592_000 => (seconds / 86_400, "day"),
        _ => return then.to_string().chars().take(10).collect(),
    };
    let number = u64::try_from(number).unwrap_or_default();
    if number == 1 { format!("1 {unit} ago") } else { format!("{number} {unit}s ago") }
}

/// A short name for an actor.
pub(super) fn who(actor: &Actor) -> String {
    match actor {
        Actor::Person { name: Some(name) } => name.clone(),
        Actor::Person { name: None } => "you".to_owned(),
        Actor::Agent { name: Some(name), .. } => format!("agent {name}"),
        Actor::Agent { name: None, .. } => "an agent".to_owned(),
        Actor::System => "Jig".to_owned(),
        Actor::Outside => "by hand, in the folder".to_owned(),
    }
}

/// A text on one line, truncated.
pub(super) fn short(text: &str, most: usize) -> String {
    let mut line = text.split_whitespace();
    let mut shown = String::new();
    for word in &mut line {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(word);
        if shown.chars().count() > most {
            let cut: String = shown.chars().take(most).collect();
            return format!("{}…", cut.trim_end());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((bytes(999), bytes(1_234), bytes(25_000_000)), ("999 B".into(), "1.2 kB".into(), "25.0 MB".into()));
        assert_eq!((count(1, "entry"), count(1_200, "entry")), ("1 entry".into(), "1,200 entries".into()));
        assert_eq!((percent(0.999), percent(1.0), percent(f64::NAN)), (99, 100, 0));
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(short("one\n two", 20), "one two");
        assert_eq!(short(&"ü".repeat(30), 10), format!("{}…", "ü".repeat(10)));
    }
}
