//! The paged list of resources, and the URI templates.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jig_contract::ops::{
    ArtifactInfo, ArtifactListOutput, ContextGetArtifactOutput, ContextListOutput, ContextStatus, EntryInfo,
    EntryListOutput, FileInfo, FileListOutput, Root, WorkbenchInfo, WorkbenchListOutput,
};
use jig_contract::{Code, OpError};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{ListResourcesResult, Resource, ResourceTemplate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::read::MARKDOWN;
use super::uri::{Address, What};

/// The approximate number of resources per page.
const PAGE: usize = 200;

/// The start of the next page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    workbench: String,
    part: Part,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// The parts of a workbench, in list order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Overview,
    Context,
    Artifacts,
    Entries,
    Published,
    Draft,
}

/// The parameters that name a region of a file, as in the read operation.
pub(super) const REGION: [&str; 14] = [
    "sheet",
    "range",
    "mode",
    "section",
    "view",
    "paragraphs",
    "slide",
    "slide_index",
    "pages",
    "line_start",
    "line_count",
    "root",
    "max_tokens",
    "cursor",
];

/// The URI templates; completion supports all their parameters.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, words: &str| ResourceTemplate::new(uri, name).with_description(words);
    vec![
        template("jig://{workbench}/published/{path}", "published-file", "A published file"),
        template("jig://{workbench}/draft/{path}", "draft-file", "A file in the Draft"),
        template(
            "jig://{workbench}/draft/diff",
            "draft-diff",
            "All that the Draft changes in texts, as a unified diff",
        )
        .with_mime_type("text/x-diff"),
        template(
            "jig://{workbench}/context/{item}/{path}",
            "context-item",
            "A text of a context item: what is known of the company, the department, the situation, the style of documents",
        )
        .with_mime_type(MARKDOWN),
        template("jig://{workbench}/artifact/{slug}", "artifact", "A planning document, as Markdown")
            .with_mime_type(MARKDOWN),
        template("jig://{workbench}/artifact/{slug}#{section}", "artifact-section", "One section of a planning document")
            .with_mime_type(MARKDOWN),
        template("jig://{workbench}/journal", "journal", "The workbench's newest changes")
            .with_mime_type("application/json"),
        template(
            "jig://{workbench}/map/{path}",
            "file-map",
            "Which regions a file has (sheets, sections, slides, pages, lines), as in the Draft",
        )
        .with_mime_type("application/json"),
        template(
            &format!("jig://{{workbench}}/text/{{path}}{{?{}}}", REGION.join(",")),
            "file-text",
            "A file of any kind, or a region of it, as text; the map names the regions",
        )
        .with_mime_type("text/plain"),
        template("jig://{workbench}/entry/{role}", "entry", "The one entry of a kind, with its values")
            .with_mime_type("application/json"),
        template("jig://{workbench}/entry/{role}/{entry_key}", "entry-of-many", "One of several entries of a kind")
            .with_mime_type("application/json"),
    ]
}

