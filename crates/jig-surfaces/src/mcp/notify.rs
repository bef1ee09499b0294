//! Telling a client that resources changed.
//!
//! The newer protocol has one long request for this (`subscriptions/listen`), the older one a
//! subscription for each address. Both end here: a workbench is followed, and after each change the
//! addresses that the client named are compared with what they were.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jig_contract::ops::{ArtifactOutput, ContextGetArtifactOutput, FileInfo};
use jig_contract::{Event, OpError};
use jig_workbench::{CallContext, Workbench};
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::resources::get;
use super::uri::{Address, What};
use crate::{Follow, follow};

/// Where notifications go.
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
}

/// What a client wants to hear of one workbench.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) uris: BTreeSet<String>,
    pub(super) list: bool,
}

/// Sorts addresses by workbench; those that are none of ours are left out.
pub(super) fn by_workbench(uris: &[String]) -> BTreeMap<String, Wanted> {
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    for uri in uris {
        if let Some(address) = Address::parse(uri) {
            wanted.entry(address.workbench).or_default().uris.insert(uri.clone());
        }
    }
    wanted
}

/// Follows one workbench for one client.
pub(super) struct Watch {
    workbench: Workbench,
    call: CallContext,
    follow: Follow,
    wanted: Arc<Mutex<Wanted>>,
    known: HashMap<String, Option<String>>,
    sink: Sink,
}

impl Watch {
    /// Begins to follow: no change from here on is missed.
    pub(super) async fn start(
        workbench: Workbench,
        call: CallContext,
        id: &str,
        wanted: Arc<Mutex<Wanted>>,
        sink: Sink,
    ) -> Result<Self, OpError> {
        let follow = follow::start(&workbench, call.clone(), id, None).await?;
        let uris = lock(&wanted).uris.clone();
        let mut known = HashMap::new();
        for uri in uris {
            let mark = mark(&workbench, &call, &uri).await;
            known.insert(uri, mark);
        }
        Ok(Self { workbench, call, follow, wanted, known, sink })
    }

    /// Says of everything wanted that it may have changed, for a client that was answered before the start.
    pub(super) async fn tell_all(&self) {
        let wanted = lock(&self.wanted).clone();
        if wanted.list {
            self.sink.list_changed().await;
        }
        for uri in wanted.uris {
            self.sink.updated(&uri).await;
        }
    }

    /// Tells of what is wanted and changes, until the token ends it or nobody listens.
    pub(super) async fn run(mut self, ends: CancellationToken) -> Result<(), OpError> {
        loop {
            let record = tokio::select! {
                record = self.follow.next() => record?,
                () = ends.cancelled() => return Ok(()),
            };
            let Some(record) = record else { return Ok(()) };
            if let Event::Changed { entry } = record.event
                && !self.tell(entry.state_before != entry.state_after).await
            {
                return Ok(());
            }
        }
    }

    /// Whether somebody still listens.
    async fn tell(&mut self, state_changed: bool) -> bool {
        let wanted = lock(&self.wanted).clone();
        if wanted.list && state_changed && !self.sink.list_changed().await {
            return false;
        }
        for uri in wanted.uris {
            let mark = mark(&self.workbench, &self.call, &uri).await;
            if self.known.get(&uri) != Some(&mark) && !self.sink.updated(&uri).await {
                return false;
            }
            self.known.insert(uri, mark);
        }
        true
    }
}

/// What tells two contents of an address apart.
async fn mark(workbench: &Workbench, call: &CallContext, uri: &str) -> Option<String> {
    let address = Address::parse(uri)?;
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
        // Both can change with every change.
        What::Diff | What::Journal => {
            let value = workbench.call("WorkbenchGet", call.clone(), json!({ "workbench_id": id })).await.ok()?;
            Some(value["seq"].to_string())
        }
    }
}

/// The addresses that a client of the older protocol subscribed to, one watcher for each workbench.
#[derive(Default)]
pub(super) struct Subscribed(Mutex<HashMap<String, Watched>>);

struct Watched {
    wanted: Arc<Mutex<Wanted>>,
    ends: CancellationToken,
}

impl Subscribed {
    /// Adds an address. The first of a workbench starts its watcher, before this returns.
    pub(super) async fn add(
        &self,
        workbench: Workbench,
        call: CallContext,
        id: &str,
        uri: &str,
        sink: Sink,
    ) -> Result<(), OpError> {
        if let Some(watched) = lock(&self.0).get(id) {
            lock(&watched.wanted).uris.insert(uri.to_owned());
            return Ok(());
        }
        let wanted = Wanted { uris: BTreeSet::from([uri.to_owned()]), list: true };
        let watched = Watched { wanted: Arc::new(Mutex::new(wanted)), ends: CancellationToken::new() };
        let watch = Watch::start(workbench, call, id, Arc::clone(&watched.wanted), sink).await?;
        let (ends, name) = (watched.ends.clone(), id.to_owned());
        tokio::spawn(async move {
            if let Err(error) = watch.run(ends).await {
                tracing::warn!(workbench = %name, "notifications ended: {error}");
            }
        });
        if let Some(other) = lock(&self.0).insert(id.to_owned(), watched) {
            other.ends.cancel();
        }
        Ok(())
    }

    /// Takes an address away. The last of a workbench ends its watcher.
    pub(super) fn remove(&self, id: &str, uri: &str) {
        let mut all = lock(&self.0);
        let Some(watched) = all.get(id) else { return };
        let mut wanted = lock(&watched.wanted);
        wanted.uris.remove(uri);
        let last = wanted.uris.is_empty();
        drop(wanted);
        if last && let Some(watched) = all.remove(id) {
            watched.ends.cancel();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
