//! Text output of prompts and their token breakdowns.

use jig_contract::ops::{ClutterGetOutput, LeftOut, PromptAssembleOutput, PromptBill, PromptNotice};
use jig_workbench::{Bars, draw_bill};

use super::TextOutput;
use super::units::count;
use crate::terminal::{FAINT, MARK, STRONG, plain};

/// The token breakdown as bars, and what was left out.
pub(super) fn assembled(output: &PromptAssembleOutput, columns: usize) -> TextOutput {
    let mut text = drawn(&output.bill, columns);
    text.push_str(&left_out(&output.left_out));
    let mut notes = notice_lines(&output.notices);
    notes.push("`jig prompt --text` prints the prompt itself; nothing was sent".to_owned());
    TextOutput { text, notes }
}

/// The token breakdown without a question.
pub(super) fn clutter(output: &ClutterGetOutput, columns: usize) -> TextOutput {
    TextOutput { text: drawn(&output.bill, columns), notes: notice_lines(&output.notices) }
}

/// A token breakdown as bars, with its model and token counter.
pub(super) fn drawn(bill: &PromptBill, columns: usize) -> String {
    let (model, tokenizer) = (plain(&bill.model_id), plain(&bill.tokenizer));
    let head = format!("{STRONG}{model}{STRONG:#}  {FAINT}counted by {tokenizer}{FAINT:#}\n");
    format!("{head}{}", plain(&draw_bill(bill, columns, Bars::Blocks)))
}

fn left_out(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let one = |one: &LeftOut| {
        let tokens = count(one.tokens, "token");
        format!("  {} {FAINT}({tokens}): {} {}{FAINT:#}\n", plain(&one.source), plain(&one.why), plain(&one.how))
    };
    let list: String = left_out.iter().map(one).collect();
    format!("\n{STRONG}Omitted{STRONG:#}\n{list}")
}

fn notice_lines(notices: &[PromptNotice]) -> Vec<String> {
    notices.iter().map(|notice| notice.message.clone()).collect()
}

/// The prompt itself, section by section.
pub(crate) fn text(output: &PromptAssembleOutput) -> String {
    let section = |name: &str, text: &str| format!("{MARK}## {name}{MARK:#}\n\n{}\n\n", plain(text.trim_end()));
    let sections = output.sections.iter().map(|one| section(&one.name, &one.text));
    let messages = output.messages.iter().map(|one| section(&one.role, &one.text));
    sections.chain(messages).collect()
}
