//! The implementations behind tools. They are defined here and restricted by the policy, never by workspace files.

use std::collections::BTreeMap;

use jig_context::agent::TOOLS;
use jig_contract::{Effect, OpSpec, find};
use jig_session::{Binding, Touch};

/// Handled by the session itself: returns the stored text of an earlier result.
pub(super) const RECALL: &str = "session:recall";

impl crate::Workbench {
    /// All bindings: those of the program, and the servers in the settings.
    pub(crate) fn bindings(&self) -> BTreeMap<String, Binding> {
        let mut all = bindings();
        all.extend(crate::mcp::bindings(self.mcp_servers()));
        all
    }
}

/// The bindings of the program, by tool.
fn bindings() -> BTreeMap<String, Binding> {
    TOOLS.iter().filter_map(|tool| Some((tool.name.to_owned(), binding(tool.name, tool.operation)?))).collect()
}

fn binding(tool: &str, operation: Option<&str>) -> Option<Binding> {
    let Some(operation) = operation else {
        let (target, capability) = (RECALL.to_owned(), "agent.read".to_owned());
        return Some(Binding { target, capability, touch: Touch::Reads });
    };
    let operation = find(operation)?;
    let touch = if operation.effect == Effect::Read { Touch::Reads } else { Touch::Writes };
    let capability = capability(tool, operation).to_owned();
    Some(Binding { target: operation.name.to_owned(), capability, touch })
}

/// The capability that the policy must permit.
fn capability(tool: &str, operation: &OpSpec) -> &'static str {
    match (operation.name, operation.effect) {
        ("EntryGet", _) => "context.read",
        ("EntryPut", _) => "context.write",
        ("ArtifactApplyOps", _) => "artifacts.write",
        (_, Effect::Read) if tool.starts_with("table_") => "tables.query",
        (_, Effect::Read) => "files.read",
        _ => "files.write",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_that_comes_with_jig_is_bound_to_what_it_shows() {
        let bindings = bindings();
        for tool in TOOLS {
            let binding = &bindings[tool.name];
            assert_eq!(binding.target, tool.operation.unwrap_or(RECALL), "{}", tool.name);
            let writes = binding.touch == Touch::Writes;
            assert_eq!(writes, binding.capability.ends_with(".write"), "{}", tool.name);
            // Agents must be able to call it at all: approval operations are reserved for people.
            if let Some(operation) = tool.operation.and_then(find) {
                let agent = crate::CallContext::new(jig_contract::Actor::agent("x"));
                assert!(agent.check_permitted(operation, None).is_ok(), "{}", tool.name);
            }
        }
    }
}
