//! No lost updates for content that is replaced as a unit: context items, kinds, recipes, stages, the project
//! description.

use jig_contract::{Actor, Code, OpError};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

/// Content that is replaced as a unit.
#[derive(Clone, Copy)]
struct Resource {
    /// Creates it, if an edit requires it to exist.
    create: Option<fn() -> (&'static str, Value)>,
    put: fn(&str) -> (&'static str, Value),
    get: fn() -> (&'static str, Value),
    /// The location of the tag in the results of `get` and `put`.
    tag: &'static str,
    delete: Option<fn() -> (&'static str, Value)>,
}

fn kind(text: &str) -> Value {
    json!({ "anchor_role": "partner", "display_name": text, "category": "market", "is_singleton": false,
        "field_schema": { "fields": [{ "key": "name", "type": "text", "label": "Name", "required": true }] } })
}

fn recipe(text: &str) -> Value {
    json!({ "recipe": "one-liner", "display_name": text, "prompt": "{{context}} {{input}}",
        "context_requirements": { "entries": [{ "role": "brand", "fields": ["name"] }] } })
}

const RESOURCES: [Resource; 6] = [
    Resource {
        create: Some(|| {
            let input = json!({ "text": "Board meeting on Friday." });
            ("ContextProcess", json!({ "category": "situation", "input": input, "model": "offline:extract" }))
        }),
        put: |text| {
            let files = json!([{ "path": "context.md", "content": format!("## Now\n\n- {text}\n") }]);
            ("ContextUpdateDirect", json!({ "category": "situation", "files": files }))
        },
        get: || ("ContextGet", json!({ "category": "situation" })),
        tag: "/item/etag",
        delete: Some(|| ("ContextDelete", json!({ "category": "situation" }))),
    },
    Resource {
        create: Some(|| {
            let input = json!({ "text": "# Acme\n\n- Audience: climbers\n" });
            ("ContextProcess", json!({ "category": "company-context", "input": input, "model": "offline:extract" }))
        }),
        // The other way to write an item: processing a new input.
        put: |text| {
            let input = json!({ "text": format!("# Acme\n\n- Audience: {text}\n") });
            ("ContextProcess", json!({ "category": "company-context", "input": input, "model": "offline:extract" }))
        },
        get: || ("ContextGet", json!({ "category": "company-context" })),
        tag: "/item/etag",
        delete: Some(|| ("ContextDelete", json!({ "category": "company-context" }))),
    },
    Resource {
        create: None,
        put: |text| ("KindPut", json!({ "definition": kind(text) })),
        get: || ("KindGet", json!({ "role": "partner" })),
        tag: "/kind/etag",
        delete: Some(|| ("KindDelete", json!({ "role": "partner" }))),
    },
    Resource {
        create: None,
        put: |text| ("RecipePut", json!({ "definition": recipe(text) })),
        get: || ("RecipeGet", json!({ "recipe": "one-liner" })),
        tag: "/recipe/etag",
        delete: Some(|| ("RecipeDelete", json!({ "recipe": "one-liner" }))),
    },
    Resource {
        create: None,
        put: |text| ("StagePut", json!({ "definition": { "stage": "launch", "title": text } })),
        get: || ("StagePut", json!({ "definition": { "stage": "launch", "title": "unused" } })),
        tag: "/stage/etag",
        delete: Some(|| ("StageDelete", json!({ "stage": "launch" }))),
    },
    Resource {
        create: None,
        put: |text| ("ProjectDescribe", json!({ "description": text })),
        get: || ("ProjectGet", json!({})),
        tag: "/project/etag",
        delete: None,
    },
];

fn on(call: (&'static str, Value), base: Option<&Value>) -> (&'static str, Value) {
    let (name, mut params) = call;
    params["workbench_id"] = ID.into();
    if let Some(base) = base {
        params["base_revision"] = base.clone();
    }
    (name, params)
}

impl Resource {
    async fn create(&self, home: &TestHome) {
        if let Some(create) = self.create {
            let (name, params) = on(create(), None);
            home.ok(name, params).await;
        }
    }

    async fn write(&self, home: &TestHome, text: &str) -> Value {
        let (name, params) = on((self.put)(text), None);
        self.tag_of(&home.ok(name, params).await)
    }

    fn tag_of(&self, reply: &Value) -> Value {
        let tag = reply.pointer(self.tag).unwrap_or_else(|| panic!("no tag: {reply}"));
        assert!(tag.is_string(), "{tag}");
        tag.clone()
    }

    async fn refuses(&self, home: &TestHome, base: &Value, why: &str) -> OpError {
        let mut last = None;
        for call in [Some((self.put)("late")), self.delete.map(|delete| delete())].into_iter().flatten() {
            let (name, params) = on(call, Some(base));
            let error = home.fails(name, params).await;
            let gone = matches!(error.code(), Code::KindNotFound | Code::RecipeNotFound | Code::StageNotFound);
            assert!(error.code() == Code::Conflict || gone, "{why}: {name} on {base}: {error}");
            last.get_or_insert(error);
        }
        last.unwrap()
    }
}

#[tokio::test]
async fn a_newer_version_is_never_overwritten_and_is_shown() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.create(&home).await;
        let first = resource.write(&home, "first").await;
        let (name, params) = on((resource.put)("second"), Some(&first));
        let second = resource.tag_of(&home.ok(name, params).await);
        assert_ne!(first, second);
        let error = resource.refuses(&home, &first, "older").await;
        let detail = error.info.detail.as_ref().unwrap();
        assert_eq!((&detail["base_revision"], &detail["etag"]), (&first, &second), "{detail}");
        assert!(detail["newer"].to_string().contains("second"), "the newer text is in the reply: {detail}");
        let shown = second.as_str().unwrap();
        for wrong in [
            json!(format!("{shown}0")),
            json!(shown[..shown.len() - 1]),
            json!(""),
            json!("nonsense"),
            json!(0),
            json!(1),
            json!(2),
        ] {
            resource.refuses(&home, &wrong, "no tag of ours").await;
        }
        if resource.tag != "/stage/etag" {
            let (name, params) = on((resource.get)(), None);
            assert_eq!(resource.tag_of(&home.ok(name, params).await), second, "nothing was written");
        }
        let (name, params) = on((resource.put)("third"), Some(&json!(format!("\"{shown}\""))));
        home.ok(name, params).await;
    }
}

#[tokio::test]
async fn a_tag_opens_nothing_after_delete_undo_restore_and_import() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.create(&home).await;
        resource.write(&home, "first").await;
        let made = home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "then" })).await;
        let archive = home.path().join("one.jig");
        home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive.to_str().unwrap() })).await;
        let mine = resource.write(&home, "mine").await;
        home.plain("JournalUndo").await;
        resource.refuses(&home, &mine, "undone").await;
        resource.write(&home, "theirs").await;
        resource.refuses(&home, &mine, "undone, then written").await;
        home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": made["id"] })).await;
        resource.refuses(&home, &mine, "restored").await;
        if let Some(delete) = resource.delete {
            let (name, params) = on(delete(), None);
            home.ok(name, params).await;
            resource.refuses(&home, &mine, "deleted").await;
            resource.create(&home).await;
            resource.write(&home, "made again").await;
            resource.refuses(&home, &mine, "deleted, then made again").await;
        }
        home.ok("WorkbenchDelete", json!({ "workbench_id": ID, "confirm": ID })).await;
        home.ok("WorkbenchImport", json!({ "from": archive.to_str().unwrap(), "id": ID })).await;
        resource.refuses(&home, &mine, "imported").await;
    }
}

