//! The catalog of parameters, generated from the definitions of the operations.

use jig_contract::file_api::ops::schema::{FieldInfo, ObjectInfo};

use super::Format;
use super::fields::fact;
use super::schema::Schema;

/// The catalog of a format as Markdown.
pub(super) fn render(format: Format) -> String {
    let schema = Schema::of(format);
    let mut text = format!(
        "# Parameters of `{}` that change the look\n\nGenerated from the definitions of the ops. `?` marks optional \
         fields. If one op of a list fails, nothing is changed.\n\n## Ops\n",
        schema.tool
    );
    for op in schema.ops.iter().filter(|op| changes_look(format, op)) {
        text += &format!("\n- `{}`{}", call(op), if looks(format, op).next().is_some() { ":" } else { "" });
        for (names, what) in descriptions(format, op) {
            text += &format!("\n  - {}: {what}", names.join(", "));
        }
    }
    text += "\n";
    for shape in schema.values.iter().filter(|shape| changes_look(format, shape)) {
        text += &table(format, shape);
    }
    text
}

/// Whether an operation or object has a field that affects the appearance. Unknown fields count as such.
pub(super) fn changes_look(format: Format, shape: &ObjectInfo) -> bool {
    looks(format, shape).next().is_some()
}

fn looks(format: Format, shape: &ObjectInfo) -> impl Iterator<Item = &FieldInfo> {
    let is_look =
        move |field: &&FieldInfo| fact(format, &shape.name, &field.name).is_none_or(|fact| !fact.2.is_empty());
    shape.fields.iter().filter(is_look)
}

fn call(op: &ObjectInfo) -> String {
    let fields = op.fields.iter().map(|field| format!(" {}{}", field.name, if field.required { "" } else { "?" }));
    std::iter::once(op.name.clone()).chain(fields).collect()
}

/// The values of the fields that affect the appearance. Adjacent fields with equal descriptions share a line.
fn descriptions(format: Format, op: &ObjectInfo) -> Vec<(Vec<String>, String)> {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for field in looks(format, op) {
        let (kind, detail) = kind_and_detail(format, &op.name, field);
        let what = format!("{kind}{}{detail}", if detail.is_empty() { "" } else { "; " });
        let name = format!("`{}`", field.name);
        match lines.last_mut() {
            Some((names, last)) if *last == what => names.push(name),
            _ => lines.push((vec![name], what)),
        }
    }
    lines
}

fn table(format: Format, shape: &ObjectInfo) -> String {
    // One sentence is clearer than marking every row.
    let all_optional = shape.fields.iter().all(|field| !field.required);
    let note = if all_optional { "All fields are optional.\n\n" } else { "" };
    let mut text = format!("\n## `{}`\n\n{note}| field | type | unit, range or values |\n|---|---|---|\n", shape.name);
    for field in &shape.fields {
        let (kind, detail) = kind_and_detail(format, &shape.name, field);
        let mark = if field.required || all_optional { "" } else { " ?" };
        text += &format!("| `{}`{mark} | {kind} | {detail} |\n", field.name);
    }
    text
}

fn kind_and_detail(format: Format, owner: &str, field: &FieldInfo) -> (&'static str, String) {
    let (kind, detail) = fact(format, owner, &field.name).map_or(("", ""), |fact| (fact.2, fact.3));
    let kind = if kind.is_empty() { "content" } else { kind };
    let values = field.values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    let parts = [values.as_str(), detail];
    (kind, parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "))
}
