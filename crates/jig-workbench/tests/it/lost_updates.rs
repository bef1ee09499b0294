//! No lost updates: a tag or number is never accepted for content that its holder did not see, and saving unchanged
//! content changes nothing.

use jig_contract::{Actor, Code};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

/// A resource with a tag: how to write, read and delete it.
#[derive(Clone, Copy)]
struct Resource {
    put: fn(&str) -> (&'static str, Value),
    get: fn() -> (&'static str, Value),
    delete: fn() -> (&'static str, Value),
    /// The location of the resource in a result.
    member: &'static str,
}

const RESOURCES: [Resource; 3] = [
    Resource {
        put: |text| ("EntryPut", json!({ "role": "brand", "data": { "name": text } })),
        get: || ("EntryGet", json!({ "role": "brand" })),
        delete: || ("EntryDelete", json!({ "role": "brand" })),
        member: "entry",
    },
    Resource {
        put: |text| ("EntryPut", json!({ "role": "competitor", "entry_key": "globex", "data": { "name": text } })),
        get: || ("EntryGet", json!({ "role": "competitor", "entry_key": "globex" })),
        delete: || ("EntryDelete", json!({ "role": "competitor", "entry_key": "globex" })),
        member: "entry",
    },
    Resource {
        put: |text| ("ArtifactPut", json!({ "slug": "plan", "content": format!("# Plan\n\n## One\n\n{text}\n") })),
        get: || ("ArtifactGet", json!({ "slug": "plan" })),
        delete: || ("ArtifactDelete", json!({ "slug": "plan" })),
        member: "artifact",
    },
];

impl Resource {
    fn on(id: &str, call: (&'static str, Value), base: Option<&Value>) -> (&'static str, Value) {
        let (name, mut params) = call;
        params["workbench_id"] = id.into();
        if let Some(base) = base {
            params["base_revision"] = base.clone();
        }
        (name, params)
    }

    async fn write(&self, home: &TestHome, text: &str) -> Value {
        let (name, params) = Self::on(ID, (self.put)(text), None);
        home.ok(name, params).await[self.member].clone()
    }

    async fn read(&self, home: &TestHome, id: &str) -> Value {
        let (name, params) = Self::on(id, (self.get)(), None);
        home.ok(name, params).await[self.member].clone()
    }

    async fn delete(&self, home: &TestHome) {
        let (name, params) = Self::on(ID, (self.delete)(), None);
        home.ok(name, params).await;
    }

    /// Checks that neither the tag nor the number of an old read is accepted by a write or a delete.
    async fn refuses(&self, home: &TestHome, read: &Value, why: &str) {
        for base in [&read["etag"], &read["revision"]] {
            for call in [(self.put)("late"), (self.delete)()] {
                let (name, params) = Self::on(ID, call, Some(base));
                let error = home.fails(name, params).await;
                let refused = matches!(
                    error.code(),
                    Code::Conflict | Code::RevisionNotFound | Code::EntryNotFound | Code::ArtifactNotFound
                );
                assert!(refused, "{why}: {name} on {base}: {} {error}", error.code());
            }
        }
    }

    async fn accepts(&self, home: &TestHome, base: &Value, text: &str) -> Value {
        let (name, params) = Self::on(ID, (self.put)(text), Some(base));
        home.ok(name, params).await[self.member].clone()
    }
}

#[tokio::test]
async fn a_base_is_not_accepted_after_delete_and_create() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        let old = resource.write(&home, "mine").await;
        resource.delete(&home).await;
        resource.refuses(&home, &old, "deleted").await;
        let new = resource.write(&home, "theirs").await;
        assert_ne!(old["etag"], new["etag"]);
        resource.refuses(&home, &old, "created again").await;
        // Equal content is still another revision.
        resource.delete(&home).await;
        resource.write(&home, "mine").await;
        resource.refuses(&home, &old, "created again with the same content").await;
        resource.refuses(&home, &new, "created again with other content").await;
    }
}

#[tokio::test]
async fn a_base_is_not_accepted_after_undo_and_another_write() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        let first = resource.write(&home, "first").await;
        let mine = resource.write(&home, "mine").await;
        home.plain("JournalUndo").await;
        resource.refuses(&home, &mine, "undone").await;
        let theirs = resource.write(&home, "theirs").await;
        assert_ne!((&mine["etag"], &mine["revision"]), (&theirs["etag"], &theirs["revision"]));
        resource.refuses(&home, &mine, "undone, then written").await;
        resource.refuses(&home, &first, "older").await;
        resource.accepts(&home, &theirs["etag"], "next").await;
    }
}

#[tokio::test]
async fn a_base_is_not_accepted_after_a_checkpoint_is_restored_and_written() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.write(&home, "first").await;
        let made = home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "then" })).await;
        let mine = resource.write(&home, "mine").await;
        let checkpoint = made["checkpoint"]["id"].as_str().or_else(|| made["id"].as_str()).unwrap().to_owned();
        home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": checkpoint })).await;
        resource.refuses(&home, &mine, "restored").await;
        resource.write(&home, "theirs").await;
        resource.refuses(&home, &mine, "restored, then written").await;
        // A document that is missing from the restored state, created again.
        resource.delete(&home).await;
        home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": checkpoint })).await;
        resource.write(&home, "once more").await;
        resource.refuses(&home, &mine, "deleted, restored, written").await;
    }
}

