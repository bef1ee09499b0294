//! From state and sources to the exact prompt and its bill.
//!
//! Invariants:
//! - pure: the same input gives the same bytes;
//! - only named, billed sections are added, so the bill's total is the prompt's size;
//! - text from files, context and tools is data: nothing inside it can open or close a section;
//! - what does not fit is listed with its size, never cut in silence.
//!
//! [`assemble`] is the way in. [`mod@escape`] has the rule that keeps data inside its section, [`read`] reads a prompt back
//! into its sections, [`count`] says why the bill is exact. May use `jig-contract`, `jig-context` and `jig-session`.

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
