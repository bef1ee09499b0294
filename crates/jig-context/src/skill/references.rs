//! What a skill refers to: links and images in its Markdown, and paths into its standard folders written as code.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::{SKILL_FILE, read, skill_file};

/// Folders that the format names; a path into them is a reference even when it is no link.
const FOLDERS: [&str; 3] = ["references/", "scripts/", "assets/"];

/// A file of a skill that its `SKILL.md` refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The path inside the skill's folder.
    pub path: String,
    /// The file's text.
    pub text: String,
}

/// The files that `SKILL.md` refers to, directly or through other files, each once, in the order in which they are
/// named. A link to a folder refers to all that is in it, and a path that stands in the text as plain words is one too:
/// whoever names a file there means it. What is not there is left out.
pub fn references(files: &BTreeMap<String, String>) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let body = skill_file(files).map(|text| read::parse(text).map_or_else(|_| text.to_owned(), |(_, body)| body));
    let mut waiting = vec![(SKILL_FILE.to_owned(), body.unwrap_or_default())];
    while let Some((from, text)) = waiting.pop() {
        let mut next = Vec::new();
        let linked = references_from(&text).into_iter().filter_map(|target| match resolve(&from, &target, files) {
            Target::File(path) => Some(path),
            _ => None,
        });
        let linked = linked.flat_map(|path| files.iter().filter(move |(file, _)| is_at(file, &path)));
        let named = files.iter().filter(|(file, _)| file.contains('/') && text.contains(file.as_str()));
        for (path, text) in linked.chain(named) {
            if path == SKILL_FILE || found.iter().any(|reference| reference.path == *path) {
                continue;
            }
            found.push(Reference { path: path.clone(), text: text.clone() });
            next.push((path.clone(), text.clone()));
        }
        waiting.extend(next.into_iter().rev());
    }
    found
}

/// Whether a file is this path, or in the folder that has it.
fn is_at(file: &str, path: &str) -> bool {
    file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Where a reference leads.
pub(super) enum Target {
    /// To the web, to a mailbox or to a place in the same text: no file.
    Elsewhere,
    /// To a file of the skill, or a folder of it.
    File(String),
    /// From the root of some file system.
    Absolute,
    /// Out of the skill's folder.
    Outside,
    /// To a file that the skill does not have.
    Missing,
}

/// Everything that a Markdown text refers to, as it is written there.
pub(crate) fn references_from(text: &str) -> Vec<String> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { link_type: LinkType::Email, .. }) => None,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
            Event::Code(code) if is_path(&code) => Some(code.into_string()),
            _ => None,
        })
        .collect()
}

/// Whether code is the path of one file in a standard folder, and not a pattern or a command.
fn is_path(code: &str) -> bool {
    FOLDERS.iter().any(|folder| code.strip_prefix(folder).is_some_and(|rest| !rest.is_empty()))
        && !code
            .contains(|c: char| c.is_whitespace() || matches!(c, '*' | '<' | '>' | '{' | '}' | '[' | ']' | '…' | '$'))
        && !code.ends_with('/')
        && !code.contains("...")
}

/// Where a reference leads from the file at `from`. Links are meant from the file that holds them; since many write
/// them from the skill's folder, that is tried too.
pub(super) fn resolve(from: &str, target: &str, files: &BTreeMap<String, String>) -> Target {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || has_scheme(target) || target.starts_with("//") {
        return match target.get(..5) {
            Some(start) if start.eq_ignore_ascii_case("file:") => Target::Absolute,
            _ => Target::Elsewhere,
        };
    }
    let path = percent_decode_str(path).decode_utf8_lossy().replace('\\', "/");
    if path.starts_with('/') || path.starts_with('~') || is_drive(&path) {
        return Target::Absolute;
    }
    let base = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (Some(beside), from_root) = (join(base, &path), join("", &path)) else { return Target::Outside };
    for path in std::iter::once(beside).chain(from_root) {
        if files.keys().any(|file| is_at(file, &path)) {
            return Target::File(path);
        }
    }
    Target::Missing
}

/// Whether a link leads to a file, inside or outside of the skill.
pub(crate) fn is_file_reference(target: &str) -> bool {
    !matches!(resolve(SKILL_FILE, target, &BTreeMap::new()), Target::Elsewhere)
}

fn has_scheme(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

fn is_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// The path from a folder, or none if it leaves the skill.
fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
