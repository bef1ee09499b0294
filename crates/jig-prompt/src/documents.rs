//! Entries and artifacts: selecting their parts, and writing them.
//!
//! Order of selection: pinned, required, named in the message, then by priority; ties by class, kind, key and position.
//! Pinned and required parts are mandatory. What the message names may use all remaining space, the rest only the
//! budget for context. A part that does not fit does not prevent smaller ones after it.

use crate::budget::{Component, Limits};
use crate::escape::CONTEXT;
use crate::input::{Class, Document, Need, Part};
use crate::left_out::LeftOut;
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::room::{Allowance, Room, Short};
use crate::write::{self, is_tag_name};

/// The section while it is being filled.
pub(crate) struct Documents {
    open: Piece,
    close: Piece,
    documents: Vec<Framed>,
    allowance: Allowance,
    /// Whether anything is selected, so that the section's own tags are required.
    any: bool,
}

struct Framed {
    open: Piece,
    close: Piece,
    parts: Vec<Candidate>,
}

struct Candidate {
    piece: Piece,
    need: Need,
    chosen: bool,
}

impl Documents {
    /// All documents with required parts, with mandatory ones selected.
    pub(crate) fn new(documents: &[Document], limits: Limits<'_>, maker: Maker<'_>) -> Self {
        let needed = |document: &&Document| document.parts.iter().any(|part| part.need != Need::Unneeded);
        let mut sorted: Vec<&Document> = documents.iter().filter(needed).collect();
        sorted.sort_by(|a, b| (a.class, &a.kind, &a.key).cmp(&(b.class, &b.kind, &b.key)));
        let mut allowance = Allowance::new(Component::Context, limits.of(Component::Context));
        let documents: Vec<Framed> = sorted.into_iter().map(|document| Framed::new(document, maker)).collect();
        allowance.used(documents.iter().flat_map(Framed::chosen).map(|piece| piece.counted).sum());
        Self {
            open: maker.frame(SectionKind::Context, CONTEXT, write::open(CONTEXT, &[])),
            close: maker.frame(SectionKind::Context, CONTEXT, write::close(CONTEXT)),
            any: documents.iter().any(Framed::any),
            documents,
            allowance,
        }
    }

    /// The selected pieces in order, with their enclosing tags.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let around = |piece| self.any.then_some(piece).into_iter();
        around(&self.open).chain(self.documents.iter().flat_map(Framed::chosen)).chain(around(&self.close))
    }

    /// Selects what the message names.
    pub(crate) fn take_referenced(&mut self, room: &mut Room) -> Vec<LeftOut> {
        self.choose(room, |need| need == Need::Referenced)
    }

    /// Selects by priority, within the budget.
    pub(crate) fn fill(&mut self, room: &mut Room) -> Vec<LeftOut> {
        self.choose(room, |need| matches!(need, Need::Fill(_)))
    }

    fn choose(&mut self, room: &mut Room, eligible: impl Fn(Need) -> bool) -> Vec<LeftOut> {
        let mut order: Vec<(usize, usize, Need)> = Vec::new();
        for (d, document) in self.documents.iter().enumerate() {
            let parts = document.parts.iter().enumerate().filter(|(_, part)| !part.chosen && eligible(part.need));
            order.extend(parts.map(|(p, part)| (d, p, part.need)));
        }
        order.sort_by_key(|(d, p, need)| (need.rank(), *d, *p));
        order.into_iter().filter_map(|(d, p, _)| self.choose_one(d, p, room)).collect()
    }

    /// Selects a part if it fits, together with the tags that it is the first to need.
    fn choose_one(&mut self, d: usize, p: usize, room: &mut Room) -> Option<LeftOut> {
        let section = if self.any { 0 } else { self.open.counted + self.close.counted };
        let document = self.documents.get_mut(d)?;
        let frame = if document.any() { 0 } else { document.open.counted + document.close.counted };
        let part = document.parts.get_mut(p)?;
        let tokens = part.piece.counted + frame + section;
        let fits = if part.need == Need::Referenced {
            room.take(tokens).inspect(|()| self.allowance.used(tokens))
        } else {
            room.take_within(&mut self.allowance, tokens)
        };
        part.chosen = fits.is_ok();
        self.any |= part.chosen;
        fits.err().map(|short| missed(&part.piece, short))
    }
}

fn missed(piece: &Piece, short: Short) -> LeftOut {
    LeftOut {
        section: SectionKind::Context,
        source: piece.source.clone(),
        tokens: piece.counted,
        why: short.words(),
        how: format!("name {} in a message", piece.source.name),
    }
}

impl Framed {
    fn new(document: &Document, maker: Maker<'_>) -> Self {
        let plain = is_tag_name(&document.kind);
        let tag = if plain { document.kind.as_str() } else { "document" };
        let mut attributes = Vec::new();
        if !plain {
            attributes.push(("kind", document.kind.as_str()));
        }
        if !document.key.is_empty() {
            attributes.push(("key", document.key.as_str()));
        }
        if let Some(title) = &document.title {
            attributes.push(("title", title.as_str()));
        }
        let address = address(document);
        let wanted = document.parts.iter().filter(|part| part.need != Need::Unneeded);
        Self {
            open: maker.frame(SectionKind::Context, &address, write::open(tag, &attributes)),
            close: maker.frame(SectionKind::Context, &address, write::close(tag)),
            parts: wanted.map(|part| Candidate::new(document.class, &address, part, maker)).collect(),
        }
    }

    fn any(&self) -> bool {
        self.parts.iter().any(|part| part.chosen)
    }

    fn chosen(&self) -> impl Iterator<Item = &Piece> {
        let around = |piece| self.any().then_some(piece).into_iter();
        let parts = self.parts.iter().filter(|part| part.chosen).map(|part| &part.piece);
        around(&self.open).chain(parts).chain(around(&self.close))
    }
}

impl Candidate {
    fn new(class: Class, address: &str, part: &Part, maker: Maker<'_>) -> Self {
        let kind = match class {
            Class::Entry => SourceKind::EntryField,
            Class::Artifact => SourceKind::ArtifactSection,
        };
        let text = if is_tag_name(&part.name) {
            write::leaf(&part.name, &[], &part.text)
        } else {
            write::leaf("part", &[("name", &part.name)], &part.text)
        };
        let source = Source::new(kind, format!("{address}#{}", part.name));
        Self { piece: maker.piece(SectionKind::Context, source, text), need: part.need, chosen: part.need.must() }
    }
}

/// `@kind` or `@kind:key`.
fn address(document: &Document) -> String {
    if document.key.is_empty() {
        return format!("@{}", document.kind);
    }
    format!("@{}:{}", document.kind, document.key)
}
