//! A fake model over real HTTP on loopback, for tests only.
//!
//! [`FakeModel`] implements the formats of OpenAI (chat completions and responses), Anthropic, Google and Mistral: it
//! detects the format from the path of a request and answers in it, streaming or not. Its answers are scripted, one
//! [`Reply`] per request in order: an [`Answer`], a [`Refusal`], or any bytes, slow, truncated, malformed or huge.
//! Every request is recorded, so that a test can check what was sent, or that nothing was.

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