#[tokio::test]
async fn only_if_there_is_none_yet() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        let makes = resource.create.unwrap_or(|| ("", Value::Null));
        let call = if resource.create.is_some() { makes() } else { (resource.put)("first") };
        let (name, params) = on(call, Some(&json!(0)));
        home.ok(name, params.clone()).await;
        home.fails_with(Code::Conflict, name, params).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_on_one_tag_one_wins() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.create(&home).await;
        let base = resource.write(&home, "first").await;
        let writers: Vec<_> = (0..6)
            .map(|n| {
                let workbench = home.workbench.clone();
                let (name, params) = on((resource.put)(&format!("writer {n}")), Some(&base));
                tokio::spawn(async move { workbench.call(name, CallContext::new(Actor::person()), params).await })
            })
            .collect();
        let mut won = 0;
        for writer in writers {
            match writer.await.unwrap() {
                Ok(_) => won += 1,
                Err(error) => assert_eq!(error.code(), Code::Conflict, "{error}"),
            }
        }
        assert_eq!(won, 1, "{}", resource.tag);
    }
}

#[tokio::test]
async fn saving_what_is_there_changes_nothing() {
    for resource in RESOURCES {
        if resource.tag == "/item/etag" && (resource.put)("").0 == "ContextProcess" {
            // Processing calls a model each time: its result counts as new even if it is equal.
            continue;
        }
        let home = TestHome::with_workbench().await;
        resource.create(&home).await;
        let tag = resource.write(&home, "first").await;
        let total = home.plain("JournalList").await["total"].clone();
        assert_eq!(resource.write(&home, "first").await, tag);
        let (name, params) = on((resource.put)("first"), Some(&tag));
        home.ok(name, params).await;
        assert_eq!(home.plain("JournalList").await["total"], total, "{name}");
    }
    // Saving an item unchanged does not turn a model's item into a manual edit.
    let home = TestHome::with_workbench().await;
    RESOURCES[1].create(&home).await;
    let get = json!({ "workbench_id": ID, "category": "company-context" });
    let before = home.ok("ContextGet", get.clone()).await;
    let put = json!({ "workbench_id": ID, "category": "company-context", "files": before["item"]["files"] });
    assert_eq!(home.ok("ContextUpdateDirect", put).await, before);
    assert_eq!(home.ok("ContextGet", get).await["item"]["has_direct_edits"], false);
}

