//! The catalog of parameters, generated from the schemas.

use super::Format;
use super::fields::fact;
use super::schema::{Field, Schema, Shape};

/// The catalog of a format as Markdown.
pub(super) fn render(format: Format) -> String {
    let schema = Schema::of(format);
    let mut text = format!(
        "# Parameters of `{}` that change the look\n\nGenerated from the tool's schema. `?` marks what may be left \
         out. A list of ops is carried out whole or not at all.\n\n## Ops\n",
        schema.tool
    );
    for op in schema.ops.iter().filter(|op| changes_look(format, op)) {
        text += &format!("\n- `{}`{}", call(op), if looks(format, op).next().is_some() { ":" } else { "" });
        for field in looks(format, op) {
            text += &format!("\n  - {}", describe(format, &op.name, field));
        }
    }
    text += "\n";
    for shape in schema.values.iter().filter(|shape| changes_look(format, shape)) {
        text += &table(format, shape);
        if let Some(edge) = shape.fields.iter().find(|field| !field.inner.is_empty()) {
            text += &table(format, &Shape { name: "border".to_owned(), fields: edge.inner.clone() });
        }
    }
    text
}

/// Whether an op or value has a field that changes the look. One that nothing is known of counts as such.
pub(super) fn changes_look(format: Format, shape: &Shape) -> bool {
    looks(format, shape).next().is_some()
}

fn looks(format: Format, shape: &Shape) -> impl Iterator<Item = &Field> {
    let is_look = move |field: &&Field| fact(format, &shape.name, &field.name).is_none_or(|fact| !fact.2.is_empty());
    shape.fields.iter().filter(is_look)
}

fn call(op: &Shape) -> String {
    let fields = op.fields.iter().map(|field| format!(" {}{}", field.name, if field.optional { "?" } else { "" }));
    std::iter::once(op.name.clone()).chain(fields).collect()
}

fn describe(format: Format, owner: &str, field: &Field) -> String {
    let (kind, detail) = kind_and_detail(format, owner, field);
    format!("`{}`: {kind}{}{detail}", field.name, if detail.is_empty() { "" } else { "; " })
}

fn table(format: Format, shape: &Shape) -> String {
    let mut text = format!("\n## `{}`\n\n| field | type | unit, range or values |\n|---|---|---|\n", shape.name);
    for field in &shape.fields {
        let (kind, detail) = kind_and_detail(format, &shape.name, field);
        text += &format!("| `{}`{} | {kind} | {detail} |\n", field.name, if field.optional { " ?" } else { "" });
    }
    text
}

fn kind_and_detail(format: Format, owner: &str, field: &Field) -> (&'static str, String) {
    let (kind, detail) = fact(format, owner, &field.name).map_or(("", ""), |fact| (fact.2, fact.3));
    let kind = if kind.is_empty() { "content" } else { kind };
    if field.values.is_empty() {
        return (kind, detail.to_owned());
    }
    (kind, field.values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "))
}
