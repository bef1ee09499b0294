//! The inputs of a prompt: plain values, filled in by the workbench.
//!
//! The order of files, skills, documents and tools is irrelevant, because they are sorted. The order of instructions,
//! parts of a document and messages matters.

use serde_json::Value;

use crate::budget::Budgets;
use crate::count::Tokenizer;
use crate::notice::Notice;
pub use crate::talk::{Message, Tool, ToolCall};

/// The inputs of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The model.
    pub model: Model,
    /// The share of the window for each component.
    pub budgets: Budgets,
    /// The parts of the prompt pack and the phase; Jig's own instructions if empty.
    pub instructions: Vec<Instruction>,
    /// The files of the workbench.
    pub files: Manifest,
    /// The text of the situation.
    pub situation: Option<String>,
    /// Context items that are skills. `document-style` is left out if there are format styles, which contain it.
    pub skills: Vec<Skill>,
    /// The style skills of the formats that are relevant for this call.
    pub format_styles: Vec<Skill>,
    /// Candidate entries and artifacts.
    pub documents: Vec<Document>,
    /// The agent context.
    pub agent_context: Option<AgentContext>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools of the active catalog.
    pub tools: Vec<Tool>,
    /// Notices from earlier steps: damaged items, styles that could not be merged.
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

/// The model of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// `provider:model`.
    pub id: String,
    /// Its context window in tokens, including the answer.
    pub window: u64,
    /// Its tokenizer.
    pub tokenizer: Tokenizer,
}

/// A part of the instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its name in the token breakdown: a part of a pack, or a phase.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The list of files, or why it is unavailable.
#[derive(Debug, Clone, PartialEq)]
pub enum Manifest {
    /// Every file.
    Complete(Vec<FileEntry>),
    /// The list could not be built, so no prompt can be assembled.
    Failed {
        /// The reason.
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
    /// Its size in bytes.
    pub size: u64,
    /// The content that can be shown.
    pub body: FileBody,
    /// Its priority if space is short.
    pub need: Need,
}

/// The content of a file that can be shown.
#[derive(Debug, Clone, PartialEq)]
pub enum FileBody {
    /// A file that tools can read.
    Readable {
        /// Its structural map.
        map: Option<FileMap>,
        /// The text of a text file, included if it is below the chunk threshold.
        text: Option<String>,
    },
    /// A file that exists but cannot be read.
    Opaque {
        /// The reason.
        why: String,
    },
}

/// The structural map of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileMap {
    /// As JSON. One that is too large is shortened by dropping deep levels.
    Json(Value),
    /// As text. One that is too large is left out.
    Text(String),
}

/// A skill with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The name of the skill and of its folder.
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
    /// Whether it is an entry or an artifact.
    pub class: Class,
    /// The kind of an entry (`brand`), the slug of an artifact (`concept`).
    pub kind: String,
    /// The key among entries of a kind; empty for a singleton.
    pub key: String,
    /// The display name.
    pub title: Option<String>,
    /// Its fields or sections, in order.
    pub parts: Vec<Part>,
}

/// The class of a document.
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
    /// Its priority.
    pub need: Need,
}

/// The priority of content, in the order of selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Always included.
    Pinned,
    /// Required by the recipe.
    Required,
    /// Named by the message.
    Referenced,
    /// Included if there is space; higher numbers first.
    Fill(i32),
    /// Irrelevant for this call: never included or listed.
    Unneeded,
}

impl Need {
    /// Whether the prompt cannot be assembled without it.
    pub(crate) fn must(self) -> bool {
        matches!(self, Self::Pinned | Self::Required)
    }

    /// The sort key for the order of selection.
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

/// The agent's view of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentContext {
    /// The level.
    pub level: AgentLevel,
    /// Its parts.
    pub parts: Vec<AgentPart>,
}

/// How much an agent sees of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentLevel {
    /// Names only.
    Minimal,
    /// The project summary, the artifact's sections, the targeted section.
    Standard,
    /// The complete artifact, and related ones as summaries.
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

/// A part of the agent context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPart {
    /// The component whose budget it uses.
    pub component: AgentComponent,
    /// Its name: `project`, `concept`, …
    pub name: String,
    /// Its content. Texts in it are data, escaped once when they are written.
    pub body: Vec<Markup>,
    /// Its priority.
    pub need: Need,
}

/// Text with tags before serialisation, so that no text is escaped before its position in the prompt is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Markup {
    /// Data.
    Text(String),
    /// An element. Its name and attribute names are Jig's.
    Element {
        /// Its name.
        name: &'static str,
        /// Its attributes.
        attributes: Vec<(&'static str, String)>,
        /// Its content.
        inside: Vec<Markup>,
    },
}

/// The components of the agent context, in writing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentComponent {
    /// The project and the state of the system.
    Project,
    /// The current artifact.
    CurrentArtifact,
    /// Others, as summaries.
    RelatedArtifacts,
}
