//! Assembles the context of a recipe.

use std::collections::BTreeMap;

use jig_contract::ops::{
    IncompleteEntry, KindDefinition, LeftOut, MissingEntry, RecipeDefinition, ResolvedAsset, StaleEntry, UsedRevision,
};
use jig_contract::{Code, OpError};
use serde_json::json;

use super::piece::{Piece, of_attachment, of_row};
use super::report::{incomplete, missing, old};
use super::row::Row;
use super::template::fill;
use super::xml::context;

/// An item or an artifact that is included in a context.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// `item` or `artifact`.
    pub element: String,
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// The revisions of the content in use; empty for content without revisions.
    pub used: Vec<UsedRevision>,
    /// Its parts, as name and text.
    pub parts: Vec<(String, String)>,
    /// Whether the recipe requires it.
    pub required: bool,
}

/// The inputs of a context.
pub struct Assembly<'a> {
    /// The recipe.
    pub recipe: &'a RecipeDefinition,
    /// The kinds of the workbench.
    pub kinds: &'a [KindDefinition],
    /// The active entries, in order, with at least the fields that the recipe requests.
    pub rows: &'a [Row],
    /// The items and artifacts that the recipe requests.
    pub attachments: &'a [Attachment],
    /// The assets that fields refer to, by id; empty if they are not resolved.
    pub assets: &'a BTreeMap<String, ResolvedAsset>,
    /// Additional input from the person.
    pub input: &'a str,
    /// The date, as `2026-11-17`.
    pub today: &'a str,
    /// The token limit of the context.
    pub max_tokens: Option<u64>,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// A context, and what it was built from.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// The context as XML.
    pub context: String,
    /// The prompt for a model, including the context.
    pub prompt: String,
    /// The token count of the context.
    pub tokens: u64,
    /// Requested entries that do not exist.
    pub missing: Vec<MissingEntry>,
    /// Entries without fields that their kind requires.
    pub incomplete: Vec<IncompleteEntry>,
    /// Stale entries.
    pub stale: Vec<StaleEntry>,
    /// Optional content that did not fit.
    pub left_out: Vec<LeftOut>,
    /// The revisions that were used.
    pub used: Vec<UsedRevision>,
}

/// Why a context could not be assembled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AssembleError {
    /// Required content does not exist.
    #[error("{recipe} needs {}", needs(missing))]
    Missing {
        /// The recipe.
        recipe: String,
        /// All of it.
        missing: Vec<MissingEntry>,
    },
    /// The required content does not fit.
    #[error("the context that {recipe} cannot go without has {tokens} tokens; at most {max_tokens} are allowed")]
    TooLarge {
        /// The recipe.
        recipe: String,
        /// The tokens it needs.
        tokens: u64,
        /// The limit.
        max_tokens: u64,
        /// The token count of each piece.
        sizes: Vec<(String, u64)>,
    },
}

fn needs(missing: &[MissingEntry]) -> String {
    let one = |entry: &MissingEntry| match entry.fields.as_slice() {
        [] => entry.role.clone(),
        fields => format!("{} ({})", entry.role, fields.join(", ")),
    };
    missing.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl From<AssembleError> for OpError {
    fn from(error: AssembleError) -> Self {
        let message = error.to_string();
        match error {
            AssembleError::Missing { missing, .. } => {
                let told = Self::new(Code::MissingContext, message).action("add").detail(json!({ "missing": missing }));
                missing.into_iter().fold(told, |told, entry| told.hint(entry.how))
            }
            AssembleError::TooLarge { tokens, max_tokens, sizes, .. } => {
                let sizes: Vec<_> =
                    sizes.iter().map(|(address, tokens)| json!({ "address": address, "tokens": tokens })).collect();
                Self::new(Code::ContextTooLarge, message)
                    .detail(json!({ "tokens": tokens, "max_tokens": max_tokens, "sizes": sizes }))
                    .hint("allow more tokens, ask for fewer fields, or shorten the largest")
            }
        }
    }
}

/// Assembles the context of a recipe. Nothing is truncated: optional content that does not fit is left out entirely and
/// reported, and required content that does not fit is an error.
pub fn assemble(assembly: &Assembly<'_>) -> Result<Assembled, AssembleError> {
    let recipe = assembly.recipe;
    let missing = missing(assembly);
    let required: Vec<MissingEntry> = missing.iter().filter(|entry| entry.required).cloned().collect();
    if !required.is_empty() {
        return Err(AssembleError::Missing { recipe: recipe.recipe.clone(), missing: required });
    }
    let (kept, left_out) = fitting(assembly, pieces(assembly))?;
    let context = whole(&kept);
    let prompt = fill(recipe.prompt.as_deref(), &context, assembly.input, assembly.today);
    let used: Vec<UsedRevision> = kept.iter().flat_map(|piece| piece.used.clone()).collect();
    let is_kept = |row: &Row| kept.iter().any(|piece| piece.address == row.address(None));
    let rows: Vec<&Row> = assembly.rows.iter().filter(|row| is_kept(row)).collect();
    Ok(Assembled {
        tokens: (assembly.count)(&context),
        prompt,
        missing,
        incomplete: incomplete(&rows),
        stale: old(&rows),
        left_out,
        used,
        context,
    })
}

/// The pieces in the order of the recipe: entries by kind and key, then items and artifacts.
fn pieces(assembly: &Assembly<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for requirement in &assembly.recipe.context_requirements.entries {
        let Some(kind) = assembly.kinds.iter().find(|kind| kind.anchor_role == requirement.role) else { continue };
        let mut rows: Vec<&Row> = assembly.rows.iter().filter(|row| row.role == requirement.role).collect();
        rows.sort_by(|a, b| a.entry_key.cmp(&b.entry_key));
        pieces.extend(rows.into_iter().filter_map(|row| of_row(kind, requirement, row, assembly.assets)));
    }
    pieces.extend(assembly.attachments.iter().map(of_attachment));
    pieces
}

fn whole(pieces: &[Piece]) -> String {
    context(&pieces.iter().map(|piece| piece.xml.as_str()).collect::<Vec<_>>())
}

/// The pieces that fit. Optional pieces are dropped from the end.
fn fitting(assembly: &Assembly<'_>, mut pieces: Vec<Piece>) -> Result<(Vec<Piece>, Vec<LeftOut>), AssembleError> {
    let Some(max_tokens) = assembly.max_tokens else { return Ok((pieces, Vec::new())) };
    let mut left_out = Vec::new();
    loop {
        let tokens = (assembly.count)(&whole(&pieces));
        if tokens <= max_tokens {
            left_out.reverse();
            return Ok((pieces, left_out));
        }
        let Some(at) = pieces.iter().rposition(|piece| !piece.required) else {
            let sizes = pieces.iter().map(|piece| (piece.address.clone(), (assembly.count)(&piece.xml))).collect();
            let recipe = assembly.recipe.recipe.clone();
            return Err(AssembleError::TooLarge { recipe, tokens, max_tokens, sizes });
        };
        let piece = pieces.remove(at);
        left_out.push(LeftOut {
            tokens: (assembly.count)(&piece.xml),
            why: format!("the context may have {max_tokens} tokens, and the recipe can go without it"),
            how: "allow more tokens, or make it required".to_owned(),
            source: piece.address,
        });
    }
}
