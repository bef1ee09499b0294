//! Assembles sections into Markdown that parses back to the same sections, changing no byte that need not change.

use serde_json::Value;

use super::error::ArtifactError;
use super::markdown::{line_end, outline};
use super::{Artifact, Layout};
use crate::document::PartId;

impl Artifact {
    /// The line ending that the text uses.
    pub(super) fn line_end(&self) -> &'static str {
        let windows = |text: &str| line_end(text) == "\r\n";
        let any = windows(&self.lead) || self.layout.values().any(|layout| windows(&layout.heading));
        if any { "\r\n" } else { "\n" }
    }

    /// The body of a section with new content. Surrounding blank lines are preserved.
    pub(super) fn body_of(&self, old: &str, content: &str) -> String {
        let end = self.line_end();
        let content = with_line_end(content, end);
        let trimmed = super::trimmed(old);
        let (before, after) = match (trimmed.is_empty(), old.find(trimmed)) {
            (false, Some(at)) => (&old[..at], &old[at + trimmed.len()..]),
            _ => (end, end),
        };
        // Trailing spaces of the last line belong to the replaced text.
        let after: String = after.chars().filter(|c| matches!(c, '\n' | '\r')).collect();
        if content.is_empty() {
            if after.is_empty() { end.to_owned() } else { after }
        } else {
            format!("{before}{content}{after}")
        }
    }

    /// Inserts blank lines at these boundaries where two pieces would run together: `n` is the boundary before the
    /// section with that index.
    pub(super) fn part_pieces(&mut self, boundaries: impl IntoIterator<Item = usize>) {
        for at in boundaries {
            if at < self.document.parts.len() {
                self.part_before(at);
            }
        }
    }

    fn part_before(&mut self, at: usize) {
        let end = self.line_end();
        let gap = |text: &str| match () {
            () if text.is_empty() || ends_blank(text) => String::new(),
            () if text.ends_with('\n') => end.to_owned(),
            () => format!("{end}{end}"),
        };
        let Some(before) = at.checked_sub(1) else {
            let more = gap(&self.lead);
            self.lead.push_str(&more);
            return;
        };
        let id = self.document.parts[before].id;
        let body = self.document.parts[before].text().unwrap_or_default().to_owned();
        let more = if body.is_empty() { end.to_owned() } else { gap(&body) };
        if let Some(layout) = self.layout.get_mut(&id).filter(|layout| !layout.heading.ends_with('\n')) {
            layout.heading.push_str(end);
        }
        // Adding blank lines does not count as a change of the section.
        self.document.parts[before].value = Value::String(body + &more);
    }

    pub(super) fn set_heading(&mut self, id: PartId, heading: String) {
        let named = self.document.revision.number;
        let is_collapsed = self.layout.get(&id).is_some_and(|layout| layout.is_collapsed);
        self.layout.insert(id, Layout { heading, is_collapsed, named });
    }

    /// Checks that the text parses to exactly these sections. An unclosed block in an earlier section could swallow
    /// one.
    pub(super) fn check_text(&self) -> Result<(), ArtifactError> {
        let text = self.markdown();
        if text.len() > super::CONTENT_BYTES_MAX {
            let most = super::CONTENT_BYTES_MAX;
            let problem = format!("the artifact would have {} bytes; at most {most} are kept", text.len());
            return Err(ArtifactError::content(problem, "put it into several artifacts"));
        }
        if self.document.parts.len() > super::SECTIONS_MAX {
            let problem = format!("the artifact would have more than {} sections", super::SECTIONS_MAX);
            return Err(ArtifactError::content(problem, "put it into several artifacts"));
        }
        let found = outline(&text);
        let mut at = self.lead.len();
        let same = found.sections.len() == self.document.parts.len()
            && found.lead.end == at
            && found.sections.iter().zip(&self.document.parts).all(|(span, part)| {
                let heading = self.heading(part.id).len();
                let fits = span.heading == (at..at + heading) && span.title == part.title;
                at += heading + part.text().unwrap_or_default().len();
                fits && span.body.end == at
            });
        if same {
            return Ok(());
        }
        Err(ArtifactError::content(
            "the sections would run into each other: a code fence, a comment or an HTML block before them is open",
            "close it in the section that holds it, then write again",
        ))
    }
}

fn ends_blank(text: &str) -> bool {
    text.ends_with("\n\n") || text.ends_with("\n\r\n") || text == "\n" || text == "\r\n"
}

/// Converts a text to this line ending.
pub(super) fn with_line_end(text: &str, end: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if end == "\n" { plain } else { plain.replace('\n', end) }
}
