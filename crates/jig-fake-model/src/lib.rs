//! A stand-in for a model, over real HTTP on loopback. For tests only.
//!
//! [`FakeModel`] speaks the formats of OpenAI (chat completions and responses), Anthropic, Google and Mistral as their
//! servers do: it looks at the path of a request and answers in that format, streaming or not. What it says is scripted, one [`Reply`] for each request, in order: an [`Answer`], a [`Refusal`], or bytes of any kind, slow, cut
//! off, malformed or huge. Every request is kept, so that a test can say what was sent, or that nothing was.

mod answer;
mod body;
mod chat;
mod format;
mod gemini;
mod messages;
mod refusal;
mod reply;
mod responses;
mod server;

pub use answer::{Answer, Call, Stop, Tokens};
pub use format::Format;
pub use refusal::Refusal;
pub use reply::{Habits, Piece, Reply};
pub use server::{FakeModel, Recorded};
