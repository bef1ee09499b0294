//! The series of a chart: from a list, or from a block of data with its headers and categories.

use std::collections::BTreeMap;

use jig_file_api::ops::xlsx::ChartSeries;

use super::super::WorkbookEdit;
use super::super::current_cells::{CurrentCell, Source, current_cells, resolve};
use super::{clean, color};
use crate::drawing::chart::{ChartKind, Data, Points, Series, SeriesName};
use crate::edit::OpInput;
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, ColumnName};
use crate::xlsx::formula::CellValue;

/// The kinds of the series of a chart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Of all series, or of the first of a combo chart.
    pub(super) kind: ChartKind,
    pub(super) combo: bool,
}

impl Layout {
    /// The kind of a series by its position.
    pub(super) fn of(self, at: usize) -> ChartKind {
        if self.combo && at > 0 { ChartKind::Line } else { self.kind }
    }
}

fn numbers(source: &Source) -> Data {
    Data { formula: source.formula(), points: Points::UnknownNumbers }
}

/// Categories: numbers if all their values are numbers.
fn categories(editor: &mut WorkbookEdit<'_>, source: &Source) -> Result<Data, Error> {
    let cells = current_cells(editor, source)?;
    let mut values = cells.values().filter_map(|cell| cell.value.as_ref());
    let numeric = !cells.is_empty() && values.all(|value| matches!(value, CellValue::Number(_)));
    let points = if numeric { Points::UnknownNumbers } else { Points::UnknownTexts };
    Ok(Data { formula: source.formula(), points })
}

/// The categories that an op gives for a chart that keeps its series.
pub(super) fn absolute_series(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    text: &str,
    sheet: &str,
) -> Result<Data, Error> {
    let source = line(editor, input, field, text, sheet)?;
    categories(editor, &source)
}

/// Cells of one row or one column.
fn line(editor: &mut WorkbookEdit<'_>, input: &OpInput, field: &str, text: &str, sheet: &str) -> Result<Source, Error> {
    let source = resolve(editor, input, field, text, sheet)?;
    if source.range.rows() > 1 && source.range.columns() > 1 {
        let why = format!("{} has several rows and columns; give one row or one column, or use `range`", source.range);
        return Err(input.error(field, why).into());
    }
    Ok(source)
}

/// The series of a list.
pub(super) fn listed_series(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    list: &[ChartSeries],
    shared: Option<&str>,
    sheet: &str,
    layout: Layout,
) -> Result<Vec<Series>, Error> {
    let shared = shared.map(|text| line(editor, input, "categories", text, sheet)).transpose()?;
    let mut found = Vec::with_capacity(list.len());
    for (at, given) in list.iter().enumerate() {
        let field = |name: &str| format!("series[{at}].{name}");
        let Some(text) = given.values.as_deref() else {
            return Err(input.error(&field("values"), "missing: the cells with the values, such as `B2:B13`").into());
        };
        let values = line(editor, input, &field("values"), text, sheet)?;
        let labels = match &given.categories {
            Some(text) => Some(line(editor, input, &field("categories"), text, sheet)?),
            None => shared.clone(),
        };
        if let Some(labels) = labels.as_ref().filter(|labels| labels.range.cells() != values.range.cells()) {
            editor.warnings.push(format!(
                "{}: {} has {} cells, its categories {} have {}",
                input.at(&field("values")),
                values.range,
                values.range.cells(),
                labels.range,
                labels.range.cells()
            ));
        }
        let kind = kind_of(input, &field("type"), given.kind.as_deref(), layout, at)?;
        if given.secondary_axis == Some(true) && kind.is_round() {
            return Err(input.error(&field("secondary_axis"), format!("a {} chart has no axes", kind.name())).into());
        }
        let labels = labels.map(|labels| match kind {
            ChartKind::Scatter => Ok(numbers(&labels)),
            _ => categories(editor, &labels),
        });
        found.push(Series {
            kind,
            secondary: given.secondary_axis == Some(true),
            color: color(given.color.as_deref(), &input.at(&field("color")))?,
            name: series_name(editor, input, &field("name"), given.name.as_deref(), sheet)?,
            categories: labels.transpose()?,
            values: numbers(&values),
        });
    }
    if found.iter().all(|series| series.secondary) {
        // A second axis needs a first one.
        found.iter_mut().for_each(|series| series.secondary = false);
        editor.warnings.push(format!("{}: all series are on the second axis; the first is used", input.at("series")));
    }
    Ok(found)
}

fn kind_of(input: &OpInput, field: &str, given: Option<&str>, layout: Layout, at: usize) -> Result<ChartKind, Error> {
    let Some(kind) = given.and_then(ChartKind::named) else { return Ok(layout.of(at)) };
    let fits = kind == layout.kind || (kind.combines() && (layout.combo || layout.kind.combines()));
    if !fits {
        let why = format!(
            "a series drawn as {} does not fit into this chart; columns, lines and areas can be combined",
            kind.name()
        );
        return Err(input.error(field, why).into());
    }
    Ok(kind)
}

