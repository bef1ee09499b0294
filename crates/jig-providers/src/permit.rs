//! Nothing is sent without a permit, and only the owner of the gate creates permits.

use std::sync::Arc;

use jig_contract::{BlobHash, Code, WorkbenchId};

use crate::error::ProviderError;
use crate::registry::ModelId;

/// Creates permits for one set of providers. Each set has exactly one gate, which cannot be copied: its owner is
/// responsible for consent.
#[derive(Debug)]
pub struct Gate(Arc<Mark>);

/// Identifies the permits of a set's own gate.
#[derive(Debug, Clone)]
pub(crate) struct Seal(Arc<Mark>);

/// Not zero-sized, so that two marks never share an address.
#[derive(Debug)]
struct Mark(#[expect(dead_code, reason = "gives the mark an address of its own")] u8);

impl Gate {
    pub(crate) fn with_seal() -> (Self, Seal) {
        let mark = Arc::new(Mark(0));
        (Self(Arc::clone(&mark)), Seal(mark))
    }

    /// Creates a permit for one call: content of this workbench, described by the hash of its scope, to this model.
    pub fn permit(&self, workbench: WorkbenchId, model: ModelId, scope: BlobHash) -> Permit {
        Permit { mark: Arc::clone(&self.0), workbench, model, scope }
    }
}

/// Permission for one call, which consumes it.
#[derive(Debug)]
pub struct Permit {
    mark: Arc<Mark>,
    workbench: WorkbenchId,
    model: ModelId,
    scope: BlobHash,
}

impl Permit {
    /// The workbench whose content is sent.
    pub fn workbench(&self) -> &WorkbenchId {
        &self.workbench
    }

    /// The model it may be sent to.
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    /// The hash of the scope that consent was given for.
    pub fn scope(&self) -> &BlobHash {
        &self.scope
    }
}

impl Seal {
    /// Refuses a permit from another gate or for another model.
    pub(crate) fn check(&self, permit: &Permit, model: &ModelId) -> Result<(), ProviderError> {
        if !Arc::ptr_eq(&self.0, &permit.mark) {
            return Err(blocked("the permit does not come from the gate of these providers").model(model));
        }
        if permit.model != *model {
            return Err(blocked(format!("consent was given for {}, not for {model}", permit.model)).model(model));
        }
        Ok(())
    }
}

pub(crate) fn blocked(why: impl std::fmt::Display) -> ProviderError {
    ProviderError::new(Code::EgressBlockedByPolicy, format!("nothing was sent: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_gate_and_the_named_model_pass() {
        let (gate, seal) = Gate::with_seal();
        let (other, _) = Gate::with_seal();
        let model: ModelId = "openai:a".parse().unwrap();
        let permit = |gate: &Gate, to: &str| {
            gate.permit(WorkbenchId::new("w").unwrap(), to.parse().unwrap(), BlobHash::from_bytes([7; 32]))
        };
        assert!(seal.check(&permit(&gate, "openai:a"), &model).is_ok());
        for bad in [permit(&gate, "openai:b"), permit(&other, "openai:a")] {
            assert_eq!(seal.check(&bad, &model).unwrap_err().code(), Code::EgressBlockedByPolicy);
        }
    }
}
