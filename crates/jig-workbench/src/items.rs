//! Reading the context items of a workbench's state, and replacing one in a single commit.

use std::collections::BTreeMap;

use bytes::Bytes;
use jig_context::item::{
    Category, Item, SOURCE_FILE_FOLDER, SOURCE_JSON, Source, artifact, draft_blocks, is_editable, source_of,
};
use jig_contract::ops::ContextFile;
use jig_contract::{BlobHash, Code, OpError, RevisionTag, WorkbenchPath};
use jig_store::{Change, Head, Node, Plan, TreeEdit};
use serde_json::{Value, json};

use crate::engine::{Planned, Session};
use crate::revisions::check_content_base;
use crate::state::{DRAFT_RECORD, View};
use crate::{CallContext, Workbench};

/// The files of items, by path in the state.
pub(crate) type ItemFiles = BTreeMap<WorkbenchPath, Vec<u8>>;

/// How much of an item is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its texts and `source.json`.
    Texts,
    /// Also its input file.
    Whole,
}

/// Creates, replaces or deletes an item.
pub(crate) struct ItemChange {
    pub(crate) category: Category,
    /// The new item; `None` deletes it.
    pub(crate) item: Option<Item>,
    /// The hash of the item's folder that the caller has seen. A different one is a conflict.
    pub(crate) seen: Option<BlobHash>,
    pub(crate) operation: &'static str,
    pub(crate) summary: String,
}

impl Workbench {
    /// The files of a category's item; empty without an item.
    pub(crate) async fn item_files(
        &self,
        state: BlobHash,
        category: Category,
        depth: Depth,
    ) -> Result<ItemFiles, OpError> {
        let mut files = ItemFiles::new();
        for (inside, node) in self.store().files(state, &category.folder()).await? {
            let is_source = inside.starts_with(&format!("{SOURCE_FILE_FOLDER}/"));
            if is_source && depth == Depth::Texts {
                continue;
            }
            let path = category.path_of(&inside).map_err(|e| OpError::new(Code::BlobCorrupt, e.to_string()))?;
            files.insert(path, self.store().blobs().get(&node.hash).await?.to_vec());
        }
        Ok(files)
    }

    /// Reads an item for display: files that the store has lost are left out and reported.
    pub(crate) async fn item_files_left(
        &self,
        state: BlobHash,
        category: Category,
    ) -> Result<(ItemFiles, Vec<String>), OpError> {
        let (mut files, mut lost) = (ItemFiles::new(), Vec::new());
        let all = match self.store().files(state, &category.folder()).await.map_err(OpError::from) {
            Err(error) if error.code() == Code::BlobCorrupt => return Ok((files, vec![error.to_string()])),
            all => all?,
        };
        for (inside, node) in all {
            if inside.starts_with(&format!("{SOURCE_FILE_FOLDER}/")) {
                continue;
            }
            let path = category.path_of(&inside).map_err(|e| OpError::new(Code::BlobCorrupt, e.to_string()))?;
            match self.store().blobs().get(&node.hash).await.map_err(OpError::from) {
                Ok(bytes) => drop(files.insert(path, bytes.to_vec())),
                Err(error) if error.code() == Code::BlobCorrupt => lost.push(format!("{inside}: {error}")),
                Err(error) => return Err(error),
            }
        }
        Ok((files, lost))
    }

    /// The items among these paths whose texts changed, each with the edit that marks it as manually edited. Edits of
    /// the folder count too: processing must not discard them without confirmation.
    pub(crate) async fn marks_of_edits(
        &self,
        state: BlobHash,
        changed: &[&str],
    ) -> Result<Vec<(Category, TreeEdit)>, OpError> {
        let mut marks = Vec::new();
        for category in Category::ALL {
            let paths = changed.iter().filter_map(|path| WorkbenchPath::new(*path).ok());
            let inside: Vec<WorkbenchPath> =
                paths.filter_map(|path| WorkbenchPath::new(category.inside(&path)?).ok()).collect();
            // If `source.json` changes as well, it already records the origin of the edit.
            if inside.iter().any(is_editable) && inside.iter().all(|path| path.as_str() != SOURCE_JSON) {
                marks.extend(self.mark_of_edit(state, category).await?.map(|edit| (category, edit)));
            }
        }
        Ok(marks)
    }

    async fn mark_of_edit(&self, state: BlobHash, category: Category) -> Result<Option<TreeEdit>, OpError> {
        let path = format!("{}/{SOURCE_JSON}", category.folder());
        let Some(Node::File { hash, .. }) = self.store().lookup(state, &path).await? else { return Ok(None) };
        // An unreadable source is reported when the item is read.
        let Ok(bytes) = self.store().blobs().get(&hash).await else { return Ok(None) };
        let Ok(source) = Source::from_json(&bytes) else { return Ok(None) };
        let text = Bytes::from(source.edited(self.env().now()).to_json());
        let bytes = text.len() as u64;
        let hash = self.store().blobs().put(text).await?;
        Ok(Some(TreeEdit::File { path, hash, bytes }))
    }

