//! `offline:demo`: not a model, but a program that plays one small real task. It finds a table, groups and sums it, and
//! reports the result in the notes and the report if they exist. It uses the same tools, phases and log as any model,
//! and needs neither a key nor a network.

mod reports;

use futures::stream;
use jig_contract::Code;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::error::ProviderError;
use crate::message::{Message, StopReason, Usage};
use crate::permit::Permit;
use crate::provider::{Completion, Prepared, Provider, Step};
use crate::registry::Model;
use crate::request::{Part, Request, Role, ToolCall, ToolResult};
use crate::wire;

/// The only purpose it supports.
const PURPOSE: &str = "workshop";
const WORKBOOK: &str = "summary.xlsx";
const NOTE: &str = "summary.md";

/// The demo model.
#[derive(Debug)]
pub struct Player {
    model: Model,
}

impl Player {
    /// A player with this model id.
    pub fn new(model: Model) -> Self {
        Self { model }
    }
}

impl Provider for Player {
    fn model(&self) -> &Model {
        &self.model
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError> {
        if request.purpose != PURPOSE {
            let words = "`offline:demo` only performs the task of the demo";
            let hint =
                "`offline:extract` creates context items without a key or network; `jig model list` shows all models";
            return Err(ProviderError::new(Code::ProviderNotConfigured, words).model(&self.model.id).hint(hint));
        }
        let body = serde_json::to_vec(request)
            .map_err(|_| ProviderError::new(Code::Internal, "the request cannot be written"))?;
        Ok(Prepared::new(body, request))
    }

    fn complete(&self, prepared: Prepared, _permit: Permit, cancel: CancellationToken) -> Completion {
        if cancel.is_cancelled() {
            return Completion::failed(ProviderError::canceled());
        }
        let Ok(request) = serde_json::from_slice::<Request>(&prepared.body) else {
            return Completion::failed(ProviderError::new(Code::Internal, "the request cannot be read"));
        };
        let message = message(&self.model, play(&request), prepared.body.len());
        let deltas = wire::deltas(&message).into_iter().map(Step::Delta);
        let steps: Vec<_> = deltas.chain([Step::Message(message)]).map(Ok).collect();
        Completion::new(stream::iter(steps))
    }
}

/// The next move.
#[derive(Debug, PartialEq)]
enum Move {
    Say(String),
    Call(&'static str, Value),
}

fn message(model: &Model, next: Move, asked: usize) -> Message {
    let (part, stop, said) = match next {
        Move::Say(text) => {
            let length = text.len();
            (Part::Text { text }, StopReason::EndTurn, length)
        }
        Move::Call(name, arguments) => {
            let length = arguments.to_string().len();
            // The position in the conversation makes the id unique.
            let id = format!("{name}-{asked}");
            let call = ToolCall::new(id, name, arguments);
            (Part::ToolCall(call), StopReason::ToolUse, length)
        }
    };
    // About four bytes per token, as for any text.
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
    let usage = Usage { input: tokens(asked), output: tokens(said), ..Usage::default() };
    Message { parts: vec![part], stop, usage: Some(usage), model: model.id.to_string() }
}

fn play(request: &Request) -> Move {
    let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    let conversation = Conversation::of(request);
    if offers("write_text_file") {
        work(&conversation)
    } else if offers("list_files") {
        research(&conversation)
    } else if !request.tools.is_empty() {
        plan(&conversation)
    } else {
        Move::Say(summary(&conversation))
    }
}

/// The conversation so far.
struct Conversation {
    /// The last message of the user.
    asked: String,
    results: Vec<ToolResult>,
}

impl Conversation {
    fn of(request: &Request) -> Self {
        let (mut asked, mut results) = (String::new(), Vec::new());
        for turn in &request.turns {
            for part in &turn.parts {
                match part {
                    Part::Text { text } if turn.role == Role::User => asked.clone_from(text),
                    Part::ToolResult(result) => results.push(result.clone()),
                    _ => {}
                }
            }
        }
        Self { asked, results }
    }

    fn result(&self, tool: &str) -> Option<&ToolResult> {
        self.results.iter().rev().find(|result| result.name == tool)
    }

    fn read(&self, tool: &str) -> Option<Value> {
        serde_json::from_str(&self.result(tool)?.content).ok()
    }
}

/// A table, the column to group by, and the column to sum.
#[derive(Debug, PartialEq, Eq)]
struct Grouping {
    path: String,
    by: String,
    sum: String,
}

impl Grouping {
    fn task_text(&self) -> String {
        let Self { path, by, sum } = self;
        format!("Group `{path}` by `{by}` and add up `{sum}`")
    }

