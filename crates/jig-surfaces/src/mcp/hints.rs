//! Hints for models: messages of operations name commands, and a model can only call tools.

use std::borrow::Cow;

use jig_contract::{ErrorInfo, OPERATIONS, find};
use serde_json::{Map, Value};

/// Everyday commands and the tools that do the same.
const COMMANDS: [(&str, &str); 13] = [
    ("files", "list_files"),
    ("map", "get_file_map"),
    ("read", "read_file"),
    ("search", "search_files"),
    ("query", "table_query"),
    ("write", "write_text_file"),
    ("review", "diff"),
    ("file get-info", "get_file_map"),
    ("draft get-state", "diff"),
    ("artifact put", "plans"),
    ("kind get", "entries"),
    ("new", "workbench"),
    ("mcp", "workbench"),
];

/// A sentence with tools in place of commands. A command without a tool is for the person to run, and the sentence is
/// marked as such.
pub(super) fn for_model(text: &str) -> Cow<'_, str> {
    // A sentence that mentions the person already addresses them, with the commands that they run.
    if !text.contains('`') || text.contains("person") {
        return Cow::Borrowed(text);
    }
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    let mut is_for_person = false;
    // Text between backticks has an odd position.
    for part in parts.iter_mut().skip(1).step_by(2) {
        if let Some(command) = part.strip_prefix("jig ") {
            match tool_of_command(command) {
                Some(tool) => *part = tool,
                None => is_for_person = true,
            }
        } else if let Some(tool) = find(part).and_then(|op| op.surfaces.tool) {
            *part = tool.to_owned();
        }
    }
    let mut text = parts.join("`");
    // Names of operations beside their tools: programs call those, models the tools.
    for op in OPERATIONS {
        if op.surfaces.tool.is_some() {
            text = text.replace(&format!(" ({})", op.name), "");
        }
    }
    Cow::Owned(if is_for_person { format!("the person can do this: {text}") } else { text })
}

/// The tool that does what a command does, with its action.
fn tool_of_command(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let two = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    // Publishing and discarding are decisions of the person.
    let known = COMMANDS.iter().find(|(known, _)| *known == two || Some(known) == words.first());
    if let Some((_, tool)) = known {
        return Some((*tool).to_owned());
    }
    let (noun, verb) = (words.first()?, words.get(1)?);
    let op = OPERATIONS.iter().find(|op| op.noun_and_verb() == ((*noun).to_owned(), (*verb).to_owned()))?;
    let tool = op.surfaces.tool?;
    Some(match op.surfaces.action {
        Some(action) => format!("{tool} {action}"),
        None => tool.to_owned(),
    })
}

/// An error for a model: what happened and what to do, without what only programs need.
pub fn lean_error(info: &ErrorInfo) -> Value {
    let mut lean = Map::new();
    lean.insert("error_code".to_owned(), info.error_code.as_str().into());
    lean.insert("message".to_owned(), for_model(&info.message).into_owned().into());
    let hints: Vec<Value> = info.hints.iter().map(|hint| for_model(hint).into_owned().into()).collect();
    for (name, list) in [
        ("hints", hints),
        ("suggestions", info.suggestions.iter().map(|one| one.as_str().into()).collect::<Vec<Value>>()),
        ("actions", info.actions.iter().map(|one| one.as_str().into()).collect()),
    ] {
        if !list.is_empty() {
            lean.insert(name.to_owned(), Value::Array(list));
        }
    }
    if info.retryable {
        lean.insert("retryable".to_owned(), true.into());
    }
    if let Some(detail) = &info.detail {
        let mut detail = detail.clone();
        super::lean::shorten_hashes(&mut detail);
        lean.insert("detail".to_owned(), detail);
    }
    Value::Object(lean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_tools_or_are_for_the_person() {
        assert_eq!(for_model("`jig workbench list` shows the ids"), "`workbench list` shows the ids");
        assert_eq!(for_model("`jig files` lists them"), "`list_files` lists them");
        assert_eq!(for_model("`jig review a.txt` shows its changes"), "`diff` shows its changes");
        let publish = "a person publishes with `jig review` and `jig publish`";
        assert_eq!(for_model(publish), publish);
        assert_eq!(for_model("use `docx_operations` (DocxApplyOps)"), "use `docx_operations`");
        assert_eq!(for_model("`jig publish` ends it"), "the person can do this: `jig publish` ends it");
        assert_eq!(for_model("use `XlsxApplyOps`"), "use `xlsx_operations`");
        assert_eq!(for_model("read it again"), "read it again");
    }
}
