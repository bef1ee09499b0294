//! The wire form of prompts and token breakdowns.

use jig_contract::ops;

use crate::bill::Bill;
use crate::input::Message;
use crate::prompt::{Prompt, PromptTool};

impl From<&Bill> for ops::PromptBill {
    fn from(bill: &Bill) -> Self {
        let line = |line: &crate::bill::Line| ops::BillLine {
            section: line.section.as_str().to_owned(),
            kind: line.source.kind.as_str().to_owned(),
            source: line.source.name.clone(),
            tokens: line.tokens,
        };
        Self {
            model_id: bill.model_id.clone(),
            tokenizer: bill.tokenizer.clone(),
            estimated: bill.estimated,
            lines: bill.lines.iter().map(line).collect(),
            total: bill.total,
            window: bill.window,
            share: bill.share,
            context_tokens: bill.context_tokens,
            context_share: bill.context_share,
            level: bill.level.as_str().to_owned(),
            warnings: bill.warnings.clone(),
        }
    }
}

impl From<&crate::notice::Notice> for ops::PromptNotice {
    fn from(notice: &crate::notice::Notice) -> Self {
        Self { code: notice.code.map(|code| code.as_str().to_owned()), message: notice.message.clone() }
    }
}

impl From<&Prompt> for ops::PromptAssembleOutput {
    fn from(prompt: &Prompt) -> Self {
        let section = |section: &crate::prompt::Section| ops::PromptSection {
            name: section.kind.as_str().to_owned(),
            text: section.text.clone(),
            cache_breakpoint: section.cache_breakpoint,
        };
        let left_out = |one: &crate::left_out::LeftOut| ops::LeftOut {
            source: one.source.name.clone(),
            tokens: one.tokens,
            why: one.why.clone(),
            how: one.how.clone(),
        };
        Self {
            sections: prompt.sections.iter().map(section).collect(),
            messages: prompt.messages.iter().map(|message| self::message(&message.message)).collect(),
            tools: prompt.tools.iter().map(tool).collect(),
            bill: (&prompt.bill).into(),
            notices: prompt.notices.iter().map(Into::into).collect(),
            left_out: prompt.left_out.iter().map(left_out).collect(),
        }
    }
}

fn tool(tool: &PromptTool) -> ops::PromptTool {
    let PromptTool { name, description, input_schema, .. } = tool.clone();
    ops::PromptTool { name, description, input_schema }
}

fn message(message: &Message) -> ops::PromptMessage {
    let role = match message {
        Message::User { .. } => "user",
        Message::Assistant { .. } => "assistant",
        Message::ToolResult { .. } => "tool",
    };
    ops::PromptMessage { role: role.to_owned(), text: message.text().to_owned() }
}
