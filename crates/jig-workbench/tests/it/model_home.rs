//! A home whose models are all served by one fake model server, over real HTTP.

use jig_contract::ops::ContextCategory;
use jig_fake_model::{FakeModel, Reply};
use jig_testkit::{ID, TestHome};
use jig_workbench::{Config, Keys, Secret};
use serde_json::{Value, json};

/// A key that must appear nowhere except in a header.
pub(crate) const PLANTED: &str = "sk-planted-4711-do-not-show";

/// A model for each provider that has a key, and a custom server.
pub(crate) const MODELS: [&str; 5] = [
    "openai:gpt-5.2",
    "anthropic:claude-opus-5-5",
    "google:gemini-3.8-flash",
    "mistral:mistral-large-4-0",
    "own:small",
];

/// The model of most tests.
pub(crate) const MODEL: &str = "openai:gpt-5.2";

/// A home with one workbench, and the server.
pub(crate) struct ModelHome {
    pub(crate) home: TestHome,
    pub(crate) server: FakeModel,
}

impl ModelHome {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let server = FakeModel::start().await.unwrap();
        let url = format!("{}/v1", server.url());
        let home = TestHome::with(|config| {
            let providers = ["openai", "anthropic", "google", "mistral", "own"];
            config.models.base_urls = providers.map(|id| (id.to_owned(), url.clone())).into();
            config.models.keys = Keys::new(|_, _| Ok(Some(Secret::new(PLANTED))));
            config.models.default = Some(MODEL.to_owned());
            change(config);
        })
        .await;
        home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
        Self { home, server }
    }

    /// Grants consent to everything, for one model.
    pub(crate) async fn agree(&self, model: &str) {
        self.home.ok("ConsentGrant", json!({ "workbench_id": ID, "model": model, "reach": "all" })).await;
    }

    /// A home with consent to everything.
    pub(crate) async fn agreed() -> Self {
        let home = Self::new().await;
        home.agree(MODEL).await;
        home
    }
}

/// The parameters for processing a text.
pub(crate) fn text(category: &str, text: &str) -> Value {
    json!({ "workbench_id": ID, "category": category, "input": { "text": text } })
}

/// The parameters of an operation on an item.
pub(crate) fn of(category: &str) -> Value {
    json!({ "workbench_id": ID, "category": category })
}

/// The files of a valid item, as in a model's answer.
pub(crate) fn good(category: &str) -> Value {
    match category {
        "situation" => json!([{ "path": "context.md", "content": "## Current Situation\n\n- **Deadline**: Friday\n" }]),
        _ => {
            let detail = "summary.md";
            let skill = format!(
                "---\nname: \"{category}\"\ndescription: \"Consider this when writing.\"\n---\n\n# Background\n\n\
                 Always say Acme. See [details](references/{detail}).\n"
            );
            json!([
                { "path": "SKILL.md", "content": skill },
                { "path": format!("references/{detail}"), "content": "- Acme sells ropes to climbers.\n" },
            ])
        }
    }
}

/// A reply with a valid item. A style has one rule, which quotes these words of the material.
pub(crate) fn good_reply(category: &str, quote: &str) -> Reply {
    if category == "document-style" {
        let rule = json!({ "rule": quote, "polarity": "do", "formats": [], "heading": "", "quote": quote });
        return Reply::text(json!({ "rules": [rule], "terms": [] }).to_string());
    }
    files(&good(category))
}

/// A reply with these files.
pub(crate) fn files(files: &Value) -> Reply {
    Reply::text(json!({ "files": files }).to_string())
}

pub(crate) fn categories() -> [&'static str; 4] {
    ContextCategory::ALL.map(ContextCategory::as_str)
}
