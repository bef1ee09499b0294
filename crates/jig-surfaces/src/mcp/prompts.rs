//! Prompts: the recipes of a workbench with their context, and the prompt packs of its agent workspace.

use std::collections::BTreeMap;

use jig_contract::ops::{EditDescribeOutput, RecipeAssembleOutput, RecipeInfo, RecipeListOutput};
use jig_contract::{Code, Given, OpError, WorkbenchId};
use jig_workbench::{CallContext, PackInfo, PackMessage, PackSpeaker, Workbench};
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
    Role,
};
use serde_json::{Map, Value, json};

use super::caller::Caller;
use super::cursor;
use super::resources::{get, workbenches};
use crate::nearest;

/// The number of prompts per page.
const PAGE: usize = 100;
const RECIPE: &str = "recipe-";
const PACK: &str = "pack-";
const STYLE: &str = "style-";
/// The formats with a style guide, and the programs that people know them by.
const STYLES: [(&str, &str); 3] =
    [("docx", "Word documents"), ("pptx", "PowerPoint presentations"), ("xlsx", "Excel workbooks")];

/// A page of prompts.
pub(super) async fn page(
    workbench: &Workbench,
    caller: &Caller,
    cursor: Option<&str>,
) -> Result<ListPromptsResult, OpError> {
    let from = cursor::offset(cursor)?;
    let all = all(workbench, caller).await?;
    let total = all.len();
    let mut result = ListPromptsResult::with_all_items(all.into_values().skip(from).take(PAGE).collect());
    result.next_cursor = (from + PAGE < total).then(|| cursor::after(from + PAGE));
    Ok(result)
}

/// All prompts by name. Without a default workbench, those of all workbenches are listed, and a call names the
/// workbench.
async fn all(workbench: &Workbench, caller: &Caller) -> Result<BTreeMap<String, Prompt>, OpError> {
    let (call, bound) = (&caller.context, caller.bound.as_deref());
    let mut prompts: BTreeMap<String, Prompt> = STYLES.iter().map(|style| of_style(style, bound)).collect();
    for info in workbenches(workbench, call, bound).await? {
        for recipe in recipes(workbench, call, info.id.as_str()).await? {
            let prompt = of_recipe(recipe, bound);
            prompts.entry(prompt.name.clone()).or_insert(prompt);
        }
        for pack in packs(workbench, call, &info.id).await? {
            let prompt = of_pack(pack, bound);
            prompts.entry(prompt.name.clone()).or_insert(prompt);
        }
    }
    Ok(prompts)
}

/// The names of all prompts as a version mark of the list.
pub(super) async fn mark(workbench: &Workbench, caller: &Caller) -> Option<String> {
    let all = all(workbench, caller).await.ok()?;
    Some(all.into_values().map(|prompt| serde_json::to_string(&prompt).unwrap_or_default()).collect())
}

async fn recipes(workbench: &Workbench, call: &CallContext, id: &str) -> Result<Vec<RecipeInfo>, OpError> {
    let list: RecipeListOutput = get(workbench, "RecipeList", call, json!({ "workbench_id": id })).await?;
    Ok(list.recipes)
}

/// The packs. An agent workspace with errors offers none, but recipes are still listed.
async fn packs(workbench: &Workbench, call: &CallContext, id: &WorkbenchId) -> Result<Vec<PackInfo>, OpError> {
    match workbench.prompt_packs(call, id).await {
        Err(error) if error.code() == Code::AgentWorkspaceInvalid => Ok(Vec::new()),
        packs => packs,
    }
}

fn of_recipe(recipe: RecipeInfo, bound: Option<&str>) -> Prompt {
    let definition = recipe.definition;
    let words = definition.description.unwrap_or_else(|| "A recipe with its context filled in".to_owned());
    let arguments = vec![
        argument("input", "What you add to it; `@` completes addresses of artifacts", false),
        argument("max_tokens", "At most this many tokens of context", false),
        workbench_argument(bound),
    ];
    let title = definition.display_name.unwrap_or_else(|| definition.recipe.clone());
    Prompt::new(format!("{RECIPE}{}", definition.recipe), Some(words), Some(arguments)).with_title(title)
}

fn of_pack(pack: PackInfo, bound: Option<&str>) -> Prompt {
    let words = pack.description.unwrap_or_else(|| "A prompt pack of the agent workspace, filled in".to_owned());
    let arguments =
        vec![argument("message", "The task; `@` completes addresses of artifacts", true), workbench_argument(bound)];
    Prompt::new(format!("{PACK}{}", pack.id), Some(words), Some(arguments)).with_title(format!("Pack {}", pack.id))
}

/// The style guide of a format, merged with the workbench's own document style.
fn of_style((format, words): &(&str, &str), bound: Option<&str>) -> (String, Prompt) {
    let name = format!("{STYLE}{format}");
    let about = format!("How good {words} look: a style guide to follow when you create or edit one");
    let arguments =
        vec![argument("workbench", bound.map_or("The workbench whose style applies", |_| "Another workbench"), false)];
    let prompt = Prompt::new(name.clone(), Some(about), Some(arguments)).with_title(format!("Style of {words}"));
    (name, prompt)
}

