//! The layout of complete prompts.

use jig_contract::ops::PromptAssembleOutput;
use jig_prompt::{
    AgentComponent, AgentContext, AgentLevel, AgentPart, Class, Document, FileBody, FileEntry, FileMap, Instruction,
    Manifest, Markup, Message, Need, O200k, Part, SectionKind, Skill, SkillFile, assemble, sample,
};
use serde_json::json;

const EXPECTED: &str = r#"<workbench-tool name="read_file">
{"description":"Reads a region of a file of the workbench.","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}
</workbench-tool>
<workbench-instructions name="pack">
Help.
</workbench-instructions>
<workbench-notation>
(notation)
</workbench-notation>
<workbench-files count="3 files" size="1 MB">
<workbench-files-guide>
(guide)
</workbench-files-guide>
<workbench-file path="budget.xlsx" type="xlsx" size="24 KB" access="readable" shows="map">
{"sheets":[{"name":"Costs","used_range":"A1:H40"}]}
</workbench-file>
<workbench-file path="logo.bin" type="binary" size="1 MB" access="opaque" shows="nothing">
The file is here, but its content cannot be read: no known format
</workbench-file>
<workbench-file path="notes.md" type="text" size="31 bytes" access="readable" shows="content">
Costs ⟦<⟧/workbench-file> rise.
</workbench-file>
</workbench-files>
<workbench-situation>
- Board meeting on Friday
</workbench-situation>
<workbench-skill name="company-context">
# Company
See references/summary.md.
<workbench-reference path="references/summary.md">
Makes instruments.
</workbench-reference>
</workbench-skill>
<workbench-skill name="xlsx-style-skill">
Use number formats.
</workbench-skill>
<context>
<brand>
<name>Acme & Sons</name>
<voice>Calm. Never ⟦<⟧b>loud⟦<⟧/b>.</voice>
</brand>
<competitor key="acme">
<part name="über uns">x</part>
</competitor>
<concept title="Concept">
<what-is-it>A planning layer.</what-is-it>
</concept>
</context>
<workbench-agent-context level="minimal">
<workbench-agent-part name="project">
Stage: discovery
</workbench-agent-part>
</workbench-agent-context>
Compare the costs."#;

fn part(name: &str, text: &str) -> Part {
    Part { name: name.to_owned(), text: text.to_owned(), need: Need::Required }
}

fn document(class: Class, kind: &str, key: &str, parts: Vec<Part>) -> Document {
    Document { class, kind: kind.to_owned(), key: key.to_owned(), title: None, parts }
}

fn file(path: &str, file_type: &str, size: u64, body: FileBody) -> FileEntry {
    FileEntry { path: path.to_owned(), file_type: file_type.to_owned(), size, body, need: Need::Fill(0) }
}

fn input() -> jig_prompt::Input {
    let mut input = sample::sample(0, 0, 0);
    input.tools.retain(|tool| tool.name == "read_file");
    input.instructions = vec![Instruction { name: "pack".to_owned(), text: "Help.".to_owned() }];
    let map = json!({ "sheets": [{ "name": "Costs", "used_range": "A1:H40" }] });
    let text = "Costs </workbench-file> rise.".to_owned();
    input.files = Manifest::Complete(vec![
        file("notes.md", "text", 31, FileBody::Readable { map: None, text: Some(text) }),
        file("budget.xlsx", "xlsx", 24_000, FileBody::Readable { map: Some(FileMap::Json(map)), text: None }),
        file("logo.bin", "binary", 1_000_000, FileBody::Opaque { why: "no known format".to_owned() }),
    ]);
    input.situation = Some("- Board meeting on Friday".to_owned());
    let summary = SkillFile { path: "references/summary.md".to_owned(), text: "Makes instruments.".to_owned() };
    let skill = |name: &str, body: &str, references| Skill { name: name.to_owned(), body: body.to_owned(), references };
    input.skills = vec![skill("company-context", "# Company\nSee references/summary.md.", vec![summary])];
    input.format_styles = vec![skill("xlsx-style-skill", "Use number formats.", vec![])];
    let mut concept = document(Class::Artifact, "concept", "", vec![part("what-is-it", "A planning layer.")]);
    concept.title = Some("Concept".to_owned());
    input.documents = vec![
        concept,
        document(Class::Entry, "competitor", "acme", vec![part("über uns", "x")]),
        document(
            Class::Entry,
            "brand",
            "",
            vec![part("name", "Acme & Sons"), part("voice", "Calm. Never <b>loud</b>.")],
        ),
    ];
    let project = AgentPart {
        component: AgentComponent::Project,
        name: "project".to_owned(),
        body: vec![Markup::Text("Stage: discovery".to_owned())],
        need: Need::Required,
    };
    input.agent_context = Some(AgentContext { level: AgentLevel::Minimal, parts: vec![project] });
    input.messages = vec![Message::User { text: "Compare the costs.".to_owned() }];
    input
}

#[test]
fn a_prompt_of_everything() {
    let prompt = assemble(&input(), &O200k).unwrap();
    let text = prompt.text().replace(jig_prompt::NOTATION, "(notation)").replace(jig_prompt::FILES_GUIDE, "(guide)");
    assert_eq!(text, EXPECTED);
}

#[test]
fn sections_are_in_order_with_breakpoints_after_what_is_stable() {
    let prompt = assemble(&input(), &O200k).unwrap();
    let sections: Vec<(SectionKind, bool)> =
        prompt.sections.iter().map(|section| (section.kind, section.cache_breakpoint)).collect();
    assert_eq!(
        sections,
        [
            (SectionKind::Instructions, true),
            (SectionKind::Files, true),
            (SectionKind::Situation, false),
            (SectionKind::Skills, false),
            (SectionKind::FormatStyles, true),
            (SectionKind::Context, false),
            (SectionKind::AgentContext, false),
        ]
    );
    assert!(prompt.messages[0].cache_breakpoint);
}

#[test]
fn a_prompt_goes_over_the_wire() {
    let prompt = assemble(&input(), &O200k).unwrap();
    let output = PromptAssembleOutput::from(&prompt);
    assert_eq!(output.sections.iter().map(|section| section.text.as_str()).collect::<String>(), prompt.system());
    assert_eq!((output.tools.len(), output.tools[0].name.as_str()), (1, "read_file"));
    assert_eq!((output.bill.total, output.bill.level.as_str()), (prompt.bill.total, "fine"));
    assert_eq!((output.messages[0].role.as_str(), output.messages[0].text.as_str()), ("user", "Compare the costs."));
}

#[test]
fn jigs_own_words_hold_no_tags() {
    for text in [jig_prompt::INSTRUCTIONS, jig_prompt::NOTATION, jig_prompt::FILES_GUIDE] {
        let text = text.replace("⟦<⟧", "the code");
        assert!(!text.contains('<') && !text.contains('\r'), "{text}");
    }
}
