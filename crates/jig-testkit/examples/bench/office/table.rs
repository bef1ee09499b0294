//! Table rows that compare Jig with another tool, with the ratio and the target.

use super::jig::Measured;
use crate::figures::milliseconds;

/// The target of a row.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// At least this many times faster.
    Times(f64),
    /// At most this multiple of the other tool's time.
    Within(f64),
    /// None; only for comparison.
    None,
}

impl Target {
    fn words(self, ratio: f64) -> String {
        let verdict = |met: bool| if met { "met" } else { "**missed**" };
        match self {
            Self::Times(times) => format!("≥ {times}×, {}", verdict(ratio >= times)),
            Self::Within(times) => format!("≥ {:.2}×, {}", 1.0 / times, verdict(ratio * times >= 1.0)),
            Self::None => String::new(),
        }
    }
}

pub(crate) fn head() {
    println!("| work | Jig | peer | its time | Jig is faster | target | Jig's memory | its memory |");
    println!("|---|---:|---|---:|---:|---|---:|---:|");
}

pub(crate) fn print_row(words: &str, jig: &Measured, name: &str, peer: &Measured, target: Target) {
    let (ours, theirs) = (jig.median(), peer.median());
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!(
        "| {words} | {} | {name} | {} | {ratio:.1}× | {} | {} | {} |",
        milliseconds(ours),
        milliseconds(theirs),
        target.words(ratio),
        memory(jig),
        memory(peer),
    );
}

fn memory(measured: &Measured) -> String {
    match measured.memory_kib {
        0 => String::new(),
        kib => (kib / 1_024).to_string(),
    }
}
