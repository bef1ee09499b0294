//! Shows the prompt that a model would get, and its token breakdown. Nothing is sent.

use std::sync::Arc;

use jig_context::item::Category;
use jig_context::style;
use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchId};
use jig_files::FileKind;
use jig_prompt::{
    FileBody, FileEntry, FileMap, Input, Manifest, Message, Model, Need, Notice, Prompt, Tokenizer, assemble,
};
use jig_store::Head;
use serde_json::{Map, Value};

use super::file_read::Chosen;
use crate::models::tokenizer;
use crate::prompt::skill;
use crate::secrets::{LISTED_MAX, place, secrets_in};
use crate::state::View;
use crate::{CallContext, Handle, Workbench};

/// The maximum size of a text that may be included verbatim, in bytes.
const INLINE_MAX: u64 = 64 << 10;
/// The assumed context window if no model is chosen.
const WINDOW: u64 = 200_000;

impl Handle<PromptAssemble> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: PromptAssembleParams,
    ) -> Result<PromptAssembleOutput, OpError> {
        let id = params.workbench_id.check()?;
        let prompt = self.prompt(context, &id, params.model.as_deref(), params.message.as_deref()).await?;
        let mut output = PromptAssembleOutput::from(&prompt);
        // The same check as before a request is sent.
        let secrets = secrets_in(&id, &prompt.text(), &prompt);
        let mut messages: Vec<String> = secrets
            .iter()
            .take(LISTED_MAX)
            .map(|secret| format!("Likely key: {}. A request with it is not sent.", place(secret)))
            .collect();
        if let more @ 1.. = secrets.len().saturating_sub(LISTED_MAX) {
            messages.push(format!("{more} more likely keys are in this prompt."));
        }
        let code = Some(Code::SecretDetected.as_str().to_owned());
        output.notices.extend(messages.into_iter().map(|message| PromptNotice { code: code.clone(), message }));
        Ok(output)
    }
}

impl Handle<ClutterGet> for Workbench {
    async fn handle(&self, context: &CallContext, params: ClutterGetParams) -> Result<ClutterGetOutput, OpError> {
        let id = params.workbench_id.check()?;
        let prompt = self.prompt(context, &id, params.model.as_deref(), None).await?;
        Ok(ClutterGetOutput { bill: (&prompt.bill).into(), notices: prompt.notices.iter().map(Into::into).collect() })
    }
}

impl Workbench {
    async fn prompt(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        model: Option<&str>,
        message: Option<&str>,
    ) -> Result<Prompt, OpError> {
        // States are immutable, so others need not wait while files are mapped.
        let head = self.enter(id).await?.head;
        let model = self.chosen_model(&head, model).await?;
        self.prompt_at(context, &head, model.as_ref(), message.unwrap_or_default()).await
    }

    /// The prompt for a message in a state, without an agent's packs and tools.
    pub(crate) async fn prompt_at(
        &self,
        context: &CallContext,
        head: &Head,
        model: Option<&jig_providers::Model>,
        message: &str,
    ) -> Result<Prompt, OpError> {
        let mut input = match model {
            Some(model) => {
                Input::new(Model { id: model.id.to_string(), window: model.window, tokenizer: tokenizer(model) })
            }
            None => without_model(),
        };
        input.files = self.manifest(context, head, message).await?;
        self.add_items(head, message, &mut input).await?;
        self.add_entries(head.state, message, &mut input).await?;
        self.add_plans(head, self.env().now(), message, &mut input).await?;
        if !message.is_empty() {
            input.messages.push(Message::User { text: message.to_owned() });
        }
        assemble(&input, self.prompts().counter()).map_err(|error| OpError::from(error).workbench(&head.id))
    }

    /// All files with their maps. A file that cannot be read is listed as unreadable; an incomplete list is an error.
    pub(crate) async fn manifest(
        &self,
        context: &CallContext,
        head: &Head,
        message: &str,
    ) -> Result<Manifest, OpError> {
        let root = View::of(self.store(), head).choose(None).await?;
        let files = self.files_of(head, root).await?;
        let infos = self.describe(files.clone()).await?;
        let mut entries = Vec::with_capacity(files.len());
        for ((path, node), info) in files.into_iter().zip(infos) {
            context.check_cancelled()?;
            let chosen = Chosen { path, node, info };
            let body = match self.body(context, &chosen).await {
                Ok(body) => body,
                Err(error) if error.code() == Code::UserCanceled => return Err(error),
                Err(error) => return Ok(Manifest::Failed { reason: format!("`{}`: {error}", chosen.path) }),
            };
            entries.push(FileEntry {
                need: need(&chosen, message),
                path: chosen.path.to_string(),
                file_type: chosen.info.kind,
                size: chosen.node.bytes,
                body: FileBody::clone(&body),
            });
        }
        Ok(Manifest::Complete(entries))
    }

