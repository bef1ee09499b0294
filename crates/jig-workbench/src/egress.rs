//! The gate: nothing leaves the machine before somebody has agreed to it, for this workbench and this model.

use jig_contract::ops::{Consent, ConsentReach, ContextCategory, EgressScope, Root};
use jig_contract::{Actor, Code, OpError, WorkbenchId};
use jig_store::Head;
use serde_json::json;

use crate::Workbench;

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
    /// What a call to a model may carry. Its hash changes when a file or an item comes or goes, not when one is edited:
    /// people agree to what kind of thing is sent, and would stop reading a question that comes with every edit.
    pub(crate) async fn egress_scope(
        &self,
        head: &Head,
        model_id: &str,
        host: &str,
        beside: &Beside,
    ) -> Result<EgressScope, OpError> {
        let mut files = Vec::new();
        for root in [Root::Published, Root::Draft] {
            let names = self.store().files(head.state, root.folder()).await?;
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
        let (model_id, host, input) = (model_id.to_owned(), host.to_owned(), beside.words());
        let mut scope = EgressScope { model_id, host, files, items, input, hash: String::new() };
        scope.hash = hash_of(&scope, scope.input.as_deref());
        Ok(scope)
    }

    /// Whether this may be sent. A consent for one call is used up by it.
    pub(crate) async fn use_consent(&self, id: &WorkbenchId, scope: &EgressScope) -> Result<(), OpError> {
        let consents = self.store().consents(id).await?;
        // Who agrees to all that the workbench holds also agrees to what they hand over with the call itself.
        let covering = [scope.hash.clone(), hash_of(scope, None)];
        let covers = |consent: &&Consent| {
            let same = consent.scope_hash.as_ref().is_some_and(|hash| covering.contains(hash));
            // An address that was changed since leads to somebody else.
            let to_them = consent.model_id == scope.model_id && consent.host == scope.host;
            to_them && (consent.reach == ConsentReach::All || same)
        };
        // One that stays before one that is used up.
        let lasting = consents.iter().filter(covers).find(|consent| consent.reach != ConsentReach::Once);
        if lasting.is_some() {
            return Ok(());
        }
        for once in consents.iter().filter(covers) {
            if self.store().drop_consent(id, &once.id).await? {
                return Ok(());
            }
        }
        Err(refused(scope))
    }
}

/// The hash of what would be sent, with this beside it.
fn hash_of(scope: &EgressScope, input: Option<&str>) -> String {
    let EgressScope { model_id, host, files, items, .. } = scope;
    let hashed = json!({ "model": model_id, "host": host, "files": files, "items": items, "input": input });
    jig_store::hash_of(hashed.to_string().as_bytes()).to_string()
}

fn refused(scope: &EgressScope) -> OpError {
    let EgressScope { model_id, host, hash, .. } = scope;
    let words = format!("nobody has agreed yet that content of this workbench goes to {model_id} ({host})");
    OpError::new(Code::EgressConsentRequired, words)
        .action("consent")
        .hint(format!("`jig consent grant {model_id} --scope-hash {hash}` agrees to one call with what `detail` lists"))
        .hint("`--reach kept` agrees as long as no file or item is added, `--reach all` whatever is added later")
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
