//! Access tokens.

use jig_store::{NewToken, StoreError, TokenKind, TokenRole};
use sqlx::Row as _;

use super::conformance;
use crate::setup::{Clock, Setup, id, made};

conformance! { tokens_open_doors_until_they_are_revoked, tokens_go_with_their_workbench }

fn new(name: &str, role: TokenRole, workbench: Option<&str>) -> NewToken {
    let (name, created_by) = (name.to_owned(), "me\0".to_owned());
    NewToken { name, role, kind: TokenKind::Person, workbench_id: workbench.map(id), created_by }
}

async fn tokens_open_doors_until_they_are_revoked(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let (token, secret) = store.create_token(&new("ci", TokenRole::Writer, None)).await.unwrap();
    assert_eq!((token.role, token.created_by.as_str(), token.last_used_at), (TokenRole::Writer, "me\u{fffd}", None));
    assert_eq!(store.find_token(&secret).await.unwrap(), Some(token.clone()));
    for wrong in ["", "jig_", "nonsense", &secret[..46], &format!("{secret}x"), &secret.to_uppercase(), "jig_\0"] {
        assert_eq!(store.find_token(wrong).await.unwrap(), None, "{wrong}");
    }
    let row = sqlx::query("SELECT hash FROM tokens").fetch_one(&mut setup.raw().await).await.unwrap();
    let hash: String = row.get("hash");
    assert!(hash.len() == 64 && !secret.contains(&hash), "only the hash is kept");
    let twin = "INSERT INTO tokens (id, name, hash, role, created_by, created_at)
                SELECT 'x', name, hash, role, created_by, created_at FROM tokens";
    assert!(sqlx::raw_sql(twin).execute(&mut setup.raw().await).await.is_err(), "no two have one secret");
    let role = "UPDATE tokens SET role = 'king'";
    assert!(sqlx::raw_sql(role).execute(&mut setup.raw().await).await.is_err());

    // Its use is recorded at most once a minute.
    let used = async || store.find_token(&secret).await.unwrap().unwrap();
    store.touch_token(&token).await.unwrap();
    let first = clock.now();
    assert_eq!(used().await.last_used_at, Some(first));
    clock.pass(59_999);
    store.touch_token(&token).await.unwrap();
    store.touch_token(&used().await).await.unwrap();
    assert_eq!(used().await.last_used_at, Some(first));
    clock.pass(1);
    store.touch_token(&used().await).await.unwrap();
    assert_eq!(used().await.last_used_at, Some(clock.now()));

    let revoked = store.revoke_token(&token.id).await.unwrap().unwrap();
    assert_eq!(revoked.revoked_at, Some(clock.now()));
    assert_eq!(store.find_token(&secret).await.unwrap(), None);
    clock.pass(5);
    assert_eq!(store.revoke_token(&token.id).await.unwrap(), Some(revoked), "once and for all");
    assert_eq!(store.revoke_token("none\0").await.unwrap(), None);
}

async fn tokens_go_with_their_workbench(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let lost = store.create_token(&new("x", TokenRole::Reader, Some("deck"))).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
    made(&store, "deck").await;
    let (bound, secret) = store.create_token(&new("bound", TokenRole::Reader, Some("deck"))).await.unwrap();
    clock.pass(1);
    let (free, _) = store.create_token(&new("free", TokenRole::Owner, None)).await.unwrap();
    assert_eq!(store.find_token(&secret).await.unwrap().unwrap().workbench_id, Some(id("deck")));
    assert_eq!(store.tokens(None).await.unwrap(), [free.clone(), bound.clone()], "the newest first");
    assert_eq!(store.tokens(Some(&id("deck"))).await.unwrap(), [bound]);
    store.delete_workbench(&id("deck")).await.unwrap();
    assert_eq!(store.tokens(None).await.unwrap(), [free]);
    assert_eq!(store.find_token(&secret).await.unwrap(), None);
}
