//! Checks each phrase of `corpus/` against its expected meaning.

use std::fmt::Write;

use super::super::{Catalog, CatalogDocument, CatalogPart, Class, Resolution, Target, resolve_beside};

/// The slash commands of the client in the corpus.
const COMMANDS: [&str; 3] = ["export", "validate", "help"];

pub(super) fn catalog() -> Catalog {
    let mut documents: Vec<CatalogDocument> = Vec::new();
    for line in include_str!("../corpus/catalog.txt").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match (line.starts_with(' '), cells.as_slice()) {
            (true, [slug, title, aliases]) => {
                let part = CatalogPart { slug: (*slug).into(), title: (*title).into(), aliases: names(aliases) };
                documents.last_mut().unwrap().parts.push(part);
            }
            (false, [class, address, name, title, aliases]) => documents.push(CatalogDocument {
                class: match *class {
                    "artifact" => Class::Artifact,
                    "entry" => Class::Entry,
                    _ => Class::Item,
                },
                address: (*address).into(),
                name: (*name).into(),
                title: (*title).into(),
                aliases: names(aliases),
                parts: Vec::new(),
            }),
            _ => panic!("{line}"),
        }
    }
    Catalog::new(documents)
}

fn names(cell: &str) -> Vec<String> {
    cell.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// An answer in the notation of the corpus.
pub(super) fn said(resolution: &Resolution) -> String {
    let list = |targets: &[Target]| targets.iter().map(Target::address).collect::<Vec<_>>().join(" ");
    match resolution {
        Resolution::Found { target, .. } => target.address(),
        Resolution::Several { targets, .. } => format!("several {}", list(targets)),
        Resolution::Ambiguous { choices, .. } => format!("ask {}", list(choices)),
        Resolution::DidYouMean { suggestions, .. } => format!("mean {}", list(suggestions)),
        Resolution::NotFound { suggestions, .. } if suggestions.is_empty() => "none".into(),
        Resolution::NotFound { suggestions, .. } => format!("none ~{}", list(suggestions)),
        Resolution::Command { name, .. } => format!("command {name}"),
    }
}

fn is_expected(said: &str, expected: &str) -> bool {
    expected.split(" or ").any(|expected| match expected {
        "ask" => ["ask ", "mean ", "several "].iter().any(|start| said.starts_with(start)),
        "none" => said.starts_with("none"),
        _ if expected.starts_with("mean ") || expected.starts_with("none ~") => {
            said == expected || said.starts_with(&format!("{expected} "))
        }
        _ => said == expected,
    })
}

struct Score {
    all: usize,
    right: usize,
    wrong_writes: usize,
    report: String,
}

fn score(corpus: &str) -> Score {
    let (catalog, commands) = (catalog(), COMMANDS.map(str::to_owned));
    let mut score = Score { all: 0, right: 0, wrong_writes: 0, report: String::new() };
    for line in corpus.lines().filter(|line| line.contains(" => ") && !line.starts_with('#')) {
        let (current, rest) = line.split_once(" :: ").unwrap();
        let (text, expected) = rest.rsplit_once(" => ").unwrap();
        let text = text.replace("\\n", "\n");
        let said = said(&resolve_beside(&text, &catalog, Some(current).filter(|current| *current != "-"), &commands));
        score.all += 1;
        if is_expected(&said, expected) {
            score.right += 1;
        } else {
            let wrong_write = said.starts_with('@');
            score.wrong_writes += usize::from(wrong_write);
            let mark = if wrong_write { "WRONG WRITE" } else { "not right" };
            writeln!(score.report, "{mark}: {line}\n      it says: {said}").unwrap();
        }
    }
    score
}

fn check(name: &str, corpus: &str, least: usize) {
    let Score { all, right, wrong_writes, report } = score(corpus);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred lines")]
    let share = right as f64 * 100.0 / all as f64;
    println!("{name}: {right} of {all} right ({share:.1} %), {wrong_writes} wrong writes\n{report}");
    assert!(all >= least, "only {all} phrasings");
    assert_eq!(wrong_writes, 0);
    assert!(share >= 97.0);
}

#[test]
fn phrasings_that_the_rules_were_made_with() {
    check("tuned", include_str!("../corpus/tuned.txt"), 200);
}

#[test]
fn phrasings_that_were_held_out() {
    check("held out", include_str!("../corpus/held-out.txt"), 100);
}

#[test]
fn phrasings_that_came_later_on() {
    check("later on", include_str!("../corpus/later-on.txt"), 60);
}

#[test]
fn phrasings_that_were_written_last() {
    check("unseen", include_str!("../corpus/unseen.txt"), 40);
}

#[test]
fn there_are_more_than_four_hundred_and_none_twice() {
    let files = [
        include_str!("../corpus/tuned.txt"),
        include_str!("../corpus/held-out.txt"),
        include_str!("../corpus/later-on.txt"),
        include_str!("../corpus/unseen.txt"),
    ];
    let lines =
        files.iter().flat_map(|file| file.lines()).filter(|line| line.contains(" => ") && !line.starts_with('#'));
    let mut asked: Vec<&str> = lines.filter_map(|line| line.rsplit_once(" => ")).map(|(asked, _)| asked).collect();
    let all = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert!(all >= 400 && asked.len() == all, "{all} phrasings, {} of them once", asked.len());
}
