//! The worker protocol: its methods, the parameters of the methods that write, and its errors.
//!
//! Parameters are read completely before anything is written. Those of the methods that read are in `reads`, those that
//! name files in `workspace`, those of tables in `table_params`.

use std::sync::OnceLock;

use jig_contract::{Code, OpError};
use jig_file_api::Strictness;
use jig_file_api::ops::{ParamShape, parse_params};
use jig_files::engine::{DiffQuery, FileError, Format, OpHelp, Reason, RevertSelection};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads a file.
    Read,
    /// Applies ops to a file.
    Apply,
    /// Copies from one file into another.
    Copy,
    /// Compares two files of any format.
    Compare,
    /// Reverts changes of a file of any format.
    Revert,
    /// Copies a file for LibreOffice to render, without references to the outside.
    RenderCopy,
}

/// A method of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// Which reader opens the file.
    pub format: Format,
    /// What it does.
    pub verb: Verb,
}

const fn method(name: &'static str, format: Format, verb: Verb) -> Method {
    Method { name, format, verb }
}

static METHODS: &[Method] = &[
    method("XlsxGetMap", Format::Xlsx, Verb::Read),
    method("XlsxGetInfo", Format::Xlsx, Verb::Read),
    method("XlsxReadRange", Format::Xlsx, Verb::Read),
    method("XlsxExtractText", Format::Xlsx, Verb::Read),
    method("XlsxRenderGrid", Format::Xlsx, Verb::Read),
    method("XlsxGetStyles", Format::Xlsx, Verb::Read),
    method("XlsxFind", Format::Xlsx, Verb::Read),
    method("XlsxRenderPage", Format::Xlsx, Verb::Read),
    method("XlsxCopyAssets", Format::Xlsx, Verb::Copy),
    method("XlsxApplyOps", Format::Xlsx, Verb::Apply),
    method("DocxGetMap", Format::Docx, Verb::Read),
    method("DocxExtractText", Format::Docx, Verb::Read),
    method("DocxGetSectionContent", Format::Docx, Verb::Read),
    method("DocxGetStyles", Format::Docx, Verb::Read),
    method("DocxFind", Format::Docx, Verb::Read),
    method("DocxRenderPage", Format::Docx, Verb::Read),
    method("DocxCopyAssets", Format::Docx, Verb::Copy),
    method("DocxApplyOps", Format::Docx, Verb::Apply),
    method("PptxGetMap", Format::Pptx, Verb::Read),
    method("PptxExtractText", Format::Pptx, Verb::Read),
    method("PptxGetSlideContent", Format::Pptx, Verb::Read),
    method("PptxGetStyles", Format::Pptx, Verb::Read),
    method("PptxFind", Format::Pptx, Verb::Read),
    method("PptxRenderSlide", Format::Pptx, Verb::Read),
    method("PptxCopyAssets", Format::Pptx, Verb::Copy),
    method("PptxApplyOps", Format::Pptx, Verb::Apply),
    method("PdfGetMap", Format::Pdf, Verb::Read),
    method("PdfGetInfo", Format::Pdf, Verb::Read),
    method("PdfExtractText", Format::Pdf, Verb::Read),
    method("PdfFind", Format::Pdf, Verb::Read),
    method("PdfRenderPage", Format::Pdf, Verb::Read),
    // Of these two, the content of the files decides about the format.
    method("FileDiff", Format::Xlsx, Verb::Compare),
    method("FileRevert", Format::Xlsx, Verb::Revert),
    method("XlsxRenderCopy", Format::Xlsx, Verb::RenderCopy),
    method("DocxRenderCopy", Format::Docx, Verb::RenderCopy),
    method("PptxRenderCopy", Format::Pptx, Verb::RenderCopy),
    method("OdtRenderCopy", Format::Odt, Verb::RenderCopy),
    method("OdtGetMap", Format::Odt, Verb::Read),
    method("OdtExtractText", Format::Odt, Verb::Read),
    method("OdtFind", Format::Odt, Verb::Read),
    method("OdtRenderPage", Format::Odt, Verb::Read),
    method("ImageGetMetadata", Format::Image, Verb::Read),
    method("ImageRender", Format::Image, Verb::Read),
    method("TextGetMap", Format::Text, Verb::Read),
    method("TextReadLines", Format::Text, Verb::Read),
    method("TextFind", Format::Text, Verb::Read),
    method("TextApplyOps", Format::Text, Verb::Apply),
];

