//! What is selected if not everything fits, and what is reported about the rest.

use jig_contract::{Code, OpError};
use jig_prompt::{
    AgentComponent, AgentContext, AgentLevel, AgentPart, AssembleError, Budgets, Class, Document, FileBody, FileEntry,
    FileMap, Input, Manifest, Markup, Message, Need, Notice, O200k, Part, Prompt, SectionKind, Share, Skill,
    SourceKind, Tokenizer, ToolCall, assemble, sample,
};
use serde_json::json;

use crate::words::words;

fn empty(window: u64) -> Input {
    let mut input = sample::sample(0, 0, 0);
    input.model.window = window;
    input.tools.clear();
    input
}

fn document(kind: &str, parts: &[(&str, usize, Need)]) -> Document {
    let part = |(name, length, need): &(&str, usize, Need)| Part {
        name: (*name).to_owned(),
        text: words(*length),
        need: *need,
    };
    Document {
        class: Class::Entry,
        kind: kind.to_owned(),
        key: String::new(),
        title: None,
        parts: parts.iter().map(part).collect(),
    }
}

fn chosen(prompt: &Prompt) -> Vec<&str> {
    let field = |line: &&jig_prompt::Line| line.source.kind == SourceKind::EntryField;
    prompt.bill.lines.iter().filter(field).map(|line| line.source.name.as_str()).collect()
}

fn left(prompt: &Prompt) -> Vec<&str> {
    prompt.left_out.iter().map(|one| one.source.name.as_str()).collect()
}

#[test]
fn the_order_of_choice_is_need_then_priority() {
    let mut input = empty(20_000);
    // The budget for context is 2,000 tokens, of which the required and named parts use 1,500.
    input.documents = vec![
        document("a", &[("low", 300, Need::Fill(1)), ("never", 10, Need::Unneeded)]),
        document("b", &[("high", 300, Need::Fill(9)), ("large", 1_800, Need::Fill(10)), ("must", 700, Need::Required)]),
        document("c", &[("named", 700, Need::Referenced), ("small", 20, Need::Fill(0))]),
    ];
    let prompt = assemble(&input, &O200k).unwrap();
    assert_eq!(chosen(&prompt), ["@b#high", "@b#must", "@c#named", "@c#small"]);
    assert_eq!(left(&prompt), ["@b#large", "@a#low"]);
    let large = &prompt.left_out[0];
    assert!(large.tokens > 1_800 && large.why == "the budget for context is used up", "{large:?}");
    assert_eq!(large.how, "name @b#large in a message");
    let list = prompt.sections.iter().find(|section| section.kind == SectionKind::LeftOut).unwrap();
    assert!(list.text.contains("@b#large (1,8") && list.text.contains("@a#low"), "{}", list.text);
}

#[test]
fn optional_parts_stay_within_their_budget() {
    let mut input = empty(50_000);
    let parts: Vec<(String, usize, Need)> =
        (0..200).map(|n| (format!("p{n}"), 40 + n, Need::Fill(n as i32 % 7))).collect();
    let parts: Vec<_> = parts.iter().map(|(name, length, need)| (name.as_str(), *length, *need)).collect();
    input.documents = vec![document("a", &parts)];
    let prompt = assemble(&input, &O200k).unwrap();
    let context: u64 =
        prompt.bill.by_section().iter().filter(|(kind, _)| *kind == SectionKind::Context).map(|(_, t)| t).sum();
    assert!(context <= 5_000 && context > 4_800, "{context}");
    assert_eq!(chosen(&prompt).len() + prompt.left_out.len(), 200);
    let list = prompt.sections.iter().find(|section| section.kind == SectionKind::LeftOut).unwrap();
    assert!(list.text.contains(" more\n"), "{}", list.text);
}

#[test]
fn required_parts_that_do_not_fit_are_an_error_with_sizes() {
    let mut input = empty(8_000);
    input.documents = vec![document("brand", &[("voice", 9_000, Need::Required), ("name", 1, Need::Fill(0))])];
    let error = assemble(&input, &O200k).unwrap_err();
    assert_eq!(error.code(), Code::ContextTooLarge);
    let AssembleError::TooLarge(large) = &error else { panic!("{error}") };
    assert_eq!(large.limit, 7_200);
    let voice = large.bill.lines.iter().find(|line| line.source.name == "@brand#voice").unwrap();
    assert!(voice.tokens > 9_000);
    let error = OpError::from(error);
    assert_eq!(error.info.detail.as_ref().unwrap()["sizes"][0]["source"], "@brand#voice");
    assert!(error.info.message.ends_with("takes 8,000 and leaves 7,200 for it"), "{}", error.info.message);
    assert!(error.info.hints[0].contains("@brand#voice"));
}

