//! The conversation of a workbench.

use jig_contract::ops::*;
use jig_contract::{Actor, Code, Event, EventRecord, OpError};
use jig_store::{MessageQuery, MessagesFrom, NewMessage, Reader};

use crate::entries::{bad_cursor, page_limit};
use crate::{CallContext, Handle, Workbench};

/// The maximum size of a message, in bytes.
const TEXT_BYTES_MAX: usize = 256 << 10;

impl Handle<ConversationList> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ConversationListParams,
    ) -> Result<ConversationListOutput, OpError> {
        let limit = page_limit(params.limit)?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let cursor = params.cursor.as_deref().map(|text| text.parse::<u64>().map_err(|_| bad_cursor())).transpose()?;
        let forward = params.after.is_some();
        let from = match params.after {
            Some(after) => MessagesFrom::After(cursor.unwrap_or(after)),
            None => MessagesFrom::Before(cursor),
        };
        // Messages about a deleted artifact can still be listed.
        let artifact = match &params.artifact {
            Some(slug) => match self.known_slug(&session.id, session.head.state, slug).await {
                Ok(slug) => Some(slug),
                Err(error) => {
                    let told = self.told_of(&session.id, slug, reader(&context.actor)).await?;
                    Some(if told { slug.clone() } else { return Err(error) })
                }
            },
            None => None,
        };
        let query = MessageQuery {
            reader: reader(&context.actor),
            artifact,
            include_undone: params.include_undone,
            from,
            limit,
        };
        let (messages, has_more, last_seq) = self.store().messages(&session.id, &query).await?;
        let next = if forward { messages.last() } else { messages.first() };
        let cursor = next.map(|message| message.seq.to_string()).filter(|_| has_more);
        Ok(ConversationListOutput { messages, last_seq, cursor, has_more })
    }
}

impl Handle<ConversationAdd> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ConversationAddParams,
    ) -> Result<ConversationAddOutput, OpError> {
        check_text(&params.text)?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let artifact = match &params.artifact {
            Some(slug) => Some(self.known_slug(&session.id, session.head.state, slug).await?),
            None => None,
        };
        let role = match &context.actor {
            Actor::Agent { .. } => MessageRole::Assistant,
            Actor::Person { .. } | Actor::Outside => MessageRole::User,
            Actor::System => MessageRole::System,
        };
        let mut new = NewMessage::new(context.actor.clone(), role, artifact, params.text);
        new.private_to = match (params.private, &context.actor) {
            (false, _) => None,
            (true, Actor::Person { name }) => Some(name.clone().unwrap_or_default()),
            (true, _) => {
                return Err(OpError::new(Code::NotPermitted, "only people keep private notes")
                    .hint("leave `private` out: what an agent says, everybody sees"));
            }
        };
        let message = self.store().add_message(&session.id, &new).await?;
        if !message.private {
            let event = Event::ConversationAdded { message_seq: message.seq, artifact: message.artifact.clone() };
            let (workbench_id, seq, at) = (session.id.clone(), session.head.seq, message.at);
            self.sender().send(EventRecord { workbench_id, seq, at, event });
        }
        Ok(ConversationAddOutput { message })
    }
}

impl Workbench {
    /// Whether there are messages about an artifact.
    async fn told_of(&self, id: &jig_contract::WorkbenchId, slug: &str, reader: Reader) -> Result<bool, OpError> {
        let query = MessageQuery {
            reader,
            artifact: Some(slug.to_owned()),
            include_undone: true,
            from: MessagesFrom::Before(None),
            limit: 1,
        };
        Ok(!self.store().messages(id, &query).await?.0.is_empty())
    }
}

/// The reader: people see their own private notes, and no one else's.
fn reader(actor: &Actor) -> Reader {
    match actor {
        Actor::Person { name } => Reader::Person(name.clone().unwrap_or_default()),
        Actor::Agent { .. } | Actor::System | Actor::Outside => Reader::Nobody,
    }
}

fn check_text(text: &str) -> Result<(), OpError> {
    if text.trim().is_empty() {
        return Err(OpError::new(Code::ValidationFailed, "the message says nothing"));
    }
    if text.len() > TEXT_BYTES_MAX {
        let words = format!("the message has {} bytes; at most {TEXT_BYTES_MAX} are kept", text.len());
        return Err(OpError::new(Code::LimitExceeded, words).hint("put long texts into an artifact or a file"));
    }
    Ok(())
}
