//! `XlsxGetMap` and `XlsxGetInfo`: the structure of a workbook.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jig_file_api::read::xlsx::{
    ChartMap, ChartSeriesMap, Chunk, ChunkList, DataBlockMap, FrozenPanes, HeaderRanges, Headers, ImageMap, NamedRange,
    SheetInfo, SheetMap, TableMap, UsedRange, WorkbookInfo, WorkbookMap,
};

use super::address::{CellRange, CellRef, ColumnName, MAX_COLUMN};
use super::cell_formatter::{CellFormatter, cut};
use super::comments;
use super::drawings::{DrawnKind, drawn};
use super::sheet::cell::Cell;
use super::workbook::{BlockHeaders, ReadCall, SheetData, Workbook};
use super::workbook_part::{DefinedName, Sheet, SheetKind, SheetState};
use crate::drawing::chart::ChartFacts;
use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::Ns;

/// Rows of a chunk.
pub(super) const CHUNK_ROWS: u32 = 50;
/// How many chunks, data blocks, headers and names are listed.
const CHUNKS: u32 = 2000;
const BLOCKS: usize = 500;
const HEADERS: u32 = 100;
const NAMES: usize = 500;
/// The most headers that are repeated in chunks, over all chunks.
const REPEATED: usize = 4000;
const HEADER_CHARS: usize = 200;
/// The most comments of a sheet that are listed.
const COMMENTS: usize = 200;

impl Workbook {
    /// The sheets with their sizes.
    pub fn info(&self) -> Result<WorkbookInfo, Error> {
        let call = ReadCall::new(self)?;
        let mut sheets = Vec::new();
        for (place, sheet) in call.sheets() {
            let used = call.sheet(place)?.facts.used;
            let comments = comments::of_sheet(&call.package, call.book, sheet).unwrap_or_else(|error| {
                call.note(format!("{}: its comments cannot be read: {error}", sheet.name));
                Vec::new()
            });
            let count = comments.len();
            sheets.push(SheetInfo {
                name: sheet.name.clone(),
                row_count: used.map_or(0, CellRange::rows),
                col_count: used.map_or(0, CellRange::columns),
                kind: sheet.kind.as_str(),
                state: sheet.state.as_str(),
                hidden: sheet.state != SheetState::Visible,
                comments: comments.into_iter().take(COMMENTS).collect(),
                comment_count: (count > COMMENTS).then_some(count),
            });
        }
        let sheet_count = call.book.sheets.len();
        Ok(WorkbookInfo { sheets, sheet_count, active_sheet: active_sheet(&call), warnings: call.into_warnings() })
    }

    /// What the workbook holds and where.
    pub fn map(&self) -> Result<WorkbookMap, Error> {
        let call = ReadCall::new(self)?;
        let sheets =
            call.sheets().map(|(place, sheet)| sheet_map(&call, place, sheet)).collect::<Result<Vec<_>, _>>()?;
        let names = call.book.names.iter().filter(|name| !name.hidden);
        let name_count = call.book.names.len();
        Ok(WorkbookMap {
            sheets,
            sheet_count: call.book.sheets.len(),
            active_sheet: active_sheet(&call),
            defined_names: names.take(NAMES).map(|name| named_range(&call, name)).collect(),
            date1904: call.book.date1904,
            defined_name_count: (name_count > NAMES).then_some(name_count),
            warnings: call.into_warnings(),
        })
    }
}

fn active_sheet(call: &ReadCall<'_>) -> Option<String> {
    call.book.sheets.get(call.book.active).map(|sheet| sheet.name.clone())
}

pub(super) fn named_range(call: &ReadCall<'_>, name: &DefinedName) -> NamedRange {
    let sheet = name.sheet.and_then(|place| call.book.sheets.get(place)).map(|sheet| sheet.name.clone());
    NamedRange { name: name.name.clone(), refers_to: cut(&name.formula, 500).into_owned(), sheet }
}

