//! Active calls: concurrency, cancellation, and exactly one response each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jig_contract::{Actor, Code, Effect, OPERATIONS, OpError, find};
use jig_workbench::CallContext;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::events::{Start, Subscriptions};
use super::message::{Call, Incoming, Message, answer};
use super::writer::Out;
use super::{RpcOptions, discover};
use crate::{LazyWorkbench, nearest};

/// The calls of a client. Cheap to clone.
#[derive(Clone)]
pub(super) struct Calls(Arc<Inner>);

struct Inner {
    workbench: LazyWorkbench,
    actor: Actor,
    out: Out,
    tasks: TaskTracker,
    running: Semaphore,
    // Held while queued or running. Reading continues while there is space here, so that a cancellation still arrives
    // when all calls are busy.
    admitted: Arc<Semaphore>,
    under_way: Mutex<UnderWay>,
    subscriptions: Subscriptions,
}

/// An accepted call.
struct Taken {
    incoming: Incoming,
    number: u64,
    cancel: CancellationToken,
}

/// The outcome of a message: possibly a response, and what starts after it is sent.
#[derive(Default)]
struct Reply {
    answer: Option<Value>,
    then: Vec<Start>,
}

type Outcome = Result<(Value, Option<Start>), OpError>;

#[derive(Default)]
struct UnderWay {
    next: u64,
    calls: HashMap<u64, (Value, CancellationToken)>,
}

impl Calls {
    pub(super) fn new(workbench: LazyWorkbench, out: Out, options: &RpcOptions) -> Self {
        let at_once = options.at_once.max(1);
        Self(Arc::new(Inner {
            workbench,
            actor: options.actor.clone(),
            subscriptions: Subscriptions::new(out.clone()),
            out,
            tasks: TaskTracker::new(),
            running: Semaphore::new(at_once),
            admitted: Arc::new(Semaphore::new(2 * at_once)),
            under_way: Mutex::default(),
        }))
    }

    /// Starts the calls of a line. Waits while too many are active.
    pub(super) async fn take(&self, message: Option<Message>) {
        match message {
            None => {}
            Some(Message::One(incoming)) => {
                let Some(taken) = self.admit(incoming) else { return };
                self.spawn(async |calls: Self| calls.one(taken).await).await;
            }
            Some(Message::Batch(batch)) => {
                let batch: Vec<_> = batch.into_iter().filter_map(|incoming| self.admit(incoming)).collect();
                self.spawn(async |calls: Self| calls.batch(batch).await).await;
            }
        }
    }

    /// Waits for active calls, and ends subscriptions.
    pub(super) async fn finish(self) {
        self.0.tasks.close();
        let answered = self.0.tasks.wait();
        tokio::select! {
            () = answered => {}
            // No one reads the responses any more.
            () = self.0.out.closed() => self.cancel_all(),
        }
        self.0.subscriptions.end_all();
    }

    async fn spawn<F, W>(&self, work: W)
    where
        W: FnOnce(Self) -> F,
        F: Future<Output = Reply> + Send + 'static,
    {
        let Ok(place) = Arc::clone(&self.0.admitted).acquire_owned().await else { return };
        let (out, work) = (self.0.out.clone(), work(self.clone()));
        self.0.tasks.spawn(async move {
            let reply = work.await;
            if let Some(message) = reply.answer {
                out.send(message).await;
            }
            reply.then.into_iter().for_each(Start::begin);
            drop(place);
        });
    }

    async fn batch(self, batch: Vec<Taken>) -> Reply {
        let calls: Vec<_> = batch.into_iter().map(|taken| tokio::spawn(self.clone().one(taken))).collect();
        let (mut answers, mut then) = (Vec::new(), Vec::new());
        for call in calls {
            // A call catches its own panics, so there is always a reply.
            let reply = call.await.unwrap_or_default();
            answers.extend(reply.answer);
            then.extend(reply.then);
        }
        Reply { answer: (!answers.is_empty()).then_some(Value::Array(answers)), then }
    }

