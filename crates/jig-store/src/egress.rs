//! Consents, the egress log, and local counters. They are not part of states; the migration explains why.

use jig_contract::ops::{Consent, ConsentReach, EgressEvent, StatCount};
use jig_contract::{SessionId, Timestamp, WorkbenchId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::db::{big, counted};
use crate::error::StoreError;
use crate::store::Store;

/// A call that is about to be made.
#[derive(Debug, Clone)]
pub struct NewEgress<'a> {
    /// The purpose.
    pub purpose: &'a str,
    /// The model.
    pub model_id: &'a str,
    /// The hash of the scope that consent must cover.
    pub scope_hash: &'a str,
}

/// The end of a call.
#[derive(Debug, Clone, Copy)]
pub struct EgressEnd<'a> {
    /// `sent`, or an error code.
    pub outcome: &'a str,
    /// The input tokens.
    pub input_tokens: Option<u64>,
    /// The output tokens.
    pub output_tokens: Option<u64>,
}

/// The outcome of a call whose program exited before the answer.
pub const EGRESS_INTERRUPTED: &str = "interrupted";

/// The outcome of an active call.
const STARTED: &str = "started";

/// A call that has not ended after this time, in milliseconds, was made by a program that no longer runs.
const LONGEST_CALL_MS: i64 = 2 * 60 * 60 * 1_000;

/// The prefix of the stored hash for a consent to send one key. The table has three consent types; an older version
/// reads such a row as a stored consent for a scope that does not exist, which covers nothing.
const SECRET: &str = "secret:";

/// The prefix of the id of a row that stores what a run has consumed. Each session has at most one such row; it covers
/// no other call.
const RUN: &str = "run-";

const CONSENT: &str = "SELECT id, model_id, host, reach, scope_hash, granted_by, granted_at FROM consents";

