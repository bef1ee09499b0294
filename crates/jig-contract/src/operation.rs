//! Each operation is defined once: its name, effect, parameters and output here, and its handler in the workbench.

use jig_file_api::Strictness;
use jig_file_api::ops::ParamShape;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::code::Code;
use crate::error::OpError;

/// What an operation does to a workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes the Draft only.
    Draft,
    /// Changes approved content or the workbench itself; can be undone.
    Write,
    /// Removes something that only the history can restore.
    Destructive,
}

/// Which interfaces offer an operation. The web app uses what HTTP offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surfaces {
    /// The command line.
    pub cli: bool,
    /// JSON-RPC over standard input and output.
    pub rpc: bool,
    /// HTTP.
    pub http: bool,
    /// The MCP tool that offers it, if agents need one.
    pub tool: Option<&'static str>,
    /// The value of that tool's `action`, if the tool offers several operations.
    pub action: Option<&'static str>,
}

impl Surfaces {
    /// For people and programs, not for agents.
    pub const PEOPLE: Self = Self { cli: true, rpc: true, http: true, tool: None, action: None };
    /// Refers to files of the host: only for interfaces that run on the same machine.
    pub const HOST: Self = Self { http: false, ..Self::PEOPLE };

    /// All interfaces, with an MCP tool of its own.
    pub const fn all(tool: &'static str) -> Self {
        Self { tool: Some(tool), ..Self::PEOPLE }
    }

    /// All interfaces, as an action of an MCP tool. A model pays for the list of tools in every conversation, and a tool
    /// with five actions costs little more than one with a single action.
    pub const fn action(tool: &'static str, action: &'static str) -> Self {
        Self { tool: Some(tool), action: Some(action), ..Self::PEOPLE }
    }
}

/// One operation. The doc comment of its `Params` is the summary in every interface.
pub trait Operation: Send + Sync + 'static {
    /// The wire name: `FileList`.
    const NAME: &'static str;
    /// What the operation does to a workbench.
    const EFFECT: Effect;
    /// The interfaces that offer it.
    const SURFACES: Surfaces;
    /// Example parameters, as JSON.
    const EXAMPLE: &'static str;
    /// The parameters.
    type Params: DeserializeOwned + Serialize + JsonSchema + clap::Args + Send + 'static;
    /// The output.
    type Output: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
}

/// An operation as a value, so that an interface can iterate over all of them without knowing any.
#[derive(Clone, Copy)]
pub struct OpSpec {
    /// The wire name.
    pub name: &'static str,
    /// What the operation does to a workbench.
    pub effect: Effect,
    /// The interfaces that offer it.
    pub surfaces: Surfaces,
    /// Example parameters, as JSON.
    pub example: &'static str,
    /// The schema of its parameters.
    pub params_schema: fn() -> Schema,
    /// The schema of its output.
    pub output_schema: fn() -> Schema,
    /// Adds its arguments to a command.
    pub cli_args: fn(clap::Command) -> clap::Command,
    /// Reads its parameters from parsed arguments.
    pub cli_params: fn(&clap::ArgMatches) -> Result<Value, clap::Error>,
}

impl OpSpec {
    /// The description of an operation.
    pub const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            effect: O::EFFECT,
            surfaces: O::SURFACES,
            example: O::EXAMPLE,
            params_schema: schema::<O::Params>,
            output_schema: schema::<O::Output>,
            cli_args: <O::Params as clap::Args>::augment_args,
            cli_params: cli_params::<O>,
        }
    }

    /// The doc comment of its parameters.
    pub fn summary(&self) -> String {
        let schema = (self.params_schema)();
        schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The command's noun and verb: `FileGetInfo` → `file`, `get-info`.
    pub fn noun_and_verb(&self) -> (String, String) {
        let mut words: Vec<String> = Vec::new();
        for c in self.name.chars() {
            if c.is_ascii_uppercase() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(c.to_ascii_lowercase());
            }
        }
        let noun = if words.is_empty() { String::new() } else { words.remove(0) };
        (noun, words.join("-"))
    }
}

fn schema<T: JsonSchema>() -> Schema {
    schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

fn cli_params<O: Operation>(matches: &clap::ArgMatches) -> Result<Value, clap::Error> {
    let params = <O::Params as clap::FromArgMatches>::from_arg_matches(matches)?;
    serde_json::to_value(params).map_err(|e| clap::Error::raw(clap::error::ErrorKind::ValueValidation, e.to_string()))
}

/// Parses an operation's parameters from JSON; the error says what is wrong and shows an example.
pub fn params_from_json<O: Operation>(value: Value) -> Result<O::Params, OpError> {
    // `null` and a missing field both mean "not set", as clients commonly send.
    let value = if value.is_null() { Value::Object(serde_json::Map::new()) } else { value };
    let wrong = |place: &str, why: &dyn std::fmt::Display| {
        let place = if matches!(place, "." | "") { String::new() } else { format!("`{place}`: ") };
        OpError::new(Code::InvalidParams, format!("invalid parameters for {}: {place}{why}", O::NAME))
            .hint(format!("for example: {}", O::EXAMPLE))
    };
    // Deserialised by reference, so that the value is still available for coercion, which most calls do not need.
    let first = match serde_path_to_error::deserialize::<_, O::Params>(&value) {
        Ok(params) => return Ok(params),
        Err(error) => error.path().to_string(),
    };
    // Lossless type differences (`"true"`, `"12"`, `12.0`) are accepted. Anything else is an error here, before
    // anything is written.
    match ParamShape::of::<O::Params>().normalize(value, Strictness::Keep) {
        Ok((value, _)) => serde_path_to_error::deserialize(&value).map_err(|e| wrong(&e.path().to_string(), e.inner())),
        Err(issue) => Err(wrong(if issue.at().is_empty() { &first } else { issue.at() }, &issue.why())),
    }
}
