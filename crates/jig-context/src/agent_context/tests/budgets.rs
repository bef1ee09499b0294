//! Budgets hold for any sizes, by the tokenizer's own count.

use jig_contract::ops::{ContextLevel, WantedLevel};
use jig_contract::{Code, OpError};
use proptest::prelude::*;

use super::super::{Built, ContextError};
use super::fixtures::{World, artifact, count, message};

/// In both forms, no component exceeds its budget.
fn holds(built: &Built) {
    let context = &built.context;
    let limit = |name: &str| {
        let budget = context.system_state.budgets.iter().find(|budget| budget.component == name).unwrap();
        assert!(budget.used <= budget.limit, "{budget:?}");
        budget.limit
    };
    let json = |value: serde_json::Value| count(&value.to_string());
    assert!(json(serde_json::to_value(&context.project).unwrap()) <= limit("project"));
    assert!(json(serde_json::to_value(&context.current_artifact).unwrap()) <= limit("current_artifact"));
    assert!(
        context.related_artifacts.is_empty()
            || json(serde_json::to_value(&context.related_artifacts).unwrap()) <= limit("related_artifacts")
    );
    assert!(
        context.chat_history.is_empty()
            || json(serde_json::to_value(&context.chat_history).unwrap()) <= limit("chat_history")
    );
    let all = ["project", "current_artifact", "related_artifacts", "chat_history"];
    let allowed: u64 = all.into_iter().map(limit).sum();
    let state = count(&serde_json::to_string(&context.system_state).unwrap());
    assert!(built.tokens <= allowed + state + 50, "{} of {allowed} and {state}", built.tokens);
    let sum: u64 = context.system_state.budgets.iter().map(|budget| budget.limit).sum();
    assert!(sum <= context.system_state.window);
}

fn long(words: usize) -> String {
    "context kit ".repeat(words)
}

#[test]
fn a_text_that_does_not_fit_is_summarized_at_level_full_and_that_is_said() {
    let mut world = World::new();
    let text = format!("## Small\n\nShort.\n\n## Large\n\n{}\n", long(9_000));
    world.artifacts[0] = artifact(1, "concept", "discovery", &text);
    let built = world.build(Some("concept"), WantedLevel::Full, Some("Fix the small section")).unwrap();
    holds(&built);
    let state = &built.context.system_state;
    assert!(state.summarized && built.context.current_artifact.content.is_none());
    assert!(built.context.current_artifact.sections[1].preview.is_some());
    assert_eq!(state.left_out[0].what, "the text of concept.md");
    assert!(state.left_out[0].tokens > 10_000 && state.left_out[0].how.contains("@concept#small"), "{state:?}");
    assert!(built.text.contains("<left-out what=\"the text of concept.md\""));
}

#[test]
fn a_section_that_does_not_fit_is_an_error_with_sizes_and_the_sections_to_ask_for() {
    let mut world = World::new();
    let text = format!("## Small\n\nShort.\n\n## Large\n\n{}\n", long(9_000));
    world.artifacts[0] = artifact(1, "concept", "discovery", &text);
    let error = world.build(Some("concept"), WantedLevel::Standard, Some("Fix the large section")).unwrap_err();
    let ContextError::TooLarge { tokens, limit, ref sizes, .. } = error else { panic!("{error:?}") };
    assert!(tokens > limit && limit == 10_000 && sizes[0].address == "@concept#large" && sizes[0].tokens > 10_000);
    let error = OpError::from(error);
    assert_eq!(
        (error.code(), error.info.message.as_str()),
        (Code::ContextTooLarge, "Artifact content exceeds token limit")
    );
    assert_eq!(error.info.actions, ["Summarizing content or requesting specific sections"]);
    assert_eq!(error.info.suggestions, ["@concept#small"]);
    let detail = error.info.detail.unwrap();
    assert_eq!((&detail["limit"], &detail["component"]), (&10_000.into(), &"current_artifact".into()));
    assert_eq!(detail["sizes"][0]["section"], "@concept#large");
    // The same message about the small section succeeds.
    let built = world.build(Some("concept"), WantedLevel::Standard, Some("Fix the small section")).unwrap();
    holds(&built);
}

