//! What a prompt is made from. Plain values, which the workbench fills.
//!
//! The order of files, skills, documents and tools has no meaning: they are sorted. That of instructions, of the parts of
//! a document and of messages has.

use serde_json::Value;

use crate::budget::Budgets;
use crate::count::Tokenizer;
use crate::notice::Notice;
pub use crate::talk::{Message, Tool, ToolCall};

/// All that goes into one prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Whom it is for.
    pub model: Model,
    /// How much of the window each component may take.
    pub budgets: Budgets,
    /// The parts of the prompt pack, and the phase's; with none, Jig's own instructions stand.
    pub instructions: Vec<Instruction>,
    /// The files of the workbench.
    pub files: Manifest,
    /// The situation's text.
    pub situation: Option<String>,
    /// Context items that are skills. `document-style` is not written when there are format styles: they hold it.
    pub skills: Vec<Skill>,
    /// The style skills of the formats that matter for this call.
    pub format_styles: Vec<Skill>,
    /// Entries and artifacts to choose from.
    pub documents: Vec<Document>,
    /// What the agent sees of the project.
    pub agent_context: Option<AgentContext>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools of the active catalog.
    pub tools: Vec<Tool>,
    /// What a person should know already: damaged items, styles that did not merge.
    pub notices: Vec<Notice>,
}

impl Input {
    /// An empty workbench for this model.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            budgets: Budgets::default(),
            instructions: Vec::new(),
            files: Manifest::Complete(Vec::new()),
            situation: None,
            skills: Vec::new(),
            format_styles: Vec::new(),
            documents: Vec::new(),
            agent_context: None,
            messages: Vec::new(),
            tools: Vec::new(),
            notices: Vec::new(),
        }
    }
}

/// The model a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// `provider:model`.
    pub id: String,
    /// How many tokens it takes, answer included.
    pub window: u64,
    /// How its tokens are counted.
    pub tokenizer: Tokenizer,
}

/// A part of the instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// What it is called in the bill: a part of a pack, a phase.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The list of files, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Manifest {
    /// Every file.
    Complete(Vec<FileEntry>),
    /// The list could not be made: then no prompt is.
    Failed {
        /// Why, in words.
        reason: String,
    },
}

/// A file of the workbench.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEntry {
    /// Its path in the workbench.
    pub path: String,
    /// Its type: `xlsx`, `text`, …
    pub file_type: String,
    /// Its bytes.
    pub size: u64,
    /// What can be shown of it.
    pub body: FileBody,
    /// How much it matters for this call, where room is short.
    pub need: Need,
}

/// What can be shown of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileBody {
    /// Tools can read it.
    Readable {
        /// Its structural map.
        map: Option<FileMap>,
        /// The text of a text file. It is written out when it is below the chunk threshold.
        text: Option<String>,
    },
    /// It is there, but cannot be read.
    Opaque {
        /// Why, in words.
        why: String,
    },
}

/// The structural map of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileMap {
    /// As a value. One that is too large is shortened by leaving out its depths.
    Json(Value),
    /// As text. One that is too large is left out.
    Text(String),
}

/// A skill with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name: the folder's.
    pub name: String,
    /// The text of `SKILL.md`.
    pub body: String,
    /// The files that it refers to.
    pub references: Vec<SkillFile>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path inside the skill.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// An entry or an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Which of the two.
    pub class: Class,
    /// The kind of an entry (`brand`), the slug of an artifact (`concept`).
    pub kind: String,
    /// The key among entries of a kind; empty where there is one only.
    pub key: String,
    /// What people call it.
    pub title: Option<String>,
    /// Its fields or sections, in order.
    pub parts: Vec<Part>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// An entry with typed fields.
    Entry,
    /// An artifact with sections.
    Artifact,
}

/// A field of an entry or a section of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its key or slug.
    pub name: String,
    /// Its value: text, or JSON for lists.
    pub text: String,
    /// How much it matters for this call.
    pub need: Need,
}

/// How much something matters for a call. The order is the order of choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Always in.
    Pinned,
    /// The recipe cannot do without it.
    Required,
    /// The message names it.
    Referenced,
    /// In when there is room; higher numbers first.
    Fill(i32),
    /// Not for this call. Never in, never listed.
    Unneeded,
}

impl Need {
    /// Whether the prompt must not be made without it.
    pub(crate) fn must(self) -> bool {
        matches!(self, Self::Pinned | Self::Required)
    }

    /// Sorts by the order of choice.
    pub(crate) fn rank(self) -> (u8, i64) {
        match self {
            Self::Pinned => (0, 0),
            Self::Required => (1, 0),
            Self::Referenced => (2, 0),
            Self::Fill(priority) => (3, -i64::from(priority)),
            Self::Unneeded => (4, 0),
        }
    }
}

/// What the agent sees of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentContext {
    /// How much that is.
    pub level: AgentLevel,
    /// Its parts.
    pub parts: Vec<AgentPart>,
}

/// How much an agent sees of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentLevel {
    /// Names only.
    Minimal,
    /// The project's summary, the artifact's sections, the targeted section.
    Standard,
    /// The whole artifact, and related ones as summaries.
    Full,
}

impl AgentLevel {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

/// A part of what the agent sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPart {
    /// Whose budget it uses.
    pub component: AgentComponent,
    /// Its name: `project`, `concept`, …
    pub name: String,
    /// What it shows. Texts in it are data and are escaped when they are written, once.
    pub body: Vec<Markup>,
    /// How much it matters.
    pub need: Need,
}

/// Text with tags around it, not yet written: so no text is escaped before its place in the prompt is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Markup {
    /// Data.
    Text(String),
    /// A tag; its name and those of its attributes are ours.
    Element {
        /// Its name.
        name: &'static str,
        /// Its attributes.
        attributes: Vec<(&'static str, String)>,
        /// What stands in it.
        inside: Vec<Markup>,
    },
}

/// The components of the agent's view. The order is the order of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentComponent {
    /// The project and the state of the system.
    Project,
    /// The artifact at hand.
    CurrentArtifact,
    /// Others, as summaries.
    RelatedArtifacts,
}
