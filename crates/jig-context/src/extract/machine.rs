//! The conversation with a model as a state machine: ask, validate, retry once, done or failed.

use jig_contract::ops::{FieldDefinition, KindDefinition, ProposalState, ProposedField};
use jig_contract::{Code, OpError};
use serde_json::json;

use super::answer::{Answer, Form, Found, read_answer};
use super::extractable;
use super::prompt::{
    Material, SCHEMA_NAME, TIMEOUT_SECONDS, answer_schema, repair_message, system_prompt, user_message,
};
use super::quote::{Squashed, shortened};
use crate::item::process::{Message, Request, Role, continued};

/// The confidence of a value if the model gives none.
const UNSAID: f64 = 0.7;
/// The maximum confidence of a value without a quote.
const WITHOUT_QUOTE: f64 = 0.5;
/// The maximum confidence of a value whose quote does not occur in the text.
const QUOTE_NOT_FOUND: f64 = 0.3;

/// The state of an extraction.
#[derive(Debug, Clone, PartialEq)]
pub enum Extraction {
    /// The model must be asked.
    Ask(Box<Asking>),
    /// Finished, possibly without values.
    Done(Extracted),
    /// The answer was invalid, and so was its retry.
    Failed(Failure),
}

/// A question that awaits its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    fields: Vec<FieldDefinition>,
    form: Form,
    source: String,
    request: Request,
    /// The valid values of the first answer, during the retry.
    first: Option<Extracted>,
    repair: bool,
}

/// Extracted values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extracted {
    /// The values, in the order of the kind's fields.
    pub fields: Vec<ProposedField>,
    /// Warnings for people.
    pub warnings: Vec<String>,
    /// Whether the model was asked twice.
    pub repaired: bool,
}

/// The errors in the last answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The model's answer could not be used, and its one repair neither. Nothing was saved.")]
pub struct Failure {
    /// The errors, for people.
    pub errors: Vec<String>,
}

impl From<Failure> for OpError {
    fn from(failure: Failure) -> Self {
        Self::new(Code::ValidationFailed, failure.to_string())
            .action("retry")
            .hint("try again, or choose another model")
            .detail(json!({ "errors": failure.errors }))
    }
}

impl Extraction {
    /// Starts extracting values of a kind's fields from a text.
    pub fn start(kind: &KindDefinition, material: &Material) -> Self {
        let fields = extractable(kind);
        let system = system_prompt(kind, &fields);
        Self::ask(fields, Form::Quoted, material.text.clone(), system, user_message(material))
    }

    /// Starts a question whose answer has values for these fields of a kind, for a recipe run.
    pub fn question(fields: Vec<FieldDefinition>, system: String, prompt: String) -> Self {
        Self::ask(fields, Form::Plain, String::new(), system, prompt)
    }

    fn ask(fields: Vec<FieldDefinition>, form: Form, source: String, system: String, text: String) -> Self {
        let request = Request {
            system,
            messages: vec![Message { role: Role::User, text }],
            schema_name: SCHEMA_NAME.into(),
            schema: answer_schema(&fields, form),
            timeout_seconds: TIMEOUT_SECONDS,
        };
        Self::Ask(Box::new(Asking { fields, form, source, request, first: None, repair: false }))
    }

    /// The request to send, unless the extraction has ended.
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
            Self::Ask(asking) => asking.answered(answer),
            Self::Done(_) | Self::Failed(_) => self,
        }
    }

    /// Processes an answer that the model did not finish. It counts as invalid for this reason, whatever it contains.
    #[must_use]
    pub fn unfinished(self, answer: &str, reason: &str) -> Self {
        match self {
            Self::Ask(asking) if asking.repair => asking.end(None, vec![reason.to_owned()]),
            Self::Ask(asking) => asking.again(answer, &[reason.to_owned()], None),
            Self::Done(_) | Self::Failed(_) => self,
        }
    }
}

impl Asking {
    fn answered(self, answer: &str) -> Extraction {
        let (read, errors) = match read_answer(&self.fields, answer) {
            Ok(read) => {
                let errors = self.errors(&read);
                (Some(read), errors)
            }
            Err(error) => (None, vec![error]),
        };
        let good = read.map(|read| self.extracted(read));
        match (errors.is_empty(), self.repair, good) {
            (true, _, Some(good)) => Extraction::Done(good),
            (_, false, good) => self.again(answer, &errors, good),
            (_, true, good) => self.end(good, errors),
        }
    }

    /// The errors that make an answer invalid. A recipe run must fill the required fields; a text need not contain all
    /// values.
    fn errors(&self, read: &Answer) -> Vec<String> {
        let mut errors = read.misfits.clone();
        if self.form == Form::Plain {
            let there = |key: &str| read.found.iter().any(|found| found.field == key);
            let missing = self.fields.iter().filter(|field| field.required && !there(&field.key));
            errors.extend(missing.map(|field| format!("`{}` is missing or empty", field.key)));
            if read.found.is_empty() {
                errors.push("there is no value at all".to_owned());
            }
        }
        errors
    }

    fn again(mut self, answer: &str, errors: &[String], good: Option<Extracted>) -> Extraction {
        let words = repair_message(errors, &self.fields);
        self.request = continued(self.request, answer, words);
        (self.first, self.repair) = (good, true);
        Extraction::Ask(Box::new(self))
    }

    /// Ends after the retry. From a text, the valid values are kept; a recipe run succeeds only if all values are
    /// valid.
    fn end(self, good: Option<Extracted>, errors: Vec<String>) -> Extraction {
        let kept = good.filter(|good| !good.fields.is_empty()).or(self.first);
        match kept.filter(|kept| self.form == Form::Quoted && !kept.fields.is_empty()) {
            Some(mut kept) => {
                kept.warnings.extend(errors.iter().map(|error| format!("left out: {error}")));
                kept.repaired = true;
                Extraction::Done(kept)
            }
            None => Extraction::Failed(Failure { errors }),
        }
    }

    fn extracted(&self, read: Answer) -> Extracted {
        let source = Squashed::new(&self.source);
        let mut warnings: Vec<String> = read.unknown.iter().map(|unknown| format!("left out: {unknown}")).collect();
        if read.found.is_empty() && self.form == Form::Quoted {
            warnings.push("nothing was found for any field".to_owned());
        }
        let fields = read.found.into_iter().map(|found| self.proposed(found, &source)).collect();
        Extracted { fields, warnings, repaired: self.repair }
    }

    fn proposed(&self, found: Found, source: &Squashed) -> ProposedField {
        let quote = found.quote.as_deref().map(shortened);
        let said = found.confidence.filter(|said| said.is_finite()).unwrap_or(UNSAID).clamp(0.0, 1.0);
        let quote_found = quote.as_deref().map(|quote| source.has(quote));
        let confidence = match quote_found {
            Some(true) => said,
            Some(false) => said.min(QUOTE_NOT_FOUND),
            None => said.min(WITHOUT_QUOTE),
        };
        let quoted = self.form == Form::Quoted;
        ProposedField {
            field: found.field,
            value: found.value,
            quote: quote.filter(|_| quoted),
            quote_found: quote_found.filter(|_| quoted),
            confidence: quoted.then_some(confidence),
            current: None,
            conflict: false,
            state: ProposalState::Pending,
        }
    }
}
