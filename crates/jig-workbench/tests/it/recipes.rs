//! Recipes: projection of fields, pending outputs, and staleness.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jig_contract::{Code, Env, Timestamp};
use jig_fake_model::{FakeModel, Reply};
use jig_testkit::{ID, TestHome};
use jig_workbench::{Config, Keys, Secret, Workbench};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::model_home::{MODEL, ModelHome, PLANTED};

const HOUR: i64 = 3_600_000;

async fn entry(home: &TestHome, role: &str, key: &str, data: Value) -> Value {
    let mut params = json!({ "workbench_id": ID, "role": role, "data": data });
    if !key.is_empty() {
        params["entry_key"] = key.into();
    }
    home.ok("EntryPut", params).await["entry"].clone()
}

async fn filled(home: &TestHome) {
    entry(home, "brand", "", json!({ "name": "Acme", "voice": "Plain <and> warm.", "tagline": "Ropes that hold.", "colors": ["#111111", "#222222"] })).await;
    let customer = json!({ "description": "Founders", "demographics": "Europe, twenty to sixty, all trades", "pain_points": ["no time", "no money"], "jobs_to_be_done": ["be seen"] });
    entry(home, "customer", "", customer).await;
}

fn of(recipe: &str) -> Value {
    json!({ "workbench_id": ID, "recipe": recipe })
}

fn with(mut params: Value, name: &str, value: impl Into<Value>) -> Value {
    params[name] = value.into();
    params
}

fn calendar() -> Value {
    json!({ "topics": ["Saving time"], "schedule": ["Monday, blog: Saving time"], "hooks": ["No time? Read this."] })
}

#[tokio::test]
async fn a_context_has_the_fields_that_are_asked_for_and_no_others() {
    let home = TestHome::with_workbench().await;
    filled(&home).await;
    entry(&home, "problem", "", json!({ "statement": "Ropes wear out, and nobody sees it in time. ".repeat(10) }))
        .await;
    let made = home.ok("RecipeAssemble", of("weekly-content-calendar")).await;
    let context = made["context"].as_str().unwrap();
    assert!(context.starts_with("<context>\n  <brand>\n    <name>Acme</name>"), "{context}");
    assert!(
        context.contains("Plain &lt;and&gt; warm.") && context.contains("[\"no time\", \"no money\"]"),
        "{context}"
    );
    assert!(!context.contains("#111111") && !context.contains("twenty to sixty"), "{context}");
    assert!(made["prompt"].as_str().unwrap().contains(context));
    let report = &made["report"];
    assert!(report["missing"].to_string().contains("trend_digest"), "{report}");
    let tokens = &report["tokens"];
    let number = |name: &str| tokens[name].as_u64().unwrap();
    assert!(number("projected") < number("all_fields") && number("projected") < number("flat_text"), "{tokens}");
    let used = report["used"].as_array().unwrap();
    assert!(used.contains(&json!({ "address": "@brand#voice", "revision": 1 })), "{used:?}");
}

#[tokio::test]
async fn what_is_required_and_missing_is_named_with_how_to_add_it() {
    let home = TestHome::with_workbench().await;
    entry(&home, "brand", "", json!({ "name": "Acme", "voice": "x" })).await;
    for operation in ["RecipeAssemble", "RecipeRun"] {
        let params = with(of("weekly-content-calendar"), "model", "offline:extract");
        let error = home.fails_with(Code::MissingContext, operation, params).await;
        assert_eq!(error.info.detail.as_ref().unwrap()["missing"][0]["role"], "customer");
        assert!(error.info.hints.iter().any(|hint| hint.contains("jig entry")), "{error}");
    }
    assert_eq!(home.plain("JobList").await["jobs"], json!([]), "no job is queued for it");
    home.fails_with(Code::RecipeNotFound, "RecipeRun", of("weekly-calendar")).await;
}

