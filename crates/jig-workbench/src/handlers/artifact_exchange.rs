//! Import and export of artifacts.

use jig_context::artifact::{CONTENT_BYTES_MAX, outline, tiptap, trimmed};
use jig_context::document::PartName;
use jig_contract::ops::*;
use jig_contract::{Code, OpError, check_name};
use serde_json::Value;

use super::artifact::{Lock, Whole};
use super::host_files::{HostFile, read_file};
use crate::artifacts::SeenArtifact;
use crate::engine::Session;
use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};

impl Handle<ArtifactImport> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ArtifactImportParams,
    ) -> Result<ArtifactImportOutput, OpError> {
        let title = params.title.as_deref().map(|title| check_name("artifact", title)).transpose()?;
        let author = self.author(context, Some("imported".to_owned()), Lock::of(params.override_lock))?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (content, name) = self.brought_document(&session, params.content, params.path, params.source_path).await?;
        let format = params.format.unwrap_or_else(|| looks_like(&content));
        let (text, warnings) = match format {
            ArtifactFormat::Markdown => (markdown_text(content)?, Vec::new()),
            ArtifactFormat::Tiptap => from_editor(content)?,
        };
        let named = name.map(|name| name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned()));
        let slug = params.slug.or_else(|| named.map(|name| PartName::suggest(&name).to_string()));
        let present = match &slug {
            Some(slug) => self.artifact_at(session.head.state, slug).await?,
            None => None,
        };
        let text = match (&present, format) {
            (Some(seen), ArtifactFormat::Tiptap) => unchanged_kept(seen, &text),
            _ => text,
        };
        let whole = Whole {
            slug,
            content: Some(text),
            title,
            stage: params.stage,
            base_revision: params.base_revision,
            operation: "ArtifactImport",
        };
        let (slug, created) = self.put_whole(context, &mut session, whole, author).await?;
        let artifact = self.artifact_now(&session, &slug).await?.artifact;
        Ok(ArtifactImportOutput { artifact, format, created, warnings })
    }
}

impl Workbench {
    /// The document in a call, and the name of its file.
    async fn brought_document(
        &self,
        session: &Session,
        content: Option<ArtifactContent>,
        path: Option<jig_contract::Given<jig_contract::WorkbenchPath>>,
        source_path: Option<String>,
    ) -> Result<(Value, Option<String>), OpError> {
        let wrong = |words: &str| {
            OpError::new(Code::ValidationFailed, words).hint(
                "give one of `content`, `path` (a file of the workbench) and `source_path` (a file of this machine)",
            )
        };
        let (name, bytes) = match (content, path, source_path) {
            (Some(content), None, None) => {
                check_size("the document", content.0.as_str().map_or(0, str::len) as u64)?;
                return Ok((content.0, None));
            }
            (None, Some(path), None) => {
                let path = path.check()?;
                let head = self.enter(&session.id).await?.head;
                let view = View::of(self.store(), &head);
                let root = view.choose(None).await?;
                let Some(file) = view.file(root, &path).await? else { return Err(no_file(view, root, &path).await) };
                check_size(path.as_str(), file.bytes)?;
                (path.file_name().to_owned(), self.store().blobs().get(&file.hash).await?.to_vec())
            }
            (None, None, Some(path)) => {
                let reading = tokio::task::spawn_blocking(move || read_file(&path, check_size)).await;
                let HostFile { name, bytes } = reading
                    .map_err(|e| OpError::new(Code::Internal, "reading the file was broken off").because(e))??;
                (name, bytes)
            }
            (None, None, None) => return Err(wrong("there is nothing to take in")),
            _ => return Err(wrong("give one document, not several")),
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| OpError::new(Code::ValidationFailed, format!("`{name}` is not UTF-8 text")))?;
        Ok((Value::String(text), Some(name)))
    }
}

fn check_size(name: &str, bytes: u64) -> Result<(), OpError> {
    if bytes <= CONTENT_BYTES_MAX as u64 {
        return Ok(());
    }
    let words = format!("{name} has {bytes} bytes; an artifact has at most {CONTENT_BYTES_MAX}");
    Err(OpError::new(Code::LimitExceeded, words).hint("put it into several artifacts, or keep it as a file"))
}

