//! Operations on PDF files: the methods of the worker protocol, on a workbench.

use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::office::office_read;
use crate::ops::{OfficeAnswer, Root, operation};
use crate::path::WorkbenchPath;

/// Pages, from 1: a list such as `[1, 2, 5]` or a text such as `1-5,9`. The engine validates it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageList(pub Value);

impl FromStr for PageList {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        // A JSON list is accepted too, so that every interface accepts the same values.
        let list = serde_json::from_str(text).ok().filter(Value::is_array);
        Ok(Self(list.unwrap_or_else(|| Value::String(text.to_owned()))))
    }
}

impl JsonSchema for PageList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PageList".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"] })
    }
}

office_read! {
    /// Map a PDF file: pages, outline, forms, annotations, pages without text
    PdfGetMap, PdfGetMapParams, r#"{"workbench_id":"board-deck","path":"policy.pdf"}"#, {}
}
office_read! {
    /// Show a PDF file's page count and metadata
    PdfGetInfo, PdfGetInfoParams, r#"{"workbench_id":"board-deck","path":"policy.pdf"}"#, {}
}
office_read! {
    /// Read a PDF file, or some pages, as text in reading order
    PdfExtractText, PdfExtractTextParams, r#"{"workbench_id":"board-deck","path":"policy.pdf","pages":"1-5,9"}"#, {
        /// The pages, from 1, as `1-5,9` or as a list
        pages: PageList,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
