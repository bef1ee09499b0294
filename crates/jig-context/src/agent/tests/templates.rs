//! Template names are checked before use.

use serde_json::json;

use super::super::template::problems;
use crate::agent::{Variables, render};

fn wrong(text: &str) -> Vec<String> {
    problems(text).into_iter().map(|(place, message)| format!("{place}: {message}")).collect()
}

#[test]
fn names_blocks_and_scopes_are_checked() {
    for good in [
        "{{userMessage}} {{{plan}}} {{!-- a comment --}}",
        "{{#each currentArtifact.sections}}- {{@index}} {{title}} {{this.slug}} {{../project.name}}{{else}}none{{/each}}",
        "{{#if failure}}{{failure}}{{else}}{{plan}}{{/if}}{{#unless plan}}x{{/unless}}",
        "{{#with item}}{{number}} of {{total}}{{/with}}",
        "{{#each project.stages}}{{@key}}: {{progress_pct}}{{/each}}",
        "{{#each relatedArtifacts}}{{#each sections}}{{title}} {{../name}}{{/each}}{{/each}}",
    ] {
        assert_eq!(wrong(good), [] as [&str; 0], "{good}");
    }
    for (bad, message) in [
        ("{{usermessage}}", "line 1: there is no variable `usermessage`; did you mean `userMessage`?"),
        ("{{project.nam}}", "line 1: there is no variable `project.nam`; did you mean `name`?"),
        ("\n{{#each manifest}}{{title}}{{/each}}", "line 2: there is no variable `title`; there are kind, path, size"),
        ("{{manifest}}", "line 1: `manifest` is a list; use {{#each}}"),
        ("{{project}}", "line 1: `project` has members; name one of them"),
        ("{{#each plan}}x{{/each}}", "line 1: `plan` is not a list"),
        ("{{#with plan}}x{{/with}}", "line 1: `plan` has no members"),
        ("{{@index}}", "line 1: `@index` is not known here"),
        ("{{../plan}}", "line 1: `../plan` leads out of the variables"),
        ("{{#when plan}}x{{/when}}", "line 1: there is no block `when`"),
        ("{{> partial}}", "line 1: partials and decorators are not allowed here"),
        ("{{lookup project name}}", "line 1: only variables and the blocks each, if, unless and with are allowed"),
        ("{{#if (eq plan research)}}x{{/if}}", "line 1: calls inside of calls are not allowed here"),
    ] {
        assert_eq!(wrong(bad), [message], "{bad}");
    }
    assert!(wrong("one\n{{#if plan}}").iter().all(|problem| problem.contains("invalid Handlebars template")));
    assert!(!wrong("{{#if plan}}").is_empty());
}

#[test]
fn what_is_put_in_stays_as_it_is() {
    let variables = Variables::default()
        .set("userMessage", "<b> & {{plan}}")
        .set("currentArtifact.sections", json!([{ "title": "One", "is_done": true, "slug": "one" }]))
        .set("nothing.of.the.kind", "x");
    assert_eq!(render("{{userMessage}}", &variables).unwrap(), "<b> & {{plan}}");
    let text = "{{#each currentArtifact.sections}}- [{{#if is_done}}✓{{else}} {{/if}}] {{title}} ({{slug}})\n{{/each}}";
    assert_eq!(render(text, &variables).unwrap(), "- [✓] One (one)\n");
    assert_eq!(render("[{{plan}}]", &Variables::default()).unwrap(), "[]", "what nobody set says nothing");
}