/// An object, or a text that starts like one and declares its type, is an editor document.
fn looks_like(content: &Value) -> ArtifactFormat {
    let Value::String(text) = content else { return ArtifactFormat::Tiptap };
    let object = text.trim_start().trim_start_matches('\u{feff}').starts_with('{');
    let doc = object && serde_json::from_str::<Value>(text).is_ok_and(|value| value["type"] == "doc");
    if doc { ArtifactFormat::Tiptap } else { ArtifactFormat::Markdown }
}

fn markdown_text(content: Value) -> Result<String, OpError> {
    match content {
        Value::String(text) => Ok(text),
        _ => Err(OpError::new(Code::ValidationFailed, "Markdown is a text, and an object was given")
            .hint("leave `format` out, or say `tiptap`")),
    }
}

fn from_editor(content: Value) -> Result<(String, Vec<String>), OpError> {
    let wrong = |words: String| {
        OpError::new(Code::ValidationFailed, words)
            .hint("an editor's document is `{\"type\": \"doc\", \"content\": […]}`")
    };
    let document = match content {
        Value::String(text) => {
            serde_json::from_str(&text).map_err(|error| wrong(format!("the document is not valid JSON: {error}")))?
        }
        object => object,
    };
    let read = tiptap::to_markdown(&document).map_err(wrong)?;
    Ok((read.document, read.warnings))
}

/// Keeps the original bytes of sections that an editor returned unchanged, because it formats Markdown in its own way.
fn unchanged_kept(seen: &SeenArtifact, text: &str) -> String {
    let same = |a: &str, b: &str| tiptap::from_markdown(a).document == tiptap::from_markdown(b).document;
    let found = outline(text);
    let mut old: Vec<_> = seen.artifact.document.parts.iter().collect();
    let mut kept = String::new();
    let lead = &text[found.lead.clone()];
    kept.push_str(if same(lead, &seen.artifact.lead) { &seen.artifact.lead } else { lead });
    for span in &found.sections {
        let (heading, body) = (&text[span.heading.clone()], &text[span.body.clone()]);
        let at = old
            .iter()
            .position(|part| part.title == span.title && same(trimmed(part.text().unwrap_or_default()), trimmed(body)));
        match at {
            Some(at) => {
                let part = old.remove(at);
                let before = kept.len();
                kept.push_str(seen.artifact.heading(part.id));
                kept.push_str(part.text().unwrap_or_default());
                debug_assert!(kept.len() >= before);
                if !kept.ends_with("\n\n") && span.body.end < text.len() {
                    kept.push('\n');
                }
            }
            None => {
                kept.push_str(heading);
                kept.push_str(body);
            }
        }
    }
    // If the sections no longer fit together, the editor's text is used as it is.
    let titles = |text: &str| outline(text).sections.into_iter().map(|span| span.title).collect::<Vec<_>>();
    if titles(&kept) == titles(text) { kept } else { text.to_owned() }
}

impl Handle<ArtifactExport> for Workbench {
    async fn handle(&self, _: &CallContext, params: ArtifactExportParams) -> Result<ArtifactExportOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let newest = self.needed_artifact(session.head.state, &params.slug).await?;
        let seen = match params.revision {
            Some(revision) => self.artifact_revision(&newest, revision).await?,
            None => newest,
        };
        let text = seen.artifact.markdown();
        let slug = seen.artifact.slug().to_owned();
        let format = params.format.unwrap_or(ArtifactFormat::Markdown);
        let (name, media_type, content, warnings) = match format {
            ArtifactFormat::Markdown => (format!("{slug}.md"), "text/markdown", Value::String(text), Vec::new()),
            ArtifactFormat::Tiptap => {
                let written = tiptap::from_markdown(&text);
                (format!("{slug}.json"), "application/json", written.document, written.warnings)
            }
        };
        Ok(ArtifactExportOutput {
            slug,
            name,
            format,
            media_type: media_type.to_owned(),
            content: ArtifactContent(content),
            revision: seen.artifact.revision(),
            warnings,
        })
    }
}
