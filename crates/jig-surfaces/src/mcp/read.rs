//! Reads a resource.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jig_contract::ops::{
    ArtifactOutput, ContextGetArtifactOutput, DiffView, FileReadOutput, ReviewGetChangeSetOutput, ReviewGetDiffOutput,
    Root,
};
use jig_contract::{Code, Given, OpError, WorkbenchId, WorkbenchPath};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{MetaObject, ResourceContents};
use serde_json::{Value, json};

use super::resources::{REGION, get};
use super::uri::{Address, What};
use crate::unified;

/// The media type of context item texts.
pub(super) const MARKDOWN: &str = "text/markdown";

/// The content of a URI.
pub(super) async fn contents(
    workbench: &Workbench,
    call: &CallContext,
    uri: &str,
    max_bytes: u64,
) -> Result<ResourceContents, OpError> {
    let address = Address::parse(uri).ok_or_else(|| no_such(uri))?;
    match &address.what {
        What::File(root, path) => file(workbench, call, &address.workbench, *root, path, uri, max_bytes).await,
        What::Diff => {
            let text = diff(workbench, call, &address.workbench).await?;
            Ok(ResourceContents::text(text, uri).with_mime_type("text/x-diff"))
        }
        What::Item(item, path) => {
            let params = json!({ "workbench_id": address.workbench, "category": item });
            let files: ContextGetArtifactOutput = get(workbench, "ContextGetArtifact", call, params).await?;
            let text = files.files.into_iter().find(|file| file.path == *path).ok_or_else(|| no_such(uri))?;
            Ok(ResourceContents::text(text.content, uri).with_mime_type(MARKDOWN))
        }
        What::Artifact(slug, section) => {
            let sections: Vec<&String> = section.iter().collect();
            let params = json!({ "workbench_id": address.workbench, "slug": slug, "sections": sections });
            let found: ArtifactOutput = get(workbench, "ArtifactGet", call, params).await?;
            let text = match found.artifact.sections.into_iter().next().filter(|_| section.is_some()) {
                Some(section) => section.content.unwrap_or_default(),
                None => found.artifact.content.unwrap_or_default(),
            };
            Ok(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
        }
        What::Journal => {
            let params = json!({ "workbench_id": address.workbench });
            json_text(workbench, call, "JournalList", params, uri).await
        }
        What::Map(path) => {
            let params = json!({ "workbench_id": address.workbench, "path": path });
            json_text(workbench, call, "FileGetMap", params, uri).await
        }
        What::Entry(role, key) => {
            let params = json!({ "workbench_id": address.workbench, "role": role, "entry_key": key });
            json_text(workbench, call, "EntryGet", params, uri).await
        }
        What::Text(path, region) => text(workbench, call, &address, path, region, uri).await,
    }
}

/// The output of an operation as JSON.
async fn json_text(
    workbench: &Workbench,
    call: &CallContext,
    operation: &str,
    params: Value,
    uri: &str,
) -> Result<ResourceContents, OpError> {
    let value = workbench.call(operation, call.clone(), params).await?;
    Ok(ResourceContents::text(value.to_string(), uri).with_mime_type("application/json"))
}

/// A region of a file as text, up to a number of tokens, with the URI of the rest.
async fn text(
    workbench: &Workbench,
    call: &CallContext,
    address: &Address,
    path: &str,
    region: &[(String, String)],
    uri: &str,
) -> Result<ResourceContents, OpError> {
    let mut params = json!({ "workbench_id": address.workbench, "path": path });
    for (name, value) in region {
        if !REGION.contains(&name.as_str()) {
            let near = crate::nearest(name, REGION);
            return Err(OpError::new(Code::InvalidParams, "the address has a parameter that there is not")
                .suggest(near)
                .hint(format!("there are {}", REGION.join(", "))));
        }
        params[name] = parameter(name, value)?;
    }
    let in_pieces = region.iter().any(|(name, _)| matches!(name.as_str(), "max_tokens" | "cursor"));
    if !region.iter().any(|(name, _)| name == "max_tokens") {
        params["max_tokens"] = PAGE_TOKENS.into();
    }
    let page: FileReadOutput = get(workbench, "FileRead", call, params).await?;
    let contents = |text: String| ResourceContents::text(text, uri).with_mime_type("text/plain");
    let Some(cursor) = page.cursor else { return Ok(contents(page.text)) };
    let mut rest: Vec<_> = region.iter().filter(|(name, _)| name != "cursor").cloned().collect();
    rest.push(("cursor".to_owned(), cursor));
    let what = What::Text(path.to_owned(), rest);
    let next = Address { workbench: address.workbench.clone(), what }.to_string();
    let mut text = page.text;
    if !in_pieces {
        // Who reads in pieces follows the metadata. Others may be shown the text only, so it says where it continues.
        text.push_str(&format!("\n[continues at {next}]\n"));
    }
    let meta = serde_json::from_value::<MetaObject>(json!({ "jig/next": next })).unwrap_or_default();
    Ok(contents(text).with_meta(meta))
}

/// The most tokens of a text resource. The rest has an address of its own, so that reading a file costs time in
/// proportion to its size.
const PAGE_TOKENS: u64 = 20_000;

/// The most bytes of a diff of the Draft. `diff` shows the changes of each file in pages.
const DIFF_BYTES: usize = 256 << 10;

fn parameter(name: &str, value: &str) -> Result<Value, OpError> {
    let number = || value.parse::<u64>().map(Value::from);
    match name {
        "slide" | "slide_index" | "line_start" | "line_count" | "max_tokens" => number()
            .map_err(|_| OpError::new(Code::InvalidParams, format!("`{name}` in the address must be a whole number"))),
        "section" => Ok(number().unwrap_or_else(|_| value.into())),
        _ => Ok(value.into()),
    }
}

fn no_such(uri: &str) -> OpError {
    let shown: String = uri.chars().take(200).collect();
    OpError::new(Code::FileNotFound, format!("there is no resource `{shown}`"))
        .hint("resources/templates/list shows how addresses are written")
}

async fn file(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    root: Root,
    path: &str,
    uri: &str,
    max_bytes: u64,
) -> Result<ResourceContents, OpError> {
    let id: WorkbenchId = Given::from(id).check()?;
    let place: WorkbenchPath = Given::from(path).check()?;
    let (info, content) = workbench.open_file(call, &id, &place, Some(root)).await?;
    if info.bytes > max_bytes {
        let message = format!("{path} has {} bytes; resources are handed out up to {max_bytes}", info.bytes);
        return Err(OpError::new(Code::LimitExceeded, message).hint("read it in pieces with the tool read_file"));
    }
    let bytes = content.read().await?;
    let contents = match std::str::from_utf8(&bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        _ => ResourceContents::blob(STANDARD.encode(&bytes), uri),
    };
    Ok(contents.with_mime_type(info.media_type))
}

/// All changes of the Draft as one unified diff; other content is mentioned.
async fn diff(workbench: &Workbench, call: &CallContext, id: &str) -> Result<String, OpError> {
    let params = json!({ "workbench_id": id });
    let set: ReviewGetChangeSetOutput = get(workbench, "ReviewGetChangeSet", call, params).await?;
    let mut text = format!("# {} → Draft\n", set.reference_label);
    if let Some(warning) = set.reference_warning {
        text.push_str(&format!("# {warning}\n"));
    }
    for change in &set.changes {
        let mut page = 1;
        loop {
            if text.len() > DIFF_BYTES {
                text.push_str("# The diff is longer. The tool diff shows the changes of one file at a time.\n");
                return Ok(text);
            }
            let params = json!({ "workbench_id": id, "path": change.path, "page": page });
            let output: ReviewGetDiffOutput = get(workbench, "ReviewGetDiff", call, params).await?;
            text.push_str(&unified(&output));
            if page >= output.pages || matches!(output.diff, DiffView::Opaque { .. }) {
                break;
            }
            page += 1;
        }
    }
    Ok(text)
}
