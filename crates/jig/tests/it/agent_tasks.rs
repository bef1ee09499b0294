//! Twelve tasks that people give to agents, as fixed scripts against `jig mcp`: how many calls they need, and how many
//! tokens the model sees of them. `cargo test -p jig --test it agent_tasks -- --nocapture` prints the table.
//!
//! Clients show a model either the text of a result or its structured content, so both are counted, and the larger one
//! is held against the bound. Bounds are those of the best peer where one completes the task.

use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::mcp_process::Mcp;

/// A task in progress.
struct Task<'m> {
    mcp: &'m mut Mcp,
    name: &'static str,
    calls: usize,
    arguments: usize,
    text: usize,
    structured: usize,
}

impl<'m> Task<'m> {
    fn new(mcp: &'m mut Mcp, name: &'static str) -> Self {
        Self { mcp, name, calls: 0, arguments: 0, text: 0, structured: 0 }
    }

    /// Calls a tool, which must succeed, and returns its structured content.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.calls += 1;
        self.arguments += tokens(&arguments.to_string());
        let answer = self.mcp.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{}: {tool} {arguments}: {answer}", self.name);
        self.text += tokens(result["content"][0]["text"].as_str().unwrap());
        self.structured += tokens(&result["structuredContent"].to_string());
        result["structuredContent"].clone()
    }

    /// Prints what the task cost, and holds it against its bounds.
    fn done(self, most_calls: usize, most_tokens: usize) {
        let seen = self.arguments + self.text.max(self.structured);
        println!(
            "{:<16} {:>2} calls, arguments {:>5}, text {:>5}, structured {:>5}: {seen:>5} of {most_tokens}",
            self.name, self.calls, self.arguments, self.text, self.structured
        );
        assert!(self.calls <= most_calls, "{}: {} calls", self.name, self.calls);
        assert!(seen <= most_tokens, "{}: {seen} tokens", self.name);
    }
}

fn tokens(text: &str) -> usize {
    jig_workbench::count_tokens(text)
}

/// A workbench with the demo's files and thirty notes.
fn deck() -> TestEnvironment {
    let environment = TestEnvironment::with_notes();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo/files");
    for name in ["budget.xlsx", "deck.pptx", "report.docx", "policy.pdf", "bank.csv"] {
        environment.write(name, std::fs::read(format!("{demo}/{name}")).unwrap());
    }
    for number in 0..30 {
        let word = if number == 17 { "The supplier is Globex." } else { "Nothing special." };
        environment.write(&format!("notes/{number:02}.md"), format!("# Note {number}\n\n{word}\n"));
    }
    let files = ["add", "budget.xlsx", "deck.pptx", "report.docx", "policy.pdf", "bank.csv", "notes"];
    let _ = environment.jig(&files).success();
    environment
}

