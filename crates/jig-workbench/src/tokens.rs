//! Authentication for interfaces that others can reach.
//!
//! Token lookups are cached briefly, under a hash: a call usually needs no query. A token revoked in this process is
//! refused at once; one revoked in another process, after a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jig_contract::ops::TokenRole;
use jig_contract::{Actor, BlobHash, OpError};
use jig_store::Token;
use tokio::time::Instant;

use crate::{Access, Workbench};

/// How long a lookup is cached.
const REMEMBERED: Duration = Duration::from_secs(1);

/// The prefix of a start token. No stored token has this prefix and length.
const START_PREFIX: &str = "jig_start_";

/// The maximum number of cached tokens, including invalid ones.
const MOST: usize = 10_000;

/// The bearer of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's id, which is not secret.
    pub token_id: String,
    /// The actor recorded in the journal.
    pub actor: Actor,
    /// The permissions.
    pub access: Access,
}

/// The cache of token lookups.
#[derive(Debug, Default)]
pub(crate) struct TokenShelf(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    callers: HashMap<BlobHash, (Instant, Option<Arc<Caller>>)>,
    /// Whether any active token exists.
    any: Option<(Instant, bool)>,
}

impl TokenShelf {
    /// Clears the cache, because a token was created or revoked.
    pub(crate) fn forget(&self) {
        *self.lock() = Remembered::default();
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workbench {
    /// The bearer of a secret; `None` if the secret is unknown.
    pub async fn caller(&self, secret: &str) -> Result<Option<Arc<Caller>>, OpError> {
        let key = jig_store::hash_of(secret.as_bytes());
        if let Some((at, caller)) = self.token_shelf().lock().callers.get(&key)
            && at.elapsed() < REMEMBERED
        {
            return Ok(caller.clone());
        }
        let found = self.store().find_token(secret).await?;
        let caller = found.as_ref().map(|token| Arc::new(bearer(token)));
        let mut remembered = self.token_shelf().lock();
        if remembered.callers.len() >= MOST {
            remembered.callers.clear();
        }
        remembered.callers.insert(key, (Instant::now(), caller.clone()));
        drop(remembered);
        if let Some(token) = found {
            // The time of last use is informational, so recording it must neither delay nor fail a call.
            let store = self.store().clone();
            tokio::spawn(async move { drop(store.touch_token(&token).await) });
        }
        Ok(caller)
    }

    /// Whether any active token exists. Revoked tokens do not count, so that after the last one is revoked, the local
    /// user gets in without a token again.
    pub async fn has_active_tokens(&self) -> Result<bool, OpError> {
        if let Some((at, any)) = self.token_shelf().lock().any
            && at.elapsed() < REMEMBERED
        {
            return Ok(any);
        }
        let any = self.store().tokens(None).await?.iter().any(|token| token.revoked_at.is_none());
        self.token_shelf().lock().any = Some((Instant::now(), any));
        Ok(any)
    }

    /// A secret for the person who starts a server. Not stored in the database.
    pub fn fresh_start_token(&self) -> Result<String, OpError> {
        Ok(jig_store::fresh_secret()?.replacen("jig_", START_PREFIX, 1))
    }

    /// The number of jobs in each state, across all workbenches.
    pub async fn job_counts(&self) -> Result<Vec<(String, u64)>, OpError> {
        let counts = self.store().job_counts().await?;
        Ok(counts.into_iter().map(|(state, count)| (state.word().to_owned(), count)).collect())
    }

    /// Checks that the database and the blob store respond. A success is cached for a second.
    pub async fn ready(&self) -> Result<(), OpError> {
        Ok(self.store().ready().await?)
    }
}

fn bearer(token: &Token) -> Caller {
    let role = match token.role {
        jig_store::TokenRole::Reader => TokenRole::Reader,
        jig_store::TokenRole::Writer => TokenRole::Writer,
        jig_store::TokenRole::Owner => TokenRole::Owner,
    };
    let name = Some(token.name.clone());
    let actor = match token.kind {
        jig_store::TokenKind::Person => Actor::Person { name },
        jig_store::TokenKind::Agent => Actor::Agent { name, session: None, run: None, step: None },
    };
    Caller { token_id: token.id.clone(), actor, access: Access { role, workbench: token.workbench_id.clone() } }
}
