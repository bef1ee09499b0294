//! The share of a model's context window for each component of an agent context.

/// The components, in the order of the context schema's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The instructions; not part of an agent context.
    SystemPrompt,
    /// The project.
    Project,
    /// The current artifact.
    CurrentArtifact,
    /// Related artifacts.
    RelatedArtifacts,
    /// The conversation.
    ChatHistory,
    /// Reserved for the answer.
    Response,
    /// Reserved for everything else.
    Reserve,
}

impl Component {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SystemPrompt => "system_prompt",
            Self::Project => "project",
            Self::CurrentArtifact => "current_artifact",
            Self::RelatedArtifacts => "related_artifacts",
            Self::ChatHistory => "chat_history",
            Self::Response => "response",
            Self::Reserve => "reserve",
        }
    }
}

/// Token budgets for one context window.
///
/// At 200,000 tokens they equal the table of the context schema, and they scale with the window. Budgets of a context
/// never drop below what names and section lists need; in a small window, the difference comes out of the reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    window: u64,
    project: u64,
    current_artifact: u64,
    related_artifacts: u64,
    chat_history: u64,
}

impl Budgets {
    /// The budgets for a window.
    pub fn of(window: u64) -> Self {
        let share = |per_mille: u64| share(window, per_mille);
        let least = if window >= SMALLEST { [200, 600, 300, 600] } else { [0; 4] };
        Self {
            window,
            project: share(5).max(least[0]),
            current_artifact: share(50).max(least[1]),
            related_artifacts: share(25).max(least[2]),
            chat_history: share(100).max(least[3]),
        }
    }

    /// The budget of a component, in tokens.
    pub fn limit(&self, component: Component) -> u64 {
        match component {
            Component::SystemPrompt => share(self.window, 10),
            Component::Project => self.project,
            Component::CurrentArtifact => self.current_artifact,
            Component::RelatedArtifacts => self.related_artifacts,
            Component::ChatHistory => self.chat_history,
            Component::Response => share(self.window, 100),
            Component::Reserve => {
                let view = self.project + self.current_artifact + self.related_artifacts + self.chat_history;
                self.window.saturating_sub(share(self.window, 110) + view)
            }
        }
    }
}

/// A smaller window cannot hold even the minimum.
const SMALLEST: u64 = 4_000;

fn share(window: u64, per_mille: u64) -> u64 {
    u64::try_from(u128::from(window) * u128::from(per_mille) / 1_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Component; 7] = [
        Component::SystemPrompt,
        Component::Project,
        Component::CurrentArtifact,
        Component::RelatedArtifacts,
        Component::ChatHistory,
        Component::Response,
        Component::Reserve,
    ];

    #[test]
    fn the_table_of_the_context_schema() {
        let budgets = Budgets::of(200_000);
        assert_eq!(
            ALL.map(|component| budgets.limit(component)),
            [2_000, 1_000, 10_000, 5_000, 20_000, 20_000, 142_000]
        );
    }

    #[test]
    fn budgets_scale_and_never_sum_to_more_than_the_window() {
        assert_eq!(Budgets::of(1_000_000).limit(Component::CurrentArtifact), 50_000);
        for window in [0, 1, 999, 3_999, 4_000, 8_000, 32_000, 128_000, 200_000, 2_000_000] {
            let budgets = Budgets::of(window);
            let sum: u64 = ALL.iter().map(|component| budgets.limit(*component)).sum();
            assert!(sum <= window, "{window}: {sum}");
        }
        assert_eq!(Budgets::of(8_000).limit(Component::Project), 200);
    }
}