fn sheet_map(call: &ReadCall<'_>, place: usize, sheet: &Sheet) -> Result<SheetMap, Error> {
    let data = call.sheet(place)?;
    let facts = &data.facts;
    let related = Related::read(&call.package, sheet);
    let blocks = data_blocks(call, place, &data)?;
    let (computed, stale) = call.formula_counts(place, &data);
    let mut warnings = facts.faults();
    warnings.extend(related.faults);
    if sheet.part.is_none() {
        warnings.push("the file has no part for this sheet".to_owned());
    }
    let is_truncated = blocks.count > blocks.tops.len() as u64;
    let columns = |(first, last): &(u32, u32)| format!("{}:{}", ColumnName(*first), ColumnName(*last));
    let declared = facts.dimension.filter(|declared| Some(*declared) != facts.used);
    Ok(SheetMap {
        name: sheet.name.clone(),
        used_range: facts.used.map(used_range),
        row_count: facts.used.map_or(0, CellRange::rows),
        col_count: facts.used.map_or(0, CellRange::columns),
        islands: blocks.tops.iter().map(data_block_map).collect(),
        islands_truncated: is_truncated,
        island_count: is_truncated.then_some(blocks.count),
        islands_approximate: blocks.approximate,
        chunks: facts.used.map(|used| chunks(used, blocks.tops.first())).unwrap_or_default(),
        has_charts: related.charts > 0,
        has_merged_cells: !facts.merges.is_empty(),
        has_conditional_formatting: facts.conditional_formats,
        has_formulas: facts.formulas > 0,
        has_images: related.images > 0,
        has_pivot: related.pivots > 0,
        has_comments: related.comments,
        has_data_validation: facts.data_validations,
        has_slicers: related.slicers,
        has_hyperlinks: facts.hyperlinks,
        protected: facts.protected,
        cell_count: facts.cells,
        formula_count: facts.formulas,
        stale_formula_count: stale,
        computed_formula_count: computed,
        tables: related.tables,
        charts: related.chart_maps,
        images: related.image_maps,
        auto_filter: facts.auto_filter.clone(),
        frozen: facts.frozen.as_ref().map(|frozen| FrozenPanes { rows: frozen.rows, columns: frozen.columns }),
        hidden_rows: facts.hidden_rows,
        hidden_columns: facts.hidden_columns.iter().map(columns).collect(),
        dimension_declared: declared.map(|declared| declared.to_string()),
        kind: sheet.kind.as_str(),
        state: sheet.state.as_str(),
        hidden: sheet.state != SheetState::Visible,
        warnings,
    })
}

fn used_range(used: CellRange) -> UsedRange {
    let (start, end) = (used.start(), used.end());
    UsedRange { min_row: start.row(), max_row: end.row(), min_col: start.col(), max_col: end.col() }
}

/// The top of a data block, which may have headers.
struct Top {
    range: CellRange,
    /// The first two rows.
    rows: [RowTexts; 2],
}

/// The texts of a row of a data block, which may be its headers.
#[derive(Clone)]
struct RowTexts {
    texts: Vec<Option<String>>,
    filled: u32,
    only_text: bool,
}

impl Top {
    fn new(range: CellRange) -> Self {
        let texts = vec![None; range.columns().min(HEADERS) as usize];
        let row = RowTexts { texts, filled: 0, only_text: true };
        Self { range, rows: [row.clone(), row] }
    }

    fn take(&mut self, cell: &Cell<'_>, formatter: &CellFormatter) {
        if !self.range.contains(cell.at) {
            return;
        }
        let column = (cell.at.col() - self.range.start().col()) as usize;
        let Some(row) = self.rows.get_mut((cell.at.row() - self.range.start().row()) as usize) else { return };
        row.filled += 1;
        row.only_text &= cell.data.is_text() && cell.formula.is_none();
        if let Some(text) = row.texts.get_mut(column) {
            *text = Some(cut(&formatter.value(cell), HEADER_CHARS).into_owned());
        }
    }

    /// The headers and the number of their row: the first row when all of it is text. A lone title over
    /// a row of text is none.
    fn headers(&self) -> Option<(u32, &[Option<String>])> {
        let [first, second] = &self.rows;
        let row = self.range.start().row();
        let titled = first.filled == 1 && second.filled > 1 && second.only_text;
        match first.only_text {
            true if titled => Some((row + 1, &second.texts)),
            true => Some((row, &first.texts)),
            false => None,
        }
    }

    /// The range of the row of headers.
    fn header_range(&self) -> Option<CellRange> {
        let (row, _) = self.headers()?;
        let (start, end) = (self.range.start().col(), self.range.end().col());
        Some(CellRange::new(CellRef::new(row, start)?, CellRef::new(row, end)?))
    }

    /// What is below the headers.
    fn data_range(&self) -> Option<CellRange> {
        let below = CellRef::new(self.headers()?.0 + 1, self.range.start().col())?;
        (below.row() <= self.range.end().row()).then(|| CellRange::new(below, self.range.end()))
    }
}

/// The data blocks of a sheet with their headers.
#[derive(Default)]
struct DataBlocks {
    tops: Vec<Top>,
    /// How many there are in all.
    count: u64,
    /// Whether some are larger than they should be.
    approximate: bool,
}

fn data_blocks(call: &ReadCall<'_>, place: usize, data: &SheetData) -> Result<DataBlocks, Error> {
    if data.facts.used.is_none() {
        return Ok(DataBlocks::default());
    }
    let regions = call.regions(place, data)?;
    let listed = regions.blocks.get(..BLOCKS).unwrap_or(&regions.blocks);
    let tops = tops(call, place, data, listed)?;
    data.headers.get_or_init(|| headers_of(tops.first()));
    Ok(DataBlocks { tops, count: regions.count, approximate: regions.coarse })
}

