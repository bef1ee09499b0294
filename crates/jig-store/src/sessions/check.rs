//! Checks of sessions, shared agent workspaces and the conversation.

use jig_contract::WorkbenchId;
use jig_contract::ops::{Problem, ProblemKind};
use sqlx::Row as _;

use crate::db::counted;
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches::Head;

impl Store {
    /// Checks that logs are complete, and that messages refer to existing changes.
    pub(crate) async fn check_sessions(&self, head: &Head, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let mut problem = |message: String| {
            let kind = ProblemKind::Session;
            problems.push(Problem { workbench_id: Some(head.id.clone()), kind, message, repaired: false });
        };
        let sql = "SELECT sessions.id AS id, sessions.seq AS seq, COUNT(session_events.seq) AS records,
                          COALESCE(MAX(session_events.seq), 0) AS last
                   FROM sessions LEFT JOIN session_events ON session_events.session_id = sessions.id
                   WHERE workbench_id = $1 GROUP BY sessions.id, sessions.seq ORDER BY sessions.id";
        for row in sqlx::query(sql).bind(head.id.as_str()).fetch_all(self.db().pool()).await? {
            let id: String = row.try_get("id")?;
            let (seq, records, last) = (counted(&row, "seq")?, counted(&row, "records")?, counted(&row, "last")?);
            if records != last {
                problem(format!("the log of the session {id} lacks {} of its records", last.saturating_sub(records)));
            }
            if seq != last {
                problem(format!("the log of the session {id} should end at {seq}, but ends at {last}"));
            }
        }
        self.check_messages(&head.id, problems).await
    }

    async fn check_messages(&self, id: &WorkbenchId, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let sql = "SELECT COUNT(*) AS strange FROM messages WHERE workbench_id = $1 AND journal_seq IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.workbench_id = messages.workbench_id
                                   AND journal.seq = messages.journal_seq)";
        let row = sqlx::query(sql).bind(id.as_str()).fetch_one(self.db().pool()).await?;
        let strange = counted(&row, "strange")?;
        if strange > 0 {
            let message =
                format!("{strange} messages of the conversation refer to changes that are not in the journal");
            problems.push(Problem {
                workbench_id: Some(id.clone()),
                kind: ProblemKind::Session,
                message,
                repaired: false,
            });
        }
        Ok(())
    }

    /// Checks that the versions of shared agent workspaces are continuous. Their content is checked with all other
    /// states.
    pub(crate) async fn check_agent_versions(&self, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let mut problem = |kind, message| problems.push(Problem { workbench_id: None, kind, message, repaired: false });
        let mut roots = Vec::new();
        for newest in self.agent_workspaces().await? {
            let versions = self.agent_versions(&newest.name, u32::MAX).await?;
            if versions.len() as u64 != newest.version {
                let (have, of) = (versions.len(), newest.version);
                problem(
                    ProblemKind::Session,
                    format!("the agent workspace {} has {have} of {of} versions", newest.name),
                );
            }
            roots.extend(versions.into_iter().map(|version| version.root));
        }
        let reached = self.reach(roots).await?;
        let broken = reached.broken.iter().map(|(hash, error)| (*hash, crate::check::problem_of(error)));
        let damaged = self.verify_all(reached.files.iter().copied()).await?;
        let damaged = damaged.into_iter().map(|(hash, error)| (hash, crate::check::problem_of(&error)));
        for (_, (kind, what)) in broken.chain(damaged).collect::<Vec<_>>() {
            problem(kind, format!("{what}; it is in a shared agent workspace"));
        }
        Ok(())
    }
}
