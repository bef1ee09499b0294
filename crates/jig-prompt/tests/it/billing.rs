//! Every byte is counted once, and the total is the tokenizer's count of the bytes that are sent.

use jig_prompt::{
    AssembleError, Bars, Cached, Clutter, Counter, Level, O200k, Prompt, SectionKind, Tokenizer, WARNING_CONTEXT,
    assemble, draw, rows, sample,
};
use proptest::prelude::*;

use crate::states;

proptest! {
    #![proptest_config(states::cases(500))]

    #[test]
    fn the_bill_is_exact(input in states::input()) {
        match assemble(&input, states::counter()) {
            Ok(prompt) => check(&prompt),
            Err(AssembleError::TooLarge(large)) => prop_assert!(large.bill.total > large.limit),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

fn check(prompt: &Prompt) {
    let text = prompt.text();
    let bill = &prompt.bill;
    let counted = prompt.texts().map(|text| O200k.count(&text)).sum();
    assert_eq!(bill.total, prompt.model.tokenizer.of(counted));
    let calls = prompt.messages.iter().any(|one| !one.message.calls().is_empty());
    if prompt.tools.is_empty() && !calls {
        let said: u64 = prompt.messages.iter().map(|one| O200k.count(one.message.text())).sum();
        assert_eq!(counted, O200k.count(&prompt.system()) + said, "nothing is counted that is not sent");
    }
    assert!(bill.total + bill.response <= bill.window);
    let mut at = 0;
    for span in &bill.spans {
        assert_eq!(span.bytes.start, at);
        at = span.bytes.end;
    }
    assert_eq!(at, text.len());
    for (number, line) in bill.lines.iter().enumerate() {
        let spans = bill.spans.iter().filter(|span| span.line == number);
        assert_eq!(line.tokens, spans.map(|span| span.tokens).sum::<u64>());
    }
    assert_eq!(bill.total, bill.by_section().iter().map(|(_, tokens)| tokens).sum::<u64>());
}

#[test]
fn each_source_has_its_line() {
    let prompt = assemble(&sample::sample(2, 4, 1), &Cached::new(O200k)).unwrap();
    let names: Vec<(&str, &str)> =
        prompt.bill.lines.iter().map(|line| (line.source.kind.as_str(), line.source.name.as_str())).collect();
    for expected in [
        ("tool", "read_file"),
        ("instructions", "default"),
        ("file", "folder/file-0001.text"),
        ("item", "situation"),
        ("skill", "company-context/SKILL.md"),
        ("skill", "company-context/references/summary.md"),
        ("entry-field", "@competitor:number-000000#strengths"),
        ("message", "message 1"),
    ] {
        assert!(names.contains(&expected), "{expected:?} in {names:?}");
    }
}

#[test]
fn a_span_is_the_text_of_its_source() {
    let prompt = assemble(&sample::sample(3, 1, 1), &O200k).unwrap();
    let text = prompt.text();
    let of = |name: &str| {
        let span = prompt.bill.spans.iter().find(|span| prompt.bill.lines[span.line].source.name == name).unwrap();
        &text[span.bytes.clone()]
    };
    assert_eq!(of("@competitor:number-000000#name"), "<name>Competitor 0</name>\n");
    assert!(of("folder/file-0001.text").starts_with("<workbench-file path=\"folder/file-0001.text\""));
}

#[test]
fn context_beyond_its_share_is_warned_of() {
    let mut input = sample::sample(0, 0, 0);
    input.model.window = 8_000;
    let fine = assemble(&input, &O200k).unwrap().bill;
    assert_eq!((fine.level, fine.context_tokens, fine.warnings.len()), (Level::Fine, 0, 0));
    input.situation = Some("word ".repeat(2_900));
    let bill = assemble(&input, &O200k).unwrap().bill;
    assert!(bill.context_share >= 0.35 && bill.context_share < 0.38, "{}", bill.context_share);
    assert_eq!((bill.level, bill.warnings.as_slice()), (Level::High, [WARNING_CONTEXT.to_owned()].as_slice()));
    let clutter = Clutter::from(&bill);
    assert_eq!(clutter.context_items_weight, bill.context_tokens);
    let situation = clutter.sections.iter().find(|one| one.section == SectionKind::Situation).unwrap();
    assert_eq!((situation.tokens, situation.share), (bill.context_tokens, bill.context_share));
}

#[test]
fn the_warning_begins_at_exactly_35_per_cent() {
    let mut input = sample::sample(0, 0, 0);
    let text = (2_000..2_100).map(|words| "word ".repeat(words));
    let mut tokens = 1;
    for text in text {
        input.situation = Some(text);
        tokens = assemble(&input, &O200k).unwrap().bill.context_tokens;
        if tokens.is_multiple_of(7) {
            break;
        }
    }
    assert!(tokens.is_multiple_of(7), "{tokens}");
    let warned = |window: u64| {
        let mut input = input.clone();
        input.model.window = window;
        assemble(&input, &O200k).unwrap().bill.warnings.contains(&WARNING_CONTEXT.to_owned())
    };
    assert!(warned(tokens / 7 * 20) && !warned(tokens / 7 * 20 + 1));
    assert_eq!(
        WARNING_CONTEXT,
        "Context is using a large share of the prompt window. Consider shortening context items."
    );
}

#[test]
fn an_estimate_says_so() {
    let mut input = sample::sample(3, 4, 5);
    let exact = assemble(&input, &O200k).unwrap().bill;
    input.model.tokenizer = Tokenizer::estimate("anthropic");
    let estimate = assemble(&input, &O200k).unwrap().bill;
    assert!(!exact.estimated && estimate.estimated);
    assert_eq!(estimate.total, (exact.total * 5).div_ceil(4));
    assert_eq!(estimate.tokenizer, "o200k × 1.25");
}

#[test]
fn bars_fit_their_width_and_name_every_section() {
    let prompt = assemble(&sample::sample(4, 4, 30), &O200k).unwrap();
    for width in [40, 60, 100] {
        for bars in [Bars::Blocks, Bars::Ascii] {
            let drawing = draw(&prompt.bill, width, bars);
            assert!(drawing.lines().skip(1).all(|line| line.chars().count() <= width), "{drawing}");
            assert!(SectionKind::ALL.iter().filter(|kind| drawing.contains(kind.as_str())).count() >= 7, "{drawing}");
        }
    }
    let sections: u64 = rows(&prompt.bill).iter().filter(|row| row.depth == 0).map(|row| row.tokens).sum();
    assert_eq!(sections, prompt.bill.total);
    let sources: u64 = rows(&prompt.bill).iter().filter(|row| row.depth == 1).map(|row| row.tokens).sum();
    assert_eq!(sources, prompt.bill.total);
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut input = sample::sample(0, 0, 0);
    input.instructions =
        vec![jig_prompt::Instruction { name: "\u{1b}[31mred\u{202e}".to_owned(), text: "x".to_owned() }];
    let drawing = draw(&assemble(&input, &O200k).unwrap().bill, 80, Bars::Blocks);
    assert!(!drawing.contains('\u{1b}') && !drawing.contains('\u{202e}'), "{drawing}");
}

#[test]
fn many_small_sources_are_drawn_as_one() {
    let mut input = sample::sample(0, 0, 0);
    input.tools.clear();
    input.documents = sample::sample(0, 0, 30).documents;
    let bill = assemble(&input, &O200k).unwrap().bill;
    let drawing = draw(&bill, 60, Bars::Ascii);
    assert!(drawing.contains("  (83 more)"), "{drawing}");
    assert!(drawing.lines().count() < 30, "{drawing}");
}
