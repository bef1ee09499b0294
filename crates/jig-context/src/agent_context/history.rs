//! The conversation, within its budget: the newest messages, complete and in order.

use jig_contract::ops::{Message, MessageContext};

use super::budget::Component;
use super::build::{Fitted, Work, visible_to};
use super::text;
use crate::artifact::Artifact;

/// Includes messages about the current artifact, about no artifact, or about another artifact that the message names.
pub(super) fn fit(work: &mut Work<'_>, artifact: &Artifact) -> Fitted<Vec<MessageContext>> {
    let about = |message: &&Message| {
        let of = message.artifact.as_deref();
        visible_to(message) && of.is_none_or(|slug| slug == artifact.slug() || work.named.has(slug))
    };
    let fitting: Vec<MessageContext> = work.sources.messages.iter().filter(about).map(message_context).collect();
    let limit = work.limit(Component::ChatHistory);
    let kept = newest(&fitting, limit, &|messages| work.size(&messages, &text::messages(messages)));
    let dropped = fitting.len() - kept.len();
    let tokens = if kept.is_empty() { 0 } else { work.size(&kept, &text::messages(&kept)) };
    if dropped > 0 {
        let words: String = fitting.iter().take(dropped).map(|message| message.content.as_str()).collect();
        let counted = (work.request.count)(&words);
        work.leave_out(
            format!("the oldest {dropped} messages"),
            counted,
            Component::ChatHistory,
            "`ConversationList` shows them",
        );
    }
    Fitted { value: kept, tokens, summarized: false }
}

/// As many of the newest messages as fit.
pub(super) fn newest(
    messages: &[MessageContext],
    limit: u64,
    size: &dyn Fn(&[MessageContext]) -> u64,
) -> Vec<MessageContext> {
    if messages.is_empty() || size(messages) <= limit {
        return messages.to_vec();
    }
    // Binary search: the size grows with each message.
    let (mut fits, mut fails) = (0, messages.len());
    while fits + 1 < fails {
        let middle = usize::midpoint(fits, fails);
        let end = messages.get(messages.len() - middle..).unwrap_or_default();
        if size(end) <= limit { fits = middle } else { fails = middle }
    }
    messages.get(messages.len() - fits..).unwrap_or_default().to_vec()
}

pub(super) fn message_context(message: &Message) -> MessageContext {
    MessageContext {
        seq: message.seq,
        role: message.role.word().to_owned(),
        content: message.text.clone(),
        artifact: message.artifact.clone(),
        created_at: message.at,
    }
}
