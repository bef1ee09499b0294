//! Text in pages of at most so many tokens, each with a cursor to the next.

use std::collections::BTreeMap;

use jig_file_api::address::{CellRange, ColumnName};
use jig_file_api::read::xlsx::{Headers, RangeQuery, RangeText};
use jig_files::engine::{FileError, Format};
use jig_files::{ContentHash, File, Workbook, count_tokens, cut_by_tokens};
use serde_json::{Map, Value, json};

use crate::protocol::Method;
use crate::reads::{self, WorkbookParams};

/// The most text of one answer, whatever the budget: 64 KiB.
const MOST_BYTES: usize = 64 << 10;
/// Rows of a sheet that are read at a time.
const ROWS: u64 = 50;

/// How much text a read asks for, and from where.
pub(super) struct PageWindow {
    max_tokens: usize,
    cursor: Option<Cursor>,
}

/// Where a page begins: a sheet, a row of it, and a byte of the text from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    sheet: usize,
    row: u64,
    byte: usize,
    content: u32,
}

impl PageWindow {
    /// The window that the parameters ask for; none if they ask for no pages.
    pub(super) fn of(params: &Value) -> Result<Option<Self>, FileError> {
        let (tokens, cursor) = (params.get("max_tokens"), params.get("cursor"));
        let given = |value: Option<&Value>| value.is_some_and(|value| !value.is_null());
        if !given(tokens) && !given(cursor) {
            return Ok(None);
        }
        let max_tokens = match tokens.filter(|value| !value.is_null()) {
            None => 4_000,
            Some(value) => {
                let number = value.as_u64().filter(|number| *number > 0);
                let number =
                    number.ok_or_else(|| FileError::invalid("max_tokens: a whole number above 0 is needed"))?;
                usize::try_from(number).unwrap_or(usize::MAX)
            }
        };
        let cursor = match cursor.filter(|value| !value.is_null()) {
            None => None,
            Some(value) => Some(value.as_str().and_then(Cursor::parse).ok_or_else(bad_cursor)?),
        };
        Ok(Some(Self { max_tokens, cursor }))
    }
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.');
        let mut next = || numbers.next();
        let cursor = Self {
            sheet: next()?.parse().ok()?,
            row: next()?.parse().ok()?,
            byte: next()?.parse().ok()?,
            content: u32::from_str_radix(next()?, 16).ok()?,
        };
        next().is_none().then_some(cursor)
    }

    fn text(self) -> String {
        format!("{}.{}.{}.{:08x}", self.sheet, self.row, self.byte, self.content)
    }
}

fn bad_cursor() -> FileError {
    FileError::invalid("cursor: not one that an earlier answer gave; leave it out to begin at the start")
}

/// A page of a method's text.
pub(super) fn read(
    file: &File,
    method: Method,
    params: &Value,
    window: &PageWindow,
    hash: &ContentHash,
) -> Result<Value, FileError> {
    let content = fingerprint(method, params, hash);
    let start = window.cursor.unwrap_or(Cursor { sheet: 0, row: 0, byte: 0, content });
    if start.content != content {
        return Err(FileError::invalid("cursor: the file or the question has changed since; begin again without it"));
    }
    let mut page = Page { text: String::new(), tokens: 0, most: window.max_tokens, beside: Beside::default() };
    let (next, more) = match method.format {
        Format::Xlsx => sheets(file, method, params, start, &mut page)?,
        Format::Pdf => pages(file, params, start, &mut page)?,
        _ => plain(file, method, params, start, &mut page)?,
    };
    let mut answer = more;
    page.beside.tell(&mut answer);
    answer.insert("text".to_owned(), page.text.into());
    answer.insert("tokens".to_owned(), page.tokens.into());
    if let Some(next) = next {
        answer.insert("cursor".to_owned(), next.text().into());
    }
    Ok(Value::Object(answer))
}

