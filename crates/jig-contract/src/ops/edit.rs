//! What agents and people can look up about edits: the fields of each op, and the style guide of a format.

use clap::{Args, ValueEnum};
use jig_file_api::ops::OpSet;
use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::schema::op_help;
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// A format that can be edited by ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EditFormat {
    /// Excel workbooks.
    Xlsx,
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
    /// Text files.
    Text,
}

/// Show the fields of edit ops, or the style guide of a format
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EditDescribeParams {
    /// The format
    pub format: EditFormat,
    /// The op [default: all, in one line each]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// Show how good files of this format look, instead of ops
    #[arg(long)]
    #[serde(default)]
    pub style_guide: bool,
    /// The workbench whose document style applies
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<Given<WorkbenchId>>,
}
/// Ops with their fields, or a style guide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditDescribeOutput {
    /// The ops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<OpDescription>,
    /// The style guide, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style_guide: Option<String>,
}
/// An op.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpDescription {
    /// The value of `op`.
    pub op: String,
    /// What it does.
    pub summary: String,
    /// Its fields and those of objects inside; `?` marks optional ones.
    pub signature: String,
    /// One line for each field, if one op was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}
operation!(EditDescribe, Read, Surfaces::all("edit_help"), EditDescribeParams => EditDescribeOutput,
    r#"{"format":"xlsx","op":"set_cells"}"#);

impl EditFormat {
    /// The ops whose names are like this one; all if none is.
    pub fn nearest_ops(self, name: &str) -> Vec<String> {
        let known: Vec<String> = self.ops().into_iter().map(|op| op.op).collect();
        let near = jig_file_api::nearest(name, known.iter().map(String::as_str));
        if near.is_empty() { known } else { near }
    }

    /// All ops of the format.
    pub fn ops(self) -> Vec<OpDescription> {
        match self {
            Self::Xlsx => described::<XlsxOp>(),
            Self::Docx => described::<DocxOp>(),
            Self::Pptx => described::<PptxOp>(),
            Self::Text => described::<TextOp>(),
        }
    }
}

fn described<T: OpSet>() -> Vec<OpDescription> {
    let ops = op_help::<T>().into_iter();
    ops.map(|op| OpDescription {
        op: op.name.to_owned(),
        summary: op.summary,
        signature: op.signature,
        fields: op.fields,
    })
    .collect()
}
