//! How Office files should look: a bundled Agent Skill per format, merged with the user's `document-style` item.
//!
//! A style skill has two files: `SKILL.md` with principles and examples, written by people (`style/guides/`), and
//! `references/parameters.md`, generated from the schemas of the operations so that it cannot fall behind them.
//! The user's rules ([`StyleRule`]) come first in a merged skill and keep their words and headings; principles and
//! parameters are never changed. Skills are built for each call and never stored; the same input gives the same bytes.

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
pub(crate) use read::read_document;
pub(crate) use rule::polarity_of_text;
pub use rule::{Polarity, RuleSource, Scope, StyleRule};
pub use terms::Term;

/// Where a style skill keeps its generated parameters.
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
    /// Every format, in the order of their skills in a prompt.
    pub const ALL: [Self; 3] = [Self::Xlsx, Self::Docx, Self::Pptx];

    /// The format's short name, which is the usual end of its files' names.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
        }
    }

    /// The format of a file by the end of its name.
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, end) = path.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "xlsx" | "xlsm" | "xltx" | "xltm" => Some(Self::Xlsx),
            "docx" | "docm" | "dotx" | "dotm" => Some(Self::Docx),
            "pptx" | "pptm" | "potx" | "potm" | "ppsx" => Some(Self::Pptx),
            _ => None,
        }
    }

    /// The name of the bundled skill.
    pub fn skill_name(self) -> String {
        format!("{}-style-skill", self.as_str())
    }

    /// The name of the skill after merging with the user's rules.
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
    /// The format it is for; none when it has the rules for every format.
    pub format: Option<Format>,
    /// Its name, which is its folder's too.
    pub name: String,
    /// Its files by their paths inside the folder.
    pub files: BTreeMap<String, String>,
}

/// Something that a person should know although the call goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The stable code.
    pub code: Code,
    /// What happened.
    pub message: String,
}

/// The style skills of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styles {
    /// The user's rules for every format, where there are any, then a skill for each format in the order of
    /// [`Format::ALL`].
    pub skills: Vec<StyleSkill>,
    /// Whether they stand for the `document-style` item, which is then not injected by itself.
    pub replaces_document_style: bool,
    /// What went wrong on the way.
    pub notices: Vec<Notice>,
}

/// The skill that comes with Jig for a format.
pub fn bundled(format: Format) -> StyleSkill {
    guide::Guide::of(format).skill(format.skill_name(), format)
}

/// The style skills of a call: one per format, merged with the `document-style` item (its files by path) if there is
/// one, and before them the item's rules for every format. Where merging fails the bundled skill is used, with a notice.
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
