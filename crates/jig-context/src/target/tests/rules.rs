//! Rules of targeting that do not fit into a line of the corpus.

use super::super::{
    Catalog, CatalogDocument, CatalogPart, Class, DocumentHow, Match, Missing, Resolution, compares, resolve,
};
use super::corpus::{catalog, said};

fn document(address: &str, parts: &[(&str, &str)]) -> CatalogDocument {
    CatalogDocument {
        class: Class::Artifact,
        address: address.into(),
        name: format!("{address}.md"),
        title: address.into(),
        aliases: Vec::new(),
        parts: parts
            .iter()
            .map(|(slug, title)| CatalogPart { slug: (*slug).into(), title: (*title).into(), aliases: Vec::new() })
            .collect(),
    }
}

fn seed() -> Catalog {
    let concept =
        [("overview", "Overview"), ("what-is-it", "What Is It?"), ("problem-being-solved", "Problem Being Solved")];
    let research = [("overview", "Overview"), ("competitive-analysis", "Competitive Analysis")];
    Catalog::new(vec![document("concept", &concept), document("research", &research)])
}

/// The document, how it was determined, how the part matched, and the part.
fn found(text: &str, current: Option<&str>) -> (String, DocumentHow, Match, String) {
    match resolve(text, &seed(), current) {
        Resolution::Found { target, rest, how, .. } => (target.address(), how.document, how.matched, rest),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_examples_of_the_context_schema() {
    let concept = Some("concept");
    let (address, document, matched, _) = found("Update the problem statement", concept);
    assert_eq!((address.as_str(), document), ("@concept#problem-being-solved", DocumentHow::Current));
    assert_eq!(matched, Match::OtherWords);
    let (address, document, matched, _) = found("Fix the competitive analysis in research.md", concept);
    assert_eq!((address.as_str(), document), ("@research#competitive-analysis", DocumentHow::Explicit));
    assert_eq!(matched, Match::Title);
    let (address, _, matched, rest) = found("@concept#what-is-it update the definition", None);
    assert_eq!(
        (address.as_str(), matched, rest.as_str()),
        ("@concept#what-is-it", Match::Reference, "update the definition")
    );
    let (address, _, _, rest) = found("/research competitive-analysis add Cursor pricing", None);
    assert_eq!((address.as_str(), rest.as_str()), ("@research#competitive-analysis", "add Cursor pricing"));
    assert_eq!(found("#what-is-it shorten", concept).0, "@concept#what-is-it");
    let Resolution::Ambiguous { question, total, .. } = resolve("Update the overview", &seed(), None) else { panic!() };
    assert_eq!(question, "I found 'Overview' in concept.md and research.md. Which would you like to update?");
    assert_eq!(total, 2);
    let Resolution::DidYouMean { question, .. } = resolve("Update the problem section", &seed(), concept) else {
        panic!()
    };
    assert_eq!(question, "Did you mean 'Problem Being Solved' in concept.md?");
}

#[test]
fn the_artifact_at_hand_comes_first_and_the_others_are_told() {
    let Resolution::Found { target, alternatives, how, .. } = resolve("Update the overview", &seed(), Some("research"))
    else {
        panic!()
    };
    assert_eq!((target.address().as_str(), how.document), ("@research#overview", DocumentHow::Current));
    assert_eq!(alternatives.iter().map(|one| one.address()).collect::<Vec<_>>(), ["@concept#overview"]);
}

#[test]
fn what_is_not_there_is_told_with_the_seeds_words() {
    let Resolution::NotFound { missing, message, suggestions } = resolve("@concept#xyz fix", &seed(), None) else {
        panic!()
    };
    assert_eq!(message, "Section 'xyz' not found in artifact 'concept'");
    assert_eq!(missing, Missing::Part { document: "concept".into(), name: "xyz".into() });
    assert!(suggestions.is_empty());
    let Resolution::NotFound { message, suggestions, .. } = resolve("@concpet fix", &seed(), None) else { panic!() };
    assert_eq!((message.as_str(), suggestions[0].address().as_str()), ("Artifact 'concpet' not found", "@concept"));
    let Resolution::NotFound { missing, .. } = resolve("#overview fix", &seed(), None) else { panic!() };
    assert_eq!(missing, Missing::Current { part: "overview".into() });
}

#[test]
fn the_same_heading_twice_is_asked_about_by_its_slugs() {
    let twice = document("notes", &[("risks", "Risks"), ("risks-2", "Risks")]);
    let catalog = Catalog::new(vec![twice]);
    let Resolution::Ambiguous { question, .. } = resolve("Update the risks", &catalog, Some("notes")) else { panic!() };
    assert_eq!(
        question,
        "I found 'Risks' in notes.md (@notes#risks) and notes.md (@notes#risks-2). Which would you like to update?"
    );
}

#[test]
fn a_field_of_an_entry_and_other_words_for_a_section_are_a_question() {
    let mut problem = document("problem", &[("statement", "Statement")]);
    (problem.class, problem.name) = (Class::Entry, "problem".into());
    let concept = document("concept", &[("problem-being-solved", "Problem Being Solved")]);
    let catalog = Catalog::new(vec![concept, problem]);
    let text = "Update the problem statement";
    assert_eq!(said(&resolve(text, &catalog, Some("concept"))), "@concept#problem-being-solved");
    assert_eq!(said(&resolve(text, &catalog, None)), "ask @concept#problem-being-solved @problem#statement");
}

/// None of these may get a confident answer: they refer to something else, or to something that must not change.
#[test]
fn what_sounds_like_a_section_and_is_another_thing_is_never_answered() {
    let catalog = catalog();
    for text in [
        "Update the core features page",
        "Update the core features of Initech",
        "Update the core features of Globex",
        "Update the core features in the deck",
        "Update the core features on slide 3",
        "Update the German core features",
        "Update the other core features",
        "Update Jess's core features",
        "Update core features v2",
        "Add core features",
        "Write a value proposition",
        "The core features must not be changed",
        "Core features: don't touch them",
        "Ändere die Zielgruppe nicht",
        "Анализ конкурентов не меняй",
        "It updates the core features every day",
        "Jess updated the core features yesterday",
        "Send the competitive analysis to Jess",
        "会社概要を更新して",
        "更新公司竞争分析",
        "競合分析資料を更新して",
        "経営計画を更新して",
        "Uppdatera inte core features",
        "neměň core features",
        "Don't look at research.md, fix the overview",
        "Update the overview of the budget",
        "Fix the bug in `core features`",
        "Update the value, proposition",
        "research the market landscape",
        "Anything but the core features",
    ] {
        let answer = said(&resolve(text, &catalog, None));
        assert!(!answer.starts_with('@'), "{text}: {answer}");
    }
}

#[test]
fn questions_list_a_few_and_count_the_rest() {
    let documents = (0..40).map(|n| document(&format!("a{n}"), &[("overview", "Overview")])).collect();
    let catalog = Catalog::new(documents);
    let Resolution::Ambiguous { question, choices, total } = resolve("Update the overview", &catalog, None) else {
        panic!()
    };
    assert_eq!((choices.len(), total), (5, 40));
    assert_eq!(
        question,
        "I found 'Overview' in a0.md, a1.md, a2.md, a3.md, a4.md and 35 more. Which would you like to update?"
    );
}

#[test]
fn comparisons_are_told() {
    assert!(compares("Compare concept and research") && compares("What is the difference?"));
    assert!(!compares("Update the overview"));
}

#[test]
fn strange_texts_have_an_answer() {
    let catalog = catalog();
    let long = "update the core features and ".repeat(3_000);
    for text in [
        "",
        " ",
        "@",
        "#",
        "/",
        "@#",
        "@:#",
        "@@",
        "##",
        "//",
        "'",
        "\"",
        "`",
        "```",
        "\u{0}",
        "@\u{202e}x",
        "#\u{301}",
        "…",
        &long,
    ] {
        let _ = resolve(text, &catalog, Some("concept"));
        let _ = resolve(text, &Catalog::default(), Some("nothing"));
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gives_an_answer_and_the_same_again(text in "\\PC{0,60}|[@#/]\\PC{0,30}|(the|core|features|not|update|in|concept|\\.md|,| ){0,12}") {
        let catalog = seed();
        let first = resolve(&text, &catalog, Some("concept"));
        proptest::prop_assert_eq!(first, resolve(&text, &catalog, Some("concept")));
    }
}

#[test]
fn zz_time() {
    let words = ["Overview", "Market", "Data", "Core", "Risk", "Plan", "Cost", "Team", "Launch", "Design"];
    let documents = (0..10_000)
        .map(|n| {
            let mut d = document(&format!("doc-{n}"), &[]);
            d.parts = (0..6)
                .map(|p| {
                    let title = format!("{} {} {}", words[(n + p) % 10], words[(n / 10 + p * 3) % 10], n * 7 + p);
                    CatalogPart { slug: title.to_lowercase().replace(' ', "-"), title, aliases: Vec::new() }
                })
                .collect();
            d.parts.push(CatalogPart { slug: "overview".into(), title: "Overview".into(), aliases: Vec::new() });
            d
        })
        .collect();
    let start = std::time::Instant::now();
    let catalog = Catalog::new(documents);
    println!("build {:?}", start.elapsed());
    for text in [
        "Update the overview",
        "Update the market data 35000 section in doc-5000.md",
        "Fix the markte data 35000",
        "Hello there, what is new today with you",
        "@doc-77#overview fix",
        "@dco-77 fix",
        "Update the flux capacitor of the delorean please and tell me about it when you are ready",
    ] {
        let start = std::time::Instant::now();
        for _ in 0..10 {
            let _ = resolve(text, &catalog, Some("doc-9"));
        }
        println!("{:?} {text}", start.elapsed() / 10);
    }
}
