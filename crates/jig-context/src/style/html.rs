//! HTML in a style document as Markdown, so that its headings and lists are read like any other.
//!
//! Word processors, wikis and web pages give style guides as HTML, and Markdown lets HTML through as it stands. A list
//! that is taken as one piece of text would lose the heading above it, and `<h2>Never</h2>` is what gives it its meaning.
//! Only structure is converted; a tag that says nothing about structure stays as it is.

use std::borrow::Cow;

/// Tags that end a piece of text without a meaning of their own.
const BREAKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "details",
    "div",
    "fieldset",
    "figure",
    "footer",
    "form",
    "head",
    "header",
    "hr",
    "html",
    "main",
    "nav",
    "p",
    "section",
    "tr",
];
/// Tags around a table's rows, and what holds no words.
const NOTHING: &[&str] = &["thead", "tbody", "tfoot", "colgroup", "col", "meta", "link", "wbr", "!doctype"];
/// Tags whose text announces what follows them.
const TITLES: &[&str] = &["dt", "summary", "caption", "legend", "figcaption"];
/// Tags that show a document to be HTML when they are closed.
const STRUCTURE: &[&str] = &[
    "</li>",
    "</ul>",
    "</ol>",
    "</dl>",
    "</dd>",
    "</dt>",
    "</table>",
    "</tr>",
    "</summary>",
    "</p>",
    "</div>",
    "</h1>",
    "</h2>",
    "</h3>",
    "</h4>",
    "</h5>",
    "</h6>",
];
/// The longest tag, in bytes.
const TAG_MAX: usize = 2000;
/// The widest table and the longest span of a cell.
const CELLS_MAX: usize = 64;

/// The text with its HTML structure as Markdown; most texts have none and stay.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    if !STRUCTURE.iter().any(|tag| lower.contains(tag)) {
        return Cow::Borrowed(text);
    }
    let mut writer = Writer::default();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '`']) {
        let (before, from) = rest.split_at(at);
        writer.text(before);
        rest = match from.strip_prefix('`') {
            Some(_) => writer.code_span(from),
            None => match Tag::read(from) {
                Some(tag) => writer.tag(&tag, from.get(tag.length..).unwrap_or_default()),
                None => {
                    writer.text("<");
                    from.get(1..).unwrap_or_default()
                }
            },
        };
    }
    writer.text(rest);
    writer.end_table();
    Cow::Owned(writer.out)
}

/// One tag, with how long it is.
struct Tag<'t> {
    name: String,
    is_end: bool,
    raw: &'t str,
    length: usize,
}

