//! Inline content of paragraphs, headings and cells.

use serde_json::Value;

use super::escape::{self, Where};
use super::write::Report;

/// A run of text with the same marks.
struct Run<'a> {
    kind: RunKind<'a>,
    marks: Marks<'a>,
}

enum RunKind<'a> {
    Words(String),
    Code(String),
    Picture(&'a Value),
    Html(&'a str),
    Break,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Marks<'a> {
    link: Option<(&'a str, Option<&'a str>)>,
    bold: bool,
    italic: bool,
    strike: bool,
}

/// The content of a node as Markdown.
pub(super) fn inline(node: &Value, place: Where, report: &mut Report) -> String {
    let mut runs = Vec::new();
    for child in node["content"].as_array().into_iter().flatten() {
        collect(child, &mut runs, report);
    }
    let runs = tidy(runs);
    let mut out = String::new();
    let mut at = 0;
    while at < runs.len() {
        let end = group_end(&runs, at);
        write_group(&mut out, &runs[at..end], runs.get(end), place, report);
        at = end;
    }
    let trimmed = trim(&out);
    match place {
        Where::Paragraph => trimmed.split('\n').map(escape::line_start).collect::<Vec<_>>().join("\n"),
        Where::Heading => heading(trimmed),
        Where::Cell => trimmed.to_owned(),
    }
}

/// Escapes a trailing `#`, which would otherwise be dropped from a heading.
fn heading(words: &str) -> String {
    match words.strip_suffix('#') {
        Some(rest) if rest.is_empty() || rest.ends_with(['#', ' ', '\t']) => format!("{rest}\\#"),
        _ => words.to_owned(),
    }
}

fn trim(text: &str) -> &str {
    let mut text = text;
    loop {
        let shorter = text.trim_matches([' ', '\t', '\n']);
        let shorter = shorter.strip_suffix("\\\n").unwrap_or(shorter);
        // A hard break at the start or the end has no effect.
        let shorter = match shorter.strip_suffix('\\') {
            Some(rest) if text.ends_with("\\\n") && !ends_escaped(rest) => rest,
            _ => shorter,
        };
        let shorter = shorter.strip_prefix("\\\n").unwrap_or(shorter);
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// Whether a backslash after this text would be escaped.
fn ends_escaped(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

fn collect<'a>(node: &'a Value, runs: &mut Vec<Run<'a>>, report: &mut Report) {
    let kind = node["type"].as_str().unwrap_or_default();
    let (marks, code) = marks(node, report);
    let run = match kind {
        "text" => {
            let words = node["text"].as_str().unwrap_or_default().to_owned();
            if code { RunKind::Code(words) } else { RunKind::Words(words) }
        }
        "hardBreak" | "hard_break" => RunKind::Break,
        "image" => RunKind::Picture(node),
        "htmlInline" => match node["attrs"]["html"].as_str() {
            Some(html) if html.starts_with('<') && html.ends_with('>') && !html.contains('\n') => RunKind::Html(html),
            Some(html) => RunKind::Words(html.to_owned()),
            None => return,
        },
        _ => {
            report.unknown(kind);
            RunKind::Words(super::write::words(node))
        }
    };
    runs.push(Run { kind: run, marks });
}

fn marks<'a>(node: &'a Value, report: &mut Report) -> (Marks<'a>, bool) {
    let (mut marks, mut code) = (Marks::default(), false);
    for mark in node["marks"].as_array().into_iter().flatten() {
        match mark["type"].as_str().unwrap_or_default() {
            "bold" | "strong" => marks.bold = true,
            "italic" | "em" => marks.italic = true,
            "strike" | "strikethrough" | "s" => marks.strike = true,
            "code" => code = true,
            "link" => {
                let attrs = &mark["attrs"];
                marks.link = Some((attrs["href"].as_str().unwrap_or_default(), attrs["title"].as_str()));
            }
            other => report.unknown_mark(other),
        }
    }
    (marks, code)
}

/// Joins adjacent runs with equal marks, moves spaces out of marks, and drops empty runs.
fn tidy(runs: Vec<Run<'_>>) -> Vec<Run<'_>> {
    let mut joined: Vec<Run<'_>> = Vec::new();
    for run in runs {
        if let Some(Run { kind: RunKind::Words(before), marks }) = joined.last_mut()
            && *marks == run.marks
            && let RunKind::Words(words) = &run.kind
        {
            before.push_str(words);
            continue;
        }
        if let Some(Run { kind: RunKind::Code(before), marks }) = joined.last_mut()
            && *marks == run.marks
            && let RunKind::Code(words) = &run.kind
        {
            before.push_str(words);
            continue;
        }
        joined.push(run);
    }
    let mut tidied = Vec::new();
    for run in joined {
        match run.kind {
            RunKind::Words(words) => {
                let space = |c: char| c.is_whitespace();
                let inner = words.trim_matches(space);
                if inner.is_empty() {
                    tidied.push(Run { kind: RunKind::Words(words), marks: Marks::default() });
                    continue;
                }
                let start = words.len() - words.trim_start_matches(space).len();
                let (before, after) = (words[..start].to_owned(), words[start + inner.len()..].to_owned());
                let plain = |words: String| Run { kind: RunKind::Words(words), marks: Marks::default() };
                if run.marks == Marks::default() {
                    tidied.push(plain(words));
                    continue;
                }
                tidied.push(plain(before));
                tidied.push(Run { kind: RunKind::Words(inner.to_owned()), marks: run.marks });
                tidied.push(plain(after));
            }
            RunKind::Code(words) if words.is_empty() => {}
            RunKind::Break => tidied.push(Run { kind: RunKind::Break, marks: Marks::default() }),
            kind => tidied.push(Run { kind, marks: run.marks }),
        }
    }
    tidied.retain(|run| !matches!(&run.kind, RunKind::Words(words) if words.is_empty()));
    tidied
}

/// The end of the group at `at`: adjacent runs in the same link form a group.
fn group_end(runs: &[Run<'_>], at: usize) -> usize {
    let Some(link) = runs[at].marks.link else { return at + 1 };
    let same = |run: &&Run<'_>| run.marks.link == Some(link);
    at + runs[at..].iter().take_while(same).count()
}

fn write_group(out: &mut String, runs: &[Run<'_>], next: Option<&Run<'_>>, place: Where, report: &mut Report) {
    let Some(link) = runs.first().and_then(|run| run.marks.link) else {
        for run in runs {
            write_run(out, run, next.and_then(first_char), place, report);
        }
        return;
    };
    let mut inner = String::new();
    for (n, run) in runs.iter().enumerate() {
        let after = runs.get(n + 1).and_then(first_char);
        write_run(&mut inner, run, after, place, report);
    }
    if inner.trim().is_empty() {
        return;
    }
    // An unescaped `!` before a link would turn it into an image.
    if out.ends_with('!') {
        out.pop();
        out.push_str("\\!");
    }
    out.push_str(&format!("[{inner}]({})", escape::address(link.0, link.1, place)));
}

fn first_char(run: &Run<'_>) -> Option<char> {
    match &run.kind {
        RunKind::Words(words) if run.marks == Marks::default() => words.chars().next(),
        RunKind::Break => Some('\n'),
        _ => Some('*'),
    }
}

fn write_run(out: &mut String, run: &Run<'_>, next: Option<char>, place: Where, report: &mut Report) {
    let before = out.chars().next_back();
    let text = match &run.kind {
        RunKind::Words(words) => escape::text(words, before, place),
        RunKind::Code(words) => escape::code(words, place),
        RunKind::Html(html) => (*html).to_owned(),
        RunKind::Picture(node) => picture(node, place),
        RunKind::Break if place == Where::Paragraph => {
            while out.ends_with([' ', '\t']) {
                out.pop();
            }
            out.push_str("\\\n");
            return;
        }
        RunKind::Break => " ".to_owned(),
    };
    let marks = run.marks;
    let wished = [("~~", marks.strike), ("*", marks.italic), ("**", marks.bold)];
    if wished.iter().all(|(_, wanted)| !wanted) {
        out.push_str(&text);
        return;
    }
    if !can_mark(&text, before, next) {
        report.say("marks between letters and signs cannot be written in Markdown and were left out");
        out.push_str(&text);
        return;
    }
    let mut marked = text;
    for (sign, _) in wished.iter().filter(|(_, wanted)| *wanted) {
        marked = format!("{sign}{marked}{sign}");
    }
    out.push_str(&marked);
}

/// Whether delimiters around a text would be parsed as emphasis, given the surrounding characters.
fn can_mark(text: &str, before: Option<char>, next: Option<char>) -> bool {
    let sign = |c: char| c.is_ascii_punctuation() || (!c.is_alphanumeric() && !c.is_whitespace());
    let open = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || sign(c));
    let (first, last) = (text.chars().next(), text.chars().next_back());
    let opens = first.is_some_and(|c| !sign(c)) || open(before);
    let closes = last.is_some_and(|c| !sign(c)) || open(next);
    // Adjacent delimiter runs would merge into one.
    opens && closes && !matches!(before, Some('*' | '~' | '_')) && !matches!(next, Some('*' | '~'))
}

/// `![alt](src)`.
pub(super) fn picture(node: &Value, place: Where) -> String {
    let attrs = &node["attrs"];
    let alt = escape::text(attrs["alt"].as_str().unwrap_or_default().trim(), None, place);
    format!("![{alt}]({})", escape::address(attrs["src"].as_str().unwrap_or_default(), attrs["title"].as_str(), place))
}
