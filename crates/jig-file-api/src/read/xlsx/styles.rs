//! The reply of `XlsxGetStyles`.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::NamedRange;

/// The reply to `XlsxGetStyles`.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkbookStyles {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<String>,
    /// How many cell formats the workbook has.
    pub style_count: usize,
    /// The named styles.
    pub named_styles: Capped<StyleAsset>,
    /// The number formats that cells use or the file defines.
    pub number_formats: Capped<StyleAsset>,
    /// The fonts.
    pub fonts: Capped<FontStyle>,
    /// The fills.
    pub fills: Capped<FillStyle>,
    /// The borders.
    pub borders: Capped<BorderStyle>,
    /// The sheet that was asked for, with the styles of its cells.
    pub sheet: Option<SheetStyles>,
    /// The rules of conditional formats.
    pub conditional_formats: Capped<ConditionalFormatMap>,
    /// The defined names.
    pub named_ranges: Capped<NamedRange>,
    /// Everything that can be copied.
    pub assets: Capped<StyleAsset>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A rule of a conditional format.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionalFormatMap {
    /// The sheet.
    pub sheet: String,
    /// The cells, separated by spaces.
    pub range: String,
    /// The type of the rule as the file has it, such as `cellIs`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How cells are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// What they are compared with, or the formula.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formulas: Vec<String>,
    /// The colours of a scale or of bars.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colors: Vec<String>,
    /// The set of icons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<String>,
    /// Rules with lower numbers are applied first.
    pub priority: Option<u32>,
}

/// The cell styles of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetStyles {
    /// Its name.
    pub name: String,
    /// A cell for each format.
    pub cell_styles: Capped<StyleAsset>,
}

/// The beginning of a list, and how long the list is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Capped<T> {
    /// Its beginning.
    pub list: Vec<T>,
    /// The length of the complete list.
    pub count: usize,
}

impl<T> Capped<T> {
    /// The first `most` of a list.
    pub fn new(mut list: Vec<T>, most: usize) -> Self {
        let count = list.len();
        list.truncate(most);
        Self { list, count }
    }

    /// Writes the list under a name; its length only if the list is not complete.
    fn write<M: SerializeMap>(&self, name: &str, map: &mut M) -> Result<(), M::Error>
    where
        T: Serialize,
    {
        map.serialize_entry(name, &self.list)?;
        if self.count > self.list.len() {
            map.serialize_entry(&format!("{name}_count"), &self.count)?;
            map.serialize_entry(&format!("{name}_truncated"), &true)?;
        }
        Ok(())
    }
}

impl Serialize for WorkbookStyles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", "xlsx")?;
        map.serialize_entry("sheet_count", &self.sheets.len())?;
        map.serialize_entry("sheets", &self.sheets)?;
        map.serialize_entry("style_count", &self.style_count)?;
        self.named_styles.write("named_styles", &mut map)?;
        self.number_formats.write("number_formats", &mut map)?;
        self.fonts.write("fonts", &mut map)?;
        self.fills.write("fills", &mut map)?;
        self.borders.write("borders", &mut map)?;
        if let Some(sheet) = &self.sheet {
            map.serialize_entry("sheet", &sheet.name)?;
            sheet.cell_styles.write("cell_style_assets", &mut map)?;
        }
        if self.conditional_formats.count > 0 {
            self.conditional_formats.write("conditional_formats", &mut map)?;
        }
        if self.named_ranges.count > 0 {
            self.named_ranges.write("named_ranges", &mut map)?;
        }
        self.assets.write("assets", &mut map)?;
        map.serialize_entry(
            "supported_copy_asset_types",
            &["named_style", "cell_style", "number_format", "chart", "image"],
        )?;
        if !self.warnings.is_empty() {
            map.serialize_entry("warnings", &self.warnings)?;
        }
        map.end()
    }
}

/// A style that `XlsxCopyAssets` takes by its id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StyleAsset {
    /// The id for copying.
    pub asset_id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: StyleAssetType,
    /// The rest.
    #[serde(flatten)]
    pub details: StyleDetails,
}

/// The type of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StyleAssetType {
    /// A named style.
    NamedStyle,
    /// The format of a cell.
    CellStyle,
    /// A number format.
    NumberFormat,
}

/// What is known of an asset besides its id.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StyleDetails {
    /// A named style.
    NamedStyle {
        /// Its name.
        name: String,
        /// Whether Excel brings it.
        builtin: bool,
    },
    /// A number format.
    NumberFormat {
        /// Its id in the file.
        index: u32,
        /// Its format code.
        code: String,
    },
    /// The format of a cell.
    CellStyle {
        /// The sheet.
        sheet: String,
        /// The first cell with the format.
        cell: String,
        /// The index of the format in the file.
        style_id: u32,
        /// The named style it is based on.
        named_style: Option<String>,
        /// Its number format.
        number_format: String,
        /// How many cells of the sheet have it.
        cell_count: u64,
    },
}

/// A font of the styles part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FontStyle {
    /// Its position, from 0.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Its size in points.
    pub size: Option<f64>,
    /// Whether it is bold.
    pub bold: bool,
    /// Whether it is italic.
    pub italic: bool,
    /// The type of underline.
    pub underline: Option<String>,
    /// Whether it is struck through.
    pub strike: bool,
    /// Its colour.
    pub color: Option<String>,
}

/// A fill of the styles part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FillStyle {
    /// Its position, from 0.
    pub index: usize,
    /// Its pattern.
    pub pattern: String,
    /// The colour of the pattern; of a solid fill, the colour.
    pub fg_color: Option<String>,
    /// The colour behind the pattern.
    pub bg_color: Option<String>,
    /// The colours of a gradient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient_colors: Option<Vec<String>>,
}

/// A border of the styles part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BorderStyle {
    /// Its position, from 0.
    pub index: usize,
    /// Left.
    pub left: Option<BorderEdge>,
    /// Right.
    pub right: Option<BorderEdge>,
    /// Top.
    pub top: Option<BorderEdge>,
    /// Bottom.
    pub bottom: Option<BorderEdge>,
}

/// One side of a border.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BorderEdge {
    /// The line style.
    pub style: String,
    /// Its colour.
    pub color: Option<String>,
}
