//! Refresh by version, and staleness.

use jig_contract::ops::{ArtifactOp, OldReason, SectionAction, WantedLevel, WholeReason};
use jig_contract::{Actor, Timestamp};
use serde_json::json;

use super::super::{Check, Refresh, Version, changes, changes_text, check, why_whole};
use super::fixtures::{NOW, World, author, message};
use crate::artifact::{Artifact, Batch, apply};
use crate::document::Revision;

fn version(world: &World, level: WantedLevel) -> Version {
    let built = world.build(Some("concept"), level, None).unwrap();
    Version::parse(&built.context.system_state.context_version).unwrap()
}

fn changed(artifact: &Artifact, actor: Actor, ops: serde_json::Value) -> Artifact {
    let ops: Vec<ArtifactOp> = serde_json::from_value(ops).unwrap();
    let batch =
        Batch { ops: ops.iter().enumerate().collect(), base_revision: None, author: author(actor), previous: None };
    apply(artifact, batch).unwrap().artifact.unwrap()
}

fn refresh<'a>(
    since: &'a Version,
    artifact: &'a Artifact,
    before: &'a Artifact,
    revisions: &'a [Revision],
) -> Refresh<'a> {
    Refresh { since, artifact, before: Some(before), revisions, asked: false }
}

#[test]
fn only_what_changed_is_told() {
    let mut world = World::new();
    let since = version(&world, WantedLevel::Standard);
    let before = world.artifacts[0].clone();
    world.artifacts[0] = changed(
        &before,
        Actor::person(),
        json!([
            { "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "what-is-it", "is_done": true },
            { "operation": "update_section", "artifact_slug": "concept", "section_slug": "core-features", "content": "Only sync." },
            { "operation": "create_section", "artifact_slug": "concept", "title": "Risks", "content": "Many." },
            { "operation": "delete_section", "artifact_slug": "concept", "section_slug": "problem-being-solved" },
        ]),
    );
    world.messages.push(message(4, Some("concept"), "New words."));
    world.messages.push(message(5, Some("research"), "Of another artifact."));
    let mut private = message(6, None, "PRIVATE");
    private.private = true;
    world.messages.push(private);
    world.project.stages["discovery"]["sections_complete"] = json!(10);
    let (catalog, all) = (world.catalog(), world.all());
    let revisions = [world.artifacts[0].document.revision.clone()];
    let with = refresh(&since, &world.artifacts[0], &before, &revisions);
    assert_eq!(why_whole(&with, "discovery"), None);
    let refreshed = changes(&world.sources(&catalog, &all), &world.request(), &with).unwrap();
    let found = &refreshed.changes;
    let sections: Vec<(&str, SectionAction)> =
        found.sections.iter().map(|delta| (delta.slug.as_str(), delta.action)).collect();
    assert_eq!(
        sections,
        [
            ("core-features", SectionAction::Changed),
            ("risks", SectionAction::Added),
            ("problem-being-solved", SectionAction::Removed)
        ]
    );
    assert_eq!(found.sections[0].section.as_ref().unwrap().preview.as_deref(), Some("Only sync."));
    assert!(found.sections[0].section.as_ref().unwrap().content.is_none() && found.sections[2].section.is_none());
    assert_eq!((found.done.len(), found.done[0].slug.as_str(), found.done[0].is_done), (1, "what-is-it", true));
    assert_eq!(found.messages.iter().map(|message| message.seq).collect::<Vec<_>>(), [4]);
    assert_eq!((found.sections_complete, found.sections_total), (Some(1), Some(3)));
    assert_eq!(found.stage.map(|stage| stage.sections_complete), Some(10));
    assert_eq!((refreshed.version.message, refreshed.version.revision), (6, 2));
    let text = changes_text(found);
    assert!(text.contains("New words.") && text.contains("change=\"removed\"") && !text.contains("PRIVATE"), "{text}");
    // With the new version there are no further changes.
    let now = world.artifacts[0].clone();
    let again =
        changes(&world.sources(&catalog, &all), &world.request(), &refresh(&refreshed.version, &now, &now, &[]))
            .unwrap();
    assert_eq!(again.changes, jig_contract::ops::AgentContextChanges::default());
}

#[test]
fn the_triggers_of_the_context_schema_give_the_whole() {
    let world = World::new();
    let since = version(&world, WantedLevel::Minimal);
    let (concept, research) = (&world.artifacts[0], &world.artifacts[1]);
    let why = |refresh: Refresh<'_>, stage| why_whole(&refresh, stage);
    assert_eq!(why(refresh(&since, research, research, &[]), "discovery"), Some(WholeReason::ArtifactSwitched));
    assert_eq!(why(refresh(&since, concept, concept, &[]), "design"), Some(WholeReason::StageSwitched));
    let by_agent = changed(
        concept,
        Actor::agent("a"),
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "core-features", "content": "x" }]),
    );
    let revisions = [by_agent.document.revision.clone()];
    assert_eq!(why(refresh(&since, &by_agent, concept, &revisions), "discovery"), Some(WholeReason::AgentUpdated));
    assert_eq!(
        why(Refresh { asked: true, ..refresh(&since, concept, concept, &[]) }, "discovery"),
        Some(WholeReason::Asked)
    );
    assert_eq!(
        why(Refresh { before: None, ..refresh(&since, concept, concept, &[]) }, "discovery"),
        Some(WholeReason::Unknown)
    );
    assert_eq!(why(refresh(&since, concept, concept, &[]), "discovery"), None);
}

