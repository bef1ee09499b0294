//! The form of an entry, generated from its kind: rendering and parsing.

use jig_contract::ops::{AssetUpload, EntryInfo, FieldDefinition, FieldType, KindDefinition, ResolvedAsset};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::super::problem::Problem;
use super::form::{self, Form};
use super::icons::icon;
use super::units::{bytes, when, who};
use super::visit::Visit;

/// The fields of a kind, including the free-text field if enabled.
pub(super) fn fields(kind: &KindDefinition) -> Vec<FieldDefinition> {
    let mut fields = kind.field_schema.fields.clone();
    if kind.notes && !fields.iter().any(|field| field.key == "notes") {
        fields.push(FieldDefinition {
            key: "notes".to_owned(),
            field_type: FieldType::Longtext,
            label: "Notes".to_owned(),
            required: false,
            placeholder: None,
            help: Some("What no other field has room for".to_owned()),
            accept: None,
            item_type: None,
            options: Vec::new(),
        });
    }
    fields
}

/// All fields with the values of an entry.
pub(super) fn draw(visit: &Visit, kind: &KindDefinition, entry: Option<&EntryInfo>) -> Markup {
    html! { @for field in fields(kind) { (field_row(visit, &field, entry)) } }
}

fn field_row(visit: &Visit, field: &FieldDefinition, entry: Option<&EntryInfo>) -> Markup {
    let value = entry.and_then(|entry| entry.data.get(&field.key)).unwrap_or(&Value::Null);
    let (id, help) = (format!("f-{}", field.key), format!("h-{}", field.key));
    let described = field.help.as_ref().map(|_| help.clone());
    let group = matches!(field.field_type, FieldType::Array);
    html! {
        div class="field" data-field=(field.key) role=[group.then_some("group")] aria-labelledby=[group.then(|| format!("l-{}", field.key))] {
            @if group { span class="label" id={ "l-" (field.key) } { (label(field)) } } @else { label for=(id) { (label(field)) } }
            (control(visit, field, value, &id, described.as_deref(), entry))
            @if let Some(text) = &field.help { p class="help" id=(help) { (text) } }
            (provenance(visit, field, entry))
        }
    }
}

fn label(field: &FieldDefinition) -> Markup {
    html! { (field.label) @if field.required { span class="required" title="needed for the entry to be complete" { " *" } } }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn control(
    visit: &Visit,
    field: &FieldDefinition,
    value: &Value,
    id: &str,
    help: Option<&str>,
    entry: Option<&EntryInfo>,
) -> Markup {
    let name = format!("v:{}", field.key);
    let placeholder = field.placeholder.as_deref();
    match field.field_type {
        FieldType::Longtext => {
            html! { textarea id=(id) name=(name) rows="5" placeholder=[placeholder] aria-describedby=[help] { "\n" (text_of(value)) } }
        }
        FieldType::Boolean => choice(id, &name, help, value, &["true", "false"], &["Yes", "No"]),
        FieldType::Select => {
            let options: Vec<&str> = field.options.iter().map(String::as_str).collect();
            choice(id, &name, help, value, &options, &options)
        }
        FieldType::Array => list(field, &name, value, help),
        FieldType::Asset => asset(visit, field, value, id, &name, help, entry),
        FieldType::Text | FieldType::Number | FieldType::Date | FieldType::Url => html! {
            input id=(id) name=(name) type=(input_type(field.field_type)) value=(text_of(value)) placeholder=[placeholder] aria-describedby=[help]
                step=[(field.field_type == FieldType::Number).then_some("any")] autocomplete="off";
        },
    }
}

const fn input_type(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Number => "number",
        FieldType::Date => "date",
        FieldType::Url => "url",
        _ => "text",
    }
}

fn choice(id: &str, name: &str, help: Option<&str>, value: &Value, options: &[&str], words: &[&str]) -> Markup {
    let now = text_of(value);
    let known = now.is_empty() || options.contains(&now.as_str());
    html! {
        select id=(id) name=(name) aria-describedby=[help] {
            option value="" { "–" }
            @if !known { option value=(now) selected { (now) " (no longer offered)" } }
            @for (option, word) in options.iter().zip(words) { option value=(option) selected[now == **option] { (word) } }
        }
    }
}