    /// What can be shown of a file, from the cache if its content was seen before.
    async fn body(&self, context: &CallContext, chosen: &Chosen) -> Result<Arc<FileBody>, OpError> {
        let extension = chosen.path.extension();
        if let Some(known) = self.prompts().body(chosen.node.hash, &extension) {
            return Ok(known);
        }
        let Some(kind) = chosen.kind() else {
            let why = chosen.info.mismatch.clone().unwrap_or_else(|| "its kind is not known".to_owned());
            return Ok(Arc::new(FileBody::Opaque { why }));
        };
        let body = match self.kept_map(context, chosen, kind, &extension).await {
            Ok(map) => {
                let text = if is_short(kind, chosen) {
                    Some(self.text_of(&chosen.node).await?.content().to_owned())
                } else {
                    None
                };
                FileBody::Readable { map: Some(FileMap::Json(Value::Object(map))), text }
            }
            Err(error) if is_the_files_fault(error.code()) => {
                let opaque = FileBody::Opaque { why: error.to_string() };
                // Not cached, because a damaged blob may be repaired.
                if error.code() == Code::BlobCorrupt {
                    return Ok(Arc::new(opaque));
                }
                opaque
            }
            Err(error) => return Err(error),
        };
        Ok(self.prompts().keep_body(chosen.node.hash, &extension, body))
    }

    /// A file's map, from disk if an earlier command computed it. For a short text, mapping is as fast as reading a
    /// map.
    async fn kept_map(
        &self,
        context: &CallContext,
        chosen: &Chosen,
        kind: FileKind,
        extension: &str,
    ) -> Result<Map<String, Value>, OpError> {
        let maps = (!is_short(kind, chosen)).then(|| self.prompts().maps());
        if let Some(known) = maps.and_then(|maps| maps.find(chosen.node.hash, extension)) {
            return Ok(known);
        }
        self.prompts().map_is_made();
        let map = self.map_of(context, chosen).await?;
        if let Some(maps) = maps {
            maps.keep(chosen.node.hash, extension, &map);
        }
        Ok(map)
    }

    /// Adds situation, skills and styles. A damaged item is left out with a warning.
    pub(crate) async fn add_items(&self, head: &Head, message: &str, input: &mut Input) -> Result<(), OpError> {
        let mut document_style = None;
        for category in Category::ALL {
            let Some((folder, item)) = self.load_item(head.state, category).await? else { continue };
            let Some(texts) = item.texts() else {
                input.notices.push(Notice::damaged_item(category.label()));
                continue;
            };
            match category {
                Category::Situation => input.situation = texts.get(category.main_file()).cloned(),
                _ => input.skills.push(skill(category.as_str(), texts)),
            }
            if category == Category::DocumentStyle {
                document_style = Some((folder, item));
            }
        }
        let paths: Vec<&str> = match &input.files {
            Manifest::Complete(files) => files.iter().map(|file| file.path.as_str()).collect(),
            Manifest::Failed { .. } => Vec::new(),
        };
        let formats = style::relevant(paths, message, &[]);
        let document_style = document_style.as_ref().map(|(folder, item)| (*folder, item.as_ref()));
        let styles = self.prompts().styles(&formats, document_style);
        input.format_styles.clone_from(&styles.skills);
        let notices = styles.notices.iter();
        input.notices.extend(notices.map(|notice| Notice { code: Some(notice.code), ..Notice::new(&notice.message) }));
        Ok(())
    }
}

/// The input for a token breakdown if no model is chosen.
fn without_model() -> Input {
    let mut input = Input::new(Model { id: "none".to_owned(), window: WINDOW, tokenizer: Tokenizer::o200k() });
    input.notices.push(Notice::new(format!(
        "No model is chosen, so this is counted for a window of {WINDOW} tokens. `jig model set-default` chooses one."
    )));
    input
}

/// Whether a file is a text that may be included verbatim.
fn is_short(kind: FileKind, chosen: &Chosen) -> bool {
    kind.is_text() && chosen.node.bytes <= INLINE_MAX
}

/// A file that the message names has priority if space is short.
fn need(chosen: &Chosen, message: &str) -> Need {
    let named = message.contains(chosen.path.as_str()) || message.contains(chosen.path.file_name());
    if named { Need::Referenced } else { Need::Fill(0) }
}

/// Whether the file itself cannot be mapped. Any other error fails the call.
fn is_the_files_fault(code: Code) -> bool {
    matches!(code, Code::FileReadFailed | Code::ValidationFailed | Code::LimitExceeded | Code::BlobCorrupt)
}
