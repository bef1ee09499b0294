//! Access tokens. Only the hash of a secret is stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jig_contract::{Timestamp, WorkbenchId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::blob::hash_of;
use crate::db::plain;
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches;

/// The prefix of secrets, by which people and scanners recognise them.
const PREFIX: &str = "jig_";
/// The number of random bytes of a secret: too many to guess, so a plain hash suffices.
const SECRET_BYTES: usize = 32;
/// The minimum interval between updates of the last use.
const TOUCH_MS: i64 = 60_000;

/// The role of a token. Each role includes the previous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenRole {
    /// May read.
    Reader,
    /// May write.
    Writer,
    /// May do everything.
    Owner,
}

impl TokenRole {
    const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Owner];

    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }
}

/// The holder of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A person, who may confirm.
    Person,
    /// A program that acts for a person: may propose, and follows the rules for agents.
    Agent,
}

impl TokenKind {
    const ALL: [Self; 2] = [Self::Person, Self::Agent];

    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its role.
    pub role: TokenRole,
    /// Its holder.
    pub kind: TokenKind,
    /// The only accessible workbench; `None` for all.
    pub workbench_id: Option<WorkbenchId>,
    /// Who created it.
    pub created_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// The properties of a new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Its display name.
    pub name: String,
    /// Its role.
    pub role: TokenRole,
    /// Its holder.
    pub kind: TokenKind,
    /// The only accessible workbench; `None` for all.
    pub workbench_id: Option<WorkbenchId>,
    /// Who creates it.
    pub created_by: String,
}

const COLUMNS: &str = "id, name, role, kind, workbench_id, created_by, created_at, last_used_at, revoked_at";

impl Store {
    /// Creates a token. Returns it with its secret, which cannot be retrieved later.
    pub async fn create_token(&self, new: &NewToken) -> Result<(Token, String), StoreError> {
        let secret = fresh_secret()?;
        let token = Token {
            id: self.env().fresh_id().to_string(),
            name: plain(&new.name),
            role: new.role,
            kind: new.kind,
            workbench_id: new.workbench_id.clone(),
            created_by: plain(&new.created_by),
            created_at: self.env().now(),
            last_used_at: None,
            revoked_at: None,
        };
        let sql = "INSERT INTO tokens (id, name, hash, role, kind, workbench_id, created_by, created_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut write = self.db().write().await?;
        let inserted = sqlx::query(sql)
            .bind(token.id.as_str())
            .bind(token.name.as_str())
            .bind(hash_of(secret.as_bytes()).to_string())
            .bind(token.role.word())
            .bind(token.kind.word())
            .bind(token.workbench_id.as_ref().map(WorkbenchId::as_str))
            .bind(token.created_by.as_str())
            .bind(token.created_at.as_millis())
            .execute(write.connection())
            .await;
        workbenches::inserted(inserted, new.workbench_id.as_ref())?;
        write.commit().await?;
        Ok((token, secret))
    }

    /// The token with this secret, unless it was revoked.
    ///
    /// Looked up by the hash of the secret, so the timing reveals nothing about any secret.
    pub async fn find_token(&self, secret: &str) -> Result<Option<Token>, StoreError> {
        if !secret.starts_with(PREFIX) {
            return Ok(None);
        }
        let sql =
            "SELECT id, name, role, kind, workbench_id, created_by, created_at, last_used_at, revoked_at FROM tokens
                   WHERE hash = $1 AND revoked_at IS NULL";
        let query = sqlx::query(sql).bind(hash_of(secret.as_bytes()).to_string());
        query.fetch_optional(self.db().pool()).await?.as_ref().map(read).transpose()
    }

    /// Records the use of a token, at most once per minute.
    pub async fn touch_token(&self, token: &Token) -> Result<(), StoreError> {
        let now = self.env().now();
        if token.last_used_at.is_some_and(|last| now.since(last) < TOUCH_MS) {
            return Ok(());
        }
        let sql = "UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)";
        let before = now.as_millis().saturating_sub(TOUCH_MS);
        let mut write = self.db().write().await?;
        let query = sqlx::query(sql).bind(token.id.as_str()).bind(now.as_millis()).bind(before);
        query.execute(write.connection()).await?;
        write.commit().await
    }

    /// All tokens, or those of one workbench, newest first, including revoked ones.
    pub async fn tokens(&self, only: Option<&WorkbenchId>) -> Result<Vec<Token>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM tokens WHERE $1 = '' OR workbench_id = $1");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(only.map_or("", WorkbenchId::as_str));
        let rows = query.fetch_all(self.db().pool()).await?;
        let mut tokens = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        tokens.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(tokens)
    }

    /// Revokes a token. Returns its new state; `None` if it does not exist.
    pub async fn revoke_token(&self, token: &str) -> Result<Option<Token>, StoreError> {
        let sql = format!("UPDATE tokens SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1 RETURNING {COLUMNS}");
        let mut write = self.db().write().await?;
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(plain(token)).bind(self.env().now().as_millis());
        let row = query.fetch_optional(write.connection()).await?;
        write.commit().await?;
        row.as_ref().map(read).transpose()
    }
}

/// A random secret. Not generated by `Env`, whose ids are public and may be fixed in tests.
pub fn fresh_secret() -> Result<String, StoreError> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

fn read(row: &AnyRow) -> Result<Token, StoreError> {
    let moment = |column: &str| Ok::<_, StoreError>(row.try_get::<Option<i64>, _>(column)?.map(Timestamp::from_millis));
    let role: String = row.try_get("role")?;
    let kind: String = row.try_get("kind")?;
    let known_kind = TokenKind::ALL.into_iter().find(|one| one.word() == kind);
    let known = TokenRole::ALL.into_iter().find(|one| one.word() == role);
    let workbench: Option<String> = row.try_get("workbench_id")?;
    Ok(Token {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        role: known.ok_or_else(|| StoreError::row(format!("invalid role `{role}`")))?,
        kind: known_kind.ok_or_else(|| StoreError::row(format!("invalid kind of token `{kind}`")))?,
        workbench_id: workbench.map(WorkbenchId::new).transpose().map_err(StoreError::row)?,
        created_by: row.try_get("created_by")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        last_used_at: moment("last_used_at")?,
        revoked_at: moment("revoked_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_can_be_printed_and_are_never_the_same() {
        let (a, b) = (fresh_secret().unwrap(), fresh_secret().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.len(), 47);
        assert!(a.starts_with("jig_") && a.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)), "{a}");
        assert!(TokenRole::Reader < TokenRole::Writer && TokenRole::Writer < TokenRole::Owner);
    }
}
