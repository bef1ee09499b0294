//! Help for edits: the fields of ops, and style guides.

use jig_context::item::Category;
use jig_context::style::{self, Format};
use jig_contract::ops::*;
use jig_contract::{Code, OpError};

use crate::items::Depth;
use crate::{CallContext, Handle, Workbench};

/// The file of a skill with its text.
const GUIDE: &str = "SKILL.md";

impl Handle<EditDescribe> for Workbench {
    async fn handle(&self, _: &CallContext, params: EditDescribeParams) -> Result<EditDescribeOutput, OpError> {
        if params.style_guide {
            return Ok(EditDescribeOutput { ops: Vec::new(), style_guide: Some(self.style_guide(&params).await?) });
        }
        let mut ops = params.format.ops();
        match &params.op {
            Some(name) => {
                let near = params.format.nearest_ops(name);
                ops.retain(|op| op.op == name.trim());
                if ops.is_empty() {
                    return Err(OpError::new(Code::ValidationFailed, format!("unknown op `{name}`")).suggest(near));
                }
            }
            // One line for each: the fields would be many pages.
            None => ops.iter_mut().for_each(|op| op.fields.clear()),
        }
        Ok(EditDescribeOutput { ops, style_guide: None })
    }
}

impl Workbench {
    /// The style guide of a format, merged with the workbench's own document style.
    async fn style_guide(&self, params: &EditDescribeParams) -> Result<String, OpError> {
        let format = match params.format {
            EditFormat::Xlsx => Format::Xlsx,
            EditFormat::Docx => Format::Docx,
            EditFormat::Pptx => Format::Pptx,
            EditFormat::Text => {
                return Err(OpError::new(Code::ValidationFailed, "text files have no style guide")
                    .hint("there are guides for xlsx, docx and pptx"));
            }
        };
        let own = match &params.workbench_id {
            Some(id) => {
                let session = self.enter(&id.check()?).await?;
                let files = self.item_files(session.head.state, Category::DocumentStyle, Depth::Texts).await?;
                jig_context::item::Item::read(Category::DocumentStyle, &files).ok().flatten().map(|item| item.files)
            }
            None => None,
        };
        let skills = style::for_call(&[format], own.as_ref()).skills;
        let guides = skills.into_iter().filter_map(|mut skill| skill.files.remove(GUIDE));
        Ok(guides.collect::<Vec<_>>().join("\n\n"))
    }
}
