//! The registry of providers and models, from built-in data and the user's file.

mod entry;
mod id;
mod price;

use std::collections::BTreeMap;

use jig_contract::Code;
use serde::{Deserialize, Serialize};

use crate::error::ProviderError;
use entry::{File, ModelEntry, ProviderEntry};
pub use id::{BadModelId, ModelId};
pub use price::{LongPrice, Price};

/// The built-in registry.
const BUILT_IN: &str = include_str!("models.toml");

/// The assumed context window of a model that is not described.
const UNKNOWN_WINDOW: u64 = 8_192;

/// All providers and models.
#[derive(Debug, Clone)]
pub struct Registry {
    providers: BTreeMap<String, ProviderEntry>,
    models: BTreeMap<ModelId, ModelEntry>,
}

/// How a provider is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderInfo {
    /// Its id, the part of a model's name before the colon.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its wire format.
    pub format: Format,
    /// Its base URL; empty if it needs no network.
    pub base_url: String,
    /// The environment variable with its key; `None` if it needs no key.
    pub key_env: Option<String>,
    /// The proxy to use. Only proxies named here are used.
    pub proxy: Option<String>,
    /// Whether it accepts models that are not in the registry.
    pub any_model: bool,
}

impl ProviderInfo {
    /// The host of its calls, with a nonstandard port; `None` if nothing is sent.
    pub fn host(&self) -> Option<String> {
        if self.format == Format::None {
            return None;
        }
        let url = reqwest::Url::parse(&self.base_url).ok()?;
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }
}

/// A model and its abilities.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Model {
    /// `provider:model`.
    pub id: ModelId,
    /// Its display name.
    pub name: String,
    /// Its wire format.
    pub format: Format,
    /// The context window: prompt and answer together.
    pub window: u64,
    /// The maximum length of an answer, in tokens.
    pub max_output: u32,
    /// Its tokenizer.
    pub tokenizer: Tokenizer,
    /// Its price; `None` if unknown.
    pub price: Option<Price>,
    /// Its abilities.
    pub abilities: Vec<Ability>,
}

impl Model {
    /// Whether it has this ability.
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// OpenAI's chat completions.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI's responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
    /// Mistral's chat completions.
    Mistral,
    /// Chat completions as implemented by compatible servers.
    Compatible,
    /// None: the model runs on this machine.
    None,
}

impl Format {
    /// The name in the registry file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mistral => "mistral",
            Self::Compatible => "compatible",
            Self::None => "none",
        }
    }
}

/// The tokenizer family of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// OpenAI's, counted exactly.
    O200k,
    /// Anthropic's, estimated.
    Claude,
    /// Google's, estimated.
    Gemini,
    /// Mistral's, estimated.
    Mistral,
    /// Unknown, estimated.
    Other,
}

/// An ability of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Tool calls.
    Tools,
    /// Structured output by JSON schema.
    Structured,
    /// Image input.
    Images,
    /// Streaming.
    Streaming,
    /// Prompt caching by the provider.
    Cache,
    /// A temperature parameter.
    Temperature,
    /// Reasoning, which the provider expects back.
    Reasoning,
}

impl Registry {
    /// The built-in registry.
    pub fn built_in() -> Result<Self, ProviderError> {
        let empty = Self { providers: BTreeMap::new(), models: BTreeMap::new() };
        empty.with(BUILT_IN, "the built-in list of models")
    }

    /// Adds a user's file: its fields override existing ones, and its new entries are added.
    pub fn with(mut self, text: &str, origin: &str) -> Result<Self, ProviderError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            invalid(format!("{origin}, line {line}: {}", error.message()))
        })?;
        for entry in file.provider {
            let entry = self.providers.get(&entry.id).map_or_else(|| entry.clone(), |below| entry.clone().over(below));
            info(&entry).ok_or_else(|| invalid(format!("{origin}: the provider `{}` needs a format", entry.id)))?;
            self.providers.insert(entry.id.clone(), entry);
        }
        for entry in file.model {
            let entry = self.models.get(&entry.id).map_or_else(|| entry.clone(), |below| entry.clone().over(below));
            if !self.providers.contains_key(entry.id.provider()) {
                return Err(invalid(format!("{origin}: the model `{}` has an unknown provider", entry.id)));
            }
            self.models.insert(entry.id.clone(), entry);
        }
        Ok(self)
    }

    /// The provider with this id.
    pub fn provider(&self, id: &str) -> Option<ProviderInfo> {
        info(self.providers.get(id)?)
    }

    /// All providers, by id.
    pub fn providers(&self) -> impl Iterator<Item = ProviderInfo> {
        self.providers.values().filter_map(info)
    }

    /// All models that are named, by id.
    pub fn models(&self) -> impl Iterator<Item = Model> {
        self.models.values().filter_map(|entry| Some(model(entry, &self.provider(entry.id.provider())?)))
    }

    /// A model, or an error with suggestions.
    pub fn model(&self, id: &ModelId) -> Result<Model, ProviderError> {
        let Some(provider) = self.provider(id.provider()) else {
            let known: Vec<_> = self.providers.keys().map(String::as_str).collect();
            let message = format!("unknown provider `{}`", id.provider());
            return Err(missing(id, message).hint(format!("known providers: {}", known.join(", "))));
        };
        match self.models.get(id) {
            Some(entry) => Ok(model(entry, &provider)),
            None if provider.any_model => Ok(model(&unknown(id), &provider)),
            None => {
                let known = self.models.keys().filter(|known| known.provider() == id.provider());
                let known: Vec<_> = known.map(ModelId::as_str).collect();
                Err(missing(id, format!("{} has no known model `{}`", provider.name, id.model()))
                    .hint(format!("known models: {}", known.join(", ")))
                    .hint("add new models to your `models.toml`"))
            }
        }
    }
}

fn info(entry: &ProviderEntry) -> Option<ProviderInfo> {
    Some(ProviderInfo {
        id: entry.id.clone(),
        name: entry.name.clone().unwrap_or_else(|| entry.id.clone()),
        format: entry.format?,
        base_url: entry.base_url.clone().unwrap_or_default(),
        key_env: entry.key_env.clone(),
        proxy: entry.proxy.clone(),
        any_model: entry.any_model.unwrap_or(false),
    })
}

fn model(entry: &ModelEntry, provider: &ProviderInfo) -> Model {
    let window = entry.window.unwrap_or(UNKNOWN_WINDOW);
    let half = u32::try_from(window / 2).unwrap_or(u32::MAX);
    Model {
        id: entry.id.clone(),
        name: entry.name.clone().unwrap_or_else(|| entry.id.model().to_owned()),
        format: entry.format.unwrap_or(provider.format),
        window,
        max_output: entry.max_output.unwrap_or(half),
        tokenizer: entry.tokenizer.unwrap_or(Tokenizer::Other),
        price: entry.price,
        abilities: entry.abilities.clone().unwrap_or_default(),
    }
}

fn unknown(id: &ModelId) -> ModelEntry {
    let abilities = vec![Ability::Tools, Ability::Streaming, Ability::Temperature];
    ModelEntry {
        id: id.clone(),
        name: None,
        format: None,
        window: None,
        max_output: None,
        tokenizer: None,
        price: None,
        abilities: Some(abilities),
    }
}

fn missing(id: &ModelId, message: String) -> ProviderError {
    ProviderError::new(Code::ProviderNotConfigured, message).model(id)
}

fn invalid(message: String) -> ProviderError {
    ProviderError::new(Code::SettingsInvalid, message)
}

#[cfg(test)]
mod tests;
