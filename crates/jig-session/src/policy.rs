//! Permissions of a session. They come from the program and from people's answers, never from content.

use std::collections::BTreeMap;

use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};

/// A permission that a tool needs: `files.read`, `files.write` (Draft only), `tables.query`, `context.read`,
/// `context.write`, `artifacts.write`, `agent.read`, `mcp.<server>.<read or write>.<tool>`.
pub type Capability = String;

/// The decision of a policy. Ordered from permissive to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Permitted.
    Allow,
    /// A person decides.
    Ask,
    /// Forbidden. Overrides every other decision.
    Deny,
}

/// A person's answer to a permission question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Permitted.
    Allow,
    /// Refused.
    Deny,
}

/// The calls that an answer covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// This call.
    #[default]
    Once,
    /// All calls with the same capability in this run.
    Run,
    /// All calls with the same capability in this session.
    Session,
}

/// An answer that covers more than one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The answer.
    pub answer: Answer,
    /// Who answered.
    pub actor: Actor,
    /// When it was given.
    pub at: Timestamp,
}

/// A decision for a set of capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A capability, a prefix that ends before a dot, `mcp.*`, or `*`.
    pub capability: String,
    /// The decision.
    pub decision: Decision,
}

/// The rules of a session. Without a matching rule, reads and Draft writes are permitted and everything else asks a
/// person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policy {
    /// The rules; their order does not matter.
    pub rules: Vec<Rule>,
}

/// The capabilities that are permitted without a rule.
const ALLOWED: [&str; 5] = ["files.read", "files.write", "tables.query", "context.read", "agent.read"];

impl Policy {
    /// The decision for a capability. A matching deny wins; otherwise the most specific rule does.
    pub fn decide(&self, capability: &str) -> Decision {
        let covering = || self.rules.iter().filter(|rule| covers(&rule.capability, capability));
        if covering().any(|rule| rule.decision == Decision::Deny) {
            return Decision::Deny;
        }
        // Between equally specific rules, the stricter one wins.
        let closest = covering().max_by_key(|rule| (rule.capability.len(), rule.decision));
        match closest {
            Some(rule) => rule.decision,
            None if ALLOWED.contains(&capability) => Decision::Allow,
            None => Decision::Ask,
        }
    }

    /// The decision, including people's standing answers. An answer never overrides a deny.
    pub(crate) fn decide_with(&self, capability: &str, answered: &[&BTreeMap<Capability, Standing>]) -> Decision {
        let ruled = self.decide(capability);
        let said = answered.iter().filter_map(|answers| answers.get(capability)).map(|standing| standing.answer);
        match (ruled, said.max_by_key(|answer| *answer == Answer::Deny)) {
            (Decision::Ask, Some(Answer::Allow)) => Decision::Allow,
            (Decision::Ask, Some(Answer::Deny)) => Decision::Deny,
            (ruled, _) => ruled,
        }
    }
}

/// Whether a pattern covers a capability: an equal name, a prefix up to a dot (`mcp.github`, `mcp.github.read`), or a
/// pattern that ends with `*`.
fn covers(pattern: &str, capability: &str) -> bool {
    pattern == capability
        || capability.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.'))
        || pattern
            .strip_suffix('*')
            .is_some_and(|start| capability.starts_with(start) && (start.is_empty() || start.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(rules: &[(&str, Decision)]) -> Policy {
        let rule = |(capability, decision): &(&str, Decision)| Rule {
            capability: (*capability).to_owned(),
            decision: *decision,
        };
        Policy { rules: rules.iter().map(rule).collect() }
    }

    #[test]
    fn without_rules_reads_and_the_draft_pass_and_all_else_is_asked() {
        let none = Policy::default();
        for capability in ALLOWED {
            assert_eq!(none.decide(capability), Decision::Allow, "{capability}");
        }
        for capability in ["context.write", "artifacts.write", "mcp.github", "anything"] {
            assert_eq!(none.decide(capability), Decision::Ask, "{capability}");
        }
    }

    #[test]
    fn a_deny_wins_and_else_the_closest_rule() {
        use Decision::{Allow, Ask, Deny};
        let rules = policy(&[("*", Ask), ("mcp.*", Deny), ("mcp.github", Allow), ("files.read", Allow)]);
        assert_eq!(rules.decide("mcp.github"), Deny);
        assert_eq!(rules.decide("files.read"), Allow);
        assert_eq!(rules.decide("files.write"), Ask);
        let tools = policy(&[("mcp.github", Ask), ("mcp.github.read", Allow), ("mcp.github.write.delete", Deny)]);
        assert_eq!(tools.decide("mcp.github.read.search"), Allow);
        assert_eq!(tools.decide("mcp.github.write.create"), Ask);
        assert_eq!(tools.decide("mcp.github.write.delete"), Deny);
        assert_eq!(policy(&[("mcp.git", Allow)]).decide("mcp.github.read.search"), Ask, "a name is not cut");
        assert_eq!(policy(&[("mcp*", Allow)]).decide("mcp.github"), Ask, "a pattern ends at a dot");
    }

    #[test]
    fn an_answer_settles_a_question_and_undoes_no_deny() {
        let said = |answer| {
            let standing = Standing { answer, actor: Actor::System, at: Timestamp::from_millis(0) };
            BTreeMap::from([("context.write".to_owned(), standing)])
        };
        let (yes, no) = (said(Answer::Allow), said(Answer::Deny));
        let open = Policy::default();
        assert_eq!(open.decide_with("context.write", &[&yes]), Decision::Allow);
        assert_eq!(open.decide_with("context.write", &[&yes, &no]), Decision::Deny);
        let denied = policy(&[("context.write", Decision::Deny)]);
        assert_eq!(denied.decide_with("context.write", &[&yes]), Decision::Deny);
    }
}