#[tokio::test]
async fn all_of_a_kind_are_in_a_context_in_a_stable_order_and_archived_ones_are_not() {
    let home = TestHome::with_workbench().await;
    for key in ["initech", "acme", "globex", "old"] {
        entry(&home, "competitor", key, json!({ "name": key, "website": "https://x.example" })).await;
    }
    home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "competitor", "entry_key": "old" })).await;
    let definition =
        "recipe: all\ncontext_requirements:\n  entries:\n    - {role: competitor, fields: [name], required: true}\n";
    let made = home.ok("RecipeAssemble", json!({ "workbench_id": ID, "definition": definition })).await;
    let context = made["context"].as_str().unwrap();
    let place = |name: &str| context.find(&format!("<name>{name}</name>")).unwrap();
    assert!(place("acme") < place("globex") && place("globex") < place("initech"), "{context}");
    assert!(!context.contains("old") && !context.contains("x.example"));
}

#[tokio::test]
async fn a_budget_leaves_out_what_is_not_required_and_never_cuts_what_is() {
    let home = TestHome::with_workbench().await;
    filled(&home).await;
    entry(&home, "trend_digest", "", json!({ "summary": "Everything moves. ".repeat(50), "key_themes": ["speed"] }))
        .await;
    let whole = home.ok("RecipeAssemble", of("weekly-content-calendar")).await["report"]["tokens"]["projected"]
        .as_u64()
        .unwrap();
    let less = home.ok("RecipeAssemble", with(of("weekly-content-calendar"), "max_tokens", whole - 1)).await;
    assert_eq!(less["report"]["left_out"][0]["source"], "@trend_digest");
    assert!(!less["context"].as_str().unwrap().contains("Everything moves"));
    let error = home
        .fails_with(Code::ContextTooLarge, "RecipeAssemble", with(of("weekly-content-calendar"), "max_tokens", 5))
        .await;
    assert_eq!(error.info.detail.unwrap()["sizes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn items_and_files_are_in_a_context_only_when_they_are_asked_for() {
    let home = TestHome::with_workbench().await;
    let item = json!({ "workbench_id": ID, "category": "situation", "input": { "text": "The board meets on Friday." }, "model": "offline:extract" });
    home.ok("ContextProcess", item).await;
    let id = home
        .ok(
            "AssetUpload",
            json!({ "workbench_id": ID, "name": "logo.png", "role": "brand", "field": "logo",
        "content_base64": base64::Engine::encode(&base64::engine::general_purpose::STANDARD, crate::assets::PNG) }),
        )
        .await["asset"]["asset_id"]
        .clone();
    entry(&home, "brand", "", json!({ "name": "Acme" })).await;
    let recipe = |items: &str, fields: &str| {
        format!(
            "recipe: x\ncontext_requirements:\n  items: {items}\n  entries:\n    - {{role: brand, fields: [{fields}]}}\n"
        )
    };
    let ask = |text: String| json!({ "workbench_id": ID, "definition": text, "resolve_assets": true });
    let without = home.ok("RecipeAssemble", ask(recipe("none", "name"))).await;
    assert!(!without["context"].as_str().unwrap().contains("Friday") && without["assets"].is_null(), "{without}");
    let all = home.ok("RecipeAssemble", ask(recipe("all", "name, logo"))).await;
    assert!(all["context"].as_str().unwrap().contains("Friday"), "{all}");
    assert_eq!((&all["assets"][0]["asset_id"], &all["assets"][0]["name"]), (&id, &json!("logo.png")));
    assert!(all["context"].as_str().unwrap().contains("logo.png (image/png)"));
}

#[tokio::test]
async fn a_recipe_that_names_what_is_not_there_is_not_saved_and_one_whose_kind_went_does_not_run() {
    let home = TestHome::with_workbench().await;
    let put = |text: &str| json!({ "workbench_id": ID, "definition": text });
    let kind = "recipe: x\ncontext_requirements:\n  entries:\n    - {role: brnad, fields: [name]}\n";
    let error = home.fails_with(Code::ValidationFailed, "RecipePut", put(kind)).await;
    assert!(error.info.suggestions.contains(&"brand".to_owned()), "{error:?}");
    let field = "recipe: x\ncontext_requirements:\n  entries:\n    - {role: brand, fields: [nmae]}\n";
    home.fails_with(Code::ValidationFailed, "RecipePut", put(field)).await;
    let output = "recipe: x\ncontext_outputs: {role: brand, fields_produced: [logo]}\n";
    home.fails_with(Code::ValidationFailed, "RecipePut", put(output)).await;
    home.fails_with(Code::ValidationFailed, "RecipePut", put("recipe: x\nschedule: every day\n")).await;
    assert_eq!(home.plain("JournalList").await["total"], 1);
    home.ok("KindPut", put("anchor_role: pad\ndisplay_name: Pad\ncategory: market\nfield_schema:\n  fields:\n    - {key: text, type: text, label: Text}\n")).await;
    let good =
        "recipe: pads\ncontext_requirements:\n  entries:\n    - {role: pad, fields: [text]}\nschedule: 0 6 * * 1\n";
    let saved = home.ok("RecipePut", put(good)).await;
    assert_eq!(
        (&saved["saved"], &saved["recipe"]["version"], saved["recipe"]["next_run_at"].is_string()),
        (&json!(true), &json!(1), true)
    );
    assert_eq!(home.ok("RecipePut", put(good)).await["saved"], false);
    home.ok("KindDelete", json!({ "workbench_id": ID, "role": "pad" })).await;
    let listed = home.plain("RecipeList").await;
    let pads = listed["recipes"].as_array().unwrap().iter().find(|recipe| recipe["recipe"] == "pads").unwrap().clone();
    assert!(pads["problems"][0].as_str().unwrap().contains("pad"), "{pads}");
    home.fails_with(Code::ValidationFailed, "RecipeRun", with(of("pads"), "model", "offline:extract")).await;
    assert_eq!(home.ok("RecipeDelete", of("pads")).await["shipped_again"], false);
    home.fails_with(Code::ValidationFailed, "RecipeDelete", of("weekly-content-calendar")).await;
}

#[tokio::test]
async fn a_run_makes_an_output_that_waits_and_records_what_it_was_made_from() {
    let bench = ModelHome::new().await;
    filled(&bench.home).await;
    bench.home.fails_with(Code::EgressConsentRequired, "RecipeRun", of("weekly-content-calendar")).await;
    assert_eq!((bench.server.connections(), bench.home.plain("JobList").await["jobs"].clone()), (0, json!([])));
    bench.agree(MODEL).await;
    bench.server.reply(Reply::text(calendar().to_string()));
    let ran = bench.home.ok("RecipeRun", with(of("weekly-content-calendar"), "input", "Mind the holidays.")).await;
    assert_eq!(
        (&ran["job"]["state"], &ran["output"]["state"], &ran["entry"]),
        (&json!("done"), &json!("pending"), &Value::Null)
    );
    let output = &ran["output"];
    assert_eq!(
        (&output["recipe"], &output["job_id"], &output["model_id"]),
        (&json!("weekly-content-calendar"), &ran["job"]["id"], &json!(MODEL))
    );
    assert!(
        output["sources"]
            .as_array()
            .unwrap()
            .contains(&json!({ "type": "document", "address": "@brand#voice", "revision": 1 })),
        "{output}"
    );
    assert_eq!(
        (output["sent"]["hash"].as_str().unwrap().len(), output["sent"]["tokens"].as_u64().unwrap() > 20),
        (64, true)
    );
    let sent = bench.server.requests()[0].json().to_string();
    assert!(
        sent.contains("Mind the holidays.") && !sent.contains("#111111") && !sent.contains("\"tools\":[{"),
        "{sent}"
    );
    assert_eq!(bench.home.plain("EgressList").await["events"][0]["purpose"], "recipe.run");
    bench
        .home
        .fails_with(Code::EntryNotFound, "EntryGet", json!({ "workbench_id": ID, "role": "content_calendar" }))
        .await;
    let promoted = bench
        .home
        .ok("OutputPromote", json!({ "workbench_id": ID, "output_id": output["id"], "fields": ["topics", "hooks"] }))
        .await;
    assert_eq!(
        (&promoted["entry"]["data"]["topics"], &promoted["output"]["state"]),
        (&json!(["Saving time"]), &json!("pending"))
    );
    let rejected =
        bench.home.ok("OutputReject", json!({ "workbench_id": ID, "output_id": output["id"], "reason": "thin" })).await;
    assert_eq!(rejected["output"]["state"], "accepted");
    let listed = bench.home.ok("OutputList", json!({ "workbench_id": ID, "state": "accepted" })).await;
    assert_eq!(listed["outputs"][0]["id"], output["id"]);
    let other = json!({ "workbench_id": ID, "output_id": "0190b6c2-7d3e-7000-8000-000000000001" });
    bench.home.fails_with(Code::OutputNotFound, "OutputGet", other).await;
}

#[tokio::test]
async fn an_answer_that_does_not_fit_the_output_kind_is_repaired_once_and_then_fails_the_job() {
    let bench = ModelHome::agreed().await;
    filled(&bench.home).await;
    let wrong = json!({ "topics": "one", "schedule": [], "hooks": ["x"] }).to_string();
    bench.server.reply(Reply::text(&wrong)).reply(Reply::text(&wrong));
    let error = bench.home.fails_with(Code::ValidationFailed, "RecipeRun", of("weekly-content-calendar")).await;
    let job_id = error.info.job_id.clone().unwrap();
    let job = bench.home.ok("JobGet", json!({ "workbench_id": ID, "job_id": job_id })).await["job"].clone();
    assert_eq!(
        (&job["state"], &job["error"]["error_code"], &job["attempts"]),
        (&json!("failed"), &json!("VALIDATION_FAILED"), &json!(1))
    );
    assert_eq!(bench.home.plain("OutputList").await["outputs"], json!([]));
    bench.server.reply(Reply::text(&wrong)).reply(Reply::text(calendar().to_string()));
    assert_eq!(bench.home.ok("RecipeRun", of("weekly-content-calendar")).await["output"]["state"], "pending");
}

#[tokio::test]
async fn recipes_run_offline_by_rules_and_free_ones_answer_in_words() {
    let bench = ModelHome::agreed().await;
    filled(&bench.home).await;
    let ran = bench.home.ok("RecipeRun", with(of("weekly-content-calendar"), "model", "offline:extract")).await;
    assert!(ran["output"]["warnings"].to_string().contains("without a model"), "{ran}");
    assert_eq!(bench.server.requests().len(), 0);
    let free = "recipe: one-liner\ncontext_requirements:\n  entries:\n    - {role: brand, fields: [name], required: true}\nprompt: \"{{context}} Who are we?\"\n";
    bench.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": free })).await;
    bench.server.reply(Reply::text("We are Acme."));
    let ran = bench.home.ok("RecipeRun", of("one-liner")).await;
    assert_eq!((&ran["answer"], &ran["output"]), (&json!("We are Acme."), &Value::Null));
    bench.home.fails_with(Code::ValidationFailed, "RecipeRun", with(of("one-liner"), "model", "offline:extract")).await;
}

#[tokio::test]
async fn auto_promote_takes_an_output_in_unless_a_person_stands_for_the_field() {
    let bench = ModelHome::agreed().await;
    filled(&bench.home).await;
    let yaml = bench.home.ok("RecipeGet", of("weekly-content-calendar")).await["yaml"].as_str().unwrap().to_owned();
    let auto = yaml.replace("auto_promote: false", "auto_promote: true");
    assert_ne!(auto, yaml);
    bench.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": auto })).await;
    bench.server.reply(Reply::text(calendar().to_string()));
    let ran = bench.home.ok("RecipeRun", of("weekly-content-calendar")).await;
    assert_eq!(
        (&ran["output"]["state"], &ran["entry"]["data"]["hooks"]),
        (&json!("accepted"), &json!(["No time? Read this."]))
    );
    assert_eq!(ran["entry"]["fields"][0]["by"]["type"], "system");
    entry(&bench.home, "content_calendar", "", json!({ "topics": ["mine"] })).await;
    bench.server.reply(Reply::text(calendar().to_string()));
    let ran = bench.home.ok("RecipeRun", of("weekly-content-calendar")).await;
    assert_eq!((&ran["output"]["state"], &ran["entry"]), (&json!("pending"), &Value::Null));
    assert!(ran["job"]["result"]["why_not_promoted"].as_str().unwrap().contains("topics"), "{ran}");
}

/// A home with a fake model and a clock that the test controls.
pub(crate) struct Clocked {
    pub(crate) home: TestHome,
    pub(crate) server: FakeModel,
    pub(crate) clock: Arc<AtomicI64>,
    config: Config,
}

impl Clocked {
    pub(crate) async fn new() -> Self {
        let server = FakeModel::start().await.unwrap();
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let mut kept = None;
        let home = TestHome::with_env(env(&clock), |config| {
            config.models.base_urls = [("openai".to_owned(), format!("{}/v1", server.url()))].into();
            config.models.keys = Keys::new(|_, _| Ok(Some(Secret::new(PLANTED))));
            config.models.default = Some(MODEL.to_owned());
            kept = Some(config.clone());
        })
        .await;
        let config = kept.unwrap();
        home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
        home.ok("ConsentGrant", json!({ "workbench_id": ID, "model": MODEL, "reach": "all" })).await;
        Self { home, server, clock, config }
    }

    /// The same home opened again, as another server would.
    pub(crate) async fn another(&self) -> Workbench {
        Workbench::open(self.config.clone(), env(&self.clock)).await.unwrap()
    }

    pub(crate) fn later(&self, hours: i64) {
        self.clock.fetch_add(hours * HOUR, Ordering::SeqCst);
    }

    /// One round of a server's background work.
    pub(crate) async fn work(&self) -> Vec<Value> {
        let ended = self.home.workbench.run_due_jobs(&CancellationToken::new()).await.unwrap();
        ended.into_iter().filter(|job| job.kind == "recipe_run").map(|job| json!(job)).collect()
    }
}

fn env(clock: &Arc<AtomicI64>) -> Env {
    let read = Arc::clone(clock);
    Env::new(move || Timestamp::from_millis(read.load(Ordering::SeqCst)), uuid::Uuid::now_v7)
}

#[tokio::test]
async fn an_output_is_old_by_its_time_and_by_its_sources_and_is_made_anew_once() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    let stale = || bench.home.plain("RecipeListStale");
    let of_calendar = |list: &Value| {
        list["stale"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["recipe"] == "weekly-content-calendar")
            .cloned()
            .unwrap_or_default()
    };
    let never = of_calendar(&stale().await);
    assert_eq!(
        (&never["reasons"][0]["type"], &never["due"]),
        (&json!("never_run"), &json!(false)),
        "nobody asked for it yet"
    );
    assert_eq!(bench.work().await, Vec::<Value>::new());
    bench.server.reply(Reply::text(calendar().to_string()));
    let output = bench.home.ok("RecipeRun", of("weekly-content-calendar")).await["output"]["id"].clone();
    bench.home.ok("OutputPromote", json!({ "workbench_id": ID, "output_id": output })).await;
    assert_eq!(of_calendar(&stale().await), Value::Null);
    bench.later(336);
    assert_eq!(of_calendar(&stale().await), Value::Null, "at the very hour it is not old yet");
    bench.later(1);
    let old = of_calendar(&stale().await);
    assert_eq!((&old["reasons"][0]["type"], &old["due"]), (&json!("expired"), &json!(true)), "{old}");
    bench.server.reply(Reply::text(calendar().to_string()));
    let jobs = bench.work().await;
    assert_eq!((jobs.len(), &jobs[0]["state"]), (1, &json!("done")), "{jobs:?}");
    assert_eq!(of_calendar(&stale().await)["due"], false, "its output waits for a person");
    assert_eq!(bench.work().await, Vec::<Value>::new(), "and is not made again meanwhile");
    let waiting =
        bench.home.ok("OutputList", json!({ "workbench_id": ID, "state": "pending" })).await["outputs"][0]["id"]
            .clone();
    bench.home.ok("OutputPromote", json!({ "workbench_id": ID, "output_id": waiting })).await;
    entry(&bench.home, "brand", "", json!({ "voice": "Louder." })).await;
    let newer = of_calendar(&stale().await);
    assert_eq!(newer["reasons"][0]["type"], "source_newer", "{newer}");
    assert_eq!(newer["reasons"][0]["changes"][0]["address"], "@brand#voice");
    entry(&bench.home, "brand", "", json!({ "colors": ["#000000"] })).await;
    assert_eq!(
        of_calendar(&stale().await)["reasons"][0]["changes"].as_array().unwrap().len(),
        1,
        "a field that was not used does not count"
    );
    bench.home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "content_calendar" })).await;
    assert_eq!(of_calendar(&stale().await), Value::Null, "what was put aside is not made anew");
}

