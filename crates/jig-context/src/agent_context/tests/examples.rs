//! The interfaces and the two worked examples of the context schema.

use jig_contract::ops::WantedLevel;
use serde_json::{Value, json};

use super::fixtures::World;
use crate::agent_context::tests::fixtures::author;
use crate::artifact::{Batch, apply};

/// Checks that everything in the example is present with the same value.
fn holds(whole: &Value, example: &Value, place: &str) {
    match (whole, example) {
        (Value::Object(whole), Value::Object(example)) => {
            for (name, value) in example {
                let there = whole.get(name).unwrap_or_else(|| panic!("{place}.{name} is missing"));
                holds(there, value, &format!("{place}.{name}"));
            }
        }
        (Value::Array(whole), Value::Array(example)) => {
            assert!(whole.len() >= example.len(), "{place}");
            for (n, (whole, example)) in whole.iter().zip(example).enumerate() {
                holds(whole, example, &format!("{place}[{n}]"));
            }
        }
        _ => assert_eq!(whole, example, "{place}"),
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_worked_examples_have_exactly_these_values() {
    let mut world = World::new();
    let done = serde_json::from_value(
        json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it", "is_done": true }]),
    );
    let ops: Vec<jig_contract::ops::ArtifactOp> = done.unwrap();
    let batch = Batch {
        ops: ops.iter().enumerate().collect(),
        base_revision: None,
        author: author(jig_contract::Actor::person()),
        previous: None,
    };
    world.artifacts[0] = apply(&world.artifacts[0], batch).unwrap().artifact.unwrap();
    let built = world.build(Some("concept"), WantedLevel::Full, None).unwrap();
    let context = serde_json::to_value(&built.context).unwrap();
    let project = json!({
        "project": {
            "id": "abc123",
            "name": "ack-demo",
            "current_stage": "discovery",
            "stages": {
                "discovery": {
                    "artifacts_total": 4, "artifacts_finalized": 2, "sections_complete": 9, "sections_total": 17, "progress_pct": 52.9
                }
            }
        }
    });
    holds(&context, &project, "");
    let current = json!({
        "currentArtifact": {
            "name": "concept.md",
            "slug": "concept",
            "status": "draft",
            "sections": [
                { "slug": "what-is-it", "title": "What Is It?", "is_done": true, "preview": "ACK (Agent Context Kit) is a planning layer..." },
                { "slug": "problem-being-solved", "title": "Problem Being Solved", "is_done": false, "preview": null }
            ]
        }
    });
    holds(&context, &current, "");
    let content = context["currentArtifact"]["content"].as_str().unwrap();
    assert!(content.starts_with("# Project Concept: ACK\n\n## What Is It?\n\n"), "{content}");
}

#[test]
fn every_field_of_the_interfaces_is_there_and_no_other() {
    let world = World::new();
    let built = world.build(Some("concept"), WantedLevel::Full, Some("Update the problem being solved")).unwrap();
    let context = serde_json::to_value(&built.context).unwrap();
    assert_eq!(keys(&context), ["project", "currentArtifact", "relatedArtifacts", "chatHistory", "systemState"]);
    let project = ["id", "name", "description", "current_stage", "stages", "created_at", "updated_at"];
    assert_eq!(keys(&context["project"]), project);
    let progress = ["artifacts_total", "artifacts_finalized", "sections_complete", "sections_total", "progress_pct"];
    assert_eq!(keys(&context["project"]["stages"]["discovery"]), progress);
    let artifact = [
        "id",
        "name",
        "slug",
        "revision",
        "stage",
        "status",
        "sections",
        "content",
        "sections_complete",
        "sections_total",
        "updated_at",
    ];
    assert_eq!(keys(&context["currentArtifact"]), artifact);
    let section = ["slug", "title", "is_done", "is_collapsed", "order", "preview"];
    assert_eq!(keys(&context["currentArtifact"]["sections"][0]), section);
    let related: Vec<&str> = artifact.into_iter().filter(|key| *key != "content").collect();
    assert_eq!(keys(&context["relatedArtifacts"][0]), related);
    assert_eq!(keys(&context["chatHistory"][0]), ["seq", "role", "content", "created_at"]);
    assert_eq!(context["currentArtifact"]["sections_complete"], json!(0));
    assert_eq!(context["currentArtifact"]["sections_total"], json!(3));
    assert_eq!(context["currentArtifact"]["sections"][1]["order"], json!(2));
    assert_eq!(context["project"]["description"], json!("A planning layer"));
}

#[test]
fn what_the_seeds_prompt_templates_read_is_there() {
    let built = World::new().build(Some("concept"), WantedLevel::Minimal, None).unwrap();
    let context = serde_json::to_value(&built.context).unwrap();
    for path in [
        "/project/name",
        "/project/current_stage",
        "/currentArtifact/name",
        "/currentArtifact/slug",
        "/currentArtifact/sections_complete",
        "/currentArtifact/sections_total",
        "/currentArtifact/sections/0/is_done",
        "/currentArtifact/sections/0/title",
        "/currentArtifact/sections/0/slug",
    ] {
        assert!(context.pointer(path).is_some(), "{path}");
    }
}
