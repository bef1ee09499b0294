//! The consent gate: nothing leaves the machine without a person's consent for this workbench and this receiver.
//!
//! A scope is built from the assembled request itself. Its hash has two halves: the first identifies the names of what
//! is sent (files, items, entries), the second the exact content. A one-time consent covers both, a stored one only the
//! first.

use jig_context::artifact::FOLDER as ARTIFACTS_FOLDER;
use jig_contract::ops::{Consent, ConsentReach, ContextCategory, EgressScope, ReadableScope, Root};
use jig_contract::{Actor, BlobHash, Code, OpError};
use jig_store::{Head, Node};
use serde_json::json;

use crate::Workbench;
use crate::entries::ENTRIES_FOLDER;
use crate::sessions::AGENT_FOLDER;

/// The prefix of receivers that are MCP servers instead of models.
pub(crate) const MCP_RECEIVER: &str = "mcp:";

/// The folders of an agent workspace whose files packs send.
const PACK_FOLDERS: [&str; 2] = ["prompts/", "context/"];

/// The number of hexadecimal digits of a hash that identify names; the rest identifies content.
const NAMES_DIGITS: usize = 32;

/// What would be sent, with the state it comes from.
pub(crate) struct Sending<'a> {
    pub(crate) head: &'a Head,
    /// The state at the start of the run: what the agent adds later needs no further consent.
    pub(crate) began: BlobHash,
    /// The scope, with its hash.
    pub(crate) scope: EgressScope,
}

/// The consent that covers a call.
pub(crate) enum Covered {
    /// A stored consent.
    Lasting,
    /// One-time consents.
    Once(Vec<Consent>),
}

/// Adds the hash to a scope, computed from its names and the content.
pub(crate) fn sealed(mut scope: EgressScope, content: &BlobHash) -> EgressScope {
    for names in [
        &mut scope.files,
        &mut scope.items,
        &mut scope.entries,
        &mut scope.artifacts,
        &mut scope.documents,
        &mut scope.images,
        &mut scope.sources,
    ] {
        names.sort();
        names.dedup();
    }
    let content = content.to_string();
    scope.hash = format!("{}{}", names_hash(&scope), content.get(..64 - NAMES_DIGITS).unwrap_or_default());
    scope
}

/// The half of a hash that identifies the names.
pub(crate) fn names_half(hash: &str) -> &str {
    hash.get(..NAMES_DIGITS).unwrap_or(hash)
}

/// Hashes the names of what is sent.
fn names_hash(scope: &EgressScope) -> String {
    let EgressScope { model_id, host, files, items, documents, images, sources, .. } = scope;
    let named = if model_id.starts_with(MCP_RECEIVER) {
        // For an MCP server, consent covers the server; the arguments of its tools are decided for each call.
        json!({ "receiver": model_id, "host": host })
    } else if let Some(ReadableScope { files, entries, artifacts }) = &scope.readable {
        // Which entries and artifacts the first request contains depends on the message. What the agent can read does
        // not, and that is what people consent to.
        json!({ "receiver": model_id, "host": host, "run": true, "files": files, "items": items, "entries": entries,
                "artifacts": artifacts, "documents": documents, "images": images })
    } else {
        json!({ "receiver": model_id, "host": host, "files": files, "items": items, "entries": scope.entries,
                "artifacts": scope.artifacts, "documents": documents, "images": images, "sources": sources,
                "input": scope.input })
    };
    let hash = jig_store::hash_of(named.to_string().as_bytes()).to_string();
    names_half(&hash).to_owned()
}

impl Workbench {
    /// Everything in a workbench: files of the published state and of the Draft at the start of the run, items, kinds
    /// of entries, artifacts, and the documents of its own agent workspace.
    pub(crate) async fn inventory(&self, head: &Head, began: BlobHash) -> Result<EgressScope, OpError> {
        let mut files = Vec::new();
        for (root, state) in [(Root::Published, head.state), (Root::Draft, began)] {
            let names = self.store().files(state, root.folder()).await?;
            files.extend(names.into_iter().map(|(name, _)| name));
        }
        files.sort();
        files.dedup();
        let mut items = Vec::new();
        for category in ContextCategory::ALL {
            if self.store().lookup(head.state, &format!("meta/context/{category}")).await?.is_some() {
                items.push(category.to_string());
            }
        }
        let entries = self.kinds_with_entries(head.state).await?;
        let artifacts = self.store().files(began, ARTIFACTS_FOLDER).await?;
        let mut artifacts: Vec<String> =
            artifacts.iter().map(|(name, _)| name.strip_suffix(".json").unwrap_or(name).to_owned()).collect();
        artifacts.sort();
        let own = self.store().files(head.state, AGENT_FOLDER).await?.into_iter().map(|(name, _)| name);
        let mut documents: Vec<String> =
            own.filter(|name| PACK_FOLDERS.iter().any(|folder| name.starts_with(folder))).collect();
        documents.sort();
        Ok(EgressScope { files, items, entries, artifacts, documents, ..EgressScope::default() })
    }

