//! What the model says, before it is put into a format.

use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What it thinks first.
    pub reasoning: String,
    /// What it says. Streams send it in several pieces.
    pub text: String,
    /// What it wants to be called.
    pub calls: Vec<Call>,
    /// Why it ends.
    pub stop: Stop,
    /// What it cost.
    pub tokens: Tokens,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON text, so that they can be broken.
    pub arguments: String,
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// All was said; or tools are to be called, when there are calls.
    Natural,
    /// The limit on tokens.
    Length,
    /// A refusal.
    Refusal,
    /// A reason that no client knows.
    Unknown,
}

/// Tokens as each format counts them: `input` is all that went in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// All input.
    pub input: u64,
    /// Of it from the cache.
    pub cached: u64,
    /// All output.
    pub output: u64,
    /// Of it reasoning.
    pub reasoning: u64,
}

impl Answer {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Self {
        let tokens = Tokens { input: 100, cached: 40, output: 20, reasoning: 5 };
        Self { reasoning: String::new(), text: text.into(), calls: Vec::new(), stop: Stop::Natural, tokens }
    }

    /// An answer that calls a tool.
    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::text("").and_call(id, name, &arguments.to_string())
    }

    /// The same with one more call, whose arguments are any text.
    #[must_use]
    pub fn and_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push(Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() });
        self
    }

    /// The same with thoughts before it.
    #[must_use]
    pub fn thinking(mut self, reasoning: &str) -> Self {
        reasoning.clone_into(&mut self.reasoning);
        self
    }

    /// The same with another end.
    #[must_use]
    pub fn ending(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// The arguments of a call as JSON; as a string when they are none.
    pub(crate) fn arguments(call: &Call) -> Value {
        serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()))
    }
}

/// A text in about this many pieces, cut between characters.
pub(crate) fn pieces(text: &str, count: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = chars.len().div_ceil(count.max(1)).max(1);
    chars.chunks(size).map(|chunk| chunk.iter().collect()).collect()
}
