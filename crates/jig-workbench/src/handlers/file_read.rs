//! Reads files of every kind with the same verbs: info, map, read, search.

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchPath};
use jig_files::{FileKind, LinePlace, LineRange, Text, count_tokens, opened_as};
use jig_store::FileNode;
use serde_json::{Map, Value, json};

use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};

/// The default token budget of a read.
pub(super) const MAX_TOKENS: u64 = 4_000;
/// The default number of search results.
const MAX_HITS: u32 = 50;

/// A file of a workbench.
pub(super) struct Chosen {
    pub(super) path: WorkbenchPath,
    pub(super) node: FileNode,
    pub(super) info: FileInfo,
}

impl Chosen {
    pub(super) fn kind(&self) -> Option<FileKind> {
        let found: FileKind = self.info.kind.parse().ok()?;
        Some(opened_as(self.path.file_name(), found))
    }
}

impl Workbench {
    async fn choose(
        &self,
        workbench_id: &jig_contract::Given<jig_contract::WorkbenchId>,
        path: &jig_contract::Given<WorkbenchPath>,
        root: Option<Root>,
    ) -> Result<Chosen, OpError> {
        let (id, path) = (workbench_id.check()?, path.check()?);
        let session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(root).await?;
        let Some(node) = view.file(root, &path).await? else { return Err(no_file(view, root, &path).await) };
        let info = self.describe_one(&path, node).await?;
        Ok(Chosen { path, node, info })
    }

    pub(super) async fn text_of(&self, file: &FileNode) -> Result<Text, OpError> {
        let most = self.text_bytes();
        if file.bytes > most {
            let words = format!("the file has {} bytes; as text at most {most} are read", file.bytes);
            return Err(
                OpError::new(Code::FileReadFailed, words).hint("csv and tsv files are read by the table operations")
            );
        }
        let bytes = self.store().blobs().get(&file.hash).await?;
        let decoded = tokio::task::spawn_blocking(move || Text::decode(&bytes)).await;
        decoded.map_err(|error| OpError::new(Code::Internal, "the text could not be decoded").because(error))
    }
}

impl Handle<FileGetInfo> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileGetInfoParams) -> Result<FileGetInfoOutput, OpError> {
        let chosen = self.choose(&params.workbench_id, &params.path, params.root).await?;
        let mut output = FileGetInfoOutput {
            file: chosen.info.clone(),
            sheets: None,
            slide_count: None,
            section_count: None,
            page_count: None,
            line_count: None,
            width: None,
            height: None,
            problem: None,
        };
        let method = match chosen.kind() {
            Some(FileKind::Xlsx) => "XlsxGetInfo",
            Some(FileKind::Docx) => "DocxGetMap",
            Some(FileKind::Pptx) => "PptxGetMap",
            Some(FileKind::Pdf) => "PdfGetInfo",
            Some(FileKind::Odt) => "OdtGetMap",
            Some(kind) if kind.is_text() || kind.is_image() => {
                if kind.is_text() {
                    match self.text_of(&chosen.node).await {
                        Ok(text) => output.line_count = Some(text.line_count() as u64),
                        Err(error) => output.problem = Some(error.to_string()),
                    }
                }
                // An SVG is both text and an image.
                if !kind.is_image() {
                    return Ok(output);
                }
                "ImageGetMetadata"
            }
            _ => return Ok(output),
        };
        match self.office_answer(context, method, &chosen.path, chosen.node, json!({})).await {
            Ok(mut answer) => {
                let list = |answer: &Map<String, Value>, key: &str| answer.get(key)?.as_array().map(|l| l.len() as u64);
                output.section_count = list(&answer, "sections");
                output.slide_count = list(&answer, "slides");
                output.width = answer.get("width").and_then(Value::as_u64);
                output.height = answer.get("height").and_then(Value::as_u64);
                output.page_count = answer.get("page_count").and_then(Value::as_u64);
                output.sheets = answer.remove("sheets").and_then(|sheets| serde_json::from_value(sheets).ok());
            }
            // The rest of the information is still valid, and a file that cannot be opened is worth reporting.
            Err(error) if error.code() == Code::FileReadFailed => output.problem = Some(error.to_string()),
            Err(error) => return Err(error),
        }
        Ok(output)
    }
}

