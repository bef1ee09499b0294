//! Agent workspaces: resolving references, listing content, comparing versions.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_context::agent::{Files, Reference, WorkspaceName};
use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use jig_store::{Head, JournalQuery};

use crate::entries::page_limit;
use crate::sessions::{AGENT_FOLDER, bad_reference, lines, own_version, shared_version, shown_problems};
use crate::{CallContext, Handle, Workbench};

/// The maximum size of a text for which a diff is shown, in bytes.
const DIFF_MAX: u64 = 256 << 10;

impl Handle<AgentWorkspaceResolve> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentWorkspaceResolveParams,
    ) -> Result<AgentWorkspaceResolveOutput, OpError> {
        let head = self.enter_lightly(&params.workbench_id.check()?).await?.head;
        let resolved = self.resolve_workspace(&head, &whole(&params.reference)?).await?;
        let compiled = self.compile_workspace(&resolved, &jig_session::Policy::default()).await?;
        let file = |(path, file): (&String, &jig_context::agent::FileRef)| AgentFileInfo {
            path: path.clone(),
            hash: file.hash,
            bytes: file.bytes,
        };
        let mut output = AgentWorkspaceResolveOutput {
            files: resolved.files.iter().map(file).collect(),
            version: resolved.version,
            packs: Vec::new(),
            catalogs: Vec::new(),
            unbound: Vec::new(),
            warnings: Vec::new(),
            problems: Vec::new(),
        };
        match compiled {
            Ok(snapshot) => {
                output.packs = snapshot.packs.keys().cloned().collect();
                let catalog = |catalog: &jig_context::agent::Catalog| AgentCatalogInfo {
                    id: catalog.id.clone(),
                    tools: catalog.tools.iter().map(|tool| tool.name.clone()).collect(),
                };
                output.catalogs = snapshot.catalogs.values().map(catalog).collect();
                output.unbound = snapshot.coverage.unbound.into_iter().collect();
                output.warnings = snapshot.warnings;
            }
            Err(problems) => output.problems = shown_problems(problems),
        }
        Ok(output)
    }
}

impl Handle<AgentWorkspaceList> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentWorkspaceListParams,
    ) -> Result<AgentWorkspaceListOutput, OpError> {
        let head = self.enter_lightly(&params.workbench_id.check()?).await?.head;
        let mut workspaces = Vec::new();
        for name in [WorkspaceName::Own, WorkspaceName::Shipped] {
            match self.resolve_workspace(&head, &Reference { name, version: None, path: None }).await {
                Ok(resolved) => workspaces.push(resolved.version),
                Err(error) if error.code() == Code::AgentWorkspaceNotFound => {}
                Err(error) => return Err(error),
            }
        }
        workspaces.extend(self.store().agent_workspaces().await?.into_iter().map(shared_version));
        Ok(AgentWorkspaceListOutput { workspaces })
    }
}

impl Handle<AgentWorkspaceRead> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentWorkspaceReadParams,
    ) -> Result<AgentWorkspaceReadOutput, OpError> {
        let head = self.enter_lightly(&params.workbench_id.check()?).await?.head;
        let reference: Reference = params.reference.parse().map_err(bad_reference)?;
        let Some(path) = reference.path.clone() else {
            return Err(OpError::new(Code::ValidationFailed, "the reference names no file")
                .hint("name one, for example `jig/agent.workspace.json`"));
        };
        let resolved = self.resolve_workspace(&head, &reference).await?;
        let Some(file) = resolved.files.get(path.as_str()) else {
            let names = resolved.files.keys().cloned();
            let near = crate::state::nearest(path.as_str(), names);
            let words = format!("there is no file `{path}` in {}", resolved.version.reference);
            return Err(OpError::new(Code::FileNotFound, words).suggest(near));
        };
        let bytes = self.workspace_bytes(&file.hash).await?;
        let path = path.to_string();
        let shown = match String::from_utf8(bytes) {
            Ok(text) => AgentFile { path, text: Some(text), base64: None },
            Err(error) => AgentFile { path, text: None, base64: Some(STANDARD.encode(error.into_bytes())) },
        };
        Ok(AgentWorkspaceReadOutput { version: resolved.version, file: shown, hash: file.hash })
    }
}

