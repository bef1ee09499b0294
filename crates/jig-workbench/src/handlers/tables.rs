//! SQL queries on delimited files and spreadsheet sheets of a workbench.

use std::path::PathBuf;

use jig_contract::ops::*;
use jig_contract::{Code, Given, HashPrefix, OpError, Operation, WorkbenchId, WorkbenchPath};
use jig_store::FileNode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::draft::{Content, Write};
use super::office::receipt;
use crate::draft::check_base;
use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};
use jig_worker::{TableInput, TableJob};

macro_rules! reads {
    ($($op:ident),* $(,)?) => {$(
        impl Handle<$op> for Workbench {
            async fn handle(
                &self,
                context: &CallContext,
                params: <$op as Operation>::Params,
            ) -> Result<OfficeAnswer, OpError> {
                self.table_read(context, $op::NAME, &params.workbench_id, params.root, question(&params)?).await
            }
        }
    )*};
}

reads! { TabularGetMap, TabularDescribe, TabularGetStats, TabularReadRows, TabularQuery }

impl Handle<TabularExport> for Workbench {
    async fn handle(&self, context: &CallContext, params: TabularExportParams) -> Result<TabularExportOutput, OpError> {
        let target = Target {
            operation: TabularExport::NAME,
            workbench_id: &params.workbench_id,
            path: &params.target_path,
            base_hash: params.base_hash.as_ref(),
            dry_run: params.dry_run,
        };
        let written = self.table_write(context, &target, params.root, question(&params)?).await?;
        let answer = &written.answer;
        let mut warnings: Vec<String> = shaped(answer, "warnings")?;
        if written.before.is_some() {
            warnings.push("the file was there already and is replaced in the Draft".to_owned());
        }
        Ok(TabularExportOutput {
            target_path: shaped(answer, "target_path")?,
            format: shaped(answer, "format")?,
            row_count: shaped(answer, "row_count")?,
            column_count: shaped(answer, "column_count")?,
            sheet: shaped(answer, "sheet")?,
            warnings,
            receipt: receipt(answer, written.before, written.after)?,
            file: written.output.file,
            draft_created: written.output.draft_created,
            dry_run: params.dry_run,
        })
    }
}

impl Handle<TabularUpdateFromExport> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: TabularUpdateFromExportParams,
    ) -> Result<TabularUpdateFromExportOutput, OpError> {
        let target = Target {
            operation: TabularUpdateFromExport::NAME,
            workbench_id: &params.workbench_id,
            path: &params.target_path,
            base_hash: params.base_hash.as_ref(),
            dry_run: params.dry_run,
        };
        let written = self.table_write(context, &target, params.root, question(&params)?).await?;
        let answer = &written.answer;
        Ok(TabularUpdateFromExportOutput {
            target_path: shaped(answer, "target_path")?,
            sheet: shaped(answer, "sheet")?,
            mode: shaped(answer, "mode")?,
            row_count: shaped(answer, "row_count")?,
            column_count: shaped(answer, "column_count")?,
            written_range: shaped(answer, "written_range")?,
            changes: shaped(answer, "changes")?,
            warnings: shaped(answer, "warnings")?,
            receipt: receipt(answer, written.before, written.after)?,
            file: written.output.file,
            draft_created: written.output.draft_created,
            dry_run: params.dry_run,
        })
    }
}

impl Handle<TabularExtract> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: TabularExtractParams,
    ) -> Result<TabularExtractOutput, OpError> {
        let to = PathBuf::from(&params.to);
        if !params.overwrite && std::fs::symlink_metadata(&to).is_ok() {
            return Err(OpError::new(Code::FileExists, format!("`{}` is there already", to.display()))
                .hint("nothing was written; choose another name, or overwrite it with `--overwrite`"));
        }
        let session = self.enter(&params.workbench_id.check()?).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(params.root).await?;
        let mut question = question(&params)?;
        // The engine only uses the extension of the name.
        question["target_path"] = to.file_name().unwrap_or_default().to_string_lossy().into();
        let inputs = self.table_inputs(&view, root, &question).await?;
        drop(session);
        let job = self.table_job(TabularExport::NAME, question, inputs, None);
        let done = self.table_work().run(self.store().blobs(), job, &context.cancel).await?;
        let missing = || OpError::new(Code::Internal, "the export gave no file");
        let file = done.output.ok_or_else(missing)?;
        self.copy_out(&file.hash, &to).await?;
        Ok(TabularExtractOutput {
            to: to.display().to_string(),
            format: shaped(&done.result, "format")?,
            row_count: shaped(&done.result, "row_count")?,
            column_count: shaped(&done.result, "column_count")?,
            bytes: file.bytes,
            warnings: shaped(&done.result, "warnings")?,
        })
    }
}