    /// The hash of an item's folder; `None` without an item.
    pub(crate) async fn item_hash(&self, state: BlobHash, category: Category) -> Result<Option<BlobHash>, OpError> {
        Ok(self.store().lookup(state, &category.folder()).await?.map(|node| node.hash()))
    }

    /// The source of an item, if it can be read.
    pub(crate) fn item_source(category: Category, files: &ItemFiles) -> Option<Source> {
        source_of(category, files)
    }

    /// Refuses changes of context items while a Draft exists.
    pub(crate) async fn refuse_draft_for_context(&self, head: &Head) -> Result<(), OpError> {
        match View::of(self.store(), head).draft().await? {
            None => Ok(()),
            Some(_) => Err(draft_blocks().workbench(&head.id)),
        }
    }

    /// The hash of the item's current folder, after checking that the caller has seen it.
    pub(crate) async fn seen_item(
        &self,
        head: &Head,
        category: Category,
        base: Option<&RevisionTag>,
    ) -> Result<Option<BlobHash>, OpError> {
        let seen = self.item_hash(head.state, category).await?;
        self.check_item_base(head, category, base, seen).await?;
        Ok(seen)
    }

    async fn check_item_base(
        &self,
        head: &Head,
        category: Category,
        base: Option<&RevisionTag>,
        now: Option<BlobHash>,
    ) -> Result<(), OpError> {
        let tag = now.as_ref().map(RevisionTag::of_content);
        if check_content_base(base, tag.as_ref(), || Value::Null).is_ok() {
            return Ok(());
        }
        let (files, _) = self.item_files_left(head.state, category).await?;
        let newer = || json!(shown_texts(category, &files));
        check_content_base(base, tag.as_ref(), newer).map_err(|error| error.workbench(&head.id))
    }

    /// Replaces or deletes an item in one commit.
    pub(crate) async fn change_item(
        &self,
        context: &CallContext,
        session: &mut Session,
        change: ItemChange,
    ) -> Result<(), OpError> {
        let ItemChange { category, item, seen, operation, summary } = change;
        let edits = self.item_edits(category, item).await?;
        let (edits, summary) = (&edits, &summary);
        let plan = |head: Head| {
            Box::pin(async move {
                self.refuse_draft_for_context(&head).await?;
                let now = self.item_hash(head.state, category).await?;
                if now != seen {
                    let base = seen.as_ref().map_or(RevisionTag::Number(0), RevisionTag::of_content);
                    self.check_item_base(&head, category, Some(&base), now).await?;
                }
                context.check_cancelled()?;
                let state = self.store().edit(head.state, edits).await?;
                if state == head.state {
                    return Ok(Plan::nothing(()));
                }
                let change = Change::new(context.actor.clone(), operation, summary.clone(), state);
                Ok(Plan::change(change, vec![category.folder(), DRAFT_RECORD.to_owned()], ()))
            }) as Planned<'_, ()>
        };
        self.change(session, plan).await
    }

    async fn item_edits(&self, category: Category, item: Option<Item>) -> Result<Vec<TreeEdit>, OpError> {
        let mut edits = vec![TreeEdit::Remove { path: category.folder() }];
        let Some(item) = item else { return Ok(edits) };
        let files = item.into_files().map_err(|e| OpError::new(Code::SandboxViolation, e.to_string()))?;
        let (paths, contents): (Vec<_>, Vec<_>) =
            files.into_iter().map(|(path, bytes)| (path, Bytes::from(bytes))).unzip();
        let sizes: Vec<u64> = contents.iter().map(|bytes| bytes.len() as u64).collect();
        let hashes = self.store().blobs().put_many(contents).await?;
        let file = |((path, hash), bytes): ((WorkbenchPath, BlobHash), u64)| TreeEdit::File {
            path: path.to_string(),
            hash,
            bytes,
        };
        edits.extend(paths.into_iter().zip(hashes).zip(sizes).map(file));
        Ok(edits)
    }
}

/// The texts of an item as callers see them. Of a damaged item, the readable ones, so that a person can repair it.
pub(crate) fn shown_texts(category: Category, files: &ItemFiles) -> Vec<ContextFile> {
    let text = |(path, bytes): (&WorkbenchPath, &Vec<u8>)| {
        let inside = category.inside(path)?;
        let ours = WorkbenchPath::new(inside).is_ok_and(|inside| is_editable(&inside));
        Some((inside.to_owned(), String::from_utf8(bytes.clone()).ok().filter(|_| ours)?))
    };
    let readable = || files.iter().filter_map(text).collect();
    let texts: BTreeMap<String, String> = artifact(category, files).ok().flatten().unwrap_or_else(readable);
    texts.into_iter().map(|(path, content)| ContextFile { path, content }).collect()
}

/// The error for an empty category.
pub(crate) fn no_item(category: Category) -> OpError {
    OpError::new(Code::FileNotFound, format!("there is no {} context", category.label()))
        .hint(format!("`jig context process {category} --text …` or `--file …` makes it"))
}
