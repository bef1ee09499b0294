//! Sessions cached between operations are never older than their logs.

use jig_testkit::home::open;
use jig_workbench::{CallContext, Config};
use serde_json::json;

use crate::model_home::ModelHome;
use crate::session_home::of_session;
use crate::sessions::tamper;

#[tokio::test]
async fn what_another_process_added_is_taken_in() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.says("one").direct(&session, "first").await;
    let other = open(Config::new(home.home.home())).await;
    let context = || CallContext::new(jig_contract::Actor::person());
    let params = of_session(&session, json!({}));
    let there = other.call("SessionSync", context(), params.clone()).await.unwrap();
    let here = home.on("SessionGet", &session, json!({})).await;
    assert_eq!(here["session"]["records"], there["session"]["records"]);
    assert!(here["events"].is_null(), "what others added is not what this operation did: {here:#}");

    home.says("two").direct(&session, "second").await;
    let there = other.call("SessionGet", context(), params).await.unwrap();
    assert_eq!(there["messages"].as_array().unwrap().len(), 4, "{there:#}");
    home.replays(&session).await;
}

#[tokio::test]
async fn a_log_that_is_another_one_is_read_anew() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.says("one").direct(&session, "first").await;
    assert_eq!(home.on("SessionGet", &session, json!({})).await["messages"][0]["text"], "first");
    tamper(&home, "UPDATE session_events SET at = at + 1, event = replace(event, 'first', 'other')").await;
    assert_eq!(home.on("SessionGet", &session, json!({})).await["messages"][0]["text"], "other");
}
