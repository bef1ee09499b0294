//! Section boundaries and metadata.

use super::super::*;
use super::fixtures::*;

fn titles(text: &str) -> Vec<String> {
    outline(text).sections.into_iter().map(|section| section.title).collect()
}

#[test]
fn only_level_2_headings_of_the_document_itself_are_sections() {
    let text = "# T\n\nlead\n\n## One `code` *and* [link](x)\n\n### deeper\n\n```md\n## in a fence\n```\n\n~~~\n## too\n~~~\n\n<!--\n## in a comment\n-->\n\n> ## quoted\n\n- ## in a list\n\n    ## indented code\n\nTwo\n---\n\ntext\n\n##\n\n## Last ##\n\n#### no\n##no\n\\## no\n";
    assert_eq!(titles(text), ["One code and link", "Two", "", "Last"]);
    let found = outline(text);
    assert_eq!(&text[found.lead.clone()], "# T\n\nlead\n\n");
    assert_eq!(found.title.unwrap().1, "T");
    assert_eq!(&text[found.sections[1].heading.clone()], "Two\n---\n");
    let mut again = text[found.lead].to_owned();
    for section in &found.sections {
        again.push_str(&text[section.heading.clone()]);
        again.push_str(&text[section.body.clone()]);
    }
    assert_eq!(again, text);
}

#[test]
fn front_matter_and_metadata_after_the_title_are_no_sections() {
    let seed = "# Context Schema: ACK\n\n---\nstatus: \"Draft\"\ncreated: 2025-01-01\nauthor: \"jess@pike\"\nstage: \"design\"\n---\n\n## Overview\n\ntext\n";
    assert_eq!(titles(seed), ["Overview"]);
    assert_eq!(title_in(seed).as_deref(), Some("Context Schema: ACK"));
    assert_eq!(titles("---\ntitle: x\ntags:\n  - a\n---\n\n# T\n\n## A\n"), ["A"]);
    assert_eq!(titles("---\ntitle: x\n---\n# T\n---\nb: 1\n---\n## A\n"), ["A"]);
    // According to CommonMark, text between two rules is a setext heading.
    assert_eq!(titles("# T\n\n---\nnot metadata\n---\n"), ["not metadata"]);
    assert_eq!(titles("---\n\n## A\n\n---\n\n## B\n"), ["A", "B"]);
    assert_eq!(titles("\u{feff}# T\r\n\r\n## A\r\n\r\nx\r\n## B\r\n"), ["A", "B"]);
    assert_eq!(titles(""), Vec::<String>::new());
}

/// CommonMark also ends a line at a lone carriage return.
#[test]
fn a_carriage_return_alone_ends_a_line() {
    assert_eq!(titles("# T\r\r## A\ra\r## B\rb\r"), ["A", "B"]);
    assert_eq!(titles("---\rtitle: x\r---\r# T\r## A\r"), ["A"]);
    let text = "# T\n\nimportant words\r## A\ntext\r\n## B\r";
    let found = outline(text);
    assert_eq!(&text[found.lead.clone()], "# T\n\nimportant words\r");
    let pieces: Vec<(&str, &str)> =
        found.sections.iter().map(|one| (&text[one.heading.clone()], &text[one.body.clone()])).collect();
    assert_eq!(pieces, [("## A\n", "text\r\n"), ("## B\r", "")]);
}

#[test]
fn slugs_are_unique_and_of_any_script() {
    let artifact = made("## Overview\n\n## Overview\n\n## 日本語\n\n## Été à Paris\n\n## —!?\n\n## In Scope (v1.0)\n");
    assert_eq!(slugs(&artifact), ["overview", "overview-2", "日本語", "été-à-paris", "part", "in-scope-v1-0"]);
    assert_eq!(artifact.markdown().matches("## Overview").count(), 2);
}

#[test]
fn previews_are_200_characters_cut_between_graphemes_and_none_when_empty() {
    assert_eq!(preview("  \n<!-- write here -->\n\n"), None);
    assert_eq!(preview("a\n\nb   c"), Some("a b c".to_owned()));
    let family = "👩‍👩‍👧";
    let text = format!("{}{family}", "x".repeat(198));
    assert_eq!(preview(&text), Some("x".repeat(198)), "a family is not cut apart");
    assert_eq!(preview(&"é".repeat(300)).unwrap().chars().count(), 200);
    assert_eq!(preview("`<!-- code -->` stays"), Some("`<!-- code -->` stays".to_owned()));
}