/// The headers of the first data block. Without an index they are unknown until a map has found them, because they
/// would cost another scan.
pub(super) fn headers<'d>(
    call: &ReadCall<'_>,
    place: usize,
    data: &'d SheetData,
) -> Result<Option<&'d BlockHeaders>, Error> {
    if let Some(known) = data.headers.get() {
        return Ok(known.as_ref());
    }
    let blocks = if data.is_indexed() { call.regions(place, data)?.blocks.as_slice() } else { &[] };
    let tops = tops(call, place, data, blocks.get(..1).unwrap_or_default())?;
    Ok(data.headers.get_or_init(|| headers_of(tops.first())).as_ref())
}

fn headers_of(first: Option<&Top>) -> Option<BlockHeaders> {
    let (_, texts) = first?.headers()?;
    Some(BlockHeaders { range: first?.header_range()?, block: first?.range, texts: texts.to_vec() })
}

fn tops(call: &ReadCall<'_>, place: usize, data: &SheetData, blocks: &[CellRange]) -> Result<Vec<Top>, Error> {
    let mut tops: Vec<Top> = blocks.iter().copied().map(Top::new).collect();
    let mut by_row: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        for row in [block.start().row(), block.start().row() + 1] {
            by_row.entry(row).or_default().push(number);
        }
    }
    // Without an index, one scan down to the last block's headers is cheaper than a scan for each row.
    let last = by_row.keys().next_back().copied();
    let rows: Vec<CellRange> = match data.facts.used.zip(last) {
        Some((used, last)) if !data.is_indexed() => {
            let corner = CellRef::new(last.min(used.end().row()), used.end().col());
            corner.map(|corner| CellRange::new(used.start(), corner)).into_iter().collect()
        }
        _ => by_row.keys().copied().filter_map(whole_row).collect(),
    };
    for range in rows {
        call.each_cell(place, data, range, &mut |cell| {
            for number in by_row.get(&cell.at.row()).into_iter().flatten() {
                if let Some(top) = tops.get_mut(*number) {
                    top.take(&cell, &call.formatter);
                }
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(tops)
}

fn whole_row(row: u32) -> Option<CellRange> {
    Some(CellRange::new(CellRef::new(row, 1)?, CellRef::new(row, MAX_COLUMN)?))
}

fn data_block_map(top: &Top) -> DataBlockMap {
    let headers = top.headers();
    DataBlockMap {
        range: top.range.to_string(),
        label: if headers.is_some() { "header" } else { "data" },
        row_count: top.range.rows(),
        col_count: top.range.columns(),
        headers: headers.map(|(_, texts)| texts.to_vec()),
        header_ranges: headers.map(|_| HeaderRanges {
            header_range: top.header_range().map(|range| range.to_string()),
            data_range: top.data_range().map(|range| range.to_string()),
            headers_truncated: top.range.columns() > HEADERS,
        }),
    }
}

/// Pieces of 50 rows. The headers of the first data block are repeated in each, unless that would be too much.
fn chunks(used: CellRange, first: Option<&Top>) -> ChunkList {
    let count = used.rows().div_ceil(CHUNK_ROWS);
    let header = first.and_then(Top::header_range).map(|range| range.to_string());
    let texts: Option<Headers> = first.and_then(Top::headers).map(|(_, texts)| texts.to_vec());
    let repeated = texts.as_ref().is_some_and(|texts| texts.len() * count.min(CHUNKS) as usize <= REPEATED);
    let chunk = |index: u32| {
        let range = chunk_range(used, index);
        let headers = texts.as_ref().filter(|_| repeated).cloned();
        Chunk { index, range: range.to_string(), rows: range.rows(), header: header.clone(), headers }
    };
    ChunkList {
        chunks: (0..count.min(CHUNKS)).map(chunk).collect(),
        chunks_truncated: count > CHUNKS,
        chunk_count: Some(count),
        chunk_rows: Some(CHUNK_ROWS),
        chunk_headers: texts.filter(|_| !repeated),
    }
}

fn chunk_range(used: CellRange, index: u32) -> CellRange {
    let first = used.start().row() + index * CHUNK_ROWS;
    let last = (first + CHUNK_ROWS - 1).min(used.end().row());
    let corner = |row, col| CellRef::new(row, col).unwrap_or(used.end());
    CellRange::new(corner(first, used.start().col()), corner(last, used.end().col()))
}

/// The most tables of one sheet in the map.
const TABLES: usize = 500;
/// The most charts and images of one sheet in the map, and the most series of one chart.
const OBJECTS: usize = 100;
const SERIES: usize = 12;
/// The most columns of one table in the map.
const TABLE_COLUMNS: usize = 200;

/// Parts that belong to a sheet besides its own.
#[derive(Debug, Default)]
struct Related {
    tables: Vec<TableMap>,
    chart_maps: Vec<ChartMap>,
    image_maps: Vec<ImageMap>,
    charts: usize,
    images: usize,
    pivots: usize,
    comments: bool,
    slicers: bool,
    faults: Vec<String>,
}

impl Related {
    /// Follows the relationships of a sheet. Parts that cannot be read become faults.
    fn read(package: &Package, sheet: &Sheet) -> Self {
        let mut related = Self::default();
        if let Some(part) = &sheet.part
            && let Err(error) = related.follow(package, part)
        {
            related.faults.push(error.to_string());
        }
        if let Some(part) = &sheet.part
            && related.charts + related.images > 0
            && let Err(error) = related.objects(package, part)
        {
            related.faults.push(error.to_string());
        }
        if sheet.kind == SheetKind::Chartsheet {
            related.charts = related.charts.max(1);
        }
        related
    }

    fn follow(&mut self, package: &Package, part: &str) -> Result<(), PackageError> {
        for relationship in Relationships::read(package, part)?.list {
            let target = relationship.part.as_deref();
            match (relationship.kind.as_str(), target) {
                ("drawing", Some(drawing)) => self.drawing(package, drawing)?,
                ("table", Some(table)) if self.tables.len() < TABLES => match table_of(package, table) {
                    Ok(table) => self.tables.push(table),
                    Err(error) => self.faults.push(error.to_string()),
                },
                ("pivotTable", _) => self.pivots += 1,
                ("comments" | "threadedComment", _) => self.comments = true,
                ("slicer" | "timeline", _) => self.slicers = true,
                // The background image of the sheet.
                ("image", _) => self.images += 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// The charts and images that ops can change.
    fn objects(&mut self, package: &Package, part: &str) -> Result<(), PackageError> {
        for object in drawn(package, part)? {
            let anchor = object.anchor.map(|range| range.to_string());
            if object.kind == DrawnKind::Image {
                let alt_text = Some(cut(&object.alt_text, HEADER_CHARS).into_owned()).filter(|text| !text.is_empty());
                self.image_maps.push(ImageMap { name: object.name, anchor, alt_text });
            } else {
                self.chart_maps.push(chart_of(package, object.part.as_deref(), object.name, anchor));
            }
        }
        self.image_maps.truncate(OBJECTS);
        self.chart_maps.truncate(OBJECTS);
        Ok(())
    }

    fn drawing(&mut self, package: &Package, part: &str) -> Result<(), PackageError> {
        for relationship in Relationships::read(package, part)?.list {
            match relationship.kind.as_str() {
                "chart" | "chartEx" => self.charts += 1,
                "image" => self.images += 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A chart; one that cannot be read is listed by its name.
fn chart_of(package: &Package, part: Option<&str>, name: String, anchor: Option<String>) -> ChartMap {
    let read = |part: &str| {
        let content = package.xml(part).ok()?;
        let tree = content.tree(package.limits()).ok()?;
        Some(ChartFacts::read(tree.root()))
    };
    let facts = part.and_then(read).unwrap_or_default();
    let count = facts.series.len();
    let series = facts.series.into_iter().take(SERIES).map(|series| ChartSeriesMap {
        name: series.name_ref.or(series.name).map(|name| cut(&name, HEADER_CHARS).into_owned()),
        values: series.values,
        categories: series.categories,
    });
    let kind = if facts.kind.is_empty() { "unknown".to_owned() } else { facts.kind };
    let title = facts.title.map(|title| cut(&title, HEADER_CHARS).into_owned());
    ChartMap { name, kind, title, anchor, series: series.collect(), series_count: (count > SERIES).then_some(count) }
}

fn table_of(package: &Package, part: &str) -> Result<TableMap, PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let root = tree.root();
    let name = root.attr("displayName").or_else(|| root.attr("name")).unwrap_or_default();
    let count = |name, usual: u32| root.attr(name).and_then(|count| count.parse().ok()).unwrap_or(usual);
    let columns =
        root.child(Ns::S, "tableColumns").into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn"));
    let columns: Vec<String> = columns.filter_map(|column| column.attr("name")).map(Cow::into_owned).collect();
    Ok(TableMap {
        name: name.into_owned(),
        range: root.attr("ref").map(Cow::into_owned),
        header_row: count("headerRowCount", 1) > 0,
        totals_row: count("totalsRowCount", 0) > 0,
        column_count: (columns.len() > TABLE_COLUMNS).then_some(columns.len()),
        columns: columns.into_iter().take(TABLE_COLUMNS).collect(),
    })
}
