//! `add_conditional_format`, `clear_conditional_formats`.

use jig_file_api::ops::xlsx::{AddConditionalFormat, ClearConditionalFormats};
use serde_json::Value;

use super::WorkbookEdit;
use super::order::{WORKSHEET, insert_in_order};
use super::sqref::{base, cut, list, ranges_at};
use super::styles::StylePatch;
use super::values::{self, NewValue, number_text};
use crate::edit::{Color, EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::FormulaText;
use crate::xlsx::serial_date::serial_of_input;
use crate::xml::{escape_attribute, escape_text, strip_illegal};

/// The colours of a scale without colours, and of data bars.
const SCALE: [&str; 3] = ["F8696B", "FFEB84", "63BE7B"];
const BAR: &str = "638EC6";
/// The names of periods, with the formula that is true in them; `#` is the cell.
const PERIODS: [(&str, &str); 10] = [
    ("today", "FLOOR(#,1)=TODAY()"),
    ("yesterday", "FLOOR(#,1)=TODAY()-1"),
    ("tomorrow", "FLOOR(#,1)=TODAY()+1"),
    ("last7Days", "AND(TODAY()-FLOOR(#,1)<=6,FLOOR(#,1)<=TODAY())"),
    ("thisWeek", "AND(TODAY()-ROUNDDOWN(#,0)<=WEEKDAY(TODAY())-1,ROUNDDOWN(#,0)-TODAY()<=7-WEEKDAY(TODAY()))"),
    ("lastWeek", "AND(TODAY()-ROUNDDOWN(#,0)>=(WEEKDAY(TODAY())),TODAY()-ROUNDDOWN(#,0)<(WEEKDAY(TODAY())+7))"),
    ("nextWeek", "AND(ROUNDDOWN(#,0)-TODAY()>(7-WEEKDAY(TODAY())),ROUNDDOWN(#,0)-TODAY()<(15-WEEKDAY(TODAY())))"),
    ("thisMonth", "AND(MONTH(#)=MONTH(TODAY()),YEAR(#)=YEAR(TODAY()))"),
    ("lastMonth", "AND(MONTH(#)=MONTH(EDATE(TODAY(),0-1)),YEAR(#)=YEAR(EDATE(TODAY(),0-1)))"),
    ("nextMonth", "AND(MONTH(#)=MONTH(EDATE(TODAY(),0+1)),YEAR(#)=YEAR(EDATE(TODAY(),0+1)))"),
];

/// A rule without its priority and format.
struct Rule {
    /// The attributes after `type`.
    attributes: String,
    kind: &'static str,
    formulas: Vec<String>,
    /// Content other than formulas, with `#` for the prefix of elements.
    content: String,
    /// Whether matching cells get a format.
    formats: bool,
}

impl Rule {
    fn new(kind: &'static str, attributes: impl Into<String>) -> Self {
        let attributes = attributes.into();
        Self { attributes, kind, formulas: Vec::new(), content: String::new(), formats: true }
    }

    fn formula(mut self, formula: impl Into<String>) -> Self {
        self.formulas.push(formula.into());
        self
    }
}

/// Adds a rule.
pub(super) fn add(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: AddConditionalFormat) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let ranges = ranges_at(input, &op.range, &op.sheet)?;
    let name = match (op.rule.as_deref(), op.operator.as_deref()) {
        (None | Some("cell_value"), Some(operator)) => operator,
        (Some(rule), _) if rule != "cell_value" => rule,
        (Some(_), _) => return Err(input.error("operator", "missing: the comparison, such as `greater_than`").into()),
        (None, None) => return Err(input.error("type", "missing: the rule, such as `greater_than`").into()),
    };
    let rule = rule(editor, input, &op, name, &ranges)?;
    let style = match rule.formats {
        true => Some(format(editor, input, &op)?),
        false => {
            if op.style.is_some() {
                let why = format!("`{name}` has colours of its own, skipped");
                editor.warnings.push(format!("{}: {why}", input.at("style")));
            }
            None
        }
    };
    let sqref = list(&ranges);
    editor.edit_frame(&part, |root, splice| {
        let p = root.prefix();
        let rules = root.descendants().filter(|node| node.is_element() && node.local() == "cfRule");
        let priorities = rules.filter_map(|node| node.attr("priority")?.trim().parse::<u32>().ok());
        let priority = priorities.max().unwrap_or(0).saturating_add(1);
        let style = style.map(|id| format!(" dxfId=\"{id}\"")).unwrap_or_default();
        let stop = if op.stop_if_true == Some(true) { " stopIfTrue=\"1\"" } else { "" };
        let formulas: String =
            rule.formulas.iter().map(|text| format!("<{p}formula>{}</{p}formula>", escape_text(text))).collect();
        let content = rule.content.replace('#', p);
        let markup = format!(
            "<{p}conditionalFormatting sqref=\"{sqref}\"><{p}cfRule type=\"{}\"{style} priority=\"{priority}\"{stop}{}>\
             {formulas}{content}</{p}cfRule></{p}conditionalFormatting>",
            rule.kind, rule.attributes
        );
        insert_in_order(splice, root, "conditionalFormatting", &markup, &WORKSHEET);
        Ok(())
    })?;
    let shown = ranges.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let summary = format!("Added the conditional format `{name}` to {shown} of {}.", op.sheet);
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("range", shown).with("rule", name))
}

