//! A provider for tests: it answers from a script in order, and checks the requests.
//!
//! The script is JSON: `{ "steps": [ { "expect": {…}, "answer": {…} } ] }`. An unexpected or additional request is an
//! error; [`Scripted::finish`] returns one if answers are left.

mod script;

use std::sync::{Mutex, PoisonError};

use futures::stream;
use jig_contract::Code;
use tokio_util::sync::CancellationToken;

use crate::error::ProviderError;
use crate::permit::Permit;
use crate::provider::{Completion, Prepared, Provider, Step};
use crate::registry::{Ability, Format, Model, ModelId, Tokenizer};
use crate::request::Request;
use crate::wire;
use script::{Answer, Script};

/// Answers from a script.
#[derive(Debug)]
pub struct Scripted {
    model: Model,
    script: Script,
    next: Mutex<usize>,
}

impl Scripted {
    /// A provider with this id, for example `scripted:demo`, that plays this script.
    pub fn new(id: ModelId, json: &str) -> Result<Self, ProviderError> {
        let script = serde_json::from_str(json).map_err(|error| {
            let why = format!("the script of {id} cannot be read, line {}: {error}", error.line());
            ProviderError::new(Code::SettingsInvalid, why)
        })?;
        use Ability::{Cache, Images, Streaming, Structured, Temperature, Tools};
        let model = Model {
            name: "Scripted".to_owned(),
            id,
            format: Format::None,
            window: 200_000,
            max_output: 32_000,
            tokenizer: Tokenizer::O200k,
            price: None,
            abilities: vec![Tools, Structured, Images, Streaming, Cache, Temperature],
        };
        Ok(Self { model, script, next: Mutex::new(0) })
    }

    /// Returns an error if not all answers were used.
    pub fn finish(&self) -> Result<(), ProviderError> {
        let (used, all) = (*self.place(), self.script.steps.len());
        if used == all {
            return Ok(());
        }
        Err(self.wrong(used, &format!("{} of {all} answers were not used", all - used)))
    }

    fn place(&self) -> std::sync::MutexGuard<'_, usize> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self, step: usize, what: &str) -> ProviderError {
        ProviderError::new(Code::Internal, format!("the script of {}, step {}: {what}", self.model.id, step + 1))
            .model(&self.model.id)
    }

    /// The next answer, if the request is the expected one. A wrong request uses up nothing.
    fn answer(&self, prepared: &Prepared) -> Result<Vec<Step>, ProviderError> {
        let mut next = self.place();
        let step = self.script.steps.get(*next).ok_or_else(|| self.wrong(*next, "the script has no further answer"))?;
        let request: Request = serde_json::from_slice(&prepared.body)
            .map_err(|error| self.wrong(*next, &format!("the request cannot be read: {error}")))?;
        let complaints = step.expect.complaints(&request);
        if !complaints.is_empty() {
            return Err(self.wrong(*next, &complaints.join("; ")));
        }
        *next += 1;
        match &step.answer {
            Answer::Fails(failure) => Err(failure.error().model(&self.model.id)),
            Answer::Message(answer) => {
                let message = answer.message(*next);
                let deltas = wire::deltas(&message).into_iter().map(Step::Delta);
                Ok(deltas.chain([Step::Message(message)]).collect())
            }
        }
    }
}

impl Provider for Scripted {
    fn model(&self) -> &Model {
        &self.model
    }

    /// The request as JSON, in the form that tests check.
    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError> {
        let body = serde_json::to_vec(request)
            .map_err(|_| ProviderError::new(Code::Internal, "the request cannot be written"))?;
        Ok(Prepared::new(body, request))
    }

    fn complete(&self, prepared: Prepared, _permit: Permit, cancel: CancellationToken) -> Completion {
        if cancel.is_cancelled() {
            return Completion::failed(ProviderError::canceled());
        }
        match self.answer(&prepared) {
            Ok(steps) => Completion::new(stream::iter(steps.into_iter().map(Ok))),
            Err(error) => Completion::failed(error),
        }
    }
}
