//! Models that are called over HTTP.

use std::sync::Arc;

use jig_contract::Env;
use reqwest::Client;
use tokio_util::sync::CancellationToken;

use crate::call;
use crate::egress::{Call, Egress};
use crate::endpoint::Endpoint;
use crate::error::ProviderError;
use crate::http::Limits;
use crate::permit::{Permit, Seal};
use crate::provider::{Completion, Prepared, Provider};
use crate::registry::{Ability, Model};
use crate::request::{Request, Streaming};
use crate::retry::RetryPolicy;
use crate::wire;

/// Everything that a call needs except its content.
pub(crate) struct Line {
    pub(crate) model: Model,
    pub(crate) endpoint: Endpoint,
    pub(crate) client: Client,
    pub(crate) limits: Limits,
    pub(crate) retry: RetryPolicy,
    pub(crate) env: Env,
    pub(crate) egress: Arc<dyn Egress>,
    pub(crate) seal: Seal,
}

/// A model that is called over HTTP.
pub(crate) struct HttpProvider(pub(crate) Arc<Line>);

impl Provider for HttpProvider {
    fn model(&self) -> &Model {
        &self.0.model
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError> {
        let model = &self.0.model;
        if request.streaming == Streaming::On && !model.can(Ability::Streaming) {
            let whole = Request { streaming: Streaming::Off, ..request.clone() };
            return Ok(Prepared::new(wire::encode(model, &whole)?, &whole));
        }
        Ok(Prepared::new(wire::encode(model, request)?, request))
    }

    fn complete(&self, prepared: Prepared, permit: Permit, cancel: CancellationToken) -> Completion {
        let line = Arc::clone(&self.0);
        let checked = line.seal.check(&permit, &line.model.id).and_then(|()| line.endpoint.check_key());
        if let Err(error) = checked {
            return Completion::failed(error.model(&line.model.id));
        }
        let call = Call {
            id: line.env.fresh_id(),
            started: line.env.now(),
            workbench: permit.workbench().clone(),
            purpose: prepared.purpose.clone(),
            model: line.model.id.clone(),
            host: line.endpoint.host(),
            scope: *permit.scope(),
            bytes: prepared.body.len() as u64,
        };
        call::start(line, prepared, call, cancel)
    }
}
