//! Skills over MCP (extension `io.modelcontextprotocol/skills`): the context of a workbench as verified Agent Skills.
//!
//! `skills/list` and `skills/get` return the skills with a digest and the size of each file; the files themselves are
//! resources. `resources/directory/read` lists a skill's folder. Skills of a workbench are
//! `skill://{workbench}/{name}/…`; built-in skills are the same everywhere and are `skill://jig.bundled/{name}/…`.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{Code, Given, OpError, WorkbenchId};
use jig_workbench::{SkillFiles, Workbench};
use rmcp::model::ResourceContents;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::caller::Caller;
use super::cursor;
use super::read::MARKDOWN;
use super::resources::workbenches;

/// The extension's name among the capabilities.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// The authority of built-in skills. No workbench id contains a dot.
const BUNDLED: &str = "jig.bundled";
const SCHEME: &str = "skill://";
const SKILL: &str = "SKILL.md";
/// The number of skills, or files of a folder, per page.
const PAGE: usize = 100;
/// The limit that every client of the extension supports; a larger skill is not offered.
const FILES_MAX: usize = 512;
const BYTES_MAX: usize = 16 << 20;

/// A skill with the URI of its folder.
struct Skill {
    folder: String,
    files: SkillFiles,
}

/// How long clients may cache results.
const TTL_MS: u64 = 5_000;

/// The capabilities of the extension.
pub(super) fn capability() -> Map<String, Value> {
    Map::from_iter([("directoryRead".to_owned(), Value::Bool(true))])
}

/// Whether a method belongs to the extension.
pub(super) fn has_method(method: &str) -> bool {
    matches!(method, "skills/list" | "skills/get" | "resources/directory/read")
}

/// The result of a method of the extension; `None` for other methods.
pub(super) async fn answer(
    workbench: &Workbench,
    caller: &Caller,
    method: &str,
    params: &Value,
) -> Option<Result<Value, OpError>> {
    let answered = match method {
        "skills/list" => list(workbench, caller, params).await,
        "skills/get" => get(workbench, caller, params).await,
        "resources/directory/read" => directory(workbench, caller, params).await,
        _ => return None,
    };
    Some(answered.map(|mut answer| {
        if let Some(members) = answer.as_object_mut() {
            members.insert("ttlMs".to_owned(), TTL_MS.into());
            members.insert("cacheScope".to_owned(), "private".into());
        }
        answer
    }))
}

async fn list(workbench: &Workbench, caller: &Caller, params: &Value) -> Result<Value, OpError> {
    let all = all(workbench, caller).await?;
    let from = cursor::offset(params["cursor"].as_str())?;
    let page: Vec<Value> = all.iter().skip(from).take(PAGE).map(entry).collect();
    let mut answer = json!({ "skills": page });
    if from + PAGE < all.len() {
        answer["nextCursor"] = cursor::after(from + PAGE).into();
    }
    Ok(answer)
}

async fn get(workbench: &Workbench, caller: &Caller, params: &Value) -> Result<Value, OpError> {
    let uri = uri_of(params)?;
    let folder = uri.strip_suffix("/SKILL.md").unwrap_or_default();
    let found = one(workbench, caller, folder).await?.filter(|skill| skill.folder == folder);
    found.map(|skill| json!({ "skill": entry(&skill) })).ok_or_else(|| unknown("skill", uri))
}

/// The direct children of a folder of a skill.
async fn directory(workbench: &Workbench, caller: &Caller, params: &Value) -> Result<Value, OpError> {
    let uri = uri_of(params)?.trim_end_matches('/');
    let skill = one(workbench, caller, uri).await?.ok_or_else(|| unknown("folder", uri))?;
    let inside = uri.strip_prefix(&skill.folder).unwrap_or_default().trim_start_matches('/');
    let prefix = if inside.is_empty() { String::new() } else { format!("{inside}/") };
    let mut folders = BTreeSet::new();
    let mut children = Vec::new();
    for (path, text) in &skill.files.files {
        let Some(rest) = path.strip_prefix(&prefix) else { continue };
        match rest.split_once('/') {
            Some((folder, _)) if folders.insert(folder.to_owned()) => {
                children
                    .push(json!({ "uri": format!("{uri}/{folder}"), "name": folder, "mimeType": "inode/directory" }));
            }
            Some(_) => {}
            None => children.push(json!({
                "uri": format!("{uri}/{rest}"), "name": rest, "mimeType": MARKDOWN, "size": text.len()
            })),
        }
    }
    if children.is_empty() {
        return Err(unknown("folder", uri));
    }
    let from = cursor::offset(params["cursor"].as_str())?;
    let total = children.len();
    let page: Vec<Value> = children.into_iter().skip(from).take(PAGE).collect();
    let mut answer = json!({ "resources": page });
    if from + PAGE < total {
        answer["nextCursor"] = cursor::after(from + PAGE).into();
    }
    Ok(answer)
}

