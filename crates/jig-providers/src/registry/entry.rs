//! The registry file: entries with optional fields, and overriding one by another.

use serde::Deserialize;

use super::{Ability, Format, ModelId, Price, Tokenizer};

/// A registry file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) provider: Vec<ProviderEntry>,
    #[serde(default)]
    pub(super) model: Vec<ModelEntry>,
}

/// A provider in a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProviderEntry {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) format: Option<Format>,
    pub(super) base_url: Option<String>,
    pub(super) key_env: Option<String>,
    pub(super) proxy: Option<String>,
    pub(super) any_model: Option<bool>,
}

impl ProviderEntry {
    pub(super) fn over(self, below: &Self) -> Self {
        let below = below.clone();
        Self {
            id: self.id,
            name: self.name.or(below.name),
            format: self.format.or(below.format),
            base_url: self.base_url.or(below.base_url),
            key_env: self.key_env.or(below.key_env),
            proxy: self.proxy.or(below.proxy),
            any_model: self.any_model.or(below.any_model),
        }
    }
}

/// A model in a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelEntry {
    pub(super) id: ModelId,
    pub(super) name: Option<String>,
    pub(super) format: Option<Format>,
    pub(super) window: Option<u64>,
    pub(super) max_output: Option<u32>,
    pub(super) tokenizer: Option<Tokenizer>,
    pub(super) price: Option<Price>,
    pub(super) abilities: Option<Vec<Ability>>,
}

impl ModelEntry {
    pub(super) fn over(self, below: &Self) -> Self {
        let below = below.clone();
        Self {
            id: self.id,
            name: self.name.or(below.name),
            format: self.format.or(below.format),
            window: self.window.or(below.window),
            max_output: self.max_output.or(below.max_output),
            tokenizer: self.tokenizer.or(below.tokenizer),
            price: self.price.or(below.price),
            abilities: self.abilities.or(below.abilities),
        }
    }
}
