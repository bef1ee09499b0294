//! Targeting: any text resolves to one target, several, or none, deterministically, and only to existing ones.

use jig_context::target::{Catalog, CatalogDocument, CatalogPart, Class, Resolution, Target, compares, resolve};

/// The first line has the titles of a document, separated by bars; the rest is the message.
pub(super) fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(20_000)).unwrap_or_default());
    let (titles, message) = text.split_once('\n').unwrap_or(("Overview|Core Features", &text));
    let catalog = catalog(titles);
    for current in [None, Some("plan"), Some("no such")] {
        let found = resolve(message, &catalog, current);
        assert_eq!(found, resolve(message, &catalog, current), "not the same again");
        for target in targets(&found) {
            let document = catalog.documents().iter().find(|document| document.address == target.document);
            let parts = document.map(|document| document.parts.as_slice()).expect("a document that is there");
            let there = target.part.as_ref().is_none_or(|part| parts.iter().any(|known| known.slug == part.slug));
            assert!(there, "{target:?} is not there");
        }
        let question = match &found {
            Resolution::Several { question, .. }
            | Resolution::Ambiguous { question, .. }
            | Resolution::DidYouMean { question, .. } => question.as_str(),
            Resolution::NotFound { message, .. } => message.as_str(),
            Resolution::Found { rest, .. } => {
                assert!(message.contains(rest.as_str()), "{rest:?} is not said");
                ""
            }
            Resolution::Command { .. } => "",
        };
        assert!(question.len() < 4_000, "{} bytes", question.len());
    }
    let _ = compares(message);
}

fn catalog(titles: &str) -> Catalog {
    let parts = titles.split('|').take(40).zip(0..).map(|(title, number)| CatalogPart {
        slug: format!("part-{number}"),
        title: title.to_owned(),
        aliases: vec![title.to_lowercase()],
    });
    let plan = CatalogDocument {
        class: Class::Artifact,
        address: "plan".to_owned(),
        name: "plan.md".to_owned(),
        title: titles.chars().take(30).collect(),
        aliases: Vec::new(),
        parts: parts.collect(),
    };
    let brand = CatalogDocument {
        class: Class::Entry,
        address: "brand:acme".to_owned(),
        name: "brand:acme".to_owned(),
        ..plan.clone()
    };
    Catalog::new(vec![plan, brand])
}

fn targets(found: &Resolution) -> Vec<&Target> {
    match found {
        Resolution::Found { target, alternatives, .. } => std::iter::once(target).chain(alternatives).collect(),
        Resolution::Several { targets, .. } => targets.iter().collect(),
        Resolution::Ambiguous { choices, .. } => choices.iter().collect(),
        Resolution::DidYouMean { suggestions, .. } | Resolution::NotFound { suggestions, .. } => {
            suggestions.iter().collect()
        }
        Resolution::Command { .. } => Vec::new(),
    }
}