async fn from_style(
    workbench: &Workbench,
    call: &CallContext,
    id: Option<&str>,
    format: &str,
) -> Result<GetPromptResult, OpError> {
    let mut params = json!({ "format": format, "style_guide": true });
    if let Some(id) = id {
        params["workbench_id"] = id.into();
    }
    let found: EditDescribeOutput = get(workbench, "EditDescribe", call, params).await?;
    let text = found.style_guide.unwrap_or_default();
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description(format!("The style guide for {format} files")))
}

fn argument(name: &str, words: &str, required: bool) -> PromptArgument {
    PromptArgument::new(name).with_description(words).with_required(required)
}

fn workbench_argument(bound: Option<&str>) -> PromptArgument {
    match bound {
        Some(id) => argument("workbench", &format!("Another workbench than {id}"), false),
        None => argument("workbench", "The workbench", true),
    }
}

/// A rendered prompt.
pub(super) async fn filled(
    workbench: &Workbench,
    caller: &Caller,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, OpError> {
    let arguments = Arguments(request.arguments.unwrap_or_default());
    let id = arguments.text("workbench")?.map(str::to_owned).or_else(|| caller.bound.clone());
    if let Some((format, _)) = STYLES.iter().find(|(format, _)| request.name.strip_prefix(STYLE) == Some(format)) {
        arguments.only(&["workbench"])?;
        return from_style(workbench, &caller.context, id.as_deref(), format).await;
    }
    let id = id.ok_or_else(|| {
        OpError::new(Code::InvalidParams, "`workbench` is missing: no workbench is bound to this connection")
    })?;
    if let Some(recipe) = request.name.strip_prefix(RECIPE) {
        return from_recipe(workbench, &caller.context, &id, recipe, &arguments).await;
    }
    if let Some(pack) = request.name.strip_prefix(PACK) {
        return from_pack(workbench, &caller.context, &id, pack, &arguments).await;
    }
    let shown: String = request.name.chars().take(80).collect();
    let known = all(workbench, caller).await?;
    let near = nearest(&request.name, known.keys().map(String::as_str));
    Err(OpError::new(Code::InvalidParams, format!("there is no prompt `{shown}`")).suggest(near))
}

struct Arguments(Map<String, Value>);

impl Arguments {
    fn text(&self, name: &str) -> Result<Option<&str>, OpError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(OpError::new(Code::InvalidParams, format!("`{name}` must be a text"))),
        }
    }

    /// Refuses unknown arguments, because a misspelt one would be ignored silently.
    fn only(&self, known: &[&str]) -> Result<(), OpError> {
        let Some(name) = self.0.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let shown: String = name.chars().take(80).collect();
        Err(OpError::new(Code::InvalidParams, format!("this prompt has no argument `{shown}`"))
            .suggest(nearest(name, known.iter().copied())))
    }
}

async fn from_recipe(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    recipe: &str,
    arguments: &Arguments,
) -> Result<GetPromptResult, OpError> {
    arguments.only(&["input", "max_tokens", "workbench"])?;
    let max = arguments.text("max_tokens")?.map(|text| {
        let wrong = || OpError::new(Code::InvalidParams, "`max_tokens` must be a whole number");
        text.trim().parse::<u64>().map_err(|_| wrong())
    });
    let mut params = json!({ "workbench_id": id, "recipe": recipe });
    if let Some(input) = arguments.text("input")? {
        params["input"] = input.into();
    }
    if let Some(max) = max.transpose()? {
        params["max_tokens"] = max.into();
    }
    let made: RecipeAssembleOutput = get(workbench, "RecipeAssemble", call, params).await?;
    let report = serde_json::to_value(&made.report).unwrap_or_default();
    let missing: Vec<&str> =
        report["missing"].as_array().into_iter().flatten().filter_map(|entry| entry["role"].as_str()).collect();
    let words = match missing.as_slice() {
        [] => format!("The recipe {recipe} with its context"),
        missing => format!("The recipe {recipe}; there is nothing yet for: {}", missing.join(", ")),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, made.prompt)]).with_description(words))
}

async fn from_pack(
    workbench: &Workbench,
    call: &CallContext,
    id: &str,
    pack: &str,
    arguments: &Arguments,
) -> Result<GetPromptResult, OpError> {
    arguments.only(&["message", "workbench"])?;
    let message = arguments
        .text("message")?
        .ok_or_else(|| OpError::new(Code::InvalidParams, "`message` is missing: the task for this prompt"))?;
    let id: WorkbenchId = Given::from(id).check()?;
    let said = workbench.fill_pack(call, &id, pack, message).await?;
    let messages = said.into_iter().map(|message| match message {
        PackMessage::Text { speaker: PackSpeaker::User, text } => PromptMessage::new_text(Role::User, text),
        PackMessage::Text { speaker: PackSpeaker::Assistant, text } => PromptMessage::new_text(Role::Assistant, text),
        PackMessage::Image { media_type, base64 } => {
            PromptMessage::new(Role::User, ContentBlock::image(base64, media_type))
        }
    });
    Ok(GetPromptResult::new(messages.collect()).with_description(format!("The prompt pack {pack}")))
}
