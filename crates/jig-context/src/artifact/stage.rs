//! Stages of the work: built-in and custom ones, and their templates.

use jig_contract::ops::{StageDefinition, TemplateDefinition};
use jig_contract::{Code, OpError};
use serde_json::Value;

use super::{CONTENT_BYTES_MAX, TITLE_CHARS_MAX, shipped_stages};
use crate::definition::{Members, Problem, read};
use crate::document::{KindName, nearest, shown};

/// The order of stages that have none: after all others.
const LAST: u32 = 1_000;
/// The maximum number of templates per stage.
const TEMPLATES_MAX: usize = 100;
/// The maximum length of a description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 1_000;

/// The sort key of a stage.
pub fn order_of(stage: &StageDefinition) -> (u32, &str) {
    (stage.order.unwrap_or(LAST), &stage.stage)
}

/// All stages of a workbench, in order. A custom stage replaces the built-in one with the same name.
pub fn all_stages(own: Vec<StageDefinition>) -> Vec<StageDefinition> {
    let unchanged = |stage: &&StageDefinition| own.iter().all(|other| other.stage != stage.stage);
    let mut stages: Vec<StageDefinition> = shipped_stages().iter().filter(unchanged).cloned().collect();
    stages.extend(own);
    stages.sort_by(|a, b| order_of(a).cmp(&order_of(b)));
    stages
}

/// Finds a stage by name, ignoring case.
pub fn find_stage<'a>(stages: &'a [StageDefinition], name: &str) -> Result<&'a StageDefinition, OpError> {
    let wanted = name.trim().to_lowercase();
    stages.iter().find(|stage| stage.stage == wanted).ok_or_else(|| {
        OpError::new(Code::StageNotFound, format!("there is no stage `{}`", shown(name)))
            .suggest(nearest(&wanted, stages.iter().map(|stage| stage.stage.as_str())))
            .hint("`jig stage list` shows the stages; `jig stage put FILE` adds one")
    })
}

/// Finds a template by name, with its stage. The preferred stage is searched first.
pub fn template<'a>(
    stages: &'a [StageDefinition],
    slug: &str,
    preferred: &str,
) -> Option<(&'a StageDefinition, &'a TemplateDefinition)> {
    let first = stages.iter().filter(|stage| stage.stage == preferred);
    let others = stages.iter().filter(|stage| stage.stage != preferred);
    first.chain(others).find_map(|stage| {
        let template = stage.artifacts.iter().find(|template| template.slug == slug)?;
        Some((stage, template))
    })
}

/// The path of a custom stage definition in a workbench.
pub fn stage_path(stage: &str) -> String {
    format!("meta/stages/{stage}.json")
}

/// Parses a definition, or reports all errors.
pub fn read_stage(given: &Value) -> Result<StageDefinition, Vec<Problem>> {
    let value = read(given).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let stage = members(&value, &mut problems);
    match stage {
        Some(stage) if problems.is_empty() => Ok(stage),
        _ => Err(problems),
    }
}

fn members(value: &Value, problems: &mut Vec<Problem>) -> Option<StageDefinition> {
    let mut all = Members::of(value, "", problems)?;
    let stage = name(&mut all, "stage");
    let title = all.needed_text("title", TITLE_CHARS_MAX);
    let description = all.text("description", DESCRIPTION_CHARS_MAX).unwrap_or_default();
    let order = all.number("order", 0, u32::MAX);
    let artifacts = all.list("artifacts", TEMPLATES_MAX);
    all.end();
    let artifacts = templates(&artifacts, problems);
    Some(StageDefinition { stage: stage?, title: title?, description, order, artifacts })
}

fn templates(values: &[Value], problems: &mut Vec<Problem>) -> Vec<TemplateDefinition> {
    let mut found: Vec<TemplateDefinition> = Vec::new();
    for (n, value) in values.iter().enumerate() {
        let place = format!("artifacts[{n}]");
        let Some(mut members) = Members::of(value, &place, problems) else { continue };
        let slug = name(&mut members, "slug");
        let title = members.needed_text("title", TITLE_CHARS_MAX);
        let description = members.text("description", DESCRIPTION_CHARS_MAX).unwrap_or_default();
        let content = members.text("content", CONTENT_BYTES_MAX).unwrap_or_default();
        if content.contains('\0') {
            members.complain("content", "it has a NUL character");
        }
        if let Some(slug) = slug.as_ref().filter(|slug| found.iter().any(|other| other.slug == **slug)) {
            members.complain("slug", format!("`{slug}` is there twice"));
        }
        members.end();
        if let (Some(slug), Some(title)) = (slug, title) {
            found.push(TemplateDefinition { slug, title, description, content });
        }
    }
    found
}

/// A name that is also valid as a file name.
fn name(members: &mut Members<'_>, member: &'static str) -> Option<String> {
    let text = members.needed_text(member, TITLE_CHARS_MAX)?;
    match KindName::new(&text) {
        Ok(name) => Some(name.to_string()),
        Err(error) => {
            members.complain(member, error.rule);
            None
        }
    }
}