    /// Finds the grouping in a text that contains its wording.
    fn found(text: &str) -> Option<Self> {
        let mut rest = text.split("Group `").nth(1)?.split('`');
        let path = rest.next()?.to_owned();
        let by = rest.nth(1)?.to_owned();
        let sum = rest.nth(1)?.to_owned();
        Some(Self { path, by, sum })
    }

    /// Selects a grouping from the list of files and the table's columns.
    fn chosen(conversation: &Conversation) -> Option<Self> {
        let path = table(&conversation.read("list_files")?)?;
        let described = conversation.read("table_describe")?;
        let columns = described["columns"].as_array()?;
        let name = |column: &Value| column["name"].as_str().map(str::to_owned);
        let numeric =
            |column: &&Value| matches!(column["inferred_type"].as_str(), Some("integer" | "float" | "decimal"));
        let words = |column: &&Value| column["inferred_type"].as_str() == Some("string");
        let called = |wanted: &str| columns.iter().find(|column| column["name"].as_str() == Some(wanted));
        let sum = called("amount").or_else(|| columns.iter().find(numeric)).and_then(name)?;
        let fewest = columns.iter().filter(words).min_by_key(|column| column["distinct_estimate"].as_u64());
        let by = called("category").or(fewest).and_then(name)?;
        Some(Self { path, by, sum })
    }

    fn query(&self) -> String {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let (by, sum) = (quoted(&self.by), quoted(&self.sum));
        format!(
            "SELECT {by}, ROUND(SUM({sum}), 2) AS total, COUNT(*) AS \"rows\" FROM data GROUP BY {by} ORDER BY {by}"
        )
    }

