//! Builds the request of a step from the log, a state of the workbench and a snapshot. Deterministic for the three.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_context::agent::{Pack, Part, Role, Snapshot, Variables, render};
use jig_contract::ops::{AgentContext, EgressScope, PromptBill};
use jig_contract::{Code, OpError, Timestamp};
use jig_prompt::{Input, Instruction, Message, Model, Prompt, Tool, ToolCall, assemble};
use jig_providers::{
    Block, Cache, Image, Output, Part as TurnPart, Prepared, Request, Retries, Role as Speaker, Streaming,
    Tool as OfferedTool, ToolCall as SentCall, ToolResult, Turn,
};
use jig_session::{AnswerPart, Effect, Rules, Run, State, TranscriptTurn, transcript};
use jig_store::Head;
use serde_json::{Value, json};

use crate::models::tokenizer;
use crate::state::View;
use crate::{CallContext, Workbench};

const CHAT_HISTORY: &str = "chatHistory";

/// A request, ready to be sent.
pub(crate) struct Built {
    pub(crate) model: jig_providers::Model,
    pub(crate) prepared: Prepared,
    pub(crate) bill: PromptBill,
    /// Its sources by name; empty for a task, which records them itself.
    pub(crate) contents: EgressScope,
    /// The tools that are offered.
    pub(crate) tools: Vec<Tool>,
    /// The prompt; `None` for a task.
    pub(crate) prompt: Option<Prompt>,
}

impl Built {
    /// Warnings for people: notices of the prompt, and its size.
    pub(crate) fn notices(&self) -> Vec<(Option<Code>, String)> {
        let Some(prompt) = &self.prompt else { return Vec::new() };
        let told = prompt.notices.iter().map(|notice| (notice.code, notice.message.clone()));
        let sizes = prompt.bill.warnings.iter().map(|warning| (None, warning.clone()));
        told.chain(sizes).collect()
    }
}

/// The inputs of a request besides the log.
pub(crate) struct Moment<'a> {
    /// The workbench, with its state and name at the time.
    pub(crate) head: &'a Head,
    /// The start of the step.
    pub(crate) at: Timestamp,
}

impl Workbench {
    /// Builds the request of a step.
    pub(crate) async fn build_request(
        &self,
        context: &CallContext,
        state: &State,
        effect: &Effect,
        moment: &Moment<'_>,
    ) -> Result<Built, OpError> {
        let Effect::CallModel { model, snapshot, pack, catalog, tools, .. } = effect else { return Err(none()) };
        let (Some(run), Some(talk)) = (&state.core.run, transcript(state)) else { return Err(none()) };
        let model = self.models()?.find(model)?;
        if let Some(task) = &run.config.task {
            return self.task_request(model, task).await;
        }
        let snapshot = self.snapshot(snapshot).await?;
        let pack = pack.as_ref().and_then(|id| snapshot.packs.get(id));
        let mut input =
            Input::new(Model { id: model.id.to_string(), window: model.window, tokenizer: tokenizer(&model) });
        input.files = self.manifest(context, moment.head, talk.message).await?;
        self.add_items(moment.head, talk.message, &mut input).await?;
        self.add_entries(moment.head.state, talk.message, &mut input).await?;
        let plans = self.add_plans(moment.head, moment.at, talk.message, &mut input).await?;
        // The id in the log: an imported session may belong to a workbench with another id here.
        let project = state.core.about.as_ref().map(|about| about.workbench.to_string()).unwrap_or_default();
        let mut variables = variables(run, talk.message, &input, moment)
            .set("systemState.draft", View::of(self.store(), moment.head).draft().await?.is_some());
        if let Some(view) = &plans {
            variables = planned(variables, view);
        }
        // Only computed if a template uses it, because the history can be long.
        if pack.is_some_and(|pack| says(pack, CHAT_HISTORY)) {
            variables = variables.set(CHAT_HISTORY, said(&talk.turns));
        }
        let variables = variables.set("project.id", project);
        let told = pack.map(|pack| told(pack, &variables)).transpose()?.unwrap_or_default();
        input.instructions = told.instructions;
        input.tools = offered(&snapshot, catalog.as_deref(), tools);
        let task = told.task.unwrap_or_else(|| talk.message.to_owned());
        let names = if run.config.rules >= Rules::Checked { ToolNames::Plain } else { ToolNames::AsSent };
        let (messages, own) = messages(told.examples, &talk.turns, &task, names);
        let task_at = own.iter().position(|own| matches!(own, Own::Task)).unwrap_or(0);
        input.messages = messages;
        let prompt = assemble(&input, self.prompts().counter())
            .map_err(|error| OpError::from(error).workbench(&moment.head.id))?;
        let skipped = input.messages.len().saturating_sub(prompt.messages.len());
        let mut request = request(&prompt, pack, own.get(skipped..).unwrap_or_default());
        if let Some(pack) = pack.filter(|_| task_at >= skipped) {
            self.add_images(pack, &mut request).await?;
        }
        let prepared = self.prepared(&model, &request)?;
        let contents = self.contents(moment.head, &prompt).await?;
        Ok(Built { model, prepared, bill: (&prompt.bill).into(), contents, tools: input.tools, prompt: Some(prompt) })
    }

