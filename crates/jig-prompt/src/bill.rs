//! The bill: which source cost how many tokens.
//!
//! Every byte of the prompt lies in exactly one span, and every span has one source. A span's tokens are what the total
//! grows by when it is added, so spans, lines and sections add up to the total, estimated or not.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::budget::Budgets;
use crate::input::Model;
use crate::piece::{Piece, SectionKind, Source};

/// From this share of the window on, context items are too large.
pub const CONTEXT_SHARE_HIGH: f64 = 0.35;

/// What is said then.
pub const WARNING_CONTEXT: &str =
    "Context is using a large share of the prompt window. Consider shortening context items.";

/// From this share of the window on, a prompt is high.
pub const SHARE_HIGH: f64 = 0.75;

/// The token account of one prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Bill {
    /// The model it is for.
    pub model_id: String,
    /// How tokens are counted.
    pub tokenizer: String,
    /// Whether that is an estimate.
    pub estimated: bool,
    /// One line for each source of each section, in the order of the prompt.
    pub lines: Vec<Line>,
    /// Which bytes of [`crate::Prompt::text`] belong to which line.
    pub spans: Vec<Span>,
    /// The tokens of all that is sent. Providers add a few of their own for roles and turns.
    pub total: u64,
    /// What the model can take.
    pub window: u64,
    /// What is kept free of it for the answer.
    pub response: u64,
    /// How much of the window is used, from 0 to 1 and beyond.
    pub share: f64,
    /// The tokens of context items: situation, skills and format styles as they are injected.
    pub context_tokens: u64,
    /// How much of the window those are.
    pub context_share: f64,
    /// How full the prompt is.
    pub level: Level,
    /// What a person should do about it.
    pub warnings: Vec<String>,
}

/// One source of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The section.
    pub section: SectionKind,
    /// The source.
    pub source: Source,
    /// Its tokens.
    pub tokens: u64,
}

/// Some bytes of the prompt that belong to one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Which bytes of the prompt's text.
    pub bytes: Range<usize>,
    /// Which line of the bill.
    pub line: usize,
    /// Their tokens.
    pub tokens: u64,
}

/// How full a prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// There is room.
    Fine,
    /// Three quarters of the window or more, or context items beyond their share.
    High,
    /// No room is left for an answer.
    Over,
}

impl Level {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::High => "high",
            Self::Over => "over",
        }
    }
}

impl Bill {
    /// The bill of these pieces, which are the prompt in its order.
    pub(crate) fn new<'a>(model: &Model, budgets: &Budgets, pieces: impl IntoIterator<Item = &'a Piece>) -> Self {
        let (lines, spans) = account(model, pieces);
        let total = lines.iter().map(|line| line.tokens).sum();
        let context = |line: &&Line| {
            matches!(line.section, SectionKind::Situation | SectionKind::Skills | SectionKind::FormatStyles)
        };
        let context_tokens = lines.iter().filter(context).map(|line| line.tokens).sum();
        let mut bill = Self {
            model_id: model.id.clone(),
            tokenizer: model.tokenizer.name.clone(),
            estimated: model.tokenizer.estimated(),
            lines,
            spans,
            total,
            window: model.window,
            response: budgets.response.of(model.window),
            share: share(total, model.window),
            context_tokens,
            context_share: share(context_tokens, model.window),
            level: Level::Fine,
            warnings: Vec::new(),
        };
        bill.judge();
        bill
    }

    fn judge(&mut self) {
        let room = self.window.saturating_sub(self.response);
        if self.total > room {
            self.level = Level::Over;
            self.warnings.push("The prompt leaves too little room for an answer.".to_owned());
        } else if self.share >= SHARE_HIGH {
            self.level = Level::High;
            self.warnings.push("The prompt is using most of the model's window.".to_owned());
        }
        if self.context_share >= CONTEXT_SHARE_HIGH {
            self.level = self.level.max(Level::High);
            self.warnings.push(WARNING_CONTEXT.to_owned());
        }
    }

    /// The tokens of each section that has any, in order.
    pub fn by_section(&self) -> Vec<(SectionKind, u64)> {
        let sum = |section| self.lines.iter().filter(|line| line.section == section).map(|line| line.tokens).sum();
        SectionKind::ALL.into_iter().map(|section| (section, sum(section))).filter(|(_, tokens)| *tokens > 0).collect()
    }
}

fn account<'a>(model: &Model, pieces: impl IntoIterator<Item = &'a Piece>) -> (Vec<Line>, Vec<Span>) {
    let mut lines: Vec<Line> = Vec::new();
    let mut spans = Vec::new();
    let mut known: BTreeMap<(SectionKind, &Source), usize> = BTreeMap::new();
    let (mut at, mut counted, mut billed) = (0, 0, 0);
    for piece in pieces {
        let end = at + piece.text.len();
        counted += piece.counted;
        let now = model.tokenizer.of(counted);
        let line = *known.entry((piece.section, &piece.source)).or_insert_with(|| {
            lines.push(Line { section: piece.section, source: piece.source.clone(), tokens: 0 });
            lines.len() - 1
        });
        let tokens = now - billed;
        if let Some(line) = lines.get_mut(line) {
            line.tokens += tokens;
        }
        spans.push(Span { bytes: at..end, line, tokens });
        (at, billed) = (end, now);
    }
    (lines, spans)
}

/// Exact for all counts that occur; a window of nothing is full at once.
pub(crate) fn share(tokens: u64, window: u64) -> f64 {
    if window == 0 {
        return if tokens == 0 { 0.0 } else { 1.0 };
    }
    tokens as f64 / window as f64
}
