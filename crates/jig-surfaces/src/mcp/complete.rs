//! Completes arguments of templates and prompts: ids, paths, regions of files, context items, entries, artifacts.

use jig_contract::OpError;
use jig_contract::ops::{
    ArtifactInfo, ArtifactOutput, ContextCategory, EntryListOutput, FileListOutput, KindListOutput, Root,
    WorkbenchListOutput,
};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use serde_json::{Value, json};

use super::resources::{all_artifacts, get, item_paths};

/// The values that match the input so far, and their total number if not all are returned.
pub(super) async fn values(
    workbench: &Workbench,
    call: &CallContext,
    request: &CompleteRequestParams,
    bound: Option<&str>,
) -> Result<CompletionInfo, OpError> {
    let typed = request.argument.value.as_str();
    let arguments = request.context.as_ref().and_then(|context| context.arguments.as_ref());
    let chosen = |name: &str| arguments.and_then(|arguments| arguments.get(name)).map(String::as_str);
    let candidates = match (&request.r#ref, request.argument.name.as_str()) {
        (_, "workbench") => workbenches(workbench, call).await?,
        (Reference::Prompt(_), "message" | "input") => match chosen("workbench").or(bound) {
            Some(id) => addresses_in(workbench, call, id, typed).await?,
            None => Vec::new(),
        },
        (Reference::Resource(_), "role") => match chosen("workbench").or(bound) {
            Some(id) => kinds(workbench, call, id).await?,
            None => Vec::new(),
        },
        (Reference::Resource(_), "entry_key") => match (chosen("workbench").or(bound), chosen("role")) {
            (Some(id), Some(role)) => keys(workbench, call, id, role).await?,
            _ => Vec::new(),
        },
        (Reference::Resource(_), "root") => vec!["draft".to_owned(), "published".to_owned()],
        (Reference::Resource(_), "mode") => ["values", "formulas", "both"].map(str::to_owned).into(),
        (Reference::Resource(_), "view") => ["final", "original", "markup"].map(str::to_owned).into(),
        (Reference::Resource(template), name) if template.uri.contains("/text/") && REGIONS.contains(&name) => {
            match (chosen("workbench").or(bound), chosen("path")) {
                (Some(id), Some(path)) => regions(workbench, call, id, path, name).await?,
                _ => Vec::new(),
            }
        }
        (Reference::Resource(_), "item") => ContextCategory::ALL.map(|item| item.to_string()).into(),
        (_, "slug" | "target" | "artifact") => match chosen("workbench").or(bound) {
            Some(id) => artifacts(workbench, call, id, typed).await?,
            None => Vec::new(),
        },
        (_, "section") => match (chosen("workbench").or(bound), chosen("slug").or_else(|| chosen("artifact"))) {
            (Some(id), Some(slug)) => sections(workbench, call, id, slug).await?,
            _ => Vec::new(),
        },
        (Reference::Resource(template), "path") if template.uri.contains("/context/") => {
            match (chosen("workbench").or(bound), chosen("item")) {
                (Some(id), Some(item)) => item_paths(workbench, call, id, item).await?,
                _ => Vec::new(),
            }
        }
        (Reference::Resource(template), "path") => {
            let root = if template.uri.contains("/draft/") { Root::Draft } else { Root::Published };
            match chosen("workbench").or(bound) {
                Some(id) => paths(workbench, call, id, root).await?,
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    Ok(fitting(candidates, typed))
}

/// Region parameters that are completed from the file's map.
const REGIONS: [&str; 5] = ["sheet", "range", "section", "slide", "slide_index"];

/// Values of a region parameter from the file's map. A file without a map has none.
async fn regions(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    path: &str,
    name: &str,
) -> Result<Vec<String>, OpError> {
    let params = json!({ "workbench_id": id, "path": path });
    let Ok(found) = workbench.call("FileGetMap", call.clone(), params).await else { return Ok(Vec::new()) };
    let map = &found["map"];
    let named = |list: &str, member: &str| -> Vec<String> {
        let items = map[list].as_array().into_iter().flatten();
        items.filter_map(|item| item[member].as_str()).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    Ok(match name {
        "sheet" => named("sheets", "name"),
        "range" => {
            let sheets = map["sheets"].as_array().into_iter().flatten();
            let islands = sheets.flat_map(|sheet| sheet["islands"].as_array().into_iter().flatten());
            islands.filter_map(|island| island["range"].as_str().map(str::to_owned)).collect()
        }
        "section" => named("sections", "heading"),
        _ => {
            let count = map["slides"].as_array().map_or(0, Vec::len);
            let first = usize::from(name == "slide");
            (first..count + first).map(|number| number.to_string()).collect()
        }
    })
}

async fn kinds(workbench: &Workbench, call: &CallContext, id: &str) -> Result<Vec<String>, OpError> {
    let list: KindListOutput = get(workbench, "KindList", call, json!({ "workbench_id": id })).await?;
    let kinds = serde_json::to_value(&list.kinds).unwrap_or_default();
    let role = |kind: &Value| kind["anchor_role"].as_str().map(str::to_owned);
    Ok(kinds.as_array().into_iter().flatten().filter_map(role).collect())
}

async fn keys(workbench: &Workbench, call: &CallContext, id: &str, role: &str) -> Result<Vec<String>, OpError> {
    let mut all = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let params = json!({ "workbench_id": id, "role": role, "limit": 1_000, "cursor": cursor });
        let page: EntryListOutput = get(workbench, "EntryList", call, params).await?;
        all.extend(page.entries.into_iter().map(|entry| entry.entry_key).filter(|key| !key.is_empty()));
        cursor = page.cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

/// In a sentence, the current word is completed if it starts an address: `look at @conc`.
async fn addresses_in(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    typed: &str,
) -> Result<Vec<String>, OpError> {
    let start =
        typed.rfind(char::is_whitespace).map_or(0, |at| at + typed[at..].chars().next().map_or(1, char::len_utf8));
    let (before, word) = typed.split_at(start);
    if !word.starts_with('@') {
        return Ok(Vec::new());
    }
    let addresses = artifacts(workbench, call, id, word).await?;
    Ok(addresses.into_iter().map(|address| format!("{before}{address}")).collect())
}

fn fitting(candidates: Vec<String>, typed: &str) -> CompletionInfo {
    let typed = typed.to_lowercase();
    let mut values: Vec<String> = candidates.into_iter().filter(|c| c.to_lowercase().starts_with(&typed)).collect();
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more).unwrap_or_default()
}

async fn workbenches(workbench: &Workbench, call: &CallContext) -> Result<Vec<String>, OpError> {
    let all: WorkbenchListOutput = get(workbench, "WorkbenchList", call, json!({})).await?;
    Ok(all.workbenches.into_iter().map(|info| info.id.to_string()).collect())
}

/// Slugs; for an address (`@concept#wh`), the addresses of artifacts and their sections.
async fn artifacts(workbench: &Workbench, call: &CallContext, id: &str, typed: &str) -> Result<Vec<String>, OpError> {
    let all = all_artifacts(workbench, call, id).await?;
    if !typed.starts_with('@') {
        return Ok(all.into_iter().map(|artifact| artifact.slug).collect());
    }
    let mut addresses: Vec<String> = all.iter().map(|artifact| format!("@{}", artifact.slug)).collect();
    if typed.contains('#') {
        let of = |artifact: &ArtifactInfo| {
            let slug = artifact.slug.clone();
            artifact.sections.iter().map(move |section| format!("@{slug}#{}", section.slug)).collect::<Vec<_>>()
        };
        addresses.extend(all.iter().flat_map(of));
    }
    Ok(addresses)
}

async fn sections(workbench: &Workbench, call: &CallContext, id: &str, slug: &str) -> Result<Vec<String>, OpError> {
    let params = json!({ "workbench_id": id, "slug": slug, "outline": true });
    let found: ArtifactOutput = get(workbench, "ArtifactGet", call, params).await?;
    Ok(found.artifact.sections.into_iter().map(|section| section.slug).collect())
}

async fn paths(workbench: &Workbench, call: &CallContext, id: &str, root: Root) -> Result<Vec<String>, OpError> {
    let mut all = Vec::new();
    let mut cursor = None;
    loop {
        let params = json!({ "workbench_id": id, "root": root, "cursor": cursor });
        let page: FileListOutput = get(workbench, "FileList", call, params).await?;
        all.extend(page.files.into_iter().map(|file| file.path.to_string()));
        cursor = page.cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_hundred_are_given_and_the_rest_is_counted() {
        let info = fitting((0..250).map(|n| format!("File-{n}")).chain(["other".to_owned()]).collect(), "file");
        assert_eq!((info.values.len(), info.total, info.has_more), (100, Some(250), Some(true)));
    }
}