    fn export(&self) -> Move {
        let input = json!({ "path": self.path, "target_path": WORKBOOK, "sheet": "Summary", "mode": "replace_sheet",
                            "query": self.query() });
        Move::Call("table_update_from_export", input)
    }
}

/// The first table in a list of files.
fn table(list: &Value) -> Option<String> {
    let paths = list["files"].as_array()?.iter().filter_map(|file| file["path"].as_str());
    paths.into_iter().find(|path| path.to_lowercase().ends_with(".csv")).map(str::to_owned)
}

const NO_TABLE: &str = "No csv file found to add up. `offline:demo` only performs that task: choose a model \
                        with `--model` for anything else.";

/// How often describing a table is tried.
const LOOKS: usize = 2;

/// Why nothing can be summed.
fn nothing(conversation: &Conversation) -> Move {
    match conversation.result("table_describe").filter(|result| result.failed) {
        Some(result) => Move::Say(format!("The table cannot be read: {}", result.content)),
        None => Move::Say(NO_TABLE.to_owned()),
    }
}

/// Finds a table and describes it; `None` when everything is known.
fn look(conversation: &Conversation) -> Option<Move> {
    if conversation.result("list_files").is_none() {
        return Some(Move::Call("list_files", json!({})));
    }
    let path = table(&conversation.read("list_files")?)?;
    // A call that timed out on a busy machine usually succeeds the second time.
    let looks = conversation.results.iter().filter(|result| result.name == "table_describe").count();
    let failed = conversation.result("table_describe").is_some_and(|result| result.failed);
    (looks == 0 || (failed && looks < LOOKS)).then(|| Move::Call("table_describe", json!({ "path": path })))
}

fn research(conversation: &Conversation) -> Move {
    if let Some(next) = look(conversation) {
        return next;
    }
    let Some(grouping) = Grouping::chosen(conversation) else { return nothing(conversation) };
    let rows = conversation.read("table_describe").and_then(|described| described["row_count"].as_u64()).unwrap_or(0);
    let told: String = reports::places(conversation).iter().map(|place| format!(" {}.", place.task_text())).collect();
    Move::Say(format!("`{}` has {rows} rows. {}.{told}", grouping.path, grouping.task_text()))
}

fn plan(conversation: &Conversation) -> Move {
    let Some(grouping) = Grouping::found(&conversation.asked) else {
        return Move::Say("Nothing has to change.".to_owned());
    };
    let mut items = format!("- [ ] {} into `{WORKBOOK}`\n- [ ] Write `{NOTE}` with the sums\n", grouping.task_text());
    for place in reports::found(&conversation.asked) {
        items.push_str(&format!("- [ ] {}\n", place.task_text()));
    }
    Move::Say(items)
}

const NO_PLAN: &str = "FAILED: no plan exists";

/// Works on an item of its own plan, or on the entire task without items.
fn work(conversation: &Conversation) -> Move {
    let item = conversation.asked.split("## Your item").nth(1);
    let failed = |result: &ToolResult| Move::Say(format!("FAILED: {}", result.content));
    if let Some(place) = item.and_then(|item| reports::found(item).into_iter().next()) {
        return match Grouping::found(&conversation.asked) {
            Some(grouping) => place.work(conversation, &grouping),
            None => Move::Say(NO_PLAN.to_owned()),
        };
    }
    match item {
        Some(item) if item.contains(&format!("`{NOTE}`")) => write_note(conversation),
        Some(item) => match (Grouping::found(item), conversation.result("table_update_from_export")) {
            (None, _) => Move::Say("FAILED: `offline:demo` only performs its own plan".to_owned()),
            (Some(grouping), None) => grouping.export(),
            (_, Some(result)) if result.failed => failed(result),
            _ => Move::Say(format!("`{WORKBOOK}` holds the sums.")),
        },
        None => {
            match (look(conversation), Grouping::chosen(conversation), conversation.result("table_update_from_export"))
            {
                (Some(next), ..) => next,
                (_, None, _) => nothing(conversation),
                (_, Some(grouping), None) => grouping.export(),
                (_, _, Some(result)) if result.failed => failed(result),
                (_, Some(grouping), _) => Move::Say(format!("{}: the sums are in `{WORKBOOK}`.", grouping.task_text())),
            }
        }
    }
}

fn write_note(conversation: &Conversation) -> Move {
    let Some(grouping) = Grouping::found(&conversation.asked) else { return Move::Say(NO_PLAN.to_owned()) };
    if let Some(result) = conversation.result("write_text_file") {
        let failed = format!("FAILED: {}", result.content);
        return Move::Say(if result.failed { failed } else { format!("`{NOTE}` lists the sums.") });
    }
    let Some(read) = conversation.read("table_query") else {
        return Move::Call("table_query", json!({ "path": grouping.path, "query": grouping.query() }));
    };
    let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).replace('|', "\\|");
    let mut text = format!(
        "# `{}` by {}\n\n| {} | {} | rows |\n|---|---:|---:|\n",
        grouping.path, grouping.by, grouping.by, grouping.sum
    );
    for row in read["rows"].as_array().into_iter().flatten() {
        let cells: Vec<String> = row.as_array().into_iter().flatten().map(cell).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    Move::Call("write_text_file", json!({ "path": NOTE, "text": text }))
}

fn summary(conversation: &Conversation) -> String {
    match Grouping::found(&conversation.asked) {
        Some(grouping) => {
            let mut text = format!(
                "I grouped `{}` by `{}` and added up `{}`: the sums are in `{WORKBOOK}`, and `{NOTE}` lists them.",
                grouping.path, grouping.by, grouping.sum
            );
            for place in reports::done(&conversation.asked) {
                text.push_str(&format!(" {}", place.did()));
            }
            text
        }
        None => "Nothing was changed.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn result(name: &str, content: &str) -> ToolResult {
        let (id, name, content) = ("1".to_owned(), name.to_owned(), content.to_owned());
        ToolResult { id, name, content, failed: false }
    }

    #[test]
    fn a_grouping_is_found_in_its_own_words() {
        let grouping = Grouping { path: "a b.csv".to_owned(), by: "kind".to_owned(), sum: "cost".to_owned() };
        assert_eq!(Grouping::found(&format!("- [ ] {} into `x`", grouping.task_text())), Some(grouping));
        assert_eq!(Grouping::found("Group `a` only"), None);
    }

    #[test]
    fn without_a_table_nothing_is_changed() {
        let conversation =
            Conversation { asked: "Add up".to_owned(), results: vec![result("list_files", "{\"files\":[]}")] };
        assert_eq!(research(&conversation), Move::Say(NO_TABLE.to_owned()));
        assert_eq!(plan(&conversation), Move::Say("Nothing has to change.".to_owned()));
        let conversation = Conversation { asked: String::new(), results: vec![result("list_files", "not json")] };
        assert_eq!(research(&conversation), Move::Say(NO_TABLE.to_owned()));
        // If describing the table fails, it is tried once more and then reported.
        let late = ToolResult { failed: true, ..result("table_describe", "it took too long") };
        let mut conversation = Conversation {
            asked: String::new(),
            results: vec![result("list_files", r#"{"files":[{"path":"a.csv"}]}"#), late.clone()],
        };
        assert!(matches!(research(&conversation), Move::Call("table_describe", _)));
        conversation.results.push(late);
        assert!(matches!(research(&conversation), Move::Say(text) if text.contains("it took too long")));
    }
}
