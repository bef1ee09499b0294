//! A plan: Markdown text with a task list (`- [ ] …`).

use serde::{Deserialize, Serialize};

/// How many items of a plan are read.
const ITEMS_MAX: usize = 100;
/// The maximum length of the failure reason next to an item, in characters.
const REASON_MAX: usize = 220;

/// The state of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ItemState {
    /// `[ ]`
    Open,
    /// `[x]`
    Done,
    /// `[!]`
    Failed {
        /// The reason.
        reason: String,
    },
}

/// An item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// Its line in the text, counted from 0.
    pub line: usize,
    /// The task.
    pub label: String,
    /// Its state.
    #[serde(flatten)]
    pub state: ItemState,
}

/// A plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The text as the model wrote it.
    pub text: String,
    /// Its items, in order.
    pub items: Vec<PlanItem>,
    /// How many items were dropped because the plan has too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Plan {
    /// Reads the items of a text. Counting, reading and marking use the same line parser, so they agree on what an item
    /// is.
    pub fn read(text: &str) -> Self {
        let found: Vec<PlanItem> = text.lines().enumerate().filter_map(|(line, text)| item(line, text)).collect();
        let left_out = found.len().saturating_sub(ITEMS_MAX);
        Self { text: text.to_owned(), items: found.into_iter().take(ITEMS_MAX).collect(), left_out }
    }

    /// The first open item, counted from 1.
    pub fn first_open(&self) -> Option<u32> {
        let at = self.items.iter().position(|item| item.state == ItemState::Open)?;
        u32::try_from(at + 1).ok()
    }

    /// The item with this number, counted from 1.
    pub fn item(&self, number: u32) -> Option<&PlanItem> {
        self.items.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    pub(crate) fn mark(&mut self, number: u32, state: ItemState) {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if let Some(item) = at.and_then(|at| self.items.get_mut(at)) {
            item.state = state;
        }
    }

    /// The text with the current state of each item.
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 64);
        for (number, line) in self.text.lines().enumerate() {
            match self.items.iter().find(|item| item.line == number) {
                Some(item) => out.push_str(&marked(line, item)),
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }
}

fn marked(line: &str, item: &PlanItem) -> String {
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    match &item.state {
        ItemState::Open => format!("{indent}- [ ] {}", item.label),
        ItemState::Done => format!("{indent}- [x] {}", item.label),
        ItemState::Failed { reason } => {
            let short: String = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = short.chars().take(REASON_MAX).collect();
            format!("{indent}- [!] {} (failed: {short})", item.label)
        }
    }
}

/// Parses `- [ ] label`. The bullet may be `-`, `*` or `+`, at any indentation; the mark a space, `x` or `!`.
fn item(line: usize, text: &str) -> Option<PlanItem> {
    let rest = text.trim_start().strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?;
    let mut chars = rest.chars();
    let mark = chars.next()?;
    let label = chars.as_str().strip_prefix(']')?.trim();
    if label.is_empty() {
        return None;
    }
    let state = match mark {
        ' ' => ItemState::Open,
        'x' | 'X' => ItemState::Done,
        '!' => ItemState::Failed { reason: String::new() },
        _ => return None,
    };
    Some(PlanItem { line, label: label.to_owned(), state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_marked_and_written_the_same_way() {
        let text = "# Plan\n\n- [ ] 1. Read\n  * [ ] 2. Split\n- [x] done\n- [] no item\n- [ ]  \ntext\n";
        let mut plan = Plan::read(text);
        let labels: Vec<&str> = plan.items.iter().map(|item| item.label.as_str()).collect();
        assert_eq!(labels, ["1. Read", "2. Split", "done"]);
        assert_eq!(plan.first_open(), Some(1));
        plan.mark(1, ItemState::Done);
        plan.mark(2, ItemState::Failed { reason: "no such\nsheet".to_owned() });
        assert_eq!(plan.first_open(), None);
        let shown = plan.render();
        assert_eq!(
            shown,
            "# Plan\n\n- [x] 1. Read\n  - [!] 2. Split (failed: no such sheet)\n- [x] done\n- [] no item\n- [ ]  \ntext\n"
        );
        assert_eq!(Plan::read(&shown).items.len(), 3);
        plan.mark(99, ItemState::Done);
    }

    #[test]
    fn a_text_without_items_is_a_plan_without_items() {
        assert!(Plan::read("Nothing has to change.").items.is_empty());
        assert_eq!(Plan::read(&"- [ ] again\n".repeat(150)).left_out, 50);
    }
}