#[tokio::test]
async fn nothing_is_made_anew_without_a_lasting_consent_and_a_rejected_output_not_at_once() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    bench.server.reply(Reply::text(calendar().to_string()));
    let output = bench.home.ok("RecipeRun", of("weekly-content-calendar")).await["output"]["id"].clone();
    bench.home.ok("OutputPromote", json!({ "workbench_id": ID, "output_id": output })).await;
    bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": MODEL })).await;
    bench.later(400);
    let list = bench.home.plain("RecipeListStale").await;
    let old = list["stale"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["recipe"] == "weekly-content-calendar")
        .unwrap()
        .clone();
    assert!(!old["due"].as_bool().unwrap() && old["blocked"].as_str().unwrap().contains("consent"), "{old}");
    assert_eq!(bench.work().await, Vec::<Value>::new());
    assert_eq!(bench.server.requests().len(), 1);
    bench.home.ok("ConsentGrant", json!({ "workbench_id": ID, "model": MODEL, "reach": "all" })).await;
    bench.server.reply(Reply::text(calendar().to_string()));
    assert_eq!(bench.work().await.len(), 1);
    let waiting =
        bench.home.ok("OutputList", json!({ "workbench_id": ID, "state": "pending" })).await["outputs"][0]["id"]
            .clone();
    bench.home.ok("OutputReject", json!({ "workbench_id": ID, "output_id": waiting })).await;
    assert_eq!(bench.work().await, Vec::<Value>::new(), "who said no is not asked again at once");
    bench.later(25);
    bench.server.reply(Reply::text(calendar().to_string()));
    assert_eq!(bench.work().await.len(), 1);
}