impl Handle<FileGetMap> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileGetMapParams) -> Result<FileGetMapOutput, OpError> {
        let chosen = self.choose(&params.workbench_id, &params.path, params.root).await?;
        let map = self.map_of(context, &chosen).await?;
        Ok(FileGetMapOutput { file: chosen.info, map })
    }
}

impl Workbench {
    /// The structural map of a file, for kinds that have one.
    pub(super) async fn map_of(&self, context: &CallContext, chosen: &Chosen) -> Result<Map<String, Value>, OpError> {
        match chosen.kind() {
            Some(FileKind::Xlsx) => self.office_map(context, "XlsxGetMap", chosen).await,
            Some(FileKind::Docx) => self.office_map(context, "DocxGetMap", chosen).await,
            Some(FileKind::Pptx) => self.office_map(context, "PptxGetMap", chosen).await,
            Some(FileKind::Pdf) => self.office_map(context, "PdfGetMap", chosen).await,
            Some(FileKind::Odt) => self.office_map(context, "OdtGetMap", chosen).await,
            Some(FileKind::Csv | FileKind::Tsv) => self.table_map(context, chosen).await,
            Some(kind) if kind.is_text() || kind == FileKind::Empty => {
                self.office_map(context, "TextGetMap", chosen).await
            }
            Some(kind) if kind.is_image() => self.office_map(context, "ImageGetMetadata", chosen).await,
            _ => Err(no_regions(chosen, "mapped")),
        }
    }

    async fn office_map(
        &self,
        context: &CallContext,
        method: &'static str,
        chosen: &Chosen,
    ) -> Result<Map<String, Value>, OpError> {
        self.office_answer(context, method, &chosen.path, chosen.node, json!({})).await
    }
}

fn no_regions(chosen: &Chosen, verb: &str) -> OpError {
    let what = chosen.kind().map_or("a file of an unknown kind", FileKind::words);
    let error = OpError::new(Code::ValidationFailed, format!("`{}` is {what}, which cannot be {verb}", chosen.path));
    match chosen.kind() {
        Some(kind) if kind.is_image() => error.hint("its map tells what it is; `ImageRender` shows it"),
        _ => error.hint("Word, Excel, PowerPoint, PDF, OpenDocument and text files can"),
    }
}

impl Handle<FileRead> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileReadParams) -> Result<FileReadOutput, OpError> {
        let chosen = self.choose(&params.workbench_id, &params.path, params.root).await?;
        check_fields(&chosen, &params)?;
        if params.max_tokens == Some(0) {
            return Err(OpError::new(Code::ValidationFailed, "`max_tokens` must be above 0"));
        }
        let mut question = json!({ "max_tokens": params.max_tokens.unwrap_or(MAX_TOKENS), "cursor": params.cursor });
        let method = match chosen.kind() {
            Some(FileKind::Xlsx) => {
                question["sheet"] = json!(params.sheet);
                question["range"] = json!(params.range);
                question["mode"] = json!(params.mode);
                if params.sheet.is_some() || params.range.is_some() { "XlsxReadRange" } else { "XlsxExtractText" }
            }
            Some(FileKind::Docx) => {
                question["section"] = json!(params.section);
                question["paragraphs"] = json!(params.paragraphs.as_deref().map(from_zero).transpose()?);
                question["view"] = json!(params.view);
                "DocxExtractText"
            }
            Some(FileKind::Pptx) => {
                question["slide_index"] = json!(slide_index(&params)?);
                "PptxExtractText"
            }
            Some(FileKind::Pdf) => {
                question["pages"] = json!(params.pages);
                "PdfExtractText"
            }
            Some(FileKind::Odt) => {
                question["section"] = json!(params.section);
                "OdtExtractText"
            }
            Some(FileKind::Csv | FileKind::Tsv) if self.is_long(&chosen) => {
                return self.read_rows(context, &chosen, &params).await;
            }
            Some(kind) if kind.is_text() || kind == FileKind::Empty => return self.read_lines(&chosen, &params).await,
            _ => return Err(no_regions(&chosen, "read as text")),
        };
        let answer = self.office_answer(context, method, &chosen.path, chosen.node, question).await?;
        Ok(office_text(answer, chosen.info.hash))
    }
}

