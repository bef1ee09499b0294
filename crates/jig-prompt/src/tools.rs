//! Tool descriptions.
//!
//! The canonical text of a tool, which is what is counted, is a `<workbench-tool>` with its name and the compact JSON
//! of its description and input schema. Providers render descriptors in different ways, most of them of similar size.

use serde_json::json;

use crate::escape::{Names, escape, escape_value};
use crate::input::Tool;
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::prompt::PromptTool;
use crate::write;

/// The tools by name, as sent and as counted.
pub(crate) fn tools(tools: &[Tool], maker: Maker<'_>) -> (Vec<PromptTool>, Vec<Piece>) {
    let mut sorted: Vec<&Tool> = tools.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted.into_iter().map(|tool| one(tool, maker)).unzip()
}

fn one(tool: &Tool, maker: Maker<'_>) -> (PromptTool, Piece) {
    let data = json!({ "description": tool.description, "input_schema": tool.input_schema }).to_string();
    let text = write::block("workbench-tool", &[("name", &tool.name)], &data);
    let sent = PromptTool {
        name: tool.name.clone(),
        description: escape(&tool.description, Names::Sections).into_owned(),
        input_schema: escape_value(&tool.input_schema),
        canonical: text.clone(),
    };
    (sent, maker.piece(SectionKind::Tools, Source::new(SourceKind::Tool, &tool.name), text))
}
