//! The share of a model's context window for each component.
//!
//! The first six rows are the table of the context schema for a window of 200,000 tokens; files and context, which that
//! table counts as reserve, have their own rows. All are shares, so they scale with the window. A budget limits
//! optional content; pinned and required content may also use the reserve, down to the space for the answer.

use crate::count::Tokenizer;
use crate::input::{AgentComponent, Model};

/// A share of the window, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(pub u32);

impl Share {
    /// The share of a window, in tokens.
    pub fn of(self, window: u64) -> u64 {
        u64::try_from(u128::from(window) * u128::from(self.0) / 1_000).unwrap_or(u64::MAX)
    }
}

/// The component of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The instructions.
    Instructions,
    /// The project's summary.
    Project,
    /// The current artifact.
    CurrentArtifact,
    /// Related artifacts.
    RelatedArtifacts,
    /// Earlier turns of the conversation.
    History,
    /// The model's answer.
    Response,
    /// Maps and small files.
    Files,
    /// Entries and artifacts.
    Context,
}

impl Component {
    /// The display name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Project => "project",
            Self::CurrentArtifact => "current artifact",
            Self::RelatedArtifacts => "related artifacts",
            Self::History => "chat history",
            Self::Response => "response",
            Self::Files => "files",
            Self::Context => "context",
        }
    }
}

impl From<AgentComponent> for Component {
    fn from(component: AgentComponent) -> Self {
        match component {
            AgentComponent::Project => Self::Project,
            AgentComponent::CurrentArtifact => Self::CurrentArtifact,
            AgentComponent::RelatedArtifacts => Self::RelatedArtifacts,
        }
    }
}

/// The budgets of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    /// Instructions. Exceeding this only causes a notice.
    pub instructions: Share,
    /// The project summary.
    pub project: Share,
    /// The current artifact.
    pub current_artifact: Share,
    /// Related artifacts.
    pub related_artifacts: Share,
    /// Earlier turns of the conversation.
    pub history: Share,
    /// Reserved for the answer.
    pub response: Share,
    /// Maps and small files, beyond the list of files.
    pub files: Share,
    /// A single map.
    pub one_map: Share,
    /// Optional entries and artifacts.
    pub context: Share,
    /// A text file with fewer characters than this is included verbatim.
    pub chunk_chars: usize,
    /// It may also have at most this many lines.
    pub chunk_lines: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            instructions: Share(10),
            project: Share(5),
            current_artifact: Share(50),
            related_artifacts: Share(25),
            history: Share(100),
            response: Share(100),
            files: Share(150),
            one_map: Share(10),
            context: Share(100),
            chunk_chars: 4_000,
            chunk_lines: 200,
        }
    }
}

impl Budgets {
    /// The share of a component.
    pub fn share(&self, component: Component) -> Share {
        match component {
            Component::Instructions => self.instructions,
            Component::Project => self.project,
            Component::CurrentArtifact => self.current_artifact,
            Component::RelatedArtifacts => self.related_artifacts,
            Component::History => self.history,
            Component::Response => self.response,
            Component::Files => self.files,
            Component::Context => self.context,
        }
    }
}

/// The budgets for a model, in the counter's tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits<'a> {
    budgets: &'a Budgets,
    tokenizer: &'a Tokenizer,
    window: u64,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(budgets: &'a Budgets, model: &'a Model) -> Self {
        Self { budgets, tokenizer: &model.tokenizer, window: model.window }
    }

    pub(crate) fn of(self, component: Component) -> u64 {
        self.tokenizer.back(self.budgets.share(component).of(self.window))
    }

    pub(crate) fn one_map(self) -> u64 {
        self.tokenizer.back(self.budgets.one_map.of(self.window))
    }

    /// The maximum size of the prompt: the window without the answer.
    pub(crate) fn prompt(self) -> u64 {
        let answer = self.budgets.response.of(self.window);
        self.tokenizer.back(self.window.saturating_sub(answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_seeds_at_its_window() {
        let budgets = Budgets::default();
        let at = |component| budgets.share(component).of(200_000);
        assert_eq!(at(Component::Instructions), 2_000);
        assert_eq!(at(Component::Project), 1_000);
        assert_eq!(at(Component::CurrentArtifact), 10_000);
        assert_eq!(at(Component::RelatedArtifacts), 5_000);
        assert_eq!(at(Component::History), 20_000);
        assert_eq!(at(Component::Response), 20_000);
    }

    #[test]
    fn shares_scale_with_the_window() {
        assert_eq!(Share(100).of(8_000), 800);
        assert_eq!(Share(1_000).of(u64::MAX), u64::MAX);
        let tokenizer = Tokenizer::estimate("anthropic");
        let model = Model { id: "a:b".to_owned(), window: 100_000, tokenizer };
        assert_eq!(Limits::new(&Budgets::default(), &model).prompt(), 72_000);
    }
}
