//! Assets: one that a field refers to is retained, others expire; content decides whether a field accepts a file.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use base64::Engine as _;
use jig_contract::{Actor, Code, Env, Timestamp};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};

pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04\0\0\0\xb5\x1c\x0c\x02\0\0\0\x0bIDATx\xdacd`\0\0\0\x06\0\x020\x81\xd0/\0\0\0\0IEND\xaeB`\x82";
const HOUR: i64 = 3_600_000;

fn upload(name: &str, bytes: &[u8]) -> Value {
    let content = base64::engine::general_purpose::STANDARD.encode(bytes);
    json!({ "workbench_id": ID, "name": name, "content_base64": content })
}

#[expect(clippy::needless_pass_by_value, reason = "tests write the value where they call")]
fn with(mut params: Value, more: Value) -> Value {
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

fn logo(name: &str, bytes: &[u8]) -> Value {
    with(upload(name, bytes), json!({ "role": "brand", "field": "logo" }))
}

/// A home with a clock that the test controls.
struct Clocked {
    home: TestHome,
    clock: Arc<AtomicI64>,
}

impl Clocked {
    async fn new() -> Self {
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let read = Arc::clone(&clock);
        let env = Env::new(move || Timestamp::from_millis(read.load(Ordering::SeqCst)), uuid::Uuid::now_v7);
        let home = TestHome::with_env(env, |_| {}).await;
        home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
        Self { home, clock }
    }

    fn later(&self, hours: i64) {
        self.clock.fetch_add(hours * HOUR, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn an_upload_into_a_field_is_kept_and_one_without_expires() {
    let bench = Clocked::new().await;
    let home = &bench.home;
    let loose = home.ok("AssetUpload", upload("notes.txt", b"hello")).await["asset"].clone();
    assert_eq!(
        (&loose["permanence"], &loose["mime_type"], &loose["uses"]),
        (&json!("temporary"), &json!("text/plain"), &json!([]))
    );
    assert_eq!(
        (&loose["asset_type"], &loose["asset_category"], &loose["confidence"]),
        (&json!("other"), &json!("uncategorized"), &json!(1.0))
    );
    let kept = home.ok("AssetUpload", logo("logo.png", PNG)).await;
    let id = kept["asset"]["asset_id"].as_str().unwrap().to_owned();
    assert_eq!((&kept["asset"]["permanence"], &kept["asset"]["expires_at"]), (&json!("permanent"), &Value::Null));
    assert_eq!(kept["entry"]["data"]["logo"], format!("asset://{id}"));
    assert_eq!(kept["asset"]["uses"], json!([{ "role": "brand", "entry_key": "", "field": "logo" }]));
    assert_eq!(kept["asset"]["url"], format!("/api/workbenches/{ID}/assets/{id}/content"));
    let shown = home.ok("EntryGet", json!({ "workbench_id": ID, "role": "brand", "resolve_assets": true })).await;
    assert_eq!(shown["entry"]["assets"][0]["name"], "logo.png");
    bench.later(200);
    let old = home.ok("AssetGet", json!({ "workbench_id": ID, "asset_id": loose["asset_id"] })).await;
    assert_eq!((&old["asset"]["expired"], &old["asset"]["removed"]), (&json!(true), &json!(false)));
    let dry = home.ok("AssetCleanup", json!({ "workbench_id": ID, "dry_run": true })).await;
    assert_eq!(
        (&dry["removed"], dry["assets"].as_array().unwrap().len(), &dry["bytes"]),
        (&json!(false), 1, &json!(5))
    );
    let swept = home.ok("AssetCleanup", json!({ "workbench_id": ID })).await;
    assert_eq!((&swept["removed"], &swept["assets"][0]["removed"]), (&json!(true), &json!(true)));
    let gone = json!({ "workbench_id": ID, "asset_id": loose["asset_id"], "include_content": true });
    home.fails_with(Code::AssetExpired, "AssetGet", gone).await;
    let list = home.plain("AssetList").await["assets"].clone();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["asset_id"]), (1, &json!(id)));
    let bytes = home.ok("AssetGet", json!({ "workbench_id": ID, "asset_id": id, "include_content": true })).await;
    assert_eq!(
        base64::engine::general_purpose::STANDARD.decode(bytes["content_base64"].as_str().unwrap()).unwrap(),
        PNG
    );
}

#[tokio::test]
async fn detached_from_the_last_field_its_time_starts_again_and_attaching_brings_it_back() {
    let bench = Clocked::new().await;
    let home = &bench.home;
    let id = home.ok("AssetUpload", logo("logo.png", PNG)).await["asset"]["asset_id"].clone();
    bench.later(500);
    let place = |role: &str| json!({ "workbench_id": ID, "asset_id": id, "role": role, "field": "logo" });
    let detached = home.ok("AssetDetach", place("brand")).await;
    assert_eq!((&detached["asset"]["permanence"], &detached["entry"]["data"]), (&json!("temporary"), &json!({})));
    assert!(!detached["asset"]["expired"].as_bool().unwrap(), "its time starts now");
    home.fails_with(Code::ValidationFailed, "AssetDetach", place("brand")).await;
    let again = home.ok("AssetAttach", place("brand")).await;
    assert_eq!(again["asset"]["permanence"], "permanent");
    home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "brand" })).await;
    bench.later(500);
    assert_eq!(home.plain("AssetList").await["assets"][0]["permanence"], "permanent", "an archived entry keeps it");
    home.ok("EntryDelete", json!({ "workbench_id": ID, "role": "brand" })).await;
    assert_eq!(home.plain("AssetList").await["assets"][0]["permanence"], "temporary");
    home.plain("JournalUndo").await;
    assert_eq!(home.plain("AssetList").await["assets"][0]["permanence"], "permanent", "an undo brings the link back");
    assert!(home.ok("StoreDoctor", json!({})).await["ok"].as_bool().unwrap());
}

