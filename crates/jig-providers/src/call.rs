//! A model call over HTTP: attempts, pauses, retries, reading, events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::stream;
use jig_contract::{Code, Env};
use reqwest::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::answer::{Broken, Reading};
use crate::egress::{Call, Egress, End, Outcome, Wait};
use crate::error::{Again, ProviderError};
use crate::fault::Place;
use crate::http::{asked_wait, headers, redirected, refusal, unsent};
use crate::http_provider::Line;
use crate::message::{Message, StopReason, Usage};
use crate::provider::{Completion, Prepared, Step};
use crate::redact::without_key;
use crate::retry::Tries;
use crate::wire;

/// The absolute limit on the duration of a call.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A call in progress.
struct Run {
    line: Arc<Line>,
    prepared: Prepared,
    cancel: CancellationToken,
    deadline: Instant,
    tries: Tries,
    report: CallReport,
    state: State,
}

enum State {
    /// Nothing was logged or sent yet.
    New,
    /// Ready to be sent, for the first time or again.
    Ready,
    /// To be sent again after this pause.
    Paused(Duration),
    /// The answer is being received.
    Reading(Box<Reading>),
    /// The answer is complete; the rest is being passed on.
    Whole(VecDeque<Step>),
    Over,
}

/// The stream of a call. Nothing happens before it is polled.
pub(crate) fn start(line: Arc<Line>, prepared: Prepared, call: Call, cancel: CancellationToken) -> Completion {
    let whole = prepared.timeout.unwrap_or(line.limits.whole).min(LONGEST);
    let run = Run {
        deadline: Instant::now() + whole,
        tries: Tries::new(line.retry, prepared.retries),
        report: CallReport {
            egress: Arc::clone(&line.egress),
            env: line.env.clone(),
            call,
            started: false,
            attempts: 0,
            done: false,
        },
        line,
        prepared,
        cancel,
        state: State::New,
    };
    Completion::new(stream::unfold(run, |mut run| async move {
        let step = run.next().await?;
        Some((step, run))
    }))
}

impl Run {
    /// The next item; `None` after the last.
    async fn next(&mut self) -> Option<Result<Step, ProviderError>> {
        loop {
            let result = match &mut self.state {
                State::Over => return None,
                State::New => self.begin().await,
                State::Ready => self.send().await,
                State::Paused(wait) => {
                    let wait = *wait;
                    self.pause(wait).await
                }
                State::Whole(steps) => {
                    let step = steps.pop_front();
                    if matches!(step, None | Some(Step::Message(_))) {
                        self.state = State::Over;
                    }
                    return step.map(Ok);
                }
                State::Reading(_) => match self.read().await {
                    Ok(Some(step)) => return Some(Ok(step)),
                    Ok(None) => Ok(()),
                    Err(error) => Err(error),
                },
            };
            let Err(error) = result else { continue };
            match self.again(error) {
                Ok(wait) => return Some(Ok(Step::Waiting(wait))),
                Err(error) => {
                    self.state = State::Over;
                    self.report.failed(&error);
                    return Some(Err(error.model(&self.line.model.id)));
                }
            }
        }
    }

    /// Logs the call. What cannot be logged is not sent.
    async fn begin(&mut self) -> Result<(), ProviderError> {
        // If the call is cancelled while the log is written, the log is still notified of its end.
        let started = AtomicBool::new(false);
        let logged = async {
            started.store(true, Ordering::Relaxed);
            self.report.egress.begins(&self.report.call).await
        };
        let logged = bounded(&self.cancel, self.deadline, logged).await;
        self.report.started = started.into_inner() && !matches!(logged, Some(Ok(Err(_))));
        logged.ok_or_else(late)???;
        self.state = State::Ready;
        Ok(())
    }

    /// Sends the prepared bytes.
    async fn send(&mut self) -> Result<(), ProviderError> {
        let line = Arc::clone(&self.line);
        let url = line.endpoint.url(&wire::path(&line.model, self.prepared.streaming))?;
        let headers = headers(line.model.format, &line.endpoint)?;
        let request = line.client.post(url).headers(headers).body(self.prepared.body.clone()).send();
        self.tries.attempts += 1;
        self.report.attempts = self.tries.attempts;
        tracing::debug!(model = %line.model.id, attempt = self.tries.attempts, "a model is called");
        let limit = self.within(line.limits.connect + line.limits.first_byte);
        let response = bounded(&self.cancel, limit, request).await.ok_or_else(late)??;
        let response = response.map_err(|error| unsent(&error, &line.endpoint))?;
        self.sort(response).await
    }

    /// Distinguishes an answer from a refusal.
    async fn sort(&mut self, response: Response) -> Result<(), ProviderError> {
        let status = response.status();
        tracing::debug!(model = %self.line.model.id, status = status.as_u16(), "the provider answers");
        if status.is_redirection() {
            return Err(redirected(&response, &self.line.endpoint));
        }
        if !status.is_success() {
            let wait = asked_wait(&response, &self.line.env);
            let limit = self.within(self.line.limits.between);
            let body = bounded(&self.cancel, limit, refusal(response)).await;
            let body = body.transpose()?.unwrap_or_default();
            return Err(self.place().refused(status.as_u16(), &body, wait));
        }
        let reading = Reading::new(response, self.line.model.format, self.prepared.streaming, self.line.limits.answer);
        self.state = State::Reading(Box::new(reading?));
        Ok(())
    }

