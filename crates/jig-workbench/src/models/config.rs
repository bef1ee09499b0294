//! The model configuration, provided by the binary.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use jig_contract::OpError;
use jig_providers::Secret;

/// The available models and how to call them.
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    /// The model used when neither the call nor the workbench names one, as `provider:model`.
    pub default: Option<String>,
    /// The user's file of providers and models: its path and content.
    pub file: Option<(String, String)>,
    /// URLs by provider id, which override the built-in ones. An unknown id defines an OpenAI-compatible server.
    pub base_urls: BTreeMap<String, String>,
    /// A folder of scripts: `name.json` defines the model `scripted:name`.
    pub scripts: Option<PathBuf>,
    /// The source of keys.
    pub keys: Keys,
}

type Find = dyn Fn(&str, Option<&str>) -> Result<Option<Secret>, OpError> + Send + Sync;

/// The source of keys. Queried when a model is first needed, so that most calls read no keys at all.
#[derive(Clone)]
pub struct Keys(Arc<Find>);

impl Keys {
    /// Creates a source from a lookup by provider id and the name of the variable that may contain the key.
    pub fn new(find: impl Fn(&str, Option<&str>) -> Result<Option<Secret>, OpError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    pub(crate) fn find(&self, provider: &str, variable: Option<&str>) -> Result<Option<Secret>, OpError> {
        (self.0)(provider, variable)
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self::new(|_, _| Ok(None))
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(***)")
    }
}
