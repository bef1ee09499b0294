//! Removes old sessions of recipe runs. A session that an output refers to is retained.

use std::collections::HashSet;

use jig_contract::{OpError, SessionId, Timestamp};
use jig_store::{Collect, Head};

use crate::Workbench;
use crate::sessions::recipe_of;

/// How many sessions are checked at a time.
const AT_A_TIME: u32 = 500;

impl Workbench {
    /// Removes expired sessions, or only counts them. A session stays if an output refers to it, if it is in use, or if
    /// its run may still be retried; sessions of people always stay.
    pub(crate) async fn forget_recipe_sessions(&self, mode: Collect) -> Result<u64, OpError> {
        let Some(kept_for) = self.recipe_session_ms() else { return Ok(0) };
        let before = Timestamp::from_millis(self.env().now().as_millis().saturating_sub(kept_for));
        let mut count = 0;
        for head in self.store().heads().await? {
            for id in self.old_recipe_sessions(&head, before).await? {
                let gone = match mode {
                    Collect::Report => true,
                    Collect::Remove => self.store().forget_session(&id, before).await?,
                };
                count += u64::from(gone);
            }
        }
        Ok(count)
    }

    async fn old_recipe_sessions(&self, head: &Head, before: Timestamp) -> Result<Vec<SessionId>, OpError> {
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let rows = self.store().old_sessions(&head.id, before, &after, AT_A_TIME).await?;
            let Some(last) = rows.last() else { break };
            after = last.id.to_string();
            found.extend(rows.into_iter().filter(|row| recipe_of(row).is_some()).map(|row| row.id));
        }
        if found.is_empty() {
            return Ok(found);
        }
        let named: HashSet<SessionId> = self.sessions_of_outputs(head.state).await?;
        let mut old = Vec::with_capacity(found.len());
        for id in found {
            let open = self.store().job(id.as_str()).await?.is_some_and(|job| job.state.is_open());
            if !open && !named.contains(&id) {
                old.push(id);
            }
        }
        Ok(old)
    }
}
