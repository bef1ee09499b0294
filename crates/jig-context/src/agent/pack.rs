//! Prompt packs: an agent's instructions, in ordered parts.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalog::own_id;
use super::object::{Object, is_id};
use super::problem::Problem;
use super::reader::{FILE_BYTES_MAX, Reader};
use super::{schema, template};

const PARTS_MAX: usize = 100;
const TEXT_MAX: u64 = 1 << 20;
const JSON_MAX: u64 = 256 << 10;
const MESSAGE_MAX: usize = 64 << 10;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// The person who sends the task.
    User,
    /// The model, in an example.
    Assistant,
}

impl Role {
    const WORDS: [&'static str; 3] = ["system", "user", "assistant"];

    fn read(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            _ => Self::System,
        }
    }
}

/// A fixed message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its role.
    pub role: Role,
    /// Its text.
    pub content: String,
}

/// A part of a pack, validated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// A Markdown template.
    Template {
        /// Its file.
        path: String,
        /// Its role. Parts with the role `user` word the task; without any, the message is used as it is.
        role: Role,
        /// Its text, with placeholders.
        text: String,
    },
    /// Fixed messages without placeholders.
    Messages {
        /// Their file.
        path: String,
        /// The messages.
        messages: Vec<Message>,
    },
    /// A text from `context/docs` or `context/snippets`.
    Text {
        /// Its file.
        path: String,
        /// Its text.
        text: String,
    },
    /// An image from `context/images`.
    Image {
        /// Its file.
        path: String,
        /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
        media_type: String,
        /// The hash of its bytes.
        hash: BlobHash,
    },
}

/// The required format of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResponseFormat {
    /// A name for it.
    pub name: String,
    /// Its JSON Schema.
    pub schema: Value,
}

/// Options of the model call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelOptions {
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The maximum length of the answer, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Whether the answer is streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// The timeout of a call, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
}

/// A prompt pack, validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pack {
    /// The id that the index gives it.
    pub id: String,
    /// Its purpose, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its parts, in their order.
    pub parts: Vec<Part>,
    /// The required format of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<ResponseFormat>,
    /// Options of the model call.
    #[serde(default)]
    pub options: ModelOptions,
}

/// A part as the pack file names it, before its file is read.
enum Named {
    Template { role: Role, path: String },
    Messages { path: String },
    Context { path: String },
    Group { group: String },
}

/// Reads a pack that the index names.
pub(super) fn read(
    reader: &mut Reader<'_>,
    id: &str,
    path: &str,
    groups: &BTreeMap<String, Vec<String>>,
    from: (&str, &str),
) -> Option<Pack> {
    let value = reader.json(path, from, JSON_MAX)?;
    let mut problems = Vec::new();
    let mut named = Vec::new();
    let (mut description, mut format, mut options) = (None, None, None);
    if let Some(mut object) = Object::of(value, path, "", &mut problems) {
        own_id(&mut object, id);
        description = object.text("description", 8_192);
        for (at, value) in object.list("parts", PARTS_MAX).into_iter().flatten().enumerate() {
            let pointer = format!("/parts/{at}");
            if let Some(part) = named_part(value, path, &pointer, object.problems()) {
                named.push((pointer, part));
            }
        }
        format = object.text("response_format", 1_024);
        options = object.text("options", 1_024);
        object.end();
    }
    reader.problems.append(&mut problems);
    let mut parts = Vec::new();
    for (pointer, part) in named {
        parts.extend(load(reader, part, groups, (path, &pointer)));
    }
    let response_format = format.and_then(|file| response_format(reader, &file, (path, "/response_format")));
    let options = options.and_then(|file| model_options(reader, &file, (path, "/options"))).unwrap_or_default();
    Some(Pack { id: id.to_owned(), description, parts, response_format, options })
}

fn named_part(value: Value, file: &str, pointer: &str, problems: &mut Vec<Problem>) -> Option<Named> {
    let mut object = Object::of(value, file, pointer, problems)?;
    let part = match object.word("type", &["template", "messages", "context", "context_group"])? {
        "template" => {
            let role = object.word("role", &Role::WORDS).map(Role::read);
            let path = object.needed("path", 1_024);
            role.zip(path).map(|(role, path)| Named::Template { role, path })
        }
        "messages" => object.needed("path", 1_024).map(|path| Named::Messages { path }),
        "context" => object.needed("path", 1_024).map(|path| Named::Context { path }),
        _ => object.needed("group", 200).map(|group| Named::Group { group }),
    };
    object.end();
    part
}

