//! The conversation of a workbench: append-only and ordered.

mod carry;

use jig_contract::ops::{Message, MessageRole};
use jig_contract::{Actor, Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::db::{Dialect, big, counted, plain};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches;

pub(crate) use carry::{MessageLine, insert_all};

/// A message to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The author.
    pub actor: Actor,
    /// The role of the author.
    pub role: MessageRole,
    /// The artifact that it refers to.
    pub artifact: Option<String>,
    /// The content.
    pub text: String,
    /// The only person who may see it; `None` for everyone.
    pub private_to: Option<String>,
    /// The operation that it reports.
    pub operation: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The run in that session.
    pub run: Option<String>,
    /// Retracts all messages after that number and before this one.
    pub undone_after: Option<u64>,
}

impl NewMessage {
    /// A message about an artifact, or about none. An agent's session and run are recorded with it.
    pub fn new(actor: Actor, role: MessageRole, artifact: Option<String>, text: impl Into<String>) -> Self {
        let (session, run) = match &actor {
            Actor::Agent { session, run, .. } => (session.clone(), run.clone()),
            _ => (None, None),
        };
        Self {
            actor,
            role,
            artifact,
            text: text.into(),
            private_to: None,
            operation: None,
            session,
            run,
            undone_after: None,
        }
    }
}

/// The reader, who determines which private messages are visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// A person, who sees their own private notes.
    Person(String),
    /// An agent, or anyone who must not see private notes.
    Nobody,
}

/// A query for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageQuery {
    /// The reader.
    pub reader: Reader,
    /// Restricts the list to this artifact.
    pub artifact: Option<String>,
    /// Whether retracted messages are included.
    pub include_undone: bool,
    /// The start and direction.
    pub from: MessagesFrom,
    /// The maximum number of messages.
    pub limit: u32,
}

/// The start and direction of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagesFrom {
    /// The newest messages, or the newest before a number.
    Before(Option<u64>),
    /// The oldest messages after a number.
    After(u64),
}

const COLUMNS: &str = "m.seq, m.id, m.at, CAST(m.actor AS TEXT) AS actor, m.role, m.artifact, m.text, m.private_to,
    m.operation, m.journal_seq, m.session, m.run, m.undone_after,
    CASE WHEN EXISTS (SELECT 1 FROM messages u WHERE u.workbench_id = m.workbench_id AND u.undone_after IS NOT NULL
                      AND u.undone_after < m.seq AND u.seq > m.seq) THEN 1 ELSE 0 END AS undone";

impl Store {
    /// Adds a message.
    pub async fn add_message(&self, id: &WorkbenchId, new: &NewMessage) -> Result<Message, StoreError> {
        let at = self.env().now();
        let mut write = self.db().write().await?;
        if self.db().dialect() == Dialect::Postgres {
            // Locks the workbench, because message numbers are consecutive.
            let sql = "SELECT id FROM workbenches WHERE id = $1 FOR UPDATE";
            sqlx::query(sql).bind(id.as_str()).fetch_optional(write.connection()).await?;
        }
        if workbenches::find(write.connection(), id).await?.is_none() {
            return Err(StoreError::WorkbenchNotFound { id: id.clone() });
        }
        let message = self.write_message(write.connection(), id, new, at, None).await?;
        write.commit().await?;
        Ok(message)
    }

    /// Adds a message in a transaction that has locked the workbench.
    pub(crate) async fn write_message(
        &self,
        connection: &mut AnyConnection,
        id: &WorkbenchId,
        new: &NewMessage,
        at: Timestamp,
        journal_seq: Option<u64>,
    ) -> Result<Message, StoreError> {
        let last = last_seq(&mut *connection, id).await?;
        let NewMessage { actor, role, artifact, text, private_to, operation, session, run, undone_after } = new;
        let message = Message {
            id: self.env().fresh_id().to_string(),
            seq: last + 1,
            at,
            actor: actor.clone(),
            role: *role,
            artifact: artifact.as_ref().map(plain),
            text: plain(text),
            private: private_to.is_some(),
            operation: operation.clone(),
            journal_seq,
            session: session.as_ref().map(plain),
            run: run.as_ref().map(plain),
            undone: false,
            undone_after: undone_after.map(|after| after.min(last)),
        };
        insert(connection, self.db().dialect(), id, &message, private_to.as_ref().map(plain)).await?;
        Ok(message)
    }