/// A call that writes a file.
struct Target<'a> {
    operation: &'static str,
    workbench_id: &'a Given<WorkbenchId>,
    path: &'a Given<WorkbenchPath>,
    base_hash: Option<&'a Given<HashPrefix>>,
    dry_run: bool,
}

/// The result of the write.
struct Written {
    answer: Value,
    before: Option<FileNode>,
    after: FileNode,
    output: DraftWriteOutput,
}

impl Workbench {
    async fn table_read(
        &self,
        context: &CallContext,
        method: &'static str,
        id: &Given<WorkbenchId>,
        root: Option<Root>,
        params: Value,
    ) -> Result<OfficeAnswer, OpError> {
        let session = self.enter(&id.check()?).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(root).await?;
        let inputs = self.table_inputs(&view, root, &params).await?;
        // Content is immutable under its hash, so others need not wait while it is read.
        drop(session);
        let job = self.table_job(method, params, inputs, None);
        let done = self.table_work().run(self.store().blobs(), job, &context.cancel).await?;
        match done.result {
            Value::Object(answer) => Ok(OfficeAnswer(answer)),
            _ => Err(OpError::new(Code::Internal, format!("{method} gave no object"))),
        }
    }

    async fn table_write(
        &self,
        context: &CallContext,
        target: &Target<'_>,
        root: Option<Root>,
        params: Value,
    ) -> Result<Written, OpError> {
        let (id, path) = (target.workbench_id.check()?, target.path.check()?);
        let mut session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let from = view.choose(root).await?;
        let inputs = self.table_inputs(&view, from, &params).await?;
        let before = view.file(view.choose(None).await?, &path).await?;
        let base = target.base_hash.map(|hash| hash.check()).transpose()?;
        check_base(&path, base, before.as_ref())?;
        let into = before.filter(|_| target.operation == TabularUpdateFromExport::NAME);
        let job = self.table_job(target.operation, params, inputs, into);
        let done = self.table_work().run(self.store().blobs(), job, &context.cancel).await?;
        let missing = || OpError::new(Code::Internal, format!("{} gave no file", target.operation));
        let after = done.output.ok_or_else(missing)?;
        self.check_size(&path, after.bytes)?;
        // The file that the edit is based on must be unchanged when the result is written.
        let content = Content::Edited { base: Some(before.map(|file| file.hash)) };
        let write = Write { path, content, after: Some(after), dry_run: target.dry_run, operation: target.operation };
        let output = self.write(context, &mut session, write).await?;
        Ok(Written { answer: done.result, before, after, output })
    }

    pub(super) fn table_job(
        &self,
        method: &'static str,
        params: Value,
        inputs: Vec<TableInput>,
        before: Option<FileNode>,
    ) -> TableJob {
        TableJob {
            method,
            params,
            inputs,
            before,
            now: self.env().now().to_string(),
            allow_outside_formulas: self.allows_outside_formulas(),
        }
    }

    /// The files that a call refers to.
    async fn table_inputs(&self, view: &View<'_>, root: Root, params: &Value) -> Result<Vec<TableInput>, OpError> {
        let mut inputs: Vec<TableInput> = Vec::new();
        let parts = jig_worker::table_params::parts(params).map_err(jig_worker::operation_error)?;
        for part in parts {
            if inputs.iter().any(|input| input.path == part.path) {
                continue;
            }
            let path = Given::<WorkbenchPath>::from(part.path.as_str()).check()?;
            match view.file(root, &path).await? {
                Some(file) => inputs.push(TableInput { path: part.path, file }),
                None => return Err(no_file(*view, root, &path).await),
            }
        }
        Ok(inputs)
    }
}

/// Parameters in the form of the table engine.
fn question(params: &impl Serialize) -> Result<Value, OpError> {
    let mut params = serde_json::to_value(params)
        .map_err(|e| OpError::new(Code::Internal, "the parameters cannot be passed on").because(e))?;
    if let Some(params) = params.as_object_mut() {
        params.retain(|name, _| {
            !matches!(name.as_str(), "workbench_id" | "root" | "base_hash" | "dry_run" | "to" | "overwrite")
        });
    }
    Ok(params)
}

fn shaped<T: DeserializeOwned>(answer: &Value, key: &str) -> Result<T, OpError> {
    serde_json::from_value(answer[key].clone())
        .map_err(|e| OpError::new(Code::Internal, format!("the table engine's `{key}` has another shape")).because(e))
}
