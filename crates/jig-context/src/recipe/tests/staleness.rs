//! Staleness: what is stale, why, in which order to update, and cycles.

use std::collections::BTreeMap;

use jig_contract::ops::{RecipeDefinition, RecipeListStaleOutput, StaleReason};
use serde_json::json;

use super::fixtures::{acme, at, changed, entry_of, recipe};
use crate::document::{Address, Origin, RevisionNumber, Source};
use crate::entry::{Entry, shipped_kinds};
use crate::recipe::{Ran, shipped_recipe, shipped_recipes, stale};

fn look(recipes: &[RecipeDefinition], entries: &[Entry], ran: &[(&str, Ran)], hours: i64) -> RecipeListStaleOutput {
    let ran: BTreeMap<String, Ran> = ran.iter().map(|(name, ran)| ((*name).to_owned(), *ran)).collect();
    stale(recipes, shipped_kinds(), entries, &ran, at(hours))
}

fn calendar() -> Vec<RecipeDefinition> {
    vec![shipped_recipe("weekly-content-calendar").unwrap().clone()]
}

/// The company with a calendar whose source is the brand's voice.
fn with_calendar() -> Vec<Entry> {
    let source = Source::Document { address: Address::parse("@brand#voice").unwrap(), revision: RevisionNumber(1) };
    let origin = Origin { model_id: Some("m".into()), sources: vec![source] };
    let mut entries = acme();
    entries.push(entry_of("content_calendar", "", json!({"topics": ["a"], "schedule": ["b"]}), origin, 0));
    entries
}

#[test]
fn a_recipe_that_never_ran_is_old_and_does_not_start_by_itself() {
    let found = look(&calendar(), &acme(), &[], 0);
    assert_eq!((found.stale[0].reasons.clone(), found.stale[0].due), (vec![StaleReason::NeverRun], false));
    assert!(found.stale[0].blocked.as_ref().unwrap().contains("never ran"));
    assert_eq!(found.stale[0].address, "@content_calendar");
}

#[test]
fn it_expires_after_its_time_and_not_at_it() {
    assert!(look(&calendar(), &with_calendar(), &[], 336).stale.is_empty(), "at the very hour it is not yet");
    let found = look(&calendar(), &with_calendar(), &[], 337);
    assert!(matches!(&found.stale[0].reasons[..], [StaleReason::Expired { expired }] if expired.hours_over == 1));
    assert!(found.stale[0].due);
}

#[test]
fn a_source_that_changed_makes_it_old_and_another_field_does_not() {
    let mut entries = with_calendar();
    entries[1] = changed(&entries[1], json!({"tagline": "New"}), 1);
    assert!(look(&calendar(), &entries, &[], 2).stale.is_empty());
    entries[1] = changed(&entries[1], json!({"voice": "Bold"}), 2);
    let found = look(&calendar(), &entries, &[], 3);
    let [StaleReason::SourceNewer { changes }] = &found.stale[0].reasons[..] else { panic!("{found:?}") };
    assert_eq!((changes[0].address.as_str(), changes[0].changed_in), ("@brand#voice", Some(3)));
}

#[test]
fn what_was_made_from_its_own_last_state_is_not_old_because_of_itself() {
    let address = Address::parse("@content_calendar#topics").unwrap();
    let origin = Origin { model_id: None, sources: vec![Source::Document { address, revision: RevisionNumber(1) }] };
    let mut entries = acme();
    let made = entry_of("content_calendar", "", json!({"topics": ["a"], "schedule": ["b"]}), origin, 0);
    entries.push(changed(&made, json!({"hooks": ["c"]}), 1));
    assert!(look(&calendar(), &entries, &[], 2).stale.is_empty());
    let topics = changed(&made, json!({"topics": ["other"]}), 1);
    let origin = topics.document.part("schedule").map(|part| part.provenance.origin.sources.len());
    assert_eq!(origin, Some(1), "one part still names its own kind as its source");
    entries.pop();
    entries.push(topics);
    assert!(look(&calendar(), &entries, &[], 2).stale.is_empty());
}

#[test]
fn an_output_that_waits_or_context_that_lacks_stands_in_the_way() {
    let waiting = Ran { last: None, waiting: true };
    let found = look(&calendar(), &with_calendar(), &[("weekly-content-calendar", waiting)], 400);
    assert_eq!(
        (found.stale[0].due, found.stale[0].blocked.as_deref()),
        (false, Some("an output of it waits for a person"))
    );
    let without: Vec<Entry> =
        with_calendar().into_iter().filter(|entry| entry.document.kind.as_str() != "brand").collect();
    let found = look(&calendar(), &without, &[], 400);
    assert_eq!(found.stale[0].blocked.as_deref(), Some("it needs brand, and there is none"));
}

#[test]
fn a_schedule_makes_it_due_once_its_time_has_come() {
    let mut recipes = calendar();
    recipes[0].schedule = Some("0 * * * *".into());
    let ran = |hours| Ran { last: Some(at(hours)), waiting: false };
    let name = "weekly-content-calendar";
    assert!(look(&recipes, &with_calendar(), &[(name, ran(5))], 5).stale.is_empty());
    let found = look(&recipes, &with_calendar(), &[(name, ran(5))], 7);
    assert!(found.stale[0].due && found.stale[0].reasons.is_empty() && found.stale[0].next_run_at.is_some());
    let first = look(&recipes, &acme(), &[(name, ran(5))], 7);
    assert!(first.stale[0].due, "a schedule starts it the first time too");
}

#[test]
fn what_another_needs_goes_first() {
    let found = look(shipped_recipes(), &acme(), &[], 0);
    let names: Vec<&str> = found.stale.iter().map(|recipe| recipe.recipe.as_str()).collect();
    assert_eq!(names, ["competitor-snapshot", "trend-digest", "weekly-content-calendar"]);
    assert_eq!(found.stale[2].after, ["trend-digest"]);
    assert!(found.cycles.is_empty());
}

#[test]
fn a_circle_is_told_and_not_run() {
    let makes = |name: &str, needs: &str, role: &str| {
        recipe(json!({"recipe": name, "context_requirements": {"entries": [{"role": needs}]},
            "context_outputs": {"role": role, "fields_produced": ["summary"]}, "schedule": "* * * * *"}))
    };
    let recipes = [
        makes("b", "trend_digest", "competitor_snapshot"),
        makes("a", "competitor_snapshot", "trend_digest"),
        recipe(json!({"recipe": "c", "context_requirements": {"entries": [{"role": "content_calendar"}]},
            "context_outputs": {"role": "content_calendar", "fields_produced": ["topics"]}, "schedule": "* * * * *"})),
    ];
    let ran = Ran { last: Some(at(0)), waiting: false };
    let found = look(&recipes, &[], &[("a", ran), ("b", ran), ("c", ran)], 1);
    assert_eq!(found.cycles, [["a", "b"]]);
    let due: Vec<(&str, bool)> = found.stale.iter().map(|recipe| (recipe.recipe.as_str(), recipe.due)).collect();
    assert_eq!(due, [("a", false), ("b", false), ("c", true)], "its own last output is not a circle");
    let needs_a_circle = [
        makes("b", "trend_digest", "competitor_snapshot"),
        makes("a", "competitor_snapshot", "trend_digest"),
        recipe(json!({"recipe": "z", "context_requirements": {"entries": [{"role": "trend_digest"}]},
            "context_outputs": {"role": "content_calendar", "fields_produced": ["topics"]}})),
    ];
    let found = look(&needs_a_circle, &[], &[], 1);
    assert_eq!(found.stale.len(), 3, "nothing is lost");
}
