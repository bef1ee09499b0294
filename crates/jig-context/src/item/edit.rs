//! Manual edits. They are saved as given: a skill that violates rules is saved too, with warnings.

use std::collections::BTreeMap;

use jig_contract::{BadPath, Code, OpError, Timestamp, WorkbenchPath, fold_case};

use super::Item;
use super::category::Category;
use super::layout::{FILE_TEXT_MAX, FILES_MAX, is_editable};
use super::validate::validate;

/// Why an edit is refused. Only edits that would break the item's folder are; the content is up to the author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A path is invalid or leaves the item.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// A file that cannot be edited.
    #[error("`{path}` tells what the item was made from and cannot be edited")]
    NotEditable {
        /// The path.
        path: String,
    },
    /// A situation consists of a single file.
    #[error("a situation has one file, context.md; `{path}` would be in no prompt")]
    OtherFile {
        /// The path.
        path: String,
    },
    /// The required file is missing.
    #[error("`{path}` must stay: without it there is no item. Delete the item to be rid of it")]
    NoMainFile {
        /// Its path.
        path: &'static str,
    },
    /// Two paths that collide on some file systems.
    #[error("`{path}` and `{other}` cannot be in one folder")]
    Clash {
        /// One path.
        path: String,
        /// The other path.
        other: String,
    },
    /// There are too many files.
    #[error("an item has at most {FILES_MAX} files; these are {files}")]
    TooMany {
        /// The number of files.
        files: usize,
    },
    /// A text is too long.
    #[error("`{path}` has {bytes} bytes; a text of an item has at most {FILE_TEXT_MAX}")]
    TooLong {
        /// Its path.
        path: String,
        /// Its size in bytes.
        bytes: usize,
    },
}

impl From<EditError> for OpError {
    fn from(error: EditError) -> Self {
        let code = match error {
            EditError::Path(_) => Code::SandboxViolation,
            EditError::NotEditable { .. } => Code::NotPermitted,
            EditError::TooMany { .. } | EditError::TooLong { .. } => Code::LimitExceeded,
            EditError::OtherFile { .. } | EditError::NoMainFile { .. } | EditError::Clash { .. } => {
                Code::ValidationFailed
            }
        };
        Self::new(code, error.to_string())
    }
}

/// The result of a manual edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The edited item.
    pub item: Item,
    /// Warnings of the validator. They do not prevent saving.
    pub warnings: Vec<String>,
}

impl Item {
    /// Replaces all texts of the item. A text that is not listed is removed.
    pub fn edit(&self, files: &[(String, String)], at: Timestamp) -> Result<Edited, EditError> {
        let files = checked(self.category, files)?;
        let warnings = validate(self.category, &files).into_iter().map(|problem| problem.message).collect();
        let item = Self { files, source: self.source.edited(at), ..self.clone() };
        Ok(Edited { item, warnings })
    }
}

/// The texts by path, if they are valid for an item of this category.
pub(crate) fn checked(category: Category, files: &[(String, String)]) -> Result<BTreeMap<String, String>, EditError> {
    if files.len() > FILES_MAX {
        return Err(EditError::TooMany { files: files.len() });
    }
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for (given, text) in files {
        let path = WorkbenchPath::new(given)?;
        category.path_of(path.as_str())?;
        check_one(category, &path, text)?;
        if let Some(other) = all.keys().find(|other| clash(path.as_str(), other)) {
            return Err(EditError::Clash { path: path.into(), other: other.clone() });
        }
        all.insert(String::from(path), text.clone());
    }
    if !all.contains_key(category.main_file()) {
        return Err(EditError::NoMainFile { path: category.main_file() });
    }
    Ok(all)
}

fn check_one(category: Category, path: &WorkbenchPath, text: &str) -> Result<(), EditError> {
    if !is_editable(path) {
        return Err(EditError::NotEditable { path: path.to_string() });
    }
    if !category.is_skill() && path.as_str() != category.main_file() {
        return Err(EditError::OtherFile { path: path.to_string() });
    }
    if text.len() > FILE_TEXT_MAX {
        return Err(EditError::TooLong { path: path.to_string(), bytes: text.len() });
    }
    Ok(())
}

