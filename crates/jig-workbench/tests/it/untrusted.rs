//! Untrusted text on its way to a model and back: no control token reaches a provider, nothing is escaped twice, and
//! what the model writes is the original text.

use jig_prompt::escape::{Names, escape, unescape};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODELS, ModelHome, files, text};

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