#[tokio::test]
async fn recipes_that_need_each_other_are_reported_and_not_run() {
    let bench = Clocked::new().await;
    let kind = |name: &str| json!({ "workbench_id": ID, "definition": format!("anchor_role: {name}\ndisplay_name: {name}\ncategory: insight\nttl_hours: 1\nfield_schema:\n  fields:\n    - {{key: text, type: text, label: Text}}\n") });
    for name in ["hen", "egg"] {
        bench.home.ok("KindPut", kind(name)).await;
    }
    for (recipe, needs, makes) in [("lay", "hen", "egg"), ("hatch", "egg", "hen")] {
        let definition = format!(
            "recipe: {recipe}\ncontext_requirements:\n  entries:\n    - {{role: {needs}, fields: [text]}}\ncontext_outputs: {{role: {makes}, fields_produced: [text]}}\n"
        );
        bench.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": definition })).await;
    }
    for name in ["hen", "egg"] {
        entry(&bench.home, name, "", json!({ "text": name })).await;
    }
    bench.later(5);
    let list = bench.home.plain("RecipeListStale").await;
    let mut cycle: Vec<&str> =
        list["cycles"][0].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, ["hatch", "lay"]);
    assert_eq!(bench.work().await, Vec::<Value>::new());
    assert_eq!(bench.server.connections(), 0);
}

