//! Validates an archive completely before anything is imported.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jig_contract::ops::Checkpoint;
use jig_contract::{BlobHash, CheckpointId, check_name};

use super::reader::Reader;
use super::{ASSETS, About, CHECKPOINTS, CheckpointLine, JOURNAL, JournalLine, MESSAGES, RECORDS, SESSIONS};
use crate::assets::carry::{self, AssetLine};
use crate::error::StoreError;
use crate::journal::{Row, broken_links};
use crate::messages::MessageLine;
use crate::sessions::carry::{self as sessions, RecordLine, SessionLine};
use crate::tree::{Node, Tree};

/// Deeper nesting than any path can have.
const DEPTH_MAX: usize = 600;

/// A valid archive.
pub(super) struct Verified {
    pub(super) about: About,
    pub(super) rows: Vec<Row>,
    pub(super) checkpoints: Vec<(Checkpoint, u64)>,
    pub(super) assets: Vec<AssetLine>,
    pub(super) messages: Vec<MessageLine>,
    pub(super) sessions: Vec<SessionLine>,
    pub(super) records: Vec<RecordLine>,
    /// Every blob with its size.
    pub(super) blobs: Arc<[(BlobHash, u64)]>,
}

/// Reads the entire archive, or returns the first error.
pub(super) fn verify(reader: &mut Reader) -> Result<Verified, StoreError> {
    let about = reader.about()?;
    check_name("workbench", &about.name).map_err(|e| StoreError::archive(e.to_string()))?;
    let lines: Vec<JournalLine> = reader.lines(JOURNAL)?;
    let rows: Vec<Row> = lines
        .into_iter()
        .map(|line| Row { entry: line.entry, position: line.position, parent_position: line.parent_position })
        .collect();
    check_journal(&about, &rows)?;
    let states: HashSet<BlobHash> =
        rows.iter().flat_map(|row| [row.entry.state_before, row.entry.state_after]).collect();
    let lines: Vec<CheckpointLine> = reader.lines(CHECKPOINTS)?;
    let checkpoints: Vec<(Checkpoint, u64)> = lines.into_iter().map(|line| (line.checkpoint, line.made_by)).collect();
    check_checkpoints(&about, &checkpoints, &states)?;
    let assets: Vec<AssetLine> = reader.lines_if_any(ASSETS)?;
    carry::check(&assets)?;
    let messages: Vec<MessageLine> = reader.lines_if_any(MESSAGES)?;
    check_messages(&about, &messages)?;
    let sessions: Vec<SessionLine> = reader.lines_if_any(SESSIONS)?;
    let records: Vec<RecordLine> = reader.lines_if_any(RECORDS)?;
    if let Some(why) = sessions::wrong(&sessions, &records) {
        return Err(StoreError::archive(why));
    }
    let blobs = check_states(reader, states, &assets, &sessions)?.into();
    Ok(Verified { about, rows, checkpoints, assets, messages, sessions, records, blobs })
}

fn check_messages(about: &About, messages: &[MessageLine]) -> Result<(), StoreError> {
    let (mut before, mut ids) = (0, HashSet::new());
    for line in messages {
        let wrong = |why: &str| StoreError::archive(format!("message {} of its conversation {why}", line.0.seq));
        if let Some(why) = line.wrong(before, about.seq) {
            return Err(wrong(why));
        }
        let text = serde_json::to_string(line).map_err(|e| StoreError::archive(e.to_string()))?;
        if text.contains("\\u0000") {
            return Err(wrong("contains a NUL character"));
        }
        if !ids.insert(line.0.id.as_str()) {
            return Err(wrong("has a duplicate id"));
        }
        before = line.0.seq;
    }
    Ok(())
}

fn check_journal(about: &About, rows: &[Row]) -> Result<(), StoreError> {
    let Some(last) = rows.last() else { return Err(StoreError::archive("its journal is empty")) };
    if let Some(broken) = broken_links(rows).into_iter().next() {
        return Err(StoreError::archive(broken));
    }
    if last.entry.seq != about.seq || last.entry.state_after != about.head {
        return Err(StoreError::archive("its journal does not end at its head"));
    }
    for row in rows {
        let actor = serde_json::to_string(&row.entry.actor).map_err(|e| StoreError::archive(e.to_string()))?;
        // PostgreSQL texts cannot contain NUL, and an archive must be importable into every store or none.
        if [&row.entry.operation, &row.entry.summary].iter().any(|text| text.contains('\0'))
            || actor.contains("\\u0000")
        {
            return Err(StoreError::archive(format!("row {} of its journal contains a NUL character", row.entry.seq)));
        }
    }
    Ok(())
}

