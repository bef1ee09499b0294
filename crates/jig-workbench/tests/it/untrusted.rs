//! Untrusted text on its way to a model and back: no control token reaches a provider, nothing is escaped twice, and
//! what the model writes is the original text.

use jig_prompt::escape::{Names, escape, unescape};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, MODELS, ModelHome, files, text};
use crate::session_home::workspace;

/// Text that must not reach any provider.
const TOKENS: &[&str] = &[
    "<|im_end|>",
    "<|im_start|>system",
    "<|eot_id|>",
    "[INST]",
    "<<SYS>>",
    "<start_of_turn>",
    "<｜end▁of▁sentence｜>",
    "</tool_call>",
    "<|someone-elses-token|>",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "\u{1}",
];

fn hostile() -> String {
    format!(
        "# Notes\n\n{}\n\na < b && c &lt; d &amp;lt; \"q\" می\u{200c}خواهم 👨\u{200d}👩 ⟦<⟧ end\n",
        TOKENS.join(" then ")
    )
}

/// Every text in a request, including names.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.push(name.clone());
            texts(value, found);
            // Some wire formats carry the arguments of a call as JSON inside a string.
            if name == "arguments"
                && let Some(Ok(inner)) = value.as_str().map(serde_json::from_str::<Value>)
            {
                texts(&inner, found);
            }
        }),
        _ => {}
    }
}

fn sent(home: &ModelHome) -> Vec<String> {
    let mut found = Vec::new();
    home.server.requests().iter().for_each(|request| texts(&request.json(), &mut found));
    found
}

fn none_is_sent(home: &ModelHome) {
    for text in sent(home) {
        for token in TOKENS {
            assert!(!text.contains(token), "{token:?} in {text}");
        }
    }
}

#[tokio::test]
async fn a_file_that_a_model_reads_and_writes_back_is_the_same_for_every_provider() {
    // The window of `own:small` is too small for the tools; its wire format is Mistral's.
    for model in MODELS.into_iter().filter(|model| *model != "own:small") {
        let home = ModelHome::new().await;
        home.agree(model).await;
        home.home.add("notes.md", &hostile()).await;
        home.calls("r", "read_file", &json!({ "path": "notes.md" }));
        let copied = escape(&hostile(), Names::Sections).into_owned();
        assert_ne!(copied, hostile());
        home.calls("w", "write_text_file", &json!({ "path": "copy.md", "text": copied }));
        home.says(&format!("The file has {}", escape("<|im_end|> in it.", Names::Sections)));
        let begun = json!({ "workbench_id": ID, "message": format!("Copy it. {}", TOKENS[1]), "title": "Copy",
            "options": { "mode": "direct", "model": model } });
        let done = home.home.ok("WorkshopBegin", begun).await;
        assert_eq!(home.server.left(), 0, "{done:#}");
        let written = std::fs::read_to_string(home.home.view("draft/copy.md")).unwrap();
        assert_eq!(written, hostile(), "{model}");
        let said = done["messages"].as_array().unwrap().last().unwrap()["text"].clone();
        assert_eq!(said, "The file has <|im_end|> in it.", "people read the text itself");
        none_is_sent(&home);
        home.replays(done["session"]["id"].as_str().unwrap()).await;
    }
}

#[tokio::test]
async fn the_text_of_an_artifact_is_escaped_once_in_every_phase() {
    let home = ModelHome::agreed().await;
    let marked = "a < b && c &lt; d &amp;lt; e";
    let content = format!("# Concept\n\n## Idea\n\n{marked}\n\n</section></current-artifact> {}\n", TOKENS.join(" "));
    home.home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept", "content": content })).await;
    home.says("The idea is there.").says("# Plan\n\n- [ ] Write idea.md\n");
    home.calls("w", "write_text_file", &json!({ "path": "idea.md", "text": marked })).says("Done.").says("All done.");
    let begun = json!({ "workbench_id": ID, "message": "Compare @concept#idea with @concept and write idea.md", "title": "Idea" });
    let done = home.home.ok("WorkshopBegin", begun).await;
    assert_eq!(home.server.left(), 0, "{done:#}");
    assert_eq!(std::fs::read_to_string(home.home.view("draft/idea.md")).unwrap(), marked);
    let requests = home.server.requests();
    assert!(requests.len() >= 4);
    for request in &requests {
        let mut found = Vec::new();
        texts(&request.json(), &mut found);
        let shown = found.iter().find(|text| text.contains("c &lt; d &amp;lt; e")).expect("the artifact is shown");
        assert!(unescape(shown).contains(marked), "{shown}");
        assert!(!shown.contains("&amp;amp;") && !shown.contains("⟦⟦⟧") && !shown.contains("a &lt; b"), "{shown}");
    }
    none_is_sent(&home);
}

#[tokio::test]
async fn the_material_of_an_item_is_neutralized_and_its_quotes_come_back() {
    let home = ModelHome::agreed().await;
    let quoted = escape("Say \u{202e}x and <|im_end|>", Names::Sections).into_owned();
    home.server.reply(files(&json!([{ "path": "context.md", "content": format!("- **Quote**: {quoted}\n") }])));
    let made = home.home.ok("ContextProcess", text("situation", &hostile())).await;
    let content = made["item"]["files"][0]["content"].as_str().unwrap();
    assert!(content.contains("Say \u{202e}x and <|im_end|>"), "{made:#}");
    none_is_sent(&home);
    assert!(sent(&home).iter().any(|text| text.contains("a < b && c &lt; d &amp;lt;")));
}

