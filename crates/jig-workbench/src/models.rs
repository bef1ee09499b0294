//! The available models, and resolving the model of a call.

mod ask;
mod config;
mod log;
mod question;
mod scripts;

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_contract::ops::ModelInfo;
use jig_contract::{Code, OpError};
use jig_providers::{
    Ability, BadModelId, Gate, Limits, Model, Player, Provider, Providers, Registry, RetryPolicy, Setup, Tokenizer,
};
use jig_store::Store;
use serde_json::Value;

pub(crate) use ask::{SendPermit, named, unfinished};
pub use config::{Keys, ModelConfig};
use log::EgressLog;
pub(crate) use question::{check_room, request};

use crate::state::nearest;

/// A scripted model that plays one small task without a key and network.
const DEMO: &str = "offline:demo";

/// The registry, the providers, and the gate that permits their calls.
pub(crate) struct Models {
    providers: Providers,
    gate: Gate,
    log: Arc<EgressLog>,
    default: Option<String>,
}

impl Models {
    pub(crate) fn new(config: &ModelConfig, store: &Store) -> Result<Self, OpError> {
        let registry = registry(config)?;
        let mut keys = BTreeMap::new();
        for info in registry.providers() {
            if let Some(key) = config.keys.find(&info.id, info.key_env.as_deref())? {
                keys.insert(info.id, key);
            }
        }
        let log = Arc::new(EgressLog::new(store.clone()));
        let (mut providers, gate) = Providers::new(Setup {
            registry,
            keys,
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            env: store.env().clone(),
            egress: log.clone(),
        })?;
        let demo = DEMO.parse().ok().and_then(|id| providers.registry().model(&id).ok());
        if let Some(model) = demo {
            providers = providers.plug(Arc::new(Player::new(model)));
        }
        if let Some(folder) = &config.scripts {
            for script in scripts::load(folder)? {
                providers = providers.plug(Arc::new(script));
            }
        }
        Ok(Self { providers, gate, log, default: config.default.clone() })
    }

    /// Finds a model by name, or returns an error with suggestions.
    pub(crate) fn find(&self, name: &str) -> Result<Model, OpError> {
        let shorter: String = name.chars().take(200).collect();
        let near = |error: OpError| error.suggest(self.near(&shorter)).hint("`jig model list` shows all models");
        let id = name.parse().map_err(|bad: BadModelId| near(OpError::new(Code::ValidationFailed, bad.to_string())))?;
        self.providers.registry().model(&id).map_err(|error| near(error.into()))
    }

    fn near(&self, name: &str) -> Vec<String> {
        nearest(name, self.providers.registry().models().map(|model| model.id.to_string()))
    }

    /// The host of a model's calls; `None` if nothing leaves the machine.
    pub(crate) fn host(&self, model: &Model) -> Result<Option<String>, OpError> {
        let provider = model.id.provider();
        let info = self.providers.registry().provider(provider);
        let sends_nothing = info.as_ref().is_some_and(|info| info.format == jig_providers::Format::None);
        match info.and_then(|info| info.host()) {
            None if sends_nothing => Ok(None),
            Some(host) => Ok(Some(host)),
            None => {
                Err(OpError::new(Code::SettingsInvalid, format!("the address of the provider `{provider}` is none"))
                    .hint(format!("`providers.{provider}.base_url` in the settings sets it")))
            }
        }
    }

    /// The default model of the settings.
    pub(crate) fn default_name(&self) -> Option<&str> {
        self.default.as_deref()
    }

    /// The error if no model is chosen: with a key, only the choice is missing; without one, both are.
    pub(crate) fn none_chosen(&self) -> OpError {
        let registry = self.providers.registry();
        let with_key = |model: &Model| {
            let provider = registry.provider(model.id.provider());
            provider.is_some_and(|info| info.key_env.is_some() && self.providers.is_configured(&info.id))
        };
        let ready: Vec<String> = registry.models().filter(with_key).take(3).map(|model| model.id.to_string()).collect();
        if ready.is_empty() {
            return jig_context::item::no_provider();
        }
        OpError::new(Code::ProviderNotConfigured, "No model is chosen.")
            .suggest(ready)
            .hint("`jig model set-default PROVIDER:MODEL` chooses one for this workbench, the setting `model` for all")
            .hint("or name one with `--model`; `offline:extract` works by rules and without a network")
    }

    /// All models by id, with what is missing to use them.
    pub(crate) fn list(&self) -> Vec<ModelInfo> {
        self.providers.registry().models().map(|model| self.info(&model)).collect()
    }

    fn info(&self, model: &Model) -> ModelInfo {
        let missing = self.missing(model);
        let mut price = BTreeMap::new();
        if let Some(known) = &model.price {
            price.insert("input".to_owned(), known.input);
            price.insert("output".to_owned(), known.output);
            price.extend(known.cached.map(|cached| ("cached".to_owned(), cached)));
        }
        ModelInfo {
            id: model.id.to_string(),
            window: model.window,
            max_output: Some(u64::from(model.max_output)),
            tokenizer: tokenizer(model).name,
            abilities: model.abilities.iter().map(|ability| ability_word(*ability).to_owned()).collect(),
            price,
            configured: missing.is_none(),
            missing,
        }
    }

    fn missing(&self, model: &Model) -> Option<String> {
        if model.id.as_str() == jig_context::item::offline::MODEL_ID {
            return None;
        }
        self.open(model).err().map(|error| error.to_string())
    }

    /// A model ready to be called, or an error. Checks the URL and the key without sending anything.
    pub(super) fn open(&self, model: &Model) -> Result<Arc<dyn Provider>, OpError> {
        Ok(self.providers.open(&model.id)?)
    }
}

/// Built-in models, then servers that only the settings define, then the user's file, then the URLs in the settings.
fn registry(config: &ModelConfig) -> Result<Registry, OpError> {
    let mut registry = Registry::built_in()?;
    let quoted = |text: &str| Value::from(text).to_string();
    for (provider, base_url) in &config.base_urls {
        if registry.provider(provider).is_none() {
            // All other servers are assumed to be OpenAI-compatible.
            let entry = format!(
                "[[provider]]\nid = {}\nbase_url = {}\nformat = \"compatible\"\nany_model = true\n",
                quoted(provider),
                quoted(base_url)
            );
            registry = registry.with(&entry, &setting(provider))?;
        }
    }
    if let Some((origin, text)) = &config.file {
        registry = registry.with(text, origin)?;
    }
    for (provider, base_url) in &config.base_urls {
        let entry = format!("[[provider]]\nid = {}\nbase_url = {}\n", quoted(provider), quoted(base_url));
        registry = registry.with(&entry, &setting(provider))?;
    }
    Ok(registry)
}

fn setting(provider: &str) -> String {
    format!("the setting `providers.{provider}.base_url`")
}

/// The tokenizer of a model.
pub(crate) fn tokenizer(model: &Model) -> jig_prompt::Tokenizer {
    jig_prompt::Tokenizer::estimate(match model.tokenizer {
        Tokenizer::O200k => "openai",
        Tokenizer::Claude => "anthropic",
        Tokenizer::Gemini => "google",
        Tokenizer::Mistral => "mistral",
        Tokenizer::Other => "",
    })
}

const fn ability_word(ability: Ability) -> &'static str {
    match ability {
        Ability::Tools => "tools",
        Ability::Structured => "structured_output",
        Ability::Images => "images",
        Ability::Streaming => "streaming",
        Ability::Cache => "cache",
        Ability::Temperature => "temperature",
        Ability::Reasoning => "reasoning",
    }
}