/// Paragraphs from 1, as ops count them, in the engine's count from 0: `4-9` → `3-8`.
fn from_zero(range: &str) -> Result<String, OpError> {
    let number = |text: &str| text.trim().parse::<u64>().ok().and_then(|number| number.checked_sub(1));
    let (first, last) = range.split_once(['-', '–']).unwrap_or((range, range));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(format!("{first}-{last}")),
        _ => Err(OpError::new(Code::ValidationFailed, format!("invalid paragraphs `{range}`"))
            .hint("give a paragraph or a range, counted from 1, such as `4-9`")),
    }
}

/// The slide to read, from 0.
fn slide_index(params: &FileReadParams) -> Result<Option<u64>, OpError> {
    match (params.slide, params.slide_index) {
        (Some(0), _) => Err(OpError::new(Code::ValidationFailed, "`slide` counts from 1 (got 0)")),
        (Some(slide), Some(index)) if slide != index + 1 => {
            let words = format!("`slide` {slide} and `slide_index` {index} name different slides");
            Err(OpError::new(Code::ValidationFailed, words).hint("give `slide`, which counts from 1"))
        }
        (Some(slide), _) => Ok(Some(slide - 1)),
        (None, index) => Ok(index),
    }
}

fn office_text(mut answer: Map<String, Value>, hash: jig_contract::BlobHash) -> FileReadOutput {
    let mut take = |key: &str| match answer.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (text, cursor) = (take("text").unwrap_or_default(), take("cursor"));
    let strings = |value: &Value| {
        value.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let mut warnings = answer.get("warnings").map(strings).unwrap_or_default();
    if answer.get("stale") == Some(&Value::Bool(true)) {
        let cells = answer.get("stale_cells").map(strings).unwrap_or_default().join(", ");
        warnings.push(format!("stale: formulas without a stored value, shown as formulas: {cells}"));
    }
    let headers = answer.get("headers").map(strings);
    if let Some(skipped) = answer.get("hidden_sheets_skipped").map(strings) {
        warnings.push(format!("hidden sheets are left out: {}; name one with `sheet` to read it", skipped.join(", ")));
    }
    let mut chunk_info = answer.remove("chunk_info").and_then(|info| info.as_object().cloned());
    if let Some(info) = chunk_info.as_mut().filter(|_| cursor.is_some()) {
        // The engine's chunks end before the budget does: the cursor decides whether there is more.
        info.insert("has_more".to_owned(), true.into());
    }
    let chunk_info = chunk_info.or_else(|| cursor.is_some().then(|| has_more(true)));
    let tokens = count_tokens(&text) as u64;
    FileReadOutput { tokens, text, cursor, chunk_info, hash, lines: None, headers, warnings }
}

/// The position of a part of which only this is known.
pub(super) fn has_more(more: bool) -> Map<String, Value> {
    Map::from_iter([("has_more".to_owned(), more.into())])
}

/// A parameter that does not apply to this kind of file is an error, because the caller expects an effect.
fn check_fields(chosen: &Chosen, params: &FileReadParams) -> Result<(), OpError> {
    let kind = chosen.kind();
    let text = kind.is_some_and(|kind| kind.is_text() || kind == FileKind::Empty);
    let fields = [
        ("sheet", params.sheet.is_some(), kind == Some(FileKind::Xlsx)),
        ("range", params.range.is_some(), kind == Some(FileKind::Xlsx)),
        ("mode", params.mode.is_some(), kind == Some(FileKind::Xlsx)),
        ("section", params.section.is_some(), matches!(kind, Some(FileKind::Docx | FileKind::Odt))),
        ("paragraphs", params.paragraphs.is_some(), kind == Some(FileKind::Docx)),
        ("view", params.view.is_some(), kind == Some(FileKind::Docx)),
        ("slide", params.slide.is_some(), kind == Some(FileKind::Pptx)),
        ("slide_index", params.slide_index.is_some(), kind == Some(FileKind::Pptx)),
        ("pages", params.pages.is_some(), kind == Some(FileKind::Pdf)),
        ("line_start", params.line_start.is_some(), text),
        ("line_count", params.line_count.is_some(), text),
    ];
    match fields.into_iter().find(|(_, given, fits)| *given && !fits) {
        None => Ok(()),
        Some((name, ..)) => {
            let what = kind.map_or("a file of an unknown kind", FileKind::words);
            let words = format!("`{name}` means nothing for `{}`, which is {what}", chosen.path);
            Err(OpError::new(Code::ValidationFailed, words)
                .hint("xlsx takes sheet, range and mode; docx section, paragraphs and view; odt section; pptx slide; pdf pages; text line_start and line_count"))
        }
    }
}

impl Workbench {
    /// Lines of a text, within the budget.
    async fn read_lines(&self, chosen: &Chosen, params: &FileReadParams) -> Result<FileReadOutput, OpError> {
        let text = self.text_of(&chosen.node).await?;
        let place = match &params.cursor {
            Some(cursor) => LinePlace::parse(cursor, &short(&chosen.info)).ok_or_else(bad_cursor)?,
            None => line_place(params.line_start, params.line_count)?,
        };
        let most = usize::try_from(params.max_tokens.unwrap_or(MAX_TOKENS)).unwrap_or(usize::MAX);
        let page = text.page(place, most).map_err(|e| {
            OpError::new(Code::ValidationFailed, e.to_string()).hint("ask for lines that exist, counted from 1")
        })?;
        let page = page.ok_or_else(bad_cursor)?;
        let mut warnings = Vec::new();
        if text.had_errors() {
            warnings.push(format!("some bytes are not valid {}; they are shown as \u{fffd}", text.encoding().name()));
        }
        let range = LineRange { start: page.first, count: page.count };
        let info = text.lines(range).ok().map(|chunk| chunk.chunk_info);
        let is_part = page.first > 1 || page.next.is_some() || info.is_some_and(|info| info.has_more);
        let chunk_info = info.filter(|_| is_part).map(|info| {
            let has_more = info.has_more || page.next.is_some();
            let fields = [
                ("chunk_index", json!(info.chunk_index)),
                ("total_chunks", json!(info.total_chunks)),
                ("has_more", json!(has_more)),
                ("range", json!(info.range.to_string())),
            ];
            Map::from_iter(fields.map(|(name, value)| (name.to_owned(), value)))
        });
        Ok(FileReadOutput {
            chunk_info,
            text: page.text.to_owned(),
            tokens: page.tokens as u64,
            cursor: page.next.map(|next| next.text(&short(&chosen.info))),
            hash: chosen.info.hash,
            headers: None,
            lines: Some(LinesRead {
                first: page.first as u64,
                count: page.count as u64,
                total: text.line_count() as u64,
                encoding: text.encoding().name().to_owned(),
            }),
            warnings,
        })
    }
}

/// A prefix of the content hash, long enough to detect a change of the file.
pub(super) fn short(info: &FileInfo) -> String {
    info.hash.to_string().chars().take(8).collect()
}

pub(super) fn bad_cursor() -> OpError {
    OpError::new(Code::ValidationFailed, "the cursor is not one that an earlier answer gave for this file as it is now")
        .hint("leave `cursor` out to begin at the start")
}

fn line_place(start: Option<u64>, count: Option<u64>) -> Result<LinePlace, OpError> {
    if start == Some(0) || count == Some(0) {
        return Err(OpError::new(
            Code::ValidationFailed,
            "lines are counted from 1, and at least one must be asked for",
        )
        .hint("leave both out to read from the beginning"));
    }
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(LinePlace::of(whole(start.unwrap_or(1)), count.map(whole)))
}

impl Handle<FileSearch> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileSearchParams) -> Result<FileSearchOutput, OpError> {
        let id = params.workbench_id.check()?;
        let within = params.path.as_ref().map(|path| path.check()).transpose()?;
        if params.query.is_empty() {
            return Err(OpError::new(Code::ValidationFailed, "the text to find is empty"));
        }
        let session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let root = view.choose(params.root).await?;
        let mut files = self.files_of(&session.head, root).await?;
        if let Some(within) = &within {
            files.retain(|(path, _)| path == within || path.is_within(within));
            if files.is_empty() {
                return Err(no_file(view, root, within).await);
            }
        }
        drop(session);
        let most = params.max_results.unwrap_or(MAX_HITS).max(1) as usize;
        let mut output = FileSearchOutput { hits: Vec::new(), more: false, skipped: Vec::new() };
        let infos = self.describe(files.clone()).await?;
        for ((path, node), info) in files.into_iter().zip(infos) {
            context.check_cancelled()?;
            let chosen = Chosen { path, node, info };
            let room = most + 1 - output.hits.len();
            match self.search_one(context, &chosen, &params, room).await {
                Ok(hits) => output.hits.extend(hits),
                Err(error) => {
                    let path = chosen.path.to_string();
                    output.skipped.push(LeftAlone { path, reason: error.to_string() });
                }
            }
            if output.hits.len() > most {
                output.hits.truncate(most);
                output.more = true;
                break;
            }
        }
        Ok(output)
    }
}

