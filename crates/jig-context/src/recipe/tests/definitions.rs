//! Definitions: what is accepted and refused, and how a prompt is filled.

use jig_contract::ops::ItemsChoice;
use serde_json::{Value, json};

use super::fixtures::recipe;
use crate::definition::to_yaml;
use crate::entry::shipped_kinds;
use crate::recipe::{
    all_recipes, check_recipe, fill, find_recipe, next_version, output_fields, read_recipe, shipped_recipes,
    wanted_fields,
};

const SEED: &str = r#"
recipe: weekly-content-calendar
context_requirements:
  entries:
    - role: "brand"
      fields: ["name", "voice", "tagline"]
      required: true
    - role: "customer"
      fields: ["description", "pain_points", "jobs_to_be_done"]
      required: true
    - role: "trend_digest"
      fields: ["summary", "key_themes"]
      required: false  # Enhances output if present

context_outputs:
  role: "content_calendar"
  fields_produced: ["topics", "schedule", "hooks"]
  refresh_policy:
    ttl_hours: 336  # 2 weeks
    auto_promote: false
"#;

#[test]
fn the_seeds_yaml_is_read_and_written_back() {
    let recipe = read_recipe(&json!(SEED)).unwrap();
    assert_eq!(check_recipe(&recipe, shipped_kinds()), []);
    assert_eq!(recipe.context_requirements.entries.len(), 3);
    assert_eq!(recipe.context_requirements.items, ItemsChoice::None);
    assert_eq!(recipe.context_outputs.as_ref().unwrap().refresh_policy.ttl_hours, Some(336));
    assert_eq!(read_recipe(&json!(to_yaml(&recipe))), Ok(recipe.clone()));
    let wanted = wanted_fields(&recipe, shipped_kinds());
    assert_eq!(wanted[0], ("brand".to_owned(), vec!["name".to_owned(), "tagline".into(), "voice".into()]));
    let shipped = crate::recipe::shipped_recipe("weekly-content-calendar").unwrap();
    assert_eq!(shipped.context_requirements, recipe.context_requirements);
    assert_eq!(shipped.context_outputs, recipe.context_outputs);
}

#[test]
fn shipped_recipes_name_shipped_kinds() {
    let names: Vec<&str> = shipped_recipes().iter().map(|recipe| recipe.recipe.as_str()).collect();
    let expected = [
        "brand-voice-check",
        "competitor-snapshot",
        "positioning-statement",
        "trend-digest",
        "weekly-content-calendar",
    ];
    assert_eq!(names, expected);
    for recipe in shipped_recipes() {
        assert_eq!(check_recipe(recipe, shipped_kinds()), [], "{}", recipe.recipe);
        assert!(recipe.prompt.is_some() && recipe.schedule.is_none());
    }
    for kind in shipped_kinds().iter().filter(|kind| kind.produced_by.is_some()) {
        let producer =
            shipped_recipes().iter().find(|recipe| Some(&recipe.recipe) == kind.produced_by.as_ref()).unwrap();
        assert_eq!(producer.context_outputs.as_ref().unwrap().role, kind.anchor_role);
        assert!(!output_fields(producer, shipped_kinds()).is_empty());
    }
}

#[test]
fn a_workbenchs_own_recipe_stands_for_the_shipped_one() {
    let own = recipe(json!({"recipe": "trend-digest", "prompt": "p"}));
    let all = all_recipes(vec![recipe(json!({"recipe": "a", "prompt": "p"})), own.clone()]);
    assert_eq!((all.len(), all[0].recipe.as_str()), (6, "a"));
    assert_eq!(find_recipe(&all, "trend-digest").ok(), Some(&own));
    let error = find_recipe(&all, "trends-digest").unwrap_err();
    assert_eq!((error.code().as_str(), error.info.suggestions), ("RECIPE_NOT_FOUND", vec!["trend-digest".to_owned()]));
}