impl Store {
    /// Stores a consent.
    pub async fn grant_consent(&self, id: &WorkbenchId, consent: &Consent) -> Result<(), StoreError> {
        let sql = "INSERT INTO consents (workbench_id, id, model_id, host, reach, scope_hash, granted_by, granted_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut write = self.db().write().await?;
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(consent.id.as_str())
            .bind(consent.model_id.as_str())
            .bind(consent.host.as_str())
            .bind(reach_word(consent.reach))
            .bind(kept_hash(consent))
            .bind(consent.granted_by.as_str())
            .bind(consent.granted_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    /// The active consents of a workbench, newest first.
    pub async fn consents(&self, id: &WorkbenchId) -> Result<Vec<Consent>, StoreError> {
        let sql =
            format!("{CONSENT} WHERE workbench_id = $1 AND id NOT LIKE '{RUN}%' ORDER BY granted_at DESC, id DESC");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        rows.iter().map(read_consent).collect()
    }

    /// Removes a consent and returns whether it still existed. If two calls consume the same one, only one gets true.
    pub async fn drop_consent(&self, id: &WorkbenchId, consent: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM consents WHERE workbench_id = $1 AND id = $2";
        let mut write = self.db().write().await?;
        let done = sqlx::query(sql).bind(id.as_str()).bind(consent).execute(write.connection()).await?;
        write.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// The consent consumed by a session's run, as stored by [`Self::set_run_consent`].
    pub async fn run_consent(&self, id: &WorkbenchId, session: &SessionId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT scope_hash FROM consents WHERE workbench_id = $1 AND id = $2";
        let query = sqlx::query(sql).bind(id.as_str()).bind(format!("{RUN}{session}"));
        let row = query.fetch_optional(self.db().pool()).await?;
        Ok(row.map(|row| row.try_get::<Option<String>, _>("scope_hash")).transpose()?.flatten())
    }

    /// Stores the consent consumed by a session's run, replacing that of an earlier run. It is not stored in the
    /// session's log, because an imported archive must not contain consents.
    pub async fn set_run_consent(
        &self,
        id: &WorkbenchId,
        session: &SessionId,
        used: Option<&str>,
    ) -> Result<(), StoreError> {
        let row = format!("{RUN}{session}");
        let mut write = self.db().write().await?;
        let remove = "DELETE FROM consents WHERE workbench_id = $1 AND id = $2";
        sqlx::query(remove).bind(id.as_str()).bind(row.as_str()).execute(write.connection()).await?;
        if let Some(used) = used {
            let sql =
                "INSERT INTO consents (workbench_id, id, model_id, host, reach, scope_hash, granted_by, granted_at)
                       VALUES ($1, $2, '', '', 'once', $3, '', $4)";
            let now = self.env().now().as_millis();
            let insert = sqlx::query(sql).bind(id.as_str()).bind(row.as_str()).bind(used).bind(now);
            insert.execute(write.connection()).await?;
        }
        write.commit().await
    }

    /// Records a call before it is made and returns its id. Its outcome is `started` until it ends.
    pub async fn begin_egress(&self, id: &WorkbenchId, new: &NewEgress<'_>) -> Result<String, StoreError> {
        let sql = "INSERT INTO egress (workbench_id, id, at, purpose, model_id, scope_hash, outcome)
                   VALUES ($1, $2, $3, $4, $5, $6, 'started')";
        let event = self.env().fresh_id().to_string();
        let mut write = self.db().write().await?;
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(event.as_str())
            .bind(self.env().now().as_millis())
            .bind(new.purpose)
            .bind(new.model_id)
            .bind(new.scope_hash)
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(event)
    }

    /// Records the end of a call.
    pub async fn end_egress(&self, id: &WorkbenchId, event: &str, end: EgressEnd<'_>) -> Result<(), StoreError> {
        let sql = "UPDATE egress SET outcome = $3, input_tokens = $4, output_tokens = $5
                   WHERE workbench_id = $1 AND id = $2";
        let mut write = self.db().write().await?;
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(event)
            .bind(end.outcome)
            .bind(end.input_tokens.map(big))
            .bind(end.output_tokens.map(big))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    /// The calls of a workbench, newest first, and their total number.
    pub async fn egress(&self, id: &WorkbenchId, limit: u32) -> Result<(Vec<EgressEvent>, u64), StoreError> {
        let sql = "SELECT at, purpose, model_id, scope_hash, input_tokens, output_tokens, outcome FROM egress
                   WHERE workbench_id = $1 ORDER BY at DESC, id DESC LIMIT $2";
        let rows = sqlx::query(sql).bind(id.as_str()).bind(i64::from(limit)).fetch_all(self.db().pool()).await?;
        let all = "SELECT COUNT(*) AS times FROM egress WHERE workbench_id = $1";
        let all = sqlx::query(all).bind(id.as_str()).fetch_one(self.db().pool()).await?;
        let mut events: Vec<EgressEvent> = rows.iter().map(read_egress).collect::<Result<_, _>>()?;
        // A program that was killed could not record the end of its call.
        let now = self.env().now();
        for event in events.iter_mut().filter(|event| event.outcome == STARTED) {
            if now.since(event.at) > LONGEST_CALL_MS {
                EGRESS_INTERRUPTED.clone_into(&mut event.outcome);
            }
        }
        Ok((events, counted(&all, "times")?))
    }

    /// Increments a counter, and adds a size if there is one.
    pub async fn count(
        &self,
        id: &WorkbenchId,
        name: &str,
        category: &str,
        model_id: &str,
        tokens: u64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO counts (workbench_id, name, category, model_id, times, tokens)
                   VALUES ($1, $2, $3, $4, 1, $5)
                   ON CONFLICT (workbench_id, name, category, model_id)
                   DO UPDATE SET times = counts.times + 1, tokens = counts.tokens + excluded.tokens";
        let mut write = self.db().write().await?;
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(name)
            .bind(category)
            .bind(model_id)
            .bind(big(tokens))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    /// The counters of one workbench or of all.
    pub async fn counts(&self, id: Option<&WorkbenchId>) -> Result<Vec<StatCount>, StoreError> {
        let sql = "SELECT name, category, model_id, CAST(SUM(times) AS BIGINT) AS times,
                          CAST(SUM(tokens) AS BIGINT) AS tokens FROM counts
                   WHERE $1 = '' OR workbench_id = $1
                   GROUP BY name, category, model_id ORDER BY name, category, model_id";
        let only = id.map_or("", WorkbenchId::as_str);
        let rows = sqlx::query(sql).bind(only).fetch_all(self.db().pool()).await?;
        rows.iter().map(read_count).collect()
    }
}

fn read_consent(row: &AnyRow) -> Result<Consent, StoreError> {
    let reach: String = row.try_get("reach")?;
    let hash: Option<String> = row.try_get("scope_hash")?;
    let all = [ConsentReach::Once, ConsentReach::Kept, ConsentReach::All];
    let (known, scope_hash) = match hash.as_deref().and_then(|hash| hash.strip_prefix(SECRET)) {
        Some(fingerprint) => (Some(ConsentReach::Secret), Some(fingerprint.to_owned())),
        None => (all.into_iter().find(|one| reach_word(*one) == reach), hash),
    };
    Ok(Consent {
        id: row.try_get("id")?,
        model_id: row.try_get("model_id")?,
        host: row.try_get("host")?,
        reach: known.ok_or_else(|| StoreError::row(format!("invalid reach of a consent: `{reach}`")))?,
        scope_hash,
        granted_by: row.try_get("granted_by")?,
        granted_at: Timestamp::from_millis(row.try_get("granted_at")?),
    })
}

fn read_egress(row: &AnyRow) -> Result<EgressEvent, StoreError> {
    let tokens = |column: &str| {
        let number: Option<i64> = row.try_get(column)?;
        Ok::<_, StoreError>(number.and_then(|number| u64::try_from(number).ok()))
    };
    Ok(EgressEvent {
        at: Timestamp::from_millis(row.try_get("at")?),
        purpose: row.try_get("purpose")?,
        model_id: row.try_get("model_id")?,
        scope_hash: row.try_get("scope_hash")?,
        input_tokens: tokens("input_tokens")?,
        output_tokens: tokens("output_tokens")?,
        outcome: row.try_get("outcome")?,
    })
}

fn read_count(row: &AnyRow) -> Result<StatCount, StoreError> {
    let some = |column: &str| {
        let text: String = row.try_get(column)?;
        Ok::<_, StoreError>((!text.is_empty()).then_some(text))
    };
    let (times, tokens) = (counted(row, "times")?, counted(row, "tokens")?);
    Ok(StatCount {
        name: row.try_get("name")?,
        category: some("category")?,
        model_id: some("model_id")?,
        count: times,
        mean_tokens: (tokens > 0 && times > 0).then(|| tokens as f64 / times as f64),
    })
}

const fn reach_word(reach: ConsentReach) -> &'static str {
    match reach {
        ConsentReach::Once => "once",
        ConsentReach::Kept | ConsentReach::Secret => "kept",
        ConsentReach::All => "all",
    }
}

fn kept_hash(consent: &Consent) -> Option<String> {
    let hash = consent.scope_hash.clone()?;
    Some(if consent.reach == ConsentReach::Secret { format!("{SECRET}{hash}") } else { hash })
}