#[test]
fn a_list_of_sections_that_does_not_fit_is_an_error_at_every_level() {
    let mut world = World::new();
    let text: String =
        (0..900).map(|n| format!("## A rather long title of a section, number {n}\n\nText.\n\n")).collect();
    world.artifacts[0] = artifact(1, "concept", "discovery", &text);
    for level in [WantedLevel::Minimal, WantedLevel::Standard, WantedLevel::Full] {
        assert!(matches!(world.build(Some("concept"), level, None), Err(ContextError::TooLarge { .. })), "{level:?}");
    }
}

#[test]
fn previews_go_before_sections_do_and_it_is_said() {
    let mut world = World::new();
    let text: String = (0..190).map(|n| format!("## Section {n}\n\n{}\n\n", long(30))).collect();
    world.artifacts[0] = artifact(1, "concept", "discovery", &text);
    let built = world.build(Some("concept"), WantedLevel::Standard, None).unwrap();
    holds(&built);
    let sections = &built.context.current_artifact.sections;
    assert!(sections.len() == 190 && sections[0].preview.is_some() && sections[189].preview.is_none());
    assert!(built.context.system_state.left_out[0].what.starts_with("the previews of "));
}

#[test]
fn the_oldest_messages_go_first_and_are_counted() {
    let mut world = World::new();
    world.messages = (1..=400).map(|seq| message(seq, None, &long(60))).collect();
    let built = world.build(Some("concept"), WantedLevel::Minimal, None).unwrap();
    holds(&built);
    let history = &built.context.chat_history;
    assert!(history.len() < 400 && history.last().unwrap().seq == 400);
    assert!(history.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
    assert_eq!(built.context.system_state.left_out[0].what, format!("the oldest {} messages", 400 - history.len()));
}

#[test]
fn a_small_window_drops_counts_before_it_fails() {
    let mut world = World::new();
    for n in 0..20 {
        world.project.stages.insert(format!("stage-{n}"), world.project.stages["discovery"].clone());
    }
    world.window = 16_000;
    let built = world.build(Some("concept"), WantedLevel::Standard, None).unwrap();
    holds(&built);
    assert_eq!(built.context.project.stages.keys().collect::<Vec<_>>(), ["discovery"]);
    assert!(built.context.system_state.left_out.iter().any(|left| left.what == "how far the other stages are"));
    world.window = 500;
    assert!(matches!(world.build(Some("concept"), WantedLevel::Minimal, None), Err(ContextError::TooLarge { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn budgets_hold_whatever_the_sizes(
        window in prop_oneof![Just(8_000u64), Just(32_000), Just(128_000), Just(200_000)],
        sections in 1usize..40,
        words in 0usize..400,
        others in 0usize..12,
        messages in 0u64..60,
        level in prop_oneof![Just(WantedLevel::Auto), Just(WantedLevel::Minimal), Just(WantedLevel::Standard), Just(WantedLevel::Full)],
        filler in "[a-z <>&\"\\\\é日本🙂\\n]{0,80}",
    ) {
        let mut world = World::new();
        world.window = window;
        let body = |n: usize| format!("## Part {n}\n\n{}\n\n", filler.replace('#', " ").repeat(1 + words / 40));
        world.artifacts[0] = artifact(1, "concept", "discovery", &(0..sections).map(body).collect::<String>());
        for n in 0..others {
            world.artifacts.push(artifact(100 + n as u128, &format!("other-{n}"), "discovery", &(0..9).map(body).collect::<String>()));
        }
        world.messages = (1..=messages).map(|seq| message(seq, None, &filler.repeat(words / 20))).collect();
        match world.build(Some("concept"), level, Some("Fix part 0 and compare it")) {
            Ok(built) => holds(&built),
            Err(error) => prop_assert!(matches!(error, ContextError::TooLarge { .. }), "{:?}", error),
        }
    }
}

#[test]
fn levels_are_said() {
    let built = World::new().build(Some("concept"), WantedLevel::Full, None).unwrap();
    holds(&built);
    assert_eq!(built.context.system_state.level, ContextLevel::Full);
    assert_eq!((built.context.system_state.window, built.context.system_state.tokenizer.as_str()), (200_000, "o200k"));
}
