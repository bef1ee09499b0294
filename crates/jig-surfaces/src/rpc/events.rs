//! `EventSubscribe`: a workbench's events as notifications, first replayed and then live.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jig_contract::{Code, OpError};
use jig_workbench::CallContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::message::notification;
use super::writer::Out;
use crate::{Follow, LazyWorkbench, follow};

/// The subscriptions of a client, one per workbench. A new one replaces the old.
pub(super) struct Subscriptions {
    out: Out,
    running: Mutex<HashMap<String, CancellationToken>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubscribeParams {
    workbench_id: String,
    #[serde(default)]
    after: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnsubscribeParams {
    workbench_id: String,
}

impl Subscriptions {
    pub(super) fn new(out: Out) -> Self {
        Self { out, running: Mutex::default() }
    }

    pub(super) async fn call(
        &self,
        method: &str,
        params: Map<String, Value>,
        workbench: &LazyWorkbench,
        context: CallContext,
    ) -> Result<(Value, Option<Start>), OpError> {
        let params = Value::Object(params);
        if method == "EventUnsubscribe" {
            let params: UnsubscribeParams = read(method, params)?;
            let ended = self.running().remove(&params.workbench_id);
            return Ok((json!({ "ended": ended.inspect(CancellationToken::cancel).is_some() }), None));
        }
        let params: SubscribeParams = read(method, params)?;
        let opened = workbench.get().await?;
        // The call's own token is cancelled with the call, but the subscription continues.
        let context = CallContext { access: context.access, ..CallContext::new(context.actor) };
        let follow = follow::start(opened, context, &params.workbench_id, params.after).await?;
        let cursor = follow.cursor();
        let ends = CancellationToken::new();
        if let Some(old) = self.running().insert(params.workbench_id, ends.clone()) {
            old.cancel();
        }
        Ok((json!({ "cursor": cursor }), Some(Start { follow, out: self.out.clone(), ends })))
    }

    pub(super) fn end_all(&self) {
        self.running().drain().for_each(|(_, token)| token.cancel());
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A subscription that starts after the response to its call, so that no event precedes it.
pub(super) struct Start {
    follow: Follow,
    out: Out,
    ends: CancellationToken,
}

impl Start {
    pub(super) fn begin(self) {
        tokio::spawn(forward(self.follow, self.out, self.ends));
    }
}

async fn forward(mut follow: Follow, out: Out, ends: CancellationToken) {
    loop {
        let next = tokio::select! {
            next = follow.next() => next,
            () = ends.cancelled() => return,
            () = out.closed() => return,
        };
        match next {
            Ok(Some(record)) => out.send(notification("event", &record)).await,
            Ok(None) => return,
            Err(error) => return out.send(notification("event_error", &error.info)).await,
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Result<T, OpError> {
    serde_json::from_value(params).map_err(|e| {
        OpError::new(Code::InvalidParams, format!("the parameters of {method} are wrong: {e}"))
            .hint(r#"for example: {"workbench_id":"board-deck","after":0}"#)
    })
}