impl Method {
    /// All methods.
    pub fn all() -> &'static [Self] {
        METHODS
    }

    /// The method of this name.
    pub fn find(name: &str) -> Option<Self> {
        METHODS.iter().find(|method| method.name == name).copied()
    }

    /// Whether its reply is a `text` that is cut into pages here. Lines of text files have pages of their own.
    pub(crate) fn gives_text(self) -> bool {
        matches!(
            self.name,
            "XlsxReadRange"
                | "XlsxExtractText"
                | "DocxExtractText"
                | "PptxExtractText"
                | "PdfExtractText"
                | "OdtExtractText"
        )
    }
}

/// The method that every worker answers.
pub(crate) const GET_INFO: &str = "WorkerGetInfo";

/// The parameters of `XlsxApplyOps` and the like.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ApplyParams {
    #[schemars(extend("x-type" = "name"))]
    pub(crate) workbench_id: String,
    #[schemars(extend("x-aliases" = ["file", "file_path"], "x-type" = "name"))]
    pub(crate) path: String,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) root: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["operations"]))]
    pub(crate) ops: Value,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["new_file"]))]
    pub(crate) create_new: bool,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) copy_from: Option<String>,
    #[serde(default)]
    pub(crate) must_exist: bool,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["dry", "simulate", "preview"]))]
    pub(crate) dry_run: bool,
    pub(crate) author: Option<String>,
    pub(crate) now: Option<String>,
    pub(crate) recalculate: Option<Recalculate>,
    /// Only Jig's own workers honour it.
    #[serde(default)]
    #[expect(dead_code, reason = "read from the request by the server, for every method")]
    pub(crate) allow_outside_formulas: bool,
}

/// Which formulas an edit of a workbook computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Recalculate {
    /// Those whose value it may have changed.
    Affected,
    /// All of them.
    Workbook,
}

/// The parameters of `XlsxCopyAssets` and the like.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CopyParams {
    #[schemars(extend("x-type" = "name"))]
    pub(crate) workbench_id: String,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) source_path: String,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) target_path: String,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) source_root: Option<String>,
    #[schemars(extend("x-type" = "name"))]
    pub(crate) target_root: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["asset", "asset_ids"]))]
    pub(crate) assets: Value,
    #[serde(default)]
    pub(crate) create_new: bool,
    #[serde(default)]
    pub(crate) must_exist: bool,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["dry", "simulate", "preview"]))]
    pub(crate) dry_run: bool,
    pub(crate) now: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "read from the request by the server, for every method")]
    pub(crate) allow_outside_formulas: bool,
}

/// The flags of a call whose other parameters are read elsewhere.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct DryRun {
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["dry", "simulate", "preview"]))]
    pub(crate) dry_run: bool,
}

static APPLY: OnceLock<ParamShape> = OnceLock::new();
static COPY: OnceLock<ParamShape> = OnceLock::new();
static DRY_RUN: OnceLock<ParamShape> = OnceLock::new();

pub(crate) fn apply_params(params: &Value, strictness: Strictness) -> Result<(ApplyParams, Vec<String>), FileError> {
    read(&APPLY, params, strictness)
}

pub(crate) fn copy_params(params: &Value, strictness: Strictness) -> Result<(CopyParams, Vec<String>), FileError> {
    read(&COPY, params, strictness)
}

pub(crate) fn dry_run(params: &Value) -> Result<bool, FileError> {
    Ok(read::<DryRun>(&DRY_RUN, params, Strictness::Keep)?.0.dry_run)
}

fn read<P: JsonSchema + DeserializeOwned>(
    shape: &OnceLock<ParamShape>,
    params: &Value,
    strictness: Strictness,
) -> Result<(P, Vec<String>), FileError> {
    let (parsed, warnings) = parse_params::<P>(shape, params.clone(), strictness)?;
    Ok((parsed, warnings.iter().map(ToString::to_string).collect()))
}