/// Whether a list contains colours, according to the kind.
fn is_colours(field: &FieldDefinition) -> bool {
    let key = field.key.to_lowercase();
    key.contains("color")
        || key.contains("colour")
        || field.placeholder.as_deref().is_some_and(|text| is_colour(text.trim()))
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn list(field: &FieldDefinition, name: &str, value: &Value, help: Option<&str>) -> Markup {
    let values: Vec<String> = value.as_array().into_iter().flatten().map(text_of).collect();
    let colours = is_colours(field);
    let word = if colours { "+ Add Color" } else { "+ Add" };
    html! {
        div class={ "list" @if colours { " colours" } } data-list {
            // Shows that the list was part of the form, so that an emptied list is saved as empty.
            input type="hidden" name={ "shown:" (field.key) } value="1";
            @for (n, value) in values.iter().enumerate() { (list_row(field, name, value, n, help, colours)) }
            (list_row(field, name, "", values.len(), help, colours))
            template { (list_row(field, name, "", values.len() + 1, help, colours)) }
            button class="button small" type="button" data-add { (word) span class="sr" { " to " (field.label) } }
        }
    }
}

fn list_row(field: &FieldDefinition, name: &str, value: &str, n: usize, help: Option<&str>, colours: bool) -> Markup {
    let item = field.item_type.unwrap_or(FieldType::Text);
    let label = format!("{} {}", field.label, n + 1);
    html! {
        div class="list-row" {
            @if colours {
                svg class="swatch" viewBox="0 0 10 10" aria-hidden="true" { rect width="10" height="10" rx="2" fill=(if is_colour(value) { value } else { "none" }) {} }
                input type="color" data-colour value=(if is_colour(value) { value } else { "#808080" }) aria-label={ "Pick " (label) };
            }
            @if item == FieldType::Longtext { textarea name=(name) rows="2" aria-label=(label) placeholder=[field.placeholder.as_deref()] aria-describedby=[help] { "\n" (value) } }
            @else { input name=(name) type=(input_type(item)) value=(value) aria-label=(label) placeholder=[field.placeholder.as_deref()] aria-describedby=[help] autocomplete="off"; }
            button class="button small icon-only" type="button" data-remove title="Remove" { (icon("x")) span class="sr" { "Remove " (label) } }
        }
    }
}

fn asset(
    visit: &Visit,
    field: &FieldDefinition,
    value: &Value,
    id: &str,
    name: &str,
    help: Option<&str>,
    entry: Option<&EntryInfo>,
) -> Markup {
    let known = entry.and_then(|entry| entry.assets.iter().find(|asset| asset.field == field.key));
    let has = value.as_str().is_some_and(|text| !text.is_empty());
    html! {
        div class="asset" {
            @if let Some(asset) = known { (shown_asset(visit, asset)) } @else if has { p class="muted" { (text_of(value)) } }
            div {
                @if has { p class="label" { "Replace" } }
                input id=(id) name={ "asset:" (field.key) } type="file" accept=[field.accept.as_deref()] aria-describedby=[help];
                input type="hidden" name=(name) value=(text_of(value));
                @if has { label class="choice" { input type="checkbox" name={ "drop:" (field.key) } value="true"; span { "Remove" span class="sr" { " " (field.label) } } } }
            }
        }
    }
}

fn shown_asset(visit: &Visit, asset: &ResolvedAsset) -> Markup {
    let to = format!("/api/workbenches/{}/assets/{}/content", visit.id(), super::super::query::encode(&asset.asset_id));
    let pictured =
        matches!(asset.mime_type.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/svg+xml");
    html! {
        div class="asset-now" {
            @if asset.expired { p { "It has expired." } }
            @else if pictured { img src=(to) alt=(asset.name) data-picture; }
            p { (icon("file")) bdi { (asset.name) } span class="muted" { " " (asset.mime_type) ", " (bytes(asset.size)) } }
            @if !asset.expired { a class="button small" href=(to) download { (icon("download")) "Download" span class="sr" { " " (asset.name) } } }
        }
    }
}

fn provenance(visit: &Visit, field: &FieldDefinition, entry: Option<&EntryInfo>) -> Markup {
    let Some(info) = entry.and_then(|entry| entry.fields.iter().find(|info| info.key == field.key)) else {
        return html! {};
    };
    html! {
        p class="fine" {
            (who(&info.by)) ", " (when(info.at, visit.now()))
            @if let Some(model) = &info.model_id { ", by " (model) }
            @if let Some(done) = &info.done { ", done" @if done.changed_since { " (changed since)" } }
        }
    }
}

/// The values of a form. New files become assets that expire unless the entry refers to them.
pub(super) async fn read(visit: &Visit, kind: &KindDefinition, form: &Form) -> Result<Map<String, Value>, Problem> {
    let mut data = Map::new();
    for field in fields(kind) {
        let name = format!("v:{}", field.key);
        let value = match field.field_type {
            FieldType::Array => {
                if form.text(&format!("shown:{}", field.key)).is_empty() {
                    continue;
                }
                let item = field.item_type.unwrap_or(FieldType::Text);
                let rows = form.all(&name).map(str::trim).filter(|text| !text.is_empty());
                let rows: Vec<Value> = rows.map(|text| typed(item, text)).collect();
                if rows.is_empty() { Value::Null } else { Value::Array(rows) }
            }
            FieldType::Asset => match asset_value(visit, &field, form).await? {
                Some(value) => value,
                None => continue,
            },
            _ => match form.fields.iter().find(|(known, _)| *known == name) {
                None => continue,
                Some((_, text)) if text.trim().is_empty() => Value::Null,
                Some((_, text)) => typed(field.field_type, &form::lines(text)),
            },
        };
        data.insert(field.key.clone(), value);
    }
    Ok(data)
}

/// Drops values that the form shows as stored. Browsers change line endings, and strip spaces and line breaks in
/// single-line inputs; a person who only viewed such a value did not change it.
pub(super) fn without_unchanged(kind: &KindDefinition, entry: &EntryInfo, data: &mut Map<String, Value>) {
    for field in fields(kind) {
        let same = |value: &Value| {
            let stored = entry.data.get(&field.key).unwrap_or(&Value::Null);
            as_sent(&field, value) == as_sent(&field, stored)
        };
        if data.get(&field.key).is_some_and(same) {
            data.remove(&field.key);
        }
    }
}

/// A value as a browser would send it back; null if it sends nothing.
fn as_sent(field: &FieldDefinition, value: &Value) -> Value {
    let line = |text: &str| text.replace(['\r', '\n'], "").trim().to_owned();
    match (field.field_type, value) {
        (_, Value::String(text)) if text.trim().is_empty() => Value::Null,
        (FieldType::Longtext, Value::String(text)) => json!(text.replace("\r\n", "\n").replace('\r', "\n")),
        (_, Value::String(text)) => json!(line(text)),
        (_, Value::Number(number)) => json!(number.as_f64()),
        (_, Value::Array(items)) => {
            let item = FieldDefinition { field_type: field.item_type.unwrap_or(FieldType::Text), ..field.clone() };
            let items: Vec<Value> = items
                .iter()
                .map(|value| match as_sent(&item, value) {
                    // All items of a list are trimmed.
                    Value::String(text) => json!(text.trim()),
                    value => value,
                })
                .filter(|value| !value.is_null())
                .collect();
            if items.is_empty() { Value::Null } else { Value::Array(items) }
        }
        (_, other) => other.clone(),
    }
}

async fn asset_value(visit: &Visit, field: &FieldDefinition, form: &Form) -> Result<Option<Value>, Problem> {
    let given = format!("asset:{}", field.key);
    if let Some(file) = form.files.first(&given) {
        let name = file.name.rsplit('/').next().unwrap_or_default();
        let asset = visit.on_staged::<AssetUpload>(json!({ "name": name }), &file.place).await?.asset;
        return Ok(Some(json!(asset.uri)));
    }
    let drop = form.text(&format!("drop:{}", field.key)) == "true";
    Ok(drop.then_some(Value::Null))
}

/// Parses a text as the type of its field. A value that does not fit stays a string, and the operation reports the
/// error.
fn typed(field_type: FieldType, text: &str) -> Value {
    let trimmed = text.trim();
    match field_type {
        FieldType::Number => {
            serde_json::from_str::<serde_json::Number>(trimmed).map_or_else(|_| json!(text), Value::Number)
        }
        FieldType::Boolean => trimmed.parse::<bool>().map_or_else(|_| json!(text), Value::Bool),
        FieldType::Longtext => json!(text),
        _ => json!(trimmed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_what_the_field_holds() {
        assert_eq!(typed(FieldType::Number, " 1.50 "), json!(1.5));
        assert_eq!(typed(FieldType::Number, "many"), json!("many"), "the operation refuses it");
        assert_eq!(typed(FieldType::Boolean, "false"), json!(false));
        assert_eq!(typed(FieldType::Text, " a "), json!("a"));
    }

    #[test]
    fn only_colours_are_drawn_as_such() {
        assert!(is_colour("#FF5733") && is_colour("#00aaff"));
        for text in ["", "red", "#fff", "#12345g", "#123456\" onload=\"x"] {
            assert!(!is_colour(text), "{text}");
        }
    }
}
