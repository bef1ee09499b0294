//! A block as text that can be compared: what a reader sees, pictures and notes by a word.

use jig_ooxml::docx::blocks::{Block, blocks};
use jig_ooxml::docx::inline::{PieceKind, View, pieces};
use jig_ooxml::docx::tables;
use jig_ooxml::xml::Node;

/// How deep tables in tables and text boxes are read.
const DEEPEST: usize = 8;

/// The text of a block.
pub(super) fn text(block: Block<'_>) -> String {
    text_at(block, 0)
}

fn text_at(block: Block<'_>, depth: usize) -> String {
    match block {
        Block::Paragraph(found) if found.mark.deleted.is_some() => String::new(),
        Block::Paragraph(found) => paragraph(found.node, depth),
        Block::Table(found) => {
            let rows = tables::rows(found.node);
            let lines: Vec<String> = rows.iter().map(|row| cells(row, depth).join(" | ")).collect();
            lines.join("\n")
        }
    }
}

/// The texts of a row's cells.
pub(super) fn row_cells(row: &tables::Row<'_>) -> Vec<String> {
    cells(row, 0)
}

fn cells(row: &tables::Row<'_>, depth: usize) -> Vec<String> {
    if depth >= DEEPEST {
        return Vec::new();
    }
    let text = |node: Node<'_>| {
        let inside = blocks(node);
        inside.iter().map(|block| text_at(*block, depth + 1)).collect::<Vec<_>>().join("\n")
    };
    row.cells.iter().map(|cell| text(cell.node)).collect()
}

fn paragraph(node: Node<'_>, depth: usize) -> String {
    let mut text = String::new();
    for piece in pieces(node) {
        if !piece.mark.is_in(View::Final) {
            continue;
        }
        match &piece.kind {
            PieceKind::Text(said) => text.push_str(said),
            PieceKind::Footnote(_) | PieceKind::Endnote(_) => text.push_str("[note]"),
            PieceKind::Comment(_) => {}
            PieceKind::TextBox(inside) if depth < DEEPEST => {
                let inside = blocks(*inside);
                let lines: Vec<String> = inside.iter().map(|block| text_at(*block, depth + 1)).collect();
                text.push_str(&format!("[box: {}]", lines.join("\n")));
            }
            PieceKind::TextBox(_) => text.push_str("[box]"),
            PieceKind::Picture(_) => text.push_str("[image]"),
            PieceKind::Chart(_) => text.push_str("[chart]"),
            PieceKind::Diagram(_) => text.push_str("[diagram]"),
        }
    }
    text
}

/// The texts of blocks, each on a line.
pub(super) fn texts(blocks: &[Block<'_>]) -> String {
    blocks.iter().map(|block| text(*block)).collect::<Vec<_>>().join("\n")
}

/// How many tracked changes are in a node.
pub(super) fn tracked(node: Node<'_>) -> usize {
    let marks = ["ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange"];
    node.descendants().filter(|node| node.is_element() && marks.contains(&node.local())).count()
}
