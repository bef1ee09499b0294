//! Agent Skills of a workbench: its context items, and the style skills merged with its own style.

use std::collections::BTreeMap;

use jig_context::item::{Category, Item, skill_folder};
use jig_context::skill;
use jig_context::style::{self, Format};
use jig_contract::{OpError, WorkbenchId, find};
use serde_json::{Map, Value};

use crate::items::Depth;
use crate::{CallContext, Workbench};

/// A skill and its files.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillFiles {
    /// The name of the skill and of its folder.
    pub name: String,
    /// Whether it is an unmodified built-in skill, which is the same in every workbench.
    pub bundled: bool,
    /// The frontmatter of its `SKILL.md`, verbatim.
    pub frontmatter: Map<String, Value>,
    /// Its files, by path in the folder.
    pub files: BTreeMap<String, String>,
}

impl Workbench {
    /// The skills of a workbench: context items first, then a style per format. An item that cannot be read or is not a
    /// valid skill is left out; the list of context items has the reason.
    pub async fn skills(&self, context: &CallContext, id: &WorkbenchId) -> Result<Vec<SkillFiles>, OpError> {
        find("ContextList").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
        let session = self.enter(id).await?;
        let mut skills = Vec::new();
        let mut document_style = None;
        for category in Category::ALL {
            let files = self.item_files(session.head.state, category, Depth::Texts).await?;
            let Ok(Some(item)) = Item::read(category, &files) else { continue };
            if category == Category::DocumentStyle {
                document_style = Some(item.files.clone());
            }
            let Ok(folder) = skill_folder::export(&item) else { continue };
            skills.extend(skill_of(folder.name, folder.files, false));
        }
        drop(session);
        let styles = style::for_call(&Format::ALL, document_style.as_ref());
        // The rules for every format are already in the list, as the item itself.
        skills.extend(styles.skills.into_iter().filter_map(|skill| {
            let bundled = skill.name == skill.format?.skill_name();
            skill_of(skill.name, skill.files, bundled)
        }));
        Ok(skills)
    }

    /// The built-in skills, which need no workbench.
    pub fn bundled_skills() -> Vec<SkillFiles> {
        let skill = |format: Format| style::bundled(format);
        Format::ALL.into_iter().map(skill).filter_map(|skill| skill_of(skill.name, skill.files, true)).collect()
    }
}

fn skill_of(name: String, files: BTreeMap<String, String>, bundled: bool) -> Option<SkillFiles> {
    let frontmatter = skill::frontmatter(skill::skill_file(&files)?).ok()?;
    let named = frontmatter.get("name").and_then(Value::as_str) == Some(name.as_str());
    named.then_some(SkillFiles { name, bundled, frontmatter, files })
}
