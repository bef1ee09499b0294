//! Searches added files for likely keys: texts in any encoding, and the text of Office and PDF files.
//!
//! A worker reads Office and PDF files, as elsewhere. Files that cannot be searched are counted by reason.

use std::collections::BTreeMap;
use std::time::Duration;

use jig_contract::ops::{LikelySecret, SkippedCount};
use jig_contract::{WorkbenchId, WorkbenchPath};
use jig_files::{Complete, FileKind, HEAD_BYTES, Text, sniff};
use jig_store::FileNode;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::secrets::{LISTED_MAX, Named, secrets_in};
use crate::{CallContext, Workbench};

/// The size limit of searched texts, per file and per call.
const TEXT_BYTES: u64 = 4 << 20;
const TEXTS_BYTES: u64 = 64 << 20;
/// The size limit of searched Office and PDF files, per file and per call, and their number.
const DOCUMENT_BYTES: u64 = 32 << 20;
const DOCUMENTS_BYTES: u64 = 256 << 20;
const DOCUMENTS: u64 = 200;
/// The files are already added by then, so the caller does not wait longer for the report.
const SEARCH_TIME: Duration = Duration::from_secs(30);

const TOO_LARGE: &str = "larger than is searched";
const TOO_MANY: &str = "more files than are searched in one call";
const TOO_LONG: &str = "the search took too long";
const UNREADABLE: &str = "could not be read";

/// The findings, and how many files were not searched, by reason.
#[derive(Default)]
pub(super) struct KeySearch {
    pub(super) secrets: Vec<LikelySecret>,
    unsearched: BTreeMap<String, u64>,
    texts: u64,
    documents: u64,
    document_bytes: u64,
}

/// The text of a file.
enum Content {
    Plain(String),
    /// Text with a heading for each page, slide, sheet or section.
    Headed(String),
    None,
}

impl KeySearch {
    fn skip(&mut self, reason: &str) {
        *self.unsearched.entry(reason.to_owned()).or_default() += 1;
    }

    pub(super) fn unsearched(&self) -> Vec<SkippedCount> {
        let count = |(reason, count): (&String, &u64)| SkippedCount { reason: reason.clone(), count: *count };
        self.unsearched.iter().map(count).collect()
    }

    fn admit_text(&mut self, bytes: u64) -> Result<(), &'static str> {
        if bytes > TEXT_BYTES {
            return Err(TOO_LARGE);
        }
        self.texts += bytes;
        if self.texts > TEXTS_BYTES { Err(TOO_MANY) } else { Ok(()) }
    }

    fn admit_document(&mut self, bytes: u64) -> Result<(), &'static str> {
        if bytes > DOCUMENT_BYTES {
            return Err(TOO_LARGE);
        }
        self.documents += 1;
        self.document_bytes += bytes;
        if self.documents > DOCUMENTS || self.document_bytes > DOCUMENTS_BYTES { Err(TOO_MANY) } else { Ok(()) }
    }
}

impl Workbench {
    /// Searches files that were already added. A file that cannot be searched is counted, and is not an error.
    pub(super) async fn search_keys(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        files: impl Iterator<Item = &(WorkbenchPath, FileNode)>,
    ) -> KeySearch {
        let mut search = KeySearch::default();
        let deadline = Instant::now() + SEARCH_TIME;
        for (path, file) in files {
            let call = CallContext { cancel: context.cancel.child_token(), ..context.clone() };
            let reading = self.key_text(&call, &mut search, path, *file);
            let content = tokio::time::timeout_at(deadline, reading).await.unwrap_or_else(|_| {
                call.cancel.cancel();
                Err(TOO_LONG.to_owned())
            });
            match content {
                Err(reason) => search.skip(&reason),
                Ok(Content::None) => {}
                Ok(content) => {
                    let (id, name) = (id.clone(), path.as_str().to_owned());
                    // Matching hundreds of patterns against megabytes of text would block the async runtime.
                    let scan = tokio::task::spawn_blocking(move || found_in(&id, &name, &content)).await;
                    match scan {
                        Ok(found) => search.secrets.extend(found),
                        Err(_) => search.skip(UNREADABLE),
                    }
                }
            }
        }
        search
    }

    async fn key_text(
        &self,
        context: &CallContext,
        search: &mut KeySearch,
        path: &WorkbenchPath,
        file: FileNode,
    ) -> Result<Content, String> {
        let unreadable = |_| UNREADABLE.to_owned();
        let blobs = self.store().blobs();
        let small = file.bytes <= TEXT_BYTES;
        // The format of a large file is detected from its beginning.
        let head =
            if small { blobs.get(&file.hash).await } else { blobs.get_head(&file.hash, HEAD_BYTES as u64).await };
        let head = head.map_err(unreadable)?;
        let complete = if small { Complete::Whole } else { Complete::Head };
        let (method, params) = match sniff(path.as_str(), &head, complete).kind {
            FileKind::Empty => return Ok(Content::None),
            kind if kind.is_text() => {
                search.admit_text(file.bytes)?;
                return Ok(Content::Plain(Text::decode(&head).content().to_owned()));
            }
            FileKind::Xlsx => ("XlsxExtractText", json!({ "include_hidden": true })),
            FileKind::Docx => ("DocxExtractText", json!({ "view": "markup", "include_headers_footers": true })),
            FileKind::Pptx => ("PptxExtractText", json!({})),
            FileKind::Pdf => ("PdfExtractText", json!({})),
            FileKind::Odt => ("OdtExtractText", json!({})),
            kind => return Err(kind.words().to_owned()),
        };
        search.admit_document(file.bytes)?;
        let answer =
            self.office_answer(context, method, path, file, params).await.map_err(|_| UNREADABLE.to_owned())?;
        match answer.get("text") {
            Some(Value::String(text)) => Ok(Content::Headed(text.clone())),
            _ => Err(UNREADABLE.to_owned()),
        }
    }
}

fn found_in(id: &WorkbenchId, path: &str, content: &Content) -> Vec<LikelySecret> {
    let (text, headed) = match content {
        Content::Plain(text) => (text, false),
        Content::Headed(text) => (text, true),
        Content::None => return Vec::new(),
    };
    let mut found = secrets_in(id, text, &Named(path, text));
    found.truncate(LISTED_MAX);
    if headed {
        found.iter_mut().for_each(|one| one.place = heading_before(text, one.line));
    }
    found
}

/// The page, slide, sheet or section of a line: the last heading before it.
fn heading_before(text: &str, line: u32) -> Option<String> {
    let lines = text.lines().take(usize::try_from(line).unwrap_or(usize::MAX));
    let heading = lines.filter(|line| line.starts_with('#')).last()?;
    let name = heading.trim_start_matches('#').trim();
    (!name.is_empty()).then(|| name.chars().take(120).collect())
}
