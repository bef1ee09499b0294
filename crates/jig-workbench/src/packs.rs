//! The prompt packs of a workbench's agent workspace, for interfaces that offer prompts to other programs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_context::agent::{Pack, Part, Reference, Role, Snapshot, Variables, WorkspaceName, render};
use jig_contract::{Code, OpError, WorkbenchId, find};
use jig_session::Policy;
use jig_store::Head;

use crate::sessions::shown_problems;
use crate::{CallContext, Workbench};

/// The name and purpose of a prompt pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackInfo {
    /// Its id.
    pub id: String,
    /// Its purpose.
    pub description: Option<String>,
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackSpeaker {
    /// The user, whose role is also used for instructions.
    User,
    /// The model, in an example.
    Assistant,
}

/// A message of a rendered pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackMessage {
    /// Text.
    Text {
        /// The role.
        speaker: PackSpeaker,
        /// The content.
        text: String,
    },
    /// An image, with the role of the user.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The bytes, base64-encoded.
        base64: String,
    },
}

impl Workbench {
    /// The packs of the workspace that a new session would use: the workbench's own, else the built-in one.
    pub async fn prompt_packs(&self, context: &CallContext, id: &WorkbenchId) -> Result<Vec<PackInfo>, OpError> {
        let (_, snapshot) = self.pack_snapshot(context, id).await?;
        let pack = |pack: Pack| PackInfo { id: pack.id, description: pack.description };
        Ok(snapshot.packs.into_values().map(pack).collect())
    }

    /// Renders a pack: instructions as the first message, then examples, images and the task.
    pub async fn fill_pack(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        pack: &str,
        message: &str,
    ) -> Result<Vec<PackMessage>, OpError> {
        let (head, snapshot) = self.pack_snapshot(context, id).await?;
        let Some(pack) = snapshot.packs.get(pack) else {
            let near = crate::state::nearest(pack, snapshot.packs.keys().cloned());
            let words = format!("there is no prompt pack `{pack}` in this workbench's agent workspace");
            return Err(OpError::new(Code::AgentWorkspaceNotFound, words).suggest(near));
        };
        let now = self.env().now().to_string();
        let variables = Variables::default()
            .set("userMessage", message)
            .set("researchQuery", message)
            .set("mode", "direct")
            .set("phase", "direct")
            .set("today", now.chars().take(10).collect::<String>())
            .set("project.id", head.id.to_string())
            .set("project.name", head.name.clone())
            .set("systemState.time", now);
        let mut images = Vec::new();
        for part in &pack.parts {
            if let Part::Image { media_type, hash, .. } = part {
                let base64 = STANDARD.encode(self.workspace_bytes(hash).await?);
                images.push(PackMessage::Image { media_type: media_type.clone(), base64 });
            }
        }
        said(pack, &variables, message, images)
    }

    async fn pack_snapshot(&self, context: &CallContext, id: &WorkbenchId) -> Result<(Head, Snapshot), OpError> {
        find("AgentWorkspaceResolve").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
        let head = self.enter_lightly(id).await?.head;
        let of = |name| Reference { name, version: None, path: None };
        let resolved = match self.resolve_workspace(&head, &of(WorkspaceName::Own)).await {
            Err(error) if error.code() == Code::AgentWorkspaceNotFound => {
                self.resolve_workspace(&head, &of(WorkspaceName::Shipped)).await?
            }
            found => found?,
        };
        match self.compile_workspace(&resolved, &Policy::default()).await? {
            Ok(snapshot) => Ok((head, snapshot)),
            Err(problems) => {
                let first = shown_problems(problems).into_iter().next();
                let words = first.map(|problem| format!("{}: {}", problem.file, problem.message)).unwrap_or_default();
                Err(OpError::new(Code::AgentWorkspaceInvalid, format!("the agent workspace has problems: {words}"))
                    .hint("`jig agent workspace-resolve own` lists them all"))
            }
        }
    }
}

/// MCP prompts have two roles only, so system instructions become a user message at the start.
fn said(
    pack: &Pack,
    variables: &Variables,
    message: &str,
    images: Vec<PackMessage>,
) -> Result<Vec<PackMessage>, OpError> {
    let (mut instructions, mut examples, mut task) = (Vec::new(), Vec::new(), Vec::new());
    let mut say = |role: Role, text: String| match role {
        Role::System => instructions.push(text),
        Role::User => examples.push(PackMessage::Text { speaker: PackSpeaker::User, text }),
        Role::Assistant => examples.push(PackMessage::Text { speaker: PackSpeaker::Assistant, text }),
    };
    for part in &pack.parts {
        match part {
            Part::Template { path, role, text } => {
                let text = render(text, variables).map_err(|why| {
                    OpError::new(Code::AgentWorkspaceInvalid, format!("the template {path} cannot be filled in: {why}"))
                })?;
                match role {
                    Role::User => task.push(text.trim().to_owned()),
                    role => say(*role, text.trim().to_owned()),
                }
            }
            Part::Messages { messages, .. } => {
                messages.iter().for_each(|message| say(message.role, message.content.clone()));
            }
            Part::Text { text, .. } => say(Role::System, text.trim().to_owned()),
            Part::Image { .. } => {}
        }
    }
    let task = Some(task.join("\n\n")).filter(|task| !task.trim().is_empty()).unwrap_or_else(|| message.to_owned());
    let user = |text: String| PackMessage::Text { speaker: PackSpeaker::User, text };
    let first = Some(instructions.join("\n\n")).filter(|text| !text.is_empty()).map(user);
    let task = Some(task).filter(|task| !task.is_empty()).map(user);
    Ok(first.into_iter().chain(examples).chain(images).chain(task).collect())
}
