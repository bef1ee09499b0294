//! Raw input of context items: a text, or a local file whose text is extracted.

use jig_context::item::{self, Input, InputError};
use jig_contract::ops::{ContextInput, ContextMode};
use jig_contract::{Code, OpError, WorkbenchPath};
use jig_files::{Complete, FileKind, Text, opened_as, sniff};
use jig_store::FileNode;
use serde_json::{Value, json};

use super::host_files::{HostFile, read_file};
use crate::{CallContext, Workbench};

impl Workbench {
    /// The validated input of a call.
    pub(super) async fn raw_input(&self, context: &CallContext, given: ContextInput) -> Result<Input, OpError> {
        let ContextInput { mode, text, source_path, note } = given;
        // Forms also send their empty fields, which count as missing.
        let (source_path, note) =
            (source_path.filter(|path| !path.is_empty()), note.filter(|note| !note.trim().is_empty()));
        let is_file = mode == Some(ContextMode::File) || source_path.is_some();
        let text = text.filter(|text| !(is_file && text.is_empty()));
        let mode = match (mode, &text, &source_path) {
            (Some(mode), ..) => mode,
            (None, None, Some(_)) => ContextMode::File,
            (None, ..) => ContextMode::Text,
        };
        match (mode, text, source_path) {
            (_, Some(_), Some(_)) => Err(wrong("give a text or a file, not both")),
            (ContextMode::File, Some(_), None) => Err(wrong("the mode is `file`, but a text is given")),
            (ContextMode::Text, None, Some(_)) => Err(wrong("the mode is `text`, but a file is given")),
            (ContextMode::File, None, None) => Err(wrong("no file is named")),
            (ContextMode::Text, ..) if note.is_some() => Err(wrong("a note goes with a file only")),
            (ContextMode::Text, text, None) => Ok(Input::text(text.unwrap_or_default())?),
            (ContextMode::File, None, Some(path)) => {
                let reading = tokio::task::spawn_blocking(move || {
                    read_file(&path, |name, size| Ok(item::check_file(name, size)?))
                });
                let read = reading.await;
                let HostFile { name, bytes } =
                    read.map_err(|e| OpError::new(Code::Internal, "reading the file was broken off").because(e))??;
                self.file_input(context, &name, bytes, note).await
            }
        }
    }

    /// A file with its extracted text, read like files of the workbench.
    pub(super) async fn file_input(
        &self,
        context: &CallContext,
        name: &str,
        bytes: Vec<u8>,
        note: Option<String>,
    ) -> Result<Input, OpError> {
        let text = self.text_in(context, name, &bytes).await?;
        Ok(Input::file(name, bytes, text, note)?)
    }

    /// Extracts the text of a file of any kind that has text.
    pub(super) async fn text_in(&self, context: &CallContext, name: &str, bytes: &[u8]) -> Result<String, OpError> {
        let path = WorkbenchPath::new(name).map_err(InputError::from)?;
        let method = match opened_as(name, sniff(name, bytes, Complete::Whole).kind) {
            FileKind::Xlsx => "XlsxExtractText",
            FileKind::Docx => "DocxExtractText",
            FileKind::Pptx => "PptxExtractText",
            FileKind::Pdf => "PdfExtractText",
            FileKind::Odt => "OdtExtractText",
            FileKind::Empty => return Ok(String::new()),
            kind if kind.is_text() => return Ok(Text::decode(bytes).content().to_owned()),
            kind if kind.is_image() => return Err(InputError::Image.into()),
            kind => return Err(unreadable(name, &format!("it is {}, whatever its name says", kind.words()))),
        };
        // Until an item is saved with it, the blob is unreferenced and will be collected.
        let hash = self.store().blobs().put(bytes.to_vec()).await?;
        let node = FileNode { hash, bytes: bytes.len() as u64 };
        let answer = self.office_answer(context, method, &path, node, json!({})).await.map_err(|error| {
            let file_s_fault = matches!(error.code(), Code::FileReadFailed | Code::ValidationFailed);
            if file_s_fault { unreadable(name, &error.to_string()) } else { error }
        })?;
        match answer.get("text") {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(OpError::new(Code::Internal, format!("{method} gave no text"))),
        }
    }
}

fn unreadable(name: &str, why: &str) -> OpError {
    let why = why.trim_end_matches('.').to_owned();
    InputError::Unreadable { name: name.to_owned(), why }.into()
}

fn wrong(what: &str) -> OpError {
    OpError::new(Code::ValidationFailed, what)
        .hint("give `text`, or `source_path` with a `note` where one helps (`--text`, `--file`, `--note`)")
}
