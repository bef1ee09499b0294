//! The set of providers of a program, and the only way to call a model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jig_contract::{Code, Env};
use tokio_util::sync::CancellationToken;

use crate::egress::Egress;
use crate::endpoint::Endpoint;
use crate::error::ProviderError;
use crate::http::{self, Limits, Way};
use crate::http_provider::{HttpProvider, Line};
use crate::permit::{Gate, Permit, Seal};
use crate::provider::{Completion, Prepared, Provider};
use crate::registry::{Format, Model, ModelId, Registry};
use crate::request::Request;
use crate::retry::RetryPolicy;
use crate::secret::Secret;

/// Providers with their keys and limits.
pub struct Providers {
    registry: Registry,
    keys: BTreeMap<String, Secret>,
    plugged: BTreeMap<ModelId, Arc<dyn Provider>>,
    limits: Limits,
    retry: RetryPolicy,
    env: Env,
    egress: Arc<dyn Egress>,
    seal: Seal,
    /// A client per set of connection parameters, so that connections are reused. Created on first use: most programs
    /// call no model, and local work must not depend on the certificates that a client loads.
    clients: Mutex<BTreeMap<Way, reqwest::Client>>,
}

/// The configuration of a set of providers.
pub struct Setup {
    /// The known providers and models.
    pub registry: Registry,
    /// Keys by provider id.
    pub keys: BTreeMap<String, Secret>,
    /// The limits of calls.
    pub limits: Limits,
    /// The retry policy.
    pub retry: RetryPolicy,
    /// The clock and random source.
    pub env: Env,
    /// Receives reports on every call.
    pub egress: Arc<dyn Egress>,
}

impl Providers {
    /// The set, and the only gate that can permit its calls.
    pub fn new(setup: Setup) -> Result<(Self, Gate), ProviderError> {
        let (gate, seal) = Gate::with_seal();
        let clients = Mutex::default();
        let Setup { registry, keys, limits, retry, env, egress } = setup;
        let set = Self { registry, keys, plugged: BTreeMap::new(), limits, retry, env, egress, seal, clients };
        Ok((set, gate))
    }

    /// Adds a model that runs inside the program, such as the scripted one or the demo.
    #[must_use]
    pub fn plug(mut self, provider: Arc<dyn Provider>) -> Self {
        self.plugged.insert(provider.model().id.clone(), provider);
        self
    }

    /// The known providers and models.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Whether a provider has a key or needs none.
    pub fn is_configured(&self, provider: &str) -> bool {
        let Some(info) = self.registry.provider(provider) else { return false };
        match info.format {
            Format::None => self.plugged.keys().any(|id| id.provider() == provider),
            _ => info.key_env.is_none() || self.keys.get(provider).is_some_and(|key| !key.is_empty()),
        }
    }

    /// A model, ready to be called.
    pub fn open(&self, id: &ModelId) -> Result<Arc<dyn Provider>, ProviderError> {
        if let Some(inner) = self.plugged.get(id) {
            return Ok(Arc::new(Plugged { inner: Arc::clone(inner), seal: self.seal.clone() }));
        }
        let model = self.registry.model(id)?;
        let info = self.registry.provider(id.provider()).filter(|_| model.format != Format::None);
        let Some(info) = info else {
            let error = ProviderError::new(Code::ProviderNotConfigured, format!("{id} cannot be called as a model"));
            return Err(error.model(id).hint("use it with the operations that support it, such as `context process`"));
        };
        let endpoint = Endpoint::new(&info, self.keys.get(&info.id).cloned()).map_err(|error| error.model(id))?;
        endpoint.check_key().map_err(|error| error.model(id))?;
        let client = self.client(Way::to(&endpoint, info.proxy)).map_err(|error| error.model(id))?;
        Ok(Arc::new(HttpProvider(Arc::new(Line {
            model,
            endpoint,
            client,
            limits: self.limits,
            retry: self.retry,
            env: self.env.clone(),
            egress: Arc::clone(&self.egress),
            seal: self.seal.clone(),
        }))))
    }
}

impl Providers {
    fn client(&self, way: Way) -> Result<reqwest::Client, ProviderError> {
        // Clients are inserted atomically, so a thread that panicked with the lock left nothing inconsistent.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&way) {
            return Ok(client.clone());
        }
        let client = http::client(&self.limits, &way)?;
        clients.insert(way, client.clone());
        Ok(client)
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plugged: Vec<_> = self.plugged.keys().collect();
        f.debug_struct("Providers").field("keys", &self.keys).field("plugged", &plugged).finish_non_exhaustive()
    }
}

/// A model inside the program. It sends nothing, but requires a permit like any other.
struct Plugged {
    inner: Arc<dyn Provider>,
    seal: Seal,
}

impl Provider for Plugged {
    fn model(&self) -> &Model {
        self.inner.model()
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError> {
        self.inner.prepare(request)
    }

    fn complete(&self, prepared: Prepared, permit: Permit, cancel: CancellationToken) -> Completion {
        match self.seal.check(&permit, &self.model().id) {
            Ok(()) => self.inner.complete(prepared, permit, cancel),
            Err(error) => Completion::failed(error),
        }
    }
}