fn lines(value: &Value) -> String {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn twelve_tasks_are_done_in_few_calls_and_tokens() {
    let environment = deck();
    let mut server = Mcp::start(&environment, &[]);
    let mcp = &mut server;

    // Compared with a reader that returns the entire text at once, the map and the continuations are extra.
    let mut task = Task::new(mcp, "summarise");
    task.call("get_file_map", json!({ "path": "policy.pdf" }));
    let mut read = task.call("read_file", json!({ "path": "policy.pdf" }));
    while let Some(cursor) = read["cursor"].as_str() {
        read = task.call("read_file", json!({ "path": "policy.pdf", "cursor": cursor }));
    }
    task.done(3, 1_400);

    let mut task = Task::new(mcp, "fix a number");
    task.call("get_file_map", json!({ "path": "budget.xlsx" }));
    let read = task.call("read_file", json!({ "path": "budget.xlsx", "sheet": "Headcount" }));
    let ops = json!([{ "op": "set_cells", "sheet": "Headcount", "cells": [{ "cell": "D2", "value": 2650 }] }]);
    let edited = task.call("xlsx_operations", json!({ "path": "budget.xlsx", "base_hash": read["hash"], "ops": ops }));
    assert!(lines(&edited["cells"]).starts_with("Headcount!D2: "), "{edited}");
    assert!(lines(&edited["recalculated"]).contains("Headcount!E2: "), "the result says what follows: {edited}");
    task.done(3, 900);

    let mut task = Task::new(mcp, "three slides");
    let map = task.call("get_file_map", json!({ "path": "deck.pptx" }));
    assert!(lines(&map["map"]).contains("slide 1 "), "{map}");
    let slide = |title: &str, body: &str| json!({ "op": "add_slide", "layout": "Title and Content", "title": title, "body": body });
    let ops =
        json!([slide("Risks", "Late models\nWages"), slide("Next steps", "Hire two"), slide("Questions", "Any?")]);
    task.call("pptx_operations", json!({ "path": "deck.pptx", "ops": ops }));
    task.done(2, 600);

    if jig_testkit::has_sql_engine() {
        let mut task = Task::new(mcp, "reconcile csv");
        task.call("get_file_map", json!({ "path": "bank.csv" }));
        let query = "SELECT category, count(*) AS n, sum(amount) AS total FROM data GROUP BY 1 ORDER BY 3";
        let rows = task.call("table_query", json!({ "path": "bank.csv", "query": query }));
        assert!(rows.to_string().contains("Workshop repairs"), "{rows}");
        task.done(3, 1_200);
    }

    let mut task = Task::new(mcp, "redline");
    task.call("get_file_map", json!({ "path": "report.docx" }));
    let ops = json!([{ "op": "replace_text", "search": "ahead of plan", "replace": "above plan", "track_changes": true },
        { "op": "replace_text", "search": "Overtime", "replace": "Extra hours", "track_changes": true }]);
    let edited = task.call("docx_operations", json!({ "path": "report.docx", "ops": ops }));
    assert!(lines(&edited["changes"]).contains("1"), "{edited}");
    task.done(3, 700);

    let mut task = Task::new(mcp, "invoice");
    let rows = json!([["Item", "Hours", "Price"], ["Workshop", "12", "720.00"], ["Parts", "", "88.40"]]);
    let ops = json!([
        { "op": "append_paragraph", "text": "Invoice 2026-014", "style": "Title" },
        { "op": "append_paragraph", "text": "Larchfield Cycles Ltd to Globex" },
        { "op": "insert_table", "rows": rows, "header": true },
        { "op": "append_paragraph", "text": "Total: 808.40 GBP" },
    ]);
    task.call("docx_operations", json!({ "path": "invoice.docx", "ops": ops }));
    task.done(1, 400);

    let mut task = Task::new(mcp, "report");
    let values = json!([["Month", "Sales"], ["Jan", 120], ["Feb", 140], ["Mar", 155], ["Total", "=SUM(B2:B4)"]]);
    let mut ops = vec![json!({ "op": "set_range", "sheet": "Sales", "start": "A1", "values": values })];
    let known = task.call("edit_help", json!({ "format": "xlsx", "op": "add_chart" }));
    assert!(known["ops"][0]["signature"].is_string(), "{known}");
    ops.push(json!({ "op": "add_chart", "sheet": "Sales", "type": "column", "range": "A1:B4", "title": "Sales" }));
    ops.push(json!({ "op": "set_number_format", "sheet": "Sales", "range": "B2:B5", "format": "#,##0" }));
    let edited = task.call("xlsx_operations", json!({ "path": "sales.xlsx", "ops": ops }));
    assert!(edited["hash"].is_string(), "{edited}");
    task.done(8, 1_000);

    let mut task = Task::new(mcp, "compare");
    task.call("diff", json!({}));
    let diff = task.call("diff", json!({ "path": "report.docx" }));
    assert!(diff["diff"].as_str().unwrap().contains("Extra hours"), "{diff}");
    task.done(2, 900);

    let mut task = Task::new(mcp, "find in 30 files");
    let found = task.call("search_files", json!({ "query": "globex" }));
    assert!(found["hits"].as_array().unwrap().iter().any(|hit| hit["path"] == "notes/17.md"), "{found}");
    task.done(1, 450);

    let mut task = Task::new(mcp, "plan section");
    let plan = task.call("plans", json!({ "action": "create", "title": "Concept" }));
    let section = plan["sections"][0]["slug"].as_str().unwrap_or("what-is-it").to_owned();
    let ops =
        json!([{ "op": "update_section", "artifact_slug": "concept", "section_slug": section, "content": "A shop." }]);
    let edited = task.call("plans", json!({ "action": "edit", "ops": ops }));
    assert!(edited["applied"][0]["summary"].is_string(), "{edited}");
    task.done(3, 1_600);

    let mut task = Task::new(mcp, "entries");
    let kinds = task.call("entries", json!({ "action": "kinds" }));
    assert!(kinds["kinds"].as_array().unwrap().iter().any(|kind| kind["role"] == "brand"), "{kinds}");
    task.call("entries", json!({ "action": "put", "role": "brand", "data": { "name": "Larchfield" } }));
    task.done(3, 3_000);

    let mut task = Task::new(mcp, "rename, delete");
    task.call("list_files", json!({}));
    task.call("manage_files", json!({ "action": "rename", "path": "sales.xlsx", "to": "2026/sales.xlsx" }));
    task.call("manage_files", json!({ "action": "delete", "path": "./notes/03.md" }));
    task.call("undo", json!({}));
    task.done(4, 900);

    assert_eq!(server.finish(), 0);
}

#[test]
fn results_keep_to_their_budgets() {
    let environment = deck();
    let mut server = Mcp::start(&environment, &[]);
    let mut cost = |tool: &str, arguments: Value| {
        let answer = server.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{answer}");
        let text = tokens(result["content"][0]["text"].as_str().unwrap());
        let structured = tokens(&result["structuredContent"].to_string());
        println!("{tool}: text {text}, structured {structured}");
        text.max(structured)
    };
    for number in 36..50 {
        let ops = json!({ "path": format!("more/{number}.txt"), "text": "x" });
        cost("write_text_file", ops);
    }
    let files = cost("list_files", json!({}));
    assert!(files <= 700, "50 files: {files} tokens");
    let map = cost("get_file_map", json!({ "path": "budget.xlsx" }));
    assert!(map <= 250, "map of a workbook: {map} tokens");
    let ops =
        json!([{ "op": "add_slide", "title": "One", "body": "a" }, { "op": "add_slide", "title": "Two", "body": "b" }]);
    let edit = cost("pptx_operations", json!({ "path": "deck.pptx", "ops": ops }));
    assert!(edit <= 150, "two slides: {edit} tokens");
    // The receipt of package parts comes on request only.
    let full = cost("pptx_operations", json!({ "path": "deck.pptx", "ops": ops, "full_receipt": true }));
    assert!(full > 3 * edit, "{full} tokens");
    assert_eq!(server.finish(), 0);
}
