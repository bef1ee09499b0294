//! Checks the store: everything is read and verified, and what can be rebuilt is repaired on request.

use std::collections::{BTreeMap, HashMap, HashSet};

use jig_contract::ops::{Problem, ProblemKind};
use jig_contract::{BlobHash, WorkbenchId};

use crate::assets::{self, links};
use crate::error::StoreError;
use crate::journal::{JournalQuery, broken_links};
use crate::projections::{self, Projected, Table};
use crate::reach::is_damage;
use crate::store::Store;
use crate::workbenches::Head;

/// Whether to repair errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Only report errors.
    No,
    /// Repair them if possible.
    Yes,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// The number of checked workbenches.
    pub workbenches: u64,
    /// The number of checked states.
    pub states: u64,
    /// The number of blobs whose hash was verified.
    pub blobs: u64,
    /// The errors.
    pub problems: Vec<Problem>,
}

impl Store {
    /// Reads every state and blob of one workbench or of all, checks that the journal is continuous, and compares the
    /// index tables with the states they are derived from.
    ///
    /// The index tables can be repaired. A lost blob cannot; it can only be restored from a copy.
    pub async fn check(&self, only: Option<&WorkbenchId>, repair: Repair) -> Result<CheckReport, StoreError> {
        // The cache may have intact data that is damaged in the store.
        self.trees().clear();
        let heads = match only {
            Some(id) => vec![self.head(id).await?],
            None => self.heads().await?,
        };
        let mut report = CheckReport { workbenches: heads.len() as u64, states: 0, blobs: 0, problems: Vec::new() };
        let mut verified = Verified::default();
        let mut states = HashSet::new();
        for head in &heads {
            states.extend(self.named_states(Some(&head.id)).await?);
            self.check_blobs(head, &mut verified, &mut report.problems).await?;
            self.check_journal(&head.id, &mut report.problems).await?;
            self.check_tables(&head.id, repair, &mut report.problems).await?;
            self.check_sessions(head, &mut report.problems).await?;
        }
        if only.is_none() {
            self.check_agent_versions(&mut report.problems).await?;
        }
        report.states = states.len() as u64;
        report.blobs = verified.seen.len() as u64;
        Ok(report)
    }

    async fn check_blobs(
        &self,
        head: &Head,
        verified: &mut Verified,
        problems: &mut Vec<Problem>,
    ) -> Result<(), StoreError> {
        let mut reached = self.reach(self.named_states(Some(&head.id)).await?).await?;
        let assets = self.asset_blobs(Some(&head.id)).await?;
        reached.files.extend(&assets);
        let sessions = self.session_blobs(Some(&head.id)).await?;
        reached.files.extend(&sessions);
        // Folders were just read; each file is read once, however many workbenches share it.
        verified.seen.extend(&reached.trees);
        let fresh: Vec<BlobHash> = reached.files.iter().copied().filter(|hash| verified.seen.insert(*hash)).collect();
        verified
            .damaged
            .extend(self.verify_all(fresh).await?.into_iter().map(|(hash, error)| (hash, problem_of(&error))));
        verified.seen.extend(reached.broken.iter().map(|(hash, _)| *hash));
        let trees = reached.broken.iter().map(|(hash, error)| (*hash, problem_of(error)));
        let files = reached.files.iter().filter_map(|hash| Some((*hash, verified.damaged.get(hash)?.clone())));
        let damaged: BTreeMap<BlobHash, (ProblemKind, String)> = trees.chain(files).collect();
        if damaged.is_empty() {
            return Ok(());
        }
        let mut places = self.places(head, &damaged).await;
        for hash in assets {
            places.entry(hash).or_insert_with(|| "an asset".to_owned());
        }
        for hash in sessions {
            places.entry(hash).or_insert_with(|| "a session's record".to_owned());
        }
        for (hash, (kind, what)) in damaged {
            let place = places
                .get(&hash)
                .map_or_else(|| "only older states use it".to_owned(), |place| format!("it is {place}"));
            let message = format!("{what}; {place}");
            problems.push(Problem { workbench_id: Some(head.id.clone()), kind, message, repaired: false });
        }
        Ok(())
    }

