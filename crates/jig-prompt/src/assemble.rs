//! Assembles the prompt: mandatory content first, then what fits, in a fixed order of selection.

use crate::agent::Agent;
use crate::bill::Bill;
use crate::budget::{Component, Limits};
use crate::check;
use crate::count::Counter;
use crate::documents::Documents;
use crate::error::{AssembleError, TooLarge};
use crate::escape::{Neutralized, escape_attribute};
use crate::history::{History, as_sent};
use crate::input::Input;
use crate::items;
use crate::left_out::{LIST_ROOM, LeftOut, list};
use crate::manifest::Files;
use crate::notice::Notice;
use crate::piece::{Maker, Piece, SectionKind, SourceKind, total};
use crate::prompt::{Prompt, PromptMessage, PromptTool, Section};
use crate::room::Room;
use crate::tools;
use crate::words;

/// Assembles the prompt of an input. The same input gives the same bytes, whatever the counter has cached.
///
/// Fails if the list of files is incomplete, if identifying names occur twice, or if mandatory content does not fit the
/// model. Optional content that does not fit is in `left_out`.
pub fn assemble(input: &Input, counter: &dyn Counter) -> Result<Prompt, AssembleError> {
    let files = check::files(&input.files)?;
    check::names(input)?;
    let maker = Maker::new(counter);
    let limits = Limits::new(&input.budgets, &input.model);
    let mut draft = Draft {
        fixed: Fixed::new(input, maker),
        files: Files::new(files, maker),
        documents: Documents::new(&input.documents, limits, maker),
        agent: input.agent_context.as_ref().map(|context| Agent::new(context, maker)),
        history: History::new(&input.messages, maker),
    };
    let left_out = draft.fill(input, limits, maker)?;
    Ok(draft.finish(input, left_out, limits))
}

/// Sections that are always sent entirely.
struct Fixed {
    sent_tools: Vec<PromptTool>,
    tools: Vec<Piece>,
    instructions: Vec<Piece>,
    items: Vec<Piece>,
}

impl Fixed {
    fn new(input: &Input, maker: Maker<'_>) -> Self {
        let (sent_tools, tools) = tools::tools(&input.tools, maker);
        let mut items: Vec<Piece> = input.situation.iter().map(|text| items::situation(text, maker)).collect();
        items.extend(items::skills(&input.skills, &input.format_styles, maker));
        items.extend(items::format_styles(&input.format_styles, maker));
        Self { sent_tools, tools, instructions: items::instructions(&input.instructions, maker), items }
    }
}

/// The prompt while it is being filled.
struct Draft<'a> {
    fixed: Fixed,
    files: Files<'a>,
    documents: Documents,
    agent: Option<Agent<'a>>,
    history: History<'a>,
}

/// What was left out, and the list of it for the model.
struct Missing {
    left_out: Vec<LeftOut>,
    list: Option<Piece>,
}

impl Draft<'_> {
    /// All current pieces in prompt order, except the list of what was left out.
    fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.before_list().chain(self.history.sent().iter().map(|message| &message.piece))
    }

    fn before_list(&self) -> impl Iterator<Item = &Piece> {
        let fixed = self.fixed.tools.iter().chain(&self.fixed.instructions);
        fixed
            .chain(self.files.pieces())
            .chain(&self.fixed.items)
            .chain(self.documents.pieces())
            .chain(self.agent.iter().flat_map(Agent::pieces))
    }

    /// Selects optional content and returns what was left out.
    fn fill(&mut self, input: &Input, limits: Limits<'_>, maker: Maker<'_>) -> Result<Missing, AssembleError> {
        let needed = total(self.pieces());
        let Some(free) = limits.prompt().checked_sub(needed) else { return Err(self.too_large(input)) };
        let mut room = Room::new(free);
        let aside = room.set_aside(LIST_ROOM);
        let mut left_out = self.documents.take_referenced(&mut room);
        left_out.extend(self.files.fill(&input.budgets, limits, &mut room, maker));
        if let Some(agent) = &mut self.agent {
            left_out.extend(agent.fill(limits, &mut room));
        }
        left_out.extend(self.history.fill(limits, &mut room));
        left_out.extend(self.documents.fill(&mut room));
        let tokenizer = &input.model.tokenizer;
        let list = list(&left_out, aside, tokenizer, maker);
        for one in &mut left_out {
            one.tokens = tokenizer.of(one.tokens);
        }
        Ok(Missing { left_out, list })
    }

    fn too_large(&self, input: &Input) -> AssembleError {
        let bill = Bill::new(&input.model, &input.budgets, self.pieces());
        AssembleError::TooLarge(Box::new(TooLarge { limit: bill.window.saturating_sub(bill.response), bill }))
    }

    fn finish(self, input: &Input, missing: Missing, limits: Limits<'_>) -> Prompt {
        let sent = self.history.sent();
        let in_order = self.before_list().chain(&missing.list).chain(sent.iter().map(|message| &message.piece));
        let bill = Bill::new(&input.model, &input.budgets, in_order);
        let last = sent.len().saturating_sub(1);
        let message = |(at, written): (usize, &crate::history::Written<'_>)| PromptMessage {
            message: as_sent(written.message),
            canonical: written.piece.text.clone(),
            cache_breakpoint: at == last,
        };
        let messages = sent.iter().enumerate().map(message).collect();
        let mut notices = notices(input, &self.fixed.instructions, &missing.left_out, limits);
        notices.extend(neutralized(self.pieces().chain(&missing.list)));
        let sections = sections(self.before_list().chain(&missing.list));
        let (model, tools) = (input.model.clone(), self.fixed.sent_tools);
        Prompt { model, sections, messages, tools, bill, notices, left_out: missing.left_out }
    }
}