impl<'t> Tag<'t> {
    fn read(from: &'t str) -> Option<Self> {
        let end = from.bytes().take(TAG_MAX).position(|byte| byte == b'>')?;
        let raw = from.get(..=end)?;
        let inside = raw.get(1..end)?;
        let (is_end, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let name = inside.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let named = name.trim_start_matches('!');
        let is_name =
            named.starts_with(|c: char| c.is_ascii_alphabetic()) && named.bytes().all(|b| b.is_ascii_alphanumeric());
        (is_name && !inside.contains('<')).then(|| Self {
            name: name.to_ascii_lowercase(),
            is_end,
            raw,
            length: raw.len(),
        })
    }

    /// A number in an attribute such as `rowspan="2"`.
    fn number(&self, attribute: &str) -> usize {
        let lower = self.raw.to_ascii_lowercase();
        let value = lower.split_once(&format!("{attribute}=")).map_or("", |(_, value)| value);
        let digits: String =
            value.trim_start_matches(['"', '\'']).chars().take_while(char::is_ascii_digit).take(4).collect();
        digits.parse().unwrap_or(1).clamp(1, CELLS_MAX)
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    /// How many lists are open.
    lists: usize,
    /// How many elements are open in which line ends are only blanks.
    flowing: usize,
    in_heading: bool,
    table: Option<Table>,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    has_header: bool,
    cell: Option<String>,
    /// Cells that continue in the rows below: their column, for how many rows, and their text.
    spans: Vec<(usize, usize, String)>,
    /// How many rows and columns the open cell takes.
    takes: (usize, usize),
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = decoded(text);
        if let Some(table) = &mut self.table {
            if let Some(cell) = &mut table.cell {
                cell.push_str(&flowed(&text).replace('|', "\\|"));
            }
            return;
        }
        if text.trim().is_empty() {
            if self.flowing > 0 || self.lists > 0 {
                if !self.out.ends_with(char::is_whitespace) {
                    self.out.push(' ');
                }
            } else {
                self.out.extend(text.chars().filter(|c| *c == '\n'));
            }
        } else if self.flowing > 0 {
            let text = flowed(&text);
            self.out.push_str(if self.out.ends_with(char::is_whitespace) { text.trim_start() } else { &text });
        } else {
            self.out.push_str(&text);
        }
    }

    /// Code in backticks is copied as it is; returns what follows it.
    fn code_span<'t>(&mut self, from: &'t str) -> &'t str {
        let length = from.len() - from.trim_start_matches('`').len();
        let (mark, behind) = from.split_at(length);
        let end = behind.find(mark).map_or(length, |end| length + end + mark.len());
        let (span, rest) = from.split_at(end);
        match &mut self.table {
            Some(Table { cell: Some(cell), .. }) => cell.push_str(&flowed(span)),
            _ => self.out.push_str(span),
        }
        rest
    }

    /// Writes what a tag means; returns what is still to be read behind it.
    fn tag<'t>(&mut self, tag: &Tag<'_>, rest: &'t str) -> &'t str {
        if self.table.is_some() && self.table_tag(tag) {
            return rest;
        }
        let (name, starts) = (tag.name.as_str(), !tag.is_end);
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title" => {
                let level = name.get(1..).and_then(|level| level.parse().ok()).unwrap_or(1);
                self.flow(starts);
                self.paragraph();
                self.in_heading = starts;
                if starts {
                    self.out.push_str(&"#".repeat(level));
                    self.out.push(' ');
                }
            }
            "ul" | "ol" | "menu" | "dir" => {
                if self.lists == 0 || !starts && self.lists == 1 {
                    self.lists = 0;
                    self.paragraph();
                }
                self.lists = if starts { (self.lists + 1).min(12) } else { self.lists.saturating_sub(1) };
            }
            "li" | "dd" => {
                self.flow(starts);
                self.line(if starts { self.lists.saturating_sub(1) } else { 0 });
                if starts {
                    self.out.push_str("- ");
                }
            }
            "br" if self.in_heading => self.out.push(' '),
            "br" => self.line(self.lists),
            "b" | "strong" => self.mark("**", starts),
            "i" | "em" => self.mark("*", starts),
            "s" | "del" | "strike" => self.mark("~~", starts),
            "code" | "kbd" | "tt" => self.out.push('`'),
            "pre" | "style" | "script" | "textarea" if starts => return self.code(name, rest),
            "table" if starts => self.table = Some(Table::default()),
            name if TITLES.contains(&name) => {
                self.flow(starts);
                if starts {
                    self.paragraph();
                    self.out.push_str("**");
                } else {
                    self.trim_blanks();
                    self.out.push_str("**");
                    self.paragraph();
                }
            }
            "p" => {
                self.flow(starts);
                self.paragraph();
            }
            name if BREAKS.contains(&name) => self.paragraph(),
            name if NOTHING.contains(&name) || name == "dl" => {}
            _ => self.out.push_str(tag.raw),
        }
        rest
    }

    fn flow(&mut self, starts: bool) {
        self.flowing = if starts { self.flowing + 1 } else { self.flowing.saturating_sub(1) };
    }

    fn mark(&mut self, mark: &str, starts: bool) {
        if !starts {
            self.trim_blanks();
        }
        self.out.push_str(mark);
    }

    fn trim_blanks(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
    }

    /// Starts a line, below so many lists.
    fn line(&mut self, depth: usize) {
        self.trim_blanks();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.push_str(&"  ".repeat(depth));
    }

    /// Starts a paragraph. The first one of an item follows its bullet.
    fn paragraph(&mut self) {
        if self.lists > 0 && self.out.ends_with("- ") {
            return;
        }
        self.line(0);
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.out.push_str(&"  ".repeat(self.lists));
    }

    /// What stands between the tags of code, as code.
    fn code<'t>(&mut self, name: &str, rest: &'t str) -> &'t str {
        let end = rest.to_ascii_lowercase().find(&format!("</{name}")).unwrap_or(rest.len());
        let (code, behind) = rest.split_at(end);
        self.paragraph();
        if !code.trim().is_empty() {
            self.out.push_str(&format!("```\n{}\n```\n\n", code.trim_matches('\n')));
        }
        behind.split_once('>').map_or("", |(_, rest)| rest)
    }

    /// A tag inside of a table; false if it means what it means elsewhere.
    fn table_tag(&mut self, tag: &Tag<'_>) -> bool {
        let Some(table) = &mut self.table else { return false };
        match (tag.name.as_str(), tag.is_end) {
            ("table", true) => self.end_table(),
            ("tr", false) => {
                table.end_cell();
                table.rows.push(Vec::new());
            }
            ("tr", true) => table.end_cell(),
            ("td" | "th", false) => {
                table.end_cell();
                if table.rows.is_empty() {
                    table.rows.push(Vec::new());
                }
                table.has_header |= table.rows.len() == 1 && tag.name == "th";
                table.takes = (tag.number("rowspan"), tag.number("colspan"));
                table.cell = Some(String::new());
            }
            ("td" | "th", true) => table.end_cell(),
            ("caption", ends) => {
                // A caption is written above the table.
                if ends { table.end_caption(&mut self.out) } else { table.cell = Some(String::new()) }
            }
            _ => {
                if let Some(cell) = &mut table.cell {
                    cell.push_str(match tag.name.as_str() {
                        "b" | "strong" => "**",
                        "s" | "del" | "strike" => "~~",
                        "br" | "p" | "li" | "div" => " ",
                        _ => "",
                    });
                }
            }
        }
        true
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.table.take() else { return };
        table.end_cell();
        table.rows.retain(|row| !row.is_empty());
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        self.lists = 0;
        self.paragraph();
        let line = |row: &[String]| {
            let cells = (0..width).map(|at| row.get(at).map_or("", String::as_str));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let (header, rows) = match table.rows.split_first() {
            Some((first, rest)) if table.has_header => (first.as_slice(), rest),
            _ => ([].as_slice(), table.rows.as_slice()),
        };
        if width > 0 {
            self.out.push_str(&line(header));
            self.out.push_str(&format!("|{}\n", "---|".repeat(width)));
            rows.iter().for_each(|row| self.out.push_str(&line(row)));
        }
        self.out.push('\n');
    }
}

