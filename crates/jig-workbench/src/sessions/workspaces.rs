//! Agent workspaces: resolving references, and reading by hash.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jig_context::agent::{
    Compiled, FileRef, Files, Options, Problem, Reference, SHIPPED_VERSION, Snapshot, Standing, WorkspaceName, compile,
    shipped,
};
use jig_contract::ops::{AgentProblem, AgentVersion};
use jig_contract::{BlobHash, Code, OpError};
use jig_session::{Decision, Policy};
use jig_store::{Head, JournalQuery, Node, hash_of};

use crate::Workbench;

/// The folder of the workbench's own workspace in its state.
pub(crate) const AGENT_FOLDER: &str = "agent";

/// A workspace at a version.
pub(crate) struct Resolved {
    /// The version.
    pub(crate) version: AgentVersion,
    /// The files.
    pub(crate) files: Files,
}

static SHIPPED: LazyLock<(BlobHash, Files)> = LazyLock::new(|| {
    let file = |(path, bytes): (&String, &Vec<u8>)| {
        (path.clone(), FileRef { hash: hash_of(bytes), bytes: bytes.len() as u64 })
    };
    let files: Files = shipped().iter().map(file).collect();
    let list: Vec<String> = files.iter().map(|(path, file)| format!("{} {path}\n", file.hash)).collect();
    (hash_of(list.concat().as_bytes()), files)
});

impl Workbench {
    /// Resolves a reference once; everything else is read relative to the root that it returns.
    pub(crate) async fn resolve_workspace(&self, head: &Head, reference: &Reference) -> Result<Resolved, OpError> {
        let found = match &reference.name {
            WorkspaceName::Shipped => shipped_workspace(reference),
            WorkspaceName::Own => self.own_workspace(head, reference.version).await?,
            WorkspaceName::Shared(name) => self.shared_workspace(name, reference.version).await?,
        };
        match found {
            Some(found) => Ok(found),
            None => Err(self.no_workspace(reference).await),
        }
    }

    async fn own_workspace(&self, head: &Head, version: Option<u64>) -> Result<Option<Resolved>, OpError> {
        let (state, seq) = match version {
            None => (head.state, head.seq),
            Some(0) => return Ok(None),
            Some(seq) => {
                let query = JournalQuery::After { seq: seq - 1, limit: 1 };
                let rows = self.store().journal(&head.id, query).await?;
                match rows.first().filter(|row| row.seq == seq) {
                    Some(row) => (row.state_after, seq),
                    None => return Ok(None),
                }
            }
        };
        let Some(Node::Folder { hash, .. }) = self.store().lookup(state, AGENT_FOLDER).await? else { return Ok(None) };
        let files = self.tree_files(hash).await?;
        let version = version_of("own", seq, hash);
        Ok(Some(Resolved { version, files }))
    }

    async fn shared_workspace(&self, name: &str, version: Option<u64>) -> Result<Option<Resolved>, OpError> {
        if version == Some(0) {
            return Ok(None);
        }
        let Some(found) = self.store().agent_version(name, version).await? else { return Ok(None) };
        let files = self.tree_files(found.root).await?;
        Ok(Some(Resolved { version: shared_version(found), files }))
    }

    /// The files below a root, by path.
    pub(crate) async fn tree_files(&self, root: BlobHash) -> Result<Files, OpError> {
        let files = self.store().files(root, "").await?;
        Ok(files.into_iter().map(|(path, node)| (path, FileRef { hash: node.hash, bytes: node.bytes })).collect())
    }

    async fn no_workspace(&self, reference: &Reference) -> OpError {
        let names = self.store().agent_workspaces().await.unwrap_or_default();
        let names = names.into_iter().map(|version| version.name).chain(["own".to_owned(), "jig".to_owned()]);
        let near = crate::state::nearest(&reference.name.to_string(), names);
        let hint = match reference.name {
            WorkspaceName::Own => {
                "`jig agent push DIR` makes this workbench's own; `jig agent pull jig DIR` gives one to start from"
            }
            _ => "`jig agent list` shows the workspaces, `jig agent log NAME` the versions of one",
        };
        OpError::new(Code::AgentWorkspaceNotFound, format!("there is no agent workspace `{reference}`"))
            .suggest(near)
            .hint(hint)
    }