/// Groups of sections with similar stability. A provider's cache can resume after the last section of each.
const STABLE: [&[SectionKind]; 3] = [
    &[SectionKind::Instructions],
    &[SectionKind::Files],
    &[SectionKind::Situation, SectionKind::Skills, SectionKind::FormatStyles],
];

fn sections<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for piece in pieces.filter(|piece| piece.section != SectionKind::Tools) {
        match sections.last_mut() {
            Some(section) if section.kind == piece.section => section.text.push_str(&piece.text),
            _ => sections.push(Section { kind: piece.section, text: piece.text.clone(), cache_breakpoint: false }),
        }
    }
    for group in STABLE {
        if let Some(section) = sections.iter_mut().rev().find(|section| group.contains(&section.kind)) {
            section.cache_breakpoint = true;
        }
    }
    sections
}

/// How many sources a notice names.
const SOURCES_NAMED: usize = 5;

/// A notice about what was escaped in the data, and where, because it may be an attack.
fn neutralized<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Option<Notice> {
    let mut all = Neutralized::default();
    let mut sources: Vec<&str> = Vec::new();
    // Jig's own text explains the codes with examples.
    for piece in pieces.filter(|piece| piece.source.kind != SourceKind::Guide) {
        let found = Neutralized::of(&piece.text);
        if !found.is_empty() {
            all += found;
            if !sources.contains(&piece.source.name.as_str()) {
                sources.push(&piece.source.name);
            }
        }
    }
    let kinds = [
        (all.tokens, "control token of a chat template", "control tokens of chat templates"),
        (all.tags, "section tag", "section tags"),
        (all.hidden, "hidden character", "hidden characters"),
    ];
    let found: Vec<String> = kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| words::count(count, one, many))
        .collect();
    if found.is_empty() {
        return None;
    }
    let more = sources.len().saturating_sub(SOURCES_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    sources.truncate(SOURCES_NAMED);
    let sources: Vec<String> = sources.into_iter().map(|name| escape_attribute(name).into_owned()).collect();
    Some(Notice::new(format!(
        "Neutralised in this prompt: {} (in {}{more}). The model sees them as codes such as ⟦<⟧.",
        found.join(", "),
        sources.join(", ")
    )))
}

/// The notices of the input and of this prompt.
fn notices(input: &Input, instructions: &[Piece], left_out: &[LeftOut], limits: Limits<'_>) -> Vec<Notice> {
    let mut notices: Vec<Notice> = Vec::new();
    for notice in &input.notices {
        if !notices.contains(notice) {
            notices.push(notice.clone());
        }
    }
    let budget = limits.of(Component::Instructions);
    if !input.instructions.is_empty() && total(instructions) > budget {
        let (is, may) = (input.model.tokenizer.of(total(instructions)), input.model.tokenizer.of(budget));
        let (is, may) = (words::grouped(is), words::grouped(may));
        notices.push(Notice::new(format!("The instructions are {is} tokens; their budget is {may}.")));
    }
    let earlier = left_out.iter().filter(|one| one.section == SectionKind::Conversation).count();
    if earlier > 0 {
        let turns = words::count(crate::count::as_count(earlier), "earlier turn", "earlier turns");
        notices.push(Notice::new(format!("The model does not see {turns} of this conversation: there was no room.")));
    }
    notices
}
