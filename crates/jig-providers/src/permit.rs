//! Nothing is sent without a permit, and only the holder of the gate makes permits.

use std::sync::Arc;

use jig_contract::{BlobHash, Code, WorkbenchId};

use crate::error::ProviderError;
use crate::registry::ModelId;

/// Makes permits for one set of providers. There is one for each set, and it cannot be copied: who holds it answers
/// for consent.
#[derive(Debug)]
pub struct Gate(Arc<Mark>);

/// What a set of providers recognises its own gate's permits by.
#[derive(Debug, Clone)]
pub(crate) struct Seal(Arc<Mark>);

/// Not empty: two marks never share an address.
#[derive(Debug)]
struct Mark(#[expect(dead_code, reason = "gives the mark an address of its own")] u8);

impl Gate {
    pub(crate) fn with_seal() -> (Self, Seal) {
        let mark = Arc::new(Mark(0));
        (Self(Arc::clone(&mark)), Seal(mark))
    }

    /// Permission for one call: this workbench's material, described by this hash of its scope, to this model.
    pub fn permit(&self, workbench: WorkbenchId, model: ModelId, scope: BlobHash) -> Permit {
        Permit { mark: Arc::clone(&self.0), workbench, model, scope }
    }
}

/// Permission for one call. It is used up by it.
#[derive(Debug)]
pub struct Permit {
    mark: Arc<Mark>,
    workbench: WorkbenchId,
    model: ModelId,
    scope: BlobHash,
}

impl Permit {
    /// Whose material leaves the machine.
    pub fn workbench(&self) -> &WorkbenchId {
        &self.workbench
    }

    /// Where it may go.
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    /// The hash of what consent was given for.
    pub fn scope(&self) -> &BlobHash {
        &self.scope
    }
}

impl Seal {
    /// Refuses a permit of another gate, or for another model.
    pub(crate) fn check(&self, permit: &Permit, model: &ModelId) -> Result<(), ProviderError> {
        if !Arc::ptr_eq(&self.0, &permit.mark) {
            return Err(blocked("the permit was not made by the gate of these providers").model(model));
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