    /// The content of a workspace file.
    pub(crate) async fn workspace_bytes(&self, hash: &BlobHash) -> Result<Vec<u8>, OpError> {
        if let Some(bytes) = shipped().values().find(|bytes| hash_of(bytes) == *hash) {
            return Ok(bytes.clone());
        }
        Ok(self.store().blobs().get(hash).await?.to_vec())
    }

    /// Compiles a workspace, reading only files that its index leads to.
    pub(crate) async fn compile_workspace(
        &self,
        resolved: &Resolved,
        policy: &Policy,
    ) -> Result<Result<Snapshot, Vec<Problem>>, OpError> {
        self.compile_root(resolved.version.root, &resolved.files, policy).await
    }

    /// Compiles files that are not a version yet, to report their errors.
    pub(crate) async fn compile_files(&self, files: Files) -> Result<Result<Snapshot, Vec<Problem>>, OpError> {
        self.compile_root(hash_of(b""), &files, &Policy::default()).await
    }

    async fn compile_root(
        &self,
        root: BlobHash,
        files: &Files,
        policy: &Policy,
    ) -> Result<Result<Snapshot, Vec<Problem>>, OpError> {
        let bindings = self.bindings();
        let standing = |name: &str| match bindings.get(name) {
            None => Standing::Unbound,
            Some(binding) if policy.decide(&binding.capability) == Decision::Deny => Standing::NotPermitted,
            Some(_) => Standing::Bound,
        };
        let mut contents: BTreeMap<BlobHash, Vec<u8>> = BTreeMap::new();
        loop {
            let compiled = {
                let options = Options { legacy: self.legacy_tools(), standing: &standing };
                compile(root, files, &contents, &options)
            };
            let needs = match compiled {
                Compiled::Ready(snapshot) => return Ok(Ok(snapshot)),
                Compiled::Wrong(problems) => return Ok(Err(problems)),
                Compiled::Needs(needs) => needs,
            };
            for hash in needs {
                contents.insert(hash, self.workspace_bytes(&hash).await?);
            }
        }
    }
}

fn shipped_workspace(reference: &Reference) -> Option<Resolved> {
    if reference.version.is_some_and(|version| version != SHIPPED_VERSION) {
        return None;
    }
    let (root, files) = &*SHIPPED;
    Some(Resolved { version: version_of("jig", SHIPPED_VERSION, *root), files: files.clone() })
}

fn version_of(name: &str, version: u64, root: BlobHash) -> AgentVersion {
    AgentVersion {
        name: name.to_owned(),
        version,
        root,
        reference: format!("{name}@{version}"),
        message: String::new(),
        actor: None,
        at: None,
    }
}

/// The wire form of a shared version.
pub(crate) fn shared_version(found: jig_store::AgentVersion) -> AgentVersion {
    let jig_store::AgentVersion { name, version, root, actor, message, at } = found;
    AgentVersion { message, actor: Some(actor), at: Some(at), ..version_of(&name, version, root) }
}

/// The version of the workbench's own workspace at a journal entry.
pub(crate) fn own_version(entry: &jig_contract::ops::JournalEntry, root: BlobHash) -> AgentVersion {
    let (message, actor, at) = (entry.summary.clone(), Some(entry.actor.clone()), Some(entry.at));
    AgentVersion { message, actor, at, ..version_of("own", entry.seq, root) }
}

/// The wire form of problems.
pub(crate) fn shown_problems(problems: Vec<Problem>) -> Vec<AgentProblem> {
    let one =
        |problem: Problem| AgentProblem { file: problem.file, pointer: problem.pointer, message: problem.message };
    problems.into_iter().map(one).collect()
}