    /// Images are inserted before the first user text.
    async fn add_images(&self, pack: &Pack, request: &mut Request) -> Result<(), OpError> {
        let mut images = Vec::new();
        for part in &pack.parts {
            if let Part::Image { media_type, hash, .. } = part {
                let bytes = self.workspace_bytes(hash).await?;
                let (media_type, base64) = (media_type.clone(), STANDARD.encode(bytes));
                images.push(TurnPart::Image(Image { media_type, base64 }));
            }
        }
        if let Some(turn) =
            request.turns.iter_mut().find(|turn| turn.role == Speaker::User).filter(|_| !images.is_empty())
        {
            images.append(&mut turn.parts);
            turn.parts = images;
        }
        Ok(())
    }
}

fn none() -> OpError {
    OpError::new(Code::Internal, "the session has no such step")
}

/// The values of template variables.
fn variables(run: &Run, message: &str, input: &Input, moment: &Moment<'_>) -> Variables {
    let day: String = moment.at.to_string().chars().take(10).collect();
    let total = run.plan.as_ref().map_or(0, |plan| plan.items.len());
    let manifest: Vec<Value> = match &input.files {
        jig_prompt::Manifest::Complete(files) => {
            files.iter().map(|file| json!({ "path": file.path, "kind": file.file_type, "size": file.size })).collect()
        }
        jig_prompt::Manifest::Failed { .. } => Vec::new(),
    };
    let mut variables = Variables::default()
        .set("userMessage", message)
        .set("researchQuery", message)
        .set("mode", json!(run.mode))
        .set("phase", run.phase.map(jig_session::Phase::as_str).unwrap_or_default())
        .set("today", day)
        .set("research", run.research.as_deref().unwrap_or_default())
        .set("plan", run.plan.as_ref().map(|plan| plan.render()).unwrap_or_default())
        .set("failure", run.failure.clone().unwrap_or_default())
        .set("manifest", manifest)
        .set("project.name", moment.head.name.clone())
        .set("systemState.model", run.config.model.clone())
        .set("systemState.time", moment.at.to_string());
    if let Some((number, attempt)) = run.item {
        let label = run.plan.as_ref().and_then(|plan| plan.item(number)).map(|item| item.label.clone());
        variables = variables
            .set("item.number", number)
            .set("item.total", total)
            .set("item.attempt", attempt)
            .set("item.label", label.unwrap_or_default());
    }
    variables
}

/// Whether a template uses a variable.
fn says(pack: &Pack, variable: &str) -> bool {
    pack.parts.iter().any(|part| matches!(part, Part::Template { text, .. } if text.contains(variable)))
}

/// The conversation before this message.
fn said(turns: &[TranscriptTurn<'_>]) -> Vec<Value> {
    let one = |said: &TranscriptTurn<'_>| match said {
        TranscriptTurn::Person(text) => Some(json!({ "role": "user", "content": text })),
        TranscriptTurn::Reply(text) => Some(json!({ "role": "assistant", "content": text })),
        _ => None,
    };
    turns.iter().filter_map(one).collect()
}

