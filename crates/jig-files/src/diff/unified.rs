//! The unified format that `diff -u` writes and `patch` reads.

use std::fmt::Write;

use super::text::{Change, Hunk, LineTag, Presence, TextDiff};
use jig_text::LineEnding;

impl TextDiff {
    /// The difference in the unified format, under the file's path.
    ///
    /// Lines keep the endings of the old version, so that `patch` applies the result to it. What the
    /// format cannot say (another encoding, other line endings throughout) stands in lines before
    /// the header, where such programs ignore it. The text is UTF-8 whatever the file's encoding,
    /// and a file with carriage returns alone is beyond such programs.
    #[must_use]
    pub fn to_unified(&self, path: &str) -> String {
        let mut out = String::new();
        self.write_remarks(&mut out);
        if self.hunks.is_empty() {
            return out;
        }
        let name = header_name(path);
        let (old, new) = match self.presence {
            Presence::Created => ("/dev/null", name.as_str()),
            Presence::Deleted => (name.as_str(), "/dev/null"),
            Presence::Kept => (name.as_str(), name.as_str()),
        };
        let _ = writeln!(out, "--- {old}\n+++ {new}");
        let ending = match self.patch_ending {
            LineEnding::Crlf => "\r\n",
            // Where endings are mixed, the carriage returns are in the lines.
            LineEnding::None | LineEnding::Lf | LineEnding::Cr | LineEnding::Mixed => "\n",
        };
        for hunk in &self.hunks {
            hunk.write(&mut out, ending);
        }
        out
    }

    fn write_remarks(&self, out: &mut String) {
        // Writing to a string cannot fail.
        if let Some(Change { old, new }) = self.encoding_changed {
            let _ = writeln!(out, "Encoding changed from {old} to {new}.");
        }
        if let Some(Change { old, new }) = self.line_ending_changed {
            let (old, new) = (old.words(), new.words());
            let _ = writeln!(out, "Line endings changed from {old} to {new}.");
        }
        if self.undecodable_changed {
            out.push_str("Some bytes that are not text may differ.\n");
        }
    }
}

/// The path as the header takes it: a tab after a name with spaces tells where it ends, and control
/// characters are quoted.
fn header_name(path: &str) -> String {
    if path.chars().any(|c| c.is_control() || c == '"') {
        return format!("{path:?}");
    }
    if path.contains(' ') {
        return format!("{path}\t");
    }
    path.to_owned()
}

impl Hunk {
    fn write(&self, out: &mut String, ending: &str) {
        let old = range(self.old_start, self.old_count);
        let new = range(self.new_start, self.new_count);
        let _ = writeln!(out, "@@ -{old} +{new} @@");
        for line in &self.lines {
            out.push(match line.tag {
                LineTag::Context => ' ',
                LineTag::Added => '+',
                LineTag::Removed => '-',
            });
            out.push_str(&line.text);
            out.push_str(if line.no_newline { "\n\\ No newline at end of file\n" } else { ending });
        }
    }
}

fn range(start: usize, count: usize) -> String {
    match count {
        1 => start.to_string(),
        count => format!("{start},{count}"),
    }
}
