//! The references of a skill: Markdown links and images, and paths into its standard folders in code spans.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::{SKILL_FILE, read, skill_file};

/// Standard folders of the format. A path into them is a reference even if it is not a link.
const FOLDERS: [&str; 3] = ["references/", "scripts/", "assets/"];

/// A file that a `SKILL.md` refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The path in the skill folder.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

/// The files that `SKILL.md` refers to, directly or through other files, without duplicates and in the order of
/// mention. A link to a folder refers to all files in it, and a path in plain text counts as a reference too. Missing
/// files are left out.
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

/// Whether a file is at this path, or in the folder at this path.
fn is_at(file: &str, path: &str) -> bool {
    file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The target of a reference.
pub(super) enum Target {
    /// A URL, mail address or anchor: not a file.
    Elsewhere,
    /// A file or folder of the skill.
    File(String),
    /// An absolute path.
    Absolute,
    /// A path outside the skill folder.
    Outside,
    /// A file that does not exist.
    Missing,
}

/// All references in a Markdown text, as written.
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

/// Whether a code span is the path of a file in a standard folder, rather than a pattern or a command.
fn is_path(code: &str) -> bool {
    FOLDERS.iter().any(|folder| code.strip_prefix(folder).is_some_and(|rest| !rest.is_empty()))
        && !code
            .contains(|c: char| c.is_whitespace() || matches!(c, '*' | '<' | '>' | '{' | '}' | '[' | ']' | '…' | '$'))
        && !code.ends_with('/')
        && !code.contains("...")
}

/// Resolves a reference in the file at `from`. Links are relative to their file; because many authors write them
/// relative to the skill folder, that is tried too.
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

/// Whether a link refers to a file, inside or outside of the skill.
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

/// Joins a path to a folder; `None` if the result is outside the skill.
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
