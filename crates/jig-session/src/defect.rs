//! Model answers that cannot count as finished, and how the model is asked again.

use jig_contract::Code;

use crate::tool::Answer;

/// How often in a row an answer may be unusable before the run is paused: one retry.
pub(crate) const UNUSABLE_MAX: u32 = 2;

/// Why an answer without tool calls does not end a phase or an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// It contains no text.
    Empty,
    /// It was cut off at the output limit.
    Length,
    /// The model's window is full.
    WindowFull,
    /// The model refused, or a content filter stopped it.
    Refusal,
    /// It stopped to call a tool, but contains no call.
    MissingCall,
    /// It contained a tool call that the provider could not parse.
    MalformedCall,
    /// It stopped for an unknown reason.
    UnknownStop,
}

impl Defect {
    /// The defect of an answer. An answer with tool calls has none: their results decide what happens next.
    pub fn of(answer: &Answer) -> Option<Self> {
        if answer.calls().next().is_some() {
            return None;
        }
        match answer.stop.as_str() {
            "end_turn" => answer.text().trim().is_empty().then_some(Self::Empty),
            "tool_use" => Some(Self::MissingCall),
            "max_tokens" => Some(Self::Length),
            "window_full" => Some(Self::WindowFull),
            "refusal" => Some(Self::Refusal),
            "malformed_call" => Some(Self::MalformedCall),
            _ => Some(Self::UnknownStop),
        }
    }

    /// Whether a retry can help. If the context window is full, the same request would fail again.
    pub(crate) fn may_retry(self) -> bool {
        self != Self::WindowFull
    }

    /// The instruction that is added to the retry.
    pub(crate) const fn note(self) -> &'static str {
        match self {
            Self::Empty => "Your last answer was empty. Call a tool, or answer in words.",
            Self::Length => {
                "Your last answer reached the output limit and was cut off. Continue exactly where it stopped, without \
                 repeating anything; if a tool call was cut off, make it again with less content per call."
            }
            Self::WindowFull => "The context window is full.",
            Self::Refusal => {
                "Your last answer was withheld by a refusal or a content filter. Do what is possible of the task; if \
                 nothing is, say in one sentence why."
            }
            Self::MissingCall => {
                "Your last answer announced a tool call but contained none. Make the call, or answer in words."
            }
            Self::MalformedCall => {
                "Your last tool call could not be read. Call the tool again, with arguments as one JSON object that fits \
                 its schema."
            }
            Self::UnknownStop => "Your last answer ended for an unknown reason. Give the complete answer again.",
        }
    }

    /// The code and the reason for pausing the run.
    pub(crate) fn reason(self, answer: &Answer) -> (Code, String) {
        let what = match self {
            Self::Empty => "the model's answer was empty",
            Self::Length => "the model's answer reached the output limit before it was complete",
            Self::WindowFull => {
                let full = "the model's context window is full, so its answer is not complete";
                return (Code::ContextExhausted, full.to_owned());
            }
            Self::Refusal => "the model refused, or a content filter stopped its answer",
            Self::MissingCall => "the model announced a tool call and made none",
            Self::MalformedCall => "the model wrote a tool call that its provider could not read",
            Self::UnknownStop => "the model's answer ended for an unknown reason",
        };
        let said = answer.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = said.chars().take(SAID_MAX).collect();
        let said = if said.is_empty() || self == Self::Length { String::new() } else { format!("; it said: {said}") };
        (Code::ModelAnswerUnusable, format!("{what}; it was asked {UNUSABLE_MAX} times{said}"))
    }
}

/// How many characters of an unusable answer the reason quotes.
const SAID_MAX: usize = 120;

/// Joins a cut-off answer and its continuation. If the model started over instead, `rest` replaces `partial`.
pub(crate) fn joined(partial: &str, rest: &str) -> String {
    let start: String = partial.trim_start().chars().take(RESTART).collect();
    if start.chars().count() == RESTART && rest.trim_start().starts_with(&start) {
        return rest.to_owned();
    }
    format!("{partial}{rest}")
}

/// An equal beginning of this many characters means that the model started over.
const RESTART: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continuation_is_appended_and_a_restart_replaces() {
        assert_eq!(joined("- [ ] one\n- [ ] t", "wo\n"), "- [ ] one\n- [ ] two\n");
        let begin = "# Plan for the quarterly report\n- [ ] on";
        assert_eq!(
            joined(begin, "# Plan for the quarterly report\n- [ ] one\n"),
            "# Plan for the quarterly report\n- [ ] one\n"
        );
        assert_eq!(joined("", "all"), "all");
    }
}
