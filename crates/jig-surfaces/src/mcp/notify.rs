//! Notifies clients about changed resources.
//!
//! The newer protocol has one long-running request for this (`subscriptions/listen`), the older one a subscription per
//! URI. Both are implemented here: a workbench is followed, and after each change the subscribed resources are compared
//! with their previous version.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jig_contract::ops::{ArtifactOutput, ContextGetArtifactOutput, FileInfo};
use jig_contract::{Effect, Event, OpError, find};
use jig_workbench::Workbench;
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::caller::Caller;
use super::resources::get;
use super::uri::{Address, What};
use super::{prompts, skills};
use crate::{Follow, follow};

/// The recipient of notifications.
#[derive(Clone)]
pub(super) enum Sink {
    Listen(SubscriptionSink),
    Peer(Peer<RoleServer>),
}

impl Sink {
    async fn updated(&self, uri: &str) -> bool {
        match self {
            Self::Listen(sink) => sink.notify_resource_updated(uri).await.is_ok(),
            Self::Peer(peer) => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok(),
        }
    }

    async fn list_changed(&self) -> bool {
        match self {
            Self::Listen(sink) => sink.notify_resource_list_changed().await.is_ok(),
            Self::Peer(peer) => peer.notify_resource_list_changed().await.is_ok(),
        }
    }

    async fn prompts_changed(&self) -> bool {
        match self {
            Self::Listen(sink) => sink.notify_prompt_list_changed().await.is_ok(),
            Self::Peer(peer) => peer.notify_prompt_list_changed().await.is_ok(),
        }
    }
}

/// The subscriptions of a client in one workbench.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// URIs with a version mark of their last known content.
    pub(super) uris: BTreeMap<String, Option<String>>,
    pub(super) list: bool,
    pub(super) prompts: bool,
}

/// Groups URIs by workbench; foreign URIs are dropped.
pub(super) fn by_workbench(uris: &[String]) -> BTreeMap<String, Wanted> {
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    for uri in uris {
        if let Some(id) = workbench_of(uri) {
            wanted.entry(id).or_default().uris.insert(uri.clone(), None);
        }
    }
    wanted
}

/// The workbench of a URI. Built-in content has none and never changes.
pub(super) fn workbench_of(uri: &str) -> Option<String> {
    match Address::parse(uri) {
        Some(address) => Some(address.workbench),
        None => skills::workbench_of(uri).map(str::to_owned),
    }
}

/// Follows one workbench for one client.
pub(super) struct Watch {
    workbench: Workbench,
    caller: Caller,
    follow: Follow,
    wanted: Arc<Mutex<Wanted>>,
    prompts: Option<String>,
    sink: Sink,
}

impl Watch {
    /// Starts following: no change from here on is missed.
    pub(super) async fn start(
        workbench: Workbench,
        caller: Caller,
        id: &str,
        wanted: Arc<Mutex<Wanted>>,
        sink: Sink,
    ) -> Result<Self, OpError> {
        let caller = Caller { bound: Some(id.to_owned()), ..caller };
        let follow = follow::start(&workbench, caller.context.clone(), id, None).await?;
        let now = lock(&wanted).clone();
        for (uri, _) in now.uris {
            let mark = mark(&workbench, &caller, &uri).await;
            lock(&wanted).uris.insert(uri, mark);
        }
        let prompts = if now.prompts { prompts::mark(&workbench, &caller).await } else { None };
        Ok(Self { workbench, caller, follow, wanted, prompts, sink })
    }

    /// Sends a notification for all subscriptions, for a client that was answered before the start.
    pub(super) async fn tell_all(&self) {
        let wanted = lock(&self.wanted).clone();
        if wanted.list {
            self.sink.list_changed().await;
        }
        if wanted.prompts {
            self.sink.prompts_changed().await;
        }
        for uri in wanted.uris.into_keys() {
            self.sink.updated(&uri).await;
        }
    }

    /// Sends notifications until the token is cancelled or the client has disconnected.
    pub(super) async fn run(mut self, ends: CancellationToken) -> Result<(), OpError> {
        loop {
            let record = tokio::select! {
                record = self.follow.next() => record?,
                () = ends.cancelled() => return Ok(()),
            };
            let Some(record) = record else { return Ok(()) };
            if let Event::Changed { entry } = record.event
                && !self.tell(entry.state_before != entry.state_after, &entry.operation).await
            {
                return Ok(());
            }
        }
    }