    /// The kinds that have entries in a state.
    async fn kinds_with_entries(&self, state: BlobHash) -> Result<Vec<String>, OpError> {
        let Some(Node::Folder { hash, .. }) = self.store().lookup(state, ENTRIES_FOLDER).await? else {
            return Ok(Vec::new());
        };
        let mut kinds: Vec<String> = self.store().tree(&hash).await?.iter().map(|(name, _)| name.to_owned()).collect();
        kinds.sort();
        Ok(kinds)
    }

    /// Hashes the content that a run can send: files, items, entries and artifacts of a state.
    pub(crate) async fn materials(&self, head: &Head) -> Result<BlobHash, OpError> {
        let mut parts = vec![head.name.clone()];
        for folder in [Root::Published.folder(), Root::Draft.folder(), "meta/context", ENTRIES_FOLDER, ARTIFACTS_FOLDER]
        {
            let hash = self.hash_at(head.state, folder).await?;
            parts.push(hash.map(|hash| hash.to_string()).unwrap_or_default());
        }
        Ok(jig_store::hash_of(json!(parts).to_string().as_bytes()))
    }

    /// The consent that covers this, without consuming it.
    pub(crate) async fn covered(&self, sending: &Sending<'_>) -> Result<Covered, OpError> {
        let Sending { head, began, scope } = sending;
        let mut once = Vec::new();
        let mut inventory: Option<(bool, String)> = None;
        for consent in self.store().consents(&head.id).await? {
            // If the address has changed since, the data would go to another receiver.
            if consent.model_id != scope.model_id || consent.host != scope.host {
                continue;
            }
            let hash = consent.scope_hash.as_deref().unwrap_or_default();
            match consent.reach {
                ConsentReach::All => return Ok(Covered::Lasting),
                ConsentReach::Kept if names_half(hash) == names_half(&scope.hash) => return Ok(Covered::Lasting),
                ConsentReach::Kept => {
                    // The consent may cover everything that the workbench contained at the time.
                    if inventory.is_none() {
                        let held = self.inventory(head, *began).await?;
                        // A shared agent workspace can send documents that this workbench does not contain.
                        let holds = scope.documents.iter().chain(&scope.images).all(|one| held.documents.contains(one));
                        inventory = Some((holds, whole(held, &scope.model_id, &scope.host).hash));
                    }
                    if inventory.as_ref().is_some_and(|(holds, held)| *holds && names_half(held) == names_half(hash)) {
                        return Ok(Covered::Lasting);
                    }
                }
                ConsentReach::Once if hash == scope.hash => once.push(consent),
                ConsentReach::Once | ConsentReach::Secret => {}
            }
        }
        if once.is_empty() { Err(refused(scope).workbench(&head.id)) } else { Ok(Covered::Once(once)) }
    }

    /// Checks that sending is permitted. A one-time consent is consumed.
    pub(crate) async fn use_consent(&self, sending: &Sending<'_>) -> Result<(), OpError> {
        let Covered::Once(consents) = self.covered(sending).await? else { return Ok(()) };
        for once in &consents {
            if self.store().drop_consent(&sending.head.id, &once.id).await? {
                return Ok(());
            }
        }
        Err(refused(&sending.scope).workbench(&sending.head.id))
    }
}

/// The scope of an entire workbench, which a stored consent covers if it was given before any call.
pub(crate) fn whole(held: EgressScope, receiver: &str, host: &str) -> EgressScope {
    let (model_id, host) = (receiver.to_owned(), host.to_owned());
    let sources = vec!["*".to_owned()];
    let mut scope = sealed(EgressScope { model_id, host, sources, ..held }, &BlobHash::from_bytes([0; 32]));
    scope.sources.clear();
    scope
}

pub(crate) fn refused(scope: &EgressScope) -> OpError {
    let EgressScope { model_id, host, hash, .. } = scope;
    let mut error = OpError::new(
        Code::EgressConsentRequired,
        format!("consent required: no one has agreed yet to send this to {model_id} ({host})"),
    )
    .action("consent")
    .hint(format!("`jig consent grant {model_id} --scope-hash {hash}` agrees to exactly what this call would send"));
    if model_id.starts_with(MCP_RECEIVER) {
        error = error.hint("`--reach kept` agrees to every call of this server's tools in this workbench");
    } else {
        error = error
            .hint("`--reach kept` agrees as long as the same files, items, entries and artifacts are sent, `--reach all` whatever is added later")
            .hint("`--model offline:extract` sends nothing");
    }
    error.detail(json!({ "scope": scope }))
}

/// The display name of the person who consented.
pub(crate) fn name_of(actor: &Actor) -> String {
    match actor {
        Actor::Person { name: Some(name) } => name.clone(),
        _ => "person".to_owned(),
    }
}