fn check_checkpoints(
    about: &About,
    checkpoints: &[(Checkpoint, u64)],
    states: &HashSet<BlobHash>,
) -> Result<(), StoreError> {
    let mut ids: HashSet<&CheckpointId> = HashSet::new();
    for (checkpoint, made_by) in checkpoints {
        let wrong = |why: &str| Err(StoreError::archive(format!("the checkpoint {} {why}", checkpoint.id)));
        if check_name("checkpoint", &checkpoint.name).is_err() {
            return wrong("has an invalid name");
        }
        if !ids.insert(&checkpoint.id) {
            return wrong("is duplicated");
        }
        if *made_by == 0 || *made_by > about.seq || checkpoint.seq > *made_by {
            return wrong("does not belong to a row of the journal");
        }
        if !states.contains(&checkpoint.state) {
            return wrong("refers to a state that is not in the journal");
        }
    }
    Ok(())
}

/// Walks all states. Every blob that a state, asset or session needs must be present and intact, and no other blob may
/// be present.
fn check_states(
    reader: &mut Reader,
    states: HashSet<BlobHash>,
    assets: &[AssetLine],
    sessions: &[SessionLine],
) -> Result<Vec<(BlobHash, u64)>, StoreError> {
    let mut folders: HashMap<BlobHash, (Node, u64)> = HashMap::new();
    let mut claims: Vec<(BlobHash, Node)> = Vec::new();
    let mut files: HashMap<BlobHash, u64> = HashMap::new();
    let mut level: Vec<BlobHash> = states.into_iter().collect();
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for hash in level {
            if folders.contains_key(&hash) {
                continue;
            }
            let encoded = reader.tree(&hash)?;
            let tree = decode(&hash, &encoded)?;
            folders.insert(hash, (tree.node(hash), encoded.len() as u64));
            for (_, node) in tree.iter() {
                match node {
                    Node::File { hash, bytes } => claim_file(&mut files, hash, bytes)?,
                    Node::Folder { hash, .. } => {
                        claims.push((hash, node));
                        next.push(hash);
                    }
                }
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    if !level.is_empty() {
        return Err(StoreError::archive("its folders are nested too deeply"));
    }
    let false_claim = claims.iter().find(|(hash, node)| folders.get(hash).is_none_or(|(found, _)| found != node));
    if let Some((hash, _)) = false_claim {
        return Err(StoreError::archive(format!("the files of the folder {hash} do not match its parent")));
    }
    for asset in assets.iter().filter(|asset| asset.removed_at.is_none()) {
        claim_file(&mut files, asset.hash, asset.bytes)?;
    }
    for (hash, bytes) in &files {
        reader.verify(hash, *bytes)?;
    }
    files.extend(folders.into_iter().map(|(hash, (_, bytes))| (hash, bytes)));
    for hash in sessions.iter().flat_map(|session| &session.blobs) {
        if !files.contains_key(hash) {
            files.insert(*hash, reader.measure(hash)?);
        }
    }
    if let Some(extra) = reader.blobs().find(|hash| !files.contains_key(hash)) {
        return Err(StoreError::archive(format!("no state uses the blob {extra}")));
    }
    Ok(files.into_iter().collect())
}

fn decode(hash: &BlobHash, encoded: &[u8]) -> Result<Tree, StoreError> {
    let tree =
        Tree::decode(encoded).map_err(|why| StoreError::archive(format!("the folder {hash} cannot be read: {why}")))?;
    match tree.case_collision() {
        Some((a, b)) => Err(StoreError::archive(format!("`{a}` and `{b}` differ only in upper and lower case"))),
        None => Ok(tree),
    }
}

fn claim_file(files: &mut HashMap<BlobHash, u64>, hash: BlobHash, bytes: u64) -> Result<(), StoreError> {
    match files.insert(hash, bytes) {
        Some(other) if other != bytes => Err(StoreError::archive(format!("the blob {hash} has two sizes"))),
        _ => Ok(()),
    }
}