impl Handle<AgentWorkspaceDiff> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentWorkspaceDiffParams,
    ) -> Result<AgentWorkspaceDiffOutput, OpError> {
        let head = self.enter_lightly(&params.workbench_id.check()?).await?.head;
        let from = self.resolve_workspace(&head, &whole(&params.from)?).await?;
        let to = self.resolve_workspace(&head, &whole(&params.to)?).await?;
        let changes = self.agent_changes(&from.files, &to.files).await?;
        Ok(AgentWorkspaceDiffOutput { from: from.version, to: to.version, changes })
    }
}

impl Handle<AgentWorkspaceHistory> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: AgentWorkspaceHistoryParams,
    ) -> Result<AgentWorkspaceHistoryOutput, OpError> {
        let head = self.enter_lightly(&params.workbench_id.check()?).await?.head;
        let limit = page_limit(params.limit)?;
        let reference = whole(params.name.as_deref().unwrap_or("own"))?;
        let versions = match &reference.name {
            WorkspaceName::Own => self.own_history(context, &head, limit).await?,
            WorkspaceName::Shipped => vec![self.resolve_workspace(&head, &reference).await?.version],
            WorkspaceName::Shared(name) => {
                self.store().agent_versions(name, limit).await?.into_iter().map(shared_version).collect()
            }
        };
        if versions.is_empty() {
            // Returns the error for a missing workspace, which lists the existing ones.
            self.resolve_workspace(&head, &reference).await?;
        }
        Ok(AgentWorkspaceHistoryOutput { versions })
    }
}

impl Workbench {
    /// The journal entries that changed the workbench's own workspace, newest first.
    async fn own_history(&self, context: &CallContext, head: &Head, limit: u32) -> Result<Vec<AgentVersion>, OpError> {
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            context.check_cancelled()?;
            let rows = self.store().journal(&head.id, JournalQuery::Before { seq: before, limit: 500 }).await?;
            for row in &rows {
                let was = self.hash_at(row.state_before, AGENT_FOLDER).await?;
                let is = self.hash_at(row.state_after, AGENT_FOLDER).await?;
                if let Some(root) = is.filter(|is| was != Some(*is)) {
                    found.push(own_version(row, root));
                }
                if found.len() >= limit as usize {
                    return Ok(found);
                }
            }
            match rows.last() {
                Some(last) if rows.len() == 500 => before = Some(last.seq),
                _ => return Ok(found),
            }
        }
    }

    /// The differences between two sets of files, with text diffs.
    pub(super) async fn agent_changes(&self, from: &Files, to: &Files) -> Result<Vec<AgentChange>, OpError> {
        let mut changes = Vec::new();
        let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        for path in paths {
            let (before, after) = (from.get(path), to.get(path));
            let kind = match (before, after) {
                (Some(before), Some(after)) if before.hash == after.hash => continue,
                (Some(_), Some(_)) => "changed",
                (None, _) => "added",
                (_, None) => "removed",
            };
            let mut texts = [String::new(), String::new()];
            let mut is_text = true;
            for (text, file) in texts.iter_mut().zip([before, after]) {
                let Some(file) = file else { continue };
                let bytes = if file.bytes <= DIFF_MAX { self.workspace_bytes(&file.hash).await.ok() } else { None };
                match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                    Some(found) => *text = found,
                    None => is_text = false,
                }
            }
            let diff = is_text.then(|| lines(&texts[0], &texts[1]));
            changes.push(AgentChange { path: path.clone(), kind: kind.to_owned(), diff });
        }
        Ok(changes)
    }
}

/// Parses a reference to a workspace; a reference to one of its files is an error.
pub(super) fn whole(text: &str) -> Result<Reference, OpError> {
    let reference: Reference = text.parse().map_err(bad_reference)?;
    if reference.path.is_some() {
        return Err(OpError::new(
            Code::ValidationFailed,
            format!("`{reference}` names a file; a workspace is meant here"),
        )
        .hint("leave out the path: `name[@version]`"));
    }
    Ok(reference)
}