    /// Messages in order, whether there are more, and the number of the newest message.
    pub async fn messages(
        &self,
        id: &WorkbenchId,
        query: &MessageQuery,
    ) -> Result<(Vec<Message>, bool, u64), StoreError> {
        self.head(id).await?;
        let (compare, order, from) = match query.from {
            MessagesFrom::Before(seq) => ("<", "DESC", seq.map_or(i64::MAX, big)),
            MessagesFrom::After(seq) => (">", "ASC", big(seq)),
        };
        let sql = format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM messages m
             WHERE m.workbench_id = $1 AND m.seq {compare} $2 AND ($3 = '' OR m.artifact = $3)
               AND (m.private_to IS NULL OR ($4 = 1 AND m.private_to = $5))) found
             WHERE $6 = 1 OR undone = 0 ORDER BY seq {order} LIMIT $7"
        );
        let (is_person, name) = match &query.reader {
            Reader::Person(name) => (1_i64, plain(name)),
            Reader::Nobody => (0, String::new()),
        };
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.as_str())
            .bind(from)
            .bind(query.artifact.as_ref().map(plain).unwrap_or_default())
            .bind(is_person)
            .bind(name)
            .bind(i64::from(query.include_undone))
            .bind(i64::from(query.limit) + 1)
            .fetch_all(self.db().pool())
            .await?;
        let mut messages = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let more = messages.len() > query.limit as usize;
        messages.truncate(query.limit as usize);
        if matches!(query.from, MessagesFrom::Before(_)) {
            messages.reverse();
        }
        let mut connection = self.db().pool().acquire().await?;
        let last = last_seq(&mut connection, id).await?;
        Ok((messages, more, last))
    }
}

/// The number of the newest message; 0 without messages.
async fn last_seq(connection: &mut AnyConnection, id: &WorkbenchId) -> Result<u64, StoreError> {
    let sql = "SELECT COALESCE(MAX(seq), 0) AS seq FROM messages WHERE workbench_id = $1";
    counted(&sqlx::query(sql).bind(id.as_str()).fetch_one(connection).await?, "seq")
}

async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    message: &Message,
    private_to: Option<String>,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO messages (workbench_id, seq, id, at, actor, role, artifact, text, private_to, operation,
                                     journal_seq, session, run, undone_after)
               VALUES ($1, $2, $3, $4, CAST($5 AS {json}), $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    sqlx::query(dialect.sql(sql))
        .bind(id.as_str())
        .bind(big(message.seq))
        .bind(message.id.as_str())
        .bind(message.at.as_millis())
        .bind(plain(serde_json::to_string(&message.actor).map_err(StoreError::row)?))
        .bind(message.role.word())
        .bind(message.artifact.clone())
        .bind(message.text.as_str())
        .bind(private_to)
        .bind(message.operation.clone())
        .bind(message.journal_seq.map(big))
        .bind(message.session.clone())
        .bind(message.run.clone())
        .bind(message.undone_after.map(big))
        .execute(connection)
        .await?;
    Ok(())
}

fn read(row: &AnyRow) -> Result<Message, StoreError> {
    let actor: Actor =
        serde_json::from_str(row.try_get("actor")?).map_err(|e| StoreError::row(format!("actor: {e}")))?;
    let number = |column: &str| -> Result<Option<u64>, StoreError> {
        let number: Option<i64> = row.try_get(column)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    };
    let private: Option<String> = row.try_get("private_to")?;
    Ok(Message {
        id: row.try_get("id")?,
        seq: counted(row, "seq")?,
        at: Timestamp::from_millis(row.try_get("at")?),
        actor,
        role: role_of(row.try_get("role")?),
        artifact: row.try_get("artifact")?,
        text: row.try_get("text")?,
        private: private.is_some(),
        operation: row.try_get("operation")?,
        journal_seq: number("journal_seq")?,
        session: row.try_get("session")?,
        run: row.try_get("run")?,
        undone: number("undone")? == Some(1),
        undone_after: number("undone_after")?,
    })
}

/// The role for a value of the database, whose constraint permits no others.
fn role_of(word: &str) -> MessageRole {
    match word {
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        "tool" => MessageRole::Tool,
        _ => MessageRole::System,
    }
}
