//! Reads and edits files of a workbench through the methods of the file engine.

use jig_contract::ops::*;
use jig_contract::{Actor, BlobHash, Code, Given, HashPrefix, OpError, Operation, WorkbenchId, WorkbenchPath};
use jig_files::engine::Format;
use jig_store::FileNode;
use jig_worker::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::draft::{Content, Write};
use crate::draft::check_base;
use crate::engine::Session;
use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};
use jig_worker::{Input, Job};

macro_rules! reads {
    ($($op:ident),* $(,)?) => {$(
        impl Handle<$op> for Workbench {
            async fn handle(
                &self,
                context: &CallContext,
                params: <$op as Operation>::Params,
            ) -> Result<OfficeAnswer, OpError> {
                let question = fields(&params, &["workbench_id", "path", "root"])?;
                let file = Place { workbench_id: &params.workbench_id, path: &params.path, root: params.root };
                self.office_read(context, $op::NAME, &file, question).await
            }
        }
    )*};
}

reads! {
    XlsxGetMap, XlsxGetInfo, XlsxReadRange, XlsxExtractText, XlsxRenderGrid, XlsxGetStyles,
    DocxGetMap, DocxExtractText, DocxGetSectionContent, DocxGetStyles,
    PptxGetMap, PptxExtractText, PptxGetSlideContent, PptxGetStyles,
    PdfGetMap, PdfGetInfo, PdfExtractText,
    OdtGetMap, OdtExtractText, ImageGetMetadata, ImageRender, TextGetMap, TextReadLines,
}

macro_rules! edits {
    ($($op:ident),* $(,)?) => {$(
        impl Handle<$op> for Workbench {
            async fn handle(
                &self,
                context: &CallContext,
                params: <$op as Operation>::Params,
            ) -> Result<ApplyOpsOutput, OpError> {
                let edit = Edit {
                    operation: $op::NAME,
                    workbench_id: &params.workbench_id,
                    path: &params.path,
                    base_hash: params.base_hash.as_ref(),
                    dry_run: params.dry_run,
                    must_exist: params.must_exist,
                };
                let ops = Value::Array(params.ops.0);
                self.office_apply(context, &edit, ops, params.create_new, params.copy_from.as_ref()).await
            }
        }
    )*};
}

edits! { XlsxApplyOps, DocxApplyOps, PptxApplyOps }

impl Handle<TextApplyOps> for Workbench {
    async fn handle(&self, context: &CallContext, params: TextApplyOpsParams) -> Result<ApplyOpsOutput, OpError> {
        let edit = Edit {
            operation: TextApplyOps::NAME,
            workbench_id: &params.workbench_id,
            path: &params.path,
            base_hash: params.base_hash.as_ref(),
            dry_run: params.dry_run,
            must_exist: params.must_exist,
        };
        self.office_apply(context, &edit, Value::Array(params.ops.0), params.create_new, None).await
    }
}

macro_rules! copies {
    ($($op:ident),* $(,)?) => {$(
        impl Handle<$op> for Workbench {
            async fn handle(
                &self,
                context: &CallContext,
                params: <$op as Operation>::Params,
            ) -> Result<CopyAssetsOutput, OpError> {
                let edit = Edit {
                    operation: $op::NAME,
                    workbench_id: &params.workbench_id,
                    path: &params.target_path,
                    base_hash: params.base_hash.as_ref(),
                    dry_run: params.dry_run,
                    must_exist: params.must_exist,
                };
                let assets = Value::Array(params.assets.0);
                self.office_copy(context, &edit, &params.source_path, params.source_root, assets).await
            }
        }
    )*};
}

copies! { XlsxCopyAssets, DocxCopyAssets, PptxCopyAssets }

/// The file that a call names.
pub(super) struct Place<'a> {
    pub(super) workbench_id: &'a Given<WorkbenchId>,
    pub(super) path: &'a Given<WorkbenchPath>,
    pub(super) root: Option<Root>,
}

