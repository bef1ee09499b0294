//! The part of the sequence for kinds, entries, assets, recipes, jobs and tokens.

use serde_json::{Value, json};

use crate::script::{Step, deck, fails, ok};

const OFFLINE: &str = "offline:extract";
const NOBODY: &str = "0190b6c2-7d3e-7000-8000-000000000001";
const NEEDS_VISION: &str = "recipe: x\ncontext_requirements:\n  entries:\n    - {role: vision, required: true}\n";
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

fn entry(role: &str, mut more: Value) -> Value {
    more["role"] = json!(role);
    deck(more)
}

pub(crate) fn steps() -> Vec<Step> {
    let mut steps = kinds();
    steps.extend(entries());
    steps.extend(proposals());
    steps.extend(recipes());
    steps.extend(runs());
    // After the recipes, because asset ids have a different token count in each run.
    steps.extend(assets());
    steps
}

fn kinds() -> Vec<Step> {
    let field = |key: &str| json!({ "key": key, "type": "text", "label": key, "required": key == "name" });
    let kind = |fields: Value| {
        json!({ "anchor_role": "partner", "display_name": "Partner", "category": "market",
        "is_singleton": false, "field_schema": { "fields": fields } })
    };
    vec![
        ok("KindList", deck(json!({}))),
        ok("KindList", deck(json!({ "category": "foundation" }))),
        ok("KindGet", entry("brand", json!({}))),
        fails("KindGet", entry("brnad", json!({})), "KIND_NOT_FOUND"),
        ok("KindPut", deck(json!({ "definition": kind(json!([field("name"), field("city")])).to_string() }))),
        ok("KindPut", deck(json!({ "source_path": "{work}/partner.yaml", "dry_run": true }))),
        fails("KindPut", deck(json!({ "definition": "anchor_role: X" })), "VALIDATION_FAILED"),
        ok(
            "EntryPut",
            entry("partner", json!({ "entry_key": "initech", "data": { "name": "Initech", "city": "Here" } })),
        ),
        ok("KindPut", deck(json!({ "definition": kind(json!([field("name")])).to_string() }))),
        fails("KindDelete", entry("partner", json!({})), "KIND_IN_USE"),
        ok("EntryDelete", entry("partner", json!({ "entry_key": "initech", "base_revision": 2 }))),
        ok("KindDelete", entry("partner", json!({}))),
    ]
}

fn entries() -> Vec<Step> {
    let brand = json!({ "name": "Acme", "voice": "Plain and warm.", "tagline": "Ropes that hold." });
    let customer =
        json!({ "description": "Climbers", "pain_points": ["worn ropes"], "jobs_to_be_done": ["come home"] });
    let source = json!([{ "type": "document", "address": "@brand#voice", "revision": 1 }]);
    vec![
        fails("EntryGet", entry("brand", json!({})), "ENTRY_NOT_FOUND"),
        ok("EntryPut", entry("brand", json!({ "data": brand, "base_revision": 0, "reason": "first" }))),
        ok("EntryPut", entry("customer", json!({ "data": customer, "display_name": "Our people" }))),
        ok("EntryPut", entry("competitor", json!({ "entry_key": "globex", "data": { "name": "Globex" } }))),
        ok(
            "EntryPut",
            entry("trend", json!({ "entry_key": "light", "data": { "name": "Lighter ropes" }, "sources": source })),
        ),
        fails("EntryPut", entry("brand", json!({ "data": { "nmae": 1 } })), "VALIDATION_FAILED"),
        fails("EntryPut", entry("competitor", json!({ "data": { "name": "x" } })), "VALIDATION_FAILED"),
        ok("EntryPut", entry("brand", json!({ "data": { "colors": ["#112233"] }, "mode": "merge" }))),
        fails("EntryPut", entry("brand", json!({ "data": { "name": "x" }, "base_revision": 1 })), "CONFLICT"),
        ok("EntryGet", entry("brand", json!({ "fields": ["name", "voice"], "seen_revision": 1 }))),
        ok("EntryGet", entry("brand", json!({ "revision": 1 }))),
        fails("EntryGet", entry("brand", json!({ "revision": 9 })), "REVISION_NOT_FOUND"),
        ok("EntryList", deck(json!({}))),
        ok("EntryList", entry("competitor", json!({ "fields": ["name"], "limit": 1 }))),
        fails("EntryList", deck(json!({ "cursor": "x" })), "VALIDATION_FAILED"),
        ok("EntryHistory", entry("brand", json!({ "limit": 1 }))),
        ok("EntryHistory", entry("brand", json!({ "cursor": "2" }))),
        ok("EntryRestore", entry("brand", json!({ "revision": 1, "base_revision": 2 }))),
        fails("EntryRestore", entry("brand", json!({ "revision": 1, "base_revision": 2 })), "CONFLICT"),
        ok("EntryMarkDone", entry("brand", json!({ "field": "voice", "done": true }))),
        fails("EntryMarkDone", entry("brand", json!({ "field": "nothing" })), "VALIDATION_FAILED"),
        ok("EntryArchive", entry("competitor", json!({ "entry_key": "globex", "archived": true }))),
        ok("EntryList", deck(json!({ "state": "archived" }))),
        ok("EntryArchive", entry("competitor", json!({ "entry_key": "globex", "archived": false }))),
        ok("PromptAssemble", deck(json!({ "message": "What about @competitor:globex?", "model": "openai:gpt-5.2" }))),
    ]
}

