//! Checks that the kinds and fields of a recipe exist.

use jig_contract::ops::{ContextOutputs, FieldType, KindDefinition, RecipeDefinition};

use crate::definition::Problem;
use crate::document::{Key, nearest};
use crate::entry::{field, fields};

/// The errors of a recipe, given the kinds of its workbench. An invalid recipe is not saved; one that becomes invalid
/// through a later change of a kind reports this and does not run.
pub fn check_recipe(recipe: &RecipeDefinition, kinds: &[KindDefinition]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (number, requirement) in recipe.context_requirements.entries.iter().enumerate() {
        let place = format!("context_requirements.entries[{number}]");
        if seen.contains(&requirement.role.as_str()) {
            problems.push(Problem::new(format!("{place}.role"), format!("`{}` is there twice", requirement.role)));
        }
        seen.push(&requirement.role);
        match find(kinds, &requirement.role, &format!("{place}.role")) {
            Ok(kind) => problems.extend(unknown_fields(kind, &requirement.fields, &format!("{place}.fields"))),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(outputs) = &recipe.context_outputs {
        problems.extend(check_outputs(outputs, kinds));
    }
    problems
}

fn check_outputs(outputs: &ContextOutputs, kinds: &[KindDefinition]) -> Vec<Problem> {
    let kind = match find(kinds, &outputs.role, "context_outputs.role") {
        Ok(kind) => kind,
        Err(problem) => return vec![problem],
    };
    let place = "context_outputs.fields_produced";
    let mut problems = unknown_fields(kind, &outputs.fields_produced, place);
    for name in &outputs.fields_produced {
        let is_file = |field_type| field_type == FieldType::Asset;
        let made = field(kind, name).filter(|f| is_file(f.field_type) || f.item_type.is_some_and(is_file));
        problems.extend(made.map(|_| Problem::new(place, format!("`{name}` holds a file, which no answer can be"))));
    }
    let key = outputs.entry_key.as_deref();
    let about_key = match (kind.is_singleton, key) {
        (true, Some(_)) => Some(format!("there is only one {}: it has no key", kind.anchor_role)),
        (false, None) => Some(format!("there can be many of {}: say which one", kind.anchor_role)),
        (false, Some(key)) => Key::new(key)
            .map(|key| key.is_singleton())
            .map_or_else(|error| Some(error.to_string()), |empty| empty.then(|| "it is empty".to_owned())),
        (true, None) => None,
    };
    problems.extend(about_key.map(|message| Problem::new("context_outputs.entry_key", message)));
    problems
}

fn find<'a>(kinds: &'a [KindDefinition], role: &str, place: &str) -> Result<&'a KindDefinition, Problem> {
    kinds.iter().find(|kind| kind.anchor_role == role).ok_or_else(|| {
        let suggestions = nearest(role, kinds.iter().map(|kind| kind.anchor_role.as_str()));
        Problem::new(place, format!("there is no kind `{}`", crate::document::shown(role))).suggest(suggestions)
    })
}

fn unknown_fields(kind: &KindDefinition, names: &[String], place: &str) -> Vec<Problem> {
    let all = fields(kind);
    let problem = |name: &String| {
        let suggestions = nearest(name, all.iter().map(|field| field.key.as_str()));
        let message = format!("{} has no field `{}`", kind.anchor_role, crate::document::shown(name));
        Problem::new(place, message).suggest(suggestions)
    };
    names.iter().filter(|name| all.iter().all(|field| field.key != **name)).map(problem).collect()
}

/// The requested fields for each kind that a recipe needs, in the kind's order. This is exactly what a query has to
/// load.
pub fn wanted_fields(recipe: &RecipeDefinition, kinds: &[KindDefinition]) -> Vec<(String, Vec<String>)> {
    let wanted = |requirement: &jig_contract::ops::EntryRequirement| {
        let kind = kinds.iter().find(|kind| kind.anchor_role == requirement.role)?;
        let asked = |name: &String| requirement.fields.is_empty() || requirement.fields.contains(name);
        let names = fields(kind).into_iter().map(|field| field.key).filter(asked).collect();
        Some((requirement.role.clone(), names))
    };
    recipe.context_requirements.entries.iter().filter_map(wanted).collect()
}
