//! Imports manual changes of the folder before any other work, so that they are never overwritten.

use jig_context::item::Category;
use jig_contract::ops::{DraftSource, LeftAlone, Root};
use jig_contract::{Actor, OpError};
use jig_store::{Change, Head, OutsideChange, OutsideKind, Plan, StoreError, TreeEdit};

use crate::Workbench;
use crate::engine::Session;
use crate::state::View;

impl Workbench {
    /// Imports manual changes as changes of their own, then updates the folder to the head.
    pub(crate) async fn take_in(&self, session: &mut Session) -> Result<(), OpError> {
        let Some(folder) = session.folder().cloned() else { return Ok(()) };
        let scan = folder.scan(self.store(), session.head.state, &self.view_limits()).await?;
        session.left_alone = scan.left_alone;
        if scan.changes.is_empty() && !scan.behind {
            return Ok(());
        }
        let (draft, rest): (Vec<_>, Vec<_>) = scan.changes.into_iter().partition(|c| c.path.starts_with("draft/"));
        // Published first: a Draft that starts through a manual edit below is based on what the person sees.
        self.take_in_all(session, rest, Place::Approved).await?;
        self.take_in_all(session, draft, Place::Draft).await?;
        self.show(session).await;
        Ok(())
    }

    async fn take_in_all(
        &self,
        session: &mut Session,
        changes: Vec<OutsideChange>,
        place: Place,
    ) -> Result<(), OpError> {
        if changes.is_empty() {
            return Ok(());
        }
        match self.take_in_some(session, &changes, place).await {
            Err(OneByOne) if changes.len() > 1 => {
                // One change conflicts with the tree. Import the others and leave that one alone.
                for change in changes {
                    Box::pin(self.take_in_all(session, vec![change], place)).await?;
                }
            }
            Err(OneByOne) => session.left_alone.extend(changes.into_iter().map(|c| LeftAlone {
                path: c.path,
                reason: "its name cannot stand beside one that is there already".to_owned(),
            })),
            Ok(done) => done?,
        }
        Ok(())
    }

    async fn take_in_some(
        &self,
        session: &mut Session,
        changes: &[OutsideChange],
        place: Place,
    ) -> Result<Result<(), OpError>, OneByOne> {
        let id = session.id.clone();
        let plan = |head| Box::pin(self.plan_take_in(head, changes, place)) as _;
        match self.store().change::<Vec<Category>, Taken>(&id, plan).await {
            Ok((_, None)) => Ok(Ok(())),
            Ok((edited, Some((head, entry)))) => {
                session.head = head;
                self.tell(&session.id, &entry).await;
                for category in edited {
                    self.count(&session.id, "context.direct_edit", category, "", 0).await;
                }
                Ok(Ok(()))
            }
            Err(Taken::Store(StoreError::CaseCollision { .. } | StoreError::PathInUse { .. })) => Err(OneByOne),
            Err(Taken::Store(error)) => Ok(Err(error.into())),
            Err(Taken::Told(error)) => Ok(Err(error)),
        }
    }

    async fn plan_take_in(
        &self,
        head: Head,
        changes: &[OutsideChange],
        place: Place,
    ) -> Result<Plan<Vec<Category>>, Taken> {
        let mut edits = match place {
            Place::Draft => self.draft_if_none(&head, DraftSource::Outside).await.map_err(Taken::Told)?,
            Place::Approved => Vec::new(),
        };
        edits.extend(changes.iter().map(edit));
        let state = self.store().edit(head.state, &edits).await?;
        if state == head.state {
            return Ok(Plan::nothing(Vec::new()));
        }
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        let marks = self.marks_of_edits(state, &paths).await.map_err(Taken::Told)?;
        let (edited, marks): (Vec<Category>, Vec<TreeEdit>) = marks.into_iter().unzip();
        let state = self.store().edit(state, &marks).await?;
        let change = Change::new(Actor::Outside, "OutsideEdit", summary(changes, place), state);
        Ok(Plan::change(change, Vec::new(), edited))
    }

    /// The edits that start a Draft, unless one exists.
    pub(crate) async fn draft_if_none(&self, head: &Head, source: DraftSource) -> Result<Vec<TreeEdit>, OpError> {
        let view = View::of(self.store(), head);
        if view.draft().await?.is_some() {
            return Ok(Vec::new());
        }
        let (edits, _) = self.begin_draft(head, source).await?;
        Ok(edits)
    }
}

/// The part of a workbench that was edited.
#[derive(Clone, Copy)]
enum Place {
    Approved,
    Draft,
}

/// The batch conflicts with the tree.
struct OneByOne;

enum Taken {
    Store(StoreError),
    Told(OpError),
}

impl From<StoreError> for Taken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn edit(change: &OutsideChange) -> TreeEdit {
    match &change.kind {
        OutsideKind::Written(file) => TreeEdit::File { path: change.path.clone(), hash: file.hash, bytes: file.bytes },
        OutsideKind::Removed => TreeEdit::Remove { path: change.path.clone() },
    }
}

fn summary(changes: &[OutsideChange], place: Place) -> String {
    // The scan lists removals first; people expect alphabetical order.
    let mut sorted: Vec<&OutsideChange> = changes.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let names: Vec<String> = sorted
        .into_iter()
        .take(3)
        .map(|change| {
            let path = change.path.strip_prefix(Root::Published.folder()).or_else(|| change.path.strip_prefix("draft"));
            let path = path.map_or(change.path.as_str(), |p| p.trim_start_matches('/'));
            match change.kind {
                OutsideKind::Written(_) => path.to_owned(),
                OutsideKind::Removed => format!("{path} (removed)"),
            }
        })
        .collect();
    let more = changes.len().saturating_sub(names.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let lead = match place {
        Place::Approved => "edited outside",
        Place::Draft => "edited by hand in the Draft",
    };
    format!("{lead}: {}{more}", names.join(", "))
}
