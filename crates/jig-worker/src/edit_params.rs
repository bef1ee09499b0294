//! The parameters of calls that write a file. They are read completely before anything is written.

use std::sync::OnceLock;

use jig_file_api::Strictness;
use jig_file_api::ops::{ParamShape, parse_params};
use jig_files::engine::FileError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    #[schemars(extend("x-aliases" = ["create", "new_file"]))]
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

/// The parameters of the methods that apply ops, without those that only Jig itself sends.
pub(crate) fn apply_names() -> Vec<String> {
    names::<ApplyParams>(&["path", "root"])
}

/// The same of those that copy assets.
pub(crate) fn copy_names() -> Vec<String> {
    names::<CopyParams>(&["source_path", "source_root", "target_path", "target_root"])
}

fn names<P: JsonSchema>(location: &[&str]) -> Vec<String> {
    let of_jig = ["workbench_id", "allow_outside_formulas"];
    let mut names = ParamShape::of::<P>().names();
    names.retain(|name| !location.contains(&name.as_str()) && !of_jig.contains(&name.as_str()));
    names
}

fn read<P: JsonSchema + DeserializeOwned>(
    shape: &OnceLock<ParamShape>,
    params: &Value,
    strictness: Strictness,
) -> Result<(P, Vec<String>), FileError> {
    let (parsed, warnings) =
        parse_params::<P>(shape, params.clone(), strictness).map_err(jig_files::engine::invalid_params)?;
    Ok((parsed, warnings.iter().map(ToString::to_string).collect()))
}