#[tokio::test]
async fn an_old_revision_shows_an_asset_that_expired_as_expired() {
    let bench = Clocked::new().await;
    let home = &bench.home;
    let id = home.ok("AssetUpload", logo("logo.png", PNG)).await["asset"]["asset_id"].as_str().unwrap().to_owned();
    home.ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": { "logo": null, "name": "A" } })).await;
    bench.later(200);
    home.ok("AssetCleanup", json!({ "workbench_id": ID })).await;
    let old = home
        .ok("EntryGet", json!({ "workbench_id": ID, "role": "brand", "revision": 1, "resolve_assets": true }))
        .await;
    let asset = old["entry"]["assets"][0].clone();
    assert_eq!(
        (&asset["asset_id"], &asset["expired"], &asset["url"], &asset["name"]),
        (&json!(id), &json!(true), &Value::Null, &json!("logo.png"))
    );
    let wish = json!({ "workbench_id": ID, "role": "brand", "data": { "logo": format!("asset://{id}") } });
    home.fails_with(Code::ValidationFailed, "EntryPut", wish).await;
    let attach = json!({ "workbench_id": ID, "asset_id": id, "role": "brand", "field": "logo" });
    home.fails_with(Code::AssetExpired, "AssetAttach", attach).await;
}

#[tokio::test]
async fn content_decides_what_a_field_takes_and_never_the_name() {
    let home = TestHome::with_workbench().await;
    let error = home.fails_with(Code::ValidationFailed, "AssetUpload", logo("logo.png", b"just words")).await;
    assert_eq!(error.info.detail.unwrap()["fields"][0]["field"], "logo");
    assert_eq!(home.plain("AssetList").await["assets"], json!([]), "nothing is kept of it");
    home.ok("AssetUpload", logo("words.txt", PNG)).await;
    let docx = with(upload("guide.docx", PNG), json!({ "role": "brand", "field": "guidelines_doc" }));
    home.fails_with(Code::ValidationFailed, "AssetUpload", docx).await;
    let pdf = with(
        upload("guide", include_bytes!("../../../../demo/files/policy.pdf")),
        json!({ "role": "brand", "field": "guidelines_doc" }),
    );
    home.ok("AssetUpload", pdf).await;
    let text = home.ok("AssetUpload", upload("a.txt", b"x")).await["asset"]["asset_id"].clone();
    let attach = json!({ "workbench_id": ID, "asset_id": text, "role": "brand", "field": "logo" });
    home.fails_with(Code::ValidationFailed, "AssetAttach", attach).await;
    for (more, code) in [
        (json!({ "role": "brand", "field": "name" }), Code::ValidationFailed),
        (json!({ "role": "brand" }), Code::ValidationFailed),
        (json!({ "role": "nothing", "field": "logo" }), Code::KindNotFound),
        (json!({ "role": "competitor", "field": "screenshot" }), Code::ValidationFailed),
        (json!({ "source_path": "/etc/hostname" }), Code::ValidationFailed),
        (json!({ "content_base64": "%%%" }), Code::ValidationFailed),
        (json!({ "name": "" }), Code::ValidationFailed),
    ] {
        home.fails_with(code, "AssetUpload", with(upload("a.png", PNG), more)).await;
    }
}

