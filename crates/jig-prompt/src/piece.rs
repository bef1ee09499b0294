//! The pieces of a prompt: each belongs to one section and one source.

use crate::count::Counter;

/// The sections of a prompt, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Tool descriptions, which providers place first.
    Tools,
    /// The agent's instructions.
    Instructions,
    /// The files, with their maps.
    Files,
    /// The situation.
    Situation,
    /// Skills: company, department, document style.
    Skills,
    /// Style skills of file formats.
    FormatStyles,
    /// The agent context.
    Context,
    /// What the agent sees of the project.
    AgentContext,
    /// The list of what was left out.
    LeftOut,
    /// The messages.
    Conversation,
}

impl SectionKind {
    /// Every section, in order.
    pub const ALL: [Self; 10] = [
        Self::Tools,
        Self::Instructions,
        Self::Files,
        Self::Situation,
        Self::Skills,
        Self::FormatStyles,
        Self::Context,
        Self::AgentContext,
        Self::LeftOut,
        Self::Conversation,
    ];

    /// The name on the wire and in a token breakdown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Instructions => "instructions",
            Self::Files => "files",
            Self::Situation => "situation",
            Self::Skills => "skills",
            Self::FormatStyles => "format-styles",
            Self::Context => "context",
            Self::AgentContext => "agent-context",
            Self::LeftOut => "left-out",
            Self::Conversation => "conversation",
        }
    }
}

/// The kind of a token source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A part of a prompt pack, or Jig's own instructions.
    Instructions,
    /// Jig's explanation of the notation and of files.
    Guide,
    /// The tags around other sources.
    Frame,
    /// A file.
    File,
    /// A context item that is not a skill.
    Item,
    /// A file of a skill.
    Skill,
    /// A file of a format's style skill.
    FormatStyle,
    /// A field of an entry.
    EntryField,
    /// A section of an artifact.
    ArtifactSection,
    /// A part of the agent context.
    AgentContext,
    /// The list of what was left out.
    LeftOut,
    /// A tool's description.
    Tool,
    /// A message.
    Message,
}

impl SourceKind {
    /// The name on the wire and in a token breakdown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Guide => "guide",
            Self::Frame => "frame",
            Self::File => "file",
            Self::Item => "item",
            Self::Skill => "skill",
            Self::FormatStyle => "format-style",
            Self::EntryField => "entry-field",
            Self::ArtifactSection => "artifact-section",
            Self::AgentContext => "agent-context",
            Self::LeftOut => "left-out",
            Self::Tool => "tool",
            Self::Message => "message",
        }
    }
}

/// A source of tokens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name: a path, `company-context/SKILL.md`, `@brand#voice`, a tool's name, a message's number.
    pub name: String,
}

impl Source {
    /// A source with this name.
    pub fn new(kind: SourceKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

/// A byte range of the prompt: from `<` to a line feed, counted, from one source.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) section: SectionKind,
    pub(crate) source: Source,
    pub(crate) text: String,
    /// Its tokens by the counter; the count of a model family is derived from sums of these.
    pub(crate) counted: u64,
}

/// Creates pieces with their counts.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    counter: &'a dyn Counter,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(counter: &'a dyn Counter) -> Self {
        Self { counter }
    }

    pub(crate) fn piece(self, section: SectionKind, source: Source, text: String) -> Piece {
        let counted = self.counter.count(&text);
        Piece { section, source, text, counted }
    }

    /// A tag around other pieces.
    pub(crate) fn frame(self, section: SectionKind, name: &str, text: String) -> Piece {
        self.piece(section, Source::new(SourceKind::Frame, name), text)
    }
}

/// The total tokens of some pieces.
pub(crate) fn total<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> u64 {
    pieces.into_iter().map(|piece| piece.counted).sum()
}
