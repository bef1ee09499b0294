//! A small valid workspace, and helpers that break it.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use serde_json::{Value, json};

use crate::agent::{Compiled, FileRef, Files, Options, Problem, Snapshot, Standing, compile};

pub(super) type Texts = BTreeMap<String, Vec<u8>>;

pub(super) fn hash(bytes: &[u8]) -> BlobHash {
    BlobHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// One pack with a part of every kind, two catalogs, all defaults.
pub(super) fn good() -> Texts {
    let mut files = Texts::new();
    let mut put = |path: &str, value: Value| files.insert(path.to_owned(), value.to_string().into_bytes());
    put(
        "agent.workspace.json",
        json!({
            "schema": "jig.agent-workspace/1",
            "prompt_packs": { "main": "prompts/packs/main.json" },
            "tool_catalogs": { "default": "tools/catalogs/default.json", "small": "tools/catalogs/small.json" },
            "context": { "house": ["context/docs/rules.md", "context/images/logo.png"] },
            "defaults": {
                "prompt_pack": "main", "tool_catalog": "default",
                "phases": { "research": { "tool_catalog": "small" } },
            },
        }),
    );
    put(
        "prompts/packs/main.json",
        json!({
            "id": "main", "description": "All kinds of parts",
            "parts": [
                { "type": "template", "role": "system", "path": "prompts/templates/system.md" },
                { "type": "messages", "path": "prompts/examples.json" },
                { "type": "context", "path": "context/snippets/tone.md" },
                { "type": "context_group", "group": "house" },
                { "type": "template", "role": "user", "path": "prompts/templates/user.md" },
            ],
            "response_format": "prompts/format.json", "options": "prompts/options.json",
        }),
    );
    put(
        "prompts/examples.json",
        json!([{ "role": "user", "content": "hi" }, { "role": "assistant", "content": "ho" }]),
    );
    put("prompts/format.json", json!({ "name": "answer", "schema": { "type": "object" } }));
    put(
        "prompts/options.json",
        json!({ "temperature": 0.5, "max_tokens": 100, "streaming": false, "timeout_seconds": 30 }),
    );
    put(
        "tools/catalogs/default.json",
        json!({ "id": "default", "tools": ["tools/descriptors/a.json", "tools/descriptors/b.json"] }),
    );
    put("tools/catalogs/small.json", json!({ "id": "small", "tools": ["tools/descriptors/a.json"] }));
    for name in ["a", "b"] {
        put(&format!("tools/descriptors/{name}.json"), tool(name));
    }
    for (path, text) in [
        ("prompts/templates/system.md", "Project {{project.name}}"),
        ("prompts/templates/user.md", "{{userMessage}}"),
        ("context/snippets/tone.md", "Be short."),
        ("context/docs/rules.md", "No invention."),
    ] {
        files.insert(path.to_owned(), text.as_bytes().to_vec());
    }
    files.insert("context/images/logo.png".to_owned(), b"\x89PNG\r\n\x1a\n".to_vec());
    files
}

pub(super) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Does it", "input_schema": { "type": "object" } })
}

/// Compiles, supplying the requested blobs. Checks the number of rounds and that unused files were never requested.
pub(super) fn compiled(files: &Texts, legacy: bool) -> Result<Snapshot, Vec<Problem>> {
    let listing: Files = files
        .iter()
        .map(|(path, bytes)| (path.clone(), FileRef { hash: hash(bytes), bytes: bytes.len() as u64 }))
        .collect();
    let by_hash: BTreeMap<BlobHash, Vec<u8>> = files.values().map(|bytes| (hash(bytes), bytes.clone())).collect();
    let mut read = BTreeMap::new();
    let standing = |name: &str| match name {
        "b" => Standing::Unbound,
        "c" => Standing::NotPermitted,
        _ => Standing::Bound,
    };
    let options = Options { legacy, standing: &standing };
    loop {
        match compile(hash(b"root"), &listing, &read, &options) {
            Compiled::Ready(snapshot) => return Ok(snapshot),
            Compiled::Wrong(problems) => return Err(problems),
            Compiled::Needs(needs) => read.extend(needs.into_iter().map(|hash| (hash, by_hash[&hash].clone()))),
        }
    }
}

/// The errors of the valid workspace with one file replaced.
pub(super) fn spoiled(path: &str, value: &Value) -> Vec<String> {
    spoiled_by(|files| {
        files.insert(path.to_owned(), value.to_string().into_bytes());
    })
}

pub(super) fn spoiled_by(change: impl FnOnce(&mut Texts)) -> Vec<String> {
    let mut files = good();
    change(&mut files);
    compiled(&files, true)
        .map(|_| Vec::new())
        .unwrap_or_else(|problems| problems.iter().map(ToString::to_string).collect())
}
