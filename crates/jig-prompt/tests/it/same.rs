//! Equal states give equal bytes, in whatever order their parts come, and whatever irrelevant content exists.

use jig_prompt::{AssembleError, Cached, Input, Manifest, O200k, assemble, sample};
use proptest::prelude::*;

use crate::states;

proptest! {
    #![proptest_config(states::cases(1_000))]

    #[test]
    fn the_same_state_gives_the_same_prompt(input in states::input(), seed in any::<u64>()) {
        let counter = states::counter();
        let first = assemble(&input, counter);
        prop_assert_eq!(&assemble(&input, counter), &first);
        let shuffled = assemble(&shuffled(&input, seed), counter);
        match (first, shuffled) {
            (Ok(first), Ok(shuffled)) => {
                prop_assert_eq!(first.text(), shuffled.text());
                prop_assert_eq!(first, shuffled);
            }
            (Err(AssembleError::TooLarge(first)), Err(AssembleError::TooLarge(shuffled))) => {
                prop_assert_eq!(first, shuffled);
            }
            (first, shuffled) => prop_assert!(false, "{first:?} but {shuffled:?}"),
        }
    }
}

/// The same input with files, skills, styles, references, documents and tools in another order.
fn shuffled(input: &Input, seed: u64) -> Input {
    let mut input = input.clone();
    let mut state = seed;
    if let Manifest::Complete(files) = &mut input.files {
        shuffle(files, &mut state);
    }
    for skill in input.skills.iter_mut().chain(&mut input.format_styles) {
        shuffle(&mut skill.references, &mut state);
    }
    shuffle(&mut input.skills, &mut state);
    shuffle(&mut input.format_styles, &mut state);
    shuffle(&mut input.documents, &mut state);
    shuffle(&mut input.tools, &mut state);
    input
}

fn shuffle<T>(items: &mut [T], state: &mut u64) {
    for at in (1..items.len()).rev() {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, usize::try_from(*state >> 33).unwrap() % (at + 1));
    }
}

#[test]
fn unrelated_entries_change_nothing() {
    let small = sample::sample(10, 4, 20);
    let mut large = small.clone();
    sample::add_unrelated(&mut large, 10_000);
    let counter = Cached::new(O200k);
    let prompt = assemble(&small, &counter).unwrap();
    assert_eq!(assemble(&large, &counter).unwrap(), prompt);
    assert!(prompt.text().contains("Competitor 19"));
}

#[test]
fn what_is_added_at_the_end_leaves_the_start_as_it_was() {
    let input = sample::sample(5, 4, 3);
    let mut later = input.clone();
    later.documents.truncate(1);
    later.messages.push(jig_prompt::Message::User { text: "And now?".to_owned() });
    let stable = |input: &Input| {
        let prompt = assemble(input, &O200k).unwrap();
        let last = prompt.sections.iter().rposition(|section| section.cache_breakpoint).unwrap();
        prompt.sections[..=last].iter().map(|section| section.text.clone()).collect::<String>()
    };
    assert_eq!(stable(&input), stable(&later));
    assert!(stable(&input).contains("workbench-skill"));
}

#[test]
fn what_the_counter_remembers_changes_nothing() {
    let input = sample::sample(10, 4, 20);
    let plain = assemble(&input, &O200k).unwrap();
    let cached = Cached::new(O200k);
    for _ in 0..2 {
        assert_eq!(assemble(&input, &cached).unwrap(), plain);
    }
}