#[tokio::test]
async fn a_base_is_not_accepted_in_another_workbench_of_the_same_id() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.write(&home, "first").await;
        let mine = resource.write(&home, "mine").await;
        home.ok("WorkbenchDelete", json!({ "workbench_id": ID, "confirm": ID })).await;
        home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
        resource.write(&home, "theirs").await;
        let second = resource.write(&home, "theirs too").await;
        resource.refuses(&home, &mine, "a new workbench").await;
        resource.accepts(&home, &second["etag"], "next").await;
    }
}

#[tokio::test]
async fn a_base_is_not_accepted_after_an_archive_came_back_under_the_same_id() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.write(&home, "first").await;
        let archive = home.path().join("one.jig");
        let path = archive.to_str().unwrap();
        home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": path })).await;
        let mine = resource.write(&home, "mine").await;
        home.ok("WorkbenchDelete", json!({ "workbench_id": ID, "confirm": ID })).await;
        home.ok("WorkbenchImport", json!({ "from": path, "id": ID })).await;
        resource.refuses(&home, &mine, "imported").await;
        let theirs = resource.write(&home, "theirs").await;
        resource.refuses(&home, &mine, "imported, then written").await;
        resource.accepts(&home, &theirs["etag"], "next").await;
    }
}

#[tokio::test]
async fn a_clone_and_its_source_go_apart() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        resource.write(&home, "first").await;
        home.ok("WorkbenchClone", json!({ "workbench_id": ID, "name": "Copy", "id": "copy" })).await;
        let (name, params) = Resource::on("copy", (resource.put)("in the copy"), None);
        home.ok(name, params).await;
        let copied = resource.read(&home, "copy").await;
        let here = resource.write(&home, "here").await;
        assert_ne!(copied["etag"], here["etag"]);
        let (name, params) = Resource::on(ID, (resource.put)("late"), Some(&copied["etag"]));
        home.fails_with(Code::Conflict, name, params).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_on_one_base_one_wins() {
    for resource in RESOURCES {
        let home = TestHome::with_workbench().await;
        let base = resource.write(&home, "first").await["etag"].clone();
        let writers: Vec<_> = (0..8)
            .map(|n| {
                let workbench = home.workbench.clone();
                let (name, params) = Resource::on(ID, (resource.put)(&format!("writer {n}")), Some(&base));
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
        assert_eq!(won, 1);
        assert_eq!(resource.read(&home, ID).await["revision"], 2);
    }
}

#[tokio::test]
async fn a_tag_is_compared_as_a_whole() {
    let home = TestHome::with_workbench().await;
    for resource in RESOURCES {
        let now = resource.write(&home, "first").await;
        let tag = now["etag"].as_str().unwrap();
        for wrong in [
            format!("{tag}0"),
            tag[..tag.len() - 1].to_owned(),
            tag.replacen("1-", "2-", 1),
            format!("1-{}", "0".repeat(32)),
            "nonsense".to_owned(),
            String::new(),
        ] {
            let (name, params) = Resource::on(ID, (resource.put)("late"), Some(&json!(wrong)));
            home.fails_with(Code::Conflict, name, params).await;
        }
        assert_eq!(resource.read(&home, ID).await, now);
        resource.accepts(&home, &json!(format!("\"{tag}\"")), "next").await;
    }
}

#[tokio::test]
async fn sections_merge_by_tag_and_never_on_an_undone_base() {
    let home = TestHome::with_workbench().await;
    let put = |text: &str| json!({ "workbench_id": ID, "slug": "plan", "content": text });
    let first = home.ok("ArtifactPut", put("# Plan\n\n## One\n\na\n\n## Two\n\nb\n")).await["artifact"].clone();
    let update = |section: &str, text: &str| json!({ "operation": "update_section", "artifact_slug": "plan", "section_slug": section, "content": text });
    let ops = |op: Value, base: &Value| json!({ "workbench_id": ID, "ops": [op], "base_revision": base });
    let second = home.ok("ArtifactApplyOps", ops(update("one", "a2"), &first["etag"])).await;
    let seen = second["artifacts"][0].clone();
    // A write to another section with the older tag loses nothing.
    home.ok("ArtifactApplyOps", ops(update("two", "b2"), &first["etag"])).await;
    home.fails_with(Code::Conflict, "ArtifactApplyOps", ops(update("one", "late"), &first["etag"])).await;
    home.plain("JournalUndo").await;
    home.plain("JournalUndo").await;
    home.ok("ArtifactApplyOps", ops(update("two", "b3"), &first["etag"])).await;
    // The revision this client has seen was undone: section one differs from what it read, although no one wrote it
    // since.
    for base in [&seen["etag"], &seen["revision"]] {
        home.fails_with(Code::Conflict, "ArtifactApplyOps", ops(update("one", "late"), base)).await;
        let mut own = update("one", "late");
        own["base_revision"] = base.clone();
        home.fails_with(Code::Conflict, "ArtifactApplyOps", json!({ "workbench_id": ID, "ops": [own] })).await;
    }
    // Naming a revision does not create a new one.
    let now = home.ok("ArtifactGet", json!({ "workbench_id": ID, "slug": "plan" })).await["artifact"].clone();
    home.ok("ArtifactSnapshot", json!({ "workbench_id": ID, "slug": "plan", "name": "agreed" })).await;
    home.ok("ArtifactApplyOps", ops(update("one", "a4"), &now["etag"])).await;
}

async fn changes(home: &TestHome) -> u64 {
    home.plain("JournalList").await["total"].as_u64().unwrap()
}

#[tokio::test]
async fn saving_what_is_there_changes_nothing() {
    let home = TestHome::with_workbench().await;
    let agent = CallContext::new(Actor::agent("scout"));
    let data = json!({ "name": "Globex", "strengths": ["price", "reach"] });
    let sources = json!([{ "type": "file", "name": "report.pdf" }]);
    let params =
        json!({ "workbench_id": ID, "role": "competitor", "entry_key": "globex", "data": data, "sources": sources });
    home.workbench.call("EntryPut", agent, params).await.unwrap();
    let get = json!({ "workbench_id": ID, "role": "competitor", "entry_key": "globex" });
    let before = home.ok("EntryGet", get.clone()).await;
    let (entry, total) = (&before["entry"], changes(&home).await);
    assert_eq!(entry["fields"][0]["by"]["name"], "scout");
    for (mode, data) in [
        ("merge", entry["data"].clone()),
        ("replace", entry["data"].clone()),
        ("merge", json!({})),
        ("merge", json!({ "name": "Globex" })),
        ("merge", json!({ "website": null })),
    ] {
        let put = json!({ "workbench_id": ID, "role": "competitor", "entry_key": "globex", "mode": mode,
            "data": data, "base_revision": entry["etag"], "display_name": entry["display_name"] });
        let saved = home.ok("EntryPut", put).await;
        assert_eq!((&saved["entry"], &saved["outcome"]), (entry, &json!("written")), "{mode} {data}");
        assert_eq!(home.ok("EntryGet", get.clone()).await, before);
    }
    assert_eq!(changes(&home).await, total, "no revision, no line in the journal");
    // One field changes: the others keep their author and sources.
    let mut data = entry["data"].clone();
    data["name"] = json!("Globex Corp");
    let put = json!({ "workbench_id": ID, "role": "competitor", "entry_key": "globex", "data": data });
    let after = home.ok("EntryPut", put).await["entry"].clone();
    let field = |of: &Value, key: &str| {
        of["fields"].as_array().unwrap().iter().find(|field| field["key"] == key).unwrap().clone()
    };
    assert_eq!(field(&after, "strengths"), field(entry, "strengths"));
    assert_eq!(field(&after, "name")["by"]["type"], "person");
    assert_eq!(field(&after, "name").get("sources"), None);
}

#[tokio::test]
async fn saving_an_artifact_as_it_is_changes_nothing() {
    let home = TestHome::with_workbench().await;
    let content = "# Plan\n\n## One\n\na\n";
    home.ok("ArtifactPut", json!({ "workbench_id": ID, "slug": "plan", "content": content })).await;
    let get = json!({ "workbench_id": ID, "slug": "plan" });
    let (before, total) = (home.ok("ArtifactGet", get.clone()).await, changes(&home).await);
    let update =
        json!([{ "operation": "update_section", "artifact_slug": "plan", "section_slug": "one", "content": "a" }]);
    home.ok("ArtifactPut", json!({ "workbench_id": ID, "slug": "plan", "content": content })).await;
    home.ok("ArtifactPut", json!({ "workbench_id": ID, "slug": "plan", "title": "Plan" })).await;
    home.ok("ArtifactApplyOps", json!({ "workbench_id": ID, "ops": update })).await;
    assert_eq!(home.ok("ArtifactGet", get).await, before);
    assert_eq!(changes(&home).await, total);
}

#[tokio::test]
async fn an_agent_that_repeats_what_a_person_wrote_proposes_nothing() {
    let home = TestHome::with_workbench().await;
    let put = |data: Value| json!({ "workbench_id": ID, "role": "brand", "data": data });
    let before = home.ok("EntryPut", put(json!({ "name": "Acme", "voice": "Plain." }))).await["entry"].clone();
    let agent = || CallContext::new(Actor::agent("scout"));
    let same = home.workbench.call("EntryPut", agent(), put(before["data"].clone())).await.unwrap();
    assert_eq!((&same["outcome"], &same["entry"]), (&json!("written"), &before));
    let other =
        home.workbench.call("EntryPut", agent(), put(json!({ "name": "Acme", "voice": "Loud." }))).await.unwrap();
    assert_eq!(other["outcome"], "proposed");
    assert_eq!(other["proposal"]["fields"].as_array().unwrap().len(), 1, "only what differs is proposed: {other}");
}
