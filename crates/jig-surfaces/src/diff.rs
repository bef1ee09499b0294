//! Diffs as text for people and models: lines of spans, each with a tone. A terminal renders tones as colours, other
//! outputs as markers.

mod parts;

use jig_contract::ops::{ChangeType, DiffHunk, DiffLine, DiffTag, DiffView, ReviewGetDiffOutput, WordTag};

/// The tone of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Unchanged.
    Plain,
    /// A heading.
    Strong,
    /// Secondary information.
    Faint,
    /// An address.
    Mark,
    /// Added.
    Good,
    /// Removed.
    Bad,
    /// Added words within a line.
    GoodWord,
    /// Removed words within a line.
    BadWord,
}

/// A text with its tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The tone.
    pub tone: Tone,
    /// The text, without line endings.
    pub text: String,
}

/// A line of a diff.
pub type DiffTextLine = Vec<Span>;

fn span(tone: Tone, text: impl Into<String>) -> Span {
    Span { tone, text: text.into().replace('\n', "⏎") }
}

/// A page of a file's diff as unified text. Formats that cannot be compared result in comment lines.
pub fn unified(output: &ReviewGetDiffOutput) -> String {
    let mut text = String::new();
    for line in diff_lines(output) {
        marked(line).iter().for_each(|span| text.push_str(&span.text));
        text.push('\n');
    }
    text
}

/// A line with its changed words marked as `[-removed-]{+added+}`, for output without colours. Added and removed lines
/// start with a sign and need no markers.
pub fn marked(line: DiffTextLine) -> DiffTextLine {
    if line.first().is_some_and(|span| matches!(span.tone, Tone::Good | Tone::Bad)) {
        return line;
    }
    let mark = |Span { tone, text }: Span| Span {
        tone,
        text: match tone {
            Tone::GoodWord => format!("{{+{text}+}}"),
            Tone::BadWord => format!("[-{text}-]"),
            _ => text,
        },
    };
    line.into_iter().map(mark).collect()
}

/// A page of a file's diff, line by line.
pub fn diff_lines(output: &ReviewGetDiffOutput) -> Vec<DiffTextLine> {
    let mut lines = Vec::new();
    if output.page <= 1 {
        head(&mut lines, output);
    }
    match &output.diff {
        DiffView::Text { hunks, notes, .. } => {
            notes.iter().for_each(|note| lines.push(remark(note)));
            hunks.iter().for_each(|one| hunk(&mut lines, one));
        }
        DiffView::Opaque { notes, details } => {
            lines.push(remark(&output.file.summary));
            parts::properties(&mut lines, details);
            notes.iter().filter(|note| **note != output.file.summary).for_each(|note| lines.push(remark(note)));
        }
        inside => {
            lines.push(remark(&output.file.summary));
            let found = inside.parts().into_iter();
            found.clone().flat_map(|found| &found.notes).for_each(|note| lines.push(remark(note)));
            found.flat_map(|found| &found.groups).for_each(|group| parts::group(&mut lines, group));
        }
    }
    lines
}

fn head(lines: &mut Vec<DiffTextLine>, output: &ReviewGetDiffOutput) {
    let path = &output.file.path;
    if !matches!(output.diff, DiffView::Text { .. }) {
        let word = match output.file.change {
            ChangeType::Added => "added",
            ChangeType::Deleted => "deleted",
            ChangeType::Modified => "modified",
        };
        lines.push(vec![span(Tone::Strong, format!("=== {path}")), span(Tone::Faint, format!(" {word}"))]);
        return;
    }
    let (before, after) = match output.file.change {
        ChangeType::Added => ("/dev/null".to_owned(), format!("draft/{path}")),
        ChangeType::Deleted => (format!("reference/{path}"), "/dev/null".to_owned()),
        ChangeType::Modified => (format!("reference/{path}"), format!("draft/{path}")),
    };
    lines.push(vec![span(Tone::Strong, format!("--- {before}"))]);
    lines.push(vec![span(Tone::Strong, format!("+++ {after}"))]);
}

