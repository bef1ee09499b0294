//! Who comes in by a door that others can reach.
//!
//! A token is looked up once in a while and remembered in between, under a hash: a call costs no query, and a token that
//! is taken back in this process is refused at once, in another one after a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jig_contract::ops::TokenRole;
use jig_contract::{Actor, BlobHash, OpError};
use jig_store::Token;
use tokio::time::Instant;

use crate::{Access, Workbench};

/// How long an answer of the store is remembered.
const REMEMBERED: Duration = Duration::from_secs(1);

/// How a start token begins. No stored token begins like this and has its length.
const START_PREFIX: &str = "jig_start_";

/// How many tokens are remembered, wrong ones too.
const MOST: usize = 10_000;

/// The bearer of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's id, which is no secret.
    pub token_id: String,
    /// Who that is, as the journal knows them.
    pub actor: Actor,
    /// What they may do.
    pub access: Access,
}

/// What is remembered of tokens.
#[derive(Debug, Default)]
pub(crate) struct TokenShelf(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    callers: HashMap<BlobHash, (Instant, Option<Arc<Caller>>)>,
    /// Whether there is an active token.
    any: Option<(Instant, bool)>,
}

impl TokenShelf {
    /// Forgets everything: a token came or went.
    pub(crate) fn forget(&self) {
        *self.lock() = Remembered::default();
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workbench {
    /// Who shows this secret; none when nobody is known by it.
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
            // When it was last used is good to know, and no reason to let a call wait or fail.
            let store = self.store().clone();
            tokio::spawn(async move { drop(store.touch_token(&token).await) });
        }
        Ok(caller)
    }

    /// Whether there is a token that lets somebody in. One that was revoked does not count: the list shows none then, and
    /// the person at the machine is let in as before.
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

    /// A secret for the person who starts a server, which is stored nowhere in the database.
    pub fn fresh_start_token(&self) -> Result<String, OpError> {
        Ok(jig_store::fresh_secret()?.replacen("jig_", START_PREFIX, 1))
    }

    /// How many jobs there are in each state, of all workbenches.
    pub async fn job_counts(&self) -> Result<Vec<(String, u64)>, OpError> {
        let counts = self.store().job_counts().await?;
        Ok(counts.into_iter().map(|(state, count)| (state.word().to_owned(), count)).collect())
    }

    /// Whether the database and the blob store answer. A good answer is reused for a second.
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