    /// Executes a call. A notification has no response.
    async fn one(self, taken: Taken) -> Reply {
        let Incoming { id, call } = taken.incoming;
        let outcome = match call {
            Ok(call) => self.run(call, taken.cancel).await,
            Err(error) => Err(error),
        };
        self.under_way().calls.remove(&taken.number);
        let (result, start) = match outcome {
            Ok((result, start)) => (Ok(result), start),
            Err(error) => (Err(error), None),
        };
        Reply { answer: id.map(|id| answer(&id, result)), then: Vec::from_iter(start) }
    }

    async fn run(&self, call: Call, cancel: CancellationToken) -> Outcome {
        let context = CallContext { cancel: cancel.clone(), ..CallContext::new(self.0.actor.clone()) };
        tokio::select! {
            biased;
            place = self.0.running.acquire() => {
                let outcome = self.carry_out(call, context).await;
                drop(place);
                outcome
            }
            () = cancel.cancelled() => Err(cancelled()),
        }
    }

    async fn carry_out(&self, call: Call, context: CallContext) -> Outcome {
        let cancel = context.cancel.clone();
        let reads = find(&call.method).is_none_or(|op| op.effect == Effect::Read);
        let calls = self.clone();
        let mut task = tokio::spawn(async move { calls.dispatch(call, context).await });
        let ended = tokio::select! {
            ended = &mut task => ended,
            // A read can be dropped at any time. A change runs to its end, so that its response reports correctly
            // whether it happened.
            () = cancel.cancelled(), if reads => {
                task.abort();
                return Err(cancelled());
            }
        };
        ended.unwrap_or_else(|broken| {
            Err(OpError::new(Code::Internal, "the call broke off through a fault in Jig")
                .hint("please report this; what was stored before is safe")
                .because(broken))
        })
    }

    async fn dispatch(&self, call: Call, context: CallContext) -> Outcome {
        let Call { method, params } = call;
        match method.as_str() {
            "rpc.discover" => Ok((discover::document(), None)),
            "$/cancel" => Ok((json!({}), None)),
            "EventSubscribe" | "EventUnsubscribe" => {
                self.0.subscriptions.call(&method, params, &self.0.workbench, context).await
            }
            name if find(name).is_some_and(|op| op.surfaces.rpc) => {
                Ok((self.operation(name, params, context).await?, None))
            }
            _ => Err(unknown(&method)),
        }
    }

    async fn operation(&self, name: &str, params: Map<String, Value>, context: CallContext) -> Result<Value, OpError> {
        let opened = tokio::select! {
            opened = self.0.workbench.get() => opened?,
            () = context.cancel.cancelled() => return Err(cancelled()),
        };
        opened.call(name, context, Value::Object(params)).await
    }

    /// Registers a call, so that later messages can cancel it. `$/cancel` itself is executed immediately, bypassing all
    /// queues.
    fn admit(&self, incoming: Incoming) -> Option<Taken> {
        match &incoming.call {
            Ok(call) if call.method == "$/cancel" => {}
            _ => return Some(self.enter(incoming)),
        }
        if let Ok(call) = &incoming.call
            && let Some(wanted) = call.params.get("id")
        {
            self.under_way().calls.values().filter(|(id, _)| id == wanted).for_each(|(_, token)| token.cancel());
        }
        // Intended as a notification. As a request it gets a response like any other.
        incoming.id.is_some().then(|| self.enter(incoming))
    }

    fn cancel_all(&self) {
        self.under_way().calls.values().for_each(|(_, token)| token.cancel());
    }

    fn enter(&self, incoming: Incoming) -> Taken {
        let cancel = CancellationToken::new();
        let mut under_way = self.under_way();
        under_way.next += 1;
        let number = under_way.next;
        if let Some(id) = &incoming.id {
            under_way.calls.insert(number, (id.clone(), cancel.clone()));
        }
        Taken { incoming, number, cancel }
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.0.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cancelled() -> OpError {
    OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed")
}

fn unknown(method: &str) -> OpError {
    let shown: String = method.chars().take(80).collect();
    let own = ["rpc.discover", "EventSubscribe", "EventUnsubscribe"];
    let names = OPERATIONS.iter().filter(|op| op.surfaces.rpc).map(|op| op.name).chain(own);
    OpError::new(Code::UnknownOperation, format!("there is no method `{shown}`"))
        .hint("`rpc.discover` lists all methods")
        .suggest(nearest(method, names))
}