/// Binds a cursor to one content of a file and one query.
fn fingerprint(method: Method, params: &Value, hash: &ContentHash) -> u32 {
    let asked = params.as_object().into_iter().flatten();
    // The path of the file, the size of the page and the time are not part of the query.
    let asked = asked.filter(|(key, value)| {
        let beside = ["cursor", "max_tokens", "workbench_id", "path", "root", "now", "allow_outside_formulas"];
        !value.is_null() && !beside.contains(&key.as_str())
    });
    let question: BTreeMap<&String, &Value> = asked.collect();
    let mut hasher = blake3::Hasher::new();
    hasher.update(hash).update(method.name.as_bytes()).update(json!(question).to_string().as_bytes());
    let digest = hasher.finalize();
    digest.as_bytes().iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

struct Page {
    text: String,
    tokens: usize,
    most: usize,
    /// What the windows of sheets report beside their text.
    beside: Beside,
}

/// What is reported of the cells that were read.
#[derive(Default)]
struct Beside {
    warnings: Vec<String>,
    stale_cells: Vec<String>,
    stale: bool,
    headers: Option<Headers>,
}

impl Beside {
    fn add(&mut self, answer: RangeText) {
        for warning in answer.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.stale |= answer.stale;
        self.stale_cells.extend(answer.stale_cells);
        if self.headers.is_none() {
            self.headers = answer.headers;
        }
    }

    fn tell(self, answer: &mut Map<String, Value>) {
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        if !self.warnings.is_empty() {
            put("warnings", self.warnings.into());
        }
        if self.stale {
            put("stale", true.into());
            put("stale_cells", self.stale_cells.into());
        }
        if let Some(headers) = self.headers {
            put("headers", json!(headers));
        }
    }
}

impl Page {
    /// Adds a text if all of it fits.
    fn add(&mut self, text: &str) -> bool {
        // Counting tokens is expensive, so a text that is too long in any case is not counted.
        if self.text.len() + text.len() > MOST_BYTES {
            return false;
        }
        let tokens = count_tokens(text);
        let fits = self.tokens + tokens <= self.most;
        if fits {
            self.text.push_str(text);
            self.tokens += tokens;
        }
        fits
    }

    /// Adds lines while they fit, and as much as fits of a first line that is too long. Returns how many bytes were added.
    fn take(&mut self, text: &str) -> usize {
        let mut taken = 0;
        for line in text.split_inclusive('\n') {
            if !self.add(line) {
                if self.text.is_empty() {
                    taken += self.fill(line);
                }
                break;
            }
            taken += line.len();
        }
        taken
    }

    /// Adds as much of a text as there is room for. Returns how many bytes were added.
    fn fill(&mut self, text: &str) -> usize {
        let room = MOST_BYTES.saturating_sub(self.text.len());
        let end = (0..=text.len().min(room)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let cut = cut_by_tokens(text.get(..end).unwrap_or_default(), self.most.saturating_sub(self.tokens).max(1));
        self.text.push_str(cut);
        self.tokens += count_tokens(cut);
        cut.len()
    }
}

type Next = (Option<Cursor>, Map<String, Value>);

/// Documents and presentations: their text is cheap, so all of it is built and then cut, between lines if possible.
fn plain(file: &File, method: Method, params: &Value, start: Cursor, page: &mut Page) -> Result<Next, FileError> {
    let mut answer = match reads::read(file, method.name, params)? {
        Value::Object(answer) => answer,
        _ => Map::new(),
    };
    let text = answer.remove("text").and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    let rest = text.get(start.byte..).ok_or_else(bad_cursor)?;
    let at = start.byte + page.take(rest);
    let next = (at < text.len()).then_some(Cursor { byte: at, ..start });
    Ok((next, answer))
}

/// PDF files: pages are read as they are needed.
fn pages(file: &File, params: &Value, start: Cursor, page: &mut Page) -> Result<Next, FileError> {
    let File::Pdf(document) = file else { return Err(bad_cursor()) };
    let (next, beside): (Result<_, FileError>, _) = document.page_texts(params, |wanted, text| {
        for (at, number) in wanted.iter().enumerate().skip(start.sheet) {
            let text = text(*number);
            let from = if at == start.sheet { start.byte } else { 0 };
            let rest = text.get(from..).ok_or_else(bad_cursor)?;
            let taken = page.take(rest);
            if taken < rest.len() {
                return Ok(Some(Cursor { sheet: at, byte: from + taken, ..start }));
            }
        }
        Ok(None)
    })?;
    let beside = match beside {
        Value::Object(beside) => beside,
        _ => Map::new(),
    };
    Ok((next?, beside))
}

/// Workbooks: rows are read as they are needed.
fn sheets(file: &File, method: Method, params: &Value, start: Cursor, page: &mut Page) -> Result<Next, FileError> {
    let File::Xlsx(book) = file else { return Err(bad_cursor()) };
    let one = method.name == "XlsxReadRange";
    let query = WorkbookParams(params).range_query()?;
    let (extents, skipped) = extents(book, one, &query, params["include_hidden"] == true)?;
    let mut answer = Map::new();
    if !skipped.is_empty() {
        answer.insert("hidden_sheets_skipped".to_owned(), json!(skipped));
    }
    let mut cursor = start;
    while let Some((name, range)) = extents.get(cursor.sheet) {
        match sheet(book, &query, (name.as_str(), *range), cursor, page)? {
            Some(next) => return Ok((Some(next), answer)),
            None => cursor = Cursor { sheet: cursor.sheet + 1, row: 0, byte: 0, ..cursor },
        }
    }
    Ok((None, answer))
}

/// A sheet's name and the part of it that is asked for.
type SheetPart = (String, CellRange);

/// The requested parts of sheets that have cells, and the names of the hidden sheets that are left out.
fn extents(
    book: &Workbook,
    one: bool,
    query: &RangeQuery,
    hidden_too: bool,
) -> Result<(Vec<SheetPart>, Vec<String>), FileError> {
    let (sheet, range) = (query.sheet.as_deref(), query.range.as_deref());
    let all =
        if one || sheet.is_some() || range.is_some() { vec![book.extent(sheet, range)?] } else { book.extents()? };
    let (mut extents, mut skipped) = (Vec::new(), Vec::new());
    for extent in all {
        if !one && extent.hidden && !hidden_too {
            skipped.push(extent.name);
        } else if let Some(used) = extent.used {
            extents.push((extent.name, used));
        }
    }
    Ok((extents, skipped))
}

/// Reads rows of one sheet until the page is full. Returns where to continue, or none at the end of the sheet.
fn sheet(
    book: &Workbook,
    query: &RangeQuery,
    (name, range): (&str, CellRange),
    start: Cursor,
    page: &mut Page,
) -> Result<Option<Cursor>, FileError> {
    let heading = format!("# Sheet: {name}\n");
    let (first, end) = (u64::from(range.start().row()), u64::from(range.end().row()));
    let mut row = start.row.max(first);
    let mut byte = start.byte;
    let here = |row, byte| Some(Cursor { row, byte, ..start });
    if !page.add(&heading) && !page.text.is_empty() {
        return Ok(here(row, byte));
    }
    let mut rows = ROWS;
    while row <= end {
        let last = (row + rows - 1).min(end);
        let (text, answer) = window(book, query, (name, range), row, last)?;
        let rest = text.get(byte..).ok_or_else(bad_cursor)?;
        if page.add(rest) {
            page.beside.add(answer);
            (row, byte, rows) = (last + 1, 0, ROWS);
        } else if last > row {
            rows = (last - row).div_ceil(2);
        } else {
            // A single row that is larger than a page is cut; one that only does not fit waits for the next page.
            let alone = page.text.is_empty() || page.text == heading;
            let cut = if alone { page.fill(rest) } else { 0 };
            if cut > 0 {
                page.beside.add(answer);
            }
            return Ok(here(row, byte + cut));
        }
    }
    Ok(None)
}

/// The text of some rows without the heading, and the complete reply it comes from.
fn window(
    book: &Workbook,
    query: &RangeQuery,
    (name, range): (&str, CellRange),
    first: u64,
    last: u64,
) -> Result<(String, RangeText), FileError> {
    let (left, right) = (ColumnName(range.start().col()), ColumnName(range.end().col()));
    let range = format!("{left}{first}:{right}{last}");
    let query =
        RangeQuery { sheet: Some(name.to_owned()), range: Some(range), mode: query.mode, ..RangeQuery::default() };
    let answer = book.read(&query)?;
    let body = answer.text.split_once('\n').map_or("", |(_, body)| body);
    let body = if body.is_empty() || body.ends_with('\n') { body.to_owned() } else { format!("{body}\n") };
    Ok((body, answer))
}