#[test]
fn changes_that_do_not_fit_are_given_as_the_whole() {
    let mut world = World::new();
    let since = version(&world, WantedLevel::Full);
    let before = world.artifacts[0].clone();
    let long = "context kit ".repeat(9_000);
    world.artifacts[0] = changed(
        &before,
        Actor::person(),
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "core-features", "content": long }]),
    );
    let (catalog, all) = (world.catalog(), world.all());
    let with = refresh(&since, &world.artifacts[0], &before, &[]);
    assert_eq!(changes(&world.sources(&catalog, &all), &world.request(), &with), None);
}

const CALLER: &Actor = &Actor::Agent { name: None, session: None, run: None, step: None };

fn checked<'a>(version: &'a Version, artifact: &'a Artifact, minutes: i64) -> Check<'a> {
    let now = Timestamp::from_millis(NOW + minutes * 60_000);
    Check {
        version,
        sections_total: None,
        artifact: Some(artifact),
        current_stage: "discovery",
        revisions: &[],
        caller: CALLER,
        active: None,
        last_activity: Some(Timestamp::from_millis(NOW)),
        now,
    }
}

fn reasons(with: &Check<'_>) -> Vec<OldReason> {
    check(with).warnings.iter().map(|warning| warning.reason).collect()
}

#[test]
fn a_view_is_old_by_time_counts_and_peoples_changes() {
    let world = World::new();
    let since = version(&world, WantedLevel::Standard);
    let concept = &world.artifacts[0];
    assert_eq!(reasons(&checked(&since, concept, 5)), []);
    assert_eq!(reasons(&checked(&since, concept, 6)), [OldReason::Age]);
    assert_eq!(reasons(&checked(&since, concept, 31)), [], "nobody is at work");
    assert_eq!(reasons(&Check { active: Some(true), ..checked(&since, concept, 31) }), [OldReason::Age]);
    assert_eq!(reasons(&Check { active: Some(false), ..checked(&since, concept, 6) }), []);
    assert_eq!(reasons(&Check { sections_total: Some(4), ..checked(&since, concept, 1) }), [OldReason::SectionCount]);
    let more = changed(
        concept,
        Actor::person(),
        json!([{ "operation": "create_section", "artifact_slug": "concept", "title": "Risks", "content": "" }]),
    );
    let revisions = [more.document.revision.clone()];
    let with = Check { revisions: &revisions, ..checked(&since, &more, 1) };
    assert_eq!(reasons(&with), [OldReason::SectionCount, OldReason::PersonChanged]);
    let output = check(&with);
    assert_eq!((output.stale, output.age_seconds, output.action.as_deref()), (true, 60, Some("refresh")));
    assert_eq!(output.warnings[0].message, "concept.md has 4 sections, not 3");
    let by_agent = changed(
        concept,
        Actor::agent("a"),
        json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "core-features", "content": "x" }]),
    );
    let revisions = [by_agent.document.revision.clone()];
    let with = Check { revisions: &revisions, ..checked(&since, &by_agent, 1) };
    assert_eq!(reasons(&with), [OldReason::AgentChanged]);
    let own = Actor::agent("a");
    assert_eq!(reasons(&Check { caller: &own, ..with }), [], "its own changes are not news");
    assert_eq!(reasons(&Check { current_stage: "design", ..checked(&since, concept, 1) }), [OldReason::Moved]);
    assert_eq!(reasons(&Check { artifact: None, ..checked(&since, concept, 1) }), [OldReason::Moved]);
}
