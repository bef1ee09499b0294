//! The pieces a prompt is made of: each belongs to one section and one source.

use crate::count::Counter;

/// Where in the prompt something stands. The order is the order of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Descriptions of tools, which providers place before all else.
    Tools,
    /// What the agent is told to be and do.
    Instructions,
    /// The files, with their maps.
    Files,
    /// The situation.
    Situation,
    /// Skills: company, department, document style.
    Skills,
    /// Style skills of file formats.
    FormatStyles,
    /// Entries and artifacts.
    Context,
    /// What the agent sees of the project.
    AgentContext,
    /// The list of what did not fit.
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

    /// Its name on the wire and in a bill.
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

/// What sort of thing tokens are spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A part of a prompt pack, or the instructions that Jig has itself.
    Instructions,
    /// What Jig says about its notation and about files.
    Guide,
    /// The tags that hold others.
    Frame,
    /// A file.
    File,
    /// A context item that is no skill.
    Item,
    /// A file of a skill.
    Skill,
    /// A file of a format's style skill.
    FormatStyle,
    /// A field of an entry.
    EntryField,
    /// A section of an artifact.
    ArtifactSection,
    /// A part of the agent's view of the project.
    AgentContext,
    /// The list of what did not fit.
    LeftOut,
    /// A tool's description.
    Tool,
    /// A message.
    Message,
}

impl SourceKind {
    /// Its name on the wire and in a bill.
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

/// One thing that tokens are spent on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// What sort of thing.
    pub kind: SourceKind,
    /// Which one: a path, `company-context/SKILL.md`, `@brand#voice`, a tool's name, a message's number.
    pub name: String,
}

impl Source {
    /// Names a source.
    pub fn new(kind: SourceKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

/// Some bytes of the prompt: from `<` to a line feed, counted, of one source.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) section: SectionKind,
    pub(crate) source: Source,
    pub(crate) text: String,
    /// Its tokens by the counter; a model family's own number is made from sums of these.
    pub(crate) counted: u64,
}

/// Makes pieces, each with its count.
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

    /// A tag that holds others.
    pub(crate) fn frame(self, section: SectionKind, name: &str, text: String) -> Piece {
        self.piece(section, Source::new(SourceKind::Frame, name), text)
    }
}

/// The tokens of some pieces.
pub(crate) fn total<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> u64 {
    pieces.into_iter().map(|piece| piece.counted).sum()
}
