//! Model providers behind one trait, with a scripted one for tests and an offline one that needs no key.
//!
//! Invariants:
//! - a provider sends exactly the request it was given;
//! - nothing is sent without a permit, which proves that consent was given;
//! - keys have a type that prints `***`; they appear in no error, log or record;
//! - every error has a code of the contract and states whether a retry can help.
//!
//! [`Providers`] is the set of providers of a program; its [`Gate`] creates the permits without which no call is made.
//! A model is opened by its id, [`Provider::prepare`] returns the exact bytes, [`Provider::complete`] sends them.
//! `wire` implements the formats without I/O, `call` handles retries and limits, and `http` is the single place that
//! sends.
//!
//! May use `jig-contract`.

mod answer;
mod call;
mod egress;
mod endpoint;
mod error;
mod fault;
pub mod fuzzing;
mod http;
mod http_provider;
mod message;
mod permit;
mod player;
mod provider;
mod providers;
mod redact;
mod registry;
mod request;
mod retry;
mod scripted;
mod secret;
mod sse;
mod wire;

pub use egress::{Call, Egress, End, Outcome, Wait};
pub use error::ProviderError;
pub use http::Limits;
pub use message::{Delta, Message, StopReason, Usage};
pub use permit::{Gate, Permit};
pub use player::Player;
pub use provider::{Completion, Prepared, Provider, Step};
pub use providers::{Providers, Setup};
pub use registry::{Ability, BadModelId, Format, LongPrice, Model, ModelId, Price, ProviderInfo, Registry, Tokenizer};
pub use request::{
    Block, Cache, Image, Malformed, Output, OwnBlock, Part, Reasoning, Request, Retries, Role, Streaming, Tool,
    ToolCall, ToolResult, Turn,
};
pub use retry::RetryPolicy;
pub use scripted::Scripted;
pub use secret::{Secret, read_secrets};