/// The parameters of `FileDiff`, besides its files. A flag that is not `true` is off.
pub(crate) fn diff_query(params: &Value) -> Result<DiffQuery, FileError> {
    let page = match &params["page"] {
        Value::Null => 1,
        page => page
            .as_u64()
            .and_then(|page| u32::try_from(page).ok())
            .ok_or_else(|| FileError::invalid("page: a whole number from 1 is needed"))?,
    };
    Ok(DiffQuery { page, overview: params["overview"] == true, marks: params["marks"] == true })
}

/// The parameters of `FileRevert`, besides its files.
pub(crate) fn revert_selection(params: &Value) -> Result<RevertSelection, FileError> {
    let ids = match &params["changes"] {
        Value::Array(ids) => ids.iter().map(|id| id.as_str().map(str::to_owned)).collect(),
        Value::Null if params["all"] == true => return Ok(RevertSelection::All),
        _ => None,
    };
    ids.map(RevertSelection::Ids).ok_or_else(|| FileError::invalid("changes: a list of ids is needed"))
}

/// The protocol's code for a reason.
const fn error_code(reason: Reason) -> &'static str {
    match reason {
        Reason::Invalid | Reason::Stale => "VALIDATION_FAILED",
        Reason::Sandbox => "SANDBOX_VIOLATION",
        Reason::Unwritable | Reason::DiskFull => "FILE_WRITE_FAILED",
        Reason::Unavailable => "TOOL_WORKER_UNAVAILABLE",
        Reason::NotFound
        | Reason::Encrypted
        | Reason::Legacy
        | Reason::WrongKind
        | Reason::Damaged
        | Reason::TooLarge
        | Reason::Unreadable
        // The protocol has no code for a fault of the worker itself; `reason` tells it apart.
        | Reason::Internal => "FILE_READ_FAILED",
    }
}

/// Jig's own code for a reason.
const fn operation_code(reason: Reason) -> Code {
    match reason {
        Reason::Invalid => Code::ValidationFailed,
        Reason::Sandbox => Code::SandboxViolation,
        Reason::NotFound => Code::FileNotFound,
        Reason::Unwritable => Code::FileWriteFailed,
        Reason::DiskFull => Code::DiskFull,
        Reason::Stale => Code::Conflict,
        Reason::Unavailable => Code::ToolWorkerUnavailable,
        Reason::Internal => Code::Internal,
        Reason::Encrypted
        | Reason::Legacy
        | Reason::WrongKind
        | Reason::Damaged
        | Reason::TooLarge
        | Reason::Unreadable => Code::FileReadFailed,
    }
}

/// The reply to a call that failed.
pub(crate) fn error_reply(id: &Value, error: &FileError) -> Value {
    let mut data = json!({ "error_code": error_code(error.reason), "reason": error.reason.word() });
    if !error.suggestions.is_empty() {
        data["suggestions"] = json!(error.suggestions);
    }
    add_help(&mut data, error.help.as_deref());
    failure_reply(id, -32000, &error.message, data)
}

/// The reply to a request that is not a call, or that failed as `data` says.
pub(crate) fn failure_reply(id: &Value, code: i64, message: &str, data: Value) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// The error of a reply, as [`error_reply`] wrote it.
pub(crate) fn parse_error(error: &Value) -> FileError {
    let text = |key: &str| error["data"][key].as_str();
    let suggestions = error["data"]["suggestions"].as_array().into_iter().flatten();
    let help = OpHelp {
        signature: text("signature").map(str::to_owned),
        corrected: error["data"].get("corrected_ops").cloned(),
        unreadable: false,
    };
    FileError {
        reason: text("reason").and_then(Reason::of).unwrap_or(Reason::Invalid),
        message: error["message"].as_str().unwrap_or("the worker gave no reason").to_owned(),
        suggestions: suggestions.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        help: Some(Box::new(help)),
    }
}

/// The error of a call as that of an operation.
pub fn operation_error(error: FileError) -> OpError {
    let mut detail = json!({ "reason": error.reason.word() });
    add_help(&mut detail, error.help.as_deref());
    let failed = OpError::new(operation_code(error.reason), error.message).detail(detail);
    if error.suggestions.is_empty() { failed } else { failed.suggest(error.suggestions) }
}

fn add_help(data: &mut Value, help: Option<&OpHelp>) {
    let Some(help) = help else { return };
    if let Some(signature) = &help.signature {
        data["signature"] = json!(signature);
    }
    if let Some(corrected) = &help.corrected {
        data["corrected_ops"] = corrected.clone();
    }
}
