//! The conversation of a workbench: messages from people and agents, and what was done.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MessageRole {
    /// A person.
    User,
    /// An agent.
    Assistant,
    /// Jig.
    System,
    /// The result of an operation.
    Tool,
}

impl MessageRole {
    /// Its name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// One message. Messages are never changed; a later message can revert earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// Its number in the workbench's conversation, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// Its sender.
    pub role: MessageRole,
    /// The artifact that it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The text.
    pub text: String,
    /// Whether only its author sees it; agents never do.
    pub private: bool,
    /// The operation that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The number of that change in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_seq: Option<u64>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The run in that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Whether a later message reverted it.
    pub undone: bool,
    /// This message reverts all messages between that number and itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_after: Option<u64>,
}

/// Show the conversation of a workbench, newest messages last
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ConversationListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only messages about this artifact
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// Only messages after this number, the oldest first
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Also show reverted messages
    #[arg(long)]
    #[serde(default)]
    pub include_undone: bool,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page: to older messages, or to newer ones with `after`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Messages, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationListOutput {
    /// The messages.
    pub messages: Vec<Message>,
    /// The number of the newest message of the workbench.
    pub last_seq: u64,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(ConversationList, Read, Surfaces::all("conversation_list"), ConversationListParams => ConversationListOutput,
    r#"{"workbench_id":"board-deck","artifact":"concept"}"#);

/// Add a message or a private note to the conversation of a workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ConversationAddParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The text
    pub text: String,
    /// The artifact that it refers to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// Only you see it; agents never do
    #[arg(long)]
    #[serde(default)]
    pub private: bool,
}
/// The message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationAddOutput {
    /// The message.
    pub message: Message,
}
operation!(ConversationAdd, Write, Surfaces::all("conversation_add"), ConversationAddParams => ConversationAddOutput,
    r#"{"workbench_id":"board-deck","text":"Let us narrow the scope.","artifact":"scope"}"#);
