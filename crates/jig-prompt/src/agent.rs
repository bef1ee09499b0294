//! The agent context section, by level.

use crate::budget::{Component, Limits};
use crate::input::{AgentContext, AgentPart, Markup, Need};
use crate::left_out::LeftOut;
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::room::{Allowance, Room};
use crate::write;

const TAG: &str = "workbench-agent-context";

/// The section while it is being filled.
pub(crate) struct Agent<'a> {
    open: Piece,
    close: Piece,
    parts: Vec<(&'a AgentPart, Piece, bool)>,
}

impl<'a> Agent<'a> {
    /// All required parts, with mandatory ones selected.
    pub(crate) fn new(context: &'a AgentContext, maker: Maker<'_>) -> Self {
        let mut sorted: Vec<&AgentPart> = context.parts.iter().filter(|part| part.need != Need::Unneeded).collect();
        sorted.sort_by_key(|part| part.component);
        let piece = |part: &AgentPart| {
            let mut body = String::new();
            write::markup(&mut body, &part.body);
            // A tag ends its own line, so the section writer adds no line feed.
            if matches!(part.body.last(), Some(Markup::Element { .. })) {
                body.pop();
            }
            let text = write::raw_block("workbench-agent-part", &[("name", &part.name)], &body);
            maker.piece(SectionKind::AgentContext, Source::new(SourceKind::AgentContext, &part.name), text)
        };
        let open = write::open(TAG, &[("level", context.level.as_str())]);
        Self {
            open: maker.frame(SectionKind::AgentContext, "agent-context", open),
            close: maker.frame(SectionKind::AgentContext, "agent-context", write::close(TAG)),
            parts: sorted.into_iter().map(|part| (part, piece(part), part.need.must())).collect(),
        }
    }

    /// The selected pieces, in order.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let around = |piece| self.any().then_some(piece).into_iter();
        let parts = self.parts.iter().filter(|(_, _, chosen)| *chosen).map(|(_, piece, _)| piece);
        around(&self.open).chain(parts).chain(around(&self.close))
    }

    fn any(&self) -> bool {
        self.parts.iter().any(|(_, _, chosen)| *chosen)
    }

    /// Selects optional parts: those that the message names, then by priority, each within the budget of its component.
    pub(crate) fn fill(&mut self, limits: Limits<'_>, room: &mut Room) -> Vec<LeftOut> {
        let mut allowances = [Component::Project, Component::CurrentArtifact, Component::RelatedArtifacts]
            .map(|component| Allowance::new(component, limits.of(component)));
        for (part, piece, _) in self.parts.iter().filter(|(_, _, chosen)| *chosen) {
            if let Some(allowance) = of(&mut allowances, part) {
                allowance.used(piece.counted);
            }
        }
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|at| self.parts.get(*at).map(|(part, _, _)| part.need.rank()));
        order.into_iter().filter_map(|at| self.choose(at, &mut allowances, room)).collect()
    }

    fn choose(&mut self, at: usize, allowances: &mut [Allowance], room: &mut Room) -> Option<LeftOut> {
        let frame = if self.any() { 0 } else { self.open.counted + self.close.counted };
        let (part, piece, chosen) = self.parts.get_mut(at).filter(|(_, _, chosen)| !*chosen)?;
        let allowance = of(allowances, part)?;
        let short = room.take_within(allowance, piece.counted + frame).err();
        *chosen = short.is_none();
        short.map(|short| LeftOut {
            section: SectionKind::AgentContext,
            source: piece.source.clone(),
            tokens: piece.counted,
            why: short.words(),
            how: format!("name @{} or one of its sections in a message", part.name),
        })
    }
}

fn of<'a>(allowances: &'a mut [Allowance], part: &AgentPart) -> Option<&'a mut Allowance> {
    let component = Component::from(part.component);
    allowances.iter_mut().find(|allowance| allowance.component == component)
}
