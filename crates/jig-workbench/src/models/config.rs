//! What the binary says about models.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use jig_contract::OpError;
use jig_providers::Secret;

/// Which models can be called, and how.
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    /// The model that is used when neither a call nor the workbench names one, as `provider:model`.
    pub default: Option<String>,
    /// The user's own file of providers and models: where it is from, and its text.
    pub file: Option<(String, String)>,
    /// Addresses by the provider's id, in place of those that are known. An id that is not known is a server that
    /// speaks as OpenAI's does.
    pub base_urls: BTreeMap<String, String>,
    /// A folder of scripts: `name.json` in it is the model `scripted:name`.
    pub scripts: Option<PathBuf>,
    /// Where keys come from.
    pub keys: Keys,
}

type Find = dyn Fn(&str, Option<&str>) -> Result<Option<Secret>, OpError> + Send + Sync;

/// Where keys come from. Asked when a model is first needed, so that most calls read no key at all.
#[derive(Clone)]
pub struct Keys(Arc<Find>);

impl Keys {
    /// Keys that this finds, by the provider's id and the name of the variable that may hold its key.
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