/// Template variables for artifacts. The time of the last change is not part of a state, so the newest timestamp in the
/// context is used.
fn planned(variables: Variables, view: &AgentContext) -> Variables {
    let shown = std::iter::once(&view.current_artifact).chain(&view.related_artifacts);
    let changed = shown.map(|artifact| artifact.updated_at).max();
    let target = view.system_state.targets.iter().find(|target| target.artifact == view.current_artifact.slug);
    variables
        .set("project", json!(view.project))
        .set("project.updated_at", json!(changed))
        .set("currentArtifact", json!(view.current_artifact))
        .set("relatedArtifacts", json!(view.related_artifacts))
        .set("targetSection", target.and_then(|target| target.section.clone()).unwrap_or_default())
}

/// The parts of a rendered pack.
#[derive(Default)]
struct Told {
    instructions: Vec<Instruction>,
    examples: Vec<Message>,
    task: Option<String>,
}

fn told(pack: &Pack, variables: &Variables) -> Result<Told, OpError> {
    let mut told = Told::default();
    let mut task: Vec<String> = Vec::new();
    let say = |told: &mut Told, role, name: &str, text: String| match role {
        Role::System => told.instructions.push(Instruction { name: name.to_owned(), text }),
        Role::User => told.examples.push(Message::User { text }),
        Role::Assistant => told.examples.push(Message::Assistant { text, calls: Vec::new() }),
    };
    for part in &pack.parts {
        match part {
            Part::Template { path, role, text } => {
                let text = render(text, variables).map_err(|why| {
                    OpError::new(Code::AgentWorkspaceInvalid, format!("the template {path} cannot be filled in: {why}"))
                })?;
                match role {
                    Role::User => task.push(text.trim().to_owned()),
                    role => say(&mut told, *role, path, text),
                }
            }
            Part::Messages { path, messages } => {
                for message in messages {
                    say(&mut told, message.role, path, message.content.clone());
                }
            }
            Part::Text { path, text } => say(&mut told, Role::System, path, text.clone()),
            Part::Image { .. } => {}
        }
    }
    // If the templates render to blank text, the message is used as it is.
    told.task = Some(task.join("\n\n")).filter(|task| !task.trim().is_empty());
    Ok(told)
}

fn offered(snapshot: &Snapshot, catalog: Option<&str>, names: &[String]) -> Vec<Tool> {
    let catalog = catalog.and_then(|id| snapshot.catalogs.get(id));
    let tools = catalog.into_iter().flat_map(|catalog| &catalog.tools).filter(|tool| names.contains(&tool.name));
    tools
        .map(|tool| Tool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
        })
        .collect()
}

/// Data of a message that prompts do not model.
enum Own {
    Nothing,
    Task,
    /// Provider-specific blocks, and the signature of each call.
    Answer(Vec<Value>, Vec<Option<String>>),
    /// The tool name, and whether the call failed.
    Result(String, bool),
}

/// How tool names in earlier calls are sent back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolNames {
    /// As the model wrote them, as in requests of old logs.
    AsSent,
    /// In a form that every provider accepts: an invented name may be empty, long or contain any character.
    Plain,
}

impl ToolNames {
    fn of(self, name: &str) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if self == Self::AsSent || (!name.is_empty() && name.len() <= TOOL_NAME_MAX && name.chars().all(fits)) {
            return name.to_owned();
        }
        let plain: String = name.chars().take(TOOL_NAME_MAX).map(|c| if fits(c) { c } else { '_' }).collect();
        if plain.is_empty() { "unnamed".to_owned() } else { plain }
    }
}

/// The maximum length of a tool name that every provider accepts.
const TOOL_NAME_MAX: usize = 64;

