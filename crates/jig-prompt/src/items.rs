//! Sections that are always included entirely: instructions, situation, skills and format styles.

use crate::defaults::{INSTRUCTIONS, NOTATION};
use crate::input::{Instruction, Skill};
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::write;

/// The item that format styles replace.
const DOCUMENT_STYLE: &str = "document-style";

/// The order of the skills that are context items; others follow by name.
const ORDER: [&str; 3] = ["company-context", "department-context", DOCUMENT_STYLE];

/// The instructions, and the explanation of the notation.
pub(crate) fn instructions(parts: &[Instruction], maker: Maker<'_>) -> Vec<Piece> {
    let piece = |name: &str, text: &str| {
        let text = write::block("workbench-instructions", &[("name", name)], text);
        maker.piece(SectionKind::Instructions, Source::new(SourceKind::Instructions, name), text)
    };
    let mut pieces: Vec<Piece> = parts.iter().map(|part| piece(&part.name, &part.text)).collect();
    if pieces.is_empty() {
        pieces.push(piece("default", INSTRUCTIONS));
    }
    let notation = write::raw_block("workbench-notation", &[], NOTATION);
    pieces.push(maker.piece(SectionKind::Instructions, Source::new(SourceKind::Guide, "notation"), notation));
    pieces
}

/// The situation.
pub(crate) fn situation(text: &str, maker: Maker<'_>) -> Piece {
    let text = write::block("workbench-situation", &[], text);
    maker.piece(SectionKind::Situation, Source::new(SourceKind::Item, "situation"), text)
}

/// The skills among the items. With format styles, `document-style` is left out because they contain it.
pub(crate) fn skills(skills: &[Skill], format_styles: &[Skill], maker: Maker<'_>) -> Vec<Piece> {
    let stands = |skill: &&Skill| format_styles.is_empty() || skill.name != DOCUMENT_STYLE;
    let place = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
    let mut sorted: Vec<&Skill> = skills.iter().filter(stands).collect();
    sorted.sort_by(|a, b| place(&a.name).cmp(&place(&b.name)).then_with(|| a.name.cmp(&b.name)));
    sorted.into_iter().flat_map(|skill| pieces(skill, SectionKind::Skills, SourceKind::Skill, maker)).collect()
}

/// The style skills of formats, by name.
pub(crate) fn format_styles(styles: &[Skill], maker: Maker<'_>) -> Vec<Piece> {
    let mut sorted: Vec<&Skill> = styles.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let kinds = (SectionKind::FormatStyles, SourceKind::FormatStyle);
    sorted.into_iter().flat_map(|style| pieces(style, kinds.0, kinds.1, maker)).collect()
}

/// A skill: its own text, then each file it refers to. The first piece opens the tag, the last one closes it.
fn pieces(skill: &Skill, section: SectionKind, kind: SourceKind, maker: Maker<'_>) -> Vec<Piece> {
    const TAG: &str = "workbench-skill";
    let source = |path: &str| Source::new(kind, format!("{}/{path}", skill.name));
    let mut references: Vec<_> = skill.references.iter().collect();
    references.sort_by(|a, b| a.path.cmp(&b.path));
    let start = write::start(TAG, &[("name", &skill.name)], &skill.body);
    let mut pieces = vec![maker.piece(section, source("SKILL.md"), start)];
    for file in references {
        let text = write::block("workbench-reference", &[("path", &file.path)], &file.text);
        pieces.push(maker.piece(section, source(&file.path), text));
    }
    pieces.push(maker.frame(section, &skill.name, write::close(TAG)));
    pieces
}