/// A call that edits a file.
struct Edit<'a> {
    operation: &'static str,
    workbench_id: &'a Given<WorkbenchId>,
    path: &'a Given<WorkbenchPath>,
    base_hash: Option<&'a Given<HashPrefix>>,
    dry_run: bool,
    /// Whether the file, and the sheets that operations name, must exist.
    must_exist: bool,
}

/// Parameters in the form of the file engine.
pub(super) fn fields(params: &impl Serialize, without: &[&str]) -> Result<Value, OpError> {
    let mut params = serde_json::to_value(params)
        .map_err(|e| OpError::new(Code::Internal, "the parameters cannot be passed on").because(e))?;
    if let Some(params) = params.as_object_mut() {
        params.retain(|name, _| !without.contains(&name.as_str()));
    }
    Ok(params)
}

impl Workbench {
    async fn office_read(
        &self,
        context: &CallContext,
        method: &'static str,
        file: &Place<'_>,
        question: Value,
    ) -> Result<OfficeAnswer, OpError> {
        let (path, node) = self.find_file(file).await?;
        let answer = self.office_answer(context, method, &path, node, question).await?;
        Ok(OfficeAnswer(answer))
    }

    /// The file that a call names. Content is immutable under its hash, so others need not wait while it is read.
    pub(super) async fn find_file(&self, file: &Place<'_>) -> Result<(WorkbenchPath, FileNode), OpError> {
        let (id, path) = (file.workbench_id.check()?, file.path.check()?);
        let session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(file.root).await?;
        match view.file(root, &path).await? {
            Some(node) => Ok((path, node)),
            None => Err(no_file(view, root, &path).await),
        }
    }

    /// Calls a read method on one file.
    pub(super) async fn office_answer(
        &self,
        context: &CallContext,
        method: &'static str,
        path: &WorkbenchPath,
        file: FileNode,
        params: Value,
    ) -> Result<Map<String, Value>, OpError> {
        self.answer_on(context, method, input(path, file), params).await
    }

    /// Calls a read method on any input.
    pub(super) async fn answer_on(
        &self,
        context: &CallContext,
        method: &'static str,
        input: Input,
        params: Value,
    ) -> Result<Map<String, Value>, OpError> {
        let job = Job { input: Some(input), ..self.job(method, params)? };
        let done = self.file_work().run(self.store().blobs(), job, &context.cancel).await?;
        match done.result {
            Value::Object(answer) => Ok(answer),
            _ => Err(OpError::new(Code::Internal, format!("{method} gave no object"))),
        }
    }

    pub(super) fn job(&self, method: &'static str, params: Value) -> Result<Job, OpError> {
        let unknown = || OpError::new(Code::Internal, format!("the file engine has no method {method}"));
        Ok(Job {
            method: Method::find(method).ok_or_else(unknown)?,
            params,
            input: None,
            source: None,
            beside: Vec::new(),
            now: self.env().now().to_string(),
            allow_outside_formulas: self.allows_outside_formulas(),
        })
    }

    async fn office_apply(
        &self,
        context: &CallContext,
        edit: &Edit<'_>,
        ops: Value,
        create_new: bool,
        copy_from: Option<&Given<WorkbenchPath>>,
    ) -> Result<ApplyOpsOutput, OpError> {
        let (id, path) = (edit.workbench_id.check()?, edit.path.check()?);
        let copy_from = copy_from.map(|from| from.check()).transpose()?;
        let mut job = self.job(
            edit.operation,
            serde_json::json!({ "ops": ops, "author": author(context), "must_exist": edit.must_exist }),
        )?;
        check_kind(&job.method, &path)?;
        let mut session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(None).await?;
        let before = view.file(root, &path).await?;
        let start = match &copy_from {
            Some(from) => Some(self.needed(&view, root, from).await?),
            None if create_new => None,
            None if before.is_none() && edit.must_exist => return Err(no_file(view, root, &path).await),
            None => before,
        };
        let is_new = start.is_none();
        check_start(&job.method, &path, is_new, create_new, copy_from.as_ref())?;
        job.beside = self.pictures(&view, root, &job.params["ops"]).await?;
        job.input = start.map(|file| input(&path, file));
        let name = path.to_string();
        let (answer, file, written) = self.office_write(context, &mut session, edit, path, before, job).await?;
        let mut warnings: Vec<String> = shaped(&answer, "warnings")?;
        if before.is_some() && (create_new || copy_from.is_some()) {
            warnings.push(format!("replaced `{name}`, which existed, in the Draft"));
        } else if is_new && !create_new {
            warnings.push(format!("created `{name}`, which did not exist"));
        }
        Ok(ApplyOpsOutput {
            ok: true,
            changes: shaped(&answer, "changes")?,
            warnings,
            receipt: receipt(&answer, before, file)?,
            file: written.file,
            draft_created: written.draft_created,
            dry_run: edit.dry_run,
        })
    }