    /// Returns whether the client is still connected.
    async fn tell(&mut self, state_changed: bool, operation: &str) -> bool {
        let wanted = lock(&self.wanted).clone();
        if wanted.list && state_changed && !self.sink.list_changed().await {
            return false;
        }
        // Draft writes affect neither recipes nor packs.
        let of_draft = find(operation).is_some_and(|op| op.effect == Effect::Draft);
        if wanted.prompts && state_changed && !of_draft {
            let now = prompts::mark(&self.workbench, &self.caller).await;
            if now != self.prompts && !self.sink.prompts_changed().await {
                return false;
            }
            self.prompts = now;
        }
        for (uri, known) in wanted.uris {
            let mark = mark(&self.workbench, &self.caller, &uri).await;
            if known != mark && !self.sink.updated(&uri).await {
                return false;
            }
            // It may have been unsubscribed in the meantime.
            if let Some(known) = lock(&self.wanted).uris.get_mut(&uri) {
                *known = mark;
            }
        }
        true
    }
}

/// The version mark of a resource.
async fn mark(workbench: &Workbench, caller: &Caller, uri: &str) -> Option<String> {
    if skills::is_skill(uri) {
        return skills::mark(workbench, caller, uri).await;
    }
    let (address, call) = (Address::parse(uri)?, &caller.context);
    let id = address.workbench;
    match address.what {
        What::File(root, path) => {
            let params = json!({ "workbench_id": id, "path": path, "root": root });
            let info: FileInfo = get(workbench, "FileGetInfo", call, params).await.ok()?;
            Some(info.hash.to_string())
        }
        What::Item(item, path) => {
            let params = json!({ "workbench_id": id, "category": item });
            let artifact: ContextGetArtifactOutput = get(workbench, "ContextGetArtifact", call, params).await.ok()?;
            artifact.files.into_iter().find(|file| file.path == path).map(|file| file.content)
        }
        What::Artifact(slug, section) => {
            let sections: Vec<String> = section.into_iter().collect();
            let params = json!({ "workbench_id": id, "slug": slug, "sections": sections });
            let found: ArtifactOutput = get(workbench, "ArtifactGet", call, params).await.ok()?;
            let one = found.artifact.sections.into_iter().next().filter(|_| !sections.is_empty());
            one.map_or(found.artifact.content, |section| section.content)
        }
        What::Map(path) | What::Text(path, _) => {
            let params = json!({ "workbench_id": id, "path": path });
            let info: FileInfo = get(workbench, "FileGetInfo", call, params).await.ok()?;
            Some(info.hash.to_string())
        }
        What::Entry(role, key) => {
            let params = json!({ "workbench_id": id, "role": role, "entry_key": key });
            let value = workbench.call("EntryGet", call.clone(), params).await.ok()?;
            Some(value["entry"]["revision"].to_string())
        }
        // Any change may affect both.
        What::Diff | What::Journal => {
            let value = workbench.call("WorkbenchGet", call.clone(), json!({ "workbench_id": id })).await.ok()?;
            Some(value["seq"].to_string())
        }
    }
}

/// Subscriptions of a client of the older protocol, with one watcher per workbench.
#[derive(Default)]
pub(super) struct Subscribed(tokio::sync::Mutex<HashMap<String, Watched>>);

struct Watched {
    wanted: Arc<Mutex<Wanted>>,
    ends: CancellationToken,
}

impl Subscribed {
    /// Adds a URI, or only the lists. The first one in a workbench starts its watcher before this returns.
    pub(super) async fn add(
        &self,
        workbench: Workbench,
        caller: Caller,
        id: &str,
        uri: Option<&str>,
        sink: Sink,
    ) -> Result<(), OpError> {
        // Locked while a watcher starts; otherwise two concurrent ones would each know half of the URIs.
        let mut all = self.0.lock().await;
        if let Some(watched) = all.get(id) {
            if let Some(uri) = uri {
                let mark = mark(&workbench, &caller, uri).await;
                lock(&watched.wanted).uris.insert(uri.to_owned(), mark);
            }
            return Ok(());
        }
        let uris = uri.map(|uri| (uri.to_owned(), None)).into_iter().collect();
        let wanted = Wanted { uris, list: true, prompts: true };
        let watched = Watched { wanted: Arc::new(Mutex::new(wanted)), ends: CancellationToken::new() };
        let watch = Watch::start(workbench, caller, id, Arc::clone(&watched.wanted), sink).await?;
        let (ends, name) = (watched.ends.clone(), id.to_owned());
        tokio::spawn(async move {
            if let Err(error) = watch.run(ends).await {
                tracing::warn!(workbench = %name, "notifications ended: {error}");
            }
        });
        all.insert(id.to_owned(), watched);
        Ok(())
    }

    /// Removes a URI. Changes of the lists are still reported.
    pub(super) async fn remove(&self, id: &str, uri: &str) {
        if let Some(watched) = self.0.lock().await.get(id) {
            lock(&watched.wanted).uris.remove(uri);
        }
    }
}

/// Stops the watchers with their connection.
impl Drop for Subscribed {
    fn drop(&mut self) {
        for watched in self.0.get_mut().values() {
            watched.ends.cancel();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
