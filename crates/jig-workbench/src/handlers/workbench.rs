//! Creating, listing, copying and deleting workbenches.

use std::path::Path;
use std::pin::Pin;

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchId, check_name};
use jig_store::{Head, StoreError};

use crate::state::View;
use crate::{CallContext, Handle, Workbench};

/// How many numbered variants of a suggested id are tried.
const NUMBERS: u32 = 10_000;

/// The future of a new workbench.
type Made<'m, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'm>>;

impl Workbench {
    async fn info(&self, head: &Head) -> Result<WorkbenchInfo, OpError> {
        let view = View::of(self.store(), head);
        let (files, bytes) = view.size(Root::Published).await?;
        let folder = self.folder(&head.id).map(|_| self.folder_path(&head.id).display().to_string());
        Ok(WorkbenchInfo {
            id: head.id.clone(),
            name: head.name.clone(),
            created_at: head.created_at,
            updated_at: head.updated_at,
            seq: head.seq,
            state: head.state,
            files,
            bytes,
            draft: view.draft().await?.map(Into::into),
            folder,
        })
    }

    /// Sends the events of a new workbench, creates its folder, and describes it.
    async fn welcome(&self, head: Head, entry: &JournalEntry) -> Result<WorkbenchInfo, OpError> {
        self.tell(&head.id, entry).await;
        let session = self.enter(&head.id).await?;
        self.info(&session.head).await
    }

    /// Tries the requested id, or numbered variants of a suggestion, until one is free.
    async fn with_free_id<'m, T: Send>(
        &self,
        wanted: Option<WorkbenchId>,
        suggested: &WorkbenchId,
        make: impl Fn(WorkbenchId) -> Made<'m, T> + Send + Sync,
    ) -> Result<T, OpError> {
        if let Some(id) = wanted {
            return Ok(make(id).await?);
        }
        let mut number = 1;
        loop {
            let id = if number == 1 { suggested.clone() } else { suggested.numbered(number) };
            match make(id).await {
                Err(StoreError::WorkbenchExists { .. }) if number < NUMBERS => number += 1,
                made => return Ok(made?),
            }
        }
    }
}

impl Handle<WorkbenchCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkbenchCreateParams) -> Result<WorkbenchInfo, OpError> {
        let name = check_name("workbench", &params.name)?;
        let wanted = params.id.map(|id| id.check()).transpose()?;
        let (head, entry) = self
            .with_free_id(wanted, &WorkbenchId::suggest(&name), |id| {
                Box::pin(self.store().create_workbench(id, name.clone(), context.actor.clone()))
            })
            .await?;
        self.welcome(head, &entry).await
    }
}

impl Handle<WorkbenchList> for Workbench {
    async fn handle(&self, context: &CallContext, _: WorkbenchListParams) -> Result<WorkbenchListOutput, OpError> {
        let mut workbenches = Vec::new();
        for head in self.store().heads().await?.into_iter().filter(|head| context.access.sees(&head.id)) {
            workbenches.push(self.info(&head).await?);
        }
        Ok(WorkbenchListOutput { workbenches })
    }
}

impl Handle<WorkbenchGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: WorkbenchGetParams) -> Result<WorkbenchInfo, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        self.info(&session.head).await
    }
}

impl Handle<WorkbenchRename> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkbenchRenameParams) -> Result<WorkbenchInfo, OpError> {
        let id = params.workbench_id.check()?;
        let name = check_name("workbench", &params.name)?;
        let mut session = self.enter(&id).await?;
        if session.head.name == name {
            return self.info(&session.head).await;
        }
        let (head, entry) = self.store().rename_workbench(&id, name, context.actor.clone()).await?;
        self.moved(&mut session, head, &entry).await;
        self.info(&session.head).await
    }
}

impl Handle<WorkbenchClone> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkbenchCloneParams) -> Result<WorkbenchInfo, OpError> {
        let from = params.workbench_id.check()?;
        let name = check_name("workbench", &params.name)?;
        let wanted = params.id.map(|id| id.check()).transpose()?;
        let session = self.enter(&from).await?;
        let (head, entry) = self
            .with_free_id(wanted, &WorkbenchId::suggest(&name), |id| {
                Box::pin(self.store().clone_workbench(&from, id, name.clone(), context.actor.clone()))
            })
            .await?;
        drop(session);
        self.welcome(head, &entry).await
    }
}

impl Handle<WorkbenchExport> for Workbench {
    async fn handle(&self, _: &CallContext, params: WorkbenchExportParams) -> Result<WorkbenchExportOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let to = Path::new(&params.to);
        if !params.overwrite && tokio::fs::try_exists(to).await.unwrap_or(false) {
            return Err(OpError::new(Code::FileExists, format!("`{}` exists already", params.to))
                .hint("choose another name, or overwrite it with `--overwrite`"));
        }
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            return Err(OpError::new(Code::FileWriteFailed, format!("there is no folder `{}`", parent.display()))
                .hint("make the folder first, or choose another"));
        }
        let report = self.store().export(&session.id, to).await?;
        Ok(WorkbenchExportOutput { to: params.to, bytes: report.bytes, changes: report.changes, blobs: report.blobs })
    }
}

impl Handle<WorkbenchImport> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkbenchImportParams) -> Result<WorkbenchInfo, OpError> {
        let wanted = params.id.map(|id| id.check()).transpose()?;
        let name = params.name.map(|name| check_name("workbench", &name)).transpose()?;
        let from = Path::new(&params.from);
        let readable = tokio::fs::metadata(from).await.is_ok_and(|m| m.is_file());
        if !readable {
            return Err(OpError::new(Code::FileNotFound, format!("there is no archive `{}`", params.from))
                .hint("name a `.jig` file that `jig export` has written"));
        }
        let (head, entry) = self.store().import(from, wanted, name, context.actor.clone()).await?;
        self.welcome(head, &entry).await
    }
}

impl Handle<WorkbenchDelete> for Workbench {
    async fn handle(&self, _: &CallContext, params: WorkbenchDeleteParams) -> Result<WorkbenchDeleteOutput, OpError> {
        let id = params.workbench_id.check()?;
        if params.confirm != id.as_str() {
            return Err(OpError::new(Code::ValidationFailed, format!("deleting `{id}` must be confirmed with its id"))
                .workbench(&id)
                .hint(format!("pass `confirm` = `{id}`; `jig export` keeps a copy with all history")));
        }
        let session = self.enter(&id).await?;
        let changes = self.store().delete_workbench(&id).await?;
        self.forget_notes(&id).await;
        let left_alone = session.folder().map(|folder| folder.remove()).transpose()?.unwrap_or_default();
        Ok(WorkbenchDeleteOutput { deleted: id, changes, left_alone })
    }
}