    async fn office_copy(
        &self,
        context: &CallContext,
        edit: &Edit<'_>,
        source: &Given<WorkbenchPath>,
        source_root: Option<Root>,
        assets: Value,
    ) -> Result<CopyAssetsOutput, OpError> {
        let (id, path, source) = (edit.workbench_id.check()?, edit.path.check()?, source.check()?);
        let mut session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(None).await?;
        let from = self.needed(&view, view.choose(source_root).await?, &source).await?;
        let before = view.file(root, &path).await?;
        if before.is_none() && edit.must_exist {
            return Err(no_file(view, root, &path).await);
        }
        let params = serde_json::json!({ "assets": assets, "must_exist": edit.must_exist });
        let mut job = self.job(edit.operation, params)?;
        check_kind(&job.method, &path)?;
        check_start(&job.method, &path, before.is_none(), false, None)?;
        job.source = Some(input(&source, from));
        job.input = before.map(|file| input(&path, file));
        let name = path.to_string();
        let (answer, file, written) = self.office_write(context, &mut session, edit, path, before, job).await?;
        let mut warnings: Vec<String> = shaped(&answer, "warnings")?;
        if before.is_none() {
            warnings.push(format!("created `{name}`, which did not exist"));
        }
        let copied: Vec<Map<String, Value>> = shaped(&answer, "copied")?;
        Ok(CopyAssetsOutput {
            ok: true,
            copied_count: copied.len() as u64,
            copied,
            warnings,
            receipt: receipt(&answer, before, file)?,
            file: written.file,
            draft_created: written.draft_created,
            dry_run: edit.dry_run,
        })
    }

    /// Edits a file and writes the result to the Draft.
    async fn office_write(
        &self,
        context: &CallContext,
        session: &mut Session,
        edit: &Edit<'_>,
        path: WorkbenchPath,
        before: Option<FileNode>,
        job: Job,
    ) -> Result<(Value, FileNode, DraftWriteOutput), OpError> {
        let base = edit.base_hash.map(|hash| hash.check()).transpose()?;
        check_base(&path, base, before.as_ref())?;
        let done = self.file_work().run(self.store().blobs(), job, &context.cancel).await?;
        let missing = || OpError::new(Code::Internal, format!("{} gave no file", edit.operation));
        let bytes = done.output.ok_or_else(missing)?;
        self.check_size(&path, bytes.len() as u64)?;
        let file = FileNode { hash: BlobHash::from_bytes(*blake3::hash(&bytes).as_bytes()), bytes: bytes.len() as u64 };
        if !edit.dry_run {
            self.store().blobs().put(bytes).await?;
        }
        // The file that the edit is based on must be unchanged when the result is written.
        let base = Some(before.map(|file| file.hash));
        let content = Content::Edited { base };
        let write = Write { path, content, after: Some(file), dry_run: edit.dry_run, operation: edit.operation };
        let written = self.write(context, session, write).await?;
        Ok((done.result, file, written))
    }

    async fn needed(&self, view: &View<'_>, root: Root, path: &WorkbenchPath) -> Result<FileNode, OpError> {
        match view.file(root, path).await? {
            Some(file) => Ok(file),
            None => Err(no_file(*view, root, path).await),
        }
    }