impl Table {
    /// Ends the open cell, and fills in cells of the rows above that continue here.
    fn end_cell(&mut self) {
        let Some(text) = self.cell.take() else { return };
        let Some(row) = self.rows.last_mut() else { return };
        continue_spans(&mut self.spans, row);
        let (rows, columns) = self.takes;
        if rows > 1 {
            self.spans.push((row.len(), rows - 1, text.trim().to_owned()));
        }
        row.push(text.trim().to_owned());
        row.extend(std::iter::repeat_n(String::new(), columns - 1));
        continue_spans(&mut self.spans, row);
        row.truncate(CELLS_MAX);
    }

    fn end_caption(&mut self, out: &mut String) {
        let words = self.cell.take().unwrap_or_default();
        out.push_str(&format!("\n\n**{}**\n\n", words.trim()));
    }
}

/// Adds the cells of earlier rows that reach into this one, where their column is next.
fn continue_spans(spans: &mut [(usize, usize, String)], row: &mut Vec<String>) {
    while let Some(span) = spans.iter_mut().find(|(column, rows, _)| *column == row.len() && *rows > 0) {
        span.1 -= 1;
        row.push(span.2.clone());
    }
}

fn flowed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() && c != '\u{a0}' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// The common character references as characters; a `<` stays harmless.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let reference = behind.split_once(';').filter(|(name, _)| name.len() <= 8);
        match reference.and_then(|(name, rest)| Some((character(name)?, rest))) {
            Some((c, after)) => {
                if c == '<' {
                    out.push('\\');
                }
                out.push(c);
                rest = after;
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "rsquo" => Some('’'),
        "lsquo" => Some('‘'),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "hellip" => Some('…'),
        _ => match name.strip_prefix('#')?.strip_prefix(['x', 'X']) {
            Some(hex) => number(hex, 16),
            None => number(name.strip_prefix('#')?, 10),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_becomes_markdown() {
        let table = [
            (
                "<h2>Never</h2>\n<ul>\n  <li>Red <b>totals</b></li>\n  <li>Caps</li>\n</ul>",
                "## Never\n\n- Red **totals**\n- Caps\n\n",
            ),
            ("<ul><li>Charts<ul><li>Pie</li></ul></li><li>Text</li></ul>", "- Charts\n  - Pie\n- Text\n\n"),
            ("<p>Don&#39;t use:</p><ol><li><p>A</p></li></ol>", "Don't use:\n\n- A\n\n"),
            ("<details><summary>No</summary>\n\n- a\n\n</details>", "**No**\n\n\n\n- a\n\n"),
            ("<dl><dt>Avoid</dt><dd>slang</dd></dl>", "**Avoid**\n\n- slang\n"),
            (
                "<table><tr><th>Do</th><th>Don't</th></tr><tr><td>a|b</td><td>c</td></tr></table>",
                "| Do | Don't |\n|---|---|\n| a\\|b | c |\n\n",
            ),
            (
                "<table><tr><td rowspan=2>Never</td><td>x</td></tr><tr><td>y</td></tr></table>",
                "|  |  |\n|---|---|\n| Never | x |\n| Never | y |\n\n",
            ),
        ];
        for (html, markdown) in table {
            // Blank lines part blocks; how many there are means nothing.
            let lines =
                |text: &str| text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect::<Vec<_>>();
            assert_eq!(lines(&as_markdown(html)), lines(markdown), "{html}");
        }
    }

    #[test]
    fn what_is_no_html_stays() {
        for text in ["Use <b> for bold, a < b", "Write `<li>x</li>`? No: a > b", "# Plain\n\n- x\n"] {
            let same = as_markdown(text);
            assert_eq!(same, text);
        }
    }
}
