//! Tool descriptors and catalogs: the tools as a model sees them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{ID_RULE, Object, is_id};
use super::problem::Problem;
use super::reader::Reader;
use super::schema;

/// The maximum length of a tool name.
pub const TOOL_NAME_MAX: usize = 64;
const TOOLS_MAX: usize = 256;
const DESCRIPTION_MAX: usize = 8_192;
const FILE_MAX: u64 = 256 << 10;

/// A tool as a model sees it, without its implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {
    /// 1 to 64 letters, digits, `_` or `-`.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A named list of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// The id that the index gives it.
    pub id: String,
    /// Its purpose, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tools, in order. Names are unique.
    pub tools: Vec<Descriptor>,
}

impl Catalog {
    /// The tool with this name; names are unique within a catalog.
    pub fn tool(&self, name: &str) -> Option<&Descriptor> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Reads a catalog that the index names.
pub(super) fn read(reader: &mut Reader<'_>, id: &str, path: &str, from: (&str, &str)) -> Option<Catalog> {
    let value = reader.json(path, from, FILE_MAX)?;
    let mut problems = Vec::new();
    let mut named = Vec::new();
    let mut description = None;
    if let Some(mut object) = Object::of(value, path, "", &mut problems) {
        own_id(&mut object, id);
        description = object.text("description", DESCRIPTION_MAX);
        for (at, value) in object.list("tools", TOOLS_MAX).into_iter().flatten().enumerate() {
            let pointer = format!("/tools/{at}");
            match value {
                Value::String(path) => named.push((pointer, path)),
                _ => object.problems().push(Problem::new(path, pointer, "it must be the path of a descriptor")),
            }
        }
        object.end();
    }
    reader.problems.append(&mut problems);
    let mut tools: Vec<Descriptor> = Vec::new();
    for (pointer, file) in named {
        let Some(tool) = descriptor(reader, &file, (path, &pointer), Form::Strict) else { continue };
        if tools.iter().any(|other| other.name == tool.name) {
            reader.complain(path, &pointer, format!("there is a tool `{}` in this catalog already", tool.name));
            continue;
        }
        tools.push(tool);
    }
    Some(Catalog { id: id.to_owned(), description, tools })
}

/// A file that states its own id must agree with the index.
pub(super) fn own_id(object: &mut Object<'_>, id: &str) {
    if let Some(own) = object.needed("id", 200)
        && own != id
    {
        object.complain("id", format!("the index calls it `{id}`"));
    }
}

/// The accepted form of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name`, `description`, `input_schema`.
    Strict,
    /// Also accepts `parameters` for `input_schema`, as older files have it.
    Legacy,
}

/// Reads a descriptor.
pub(super) fn descriptor(reader: &mut Reader<'_>, path: &str, from: (&str, &str), form: Form) -> Option<Descriptor> {
    let value = reader.json(path, from, FILE_MAX)?;
    let mut problems = Vec::new();
    let tool = parse(value, path, form, &mut problems);
    reader.problems.append(&mut problems);
    tool
}

fn parse(value: Value, path: &str, form: Form, problems: &mut Vec<Problem>) -> Option<Descriptor> {
    let mut object = Object::of(value, path, "", problems)?;
    let name = object.needed("name", 1_000);
    if let Some(name) = name.as_ref().filter(|name| !is_id(name)) {
        object.complain("name", format!("`{}` is not a valid tool name: use {ID_RULE}", crate::document::shown(name)));
    }
    let description = object.needed("description", DESCRIPTION_MAX);
    let mut member = "input_schema";
    let mut schema = object.take(member);
    if schema.is_none() && form == Form::Legacy {
        member = "parameters";
        schema = object.take(member);
    }
    match &schema {
        None => object.complain("input_schema", "it is missing"),
        Some(schema) => {
            let at = object.at(member);
            for (pointer, message) in schema::problems(schema) {
                object.problems().push(Problem::new(path, format!("{at}{pointer}"), message));
            }
        }
    }
    object.end();
    let name = name.filter(|name| is_id(name));
    Some(Descriptor { name: name?, description: description?, input_schema: schema? })
}