    /// The workbench files that operations insert, such as images. Missing ones are reported by the engine.
    async fn pictures(&self, view: &View<'_>, root: Root, ops: &Value) -> Result<Vec<Input>, OpError> {
        let mut pictures: Vec<Input> = Vec::new();
        for op in ops.as_array().into_iter().flatten() {
            let Some(Ok(path)) = op["path"].as_str().map(WorkbenchPath::new) else { continue };
            let known = pictures.iter().any(|picture| picture.name == path.as_str());
            if let (Some(file), false) = (view.file(root, &path).await?, known) {
                pictures.push(Input { name: path.to_string(), file, converted: None });
            }
        }
        Ok(pictures)
    }
}

/// The author of tracked changes.
fn author(context: &CallContext) -> &str {
    match &context.actor {
        Actor::Person { name: Some(name) } | Actor::Agent { name: Some(name), .. } => name,
        _ => "Jig",
    }
}

pub(super) fn input(path: &WorkbenchPath, file: FileNode) -> Input {
    Input { name: path.file_name().to_owned(), file, converted: None }
}

/// A new file must have a basic format, and a copy the format of its original.
fn check_start(
    method: &Method,
    path: &WorkbenchPath,
    is_new: bool,
    create_new: bool,
    copy_from: Option<&WorkbenchPath>,
) -> Result<(), OpError> {
    let ending = path.extension();
    let plain = method.format == Format::Text || ending == method.format.extension();
    match copy_from {
        Some(_) if create_new => {
            Err(OpError::new(Code::ValidationFailed, "`create_new` and `copy_from` exclude each other")
                .hint("say one of the two"))
        }
        Some(from) if from.extension() != ending => {
            let words = format!("a copy of `{from}` must end in .{} too", from.extension());
            Err(OpError::new(Code::ValidationFailed, words).hint("choose a name with the same ending"))
        }
        None if is_new && !plain => {
            let words = format!("a new file cannot end in .{ending}");
            Err(OpError::new(Code::ValidationFailed, words).hint("new files end in .xlsx, .docx or .pptx"))
        }
        _ => Ok(()),
    }
}

/// Each format has its own operations.
fn check_kind(method: &Method, path: &WorkbenchPath) -> Result<(), OpError> {
    let ending = path.extension();
    let plain = method.format.extension();
    if method.format.takes(path.file_name()) {
        return Ok(());
    }
    let words = match method.format {
        Format::Text => format!("`{path}` is not a text file by its name"),
        _ => format!("`{path}` is not a .{plain} file"),
    };
    let error = OpError::new(Code::ValidationFailed, words);
    Err(match ending.as_str() {
        "pdf" | "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "odt" => error.hint("this format can only be read"),
        _ if method.format == Format::Text => error.hint("these ops are for text and code"),
        _ => error.hint(format!("these ops are for .{plain} files")),
    })
}

fn shaped<T: DeserializeOwned>(answer: &Value, key: &str) -> Result<T, OpError> {
    serde_json::from_value(answer[key].clone())
        .map_err(|e| OpError::new(Code::Internal, format!("the file engine's `{key}` has another shape")).because(e))
}

/// The receipt of an edit: the engine's report, and the hashes of the stored files.
pub(super) fn receipt(answer: &Value, before: Option<FileNode>, after: FileNode) -> Result<Receipt, OpError> {
    let told = &answer["receipt"];
    let count = |key: &str| told[key].as_u64().unwrap_or(0);
    Ok(Receipt {
        hash_before: before.map(|file| file.hash),
        hash_after: after.hash,
        created_file: before.is_none(),
        created_sheets: listed(told, "created_sheets")?,
        cells: listed(told, "cells")?,
        cells_count: count("cells_count"),
        recalculated: listed(told, "recalculated")?,
        recalculated_count: count("recalculated_count"),
        parts: listed(told, "parts")?,
    })
}

/// A list that the answer omits if it is empty.
fn listed<T: DeserializeOwned>(answer: &Value, key: &str) -> Result<Vec<T>, OpError> {
    if answer.get(key).is_some() { shaped(answer, key) } else { Ok(Vec::new()) }
}
