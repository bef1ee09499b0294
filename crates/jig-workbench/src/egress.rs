//! The gate: nothing leaves the machine before somebody has agreed to it, for this workbench and this model.

use jig_context::artifact::FOLDER as ARTIFACTS_FOLDER;
use jig_contract::ops::{Consent, ConsentReach, ContextCategory, EgressScope, Root};
use jig_contract::{Actor, BlobHash, Code, OpError, WorkbenchId};
use jig_store::{Head, Node};
use serde_json::json;

use crate::Workbench;
use crate::entries::ENTRIES_FOLDER;

/// What would be sent beside what the workbench holds: a text, or a file by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing.
    Nothing,
    /// A text that comes with the call.
    Text,
    /// A file that comes with the call.
    File(String),
}

impl Beside {
    fn words(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Text => Some("the text of this call".to_owned()),
            Self::File(name) => Some(format!("the file {name}")),
        }
    }
}

impl Workbench {
    /// What a call to a model may carry. Its hash changes when a file, an item or an artifact comes or goes, not when one is edited:
    /// people agree to what kind of thing is sent, and would stop reading a question that comes with every edit.
    pub(crate) async fn egress_scope(
        &self,
        head: &Head,
        model_id: &str,
        host: &str,
        beside: &Beside,
    ) -> Result<EgressScope, OpError> {
        self.egress_scope_since(head, head.state, model_id, host, beside).await
    }

    /// The same for a run that began at a state: what was made in the Draft meanwhile is the agent's own, and adds
    /// nothing that somebody would have to agree to again.
    pub(crate) async fn egress_scope_since(
        &self,
        head: &Head,
        began: BlobHash,
        model_id: &str,
        host: &str,
        beside: &Beside,
    ) -> Result<EgressScope, OpError> {
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
        let (model_id, host, input) = (model_id.to_owned(), host.to_owned(), beside.words());
        let mut scope = EgressScope { model_id, host, files, items, entries, artifacts, input, hash: String::new() };
        scope.hash = hash_of(&scope, scope.input.as_deref());
        Ok(scope)
    }

    /// The kinds of which a state has entries.
    async fn kinds_with_entries(&self, state: BlobHash) -> Result<Vec<String>, OpError> {
        let Some(Node::Folder { hash, .. }) = self.store().lookup(state, ENTRIES_FOLDER).await? else {
            return Ok(Vec::new());
        };
        let mut kinds: Vec<String> = self.store().tree(&hash).await?.iter().map(|(name, _)| name.to_owned()).collect();
        kinds.sort();
        Ok(kinds)
    }

    /// Whether this may be sent. A consent for one call is used up by it.
    pub(crate) async fn use_consent(&self, id: &WorkbenchId, scope: &EgressScope) -> Result<(), OpError> {
        let covering = self.covering(id, scope).await?;
        // One that stays before one that is used up.
        if covering.iter().any(|consent| consent.reach != ConsentReach::Once) {
            return Ok(());
        }
        for once in &covering {
            if self.store().drop_consent(id, &once.id).await? {
                return Ok(());
            }
        }
        Err(refused(scope))
    }

    /// Whether this could be sent now. Nothing is used up: what is queued asks again before it is sent.
    pub(crate) async fn check_consent(&self, id: &WorkbenchId, scope: &EgressScope) -> Result<(), OpError> {
        if self.covering(id, scope).await?.is_empty() { Err(refused(scope)) } else { Ok(()) }
    }

    /// Whether somebody has agreed beforehand to calls like this one, not only to one.
    pub(crate) async fn lasting_consent(&self, id: &WorkbenchId, scope: &EgressScope) -> Result<bool, OpError> {
        Ok(self.covering(id, scope).await?.iter().any(|consent| consent.reach != ConsentReach::Once))
    }

    /// The consents that this is covered by.
    async fn covering(&self, id: &WorkbenchId, scope: &EgressScope) -> Result<Vec<Consent>, OpError> {
        let mut consents = self.store().consents(id).await?;
        // Who agrees to all that the workbench holds also agrees to what they hand over with the call itself.
        let covering = [scope.hash.clone(), hash_of(scope, None)];
        consents.retain(|consent| {
            let same = consent.scope_hash.as_ref().is_some_and(|hash| covering.contains(hash));
            // An address that was changed since leads to somebody else.
            let to_them = consent.model_id == scope.model_id && consent.host == scope.host;
            to_them && (consent.reach == ConsentReach::All || same)
        });
        Ok(consents)
    }
}

/// The hash of what would be sent, with this beside it.
fn hash_of(scope: &EgressScope, input: Option<&str>) -> String {
    let EgressScope { model_id, host, files, items, entries, artifacts, .. } = scope;
    let mut hashed = json!({ "model": model_id, "host": host, "files": files, "items": items, "input": input });
    // Without them the hash is that of earlier versions: what was agreed to then still is.
    for (name, names) in [("entries", entries), ("artifacts", artifacts)] {
        if !names.is_empty() {
            hashed[name] = json!(names);
        }
    }
    jig_store::hash_of(hashed.to_string().as_bytes()).to_string()
}

fn refused(scope: &EgressScope) -> OpError {
    let EgressScope { model_id, host, hash, .. } = scope;
    let words = format!("nobody has agreed yet that content of this workbench goes to {model_id} ({host})");
    OpError::new(Code::EgressConsentRequired, words)
        .action("consent")
        .hint(format!("`jig consent grant {model_id} --scope-hash {hash}` agrees to one call with what `detail` lists"))
        .hint("`--reach kept` agrees as long as no file, item, kind of entry or artifact is added, `--reach all` whatever is added later")
        .hint("`--model offline:extract` sends nothing")
        .detail(json!({ "scope": scope }))
}

/// Who agreed, in words.
pub(crate) fn name_of(actor: &Actor) -> String {
    match actor {
        Actor::Person { name: Some(name) } => name.clone(),
        _ => "person".to_owned(),
    }
}