#[tokio::test]
async fn a_schedule_fires_once_for_each_time_and_is_made_up_for_once() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    let definition = "recipe: daily\ncontext_requirements:\n  entries:\n    - {role: brand, fields: [name], required: true}\nprompt: \"{{context}} Say hello.\"\nschedule: 0 6 * * *\n";
    bench.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": definition })).await;
    assert_eq!(bench.work().await, Vec::<Value>::new());
    bench.later(24 * 3);
    for _ in 0..3 {
        bench.server.reply(Reply::text("Hello."));
    }
    assert_eq!(bench.work().await.len(), 1, "three times that passed are one");
    assert_eq!(bench.work().await, Vec::<Value>::new());
    bench.later(24);
    assert_eq!(bench.work().await.len(), 1);
    bench.home.ok("RecipeDelete", of("daily")).await;
    bench.later(24);
    assert_eq!(bench.work().await, Vec::<Value>::new());
    bench.home.plain("JournalUndo").await;
    bench.work().await;
    bench.later(24);
    assert_eq!(bench.work().await.len(), 1, "an undo brings the schedule back");
}

const CONCEPT: &str = "# Concept\n\n<!-- guidance for writers -->\n\n## What Is It?\n\nRopes that tell when they wear out.\n\n## Goals\n\n<!-- what counts -->\n\n## Price\n\nTen euros.\n";

