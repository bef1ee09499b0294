//! The conversation: the newest turn entirely, earlier turns as far as the budget permits.
//!
//! A turn is a message from a person with everything up to the next one, so a tool result is never separated from its
//! call. Turns are dropped entirely and oldest first, so that what is sent has no gaps.
//!
//! The canonical text of a message, which is what is counted, is its text followed by a `<workbench-tool-call>` for
//! each tool call, with the arguments as compact JSON. The few tokens that a provider adds for the role are not
//! counted: each does it differently, and the space for the answer covers them.

use crate::budget::{Component, Limits};
use crate::count::as_count;
use crate::escape::{Names, escape, escape_value};
use crate::input::{Message, ToolCall};
use crate::left_out::LeftOut;
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::room::{Allowance, Room, Short};
use crate::words;
use crate::write;

/// The conversation while it is being filled.
pub(crate) struct History<'a> {
    messages: Vec<Written<'a>>,
    /// The first message that is sent.
    first: usize,
    /// The start of each turn, oldest first.
    turns: Vec<usize>,
}

/// A message with its canonical text.
pub(crate) struct Written<'a> {
    pub(crate) message: &'a Message,
    pub(crate) piece: Piece,
}

impl<'a> History<'a> {
    /// The messages, with the newest turn selected.
    pub(crate) fn new(messages: &'a [Message], maker: Maker<'_>) -> Self {
        let is_start = |at: &usize| *at == 0 || matches!(messages.get(*at), Some(Message::User { .. }));
        let turns: Vec<usize> = (0..messages.len()).filter(is_start).collect();
        let written = messages.iter().enumerate().map(|(at, message)| {
            let source = Source::new(SourceKind::Message, format!("message {}", at + 1));
            Written { message, piece: maker.piece(SectionKind::Conversation, source, canonical(message)) }
        });
        Self { messages: written.collect(), first: turns.last().copied().unwrap_or(0), turns }
    }

    /// The selected messages, oldest first.
    pub(crate) fn sent(&self) -> &[Written<'a>] {
        self.messages.get(self.first..).unwrap_or_default()
    }

    /// Selects earlier turns while they fit, newest first.
    pub(crate) fn fill(&mut self, limits: Limits<'_>, room: &mut Room) -> Vec<LeftOut> {
        let mut allowance = Allowance::new(Component::History, limits.of(Component::History));
        let earlier: Vec<usize> = self.turns.iter().copied().filter(|start| *start < self.first).collect();
        for (left, start) in earlier.iter().enumerate().rev() {
            if let Err(short) = room.take_within(&mut allowance, self.tokens(*start, self.first)) {
                return earlier.iter().take(left + 1).map(|start| self.missed(*start, short)).collect();
            }
            self.first = *start;
        }
        Vec::new()
    }

    fn tokens(&self, start: usize, end: usize) -> u64 {
        self.messages.get(start..end).unwrap_or_default().iter().map(|message| message.piece.counted).sum()
    }

    fn missed(&self, start: usize, short: Short) -> LeftOut {
        let end = self.turns.iter().copied().find(|turn| *turn > start).unwrap_or(self.messages.len());
        let length = words::count(as_count(end - start), "message", "messages");
        LeftOut {
            section: SectionKind::Conversation,
            source: Source::new(SourceKind::Message, format!("message {} ({length})", start + 1)),
            tokens: self.tokens(start, end),
            why: short.words(),
            how: "ask what was said; the whole conversation is kept in the session".to_owned(),
        }
    }
}

/// A message as it is sent, with its text escaped, and every string in the arguments of calls, because chat templates
/// render them.
pub(crate) fn as_sent(message: &Message) -> Message {
    let data = |text: &str| escape(text, Names::Sections).into_owned();
    match message {
        Message::User { text } => Message::User { text: data(text) },
        Message::Assistant { text, calls } => {
            Message::Assistant { text: data(text), calls: calls.iter().map(call_as_sent).collect() }
        }
        Message::ToolResult { call, text } => Message::ToolResult { call: call.clone(), text: data(text) },
    }
}

fn call_as_sent(call: &ToolCall) -> ToolCall {
    let id = call.id.clone();
    ToolCall { id, name: escape(&call.name, Names::Sections).into_owned(), input: escape_value(&call.input) }
}

fn canonical(message: &Message) -> String {
    let text = escape(message.text(), Names::Sections).into_owned();
    message.calls().iter().fold(text, |text, call| format!("{text}{}", canonical_call(call)))
}

fn canonical_call(call: &ToolCall) -> String {
    write::block("workbench-tool-call", &[("id", &call.id), ("name", &call.name)], &call.input.to_string())
}
