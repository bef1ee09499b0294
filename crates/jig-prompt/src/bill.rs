//! The token breakdown: the tokens of each source.
//!
//! Every byte of the prompt belongs to exactly one span, and every span to one source. The tokens of a span are the
//! increase of the total when it is added, so spans, lines and sections add up to the total, even for estimates.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::budget::Budgets;
use crate::input::Model;
use crate::piece::{Piece, SectionKind, Source};

/// From this share of the window on, context items are too large.
pub const CONTEXT_SHARE_HIGH: f64 = 0.35;

/// The warning for that case.
pub const WARNING_CONTEXT: &str =
    "Context is using a large share of the prompt window. Consider shortening context items.";

/// From this share of the window on, the level is high.
pub const SHARE_HIGH: f64 = 0.75;

/// The token breakdown of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Bill {
    /// The model.
    pub model_id: String,
    /// The name of the tokenizer.
    pub tokenizer: String,
    /// Whether the counts are estimates.
    pub estimated: bool,
    /// One line per source of each section, in prompt order.
    pub lines: Vec<Line>,
    /// The line of each byte range of [`crate::Prompt::text`].
    pub spans: Vec<Span>,
    /// The tokens of everything that is sent. Providers add a few for roles and turns.
    pub total: u64,
    /// The context window of the model.
    pub window: u64,
    /// The part of the window reserved for the answer.
    pub response: u64,
    /// The used share of the window; above 1 if it does not fit.
    pub share: f64,
    /// The tokens of context items as included: situation, skills and format styles.
    pub context_tokens: u64,
    /// Their share of the window.
    pub context_share: f64,
    /// The level.
    pub level: Level,
    /// Warnings for people.
    pub warnings: Vec<String>,
}

/// A source of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The section.
    pub section: SectionKind,
    /// The source.
    pub source: Source,
    /// Its tokens.
    pub tokens: u64,
}

/// A byte range of the prompt that belongs to one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The range in the prompt's text.
    pub bytes: Range<usize>,
    /// The index of the line.
    pub line: usize,
    /// Their tokens.
    pub tokens: u64,
}

/// How full a prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// There is enough space.
    Fine,
    /// At least three quarters of the window are used, or context items exceed their share.
    High,
    /// There is no space left for an answer.
    Over,
}

impl Level {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::High => "high",
            Self::Over => "over",
        }
    }
}

impl Bill {
    /// The breakdown of these pieces, which form the prompt in order.
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

    /// The tokens of each nonempty section, in order.
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

/// Exact for realistic counts. An empty window counts as full.
pub(crate) fn share(tokens: u64, window: u64) -> f64 {
    if window == 0 {
        return if tokens == 0 { 0.0 } else { 1.0 };
    }
    tokens as f64 / window as f64
}