#[tokio::test]
async fn assets_belong_to_their_workbench_and_have_a_limit() {
    let home = TestHome::with(|config| config.limits.asset_bytes = 1_000).await;
    for id in [ID, "other"] {
        home.ok("WorkbenchCreate", json!({ "name": id, "id": id })).await;
    }
    let id = home.ok("AssetUpload", upload("logo.png", PNG)).await["asset"]["asset_id"].as_str().unwrap().to_owned();
    let foreign = json!({ "workbench_id": "other", "asset_id": id });
    home.fails_with(Code::AssetNotFound, "AssetGet", foreign.clone()).await;
    home.fails_with(Code::AssetNotFound, "AssetAttach", with(foreign, json!({ "role": "brand", "field": "logo" })))
        .await;
    let data = json!({ "workbench_id": "other", "role": "brand", "data": { "logo": format!("asset://{id}") } });
    home.fails_with(Code::ValidationFailed, "EntryPut", data).await;
    let large = home.fails_with(Code::LimitExceeded, "AssetUpload", upload("big.bin", &[7; 1_001])).await;
    assert!(large.info.hints[0].contains("limits.asset_bytes"));
    home.ok("AssetUpload", upload("fits.bin", &[7; 1_000])).await;
    let path = home.outside("logo.png", PNG);
    let file = home.ok("AssetUpload", json!({ "workbench_id": ID, "source_path": path })).await;
    assert_eq!((&file["asset"]["name"], &file["asset"]["mime_type"]), (&json!("logo.png"), &json!("image/png")));
    let page = home.ok("AssetList", json!({ "workbench_id": ID, "limit": 2 })).await;
    assert_eq!((&page["has_more"], page["assets"].as_array().unwrap().len()), (&json!(true), 2));
    let rest = home.ok("AssetList", json!({ "workbench_id": ID, "limit": 2, "cursor": page["cursor"] })).await;
    assert_eq!((&rest["has_more"], rest["assets"].as_array().unwrap().len()), (&json!(false), 1));
}

#[tokio::test]
async fn clone_export_and_import_carry_assets() {
    let home = TestHome::with_workbench().await;
    let id = home.ok("AssetUpload", logo("logo.png", PNG)).await["asset"]["asset_id"].clone();
    home.ok("WorkbenchClone", json!({ "workbench_id": ID, "name": "Copy", "id": "copy" })).await;
    let file = home.path().join("out.jig");
    home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": file })).await;
    home.ok("WorkbenchImport", json!({ "from": file, "id": "back" })).await;
    for workbench in ["copy", "back"] {
        let got =
            home.ok("AssetGet", json!({ "workbench_id": workbench, "asset_id": id, "include_content": true })).await;
        assert_eq!(
            (&got["asset"]["permanence"], &got["asset"]["uses"][0]["field"]),
            (&json!("permanent"), &json!("logo")),
            "{workbench}"
        );
        assert!(got["content_base64"].as_str().unwrap().len() > 50);
    }
}

#[tokio::test]
async fn an_agents_file_is_classified_by_a_model_where_that_is_agreed_and_else_by_rules() {
    let bench = ModelHome::new().await;
    let agent = CallContext::new(Actor::agent("maker"));
    let class = |asset: &Value| (asset["source"].clone(), asset["asset_type"].clone(), asset["asset_category"].clone());
    let call = |name: &'static str| bench.home.workbench.call("AssetUpload", agent.clone(), upload(name, PNG));
    let made = call("acme-logo.png").await.unwrap()["asset"].clone();
    assert_eq!(class(&made), (json!("agent"), json!("logo"), json!("image")));
    assert!(made["reasoning"].as_str().unwrap().starts_with("by rules"), "{made}");
    assert_eq!(bench.server.requests().len(), 0, "nobody has agreed");
    bench.agree(MODEL).await;
    let answer = json!({ "asset_type": "chart", "asset_category": "image", "confidence": 0.9, "description": "Sales.", "reasoning": "axes" });
    bench.server.reply(jig_fake_model::Reply::text(answer.to_string()));
    let made = call("x.png").await.unwrap()["asset"].clone();
    assert_eq!((class(&made), &made["confidence"]), ((json!("agent"), json!("chart"), json!("image")), &json!(0.9)));
    bench.server.reply(jig_fake_model::Reply::text("I am a teapot"));
    assert_eq!(class(&call("photo.png").await.unwrap()["asset"]).1, "photo", "rules have the last word");
    assert_eq!(bench.home.plain("EgressList").await["events"][0]["purpose"], "asset.classify");
    bench.home.ok("AssetUpload", upload("mine.png", PNG)).await;
    assert_eq!(bench.server.requests().len(), 2, "what a person brings is not classified");
}