/// A page of the list, for the default workbench or for all.
pub(super) async fn page(
    workbench: &Workbench,
    call: &CallContext,
    bound: Option<&str>,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, OpError> {
    let listed = workbenches(workbench, call, bound).await?;
    let mut place = match cursor {
        Some(cursor) => Some(read_cursor(cursor)?),
        None => listed.first().map(start),
    };
    let mut resources = Vec::new();
    while let Some(here) = place.take() {
        let Some(at) = listed.iter().position(|info| info.id.as_str() == here.workbench) else { break };
        let next = part(workbench, call, &listed[at], here, &mut resources).await?;
        place = next.or_else(|| listed.get(at + 1).map(start));
        if resources.len() >= PAGE {
            break;
        }
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = place.map(|place| write_cursor(&place)).transpose()?;
    Ok(result)
}

fn start(info: &WorkbenchInfo) -> Place {
    Place { workbench: info.id.to_string(), part: Part::Overview, cursor: None }
}

/// The default workbench, or all that this caller can access.
pub(super) async fn workbenches(
    workbench: &Workbench,
    call: &CallContext,
    bound: Option<&str>,
) -> Result<Vec<WorkbenchInfo>, OpError> {
    match bound {
        Some(id) => Ok(vec![get(workbench, "WorkbenchGet", call, json!({ "workbench_id": id })).await?]),
        None => {
            let all: WorkbenchListOutput = get(workbench, "WorkbenchList", call, json!({})).await?;
            Ok(all.workbenches)
        }
    }
}

/// Adds the resources of a part, or a page of them. Returns the position of the next page in this workbench.
async fn part(
    workbench: &Workbench,
    call: &CallContext,
    info: &WorkbenchInfo,
    here: Place,
    resources: &mut Vec<Resource>,
) -> Result<Option<Place>, OpError> {
    let id = info.id.as_str();
    let go_on = |part, cursor| Some(Place { workbench: id.to_owned(), part, cursor });
    let root = match here.part {
        Part::Overview => {
            overview(info, resources);
            return Ok(go_on(Part::Context, None));
        }
        Part::Context => {
            items(workbench, call, id, resources).await?;
            return Ok(go_on(Part::Artifacts, None));
        }
        Part::Artifacts => {
            artifacts(workbench, call, id, resources).await?;
            return Ok(go_on(Part::Entries, None));
        }
        Part::Entries => {
            let params = json!({ "workbench_id": id, "limit": PAGE, "cursor": here.cursor, "fields": [] });
            let entries: EntryListOutput = get(workbench, "EntryList", call, params).await?;
            resources.extend(entries.entries.iter().map(|entry| entry_resource(id, entry)));
            let next = if entries.cursor.is_some() { Part::Entries } else { Part::Published };
            return Ok(go_on(next, entries.cursor));
        }
        Part::Draft if info.draft.is_none() => return Ok(None),
        Part::Draft => Root::Draft,
        Part::Published => Root::Published,
    };
    let params = json!({ "workbench_id": id, "root": root, "limit": PAGE, "cursor": here.cursor });
    let files: FileListOutput = get(workbench, "FileList", call, params).await?;
    resources.extend(files.files.iter().map(|file| file_resource(id, root, file)));
    Ok(match (files.cursor, here.part) {
        (Some(cursor), part) => go_on(part, Some(cursor)),
        (None, Part::Published) => go_on(Part::Draft, None),
        (None, _) => None,
    })
}

fn overview(info: &WorkbenchInfo, resources: &mut Vec<Resource>) {
    let address = |what| Address { workbench: info.id.to_string(), what }.to_string();
    resources.push(
        Resource::new(address(What::Journal), "journal")
            .with_title(format!("History of {}", info.name))
            .with_mime_type("application/json"),
    );
    if info.draft.is_some() {
        resources.push(
            Resource::new(address(What::Diff), "diff")
                .with_title(format!("Draft of {}: what it changes", info.name))
                .with_mime_type("text/x-diff"),
        );
    }
}

/// The texts of context items. An unreadable item has none.
async fn items(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    resources: &mut Vec<Resource>,
) -> Result<(), OpError> {
    let list: ContextListOutput = get(workbench, "ContextList", call, json!({ "workbench_id": id })).await?;
    for item in list.items.iter().filter(|item| item.status == ContextStatus::Active) {
        let category = item.category.to_string();
        for path in item_paths(workbench, call, id, &category).await? {
            let what = What::Item(category.clone(), path.clone());
            let uri = Address { workbench: id.to_owned(), what }.to_string();
            let resource = Resource::new(uri, format!("{category}/{path}")).with_mime_type(MARKDOWN);
            resources.push(resource.with_description(&item.summary));
        }
    }
    Ok(())
}

/// The artifacts with their progress. Sections are available through the template.
async fn artifacts(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    resources: &mut Vec<Resource>,
) -> Result<(), OpError> {
    for artifact in all_artifacts(workbench, call, id).await? {
        let what = What::Artifact(artifact.slug.clone(), None);
        let uri = Address { workbench: id.to_owned(), what }.to_string();
        let words =
            format!("{}: {} of {} sections done", artifact.stage, artifact.sections_complete, artifact.sections_total);
        let resource = Resource::new(uri, artifact.name).with_title(artifact.title).with_mime_type(MARKDOWN);
        resources.push(resource.with_description(words));
    }
    Ok(())
}

/// All artifacts of a workbench, without their texts.
pub(super) async fn all_artifacts(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
) -> Result<Vec<ArtifactInfo>, OpError> {
    let mut all = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let params = json!({ "workbench_id": id, "limit": 1_000, "cursor": cursor });
        let page: ArtifactListOutput = get(workbench, "ArtifactList", call, params).await?;
        all.extend(page.artifacts);
        cursor = page.cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

/// The paths of an item's texts.
pub(super) async fn item_paths(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    category: &str,
) -> Result<Vec<String>, OpError> {
    let params = json!({ "workbench_id": id, "category": category });
    let artifact: ContextGetArtifactOutput = get(workbench, "ContextGetArtifact", call, params).await?;
    Ok(artifact.files.into_iter().map(|file| file.path).collect())
}

fn file_resource(workbench: &str, root: Root, file: &FileInfo) -> Resource {
    let what = What::File(root, file.path.to_string());
    let uri = Address { workbench: workbench.to_owned(), what }.to_string();
    Resource::new(uri, file.path.as_str())
        .with_title(format!("{} ({})", file.path.file_name(), root.folder()))
        .with_mime_type(&file.media_type)
        .with_size(file.bytes)
}

fn entry_resource(workbench: &str, entry: &EntryInfo) -> Resource {
    let key = Some(entry.entry_key.clone()).filter(|key| !key.is_empty());
    let name = key.as_ref().map_or_else(|| entry.role.clone(), |key| format!("{}/{key}", entry.role));
    let uri = Address { workbench: workbench.to_owned(), what: What::Entry(entry.role.clone(), key) }.to_string();
    let words = format!("{} of {} fields filled", entry.filled, entry.parts);
    Resource::new(uri, name).with_title(&entry.display_name).with_description(words).with_mime_type("application/json")
}

/// A link to a file of a workbench, for results that refer to it.
pub(super) fn file_link(workbench: &str, root: Root, path: &str) -> Resource {
    let what = What::File(root, path.to_owned());
    Resource::new(Address { workbench: workbench.to_owned(), what }.to_string(), path)
}

/// A link to an artifact.
pub(super) fn artifact_link(workbench: &str, slug: &str) -> Resource {
    let what = What::Artifact(slug.to_owned(), None);
    Resource::new(Address { workbench: workbench.to_owned(), what }.to_string(), slug).with_mime_type(MARKDOWN)
}

/// Calls an operation and parses its output.
pub(super) async fn get<T: DeserializeOwned>(
    workbench: &Workbench,
    name: &str,
    call: &CallContext,
    params: Value,
) -> Result<T, OpError> {
    let value = workbench.call(name, call.clone(), params).await?;
    serde_json::from_value(value)
        .map_err(|e| OpError::new(Code::Internal, "an operation's answer does not have its own shape").because(e))
}

fn write_cursor(place: &Place) -> Result<String, OpError> {
    let json = serde_json::to_vec(place)
        .map_err(|e| OpError::new(Code::Internal, "the list's cursor cannot be written").because(e))?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}

fn read_cursor(cursor: &str) -> Result<Place, OpError> {
    let place = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|json| serde_json::from_slice(&json).ok());
    place.ok_or_else(|| OpError::new(Code::InvalidParams, "the cursor is not one that an earlier page gave"))
}
