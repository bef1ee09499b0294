//! Context items: read, edit manually, delete.

use jig_context::item::{self, Category, Damaged, Item, SourceFile, SourceInput, Status, overview};
use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, RevisionTag, WorkbenchId};

use crate::items::{Depth, ItemChange, ItemFiles, no_item, shown_texts};
use crate::{CallContext, Handle, Workbench};

impl Handle<ContextList> for Workbench {
    async fn handle(&self, _: &CallContext, params: ContextListParams) -> Result<ContextListOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let mut items = Vec::new();
        for category in Category::ALL {
            let (files, lost) = self.item_files_left(session.head.state, category).await?;
            let etag = self.item_hash(session.head.state, category).await?;
            items.push(self.summary(category, &files, &lost, etag));
        }
        Ok(ContextListOutput { items })
    }
}

impl Handle<ContextGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: ContextGetParams) -> Result<ContextItemOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        self.item_output(&session.head, params.category.into(), Vec::new()).await
    }
}

impl Handle<ContextGetArtifact> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: ContextGetArtifactParams,
    ) -> Result<ContextGetArtifactOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let ContextItem { summary, files, .. } =
            self.item_output(&session.head, params.category.into(), Vec::new()).await?.item;
        Ok(ContextGetArtifactOutput { files, has_direct_edits: summary.has_direct_edits, etag: summary.etag })
    }
}

impl Handle<ContextUpdateDirect> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ContextUpdateDirectParams,
    ) -> Result<ContextItemOutput, OpError> {
        let category = Category::from(params.category);
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        self.refuse_draft_for_context(&session.head).await?;
        let seen = self.seen_item(&session.head, category, params.base_revision.as_ref()).await?;
        let files = self.item_files(session.head.state, category, Depth::Whole).await?;
        let before = editable(category, &files)?;
        let given: Vec<(String, String)> = params.files.into_iter().map(|file| (file.path, file.content)).collect();
        let edited = before.edit(&given, self.env().now())?;
        if edited.item.files == before.files {
            // Saving unchanged texts must not mark the item as manually edited.
            return self.item_output(&session.head, category, edited.warnings).await;
        }
        let change = ItemChange {
            category,
            item: Some(edited.item),
            seen,
            operation: "ContextUpdateDirect",
            summary: format!("edited the {} context by hand", category.label()),
        };
        self.change_item(context, &mut session, change).await?;
        self.count(&session.id, "context.direct_edit", category, "", 0).await;
        self.item_output(&session.head, category, edited.warnings).await
    }
}

impl Handle<ContextDelete> for Workbench {
    async fn handle(&self, context: &CallContext, params: ContextDeleteParams) -> Result<ContextDeleteOutput, OpError> {
        let category = Category::from(params.category);
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        self.refuse_draft_for_context(&session.head).await?;
        let seen = self.seen_item(&session.head, category, params.base_revision.as_ref()).await?;
        if seen.is_none() {
            return Err(no_item(category).workbench(&session.id));
        }
        let summary = format!("deleted the {} context", category.label());
        let change = ItemChange { category, item: None, seen, operation: "ContextDelete", summary };
        self.change_item(context, &mut session, change).await?;
        self.count(&session.id, "context.delete", category, "", 0).await;
        Ok(ContextDeleteOutput { deleted: params.category })
    }
}

/// The item to edit. Damaged texts can be replaced entirely; without its source the item cannot be preserved.
pub(super) fn editable(category: Category, files: &ItemFiles) -> Result<Item, OpError> {
    match Item::read(category, files) {
        Ok(Some(item)) => Ok(item),
        Ok(None) => Err(no_item(category)),
        Err(damage) => {
            let source = Workbench::item_source(category, files).ok_or_else(|| damaged(&damage))?;
            let source_file = match &source.input {
                SourceInput::Text { .. } => None,
                SourceInput::File { original_filename: name, .. } => {
                    let place = category.path_of(&format!("{}/{name}", item::SOURCE_FILE_FOLDER)).ok();
                    let bytes = place.and_then(|place| files.get(&place).cloned());
                    bytes.map(|bytes| SourceFile { name: name.clone(), bytes })
                }
            };
            Ok(Item { category, files: std::collections::BTreeMap::new(), source, source_file })
        }
    }
}

/// The error for an item that must be readable.
pub(super) fn damaged(damage: &Damaged) -> OpError {
    OpError::new(Code::BlobCorrupt, damage.to_string())
        .hint(format!("what is wrong: {}", damage.why))
        .hint("`jig context delete` takes it away, `jig undo` goes back to before it was damaged")
}

impl Workbench {
    /// The wire form of an item, with additional warnings.
    pub(super) async fn item_output(
        &self,
        head: &jig_store::Head,
        category: Category,
        warnings: Vec<String>,
    ) -> Result<ContextItemOutput, OpError> {
        let (files, lost) = self.item_files_left(head.state, category).await?;
        let etag = self.item_hash(head.state, category).await?;
        let mut summary = self.summary(category, &files, &lost, etag);
        for warning in warnings {
            if !summary.warnings.contains(&warning) {
                summary.warnings.push(warning);
            }
        }
        let source = Self::item_source(category, &files).map(|source| source_of(source.input));
        let files = shown_texts(category, &files);
        Ok(ContextItemOutput { item: ContextItem { summary, files, source } })
    }

    /// A summary of an item. If the store has lost one of its texts, it counts as damaged, as it does for prompts.
    fn summary(
        &self,
        category: Category,
        files: &ItemFiles,
        lost: &[String],
        folder: Option<BlobHash>,
    ) -> ContextSummary {
        let texts = item::artifact(category, files).ok().flatten().filter(|_| lost.is_empty());
        let tokens = texts.map_or(0, |texts| self.item_tokens(category, &texts));
        let mut seen = overview(category, files);
        if !lost.is_empty() {
            seen.status = Status::Damaged;
            seen.warnings = vec![Damaged { category, why: lost.join("; ") }.to_string()];
            seen.warnings.extend(lost.iter().cloned());
        }
        ContextSummary {
            category: category.into(),
            status: match seen.status {
                Status::Active => ContextStatus::Active,
                Status::Empty => ContextStatus::Empty,
                Status::Damaged => ContextStatus::Damaged,
            },
            summary: seen.summary,
            has_direct_edits: seen.has_direct_edits,
            created_at: seen.created_at,
            last_processed_at: seen.last_processed_at,
            last_direct_edit_at: seen.last_direct_edit_at,
            model_id: seen.model_id,
            tokens,
            etag: folder.as_ref().map(RevisionTag::of_content),
            warnings: seen.warnings,
        }
    }

    /// Increments a local usage counter. Failing to store it is not an error.
    pub(crate) async fn count(&self, id: &WorkbenchId, name: &str, category: Category, model_id: &str, tokens: u64) {
        if let Err(error) = self.store().count(id, name, category.as_str(), model_id, tokens).await {
            tracing::warn!(workbench = %id, "{name} could not be counted: {error}");
        }
    }
}

fn source_of(input: SourceInput) -> ContextSource {
    match input {
        SourceInput::Text { text } => {
            ContextSource { mode: ContextMode::Text, text: Some(text), original_filename: None, note: None }
        }
        SourceInput::File { original_filename, note } => {
            ContextSource { mode: ContextMode::File, text: None, original_filename: Some(original_filename), note }
        }
    }
}
