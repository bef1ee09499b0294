//! Checks whether an agent context is stale.

use jig_contract::ops::{AgentContextCheckOutput, OldReason, OldWarning};
use jig_contract::{Actor, Timestamp};

use super::build::by_person;
use super::version::Version;
use crate::artifact::Artifact;
use crate::document::Revision;

/// During activity, a context older than five minutes is stale.
pub const OLD_SECONDS: u64 = 300;
/// Activity means that the last event is less than half an hour ago.
pub const ACTIVE_SECONDS: u64 = 1_800;

/// What a context is checked against.
pub struct Check<'a> {
    /// The version that the agent has.
    pub version: &'a Version,
    /// The number of sections that the agent claims.
    pub sections_total: Option<u64>,
    /// The current artifact; `None` if it was deleted.
    pub artifact: Option<&'a Artifact>,
    /// The current stage.
    pub current_stage: &'a str,
    /// The revisions of the artifact since the context was built.
    pub revisions: &'a [Revision],
    /// The caller, whose own changes do not make the context stale.
    pub caller: &'a Actor,
    /// Whether there is activity; derived from `last_activity` if `None`.
    pub active: Option<bool>,
    /// The time of the last event.
    pub last_activity: Option<Timestamp>,
    /// The current time.
    pub now: Timestamp,
}

/// Whether another agent made the revision. All runs of a session count as one agent.
fn by_other_agent(revision: &Revision, caller: &Actor) -> bool {
    match (&revision.author, caller) {
        (Actor::Agent { name, session, .. }, Actor::Agent { name: own_name, session: own_session, .. }) => {
            (name, session) != (own_name, own_session)
        }
        (Actor::Agent { .. }, _) => true,
        _ => false,
    }
}

/// Reports what is stale in a context.
pub fn check(check: &Check<'_>) -> AgentContextCheckOutput {
    let seconds = |since: Timestamp| u64::try_from(check.now.since(since) / 1_000).unwrap_or(0);
    let age = seconds(check.version.built_at);
    let recent = check.last_activity.is_some_and(|at| seconds(at) < ACTIVE_SECONDS);
    let mut warnings = Vec::new();
    let mut warn = |reason, message: String| warnings.push(OldWarning { reason, message });
    if age > OLD_SECONDS && check.active.unwrap_or(recent) {
        warn(OldReason::Age, format!("the view is {} minutes old, and somebody is at work", age / 60));
    }
    match check.artifact {
        None => warn(OldReason::Moved, format!("there is no artifact '{}' any more", check.version.artifact)),
        Some(artifact) => {
            let (_, total) = artifact.counts();
            let believed = check.sections_total.unwrap_or(check.version.total);
            if total != believed {
                warn(OldReason::SectionCount, format!("{}.md has {total} sections, not {believed}", artifact.slug()));
            }
            let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let by_people = check.revisions.iter().filter(|revision| by_person(revision)).count();
            if by_people > 0 {
                let words = format!("a person has changed {}.md {} since", artifact.slug(), times(by_people));
                warn(OldReason::PersonChanged, words);
            }
            let others = check.revisions.iter().filter(|revision| by_other_agent(revision, check.caller)).count();
            if others > 0 {
                let words = format!("another agent has changed {}.md {} since", artifact.slug(), times(others));
                warn(OldReason::AgentChanged, words);
            }
        }
    }
    if check.version.stage != check.current_stage {
        warn(
            OldReason::Moved,
            format!("the work is in stage '{}' now, not '{}'", check.current_stage, check.version.stage),
        );
    }
    let stale = !warnings.is_empty();
    AgentContextCheckOutput { stale, warnings, age_seconds: age, action: stale.then(|| "refresh".to_owned()) }
}
