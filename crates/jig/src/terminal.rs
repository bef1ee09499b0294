//! Terminal output: what is printed, where, and in which style.

use std::io::{self, BufRead, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use jig_contract::OpError;
use serde_json::Value;

use crate::show;

/// A heading, or the important part of a line.
pub(crate) const STRONG: Style = Style::new().bold();
/// Secondary information.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Added, or successful.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Removed, or failed.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Highlighted.
pub(crate) const MARK: Style = AnsiColor::Cyan.on_default();

/// The output options of the user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) color: ColorChoice,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Terminal {
    /// Whether output goes to a person.
    pub(crate) fn shows_output(self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether results are coloured; otherwise, text markers are used.
    pub(crate) fn paints(self) -> bool {
        let out = io::stdout();
        let choice = match self.choice(out.is_terminal()) {
            ColorChoice::Auto => AutoStream::choice(&out),
            choice => choice,
        };
        choice != ColorChoice::Never
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(self) -> bool {
        !self.json && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whether to show the progress of long operations.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet && !self.json && io::stderr().is_terminal()
    }

    /// Prints a result to standard output.
    pub(crate) fn print(self, text: &str) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.choice(io::stdout().is_terminal()));
        out.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Prints a JSON document: indented for a person, on one line for a program.
    pub(crate) fn print_json(self, value: &Value) -> io::Result<()> {
        let text = if self.shows_output() { format!("{value:#}") } else { value.to_string() };
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// Prints a note to standard error, unless `--quiet` is set.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet && !self.json {
            self.say(&format!("{FAINT}{text}{FAINT:#}"));
        }
    }

    /// Prints a message to standard error, even with `--quiet`.
    pub(crate) fn say(self, text: &str) {
        let mut err = AutoStream::new(io::stderr().lock(), self.choice(io::stderr().is_terminal()));
        // If standard error is closed, there is nowhere to report it.
        let _ = writeln!(err, "{text}");
    }

    /// Prints an error with its hints.
    pub(crate) fn fail(self, error: &OpError) {
        if self.json {
            let info = serde_json::to_string(&error.info).unwrap_or_default();
            let _ = writeln!(io::stderr().lock(), "{info}");
            return;
        }
        let strong = BAD.bold();
        let mut text = format!("{strong}error[{}]{strong:#}: {}", error.code(), plain(&error.info.message));
        if !error.info.suggestions.is_empty() {
            let suggestions: Vec<String> = error.info.suggestions.iter().map(|s| format!("`{}`", plain(s))).collect();
            text.push_str(&format!("\n{MARK}hint{MARK:#}: did you mean {}?", suggestions.join(" or ")));
        }
        for line in show::details(&error.info) {
            text.push_str(&format!("\n{line}"));
        }
        for hint in &error.info.hints {
            text.push_str(&format!("\n{MARK}hint{MARK:#}: {}", plain(hint)));
        }
        self.say(&text);
    }

    /// Asks a yes/no question; anything but "yes" counts as "no".
    pub(crate) fn ask(self, question: &str) -> io::Result<bool> {
        let mut err = AutoStream::new(io::stderr().lock(), self.choice(io::stderr().is_terminal()));
        write!(err, "{question} [y/N] ")?;
        err.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks for one of several letters. Returns the first letter of the answer, or `n`.
    pub(crate) fn choose(self, question: &str) -> io::Result<char> {
        let mut err = AutoStream::new(io::stderr().lock(), self.choice(io::stderr().is_terminal()));
        write!(err, "{question}")?;
        err.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer.trim().to_lowercase().chars().next().unwrap_or('n'))
    }

    fn choice(self, terminal: bool) -> ColorChoice {
        match self.color {
            ColorChoice::Auto if !terminal => ColorChoice::Never,
            choice => choice,
        }
    }
}

/// Text from a file or a name, with terminal control characters removed.
pub(crate) fn plain(text: &str) -> String {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    let escape = |c: char| -> String {
        if c.is_control() && c != '\n' && c != '\t' { c.escape_default().collect() } else { c.to_string() }
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_steer_the_terminal() {
        assert_eq!(plain("a\tb\nc"), "a\tb\nc");
        assert_eq!(plain("\u{1b}[31mred\r"), "\\u{1b}[31mred\\r");
    }
}