/// A file of a skill as a resource.
pub(super) async fn contents(workbench: &Workbench, caller: &Caller, uri: &str) -> Result<ResourceContents, OpError> {
    let skill = one(workbench, caller, uri).await?.ok_or_else(|| unknown("resource", uri))?;
    let path = uri.strip_prefix(&skill.folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    let text = skill.files.files.get(path).ok_or_else(|| unknown("resource", uri))?;
    Ok(ResourceContents::text(text.as_str(), uri).with_mime_type(MARKDOWN))
}

/// Whether a URI belongs to a skill.
pub(super) fn is_skill(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// The version mark of a skill's file.
pub(super) async fn mark(workbench: &Workbench, caller: &Caller, uri: &str) -> Option<String> {
    let skill = one(workbench, caller, uri).await.ok()??;
    let path = uri.strip_prefix(&skill.folder)?.strip_prefix('/')?;
    skill.files.files.get(path).map(|text| digest(text))
}

/// The workbench in a skill's URI.
pub(super) fn workbench_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME)?.split('/').next().filter(|id| *id != BUNDLED)
}

/// A skill in list form: all files with digest and size.
fn entry(skill: &Skill) -> Value {
    let file = |(path, text): (&String, &String)| json!({ "uri": format!("{}/{path}", skill.folder), "digest": digest(text), "size": text.len() });
    let files: Vec<Value> = skill.files.files.iter().map(file).collect();
    json!({
        "uri": format!("{}/{SKILL}", skill.folder),
        "frontmatter": skill.files.frontmatter,
        "resources": files,
    })
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// All skills that this caller can access, without duplicates and in a stable order.
async fn all(workbench: &Workbench, caller: &Caller) -> Result<Vec<Skill>, OpError> {
    let mut by_folder = BTreeMap::new();
    for info in workbenches(workbench, &caller.context, caller.bound.as_deref()).await? {
        for skill in of_workbench(workbench, caller, info.id.as_str()).await? {
            by_folder.insert(skill.folder.clone(), skill);
        }
    }
    if by_folder.is_empty() {
        by_folder.extend(bundled().map(|skill| (skill.folder.clone(), skill)));
    }
    Ok(by_folder.into_values().collect())
}

/// The skill that contains a URI.
async fn one(workbench: &Workbench, caller: &Caller, uri: &str) -> Result<Option<Skill>, OpError> {
    let lies_in = |skill: &Skill| uri == skill.folder || uri.starts_with(&format!("{}/", skill.folder));
    match workbench_of(uri) {
        Some(id) => Ok(of_workbench(workbench, caller, id).await?.into_iter().find(lies_in)),
        None => Ok(bundled().find(lies_in)),
    }
}

async fn of_workbench(workbench: &Workbench, caller: &Caller, id: &str) -> Result<Vec<Skill>, OpError> {
    let id: WorkbenchId = Given::from(id).check()?;
    let skills = workbench.skills(&caller.context, &id).await?;
    Ok(skills.into_iter().filter(fits).map(|files| at(id.as_str(), files)).collect())
}

fn bundled() -> impl Iterator<Item = Skill> {
    Workbench::bundled_skills().into_iter().filter(fits).map(|files| at(BUNDLED, files))
}

fn at(id: &str, files: SkillFiles) -> Skill {
    let id = if files.bundled { BUNDLED } else { id };
    Skill { folder: format!("{SCHEME}{id}/{}", files.name), files }
}

fn fits(skill: &SkillFiles) -> bool {
    let bytes: usize = skill.files.values().map(String::len).sum();
    skill.files.contains_key(SKILL) && skill.files.len() <= FILES_MAX && bytes <= BYTES_MAX
}

fn uri_of(params: &Value) -> Result<&str, OpError> {
    let wrong = || OpError::new(Code::InvalidParams, "`uri` is missing");
    params["uri"].as_str().ok_or_else(wrong)
}

fn unknown(what: &str, uri: &str) -> OpError {
    let shown: String = uri.chars().take(200).collect();
    OpError::new(Code::InvalidParams, format!("there is no {what} `{shown}`")).hint("skills/list shows what there is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_sha_256_of_the_bytes() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(""), empty);
    }

    #[test]
    fn bundled_skills_are_named_once_for_all_workbenches() {
        let folders: Vec<String> = bundled().map(|skill| skill.folder).collect();
        let expected = ["xlsx", "docx", "pptx"].map(|format| format!("skill://jig.bundled/{format}-style-skill"));
        assert_eq!(folders, expected);
        assert_eq!(workbench_of(&folders[0]), None);
        assert_eq!(workbench_of("skill://deck/situation/SKILL.md"), Some("deck"));
    }
}