/// The name of a series: a cell if the text is a reference, else the text. A text such as `Q1` is a cell only if that
/// cell has a value.
fn series_name(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    text: Option<&str>,
    sheet: &str,
) -> Result<Option<SeriesName>, Error> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let formula = text.starts_with('=');
    let plain = text.trim_start_matches('=');
    let is_cell = plain.parse::<CellRef>().is_ok();
    let is_place = plain.parse::<crate::xlsx::address::SheetRange>().is_ok();
    if formula || is_place || is_cell {
        let source = resolve(editor, input, field, text, sheet)?;
        if source.range.cells() > 1 {
            return Err(input
                .error(field, format!("{} is no single cell; the name of a series is in one", source.range))
                .into());
        }
        if formula || is_place || !current_cells(editor, &source)?.is_empty() {
            return Ok(Some(SeriesName::Cell(Data { formula: source.formula(), points: Points::UnknownTexts })));
        }
    }
    Ok(Some(SeriesName::Text(clean(text))))
}

/// The series of a block: one for each column with numbers. Its first row has their names if it is a row of headers,
/// its first column the categories unless it looks like values.
pub(super) fn from_range(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    text: &str,
    shared: Option<&str>,
    sheet: &str,
    layout: Layout,
) -> Result<Vec<Series>, Error> {
    let source = resolve(editor, input, "range", text, sheet)?;
    let cells = current_cells(editor, &source)?;
    if cells.is_empty() {
        let why = format!("{} of `{}` has no values to show", source.range, source.sheet);
        return Err(input.error("range", why).into());
    }
    let block = Block::of(editor, &cells, source.range, layout, shared.is_some())?;
    let labels = match shared {
        Some(text) => Some(line(editor, input, "categories", text, sheet)?),
        None => block.column(&source, block.labels),
    };
    let labels = match labels {
        Some(labels) if layout.kind == ChartKind::Scatter => Some(numbers(&labels)),
        Some(labels) => Some(categories(editor, &labels)?),
        None => None,
    };
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for col in source.range.start().col()..=source.range.end().col() {
        if Some(col) == block.labels {
            continue;
        }
        let Some(values) = block.column(&source, Some(col)) else { continue };
        let data = || cells.iter().filter(|(at, _)| values.range.contains(**at));
        // A formula whose value is not known yet may be a number.
        let numeric = data().any(|(_, cell)| matches!(cell.value, None | Some(CellValue::Number(_))));
        if !numeric {
            if data().next().is_some() {
                skipped.push(ColumnName(col).to_string());
            }
            continue;
        }
        let header = CellRef::new(source.range.start().row(), col).filter(|at| block.header && cells.contains_key(at));
        let name = header.map(|at| {
            let formula = source.with(at.into()).formula();
            SeriesName::Cell(Data { formula, points: Points::UnknownTexts })
        });
        found.push(Series {
            kind: layout.of(found.len()),
            secondary: false,
            color: None,
            name,
            categories: labels.clone(),
            values: numbers(&values),
        });
    }
    if found.is_empty() {
        let why = format!("{} of `{}` has no column of numbers to show", source.range, source.sheet);
        return Err(input.error("range", why).into());
    }
    if !skipped.is_empty() {
        let why = format!("columns without numbers are not shown: {}", skipped.join(", "));
        editor.warnings.push(format!("{}: {why}", input.at("range")));
    }
    Ok(found)
}

/// What the rows and columns of a block of data are.
struct Block {
    /// Whether the first row has names.
    header: bool,
    /// The column with the categories.
    labels: Option<u32>,
}

impl Block {
    fn of(
        editor: &mut WorkbookEdit<'_>,
        cells: &BTreeMap<CellRef, CurrentCell>,
        range: CellRange,
        layout: Layout,
        has_labels: bool,
    ) -> Result<Self, Error> {
        let (top, left) = (range.start().row(), range.start().col());
        let is_text = |cell: &CurrentCell| matches!(cell.value, Some(CellValue::Text(_)));
        let corner = cells.contains_key(&range.start());
        let first_row = || cells.iter().filter(|(at, _)| at.row() == top && (at.col() > left || range.columns() == 1));
        let header = range.rows() > 1
            && first_row().next().is_some()
            && (first_row().all(|(_, cell)| is_text(cell)) || (!corner && range.columns() > 1));
        let data = || cells.iter().filter(|(at, _)| at.col() == left && (at.row() > top || !header));
        let mut labels = range.columns() > 1 && !has_labels && data().next().is_some();
        if labels && layout.kind != ChartKind::Scatter {
            let numbers: Vec<f64> = data()
                .filter_map(|(_, cell)| match cell.value {
                    Some(CellValue::Number(number)) => Some(number),
                    _ => None,
                })
                .collect();
            let dates = {
                let formats: Vec<(u32, bool)> = data().map(|(_, cell)| (cell.format, cell.new_date)).collect();
                let styles = editor.styles()?;
                formats.iter().all(|(format, new_date)| *new_date || styles.shows_date(*format))
            };
            // Years count up one by one.
            let years = numbers.windows(2).all(|pair| matches!(pair, [a, b] if b - a == 1.0))
                && numbers.iter().all(|number| (1000.0..3000.0).contains(number));
            labels = data().any(|(_, cell)| is_text(cell)) || !corner || dates || years;
        }
        Ok(Self { header, labels: labels.then_some(left) })
    }

    /// The data cells of a column.
    fn column(&self, source: &Source, col: Option<u32>) -> Option<Source> {
        let top = source.range.start().row() + u32::from(self.header);
        let range = CellRange::new(CellRef::new(top, col?)?, CellRef::new(source.range.end().row(), col?)?);
        Some(source.with(range))
    }
}