#[test]
fn unknown_kinds_and_fields_are_refused_with_what_was_meant() {
    let told = |definition: Value| -> Vec<String> {
        check_recipe(&recipe(definition), shipped_kinds()).iter().map(ToString::to_string).collect()
    };
    let needs = |role: &str, fields: Value| json!({"recipe": "x", "context_requirements": {"entries": [{"role": role, "fields": fields}]}});
    assert_eq!(
        told(needs("brnd", json!([]))),
        ["`context_requirements.entries[0].role`: there is no kind `brnd`; did you mean `brand`?"]
    );
    assert_eq!(
        told(needs("brand", json!(["voise"]))),
        ["`context_requirements.entries[0].fields`: brand has no field `voise`; did you mean `voice`?"]
    );
    let makes = |outputs: Value| json!({"recipe": "x", "prompt": "p", "context_outputs": outputs});
    assert!(
        told(makes(json!({"role": "solution", "fields_produced": ["a"]})))[0].contains("there is no kind `solution`")
    );
    assert!(told(makes(json!({"role": "brand", "fields_produced": ["nme", "logo"]}))).len() == 2);
    assert!(
        told(makes(json!({"role": "brand", "entry_key": "x", "fields_produced": ["name"]})))[0]
            .contains("it has no key")
    );
    assert!(told(makes(json!({"role": "competitor", "fields_produced": ["name"]})))[0].contains("say which one"));
    let twice = json!({"recipe": "x", "context_requirements": {"entries": [{"role": "brand"}, {"role": "brand"}]}});
    assert!(told(twice)[0].contains("is there twice"));
}

#[test]
fn rules_of_form_are_told_with_their_places() {
    for (definition, words) in [
        (json!({"recipe": "x"}), "needs some context or asks something"),
        (json!({"recipe": "X y", "prompt": "p"}), "`recipe`: a name starts with"),
        (json!({"prompt": "p"}), "`recipe`: it is missing"),
        (json!({"recipe": "x", "prompt": "{{contxt}}"}), "did you mean `context`?"),
        (json!({"recipe": "x", "prompt": "p", "schedule": "hourly"}), "`schedule`: this has 1 fields"),
        (json!({"recipe": "x", "prompt": "p", "tags": []}), "`tags`: there is no such member"),
        (json!({"recipe": "x", "context_requirements": {"entrys": []}}), "did you mean `entries`?"),
        (
            json!({"recipe": "x", "context_requirements": {"entries": [{"type": "brand"}]}}),
            "`context_requirements.entries[0].role`",
        ),
        (json!({"recipe": "x", "context_requirements": {"items": "some"}}), "`context_requirements.items`"),
        (json!({"recipe": "x", "prompt": "p", "context_outputs": {"role": "brand"}}), "say which fields it fills"),
        (
            json!({"recipe": "x", "prompt": "p", "context_outputs": {"role": "brand", "fields_produced": ["name"], "refresh_policy": {"ttl_hours": 0}}}),
            "ttl_hours`",
        ),
    ] {
        let told: Vec<String> = read_recipe(&definition).unwrap_err().iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|message| message.contains(words)), "{words}: {told:?}");
    }
}

#[test]
fn everything_has_its_place_and_nothing_is_filled_twice() {
    let fill = |prompt: &str, input: &str| fill(Some(prompt), "<context/>", input, "2026-11-17");
    assert_eq!(fill("{{context}} on {{ today }}: {{input}}", "go {{today}}"), "<context/> on 2026-11-17: go {{today}}");
    assert_eq!(fill("Write.", "More."), "<context/>\n\nWrite.\n\nMore.", "neither is lost");
    assert_eq!(fill("{{context}}\n{{input}}\n", ""), "<context/>");
    assert_eq!(fill("{{context}} a {{b}}", ""), "<context/> a", "an unknown place is empty");
    assert_eq!(fill("{{context}} {{ a }", ""), "<context/> {{ a }", "half a place is text");
    assert_eq!(crate::recipe::fill(None, "<context/>", "Go.", ""), "<context/>\n\nGo.");
}

#[test]
fn versions_count_up_only_when_something_is_different() {
    let first = next_version(None, recipe(json!({"recipe": "x", "prompt": "p", "version": 4}))).unwrap();
    assert_eq!((first.version, next_version(Some(&first), recipe(json!({"recipe": "x", "prompt": "p"})))), (1, None));
    assert_eq!(next_version(Some(&first), recipe(json!({"recipe": "x", "prompt": "q"}))).unwrap().version, 2);
}