fn load(reader: &mut Reader<'_>, part: Named, groups: &BTreeMap<String, Vec<String>>, from: (&str, &str)) -> Vec<Part> {
    let (file, pointer) = from;
    let at = format!("{pointer}/path");
    match part {
        Named::Template { role, path } => {
            let Some(text) = reader.text(&path, (file, &at), TEXT_MAX) else { return Vec::new() };
            for (place, message) in template::problems(&text) {
                reader.complain(&path, &place, message);
            }
            vec![Part::Template { path, role, text }]
        }
        Named::Messages { path } => messages(reader, path, (file, &at)).into_iter().collect(),
        Named::Context { path } => context(reader, path, (file, &at)).into_iter().collect(),
        Named::Group { group } => {
            let Some(paths) = groups.get(&group) else {
                let words = format!("the index has no context group `{}`", crate::document::shown(&group));
                reader.complain(file, &format!("{pointer}/group"), words);
                return Vec::new();
            };
            let at = format!("/context/{}", super::object::escaped(&group));
            paths.iter().filter_map(|path| context(reader, path.clone(), (super::INDEX, &at))).collect()
        }
    }
}

fn context(reader: &mut Reader<'_>, path: String, from: (&str, &str)) -> Option<Part> {
    if path.starts_with("context/docs/") || path.starts_with("context/snippets/") {
        let text = reader.text(&path, from, TEXT_MAX)?;
        return Some(Part::Text { path, text });
    }
    if path.starts_with("context/images/") {
        let bytes = reader.bytes(&path, from, FILE_BYTES_MAX)?;
        let Some(media_type) = picture(bytes) else {
            reader.complain(&path, "", "not a PNG, JPEG, WebP or GIF image");
            return None;
        };
        let hash = *reader.used.get(&path)?;
        return Some(Part::Image { path, media_type: media_type.to_owned(), hash });
    }
    let (file, pointer) = from;
    reader.complain(file, pointer, "static context lies in context/docs, context/images or context/snippets");
    None
}

/// The media type of an image, detected from its first bytes.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn messages(reader: &mut Reader<'_>, path: String, from: (&str, &str)) -> Option<Part> {
    let value = reader.json(&path, from, JSON_MAX)?;
    let Value::Array(values) = value else {
        reader.complain(&path, "", "it must be a list of messages");
        return None;
    };
    if values.is_empty() || values.len() > PARTS_MAX {
        reader.complain(&path, "", format!("it must have 1 to {PARTS_MAX} messages"));
        return None;
    }
    let (mut problems, mut messages) = (Vec::new(), Vec::new());
    for (at, value) in values.into_iter().enumerate() {
        let Some(mut object) = Object::of(value, &path, &format!("/{at}"), &mut problems) else { continue };
        let role = object.word("role", &Role::WORDS).map(Role::read);
        let content = object.needed("content", MESSAGE_MAX);
        object.end();
        messages.extend(role.zip(content).map(|(role, content)| Message { role, content }));
    }
    reader.problems.append(&mut problems);
    Some(Part::Messages { path, messages })
}

fn response_format(reader: &mut Reader<'_>, path: &str, from: (&str, &str)) -> Option<ResponseFormat> {
    let value = reader.json(path, from, JSON_MAX)?;
    let mut problems = Vec::new();
    let format = Object::of(value, path, "", &mut problems).and_then(|mut object| {
        let name = object.needed("name", 64);
        if name.as_ref().is_some_and(|name| !is_id(name)) {
            object.complain("name", format!("a name is {}", super::object::ID_RULE));
        }
        let schema = object.take("schema");
        match &schema {
            None => object.complain("schema", "it is missing"),
            Some(schema) => {
                for (pointer, message) in schema::as_schema(schema) {
                    object.problems().push(Problem::new(path, format!("/schema{pointer}"), message));
                }
            }
        }
        object.end();
        Some(ResponseFormat { name: name?, schema: schema? })
    });
    reader.problems.append(&mut problems);
    format
}

fn model_options(reader: &mut Reader<'_>, path: &str, from: (&str, &str)) -> Option<ModelOptions> {
    let value = reader.json(path, from, JSON_MAX)?;
    let mut problems = Vec::new();
    let options = Object::of(value, path, "", &mut problems).map(|mut object| {
        let mut number = |name, most: f64| {
            let value = object.take(name)?;
            let number = value.as_f64().filter(|number| (0.0..=most).contains(number));
            if number.is_none() {
                object.complain(name, format!("it must be a number from 0 to {most}"));
            }
            number
        };
        let temperature = number("temperature", 2.0);
        let whole = |number: Option<f64>| number.filter(|number| *number >= 1.0).map(|number| number as u32);
        let max_tokens = whole(number("max_tokens", 1_000_000.0));
        let timeout_seconds = whole(number("timeout_seconds", 86_400.0));
        let streaming = match object.take("streaming") {
            None => None,
            Some(Value::Bool(streaming)) => Some(streaming),
            Some(_) => {
                object.complain("streaming", "it must be true or false");
                None
            }
        };
        object.end();
        ModelOptions { temperature, max_tokens, streaming, timeout_seconds }
    });
    reader.problems.append(&mut problems);
    options
}
