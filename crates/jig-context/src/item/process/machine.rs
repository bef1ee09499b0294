//! The conversation with a model as a state machine: ask, validate, retry once, done or failed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jig_contract::{Code, OpError, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::read_answer;
use super::complete::complete;
use super::prompt::{SCHEMA_NAME, TIMEOUT_SECONDS, repair_message, schema, system_prompt, user_message};
use super::style_answer;
use crate::item::Item;
use crate::item::category::Category;
use crate::item::input::Input;
use crate::item::source::Source;
use crate::item::validate::validate;

/// How much of a refused answer is repeated to the model, in bytes.
const ECHO_MAX: usize = 64 << 10;

/// The state of processing.
#[derive(Debug, Clone, PartialEq)]
pub enum Processing {
    /// The model must be asked.
    Ask(Box<Asking>),
    /// The answer is valid.
    Done(Processed),
    /// The answer was invalid, and so was its retry. Nothing is saved.
    Failed(Failure),
}

/// A question that awaits its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    category: Category,
    /// The text that rules are checked against; empty for other categories.
    material: String,
    request: Request,
    attempt: Attempt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Repair,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The instructions.
    pub system: String,
    /// The conversation so far, ending with a user message.
    pub messages: Vec<Message>,
    /// The name of the answer schema.
    pub schema_name: Cow<'static, str>,
    /// The answer schema, for models that support structured output.
    pub schema: Value,
    /// The time limit.
    pub timeout_seconds: u64,
}

/// A message to or from a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The role.
    pub role: Role,
    /// Its text.
    pub text: String,
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// Validated texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processed {
    /// Their category.
    pub category: Category,
    /// The texts, by path inside the item.
    pub files: BTreeMap<String, String>,
    /// Warnings that did not prevent saving.
    pub warnings: Vec<String>,
    /// Whether the model was asked twice.
    pub repaired: bool,
}

/// The errors in the last answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The model's answer for the {} context could not be used, and its one repair neither. Nothing was saved.", category.label())]
pub struct Failure {
    /// The category.
    pub category: Category,
    /// The errors, for people.
    pub errors: Vec<String>,
}

impl From<Failure> for OpError {
    fn from(failure: Failure) -> Self {
        Self::new(Code::ValidationFailed, failure.to_string())
            .action("retry")
            .action("cancel")
            .hint("try again, choose another model, or give a shorter text")
            .detail(json!({ "category": failure.category, "errors": failure.errors }))
    }
}

impl Processing {
    /// Starts with a request to the model.
    pub fn start(category: Category, input: &Input) -> Self {
        let request = Request {
            system: system_prompt(category),
            messages: vec![Message { role: Role::User, text: user_message(input) }],
            schema_name: SCHEMA_NAME.into(),
            schema: schema(category),
            timeout_seconds: TIMEOUT_SECONDS,
        };
        let material = if category == Category::DocumentStyle { input.content().to_owned() } else { String::new() };
        Self::Ask(Box::new(Asking { category, material, request, attempt: Attempt::First }))
    }

    /// The request to send, unless processing has ended.
    pub fn request(&self) -> Option<&Request> {
        match self {
            Self::Ask(asking) => Some(&asking.request),
            Self::Done(_) | Self::Failed(_) => None,
        }
    }

    /// Processes the model's answer. Without a pending question, nothing changes.
    #[must_use]
    pub fn answered(self, answer: &str) -> Self {
        match self {
            Self::Ask(asking) => {
                let last = asking.attempt == Attempt::Repair;
                let checked = match asking.category {
                    Category::DocumentStyle => style_answer::check(&asking.material, answer, last),
                    category => check(category, answer),
                };
                asking.answered(answer, checked)
            }
            Self::Done(_) | Self::Failed(_) => self,
        }
    }

    /// Processes an answer that the model did not finish. It counts as invalid for this reason, whatever it contains.
    #[must_use]
    pub fn unfinished(self, answer: &str, reason: &str) -> Self {
        match self {
            Self::Ask(asking) => asking.answered(answer, Err(vec![reason.to_owned()])),
            Self::Done(_) | Self::Failed(_) => self,
        }
    }
}

impl Asking {
    fn answered(self, answer: &str, checked: Result<Checked, Vec<String>>) -> Processing {
        let Self { category, material, request, attempt } = self;
        match checked {
            Ok((files, warnings)) => {
                let repaired = attempt == Attempt::Repair;
                Processing::Done(Processed { category, files, warnings, repaired })
            }
            Err(errors) if attempt == Attempt::Repair => Processing::Failed(Failure { category, errors }),
            Err(errors) => {
                let request = continued(request, answer, repair_message(category, &errors));
                Processing::Ask(Box::new(Self { category, material, request, attempt: Attempt::Repair }))
            }
        }
    }
}

pub(super) type Checked = (BTreeMap<String, String>, Vec<String>);

/// The texts of an answer with warnings, or all errors.
fn check(category: Category, answer: &str) -> Result<Checked, Vec<String>> {
    let answer =
        read_answer(category, answer).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let (files, completed) = complete(category, answer.files);
    let (hard, advice): (Vec<_>, Vec<_>) = validate(category, &files).into_iter().partition(|found| found.hard);
    if !hard.is_empty() {
        return Err(hard.into_iter().map(|problem| problem.message).collect());
    }
    let mut warnings = answer.warnings;
    warnings.extend(completed);
    warnings.extend(advice.into_iter().map(|problem| problem.message));
    Ok((files, warnings))
}

/// The conversation continued with the refused answer and its errors. An empty answer is left out, because some
/// providers refuse empty messages and two consecutive messages with the same role.
pub(crate) fn continued(mut request: Request, answer: &str, words: String) -> Request {
    let echo = shortened(answer);
    match request.messages.last_mut() {
        Some(last) if echo.trim().is_empty() => last.text = format!("{}\n\n{words}", last.text),
        _ => {
            request.messages.push(Message { role: Role::Assistant, text: echo });
            request.messages.push(Message { role: Role::User, text: words });
        }
    }
    request
}

fn shortened(answer: &str) -> String {
    if answer.len() <= ECHO_MAX {
        return answer.to_owned();
    }
    let mut end = ECHO_MAX;
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n[the rest of {} bytes is left out]", &answer[..end], answer.len())
}

impl Processed {
    /// The item, which replaces the one before it. `previous` is the source of that one.
    pub fn into_item(self, input: &Input, previous: Option<&Source>, model_id: &str, at: Timestamp) -> Item {
        Item {
            category: self.category,
            files: self.files,
            source: Source::processed(input, previous, model_id, at),
            source_file: input.source_file().cloned(),
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
