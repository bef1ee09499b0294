//! Import and export of artifacts as Markdown files and editor documents.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

#[tokio::test]
async fn markdown_comes_in_and_goes_out_byte_for_byte() {
    let home = TestHome::with_workbench().await;
    let text = "---\na: 1\n---\n\n# My Plan\r\n\r\n##  Odd   heading ##\n\n* a\n\n\n";
    let file = home.outside("Weird Name.md", text);
    let made = home.ok("ArtifactImport", json!({ "workbench_id": ID, "source_path": file })).await;
    assert_eq!(
        (&made["artifact"]["slug"], &made["artifact"]["title"], &made["created"]),
        (&json!("weird-name"), &json!("My Plan"), &json!(true))
    );
    assert_eq!((&made["format"], &made["warnings"]), (&json!("markdown"), &json!([])));
    let out = home.ok("ArtifactExport", json!({ "workbench_id": ID, "slug": "weird-name" })).await;
    assert_eq!(
        (&out["content"], &out["name"], &out["media_type"]),
        (&json!(text), &json!("weird-name.md"), &json!("text/markdown"))
    );
    let again = home.ok("ArtifactImport", json!({ "workbench_id": ID, "content": text, "slug": "weird-name" })).await;
    assert_eq!((&again["created"], &again["artifact"]["revision"]), (&json!(false), &json!(1)), "nothing new");
    home.add("plans/launch.md", "# Launch\n\n## When\n").await;
    let from =
        home.ok("ArtifactImport", json!({ "workbench_id": ID, "path": "plans/launch.md", "stage": "design" })).await;
    assert_eq!((&from["artifact"]["slug"], &from["artifact"]["stage"]), (&json!("launch"), &json!("design")));
    home.fails_with(Code::ValidationFailed, "ArtifactImport", json!({ "workbench_id": ID })).await;
    home.fails_with(
        Code::ValidationFailed,
        "ArtifactImport",
        json!({ "workbench_id": ID, "content": "x", "path": "plans/launch.md" }),
    )
    .await;
    home.fails_with(Code::FileNotFound, "ArtifactImport", json!({ "workbench_id": ID, "path": "nope.md" })).await;
    let binary = home.outside("b.md", [0xff, 0xfe, 0x00]);
    home.fails_with(Code::ValidationFailed, "ArtifactImport", json!({ "workbench_id": ID, "source_path": binary }))
        .await;
}

#[tokio::test]
async fn an_editors_document_comes_back_with_ids_done_marks_and_untouched_bytes() {
    let home = TestHome::with_workbench().await;
    let text = "# T\n\nLead.\n\n## One\n\n*   odd   list\n*   kept\n\n## Two\n\n<!-- guidance -->\n\n- [ ] task\n";
    home.ok("ArtifactImport", json!({ "workbench_id": ID, "content": text, "slug": "plan" })).await;
    let done = json!([{ "operation": "mark_section_done", "artifact_slug": "plan", "section_slug": "one" }]);
    home.ok("ArtifactApplyOps", json!({ "workbench_id": ID, "ops": done })).await;
    let out = home.ok("ArtifactExport", json!({ "workbench_id": ID, "slug": "plan", "format": "tiptap" })).await;
    let mut document = out["content"].clone();
    assert_eq!(
        (&document["type"], &out["media_type"], &out["name"]),
        (&json!("doc"), &json!("application/json"), &json!("plan.json"))
    );
    assert_eq!(out["warnings"].as_array().unwrap().len(), 1, "HTML is told");
    // Returned unchanged, so not a single byte differs.
    let same = home
        .ok("ArtifactImport", json!({ "workbench_id": ID, "slug": "plan", "content": document, "base_revision": 2 }))
        .await;
    assert_eq!(
        (&same["format"], &same["artifact"]["revision"], &same["artifact"]["content"]),
        (&json!("tiptap"), &json!(2), &json!(text))
    );
    let content = document["content"].as_array_mut().unwrap();
    let tasks = content.iter_mut().find(|node| node["type"] == "taskList").unwrap();
    tasks["content"][0]["attrs"]["checked"] = json!(true);
    content
        .push(json!({ "type": "heading", "attrs": { "level": 2 }, "content": [{ "type": "text", "text": "Three" }] }));
    content.push(json!({ "type": "mention", "attrs": { "label": "Ada" } }));
    let changed =
        home.ok("ArtifactImport", json!({ "workbench_id": ID, "slug": "plan", "content": document.to_string() })).await;
    let artifact = &changed["artifact"];
    let text = artifact["content"].as_str().unwrap();
    assert!(
        text.contains("*   odd   list\n*   kept") && text.contains("[x] task") && text.contains("## Three\n\nAda"),
        "{text}"
    );
    assert_eq!(changed["warnings"], json!(["the node `mention` was kept as its text"]));
    let sections: Vec<(&Value, &Value)> =
        artifact["sections"].as_array().unwrap().iter().map(|one| (&one["id"], &one["is_done"])).collect();
    assert_eq!(sections, [(&json!(1), &json!(true)), (&json!(2), &json!(false)), (&json!(3), &json!(false))]);
    assert_eq!(artifact["sections"][0]["changed_since_done"], false);
    for wrong in [json!({ "type": "paragraph" }), json!("{\"type\": \"doc\""), json!({})] {
        let params = json!({ "workbench_id": ID, "content": wrong, "format": "tiptap" });
        home.fails_with(Code::ValidationFailed, "ArtifactImport", params).await;
    }
    home.fails_with(
        Code::ValidationFailed,
        "ArtifactImport",
        json!({ "workbench_id": ID, "content": {}, "format": "markdown" }),
    )
    .await;
    let conflict = json!({ "workbench_id": ID, "slug": "plan", "content": document, "base_revision": 2 });
    home.fails_with(Code::Conflict, "ArtifactImport", conflict).await;
}
