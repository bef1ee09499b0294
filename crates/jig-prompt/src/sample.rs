//! Sample workbenches of any size for benchmarks and tests, deterministic for the given numbers.

use serde_json::json;

use crate::count::Tokenizer;
use crate::input::{
    Class, Document, FileBody, FileEntry, FileMap, Input, Manifest, Message, Model, Need, Part, Skill, SkillFile, Tool,
};

/// A workbench with this many files, context items (at most four) and relevant entries.
pub fn sample(files: usize, items: usize, entries: usize) -> Input {
    let model = Model { id: "openai:sample".to_owned(), window: 200_000, tokenizer: Tokenizer::o200k() };
    let mut input = Input::new(model);
    input.files = Manifest::Complete((0..files).map(file).collect());
    input.situation =
        (items > 0).then(|| "- **Project**: board deck for the fourth quarter\n- **Audience**: investors".to_owned());
    let names = ["company-context", "department-context", "document-style"];
    input.skills = names.iter().take(items.saturating_sub(1)).map(|name| skill(name)).collect();
    input.documents = (0..entries).map(|n| entry(n, Need::Fill(0))).collect();
    input.messages = vec![Message::User { text: "Compare this quarter's costs with the plan.".to_owned() }];
    input.tools = ["get_file_map", "read_file", "search_files", "table_query"].map(tool).into();
    input
}

/// Adds entries that no call needs.
pub fn add_unrelated(input: &mut Input, entries: usize) {
    let start = input.documents.len();
    input.documents.extend((start..start + entries).map(|n| entry(n, Need::Unneeded)));
}

fn file(n: usize) -> FileEntry {
    let (file_type, body) = match n % 3 {
        0 => {
            let chunks: Vec<_> = (0..20)
                .map(|at| json!({ "index": at, "range": format!("A{}:H{}", at * 50 + 1, at * 50 + 50) }))
                .collect();
            let sheet = json!({ "name": "Costs", "used_range": "A1:H1000", "row_count": 1_000, "col_count": 8, "chunks": chunks });
            ("xlsx", FileBody::Readable { map: Some(FileMap::Json(json!({ "sheets": [sheet] }))), text: None })
        }
        1 => {
            let text = format!("# Notes {n}\n\nThe plan has {n} open points.\n").repeat(20);
            let map = json!({ "line_count": 60, "char_count": text.len() });
            ("text", FileBody::Readable { map: Some(FileMap::Json(map)), text: Some(text) })
        }
        _ => {
            let sections: Vec<_> = (0..12)
                .map(|at| json!({ "heading": format!("Part {at}"), "level": 1, "char_count": 900 + at }))
                .collect();
            ("docx", FileBody::Readable { map: Some(FileMap::Json(json!({ "sections": sections }))), text: None })
        }
    };
    FileEntry {
        path: format!("folder/file-{n:04}.{file_type}"),
        file_type: file_type.to_owned(),
        size: 24_000,
        body,
        need: Need::Fill(0),
    }
}

fn skill(name: &str) -> Skill {
    let facts = "- The company makes measuring instruments for small laboratories.\n".repeat(30);
    Skill {
        name: name.to_owned(),
        body: format!(
            "---\nname: \"{name}\"\ndescription: \"What to keep in mind.\"\n---\n\n# {name}\n\nSee [summary](references/summary.md).\n"
        ),
        references: vec![SkillFile { path: "references/summary.md".to_owned(), text: facts }],
    }
}

fn entry(n: usize, need: Need) -> Document {
    let part = |name: &str, text: String| Part { name: name.to_owned(), text, need };
    Document {
        class: Class::Entry,
        kind: "competitor".to_owned(),
        key: format!("number-{n:06}"),
        title: None,
        parts: vec![
            part("name", format!("Competitor {n}")),
            part("description", format!("Sells {n} kinds of instruments to universities, mostly by catalogue.")),
            part("strengths", "[\"price\",\"service\"]".to_owned()),
        ],
    }
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: "Reads a region of a file of the workbench.".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
    }
}