/// Text that can be the name of a file, a heading or a value: without line ends.
fn hostile_words() -> String {
    TOKENS
        .iter()
        .filter(|token| !token.contains(['/', '\u{1}', '\u{202e}', '\u{200b}', '\u{e0041}']))
        .copied()
        .collect()
}

#[tokio::test]
async fn repairs_extractions_and_recipes_send_nothing_as_it_stands() {
    let home = ModelHome::agreed().await;
    let words = hostile();
    // A wrong answer goes back with what was wrong in it.
    for category in ["situation", "company-context", "document-style"] {
        let wrong = json!([{ "path": format!("../{words}"), "content": words }]);
        home.server.reply(files(&wrong)).reply(files(&wrong));
        home.home.fails("ContextProcess", text(category, &words)).await;
    }
    let brand = json!({ "workbench_id": ID, "role": "brand", "text": words });
    home.says(&format!("{{\"fields\": [{{\"field\": \"{}\"}}]}}", hostile_words())).says(&words);
    home.home.fails("EntryExtract", brand).await;
    let label: String = hostile_words().chars().take(120).collect();
    let kind = json!({ "anchor_role": "partner", "display_name": label, "description": words, "category": "market", "is_singleton": true,
        "field_schema": { "fields": [{ "key": "name", "type": "text", "label": label, "help": words, "required": true }] } });
    home.home.ok("KindPut", json!({ "workbench_id": ID, "definition": kind })).await;
    home.says("{}");
    home.home.ok("EntryExtract", json!({ "workbench_id": ID, "role": "partner", "text": words })).await;
    home.home.ok("EntryPut", json!({ "workbench_id": ID, "role": "partner", "data": { "name": words } })).await;
    let recipe = json!({ "recipe": "one-liner", "display_name": label, "prompt": format!("{words} {{{{context}}}} {{{{input}}}}"),
        "context_requirements": { "entries": [{ "role": "partner", "fields": ["name"] }] } });
    home.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": recipe })).await;
    home.says("A line.");
    home.home
        .ok("RecipeRun", json!({ "workbench_id": ID, "recipe": "one-liner", "input": words, "model": MODEL }))
        .await;
    assert_eq!(home.server.left(), 0);
    assert!(home.server.requests().len() >= 10, "{}", home.server.requests().len());
    none_is_sent(&home);
}

#[tokio::test]
async fn names_tools_errors_and_documents_of_a_run_send_nothing_as_it_stands() {
    let home = ModelHome::agreed().await;
    let words = hostile();
    let name = format!("[INST]<|im_end|><start_of_turn> {}.md", "<｜end▁of▁sentence｜>");
    home.home.add(&name, "# <<SYS>> first\n\ntext\n").await;
    home.home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": hostile_words(), "content": words })).await;
    home.home.ok("ProjectDescribe", json!({ "workbench_id": ID, "description": words })).await;
    home.home.ok("ConversationAdd", json!({ "workbench_id": ID, "text": words })).await;
    // A pack with a document, and a tool with a foreign description.
    let mut list = workspace(&words, &["list_files", "read_file", "outside__tool"]);
    let parts = list.as_array_mut().unwrap();
    parts[0]["text"] = json!({ "id": "main", "parts": [
        { "type": "template", "role": "system", "path": "prompts/templates/system.md" },
        { "type": "context", "path": "context/docs/rules.md" },
    ] })
    .to_string()
    .into();
    parts.push(json!({ "path": "context/docs/rules.md", "text": words }));
    let schema =
        json!({ "type": "object", "properties": { hostile_words(): { "description": words, "enum": [words] } } });
    let tool = json!({ "name": "outside__tool", "description": words, "input_schema": schema });
    let described = parts.iter_mut().find(|part| part["path"] == "tools/descriptors/outside__tool.json").unwrap();
    described["text"] = tool.to_string().into();
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": list, "delete": true })).await;
    let session = home.session(json!({ "title": words })).await;
    // What it reads, what it misspells and what it invents come back to it.
    home.calls("a", "list_files", &json!({}));
    home.calls("b", "read_file", &json!({ "path": name }));
    home.calls("c", "read_file", &json!({ "path": format!("none{}", hostile_words()), hostile_words(): words }));
    home.calls("d", "read_file", &json!({ "path": hostile_words() }));
    home.says("Done.");
    let done = home.direct(&session, &words).await;
    assert_eq!(home.server.left(), 0, "{done:#}");
    none_is_sent(&home);
    home.replays(&session).await;
}

#[tokio::test]
async fn the_preview_says_what_was_neutralized() {
    let home = ModelHome::agreed().await;
    home.home.add("notes.md", &hostile()).await;
    let prompt = home.home.ok("PromptAssemble", json!({ "workbench_id": ID, "message": "Summarise notes.md" })).await;
    let notices = prompt["notices"].to_string();
    assert!(notices.contains("Neutralised in this prompt: ") && notices.contains("notes.md"), "{notices}");
    let clean = ModelHome::agreed().await;
    clean.home.add("notes.md", "Plain words, naïve and 日本語.\n").await;
    let prompt = clean.home.ok("PromptAssemble", json!({ "workbench_id": ID, "message": "Summarise notes.md" })).await;
    assert!(!prompt["notices"].to_string().contains("Neutralised"));
}
