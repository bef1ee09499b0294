//! What each level includes, and which level a message gets.

use jig_contract::ops::{ContextLevel, WantedLevel};

use super::super::ContextError;
use super::fixtures::World;

fn slugs(built: &super::super::Built) -> Vec<&str> {
    built.context.related_artifacts.iter().map(|artifact| artifact.slug.as_str()).collect()
}

#[test]
fn minimal_has_names_status_and_the_list_of_sections() {
    let built = World::new().build(Some("concept"), WantedLevel::Minimal, Some("Fix core features")).unwrap();
    let context = &built.context;
    assert_eq!((context.project.name.as_str(), context.project.current_stage.as_str()), ("ack-demo", "discovery"));
    assert!(context.project.stages.is_empty() && context.project.description.is_empty());
    let sections = &context.current_artifact.sections;
    assert_eq!(sections.len(), 3);
    assert!(sections.iter().all(|section| section.preview.is_none() && section.content.is_none()));
    assert!(context.current_artifact.content.is_none() && context.related_artifacts.is_empty());
    assert!(!built.text.contains("planning layer"), "{}", built.text);
}

#[test]
fn standard_has_the_summary_previews_and_the_section_that_is_named() {
    let built = World::new().build(Some("concept"), WantedLevel::Standard, Some("Fix the core features")).unwrap();
    let context = &built.context;
    assert_eq!(context.project.stages.len(), 2);
    let sections = &context.current_artifact.sections;
    assert_eq!(sections[2].content.as_deref(), Some("Search, see @architecture."));
    assert_eq!(sections[0].content, None);
    assert!(sections[0].preview.is_some() && context.current_artifact.content.is_none());
    assert!(context.related_artifacts.is_empty());
    assert_eq!(context.system_state.targets[0].address, "@concept#core-features");
}

#[test]
fn standard_brings_another_artifact_only_when_it_is_named_and_its_messages_with_it() {
    let world = World::new();
    let built = world
        .build(Some("concept"), WantedLevel::Standard, Some("Fix the competitive analysis in research.md"))
        .unwrap();
    assert_eq!(slugs(&built), ["research"]);
    let related = &built.context.related_artifacts[0];
    assert_eq!(related.sections[1].content.as_deref(), Some("Cursor costs 20."));
    assert!(related.content.is_none() && related.sections[0].content.is_none());
    let seqs =
        |built: &super::super::Built| built.context.chat_history.iter().map(|message| message.seq).collect::<Vec<_>>();
    assert_eq!(seqs(&built), [1, 2, 3]);
    let other = world.build(Some("concept"), WantedLevel::Standard, None).unwrap();
    assert_eq!(seqs(&other), [1, 2]);
}

#[test]
fn full_has_the_text_and_all_that_is_related() {
    let built = World::new().build(Some("concept"), WantedLevel::Full, None).unwrap();
    assert!(built.context.current_artifact.content.as_deref().is_some_and(|text| text.contains("planning layer")));
    // Order: linked from it, linking to it, same stage. Others are never included.
    assert_eq!(slugs(&built), ["architecture", "data-model", "research"]);
    assert!(built.context.related_artifacts[2].sections[0].preview.is_some());
    assert!(!built.context.system_state.summarized && built.context.system_state.left_out.is_empty());
}

#[test]
fn auto_goes_by_the_message() {
    let world = World::new();
    let level = |message| world.build(Some("concept"), WantedLevel::Auto, message).unwrap().context.system_state.level;
    assert_eq!(level(None), ContextLevel::Minimal);
    assert_eq!(level(Some("Hello")), ContextLevel::Minimal);
    assert_eq!(level(Some("Update the problem statement")), ContextLevel::Standard);
    assert_eq!(level(Some("Compare concept and research")), ContextLevel::Full);
    assert_eq!(level(Some("Update the core features and the market landscape")), ContextLevel::Full);
    assert_eq!(level(Some("Update the market section")), ContextLevel::Minimal);
}

#[test]
fn what_is_not_clear_comes_as_a_question() {
    let built = World::new().build(Some("concept"), WantedLevel::Auto, Some("Update the problem section")).unwrap();
    let state = &built.context.system_state;
    assert_eq!(state.question.as_deref(), Some("Did you mean 'Problem Being Solved' in concept.md?"));
    assert!(state.targets.is_empty() && built.text.contains("<ask-first>Did you mean"));
}

#[test]
fn the_artifact_at_hand_is_named_meant_or_the_newest() {
    let mut world = World::new();
    let current = |world: &World, artifact, message| {
        world.build(artifact, WantedLevel::Auto, message).map(|built| built.context.current_artifact.slug)
    };
    assert_eq!(current(&world, None, Some("Fix the competitive analysis")).unwrap(), "research");
    assert_eq!(current(&world, Some("@Research.md"), None).unwrap(), "research");
    assert_eq!(current(&world, None, None).unwrap(), "concept");
    let error = current(&world, Some("reserch"), None).unwrap_err();
    let error = jig_contract::OpError::from(error);
    assert_eq!(
        (error.code(), error.info.suggestions.as_slice()),
        (jig_contract::Code::ArtifactNotFound, &["research".to_owned()][..])
    );
    world.artifacts.clear();
    assert!(matches!(current(&world, None, None), Err(ContextError::NoArtifact { wanted: None, .. })));
}

#[test]
fn a_snapshot_is_there_when_the_message_speaks_of_it() {
    let mut world = World::new();
    world.artifacts[0].snapshots.push(jig_contract::ops::ArtifactSnapshotInfo {
        name: "before review".into(),
        revision: 1,
        at: world.project.created_at,
        by: jig_contract::Actor::person(),
    });
    let snapshots = |message| {
        world
            .build(Some("concept"), WantedLevel::Standard, Some(message))
            .unwrap()
            .context
            .current_artifact
            .snapshots
            .len()
    };
    assert_eq!((snapshots("What changed since before review?"), snapshots("Hello")), (1, 0));
    assert_eq!(snapshots("Show the snapshots"), 1);
}
