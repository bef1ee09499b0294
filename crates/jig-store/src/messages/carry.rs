//! Export and import of messages in archives. Private notes are not exported.

use jig_contract::WorkbenchId;
use jig_contract::ops::Message;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

use super::{COLUMNS, insert, read};
use crate::db::Dialect;
use crate::error::StoreError;
use crate::store::Store;

/// A message in an archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct MessageLine(pub(crate) Message);

impl MessageLine {
    /// Why this message cannot follow the one before it.
    pub(crate) fn wrong(&self, before: u64, last_change: u64) -> Option<&'static str> {
        let message = &self.0;
        match () {
            () if message.seq <= before => Some("is out of order"),
            () if message.private => Some("is private"),
            () if message.journal_seq.is_some_and(|seq| seq == 0 || seq > last_change) => {
                Some("refers to a change that is not in the journal")
            }
            () if message.undone_after.is_some_and(|after| after >= message.seq) => Some("reverts a later message"),
            () if i64::try_from(message.seq).is_err() => Some("has no number"),
            () => None,
        }
    }
}

impl Store {
    /// All messages that may be exported, in order.
    pub(crate) async fn all_messages(&self, id: &WorkbenchId) -> Result<Vec<MessageLine>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM messages m WHERE m.workbench_id = $1 AND m.private_to IS NULL ORDER BY m.seq"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        rows.iter().map(|row| read(row).map(MessageLine)).collect()
    }
}

/// Inserts the messages of an archive.
pub(crate) async fn insert_all(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    lines: &[MessageLine],
) -> Result<(), StoreError> {
    for MessageLine(message) in lines {
        insert(&mut *connection, dialect, id, message, None).await?;
    }
    Ok(())
}