fn rule(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &AddConditionalFormat,
    name: &str,
    ranges: &[CellRange],
) -> Result<Rule, Error> {
    let cell = base(ranges).unwrap_or(CellRange::ALL.start());
    let compare = |operator: &str| format!(" operator=\"{operator}\"");
    Ok(match name {
        "greater_than" | "greater_or_equal" | "less_than" | "less_or_equal" | "equal" | "not_equal" => {
            let operator = operator(name);
            Rule::new("cellIs", compare(operator)).formula(operand(editor, input, "value", op.value.as_ref())?)
        }
        "between" | "not_between" => {
            let (low, high) = match (&op.value, &op.value2) {
                (Some(Value::Array(pair)), None) => (pair.first(), pair.get(1)),
                (low, high) => (low.as_ref(), high.as_ref()),
            };
            Rule::new("cellIs", compare(operator(name)))
                .formula(operand(editor, input, "value", low)?)
                .formula(operand(editor, input, "value2", high)?)
        }
        "text_contains" | "text_not_contains" | "text_begins_with" | "text_ends_with" => {
            text_rule(input, op, name, cell)?
        }
        "top" | "bottom" => {
            let rank = op.rank.or_else(|| op.value.as_ref()?.as_u64().and_then(|rank| u32::try_from(rank).ok()));
            let rank = rank.unwrap_or(10);
            let percent = op.percent == Some(true);
            let most = if percent { 100 } else { 1000 };
            if !(1..=most).contains(&rank) {
                return Err(input.error("rank", format!("must be between 1 and {most} (got {rank})")).into());
            }
            let bottom = if name == "bottom" { " bottom=\"1\"" } else { "" };
            let percent = if percent { " percent=\"1\"" } else { "" };
            Rule::new("top10", format!("{percent}{bottom} rank=\"{rank}\""))
        }
        "above_average" => Rule::new("aboveAverage", ""),
        "below_average" => Rule::new("aboveAverage", " aboveAverage=\"0\""),
        "duplicate" => Rule::new("duplicateValues", ""),
        "unique" => Rule::new("uniqueValues", ""),
        "blank" => Rule::new("containsBlanks", "").formula(format!("LEN(TRIM({cell}))=0")),
        "not_blank" => Rule::new("notContainsBlanks", "").formula(format!("LEN(TRIM({cell}))>0")),
        "error" => Rule::new("containsErrors", "").formula(format!("ISERROR({cell})")),
        "not_error" => Rule::new("notContainsErrors", "").formula(format!("NOT(ISERROR({cell}))")),
        "date" => {
            let given = op.value.as_ref().and_then(Value::as_str).unwrap_or_default();
            let plain = |text: &str| text.to_lowercase().replace([' ', '_', '-'], "");
            let Some((period, formula)) = PERIODS.iter().find(|(period, _)| plain(period) == plain(given)) else {
                let periods = PERIODS.map(|(period, _)| period);
                let why = format!("unknown period `{given}`; give one of {}", periods.join(", "));
                return Err(input.error("value", why).suggest(periods).into());
            };
            Rule::new("timePeriod", format!(" timePeriod=\"{period}\""))
                .formula(formula.replace('#', &cell.to_string()))
        }
        "formula" => {
            let given = op.formula.as_deref().map(Value::from);
            let given = given.as_ref().or(op.value.as_ref());
            Rule::new("expression", "").formula(formula_of(editor, input, "formula", given)?)
        }
        "color_scale" => color_scale(input, op)?,
        "data_bar" => data_bar(input, op)?,
        _ => icon_set(op),
    })
}

