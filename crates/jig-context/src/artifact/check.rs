//! Checks whether a text is valid as section content, and a line as a heading.

use super::error::ArtifactError;
use super::markdown::outline;
use super::{CONTENT_BYTES_MAX, TITLE_CHARS_MAX};

/// A section inside a text that is split at its level-2 headings.
pub(super) struct Piece {
    pub(super) title: String,
    pub(super) heading: String,
    pub(super) body: String,
}

/// How level-2 headings inside a section's text are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Headings {
    /// Refused, because they would silently become sections.
    Refused,
    /// Split off into sections.
    Split,
}

/// Appended to a text to test it: if the probe is not parsed as a heading, the text leaves a block open.
const PROBE: &str = "\n\n## \u{2060}\n";

/// Validates the text of a section. Returns its own content and the sections that are split off.
pub(super) fn checked(content: &str, headings: Headings) -> Result<(String, Vec<Piece>), ArtifactError> {
    if content.len() > CONTENT_BYTES_MAX {
        let problem = format!("the text has {} bytes; at most {CONTENT_BYTES_MAX} are kept", content.len());
        return Err(ArtifactError::content(problem, "put it into several artifacts"));
    }
    if content.contains('\0') {
        return Err(ArtifactError::content("the text has a NUL character", "take it out"));
    }
    // Parsed under a heading, so that rules at the top of the text are not taken for document metadata.
    let probed = format!("## x\n\n{content}{PROBE}");
    let found = outline(&probed).sections;
    let closed = found.last().is_some_and(|last| last.body.end == probed.len() && last.title == "\u{2060}");
    if !closed || found.len() < 2 {
        return Err(ArtifactError::content(
            "the text leaves a code fence, a comment or an HTML block open, so that the next section would be inside it",
            "close it, and write again",
        ));
    }
    let pieces = &found[1..found.len() - 1];
    if let (Headings::Refused, Some(first)) = (headings, pieces.first()) {
        return Err(ArtifactError::content(
            format!("the text holds a level-2 heading, “{}”: it would be a section of its own", first.title),
            "leave the section's own heading out; create sections with create_section, or pass `split: true`",
        ));
    }
    let split = pieces.iter().map(|piece| Piece {
        title: piece.title.clone(),
        heading: probed[piece.heading.clone()].to_owned(),
        body: super::trimmed(&probed[piece.body.clone()]).to_owned(),
    });
    Ok((super::trimmed(&probed[found[0].body.clone()]).to_owned(), split.collect()))
}

/// The source lines of a heading with this title, and its plain text.
pub(super) fn heading(title: &str, line_end: &str) -> Result<(String, String), ArtifactError> {
    let title = title.trim();
    let wrong = |rule: &str| {
        ArtifactError::Value(format!("`{}` is not a valid heading: {rule}", crate::document::shown(title)))
    };
    if title.is_empty() {
        return Err(wrong("it is empty"));
    }
    if title.chars().count() > TITLE_CHARS_MAX {
        return Err(wrong("it has more than 200 characters"));
    }
    if title.chars().any(char::is_control) {
        return Err(wrong("it is more than one line, or has a control character"));
    }
    // CommonMark drops a trailing `#` from a heading unless it is escaped.
    let words = match title.strip_suffix('#') {
        Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
        _ => title.to_owned(),
    };
    let line = format!("## {words}{line_end}");
    let found = outline(&line).sections;
    match found.as_slice() {
        [only] if !only.title.is_empty() && only.body.is_empty() => Ok((line, only.title.clone())),
        _ => Err(wrong("nothing of it can be read")),
    }
}