    /// The paths of damaged blobs in the current state, as far as it can be read.
    async fn places(
        &self,
        head: &Head,
        damaged: &BTreeMap<BlobHash, (ProblemKind, String)>,
    ) -> HashMap<BlobHash, String> {
        let mut places = HashMap::new();
        let mut level = vec![(String::new(), head.state)];
        while let Some((path, folder)) = level.pop() {
            if damaged.contains_key(&folder) {
                places
                    .insert(folder, if path.is_empty() { "the entire state".to_owned() } else { format!("`{path}`") });
                continue;
            }
            let Ok(tree) = self.tree(&folder).await else { continue };
            for (name, node) in tree.iter() {
                let at = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                match node.file() {
                    Some(file) if damaged.contains_key(&file.hash) => drop(places.insert(file.hash, format!("`{at}`"))),
                    Some(_) => {}
                    None => level.push((at, node.hash())),
                }
            }
        }
        places
    }

    async fn check_journal(&self, id: &WorkbenchId, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let mut problem = |message: String| {
            let kind = ProblemKind::Journal;
            problems.push(Problem { workbench_id: Some(id.clone()), kind, message, repaired: false });
        };
        let rows = match self.journal_rows(id, JournalQuery::After { seq: 0, limit: u32::MAX }).await {
            Ok(rows) => rows,
            Err(StoreError::Row { why }) => {
                problem(format!("the journal cannot be read: {why}"));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        for broken in broken_links(&rows) {
            problem(broken);
        }
        // Read after the rows, so a concurrent change has a row that they do not contain.
        let head = self.head(id).await?;
        match rows.last() {
            None => problem("the journal is empty".to_owned()),
            Some(last) if last.entry.seq > head.seq => problem("the journal continues after the head".to_owned()),
            Some(last) if last.entry.seq == head.seq && last.entry.state_after != head.state => {
                problem("the last state of the journal differs from the head's".to_owned());
            }
            Some(last) if last.entry.seq < head.seq => {
                let later = JournalQuery::After { seq: last.entry.seq, limit: 1 };
                if self.journal_rows(id, later).await?.is_empty() {
                    problem(format!("the journal ends at {}, the head is at {}", last.entry.seq, head.seq));
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    async fn check_tables(
        &self,
        id: &WorkbenchId,
        repair: Repair,
        problems: &mut Vec<Problem>,
    ) -> Result<(), StoreError> {
        // If there was a change between the two reads, both are repeated.
        let (state, wrong) = loop {
            let before = self.head(id).await?;
            let expected = match projections::all(self, before.state).await {
                Ok(expected) => expected,
                // A folder is damaged, which is already reported.
                Err(error) if is_damage(&error) => return Ok(()),
                Err(error) => return Err(error),
            };
            let stored = projections::stored(self, id).await?;
            let (assets, uses) = (self.all_assets(id).await?, self.all_uses(id).await?);
            if self.head(id).await?.seq == before.seq {
                let expected: Vec<Projected> = expected.into_iter().filter_map(|renewal| renewal.row).collect();
                let named = expected.iter().flat_map(links::uses_of).collect();
                let mut wrong = assets::check::wrong(named, &assets, &uses);
                wrong.splice(0..0, differing(expected, stored));
                break (before.state, wrong);
            }
        };
        if wrong.is_empty() {
            return Ok(());
        }
        let repaired = repair == Repair::Yes && projections::rebuild(self, id, state).await?;
        for message in wrong {
            let kind = ProblemKind::Projection;
            problems.push(Problem { workbench_id: Some(id.clone()), kind, message, repaired });
        }
        Ok(())
    }
}

/// What was already read, across all workbenches.
#[derive(Default)]
struct Verified {
    seen: HashSet<BlobHash>,
    damaged: HashMap<BlobHash, (ProblemKind, String)>,
}

pub(crate) fn problem_of(error: &StoreError) -> (ProblemKind, String) {
    let kind = match error {
        StoreError::BlobMissing { .. } => ProblemKind::BlobMissing,
        _ => ProblemKind::BlobCorrupt,
    };
    (kind, error.to_string())
}

fn differing(expected: Vec<Projected>, stored: Vec<Projected>) -> Vec<String> {
    let by_place = |rows: Vec<Projected>| -> BTreeMap<(Table, String), Projected> {
        rows.into_iter().map(|row| ((row.table, row.path.clone()), row)).collect()
    };
    let (expected, mut stored) = (by_place(expected), by_place(stored));
    let mut wrong = Vec::new();
    for (place, row) in expected {
        match stored.remove(&place) {
            None => wrong.push(format!("the index lacks `{}`", row.path)),
            Some(found) if !found.same(&row) => {
                wrong.push(format!("the index has an outdated copy of `{}`", row.path));
            }
            Some(_) => {}
        }
    }
    wrong.extend(stored.into_values().map(|row| format!("the index has `{}`, which the state lacks", row.path)));
    wrong
}