/// The operator of a comparison as files write it.
pub(super) fn operator(name: &str) -> &'static str {
    match name {
        "greater_than" => "greaterThan",
        "greater_or_equal" => "greaterThanOrEqual",
        "less_than" => "lessThan",
        "less_or_equal" => "lessThanOrEqual",
        "not_equal" => "notEqual",
        "between" => "between",
        "not_between" => "notBetween",
        _ => "equal",
    }
}

/// What cells are compared with, as a formula.
fn operand(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    value: Option<&Value>,
) -> Result<String, Error> {
    match value {
        Some(Value::Number(number)) => Ok(number_text(number.as_f64().unwrap_or(0.0))),
        Some(Value::Bool(flag)) => Ok(if *flag { "TRUE" } else { "FALSE" }.to_owned()),
        Some(Value::String(text)) if text.len() > 1 && text.starts_with('=') => formula_of(editor, input, field, value),
        Some(Value::String(text)) if !text.is_empty() => {
            if let Some((serial, _)) = serial_of_input(text.trim(), editor.book.dates()) {
                return Ok(number_text(serial));
            }
            if let Ok(number) = text.trim().parse::<f64>()
                && number.is_finite()
            {
                return Ok(number_text(number));
            }
            Ok(quoted(&text_at(input, field, text)?))
        }
        _ => Err(input.error(field, "missing: a number, a text, a date or a formula to compare with").into()),
    }
}

/// A formula of an op, checked, without its `=`.
pub(super) fn formula_of(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    value: Option<&Value>,
) -> Result<String, Error> {
    let missing = || input.error(field, "missing: a formula such as `=$C2>100`");
    let value = value.filter(|value| value.as_str().is_some_and(|text| !text.trim().is_empty())).ok_or_else(missing)?;
    let rules = editor.rules();
    match values::read(Some(value), Some("formula"), &input.at(field), rules, &mut editor.warnings)? {
        NewValue::Formula(formula) => Ok(formula.text().to_owned()),
        _ => Err(missing().into()),
    }
}

/// A text in a formula.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text for a formula, which holds 255 characters at most.
fn text_at(input: &OpInput, field: &str, text: &str) -> Result<String, EditError> {
    let text = strip_illegal(text).0.into_owned();
    match text.chars().count() {
        0 => Err(input.error(field, "missing: a text")),
        count if count > 255 => {
            Err(input.error(field, format!("the text has {count} characters; a formula holds 255")))
        }
        _ => Ok(text),
    }
}

fn text_rule(input: &OpInput, op: &AddConditionalFormat, name: &str, cell: CellRef) -> Result<Rule, EditError> {
    let given = match &op.value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let text = text_at(input, "value", &given)?;
    let (kind, operator, formula) = match name {
        "text_contains" => ("containsText", "containsText", "NOT(ISERROR(SEARCH(#,@)))"),
        "text_not_contains" => ("notContainsText", "notContains", "ISERROR(SEARCH(#,@))"),
        "text_begins_with" => ("beginsWith", "beginsWith", "LEFT(@,LEN(#))=#"),
        _ => ("endsWith", "endsWith", "RIGHT(@,LEN(#))=#"),
    };
    let formula = formula.replace('@', &cell.to_string()).replace('#', &quoted(&text));
    let attributes = format!(" operator=\"{operator}\" text=\"{}\"", escape_attribute(&text));
    Ok(Rule::new(kind, attributes).formula(formula))
}

fn colors(input: &OpInput, op: &AddConditionalFormat) -> Result<Vec<String>, EditError> {
    let read = |(at, text): (usize, &String)| {
        let color = Color::parse(text);
        color
            .map(|color| color.argb())
            .ok_or_else(|| input.error(&format!("colors[{at}]"), format!("expected {}", Color::FORM)))
    };
    op.colors.iter().flatten().enumerate().map(read).collect()
}

