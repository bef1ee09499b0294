//! The pure part of processing: from raw input, through one question to a model, to a validated item.
//!
//! [`Processing`] is a state machine: ask, validate the answer, retry once with all errors, then done or failed. It
//! does no I/O; the caller sends each [`Request`] to a model and passes the answer back.
//!
//! ```
//! use jig_context::item::process::Processing;
//! use jig_context::item::{Category, Input};
//!
//! let input = Input::text("Board meeting on Friday.")?;
//! let mut processing = Processing::start(Category::Situation, &input);
//! while let Some(request) = processing.request() {
//!     assert_eq!(request.messages.len(), 1);
//!     let answer = r#"{"files":[{"path":"context.md","content":"- **Deadline**: Friday"}]}"#;
//!     processing = processing.answered(answer);
//! }
//! assert!(matches!(processing, Processing::Done(_)));
//! # Ok::<(), jig_context::item::InputError>(())
//! ```

mod answer;
mod complete;
pub(crate) mod json;
mod machine;
mod prompt;
mod style_answer;
mod tidy;

pub(crate) use machine::continued;
pub(crate) use prompt::{boundary_of, listed};

pub use answer::{ANSWER_BYTES_MAX, Answer, AnswerError, read_answer};
pub use machine::{Asking, Failure, Message, Processed, Processing, Request, Role};
pub use prompt::{SCHEMA_NAME, TIMEOUT_SECONDS, repair_message, schema, system_prompt, user_message};
