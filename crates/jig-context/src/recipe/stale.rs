//! Which outputs are stale, why, and in which order to update them.

use std::collections::BTreeMap;

use jig_contract::Timestamp;
use jig_contract::ops::{
    EntryState, ExpiredContent, KindDefinition, RecipeDefinition, RecipeListStaleOutput, StaleReason, StaleRecipe,
};

use super::cron::Cron;
use super::order::{circles, needs, sorted};
use super::row::staleness_by;
use crate::document::{Document, is_filled};
use crate::entry::{Entry, staleness_to_wire};

/// The history of a recipe's runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ran {
    /// When it last ran or was saved; schedules count from this time.
    pub last: Option<Timestamp>,
    /// Whether one of its outputs awaits a person's decision.
    pub waiting: bool,
}

/// The recipes whose outputs are stale or that are due, in the order in which to run them.
pub fn stale(
    recipes: &[RecipeDefinition],
    kinds: &[KindDefinition],
    entries: &[Entry],
    ran: &BTreeMap<String, Ran>,
    now: Timestamp,
) -> RecipeListStaleOutput {
    let mut recipes: Vec<RecipeDefinition> = recipes.to_vec();
    recipes.sort_by(|a, b| a.recipe.cmp(&b.recipe));
    let documents: Vec<Document> = entries.iter().map(|entry| entry.document.clone()).collect();
    let needs = needs(&recipes);
    let circles = circles(&needs);
    let known = Known { kinds, entries, documents: &documents, now };
    let mut found: Vec<Option<StaleRecipe>> =
        recipes.iter().map(|recipe| known.look(recipe, ran.get(&recipe.recipe).copied().unwrap_or_default())).collect();
    for number in 0..found.len() {
        let in_circle = circles.iter().any(|circle| circle.contains(&number));
        let after = needs[number].iter().filter(|other| found[**other].is_some());
        let after: Vec<String> = after.map(|other| recipes[*other].recipe.clone()).collect();
        if let Some(recipe) = &mut found[number] {
            recipe.after = after;
            if in_circle {
                recipe.due = false;
                recipe.blocked = Some("it needs its own output through others: see `cycles`".to_owned());
            }
        }
    }
    let names = |circle: &Vec<usize>| circle.iter().map(|number| recipes[*number].recipe.clone()).collect();
    RecipeListStaleOutput {
        stale: sorted(&needs).into_iter().filter_map(|number| found[number].take()).collect(),
        cycles: circles.iter().map(names).collect(),
    }
}

struct Known<'a> {
    kinds: &'a [KindDefinition],
    entries: &'a [Entry],
    documents: &'a [Document],
    now: Timestamp,
}

impl Known<'_> {
    /// The report on a recipe; `None` if its output is fresh and it is not due.
    fn look(&self, recipe: &RecipeDefinition, ran: Ran) -> Option<StaleRecipe> {
        let (address, reasons) = self.reasons(recipe).unwrap_or_default();
        let next = recipe.schedule.as_deref().and_then(|schedule| Cron::parse(schedule).ok());
        let next_run_at = next.and_then(|cron| cron.next_after(ran.last.unwrap_or(self.now)));
        let time_has_come = next_run_at.is_some_and(|next| next <= self.now);
        if reasons.is_empty() && !time_has_come {
            return None;
        }
        let never = reasons.contains(&StaleReason::NeverRun) && !time_has_come;
        let blocked = match () {
            () if ran.waiting => Some("an output of it waits for a person".to_owned()),
            () if never => Some("it never ran: run it once, or give it a schedule".to_owned()),
            () => self.lacking(recipe),
        };
        Some(StaleRecipe {
            recipe: recipe.recipe.clone(),
            address,
            reasons,
            after: Vec::new(),
            due: blocked.is_none(),
            blocked,
            next_run_at,
        })
    }

    /// The address of a recipe's entry and why it is stale; `None` for a recipe that fills no entry.
    fn reasons(&self, recipe: &RecipeDefinition) -> Option<(String, Vec<StaleReason>)> {
        let outputs = recipe.context_outputs.as_ref()?;
        let kind = self.kinds.iter().find(|kind| kind.anchor_role == outputs.role)?;
        let key = outputs.entry_key.as_deref().unwrap_or_default();
        let address = if key.is_empty() { format!("@{}", outputs.role) } else { format!("@{}:{key}", outputs.role) };
        let there = |entry: &&Entry| {
            entry.document.kind.as_str() == outputs.role && entry.document.key.as_str() == key.to_lowercase()
        };
        let says_something = |entry: &&Entry| {
            let part = |name: &String| entry.document.part(name);
            outputs.fields_produced.iter().filter_map(part).any(|part| is_filled(&part.value))
        };
        let Some(entry) = self.entries.iter().find(there).filter(says_something) else {
            return Some((address, vec![StaleReason::NeverRun]));
        };
        // An archived entry is not updated without a person's request.
        if entry.state == EntryState::Archived {
            return Some((address, Vec::new()));
        }
        let mut made = entry.document.clone();
        made.parts.retain(|part| outputs.fields_produced.iter().any(|name| name == part.name.as_str()));
        let old = staleness_by(kind, outputs.refresh_policy.ttl_hours, &made, self.documents, self.now);
        let old = staleness_to_wire(&old);
        let mut reasons: Vec<StaleReason> = Vec::new();
        reasons.extend(old.expired.map(|expired: ExpiredContent| StaleReason::Expired { expired }));
        if !old.newer_sources.is_empty() {
            reasons.push(StaleReason::SourceNewer { changes: old.newer_sources });
        }
        Some((address, reasons))
    }

    /// The required content that does not exist.
    fn lacking(&self, recipe: &RecipeDefinition) -> Option<String> {
        let there = |role: &str| {
            self.entries.iter().any(|entry| entry.state == EntryState::Active && entry.document.kind.as_str() == role)
        };
        let requirements = recipe.context_requirements.entries.iter();
        let missing: Vec<&str> = requirements
            .filter(|requirement| requirement.required && !there(&requirement.role))
            .map(|requirement| requirement.role.as_str())
            .collect();
        (!missing.is_empty()).then(|| format!("it needs {}, and there is none", missing.join(" and ")))
    }
}