fn color_scale(input: &OpInput, op: &AddConditionalFormat) -> Result<Rule, EditError> {
    let mut colors = colors(input, op)?;
    if colors.is_empty() {
        colors = SCALE.iter().map(|rgb| format!("FF{rgb}")).collect();
    }
    let points = match colors.len() {
        2 => "<#cfvo type=\"min\"/><#cfvo type=\"max\"/>",
        3 => "<#cfvo type=\"min\"/><#cfvo type=\"percentile\" val=\"50\"/><#cfvo type=\"max\"/>",
        count => return Err(input.error("colors", format!("a colour scale has 2 or 3 colours (got {count})"))),
    };
    let colors: String = colors.iter().map(|color| format!("<#color rgb=\"{color}\"/>")).collect();
    let content = format!("<#colorScale>{points}{colors}</#colorScale>");
    Ok(Rule { content, formats: false, ..Rule::new("colorScale", "") })
}

fn data_bar(input: &OpInput, op: &AddConditionalFormat) -> Result<Rule, EditError> {
    let colors = colors(input, op)?;
    if colors.len() > 1 {
        return Err(input.error("colors", format!("data bars have one colour (got {})", colors.len())));
    }
    let color = colors.into_iter().next().unwrap_or_else(|| format!("FF{BAR}"));
    let hidden = if op.show_values == Some(false) { " showValue=\"0\"" } else { "" };
    let content =
        format!("<#dataBar{hidden}><#cfvo type=\"min\"/><#cfvo type=\"max\"/><#color rgb=\"{color}\"/></#dataBar>");
    Ok(Rule { content, formats: false, ..Rule::new("dataBar", "") })
}

fn icon_set(op: &AddConditionalFormat) -> Rule {
    let icons = op.icons.as_deref().unwrap_or("3TrafficLights1");
    let steps: &[u32] = match icons.chars().next() {
        Some('5') => &[0, 20, 40, 60, 80],
        Some('4') => &[0, 25, 50, 75],
        _ => &[0, 33, 67],
    };
    let hidden = if op.show_values == Some(false) { " showValue=\"0\"" } else { "" };
    let reverse = if op.reverse == Some(true) { " reverse=\"1\"" } else { "" };
    let steps: String = steps.iter().map(|step| format!("<#cfvo type=\"percent\" val=\"{step}\"/>")).collect();
    let content = format!("<#iconSet iconSet=\"{icons}\"{hidden}{reverse}>{steps}</#iconSet>");
    Rule { content, formats: false, ..Rule::new("iconSet", "") }
}

/// The number of the format of matching cells.
fn format(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &AddConditionalFormat) -> Result<u32, Error> {
    let at = input.at("style");
    let patch = op.style.as_ref().map(|style| StylePatch::check(style, &at)).transpose()?;
    let patch = match patch.filter(|patch| !patch.is_empty()) {
        Some(patch) => patch,
        None => StylePatch {
            fill_color: Some("FFFFC7CE".to_owned()),
            font_color: Some("FF9C0006".to_owned()),
            ..StylePatch::default()
        },
    };
    let skipped = [
        ("font_name", patch.font_name.is_some()),
        ("font_size", patch.font_size.is_some()),
        ("h_align", patch.horizontal.is_some()),
        ("v_align", patch.vertical.is_some()),
        ("wrap_text", patch.wrap.is_some()),
    ];
    for (field, _) in skipped.into_iter().filter(|(_, given)| *given) {
        editor.warnings.push(format!("{at}.{field}: a conditional format cannot change it, skipped"));
    }
    Ok(editor.styles()?.differential(&patch))
}

/// Removes rules from cells.
pub(super) fn clear(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: ClearConditionalFormats,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let ranges = match &op.range {
        Some(text) => ranges_at(input, text, &op.sheet)?,
        None => vec![CellRange::ALL],
    };
    let count = cut(editor, &part, ["conditionalFormatting", "conditionalFormatting"], &ranges)?;
    let place = op.range.as_deref().map_or_else(|| op.sheet.clone(), |range| format!("{range} of {}", op.sheet));
    if count == 0 {
        editor.warnings.push(format!("{}: there is no conditional format on {place}", input.at("range")));
    }
    let summary = format!("Removed the conditional formats of {place} ({count} areas changed).");
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("areas", count))
}
