//! Converts a request of the context state machines into a model call.

use std::time::Duration;

use jig_context::item::process::{Request as Question, Role};
use jig_contract::{Code, OpError};
use jig_files::count_tokens;
use jig_prompt::escape::{Names, escape, escape_value};
use jig_providers::{Block, Cache, Model, Output, Part, Request, Retries, Streaming, Turn};

use super::tokenizer;

/// The model call for a request, without tools and without automatic retries.
pub(crate) fn request(question: &Question, purpose: &str) -> Request {
    let data = |text: &str| escape(text, Names::None).into_owned();
    let turn = |message: &jig_context::item::process::Message| Turn {
        role: match message.role {
            Role::User => jig_providers::Role::User,
            Role::Assistant => jig_providers::Role::Assistant,
        },
        parts: vec![Part::Text { text: data(&message.text) }],
        cache: Cache::None,
    };
    Request {
        purpose: purpose.to_owned(),
        system: vec![Block::new(system(question))],
        turns: question.messages.iter().map(turn).collect(),
        tools: Vec::new(),
        // Without a schema, the answer is free text.
        output: (!question.schema.is_null())
            .then(|| Output { name: question.schema_name.to_string(), schema: escape_value(&question.schema) }),
        max_tokens: None,
        temperature: None,
        streaming: Streaming::On,
        retries: Retries::Off,
        timeout: Some(Duration::from_secs(question.timeout_seconds)),
    }
}

/// The instructions, which explain the escape codes in the material if there are any.
fn system(question: &Question) -> String {
    // The parts of a request are separated by boundary lines or XML of its own, which must not be escaped.
    let escaped = escape(&question.system, Names::None);
    let coded = question.messages.iter().any(|message| escape(&message.text, Names::None) != message.text);
    if coded { format!("{escaped}\n{CODES}\n") } else { escaped.into_owned() }
}

const CODES: &str = "In the material, a character that could be taken for a control token, or that cannot be seen, is written \
                     as a code such as ⟦<⟧ or ⟦U+202E⟧. Where you quote it, write the character or copy its code.";

/// A text with more bytes per token of the window than this is too long without counting.
const BYTES_PER_TOKEN: u64 = 16;

/// Refuses a request that cannot fit, before anyone is asked for consent.
pub(crate) fn check_room(model: &Model, question: &Question) -> Result<(), OpError> {
    let texts = || question.messages.iter().map(|message| message.text.as_str()).chain([question.system.as_str()]);
    let bytes: u64 = texts().map(|text| text.len() as u64).sum();
    let surely_too_long = bytes / BYTES_PER_TOKEN > model.window;
    let needed = if surely_too_long {
        bytes / BYTES_PER_TOKEN
    } else {
        tokenizer(model).of(texts().map(|text| count_tokens(text) as u64).sum())
    };
    if needed < model.window {
        return Ok(());
    }
    let words = format!("the input has about {needed} tokens; {} takes {}", model.id, model.window);
    let mut error = OpError::new(Code::ContextTooLarge, words)
        .hint("give a shorter text or file, or choose a model with a larger window (`jig model list`)");
    error.info.model_id = Some(model.id.to_string());
    Err(error)
}
