//! Tests of the scanner.

use super::*;

fn facts(material: &Material) -> Vec<String> {
    material.facts.iter().map(|fact| format!("{}={}", fact.label, fact.value)).collect()
}

fn groups(material: &Material) -> Vec<(String, Vec<String>)> {
    material.groups.iter().map(|group| (group.heading.clone(), group.points.clone())).collect()
}

#[test]
fn headings_of_every_form_open_groups() {
    let text = "# One\n- a\n\nTwo\n===\n- b\n\nThree:\n1. c\n2) d\n\nFOUR WORDS\n• e\n";
    let found = groups(&scan(text));
    let expected = [("One", vec!["a"]), ("Two", vec!["b"]), ("Three", vec!["c", "d"]), ("FOUR WORDS", vec!["e"])];
    let expected: Vec<(String, Vec<String>)> =
        expected.map(|(heading, points)| (heading.into(), points.into_iter().map(String::from).collect())).to_vec();
    assert_eq!(found, expected);
}

#[test]
fn key_value_lines_are_facts() {
    let text =
        "Company: Acme GmbH\n- **Deadline**: Friday\n* Tone: calm\n会社：アクメ\n| Region | Europe |\n|---|---|\n";
    assert_eq!(
        facts(&scan(text)),
        ["Company=Acme GmbH", "Deadline=Friday", "Tone=calm", "会社=アクメ", "Region=Europe"]
    );
    let none = "See https://example.com/a for more. At 10:30 we meet, and this: that, is a sentence of words.\n";
    assert_eq!(facts(&scan(none)), Vec::<String>::new());
}

#[test]
fn sentences_with_figures_are_kept_apart() {
    let text = "Acme sells ropes. It made 3.5 million in 2025! Who knows\nwhy? 売上は３億円。社員は多い。";
    let found = scan(text);
    assert_eq!(found.figures, ["It made 3.5 million in 2025!", "売上は３億円。"]);
    assert_eq!(groups(&found)[0].1, ["Acme sells ropes.", "Who knows why?", "社員は多い。"]);
}

#[test]
fn rules_fences_and_boxes_are_not_content() {
    let found = scan("---\n```\n- [ ] todo\n- [x] done\n***\n");
    assert_eq!(groups(&found)[0].1, ["todo", "done"]);
}

#[test]
fn a_note_moves_what_it_names_to_the_front() {
    let mut found = scan("# Ropes\n- a\n# Executive communications\n- b\n# Other\n- c\n");
    found.prefer("focus on the executive communications section");
    let order: Vec<&str> = found.groups.iter().map(|group| group.heading.as_str()).collect();
    assert_eq!(order, ["Executive communications", "Ropes", "Other"]);
}

#[test]
fn the_subject_is_a_fact_or_the_first_heading() {
    assert_eq!(scan("# About us\nCompany: Acme\n").subject(&["company"]), Some("Acme"));
    assert_eq!(scan("# About us\n- x\n").subject(&["company"]), Some("About us"));
    assert_eq!(scan("just words").subject(&["company"]), None);
}

#[test]
fn a_long_text_is_cut_and_it_is_told() {
    let found = scan(&"- point\n".repeat(LINES_MAX + 5));
    assert_eq!(found.cut.unwrap(), "only the first 20000 lines of the text were read");
    assert_eq!(scan("- point\n").cut, None);
    let many: String = (0..5_000).map(|n| format!("# H{n}\n- p{n}\nk{n}: v\nIn {n} it grew.\n\n")).collect();
    let found = scan(&many);
    assert_eq!((found.groups.len(), found.facts.len(), found.figures.len()), (GROUPS_MAX, FACTS_MAX, FIGURES_MAX));
    let one_line = scan(&"word ".repeat(2_000_000));
    assert!(one_line.groups[0].points[0].chars().count() <= super::super::plain::QUOTE_CHARS + 1);
}