#[tokio::test]
async fn reprocessing_and_importing_are_refused_on_an_older_item() {
    let home = TestHome::with_workbench().await;
    let item = RESOURCES[0];
    item.create(&home).await;
    let (name, params) = on((item.get)(), None);
    let old = item.tag_of(&home.ok(name, params).await);
    let listed = home.plain("ContextList").await;
    assert!(listed["items"].as_array().unwrap().iter().any(|one| one["etag"] == old), "{listed}");
    let files = home.ok("ContextGetArtifact", json!({ "workbench_id": ID, "category": "situation" })).await;
    assert_eq!(files["etag"], old);
    item.write(&home, "theirs").await;
    let again = json!({ "workbench_id": ID, "category": "situation", "overwrite_direct_edits": true,
        "model": "offline:extract", "base_revision": old });
    let error = home.fails_with(Code::Conflict, "ContextReprocess", again).await;
    assert!(error.info.detail.unwrap().to_string().contains("theirs"));
    let skill = "---\nname: company-context\ndescription: Who we are\n---\n\nText\n";
    home.outside("company-context/SKILL.md", skill);
    let folder = home.path().join("outside/company-context");
    let import = |base: &Value| json!({ "workbench_id": ID, "category": "company-context", "folder": folder.to_str().unwrap(), "base_revision": base });
    home.ok("ContextImport", import(&json!(0))).await;
    home.fails_with(Code::Conflict, "ContextImport", import(&json!(0))).await;
    // A manual edit of the folder creates a new version too.
    let (name, params) = on((item.get)(), None);
    let seen = item.tag_of(&home.ok(name, params).await);
    std::fs::write(home.view("meta/context/situation/context.md"), "- by hand\n").unwrap();
    let error = item.refuses(&home, &seen, "edited in the folder").await;
    assert!(error.info.detail.unwrap().to_string().contains("by hand"));
}
