//! Contexts: format, missing content, limits, and escaping.

use std::collections::BTreeMap;

use jig_contract::ops::{EntryState, ResolvedAsset};
use jig_contract::{Actor, Code, OpError};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::{HOUR, acme, at, changed, context_of, entry, needing, recipe, words};
use crate::entry::{Writer, archive, shipped_kind, shipped_kinds};
use crate::extract::Extraction;
use crate::recipe::{
    Assembly, Attachment, Row, all_fields, assemble, by_rules, compared, element_name, escape, flat_text,
    output_fields, output_sources, question, rows, shipped_recipe,
};

#[test]
fn the_seeds_context_is_made_as_it_stands() {
    let recipe = needing(json!([
        {"role": "brand", "fields": ["name", "voice", "tagline"], "required": true},
        {"role": "customer", "fields": ["description", "pain_points"], "required": true},
    ]));
    let made = context_of(&recipe, &acme(), None).unwrap();
    let expected = "\
<context>
  <brand>
    <name>Acme Corp</name>
    <tagline>Building tomorrow, today.</tagline>
    <voice>Professional yet approachable. Use active voice. Avoid jargon.</voice>
  </brand>
  <customer>
    <description>SMB founders, 1-10 employees, bootstrapped</description>
    <pain_points>[\"Time-strapped\", \"Wearing multiple hats\", \"Limited budget\"]</pain_points>
  </customer>
</context>";
    assert_eq!(made.context, expected);
    let used: Vec<(&str, u64)> = made.used.iter().map(|used| (used.address.as_str(), used.revision)).collect();
    let all = ["@brand#name", "@brand#tagline", "@brand#voice", "@customer#description", "@customer#pain_points"];
    assert_eq!(used, all.map(|address| (address, 1)));
    assert_eq!((made.missing.len(), made.left_out.len(), made.tokens), (0, 0, words(expected)));
}

#[test]
fn all_competitors_are_there_in_a_stable_order() {
    let recipe = needing(json!([{"role": "competitor", "fields": ["name"]}]));
    let mut entries = acme();
    let made = context_of(&recipe, &entries, None).unwrap();
    entries.reverse();
    assert_eq!(context_of(&recipe, &entries, None).unwrap(), made);
    let keys: Vec<usize> = ["globex", "hooli", "initech"]
        .iter()
        .map(|key| made.context.find(&format!("<competitor key=\"{key}\">")).unwrap())
        .collect();
    assert!(keys.is_sorted());
}

#[test]
fn archived_entries_are_in_no_context() {
    let entries: Vec<_> = acme()
        .iter()
        .map(|entry| {
            let writer = Writer { author: Actor::person(), at: at(1), base_revision: None, previous: None };
            let kind = shipped_kind(entry.document.kind.as_str()).unwrap();
            archive(kind, entry, EntryState::Archived, &writer).unwrap()
        })
        .collect();
    assert!(context_of(&needing(json!([{"role": "brand", "required": true}])), &entries, None).is_err());
}

#[test]
fn what_is_required_and_missing_is_an_error_that_says_how_to_add_it() {
    let recipe = needing(json!([
        {"role": "vision", "fields": ["statement"], "required": true},
        {"role": "problem", "required": true},
        {"role": "trend", "fields": ["name"], "required": false},
    ]));
    let error = OpError::from(context_of(&recipe, &acme(), None).unwrap_err());
    assert_eq!(error.code(), Code::MissingContext);
    let missing = error.info.detail.clone().unwrap()["missing"].clone();
    assert_eq!((missing[0]["role"].clone(), missing[0]["fields"].clone()), (json!("vision"), json!(["statement"])));
    assert_eq!(missing[1]["fields"], json!(["statement", "impact"]), "what its kind requires");
    assert!(error.info.hints[0].contains("jig entry put vision --data '{\"statement\": …}'"), "{:?}", error.info.hints);
    let artifact = recipe_of_artifact(true);
    assert!(context_of(&artifact, &acme(), None).is_err_and(|error| error.to_string().contains("concept (goals)")));
    assert_eq!(context_of(&recipe_of_artifact(false), &acme(), None).unwrap().missing.len(), 1);
    let blank = entry("vision", "", json!({"statement": "  ", "milestones": ["x"]}));
    let recipe = needing(json!([{"role": "vision", "fields": ["statement"], "required": true}]));
    assert!(context_of(&recipe, &[blank], None).is_err(), "blank is not filled");
}

fn recipe_of_artifact(required: bool) -> jig_contract::ops::RecipeDefinition {
    let artifact = json!({"artifact": "concept", "sections": ["goals"], "required": required});
    recipe(json!({"recipe": "x", "context_requirements": {"artifacts": [artifact]}}))
}

#[test]
fn what_is_optional_and_missing_is_told_and_stops_nothing() {
    let recipe = needing(json!([
        {"role": "customer", "fields": ["description", "jobs_to_be_done"], "required": true},
        {"role": "trend_digest", "fields": ["summary"], "required": false},
    ]));
    let made = context_of(&recipe, &acme(), None).unwrap();
    let missing: Vec<(&str, Vec<String>, bool)> =
        made.missing.iter().map(|entry| (entry.role.as_str(), entry.fields.clone(), entry.required)).collect();
    assert_eq!(
        missing,
        [("customer", vec!["jobs_to_be_done".to_owned()], false), ("trend_digest", vec!["summary".into()], false)]
    );
    let half = [entry("customer", "", json!({"description": "SMB"}))];
    let made =
        context_of(&needing(json!([{"role": "customer", "fields": ["description"], "required": true}])), &half, None)
            .unwrap();
    assert_eq!(
        (made.incomplete[0].completeness, made.incomplete[0].missing.clone()),
        (0.5, vec!["pain_points".to_owned()])
    );
}

#[test]
fn old_entries_are_told() {
    let digest = entry("trend_digest", "", json!({"summary": "x"}));
    let old: Vec<Row> = rows(shipped_kinds(), std::slice::from_ref(&digest), at(169));
    let recipe = needing(json!([{"role": "trend_digest"}]));
    let made = made_of(&recipe, &old, &[], &BTreeMap::new());
    assert_eq!(made.stale[0].address, "@trend_digest");
    assert_eq!(made.stale[0].staleness.expired.as_ref().unwrap().hours_over, 1);
    assert!(context_of(&recipe, &[digest], None).unwrap().stale.is_empty());
    assert_eq!(HOUR, 3_600_000);
}

fn made_of(
    recipe: &jig_contract::ops::RecipeDefinition,
    rows: &[Row],
    attachments: &[Attachment],
    assets: &BTreeMap<String, ResolvedAsset>,
) -> crate::recipe::Assembled {
    assemble(&Assembly {
        recipe,
        kinds: shipped_kinds(),
        rows,
        attachments,
        assets,
        input: "",
        today: "2026-11-17",
        max_tokens: None,
        count: &words,
    })
    .unwrap()
}

#[test]
fn what_can_be_spared_is_left_out_first_and_what_cannot_is_an_error() {
    let recipe = needing(json!([
        {"role": "competitor", "fields": ["name"], "required": false},
        {"role": "brand", "fields": ["name"], "required": true},
        {"role": "customer", "fields": ["description"], "required": false},
    ]));
    let all = context_of(&recipe, &acme(), None).unwrap();
    let less = context_of(&recipe, &acme(), Some(all.tokens - 1)).unwrap();
    assert_eq!(less.left_out.iter().map(|left| left.source.as_str()).collect::<Vec<_>>(), ["@customer"]);
    assert!(less.tokens < all.tokens && !less.context.contains("<customer>"));
    let least = context_of(&recipe, &acme(), Some(6)).unwrap();
    let left: Vec<&str> = least.left_out.iter().map(|left| left.source.as_str()).collect();
    assert_eq!(left, ["@competitor:globex", "@competitor:hooli", "@competitor:initech", "@customer"]);
    assert!(least.context.contains("Acme Corp") && least.used.len() == 1);
    let error = OpError::from(context_of(&recipe, &acme(), Some(5)).unwrap_err());
    assert_eq!(error.code(), Code::ContextTooLarge);
    assert_eq!(error.info.detail.unwrap()["sizes"][0]["address"], "@brand");
}

#[test]
fn files_say_what_they_are_and_expired_ones_say_so() {
    let uri = |n: u8| format!("asset://550e8400-e29b-41d4-a716-44665544000{n}");
    let brand = entry("brand", "", json!({"name": "Acme", "logo": uri(1), "guidelines_doc": uri(2)}));
    let rows = rows(shipped_kinds(), &[brand], at(0));
    let recipe = needing(json!([{"role": "brand", "fields": ["logo", "guidelines_doc"]}]));
    let asset = |n: u8, name: &str, mime: &str, expired| {
        let id = uri(n).replace("asset://", "");
        let asset = ResolvedAsset {
            field: "x".into(),
            asset_id: id.clone(),
            url: None,
            mime_type: mime.into(),
            name: name.into(),
            size: 5,
            expired,
        };
        (id, asset)
    };
    let assets =
        BTreeMap::from([asset(1, "<logo>.png", "image/png", false), asset(2, "g.pdf", "application/pdf", true)]);
    let made = made_of(&recipe, &rows, &[], &assets).context;
    assert!(made.contains(&format!("<logo>&lt;logo&gt;.png (image/png) {}</logo>", uri(1))), "{made}");
    assert!(made.contains(&format!("g.pdf (application/pdf, expired) {}", uri(2))), "{made}");
    let bare = made_of(&recipe, &rows, &[], &BTreeMap::new()).context;
    assert!(bare.contains(&format!("<logo>{}</logo>", uri(1))));
}

#[test]
fn items_and_artifacts_stand_behind_the_entries() {
    let attachment = |element: &str, name: &str, parts: &[(&str, &str)]| Attachment {
        element: element.into(),
        name: name.into(),
        address: format!("@{name}"),
        used: vec![jig_contract::ops::UsedRevision { address: format!("@{name}"), revision: 4 }],
        parts: parts.iter().map(|(part, text)| ((*part).to_owned(), (*text).to_owned())).collect(),
        required: false,
    };
    let attachments = [
        attachment("item", "situation", &[("context", "Board </item> on Friday")]),
        attachment("artifact", "concept", &[("a", "x"), ("b", "y")]),
    ];
    let rows = rows(shipped_kinds(), &acme(), at(0));
    let made = made_of(&needing(json!([{"role": "brand", "fields": ["name"]}])), &rows, &attachments, &BTreeMap::new());
    let expected = "  <item name=\"situation\">Board &lt;/item&gt; on Friday</item>\n  <artifact name=\"concept\">\n    <part name=\"a\">x</part>\n    <part name=\"b\">y</part>\n  </artifact>\n</context>";
    assert!(made.context.ends_with(expected), "{}", made.context);
    assert_eq!(made.used.last().map(|used| (used.address.as_str(), used.revision)), Some(("@concept", 4)));
}

#[test]
fn a_run_asks_by_the_kind_and_is_made_from_what_it_used() {
    let recipe = shipped_recipe("weekly-content-calendar").unwrap();
    let made = context_of(recipe, &acme(), None).unwrap();
    assert!(made.prompt.contains("Today is 2026-11-17.") && made.prompt.contains("<voice>"), "{}", made.prompt);
    let asked = question(output_fields(recipe, shipped_kinds()), &made.prompt);
    assert_eq!(asked.request().unwrap().schema["required"], json!(["topics", "schedule", "hooks"]));
    let done = asked.answered(r#"{"topics":["a"],"schedule":["Mon, blog: a"],"hooks":["h"]}"#);
    assert!(matches!(done, Extraction::Done(_)));
    let sources = output_sources(recipe, &made.used);
    assert_eq!(sources.len(), made.used.len());
    let own = jig_contract::ops::UsedRevision { address: "@content_calendar#topics".into(), revision: 1 };
    assert_eq!(output_sources(recipe, &[own]), []);
}

#[test]
fn a_run_without_a_model_fills_what_is_required() {
    let recipe = shipped_recipe("weekly-content-calendar").unwrap();
    let fields = output_fields(recipe, shipped_kinds());
    let rows = rows(shipped_kinds(), &acme(), at(0));
    let made = by_rules(recipe, &fields, &rows);
    assert_eq!(made.fields.len(), 3);
    assert_eq!(made.fields[0].value, json!(["Time-strapped", "Wearing multiple hats", "Limited budget"]));
    assert_eq!(by_rules(recipe, &fields, &rows), made);
    assert!(by_rules(recipe, &fields, &[]).fields.is_empty());
}

#[test]
fn projection_is_compared_with_the_whole() {
    let recipe = needing(json!([{"role": "brand", "fields": ["name"], "required": true}]));
    let rows = rows(shipped_kinds(), &acme(), at(0));
    let whole = all_fields(&recipe, shipped_kinds(), &rows, &[]);
    assert!(whole.contains("<colors>") && !whole.contains("Globex"));
    let flat = flat_text(shipped_kinds(), &rows);
    assert!(flat.contains("Brand Voice:") && flat.contains("# Competitor: globex") && flat.contains("- Time-strapped"));
    let made = context_of(&recipe, &acme(), None).unwrap();
    let tokens = compared(made.tokens, words(&whole), words(&flat), false);
    assert!(tokens.projected < tokens.all_fields && tokens.all_fields < tokens.flat_text);
    assert!(tokens.times_smaller_than_flat_text.unwrap() > tokens.times_smaller_than_all_fields.unwrap());
}

#[test]
fn an_empty_recipe_has_an_empty_context() {
    let only_prompt = recipe(json!({"recipe": "x", "prompt": "Hello {{input}}"}));
    let made = context_of(&only_prompt, &acme(), None).unwrap();
    assert_eq!(made.context, "<context>\n</context>");
}

#[test]
fn a_revision_that_was_used_is_the_one_that_was_read() {
    let mut entries = acme();
    entries[1] = changed(&entries[1], json!({"name": "Acme 2"}), 1);
    let made = context_of(&needing(json!([{"role": "brand", "fields": ["name"]}])), &entries, None).unwrap();
    assert_eq!((made.used[0].revision, made.context.contains("Acme 2")), (2, true));
}

proptest! {
    #[test]
    fn no_value_breaks_out_of_its_element(text in "(\\PC|[<>&\"'\\n\\]]|</name>|</brand>|<!\\[CDATA\\[|\u{0}){0,30}") {
        let name: String = text.chars().filter(|c| *c != '\0').take(400).collect();
        let made = context_of(&needing(json!([{"role": "brand", "fields": ["name"]}])), &[entry("brand", "", json!({"name": name}))], None).unwrap();
        let inside = made.context.strip_prefix("<context>\n  <brand>\n    <name>").and_then(|rest| rest.strip_suffix("</name>\n  </brand>\n</context>"));
        match inside {
            Some(inside) => prop_assert!(!inside.contains(['<', '>'])),
            None => prop_assert_eq!(made.context, "<context>\n</context>"),
        }
    }

    #[test]
    fn names_and_attributes_are_always_well_formed(name in "\\PC{0,20}", text in any::<String>()) {
        let element = element_name(&name);
        prop_assert!(element.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        prop_assert!(!element.contains(['<', '>', '"', ' ', '/']));
        let escaped = escape(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\0']));
        let value: Value = json!(escaped);
        prop_assert!(value.is_string());
    }
}