impl Workbench {
    async fn search_one(
        &self,
        context: &CallContext,
        chosen: &Chosen,
        params: &FileSearchParams,
        room: usize,
    ) -> Result<Vec<SearchHit>, OpError> {
        let method = match chosen.kind() {
            Some(FileKind::Xlsx) => "XlsxFind",
            Some(FileKind::Docx) => "DocxFind",
            Some(FileKind::Pptx) => "PptxFind",
            Some(FileKind::Odt) => "OdtFind",
            Some(FileKind::Pdf) => "PdfFind",
            Some(kind) if kind.is_text() => {
                let text = self.text_of(&chosen.node).await?;
                return Ok(find_lines(chosen, &text, params, room));
            }
            Some(FileKind::Empty) => return Ok(Vec::new()),
            _ => return Err(no_regions(chosen, "searched")),
        };
        let question = json!({ "query": params.query, "match_case": params.match_case, "max_results": room });
        let mut answer = self.office_answer(context, method, &chosen.path, chosen.node, question).await?;
        let hits = answer.remove("matches");
        let hits = hits.as_ref().and_then(Value::as_array).into_iter().flatten();
        Ok(hits.filter_map(|hit| hit.as_object()).map(|hit| office_hit(chosen, hit.clone())).collect())
    }
}

fn office_hit(chosen: &Chosen, mut hit: Map<String, Value>) -> SearchHit {
    let snippet = hit.remove("snippet").and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    SearchHit { path: chosen.path.clone(), at: hit, snippet }
}

fn find_lines(chosen: &Chosen, text: &Text, params: &FileSearchParams, room: usize) -> Vec<SearchHit> {
    let hits = text.find(&params.query, params.match_case).into_iter().take(room);
    let hits = hits.map(|hit| SearchHit {
        path: chosen.path.clone(),
        at: Map::from_iter([
            ("line".to_owned(), json!(hit.line)),
            ("column".to_owned(), json!(hit.column)),
            ("count".to_owned(), json!(hit.count)),
        ]),
        snippet: hit.snippet,
    });
    hits.collect()
}