    /// The next delta; `None` when the answer is complete.
    async fn read(&mut self) -> Result<Option<Step>, ProviderError> {
        let limit = self.within(self.line.limits.between);
        let State::Reading(reading) = &mut self.state else { return Ok(None) };
        if let Some(delta) = reading.deltas.pop_front() {
            reading.passed_on = true;
            return Ok(Some(Step::Delta(without_key(delta, self.line.endpoint.key.as_ref()))));
        }
        if !reading.ended {
            let piece = bounded(&self.cancel, limit, reading.piece()).await.ok_or_else(late)??;
            return piece.map(|()| None).map_err(|broken| self.broken(broken));
        }
        reading.drain().await;
        let State::Reading(reading) = std::mem::replace(&mut self.state, State::Over) else { return Ok(None) };
        match reading.finish() {
            Ok((deltas, message)) => {
                self.report.answered(&message);
                let key = self.line.endpoint.key.as_ref();
                let deltas = deltas.into_iter().map(|delta| Step::Delta(without_key(delta, key)));
                self.state = State::Whole(deltas.chain([Step::Message(without_key(message, key))]).collect());
                Ok(None)
            }
            Err((passed_on, trouble)) => Err(spent(self.place().trouble(trouble), passed_on)),
        }
    }

    fn broken(&mut self, broken: Broken) -> ProviderError {
        let passed_on = matches!(&self.state, State::Reading(reading) if reading.passed_on);
        let error = match broken {
            Broken::Trouble(trouble) => self.place().trouble(trouble),
            Broken::Error(error) => error,
        };
        spent(error, passed_on)
    }

    /// The pause before the next attempt, or the final error.
    fn again(&mut self, error: ProviderError) -> Result<Wait, ProviderError> {
        let Some(wait) = self.tries.wait(&error, &self.line.env) else { return Err(error) };
        // If the call has no time left for the pause, waiting would only delay the same error.
        if Instant::now() + wait >= self.deadline {
            return Err(error);
        }
        let report = Wait { time: wait, code: error.code(), attempts: self.tries.attempts };
        self.report.egress.waits(&self.report.call, report);
        tracing::debug!(model = %self.line.model.id, code = %error.code(), "the call is tried again after a pause");
        self.state = State::Paused(wait);
        Ok(report)
    }

    async fn pause(&mut self, wait: Duration) -> Result<(), ProviderError> {
        self.state = State::Ready;
        match bounded(&self.cancel, self.deadline, tokio::time::sleep(wait)).await {
            Some(Err(canceled)) => Err(canceled),
            _ => Ok(()),
        }
    }

    fn within(&self, limit: Duration) -> Instant {
        self.deadline.min(Instant::now() + limit)
    }

    fn place(&self) -> Place<'_> {
        Place { endpoint: &self.line.endpoint, model: &self.line.model, body: &self.prepared.body }
    }
}

/// What was passed on cannot be revoked, so a retry is up to the caller.
fn spent(error: ProviderError, passed_on: bool) -> ProviderError {
    let here = error.again() == Again::Here;
    if passed_on && here { error.with_again(Again::Later) } else { error }
}

/// Runs work until it completes, the deadline passes (`None`), or the call is cancelled.
async fn bounded<T>(
    cancel: &CancellationToken,
    limit: Instant,
    work: impl Future<Output = T>,
) -> Option<Result<T, ProviderError>> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Some(Err(ProviderError::canceled())),
        done = tokio::time::timeout_at(limit, work) => done.ok().map(Ok),
    }
}

fn late() -> ProviderError {
    ProviderError::new(Code::ProviderUnavailable, "the model did not answer in time")
        .hint("try again; a longer limit can be set for slow models")
}

/// Reports the end of the call exactly once, even if it is dropped.
struct CallReport {
    egress: Arc<dyn Egress>,
    env: Env,
    call: Call,
    started: bool,
    attempts: u32,
    done: bool,
}

impl CallReport {
    fn answered(&mut self, message: &Message) {
        self.tell(Outcome::Answered(message.stop), message.usage);
        if message.stop == StopReason::Other {
            tracing::debug!(model = %self.call.model, "the answer ended for a reason of the provider's own");
        }
    }

    fn failed(&mut self, error: &ProviderError) {
        let outcome = match error.code() {
            Code::UserCanceled => Outcome::Canceled,
            code => Outcome::Failed(code),
        };
        self.tell(outcome, None);
    }

    fn tell(&mut self, outcome: Outcome, usage: Option<Usage>) {
        if !self.started || std::mem::replace(&mut self.done, true) {
            return;
        }
        let took_ms = self.env.now().since(self.call.started);
        self.egress.ended(&self.call, &End { outcome, usage, attempts: self.attempts, took_ms });
    }
}

impl Drop for CallReport {
    fn drop(&mut self) {
        self.tell(Outcome::Canceled, None);
    }
}
