//! `set_data_validation`, `clear_data_validation`.

use jig_file_api::ops::xlsx::{ClearDataValidation, SetDataValidation};
use serde_json::Value;

use super::WorkbookEdit;
use super::conditional_formats::{formula_of, operator};
use super::current_cells::resolve;
use super::order::{WORKSHEET, insert_in_order};
use super::sqref::{cut, list, ranges_at};
use super::values::number_text;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::CellRange;
use crate::xlsx::serial_date::serial_of_input;
use crate::xml::{Ns, escape_attribute, escape_text, strip_illegal};

/// The most characters of the values of a list.
const MOST_LIST: usize = 255;

/// Sets the validation of cells; it replaces the one they have.
pub(super) fn set(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: SetDataValidation) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let ranges = ranges_at(input, &op.range, &op.sheet)?;
    let (kind, operator, formulas) = condition(editor, input, &op)?;
    let replaced = cut(editor, &part, ["dataValidation", "dataValidation"], &ranges)?;
    let sqref = list(&ranges);
    editor.edit_frame(&part, |root, splice| {
        let p = root.prefix();
        let markup = markup(p, &op, kind, operator, &formulas, &sqref);
        match root.child(Ns::S, "dataValidations") {
            Some(list) => {
                splice.append(list, markup);
                let count = list.elements().count() + 1;
                splice.set_attr(list, "count", &count.to_string());
            }
            None => {
                let markup = format!("<{p}dataValidations count=\"1\">{markup}</{p}dataValidations>");
                insert_in_order(splice, root, "dataValidations", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })?;
    let shown = ranges.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let summary = format!("Set the data validation `{}` on {shown} of {}.", op.kind, op.sheet);
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("range", shown).with("type", op.kind);
    Ok(if replaced > 0 { report.with("replaced", replaced) } else { report })
}

/// The type, the operator and the formulas of a validation.
fn condition(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &SetDataValidation,
) -> Result<(&'static str, Option<&'static str>, Vec<String>), Error> {
    let kind = match op.kind.as_str() {
        "list" => return Ok(("list", None, vec![list_source(editor, input, op)?])),
        "custom" => {
            let given = op.formula.as_deref().map(Value::from);
            let given = given.as_ref().or(op.value.as_ref());
            return Ok(("custom", None, vec![formula_of(editor, input, "formula", given)?]));
        }
        "whole" => "whole",
        "decimal" => "decimal",
        "date" => "date",
        "time" => "time",
        _ => "textLength",
    };
    let name = match op.operator.as_deref() {
        Some(name) => name,
        None if op.value2.is_some() => "between",
        None => {
            let why =
                "missing: how values are compared, such as `between` with `value` and `value2`, or `greater_than`";
            return Err(input.error("operator", why).into());
        }
    };
    let known = ["between", "not_between", "equal", "not_equal"];
    let one_sided = ["greater_than", "less_than", "greater_or_equal", "less_or_equal"];
    if !known.contains(&name) && !one_sided.contains(&name) {
        return Err(input.error("operator", format!("`{name}` does not compare values")).suggest(one_sided).into());
    }
    let mut formulas = vec![limit(editor, input, "value", kind, op.value.as_ref())?];
    if name.ends_with("between") {
        formulas.push(limit(editor, input, "value2", kind, op.value2.as_ref())?);
        let numbers: Vec<f64> = formulas.iter().filter_map(|text| text.parse().ok()).collect();
        if let [low, high] = numbers.as_slice()
            && low > high
        {
            return Err(input.error("value2", "must not be less than `value`").into());
        }
    }
    Ok((kind, Some(operator(name)), formulas))
}

/// The formula of a list: its values in quotes, or the cells with them.
fn list_source(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SetDataValidation) -> Result<String, Error> {
    // Clients write the cells into other fields too.
    let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let source = op.source.clone().or_else(|| op.formula.clone()).or_else(|| text(&op.value));
    let single = op.values.as_deref().and_then(|values| match values {
        [Value::String(text)] if text.starts_with('=') => Some(text.clone()),
        _ => None,
    });
    if let Some(source) = source.or(single) {
        let plain = source.trim().trim_start_matches('=');
        let named = editor.book.names.iter().any(|name| name.name.eq_ignore_ascii_case(plain));
        if named || plain.contains('(') {
            let value = Value::from(source.as_str());
            return formula_of(editor, input, "source", Some(&value));
        }
        let found = resolve(editor, input, "source", &source, &op.sheet)?;
        if found.range.rows() > 1 && found.range.columns() > 1 {
            let why = format!("{} has several rows and columns; a list is one row or one column", found.range);
            return Err(input.error("source", why).into());
        }
        return Ok(found.formula());
    }
    let values = op.values.as_deref().unwrap_or_default();
    if values.is_empty() {
        return Err(input.error("values", "missing: give `values`, or `source` with the cells that have them").into());
    }
    let mut items = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let item = match value {
            Value::String(text) => strip_illegal(text.trim()).0.into_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
            _ => return Err(input.error(&format!("values[{at}]"), "expected a text or a number").into()),
        };
        if item.contains(',') {
            let why =
                format!("`{item}` has a comma, which separates values; write the values to cells and give `source`");
            return Err(input.error(&format!("values[{at}]"), why).into());
        }
        if !item.is_empty() {
            items.push(item.replace('"', "\"\""));
        }
    }
    let text = items.join(",");
    let length = text.encode_utf16().count();
    if length > MOST_LIST || length == 0 {
        let why = format!(
            "the values have {length} characters, at most {MOST_LIST} are possible; write them to cells and give `source`"
        );
        return Err(input.error("values", why).into());
    }
    Ok(format!("\"{text}\""))
}

/// A limit as a formula.
fn limit(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    kind: &str,
    value: Option<&Value>,
) -> Result<String, Error> {
    let wrong =
        |what: &str| -> EditError { input.error(field, format!("expected {what}, or a formula such as `=B1`")) };
    let text = match value {
        Some(Value::Number(number)) => {
            let number = number.as_f64().unwrap_or(0.0);
            if matches!(kind, "whole" | "textLength") && number.fract() != 0.0 {
                return Err(wrong("a whole number").into());
            }
            return Ok(number_text(number));
        }
        Some(Value::String(text)) if !text.trim().is_empty() => text.trim(),
        _ => return Err(input.error(field, "missing: the value to compare with").into()),
    };
    if text.len() > 1 && text.starts_with('=') {
        return formula_of(editor, input, field, value);
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    match kind {
        "date" => match serial_of_input(text, editor.book.dates()) {
            Some((serial, _)) => Ok(number_text(serial)),
            None => Err(wrong("a date such as `2024-01-31`").into()),
        },
        "time" => {
            let time = serial_of_input(&format!("2000-01-01T{text}"), editor.book.dates());
            match time.map(|(serial, _)| serial.fract()) {
                // To the second: the number of the day costs digits.
                Some(fraction) => Ok(number_text((fraction * 86_400.0).round() / 86_400.0)),
                None => Err(wrong("a time such as `08:30`").into()),
            }
        }
        "decimal" => number.map(number_text).ok_or_else(|| wrong("a number").into()),
        _ => {
            let whole = number.filter(|number| number.fract() == 0.0);
            whole.map(number_text).ok_or_else(|| wrong("a whole number").into())
        }
    }
}

fn markup(
    p: &str,
    op: &SetDataValidation,
    kind: &str,
    operator: Option<&str>,
    formulas: &[String],
    sqref: &str,
) -> String {
    let mut attributes = format!(" type=\"{kind}\"");
    let mut put = |name: &str, value: &str| {
        let value = strip_illegal(value).0;
        attributes.push_str(&format!(" {name}=\"{}\"", escape_attribute(&value)));
    };
    if let Some(style) = op.error_style.as_deref().filter(|style| *style != "stop") {
        put("errorStyle", style);
    }
    if let Some(operator) = operator.filter(|operator| *operator != "between") {
        put("operator", operator);
    }
    if op.allow_blank != Some(false) {
        put("allowBlank", "1");
    }
    // The file's flag hides the list.
    if kind == "list" && op.dropdown == Some(false) {
        put("showDropDown", "1");
    }
    put("showInputMessage", "1");
    put("showErrorMessage", "1");
    let texts = [
        ("errorTitle", &op.error_title),
        ("error", &op.error_message),
        ("promptTitle", &op.input_title),
        ("prompt", &op.input_message),
    ];
    for (name, text) in texts {
        if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
            put(name, text);
        }
    }
    put("sqref", sqref);
    let formulas: String = formulas
        .iter()
        .enumerate()
        .map(|(at, text)| format!("<{p}formula{0}>{1}</{p}formula{0}>", at + 1, escape_text(text)))
        .collect();
    format!("<{p}dataValidation{attributes}>{formulas}</{p}dataValidation>")
}

/// Removes the validation of cells.
pub(super) fn clear(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: ClearDataValidation,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let ranges = match &op.range {
        Some(text) => ranges_at(input, text, &op.sheet)?,
        None => vec![CellRange::ALL],
    };
    let count = cut(editor, &part, ["dataValidation", "dataValidation"], &ranges)?;
    let place = op.range.as_deref().map_or_else(|| op.sheet.clone(), |range| format!("{range} of {}", op.sheet));
    if count == 0 {
        editor.warnings.push(format!("{}: there is no data validation on {place}", input.at("range")));
    }
    let summary = format!("Removed the data validation of {place} ({count} rules changed).");
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("rules", count))
}
