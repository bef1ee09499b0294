//! Detects edits by others that a rewind would drop from the Draft.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::ops::Root;
use jig_contract::{Actor, BlobHash, Code, OpError, SessionId};
use jig_store::Head;
use serde_json::json;

use crate::Workbench;
use crate::state::View;

/// How many files the message names; `detail` lists all.
const NAMED_MAX: usize = 5;

impl Workbench {
    /// Refuses to restore the Draft to a state if edits by people or other agents would be lost, unless confirmed by
    /// file path.
    pub(crate) async fn check_dropped(
        &self,
        head: &Head,
        to: BlobHash,
        session: &SessionId,
        confirmed: &BTreeSet<String>,
    ) -> Result<(), OpError> {
        let mut edits = self.dropped_edits(head, to, session).await?;
        edits.retain(|path, _| !confirmed.contains(path));
        if edits.is_empty() {
            return Ok(());
        }
        let words = |actors: &Vec<Actor>| actors.iter().map(Actor::word).collect::<BTreeSet<_>>();
        let named = edits.iter().take(NAMED_MAX).map(|(path, actors)| {
            let by = words(actors).into_iter().collect::<Vec<_>>().join(", ");
            format!("{path} (edited by: {by})")
        });
        let mut list = named.collect::<Vec<_>>().join("; ");
        if edits.len() > NAMED_MAX {
            list.push_str(&format!("; and {} more", edits.len() - NAMED_MAX));
        }
        let detail: Vec<_> = edits.iter().map(|(path, actors)| json!({ "path": path, "actors": actors })).collect();
        Err(OpError::new(
            Code::DraftEditsNotConfirmed,
            format!("this would drop edits from the Draft that the agent did not make: {list}"),
        )
        .workbench(&head.id)
        .detail(json!({ "edits": detail }))
        .hint("name each file in `confirm_drop` (`--confirm-drop PATH`) to drop them")
        .hint("or publish the Draft first to keep them"))
    }

    /// The files that would change, with everyone who edited them since, except the session's own agent.
    async fn dropped_edits(
        &self,
        head: &Head,
        to: BlobHash,
        session: &SessionId,
    ) -> Result<BTreeMap<String, Vec<Actor>>, OpError> {
        let (now, then) = (View::at(self.store(), head.state), View::at(self.store(), to));
        let mut edits = BTreeMap::new();
        if now.draft().await?.is_none() {
            return Ok(edits);
        }
        // A Draft that started after the message started from the published state.
        let root = if then.draft().await?.is_some() { Root::Draft } else { Root::Published };
        let (current, target) = (now.root_hash(Root::Draft).await?, then.root_hash(root).await?);
        let changed: BTreeSet<String> =
            self.store().diff(current, target).await?.into_iter().map(|change| change.path).collect();
        if changed.is_empty() {
            return Ok(edits);
        }
        for row in self.journal_since(head, to).await? {
            if is_of(&row.actor, session) {
                continue;
            }
            for path in self.changed_in_draft(row.state_before, row.state_after).await? {
                if changed.contains(&path) {
                    let actors: &mut Vec<Actor> = edits.entry(path).or_default();
                    if !actors.contains(&row.actor) {
                        actors.push(row.actor.clone());
                    }
                }
            }
        }
        Ok(edits)
    }
}

fn is_of(actor: &Actor, session: &SessionId) -> bool {
    matches!(actor, Actor::Agent { session: Some(of), .. } if of == session.as_str())
}