/// Whether two paths are the same on some file systems, or one is a parent folder of the other.
pub(crate) fn clash(one: &str, other: &str) -> bool {
    let (one, other) = (fold_case(one), fold_case(other));
    let holds = |folder: &str, path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    one == other || holds(&one, &other) || holds(&other, &one)
}

#[cfg(test)]
mod tests {
    use super::super::input::Input;
    use super::super::source::Source;
    use super::*;

    fn item(category: Category) -> Item {
        let input = Input::text("raw").unwrap();
        let source = Source::processed(&input, None, "m", Timestamp::from_millis(1));
        let files = BTreeMap::from([(category.main_file().to_owned(), "text".to_owned())]);
        Item { category, files, source, source_file: None }
    }

    fn edit(category: Category, files: &[(&str, &str)]) -> Result<Edited, EditError> {
        let files: Vec<_> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        item(category).edit(&files, Timestamp::from_millis(2))
    }

    #[test]
    fn a_skill_that_breaks_rules_is_saved_and_its_author_told() {
        let edited = edit(Category::CompanyContext, &[("SKILL.md", "no frontmatter")]).unwrap();
        assert_eq!(edited.item.files["SKILL.md"], "no frontmatter");
        assert!(edited.item.source.has_direct_edits);
        assert_eq!(edited.item.source.last_direct_edit_at, Some(Timestamp::from_millis(2)));
        assert_eq!(edited.item.source.last_processed_at, Timestamp::from_millis(1));
        assert!(!edited.warnings.is_empty());
    }

    #[test]
    fn what_is_not_named_is_gone() {
        let with = edit(Category::DocumentStyle, &[("SKILL.md", "a"), ("references/x.md", "b")]).unwrap().item;
        let without = with.edit(&[("SKILL.md".into(), "c".into())], Timestamp::from_millis(3)).unwrap().item;
        assert_eq!(without.files, BTreeMap::from([("SKILL.md".to_owned(), "c".to_owned())]));
    }

    #[test]
    fn paths_stay_inside_and_sources_stay_as_they_are() {
        let code = |category, path: &str| {
            let files = [(category_main(category), "a"), (path, "b")];
            OpError::from(edit(category, &files).unwrap_err()).code()
        };
        for path in ["../situation/context.md", "/etc/passwd", "references/../../x", "a\\b", "", "C:x", "a/./b"] {
            assert_eq!(code(Category::CompanyContext, path), Code::SandboxViolation, "{path}");
        }
        for path in ["source.json", "SOURCE.json", "source_file/a.txt"] {
            assert_eq!(code(Category::CompanyContext, path), Code::NotPermitted, "{path}");
        }
        for path in ["skill.md", "SKILL.md/x", "SKILL.md"] {
            assert_eq!(code(Category::CompanyContext, path), Code::ValidationFailed, "{path}");
        }
        assert_eq!(code(Category::Situation, "references/a.md"), Code::ValidationFailed);
    }

    const fn category_main(category: Category) -> &'static str {
        category.main_file()
    }

    #[test]
    fn an_edit_has_bounds_and_keeps_the_main_file() {
        let told = |files: &[(&str, &str)]| edit(Category::CompanyContext, files).unwrap_err();
        assert_eq!(told(&[("references/a.md", "a")]), EditError::NoMainFile { path: "SKILL.md" });
        let long = "a".repeat(FILE_TEXT_MAX + 1);
        assert_eq!(told(&[("SKILL.md", &long)]), EditError::TooLong { path: "SKILL.md".into(), bytes: long.len() });
        assert!(edit(Category::CompanyContext, &[("SKILL.md", &long[1..])]).is_ok());
        let many: Vec<(String, String)> = (0..=FILES_MAX).map(|n| (format!("references/{n}.md"), "a".into())).collect();
        let error = item(Category::CompanyContext).edit(&many, Timestamp::from_millis(2)).unwrap_err();
        assert_eq!(error, EditError::TooMany { files: 65 });
        assert_eq!(OpError::from(error).code(), Code::LimitExceeded);
    }
}
