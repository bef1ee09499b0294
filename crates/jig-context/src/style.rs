//! The style of Office files: a built-in Agent Skill per format, merged with the user's `document-style` item.
//!
//! A style skill has two files: `SKILL.md` with hand-written principles and examples (`style/guides/`), and
//! `references/parameters.md`, generated from the operation schemas so that it cannot become outdated. The user's rules
//! ([`StyleRule`]) come first in a merged skill, with their wording and headings; principles and parameters are never
//! changed. Skills are built for each call and never stored; the output is deterministic.

mod blocks;
mod catalog;
mod fields;
mod gate;
mod guide;
mod html;
mod merge;
mod names;
mod plain;
mod read;
mod rule;
mod schema;
mod terms;

use std::collections::BTreeMap;

use jig_contract::{Code, OpSpec, ops};

pub use gate::relevant;
pub use merge::MergeFailed;
pub(crate) use read::{Example, HouseStyle, read_document};
pub(crate) use rule::polarity_of_text;
pub use rule::{Polarity, RuleSource, Scope, StyleRule};
pub use terms::Term;

/// The path of the generated parameters in a style skill.
pub const PARAMETERS_FILE: &str = "references/parameters.md";

/// A format that has a style skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Excel workbooks.
    Xlsx,
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
}

impl Format {
    /// Every format, in the order of the skills in a prompt.
    pub const ALL: [Self; 3] = [Self::Xlsx, Self::Docx, Self::Pptx];

    /// The short name, which is also the usual file name extension.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
        }
    }

    /// The format of a file, by its extension.
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, end) = path.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "xlsx" | "xlsm" | "xltx" | "xltm" => Some(Self::Xlsx),
            "docx" | "docm" | "dotx" | "dotm" => Some(Self::Docx),
            "pptx" | "pptm" | "potx" | "potm" | "ppsx" => Some(Self::Pptx),
            _ => None,
        }
    }

    /// The name of the built-in skill.
    pub fn skill_name(self) -> String {
        format!("{}-style-skill", self.as_str())
    }

    /// The name of the skill after merging the user's rules.
    pub fn custom_name(self) -> String {
        format!("{}-style-custom", self.as_str())
    }

    /// The operation that edits files of this format.
    fn operation(self) -> OpSpec {
        match self {
            Self::Xlsx => OpSpec::of::<ops::XlsxApplyOps>(),
            Self::Docx => OpSpec::of::<ops::DocxApplyOps>(),
            Self::Pptx => OpSpec::of::<ops::PptxApplyOps>(),
        }
    }
}

/// A style skill, ready for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyleSkill {
    /// The format it applies to; `None` for rules that apply to every format.
    pub format: Option<Format>,
    /// The name of the skill and of its folder.
    pub name: String,
    /// Its files, by path in the folder.
    pub files: BTreeMap<String, String>,
}

/// A warning; the call continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The stable error code.
    pub code: Code,
    /// The message.
    pub message: String,
}

/// The style skills of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styles {
    /// The user's rules for every format, if any, followed by a skill per format in the order of [`Format::ALL`].
    pub skills: Vec<StyleSkill>,
    /// Whether they replace the `document-style` item, which is then not included separately.
    pub replaces_document_style: bool,
    /// Warnings.
    pub notices: Vec<Notice>,
}

/// The built-in skill for a format.
pub fn bundled(format: Format) -> StyleSkill {
    guide::Guide::of(format).skill(format.skill_name(), format)
}

/// The style skills of a call: one per format, merged with the `document-style` item (its files by path) if there is
/// one, preceded by the item's rules for every format. If merging fails, the built-in skill is used, with a notice.
pub fn for_call(formats: &[Format], document_style: Option<&BTreeMap<String, String>>) -> Styles {
    let mut styles =
        Styles { replaces_document_style: document_style.is_some() && !formats.is_empty(), ..Styles::default() };
    let house = document_style.filter(|_| !formats.is_empty()).map(read::read_item);
    if let Some(Ok(house)) = &house {
        styles.skills.extend(merge::shared(house));
    }
    for format in Format::ALL.into_iter().filter(|format| formats.contains(format)) {
        let merged = match &house {
            None => Ok(bundled(format)),
            Some(Ok(house)) => merge::merge(format, house),
            Some(Err(failed)) => Err(failed.clone()),
        };
        styles.skills.push(merged.unwrap_or_else(|failed| {
            let message = format!(
                "Your document style could not be merged for {}: {failed}. The general style is used.",
                format.as_str()
            );
            styles.notices.push(Notice { code: Code::StyleMergeFailed, message });
            bundled(format)
        }));
    }
    styles
}

#[cfg(test)]
mod tests;