fn hunk(lines: &mut Vec<DiffTextLine>, hunk: &DiffHunk) {
    let DiffHunk { old_start, old_count, new_start, new_count, id, accepted, .. } = hunk;
    let accepted = if *accepted { " accepted" } else { "" };
    let place = format!("@@ -{old_start},{old_count} +{new_start},{new_count} @@");
    lines.push(vec![span(Tone::Mark, place), span(Tone::Faint, format!(" {id}{accepted}"))]);
    for line in &hunk.lines {
        lines.push(text_line(line));
        if line.no_newline {
            lines.push(vec![span(Tone::Faint, "\\ No newline at end of file")]);
        }
    }
}

fn text_line(line: &DiffLine) -> DiffTextLine {
    let (mark, tone) = match line.tag {
        DiffTag::Context => (' ', Tone::Plain),
        DiffTag::Added => ('+', Tone::Good),
        DiffTag::Removed => ('-', Tone::Bad),
    };
    if line.words.is_empty() {
        return vec![span(tone, format!("{mark}{}", line.text))];
    }
    let mut spans = vec![span(tone, mark.to_string())];
    for word in &line.words {
        let tone = match word.tag {
            WordTag::Same => tone,
            WordTag::Added => Tone::GoodWord,
            WordTag::Removed => Tone::BadWord,
        };
        spans.push(span(tone, word.text.as_str()));
    }
    spans
}

fn remark(words: &str) -> DiffTextLine {
    vec![span(Tone::Faint, format!("# {words}"))]
}

#[cfg(test)]
mod tests {
    use jig_contract::WorkbenchPath;
    use jig_contract::ops::{DiffLine, FileChange, ReferenceSource, ReviewState};

    use super::*;

    fn output(change: ChangeType, diff: DiffView) -> ReviewGetDiffOutput {
        ReviewGetDiffOutput {
            file: FileChange {
                path: WorkbenchPath::new("a b.txt").unwrap(),
                change,
                kind: "text".to_owned(),
                bytes_before: None,
                bytes_after: None,
                summary: "1 line added".to_owned(),
                focus: None,
                changes: 1,
                review: ReviewState::Open,
                accepted: 0,
                comments: Vec::new(),
                steps: Vec::new(),
            },
            hash_before: None,
            hash_after: None,
            reference_source: ReferenceSource::DraftStart,
            reference_label: ReferenceSource::DraftStart.label().to_owned(),
            reference_warning: None,
            diff,
            page: 1,
            pages: 1,
        }
    }

    #[test]
    fn lines_carry_their_marks_and_a_missing_line_end_is_said() {
        let line = |tag, text: &str, no_newline| DiffLine { tag, text: text.to_owned(), words: Vec::new(), no_newline };
        let hunk = DiffHunk {
            id: "hunk 1".to_owned(),
            mark: String::new(),
            accepted: false,
            old_start: 1,
            old_count: 2,
            new_start: 1,
            new_count: 2,
            lines: vec![
                line(DiffTag::Context, "same", false),
                line(DiffTag::Removed, "old", false),
                line(DiffTag::Added, "new", true),
            ],
        };
        let notes = vec!["line endings: CRLF to LF".to_owned()];
        let diff = DiffView::Text { added: 1, removed: 1, hunks: vec![hunk], notes };
        let expected = "--- reference/a b.txt\n+++ draft/a b.txt\n# line endings: CRLF to LF\n@@ -1,2 +1,2 @@ hunk 1\n same\n\
                        -old\n+new\n\\ No newline at end of file\n";
        assert_eq!(unified(&output(ChangeType::Modified, diff)), expected);
    }

    #[test]
    fn changed_words_stand_in_marks_unless_their_line_has_one() {
        let words = |first: Tone| vec![span(first, " "), span(Tone::BadWord, "four"), span(Tone::GoodWord, "six")];
        let text = |line: DiffTextLine| marked(line).into_iter().map(|span| span.text).collect::<String>();
        assert_eq!(text(words(Tone::Plain)), " [-four-]{+six+}");
        assert_eq!(text(words(Tone::Good)), " foursix");
    }

    #[test]
    fn a_format_that_is_not_compared_says_what_is_known() {
        let diff = DiffView::Opaque { notes: vec!["12 kB more".to_owned()], details: Vec::new() };
        let expected = "=== a b.txt added\n# 1 line added\n# 12 kB more\n";
        assert_eq!(unified(&output(ChangeType::Added, diff)), expected);
    }
}
