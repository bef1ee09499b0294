//! A difference as unified text, which people and models both read.

use std::fmt::Write;

use jig_contract::ops::{ChangeType, DiffHunk, DiffTag, DiffView, ReviewGetDiffOutput};

/// One page of a file's difference as unified text. Formats that are not compared give comment lines.
pub fn unified(output: &ReviewGetDiffOutput) -> String {
    let mut text = String::new();
    if output.page <= 1 {
        head(&mut text, output);
    }
    match &output.diff {
        DiffView::Text { hunks, notes, .. } => {
            notes.iter().for_each(|note| line(&mut text, '#', note));
            hunks.iter().for_each(|h| hunk(&mut text, h));
        }
        DiffView::Opaque { notes } => {
            line(&mut text, '#', &output.file.summary);
            notes.iter().filter(|note| **note != output.file.summary).for_each(|note| line(&mut text, '#', note));
        }
    }
    text
}

fn head(text: &mut String, output: &ReviewGetDiffOutput) {
    let path = &output.file.path;
    let (before, after) = match output.file.change {
        ChangeType::Added => ("/dev/null".to_owned(), format!("draft/{path}")),
        ChangeType::Deleted => (format!("reference/{path}"), "/dev/null".to_owned()),
        ChangeType::Modified => (format!("reference/{path}"), format!("draft/{path}")),
    };
    push(text, format_args!("--- {before}\n+++ {after}\n"));
}

fn hunk(text: &mut String, hunk: &DiffHunk) {
    let DiffHunk { old_start, old_count, new_start, new_count, .. } = hunk;
    push(text, format_args!("@@ -{old_start},{old_count} +{new_start},{new_count} @@\n"));
    for diff_line in &hunk.lines {
        let mark = match diff_line.tag {
            DiffTag::Context => ' ',
            DiffTag::Added => '+',
            DiffTag::Removed => '-',
        };
        push(text, format_args!("{mark}{}\n", diff_line.text));
        if diff_line.no_newline {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

fn line(text: &mut String, mark: char, words: &str) {
    push(text, format_args!("{mark} {words}\n"));
}

fn push(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(piece);
}

#[cfg(test)]
mod tests {
    use jig_contract::WorkbenchPath;
    use jig_contract::ops::{DiffLine, FileChange, ReferenceSource};

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
            },
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
        let line = |tag, text: &str, no_newline| DiffLine { tag, text: text.to_owned(), no_newline };
        let hunk = DiffHunk {
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
        let expected = "--- reference/a b.txt\n+++ draft/a b.txt\n# line endings: CRLF to LF\n@@ -1,2 +1,2 @@\n same\n\
                        -old\n+new\n\\ No newline at end of file\n";
        assert_eq!(unified(&output(ChangeType::Modified, diff)), expected);
    }

    #[test]
    fn a_format_that_is_not_compared_says_what_is_known() {
        let diff = DiffView::Opaque { notes: vec!["12 kB more".to_owned()] };
        let expected = "--- /dev/null\n+++ draft/a b.txt\n# 1 line added\n# 12 kB more\n";
        assert_eq!(unified(&output(ChangeType::Added, diff)), expected);
    }
}
