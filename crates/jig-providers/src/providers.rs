//! The set of providers a program has, and the only way to reach a model.

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
    /// One for each way to a provider, so that connections are used again. Made when first needed: most programs call no
    /// model, and what needs no network works without the certificates that a client loads.
    clients: Mutex<BTreeMap<Way, reqwest::Client>>,
}

/// What a set of providers is made from.
pub struct Setup {
    /// Which providers and models there are.
    pub registry: Registry,
    /// Keys, by the provider's id.
    pub keys: BTreeMap<String, Secret>,
    /// Bounds on calls.
    pub limits: Limits,
    /// Bounds on trying again.
    pub retry: RetryPolicy,
    /// Time and chance.
    pub env: Env,
    /// Told of every call.
    pub egress: Arc<dyn Egress>,
}

impl Providers {
    /// The set, and the one gate that can permit its calls.
    pub fn new(setup: Setup) -> Result<(Self, Gate), ProviderError> {
        let (gate, seal) = Gate::with_seal();
        let clients = Mutex::default();
        let Setup { registry, keys, limits, retry, env, egress } = setup;
        let set = Self { registry, keys, plugged: BTreeMap::new(), limits, retry, env, egress, seal, clients };
        Ok((set, gate))
    }

    /// Adds a model whose work is done in the program itself: the scripted one, the demo.
    #[must_use]
    pub fn plug(mut self, provider: Arc<dyn Provider>) -> Self {
        self.plugged.insert(provider.model().id.clone(), provider);
        self
    }

    /// Which providers and models there are.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Whether there is a key for a provider, or it needs none.
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
            let error = ProviderError::new(Code::ProviderNotConfigured, format!("{id} is not called as a model"));
            return Err(error.model(id).hint("it is done inside the program, where the program offers it"));
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
        // Clients are whole or absent, so a thread that died while it held the lock left nothing half done.
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

/// A model inside the program. It sends nothing, but is called with a permit like any other.
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
