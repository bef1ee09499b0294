//! The content of an answer, independent of the wire format.

use serde_json::Value;

/// An answer of the fake model.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The reasoning before the answer.
    pub reasoning: String,
    /// The text. Streams send it in several chunks.
    pub text: String,
    /// The tool calls.
    pub calls: Vec<Call>,
    /// Why it stops.
    pub stop: Stop,
    /// The reported usage.
    pub tokens: Tokens,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON text, which a test may malform.
    pub arguments: String,
}

/// The stop reason of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The answer is complete, or waits for tool results if there are calls.
    Natural,
    /// The output limit.
    Length,
    /// A refusal.
    Refusal,
    /// A reason that no client knows.
    Unknown,
}

/// Token usage as each format reports it; `input` is the total input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// All input.
    pub input: u64,
    /// The part of the input read from the cache.
    pub cached: u64,
    /// All output.
    pub output: u64,
    /// The part of the output that is reasoning.
    pub reasoning: u64,
}

impl Answer {
    /// An answer with text.
    pub fn text(text: impl Into<String>) -> Self {
        let tokens = Tokens { input: 100, cached: 40, output: 20, reasoning: 5 };
        Self { reasoning: String::new(), text: text.into(), calls: Vec::new(), stop: Stop::Natural, tokens }
    }

    /// An answer that calls a tool.
    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::text("").and_call(id, name, &arguments.to_string())
    }

    /// Adds a call with any text as arguments.
    #[must_use]
    pub fn and_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push(Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() });
        self
    }

    /// Adds reasoning.
    #[must_use]
    pub fn thinking(mut self, reasoning: &str) -> Self {
        reasoning.clone_into(&mut self.reasoning);
        self
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn ending(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// The arguments of a call as JSON; as a string if they are invalid.
    pub(crate) fn arguments(call: &Call) -> Value {
        serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()))
    }
}

/// A text in about this many chunks, cut between characters.
pub(crate) fn pieces(text: &str, count: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = chars.len().div_ceil(count.max(1)).max(1);
    chars.chunks(size).map(|chunk| chunk.iter().collect()).collect()
}