#[test]
fn required_parts_may_use_the_reserve() {
    let mut input = empty(20_000);
    input.documents = vec![document("brand", &[("voice", 9_000, Need::Required)])];
    assert_eq!(chosen(&assemble(&input, &O200k).unwrap()), ["@brand#voice"]);
}

fn file(path: &str, map: serde_json::Value, text: Option<String>) -> FileEntry {
    let body = FileBody::Readable { map: Some(FileMap::Json(map)), text };
    FileEntry { path: path.to_owned(), file_type: "xlsx".to_owned(), size: 5_000, body, need: Need::Fill(0) }
}

fn large_map() -> serde_json::Value {
    let chunks: Vec<_> = (0..400).map(|n| json!({ "index": n, "range": format!("A{n}:Z{n}") })).collect();
    json!({ "sheets": [{ "name": "Costs", "chunks": chunks }], "sheet_count": 1 })
}

#[test]
fn a_map_that_is_too_large_is_shortened_and_says_so() {
    let mut input = empty(50_000);
    input.files = Manifest::Complete(vec![file("a.xlsx", large_map(), None)]);
    let prompt = assemble(&input, &O200k).unwrap();
    let text = prompt.system();
    assert!(text.contains("shows=\"shortened map\""), "{text}");
    assert!(text.contains("This map is shortened to its first 3 levels. Get all of it with get_file_map."));
    assert!(text.contains(r#"{"sheets":[{"name":"Costs","chunks":"(400 items left out)"}],"sheet_count":1}"#));
    assert_eq!(left(&prompt), ["a.xlsx"]);
    assert!(prompt.left_out[0].tokens > 3_000 && prompt.left_out[0].how.contains("get_file_map"));
}

#[test]
fn every_file_is_named_even_without_room_for_maps() {
    let mut input = empty(50_000);
    input.budgets = Budgets { files: Share(0), ..Budgets::default() };
    input.files = Manifest::Complete(vec![file("a.xlsx", large_map(), None), file("b.xlsx", large_map(), None)]);
    let prompt = assemble(&input, &O200k).unwrap();
    let text = prompt.system();
    assert_eq!(text.matches("Its map is left out for want of room. Get it with get_file_map.").count(), 2);
    assert!(text.contains("<workbench-files count=\"2 files\" size=\"10 KB\">"));
    assert_eq!(left(&prompt), ["a.xlsx", "b.xlsx"]);
}

#[test]
fn small_text_files_are_whole_and_larger_ones_have_their_map() {
    let mut input = empty(100_000);
    let map = json!({ "line_count": 3 });
    input.files = Manifest::Complete(vec![
        file("small.md", map.clone(), Some("# Small\r\n".to_owned())),
        file("long.md", map.clone(), Some("x".repeat(4_000))),
        file("lines.md", map.clone(), Some("x\n".repeat(201))),
    ]);
    let text = assemble(&input, &O200k).unwrap().system();
    assert!(text.contains("shows=\"content\">\n# Small\r\n\n</workbench-file>"));
    assert_eq!(text.matches("shows=\"map\">\n{\"line_count\":3}").count(), 2);
}

#[test]
fn without_a_list_of_files_there_is_no_prompt() {
    let mut input = empty(100_000);
    input.files = Manifest::Failed { reason: "the store does not answer".to_owned() };
    let error = assemble(&input, &O200k).unwrap_err();
    assert_eq!(error.code(), Code::FileReadFailed);
    assert_eq!(
        error.to_string(),
        "The list of files could not be made, so nothing was sent: the store does not answer"
    );
    for files in [vec![file("", json!(1), None)], vec![file("a", json!(1), None), file("a", json!(2), None)]] {
        input.files = Manifest::Complete(files);
        assert_eq!(assemble(&input, &O200k).unwrap_err().code(), Code::FileReadFailed);
    }
}

#[test]
fn names_that_occur_twice_are_refused() {
    let twice = |change: fn(&mut Input)| {
        let mut input = sample::sample(1, 2, 1);
        change(&mut input);
        assemble(&input, &O200k).unwrap_err().code()
    };
    assert_eq!(twice(|input| input.tools.push(input.tools[0].clone())), Code::ValidationFailed);
    assert_eq!(twice(|input| input.skills.push(input.skills[0].clone())), Code::ValidationFailed);
    assert_eq!(twice(|input| input.documents.push(input.documents[0].clone())), Code::ValidationFailed);
}

#[test]
fn earlier_turns_are_left_out_whole_and_said() {
    let mut input = empty(20_000);
    let call = ToolCall { id: "1".to_owned(), name: "read_file".to_owned(), input: json!({}) };
    input.messages = vec![
        Message::User { text: words(900) },
        Message::Assistant { text: String::new(), calls: vec![call] },
        Message::ToolResult { call: "1".to_owned(), text: words(900) },
        Message::User { text: words(900) },
        Message::Assistant { text: "Done.".to_owned(), calls: vec![] },
        Message::User { text: "And now?".to_owned() },
    ];
    let prompt = assemble(&input, &O200k).unwrap();
    assert_eq!(prompt.messages.len(), 3);
    assert!(matches!(&prompt.messages[0].message, Message::User { .. }));
    assert_eq!(left(&prompt), ["message 1 (3 messages)"]);
    assert!(prompt.left_out[0].tokens > 1_800 && prompt.left_out[0].section == SectionKind::Conversation);
    let notice = Notice::new("The model does not see 1 earlier turn of this conversation: there was no room.");
    assert!(prompt.notices.contains(&notice), "{:?}", prompt.notices);
    assert!(prompt.system().contains("- message 1 (3 messages)"));
    assert_eq!(prompt.messages.iter().map(|one| one.cache_breakpoint).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn the_newest_turn_is_never_cut() {
    let mut input = empty(8_000);
    input.messages = vec![Message::User { text: words(9_000) }];
    assert_eq!(assemble(&input, &O200k).unwrap_err().code(), Code::ContextTooLarge);
}

#[test]
fn format_styles_stand_for_the_document_style() {
    let mut input = sample::sample(0, 4, 0);
    let with = assemble(&input, &O200k).unwrap().system();
    assert!(with.contains("<workbench-skill name=\"document-style\">"));
    let style = |name: &str| Skill { name: name.to_owned(), body: "x".to_owned(), references: vec![] };
    input.format_styles = vec![style("xlsx-style-custom"), style("docx-style-skill")];
    let without = assemble(&input, &O200k).unwrap().system();
    assert!(!without.contains("document-style"));
    let at = |name: &str| without.find(&format!("<workbench-skill name=\"{name}\">")).unwrap();
    assert!(at("company-context") < at("department-context") && at("department-context") < at("docx-style-skill"));
    assert!(at("docx-style-skill") < at("xlsx-style-custom"));
}

#[test]
fn the_agents_view_keeps_what_it_must_and_its_budgets() {
    let mut input = empty(20_000);
    let part = |component, name: &str, length, need| AgentPart {
        component,
        name: name.to_owned(),
        body: vec![Markup::Text(words(length))],
        need,
    };
    input.agent_context = Some(AgentContext {
        level: AgentLevel::Full,
        parts: vec![
            part(AgentComponent::RelatedArtifacts, "research", 400, Need::Fill(0)),
            part(AgentComponent::RelatedArtifacts, "scope", 300, Need::Fill(1)),
            part(AgentComponent::CurrentArtifact, "concept", 1_500, Need::Required),
            part(AgentComponent::Project, "project", 50, Need::Required),
        ],
    });
    let prompt = assemble(&input, &O200k).unwrap();
    let text = prompt.system();
    let at = |name: &str| text.find(&format!("<workbench-agent-part name=\"{name}\">"));
    assert!(at("project") < at("concept") && at("concept") < at("scope") && at("project").is_some());
    assert!(text.contains("<workbench-agent-context level=\"full\">"));
    assert_eq!(left(&prompt), ["research"]);
    assert_eq!(prompt.left_out[0].why, "the budget for related artifacts is used up");
}

#[test]
fn notices_pass_through_once() {
    let mut input = empty(100_000);
    let (damaged, merge) = (Notice::damaged_item("Company-Wide"), Notice::style_merge_failed("pptx"));
    input.notices = vec![damaged.clone(), merge.clone(), damaged.clone()];
    assert_eq!(assemble(&input, &O200k).unwrap().notices, [damaged, merge]);
}

#[test]
fn long_instructions_are_sent_with_a_notice() {
    let mut input = empty(100_000);
    input.instructions = vec![jig_prompt::Instruction { name: "pack".to_owned(), text: words(3_000) }];
    let prompt = assemble(&input, &O200k).unwrap();
    assert!(prompt.notices[0].message.ends_with("their budget is 1,000."), "{:?}", prompt.notices);
    assert!(prompt.system().contains(&words(3_000)));
}

#[test]
fn sizes_of_what_is_left_out_are_in_the_models_tokens() {
    let mut input = empty(20_000);
    input.documents = vec![document("a", &[("large", 3_000, Need::Fill(0))])];
    let exact = assemble(&input, &O200k).unwrap().left_out[0].tokens;
    input.model.tokenizer = Tokenizer::estimate("anthropic");
    assert_eq!(assemble(&input, &O200k).unwrap().left_out[0].tokens, (exact * 5).div_ceil(4));
}
