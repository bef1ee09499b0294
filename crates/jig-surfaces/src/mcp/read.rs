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
        What::Text(path, region) => text(workbench, call, &address, path, region, uri, max_bytes).await,
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

/// A region of a file as text: all of it, or as much as the URI asks for with the URI of the rest.
async fn text(
    workbench: &Workbench,
    call: &CallContext,
    address: &Address,
    path: &str,
    region: &[(String, String)],
    uri: &str,
    max_bytes: u64,
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
    if !in_pieces {
        params["max_tokens"] = WHOLE.into();
    }
    let mut whole = String::new();
    loop {
        let page: FileReadOutput = get(workbench, "FileRead", call, params.clone()).await?;
        whole.push_str(&page.text);
        if whole.len() as u64 > max_bytes {
            let message = format!("{path} is longer than {max_bytes} bytes as text");
            return Err(OpError::new(Code::LimitExceeded, message)
                .hint("name a region, or add `max_tokens=4000` to the address and follow `next`"));
        }
        let contents = || ResourceContents::text(whole.clone(), uri).with_mime_type("text/plain");
        match page.cursor {
            None => return Ok(contents()),
            Some(cursor) if in_pieces => {
                let mut rest: Vec<_> = region.iter().filter(|(name, _)| name != "cursor").cloned().collect();
                rest.push(("cursor".to_owned(), cursor));
                let what = What::Text(path.to_owned(), rest);
                let next = Address { workbench: address.workbench.clone(), what }.to_string();
                let meta = serde_json::from_value::<MetaObject>(json!({ "jig/next": next })).unwrap_or_default();
                return Ok(contents().with_meta(meta));
            }
            Some(cursor) => params["cursor"] = cursor.into(),
        }
    }
}

/// How much is read at a time when everything is requested.
const WHOLE: u64 = 50_000;

fn parameter(name: &str, value: &str) -> Result<Value, OpError> {
    let number = || value.parse::<u64>().map(Value::from);
    match name {
        "slide_index" | "line_start" | "line_count" | "max_tokens" => number()
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
