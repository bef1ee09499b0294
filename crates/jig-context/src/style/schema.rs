//! The operations of a format and their parameter objects, from the operation definitions.

use jig_contract::file_api::OpSet;
use jig_contract::file_api::ops::docx::DocxOp;
use jig_contract::file_api::ops::pptx::PptxOp;
use jig_contract::file_api::ops::schema::{FieldInfo, ObjectInfo, op_infos};
use jig_contract::file_api::ops::xlsx::XlsxOp;

use super::Format;
use super::fields::facts;

/// The parameters of a format's tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schema {
    /// The name of the tool.
    pub(super) tool: &'static str,
    pub(super) ops: Vec<ObjectInfo>,
    /// Each nested object once, in the order of the operations.
    pub(super) values: Vec<ObjectInfo>,
}

impl Schema {
    /// The schema of a format's operation.
    pub(super) fn of(format: Format) -> Self {
        let spec = format.operation();
        let (mut ops, usual) = match format {
            Format::Xlsx => (op_infos::<XlsxOp>(), XlsxOp::USUAL),
            Format::Docx => (op_infos::<DocxOp>(), DocxOp::USUAL),
            Format::Pptx => (op_infos::<PptxOp>(), PptxOp::USUAL),
        };
        // The catalog is part of prompts, so it has the usual ops and those that style something.
        let styles = |name: &str| facts(format).iter().any(|fact| fact.0 == name && !fact.2.is_empty());
        ops.retain(|op| usual.contains(&op.name.as_str()) || styles(&op.name));
        let mut values = Vec::new();
        for op in &ops {
            collect(&op.fields, &mut values);
        }
        Self { tool: spec.surfaces.tool.unwrap_or(spec.name), ops, values }
    }
}

/// Adds the objects nested in these fields.
fn collect(fields: &[FieldInfo], values: &mut Vec<ObjectInfo>) {
    for field in fields.iter().filter(|field| !field.fields.is_empty()) {
        // An object that occurs again under another name, such as the cells in `rows` of a table, is listed once.
        if values.iter().all(|known| known.fields != field.fields) {
            values.push(ObjectInfo { name: object_name(&field.name).to_owned(), fields: field.fields.clone() });
            collect(&field.fields, values);
        }
    }
}

/// The catalog's name for the object in a field: several fields hold runs, paragraphs and borders.
fn object_name(field: &str) -> &str {
    match field {
        "paragraphs" => "paragraph",
        "runs" | "title_runs" | "body_runs" => "run",
        "border_top" | "border_bottom" | "border_left" | "border_right" => "border",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, Schema};

    #[test]
    fn every_format_has_ops_with_fields() {
        for format in Format::ALL {
            let schema = Schema::of(format);
            assert_eq!(schema.tool, format!("{}_operations", format.as_str()));
            assert!(schema.ops.len() >= 10, "{format:?}");
            assert!(schema.ops.iter().all(|op| !op.fields.is_empty()), "{format:?}");
        }
    }

    #[test]
    fn nested_objects_are_listed_once() {
        let names = Format::ALL.map(|format| {
            let values = Schema::of(format).values;
            values.into_iter().map(|value| value.name).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(
            names,
            ["cells style border columns rows margins header", "run paragraph cells", "run bullets cells"]
        );
    }

    #[test]
    fn hidden_fields_are_left_out_and_positions_count_from_one() {
        let schema = Schema::of(Format::Docx);
        let op = schema.ops.iter().find(|op| op.name == "delete_paragraphs").expect("an op");
        let names: Vec<&str> = op.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["paragraph", "count"]);
    }
}
