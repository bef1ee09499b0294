//! Assembles the exact prompt from state and sources, with its token breakdown.
//!
//! Invariants:
//! - pure: the same input gives the same bytes;
//! - only named, counted sections are added, so the total of the token breakdown is the prompt's size;
//! - text from files, context and tools is data: nothing inside it can open or close a section;
//! - what does not fit is listed with its size, never truncated silently.
//!
//! The entry point is [`assemble`]. [`mod@escape`] has the rule that keeps data inside its section, [`read`] parses a
//! prompt back into its sections, [`count`] explains why the token breakdown is exact. May use `jig-contract`,
//! `jig-context` and `jig-session`.

mod agent;
mod assemble;
mod bill;
mod budget;
mod check;
mod clutter;
pub mod count;
mod defaults;
mod documents;
mod draw;
mod error;
pub mod escape;
mod history;
mod input;
mod items;
mod left_out;
mod lookalike;
mod manifest;
mod map;
mod notice;
mod piece;
mod prompt;
pub mod read;
mod room;
pub mod sample;
mod talk;
mod tokens;
mod tools;
mod wire;
mod words;
mod write;

pub use assemble::assemble;
pub use bill::{Bill, CONTEXT_SHARE_HIGH, Level, Line, SHARE_HIGH, Span, WARNING_CONTEXT};
pub use budget::{Budgets, Component, Share};
pub use clutter::{Clutter, ClutterSection};
pub use count::{Cached, Counter, O200k, Tokenizer};
pub use defaults::{FILES_GUIDE, INSTRUCTIONS, NOTATION};
pub use draw::{Bars, Row, draw, draw_bill, rows};
pub use error::{AssembleError, TooLarge};
pub use input::{
    AgentComponent, AgentContext, AgentLevel, AgentPart, Class, Document, FileBody, FileEntry, FileMap, Input,
    Instruction, Manifest, Markup, Message, Model, Need, Part, Skill, SkillFile, Tool, ToolCall,
};
pub use left_out::LeftOut;
pub use notice::Notice;
pub use piece::{SectionKind, Source, SourceKind};
pub use prompt::{Prompt, PromptMessage, PromptTool, Section};