fn of_artifacts(artifacts: &Value) -> Value {
    let recipe = json!({
        "recipe": "pitch",
        "context_requirements": { "entries": [{ "role": "brand", "fields": ["name"] }], "artifacts": artifacts },
        "context_outputs": { "role": "trend_digest", "fields_produced": ["summary"] },
    });
    json!({ "workbench_id": ID, "definition": recipe })
}

#[tokio::test]
async fn artifacts_come_whole_or_by_section_and_what_is_missing_is_told() {
    let home = TestHome::with_workbench().await;
    filled(&home).await;
    home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept", "content": CONCEPT })).await;
    let whole = home.ok("RecipeAssemble", of_artifacts(&json!([{ "artifact": "concept.md" }]))).await;
    let context = whole["context"].as_str().unwrap();
    assert!(context.contains("<artifact name=\"concept.md\"># Concept") && context.contains("Ten euros."), "{context}");
    assert!(!context.contains("guidance") && !context.contains("what counts"), "{context}");
    assert!(whole["report"]["used"].to_string().contains(r#""address":"@concept","revision":1"#), "{whole}");

    let some = json!([{ "artifact": "concept", "sections": ["what-is-it", "goals"], "required": true }]);
    let made = home.ok("RecipeAssemble", of_artifacts(&some)).await;
    let context = made["context"].as_str().unwrap();
    assert!(context.contains("<artifact name=\"concept\">Ropes that tell") && !context.contains("euros"), "{context}");
    let missing = &made["report"]["missing"][0];
    assert_eq!(
        (&missing["role"], &missing["fields"], &missing["required"]),
        (&json!("concept"), &json!(["goals"]), &json!(false))
    );
    assert_eq!(missing["how"], "`jig artifact edit concept goals`");
    assert!(made["report"]["used"].to_string().contains("@concept#what-is-it"), "{made}");
    let tokens = &made["report"]["tokens"];
    assert!(tokens["projected"].as_u64() < tokens["all_fields"].as_u64(), "the whole artifact is more: {tokens}");

    for needed in [
        json!({ "artifact": "scope", "required": true }),
        json!({ "artifact": "concept", "sections": ["goals"], "required": true }),
    ] {
        let error = home.fails("RecipeAssemble", of_artifacts(&json!([needed]))).await;
        assert_eq!(error.code(), Code::MissingContext);
        assert!(error.info.hints[0].starts_with("`jig artifact "), "{:?}", error.info.hints);
    }
    let tight = with(of_artifacts(&json!([{ "artifact": "concept" }])), "max_tokens", 20);
    let made = home.ok("RecipeAssemble", tight).await;
    assert!(made["report"]["left_out"].to_string().contains("\"@concept\""), "{made}");
    let tight = with(of_artifacts(&json!([{ "artifact": "concept", "required": true }])), "max_tokens", 20);
    assert_eq!(home.fails("RecipeAssemble", tight).await.code(), Code::ContextTooLarge);
}