fn proposals() -> Vec<Step> {
    let found = |more: Value| {
        let mut params = entry("problem", json!({ "model": OFFLINE }));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    vec![
        ok("EntryExtract", found(json!({ "text": "Problem statement: Ropes break.\nImpact: People fall." })))
            .keep("found", "/proposal/id"),
        ok("EntryExtract", found(json!({ "text": "Evidence: three falls" }))).keep("second", "/proposal/id"),
        ok("EntryExtract", found(json!({ "path": "notes.txt" }))),
        fails("EntryExtract", found(json!({ "text": " " })), "VALIDATION_FAILED"),
        ok("EntryListProposals", deck(json!({}))),
        ok("EntryListProposals", entry("problem", json!({ "origin": "extraction", "limit": 1 }))),
        ok("EntryAcceptProposal", deck(json!({ "proposal_id": "{found}" }))),
        fails("EntryAcceptProposal", deck(json!({ "proposal_id": "{found}" })), "CONFLICT"),
        fails("EntryAcceptProposal", deck(json!({ "proposal_id": NOBODY })), "PROPOSAL_NOT_FOUND"),
        fails("EntryRejectProposal", deck(json!({ "proposal_id": NOBODY })), "PROPOSAL_NOT_FOUND"),
    ]
}

fn assets() -> Vec<Step> {
    let png = |more: Value| {
        let mut params = deck(json!({ "name": "logo.png", "content_base64": DOT }));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let logo = |more: Value| {
        entry("brand", {
            let mut place = json!({ "field": "logo" });
            place.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            place
        })
    };
    vec![
        ok("AssetUpload", png(json!({ "role": "brand", "field": "logo" }))).keep("logo", "/asset/asset_id"),
        ok("AssetUpload", deck(json!({ "source_path": "{work}/sign.svg", "expires_in_hours": 1 })))
            .keep("sign", "/asset/asset_id"),
        fails("AssetUpload", png(json!({ "role": "brand", "field": "guidelines_doc" })), "VALIDATION_FAILED"),
        ok("AssetGet", deck(json!({ "asset_id": "{logo}", "include_content": true }))),
        fails("AssetGet", deck(json!({ "asset_id": NOBODY })), "ASSET_NOT_FOUND"),
        ok("AssetList", deck(json!({}))),
        ok("AssetList", entry("brand", json!({ "permanence": "permanent" }))),
        ok("AssetDetach", logo(json!({ "asset_id": "{logo}" }))),
        fails("AssetDetach", logo(json!({ "asset_id": "{logo}" })), "VALIDATION_FAILED"),
        ok("AssetAttach", logo(json!({ "asset_id": "{sign}" }))),
        fails("AssetAttach", logo(json!({ "asset_id": NOBODY })), "ASSET_NOT_FOUND"),
        ok("EntryGet", entry("brand", json!({ "resolve_assets": true }))),
        ok("AssetCleanup", deck(json!({ "dry_run": true }))),
        ok("AssetCleanup", deck(json!({}))),
    ]
}

fn recipes() -> Vec<Step> {
    let recipe = |name: &str, role: &str| {
        json!({ "recipe": name, "context_requirements": { "entries": [{ "role": role, "fields": ["name"], "required": true }] },
                "prompt": "{{context}} {{input}}", "schedule": "0 6 * * 1" })
    };
    vec![
        ok("RecipeList", deck(json!({}))),
        ok("RecipeGet", deck(json!({ "recipe": "weekly-content-calendar" }))),
        fails("RecipeGet", deck(json!({ "recipe": "weekly" })), "RECIPE_NOT_FOUND"),
        ok("RecipePut", deck(json!({ "definition": recipe("one-liner", "brand").to_string() }))),
        fails("RecipePut", deck(json!({ "definition": recipe("x", "nothing").to_string() })), "VALIDATION_FAILED"),
        ok("RecipeAssemble", deck(json!({ "recipe": "one-liner", "input": "Shortly.", "resolve_assets": true }))),
        ok(
            "RecipeAssemble",
            deck(json!({ "recipe": "weekly-content-calendar", "model": "anthropic:claude-opus-5-5" })),
        ),
        fails("RecipeAssemble", deck(json!({ "recipe": "one-liner", "max_tokens": 1 })), "CONTEXT_TOO_LARGE"),
        fails("RecipeAssemble", deck(json!({ "definition": NEEDS_VISION })), "MISSING_CONTEXT"),
        ok("RecipeListStale", deck(json!({}))),
        ok("RecipeDelete", deck(json!({ "recipe": "one-liner" }))),
        fails("RecipeDelete", deck(json!({ "recipe": "one-liner" })), "RECIPE_NOT_FOUND"),
    ]
}

fn runs() -> Vec<Step> {
    let run = |more: Value| {
        let mut params = deck(json!({ "recipe": "weekly-content-calendar", "model": OFFLINE }));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    vec![
        ok("RecipeRun", run(json!({}))).keep("output", "/output/id"),
        ok("RecipeRun", run(json!({ "input": "Again." }))).keep("rejected", "/output/id"),
        fails("RecipeRun", deck(json!({ "recipe": "weekly-content-calendar" })), "PROVIDER_NOT_CONFIGURED"),
        ok("OutputList", deck(json!({ "state": "pending" }))),
        ok("OutputGet", deck(json!({ "output_id": "{output}" }))),
        ok("OutputPromote", deck(json!({ "output_id": "{output}", "fields": ["topics"] }))),
        fails("OutputPromote", deck(json!({ "output_id": NOBODY })), "OUTPUT_NOT_FOUND"),
        ok("OutputReject", deck(json!({ "output_id": "{rejected}", "reason": "too thin" }))),
        fails("OutputReject", deck(json!({ "output_id": "{rejected}" })), "CONFLICT"),
        fails("OutputGet", deck(json!({ "output_id": "{found}" })), "OUTPUT_NOT_FOUND"),
        ok("EntryRejectProposal", deck(json!({ "proposal_id": "{second}", "reason": "nothing in it" }))),
        ok("JobList", deck(json!({ "state": "done" }))),
        fails("JobGet", deck(json!({ "job_id": NOBODY })), "JOB_NOT_FOUND"),
        ok("JobGet", deck(json!({ "job_id": "{output}" }))),
        ok("JobCancel", deck(json!({ "job_id": "{output}" }))),
        fails("JobCancel", deck(json!({ "job_id": NOBODY })), "JOB_NOT_FOUND"),
    ]
}

/// Tokens. The person who started the server stays signed in through the start token.
pub(crate) fn tokens() -> Vec<Step> {
    vec![
        ok("TokenList", json!({})),
        fails("TokenCreate", json!({ "name": "Ada", "role": "writer" }), "VALIDATION_FAILED"),
        ok("TokenCreate", json!({ "name": "Me", "role": "owner" })),
        ok("TokenCreate", json!({ "name": "Ada", "role": "writer" })).keep("token", "/info/id"),
        ok("TokenCreate", json!({ "name": "Bot", "role": "writer", "kind": "agent" })),
        ok("TokenCreate", json!({ "name": "Bob", "role": "reader", "workbench_id": "deck" })),
        fails("TokenCreate", json!({ "name": " ", "role": "reader" }), "VALIDATION_FAILED"),
        ok("TokenList", json!({ "workbench_id": "deck" })),
        ok("TokenRevoke", json!({ "token_id": "{token}" })),
        fails("TokenRevoke", json!({ "token_id": NOBODY }), "TOKEN_NOT_FOUND"),
        ok("TokenList", json!({ "include_revoked": true })),
    ]
}