fn messages(
    examples: Vec<Message>,
    turns: &[TranscriptTurn<'_>],
    task: &str,
    names: ToolNames,
) -> (Vec<Message>, Vec<Own>) {
    let mut all: Vec<(Message, Own)> = examples.into_iter().map(|message| (message, Own::Nothing)).collect();
    for said in turns {
        all.push(match said {
            TranscriptTurn::LeftOut => {
                let text = "[what was said earlier in this conversation is left out here]".to_owned();
                (Message::User { text }, Own::Nothing)
            }
            TranscriptTurn::Person(text) => (Message::User { text: (*text).to_owned() }, Own::Nothing),
            TranscriptTurn::Reply(text) => {
                (Message::Assistant { text: (*text).to_owned(), calls: Vec::new() }, Own::Nothing)
            }
            TranscriptTurn::Task => (Message::User { text: task.to_owned() }, Own::Task),
            TranscriptTurn::Note(text) => (Message::User { text: (*text).to_owned() }, Own::Nothing),
            TranscriptTurn::Model(answer) => {
                let own = answer.parts.iter().filter_map(|part| match part {
                    AnswerPart::Own { value } => Some(value.clone()),
                    _ => None,
                });
                let signatures = answer.calls().map(|call| call.signature.clone()).collect();
                let call = |call: &jig_session::ToolCall| ToolCall {
                    id: call.id.clone(),
                    name: names.of(&call.name),
                    input: call.input.clone(),
                };
                let calls = answer.calls().map(call).collect();
                (Message::Assistant { text: answer.text(), calls }, Own::Answer(own.collect(), signatures))
            }
            TranscriptTurn::Tool { call, name, outcome } => {
                let message = Message::ToolResult { call: (*call).to_owned(), text: outcome.text.clone() };
                (message, Own::Result(names.of(name), outcome.failed.is_some()))
            }
        });
    }
    all.into_iter().unzip()
}

fn request(prompt: &Prompt, pack: Option<&Pack>, own: &[Own]) -> Request {
    let options = pack.map(|pack| pack.options.clone()).unwrap_or_default();
    let format = pack.and_then(|pack| pack.response_format.clone());
    let tool = |tool: &jig_prompt::PromptTool| OfferedTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.input_schema.clone(),
        cache: Cache::None,
    };
    Request {
        purpose: "workshop".to_owned(),
        system: blocks(prompt),
        turns: turns(prompt, own),
        tools: prompt.tools.iter().map(tool).collect(),
        output: format.map(|format| Output { name: format.name, schema: format.schema }),
        max_tokens: options.max_tokens,
        temperature: options.temperature,
        streaming: if options.streaming == Some(false) { Streaming::Off } else { Streaming::On },
        retries: Retries::Allowed,
        timeout: options.timeout_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
    }
}

/// The sections of a prompt, joined up to each cache breakpoint.
fn blocks(prompt: &Prompt) -> Vec<Block> {
    let mut blocks = vec![Block::new("")];
    for section in &prompt.sections {
        if let Some(block) = blocks.last_mut() {
            block.text.push_str(&section.text);
            if section.cache_breakpoint {
                block.cache = Cache::Breakpoint;
                blocks.push(Block::new(""));
            }
        }
    }
    blocks.retain(|block| !block.text.is_empty());
    blocks
}

/// Consecutive tool results form one turn, as providers expect.
fn turns(prompt: &Prompt, own: &[Own]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (message, own) in prompt.messages.iter().zip(own) {
        let cache = if message.cache_breakpoint { Cache::Breakpoint } else { Cache::None };
        let (role, parts) = match (&message.message, own) {
            (Message::User { text }, _) => (Speaker::User, vec![TurnPart::Text { text: text.clone() }]),
            (Message::Assistant { text, calls }, own) => (Speaker::Assistant, spoken(text, calls, own)),
            (Message::ToolResult { call, text }, own) => {
                let (name, failed) = match own {
                    Own::Result(name, failed) => (name.clone(), *failed),
                    _ => (String::new(), false),
                };
                let result = ToolResult { id: call.clone(), name, content: text.clone(), failed };
                (Speaker::User, vec![TurnPart::ToolResult(result)])
            }
        };
        match turns.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.parts.extend(parts);
                last.cache = cache;
            }
            None => turns.push(Turn { role, parts, cache }),
        }
    }
    turns
}

fn spoken(text: &str, calls: &[ToolCall], own: &Own) -> Vec<TurnPart> {
    let (blocks, signatures) = match own {
        Own::Answer(blocks, signatures) => (blocks.as_slice(), signatures.as_slice()),
        _ => (&[] as &[Value], &[] as &[Option<String>]),
    };
    let mut parts: Vec<TurnPart> =
        blocks.iter().filter_map(|block| serde_json::from_value(block.clone()).ok()).map(TurnPart::Reasoning).collect();
    if !text.is_empty() {
        parts.push(TurnPart::Text { text: text.to_owned() });
    }
    for (at, call) in calls.iter().enumerate() {
        let signature = signatures.get(at).cloned().flatten();
        let sent = SentCall::new(call.id.clone(), call.name.clone(), call.input.clone());
        parts.push(TurnPart::ToolCall(SentCall { signature, ..sent }));
    }
    parts
}
