//! Completion of the templates' arguments: workbench ids, context items, paths, artifacts and their sections.

use jig_contract::OpError;
use jig_contract::ops::{ArtifactInfo, ArtifactOutput, ContextCategory, FileListOutput, Root, WorkbenchListOutput};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use serde_json::json;

use super::resources::{all_artifacts, get, item_paths};

/// The values that fit what was typed so far; says how many there are when not all are given.
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
        (Reference::Resource(_), "workbench") => workbenches(workbench, call).await?,
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

/// Slugs; where an address is typed (`@concept#wh`), addresses of artifacts and of their sections.
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
