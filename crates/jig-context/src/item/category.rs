//! The four categories and their fixed texts.

use std::fmt;

use jig_contract::ops::ContextCategory;
use serde::{Deserialize, Serialize};

use crate::document::nearest;

/// The category of a context item. A workbench has at most one item of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Information about the company.
    CompanyContext,
    /// What the department does, and how.
    DepartmentContext,
    /// The current situation.
    Situation,
    /// The look and tone of documents.
    DocumentStyle,
}

/// An unknown category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no category `{wanted}`; there are company-context, department-context, situation and document-style")]
pub struct NoSuchCategory {
    /// The requested name, truncated.
    pub wanted: String,
    /// Similar categories.
    pub suggestions: Vec<String>,
}

impl Category {
    /// All categories, in display order.
    pub const ALL: [Self; 4] = [Self::CompanyContext, Self::DepartmentContext, Self::Situation, Self::DocumentStyle];

    /// The name on the wire, of its folder and of its skill.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CompanyContext => "company-context",
            Self::DepartmentContext => "department-context",
            Self::Situation => "situation",
            Self::DocumentStyle => "document-style",
        }
    }

    /// The display name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::CompanyContext => "Company-Wide",
            Self::DepartmentContext => "Department",
            Self::Situation => "Situation",
            Self::DocumentStyle => "Document Style",
        }
    }

    /// The progress message while it is processed.
    pub const fn processing(self) -> &'static str {
        match self {
            Self::CompanyContext => "Processing company context...",
            Self::DepartmentContext => "Processing department context...",
            Self::Situation => "Processing situation context...",
            Self::DocumentStyle => "Processing document style...",
        }
    }

    /// Whether its files form an Agent Skill. Otherwise it is a single text that prompts include unchanged.
    pub const fn is_skill(self) -> bool {
        !matches!(self, Self::Situation)
    }

    /// The required file.
    pub const fn main_file(self) -> &'static str {
        if self.is_skill() { crate::skill::SKILL_FILE } else { "context.md" }
    }

    /// The file for details, if the category has one.
    pub const fn detail_file(self) -> Option<&'static str> {
        match self {
            Self::CompanyContext | Self::DepartmentContext => Some("references/summary.md"),
            Self::DocumentStyle => Some("references/style-rules.md"),
            Self::Situation => None,
        }
    }
}

impl From<ContextCategory> for Category {
    fn from(category: ContextCategory) -> Self {
        match category {
            ContextCategory::CompanyContext => Self::CompanyContext,
            ContextCategory::DepartmentContext => Self::DepartmentContext,
            ContextCategory::Situation => Self::Situation,
            ContextCategory::DocumentStyle => Self::DocumentStyle,
        }
    }
}

impl From<Category> for ContextCategory {
    fn from(category: Category) -> Self {
        match category {
            Category::CompanyContext => Self::CompanyContext,
            Category::DepartmentContext => Self::DepartmentContext,
            Category::Situation => Self::Situation,
            Category::DocumentStyle => Self::DocumentStyle,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Category {
    type Err = NoSuchCategory;
    fn from_str(text: &str) -> Result<Self, NoSuchCategory> {
        Self::ALL.into_iter().find(|category| category.as_str() == text).ok_or_else(|| {
            let wanted: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
            let suggestions = nearest(&wanted, Self::ALL.map(Self::as_str));
            NoSuchCategory { wanted, suggestions }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_categories_have_their_folders_labels_and_files() {
        let table = Category::ALL.map(|c| (c.as_str(), c.label(), c.main_file(), c.detail_file()));
        assert_eq!(
            table,
            [
                ("company-context", "Company-Wide", "SKILL.md", Some("references/summary.md")),
                ("department-context", "Department", "SKILL.md", Some("references/summary.md")),
                ("situation", "Situation", "context.md", None),
                ("document-style", "Document Style", "SKILL.md", Some("references/style-rules.md")),
            ]
        );
        assert_eq!(Category::CompanyContext.processing(), "Processing company context...");
    }

    #[test]
    fn the_wire_has_the_same_four_under_the_same_names() {
        for (ours, wire) in Category::ALL.into_iter().zip(ContextCategory::ALL) {
            assert_eq!((Category::from(wire), ContextCategory::from(ours)), (ours, wire));
            assert_eq!(ours.as_str(), wire.as_str());
        }
    }

    #[test]
    fn categories_are_written_and_read_by_their_folder() {
        for category in Category::ALL {
            assert_eq!(category.as_str().parse(), Ok(category));
            assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
        }
        let error = "document-styles".parse::<Category>().unwrap_err();
        assert_eq!(error.suggestions, ["document-style"]);
        assert!(error.to_string().contains("there is no category `document-styles`"));
    }
}
