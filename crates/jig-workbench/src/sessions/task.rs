//! Runs with a fixed question, such as recipe runs. The request is the stored question, and nothing of the workbench is
//! added.

use jig_context::item::process::{Request as Question, Role};
use jig_contract::ops::{BillLine, EgressScope, PromptBill};
use jig_contract::{BlobHash, Code, OpError};
use jig_prompt::Counter as _;
use jig_providers::Model;
use jig_session::Task;

use super::request::Built;
use crate::Workbench;
use crate::models::{request, tokenizer};

impl Workbench {
    /// Stores a question for the run that will send it.
    pub(crate) async fn keep_question(&self, question: &Question) -> Result<BlobHash, OpError> {
        let bytes = serde_json::to_vec(question)
            .map_err(|e| OpError::new(Code::Internal, "a question cannot be written").because(e))?;
        Ok(self.store().blobs().put(bytes).await?)
    }

    /// The request of a task.
    pub(super) async fn task_request(&self, model: Model, task: &Task) -> Result<Built, OpError> {
        let bytes = self.store().blobs().get(&task.question).await?;
        let question: Question = serde_json::from_slice(&bytes).map_err(|e| {
            OpError::new(Code::BlobCorrupt, format!("the question {} cannot be read", task.question)).because(e)
        })?;
        let prepared = self.prepared(&model, &request(&question, &task.purpose))?;
        let bill = self.task_bill(&model, &question);
        Ok(Built { model, prepared, bill, contents: EgressScope::default(), tools: Vec::new(), prompt: None })
    }

    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    fn task_bill(&self, model: &Model, question: &Question) -> PromptBill {
        let tokenizer = tokenizer(model);
        let line = |section: &str, kind: &str, source: &str, text: &str| BillLine {
            section: section.to_owned(),
            kind: kind.to_owned(),
            source: source.to_owned(),
            tokens: tokenizer.of(self.prompts().counter().count(text)),
        };
        let mut lines = vec![line("system", "instruction", "task", &question.system)];
        lines.extend(question.messages.iter().map(|message| {
            let source = if message.role == Role::User { "user" } else { "assistant" };
            line("messages", "message", source, &message.text)
        }));
        let total: u64 = lines.iter().map(|line| line.tokens).sum();
        PromptBill {
            model_id: model.id.to_string(),
            tokenizer: tokenizer.name.clone(),
            estimated: tokenizer.estimated(),
            lines,
            total,
            window: model.window,
            share: total as f64 / model.window.max(1) as f64,
            context_tokens: 0,
            context_share: 0.0,
            // A question that does not fit is refused before the run starts.
            level: "fine".to_owned(),
            warnings: Vec::new(),
        }
    }
}
