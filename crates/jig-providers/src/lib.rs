//! Model providers behind one trait, with a scripted one for tests and an offline one for no key.
//!
//! Invariants:
//! - a provider sends the request it was handed, byte for byte, and adds nothing to it;
//! - nothing is sent unless the caller has shown that consent was given;
//! - keys are values of a type that prints `***`; they appear in no error, log or record;
//! - every failure is one of the contract's codes and says whether trying again can help.
//!
//! [`Providers`] is the set a program has; its [`Gate`] makes the permits without which no call is made. A model is
//! opened by its id, [`Provider::prepare`] gives the exact bytes, [`Provider::complete`] sends them. `wire` knows the
//! formats and does no I/O, `call` is the one owner of retries and limits, `http` the one place that sends.
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
