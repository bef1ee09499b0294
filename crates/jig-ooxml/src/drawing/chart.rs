//! Charts (`c:chartSpace`): the model of a chart, its markup, and what an existing part shows.
//!
//! A workbook gives series as references and fills their caches when all values are known ([`fill_caches`]); a
//! presentation gives the values at once, with the relationship of the workbook it embeds.

mod change;
mod markup;
mod read;

pub(crate) use self::change::{ChartChange, fill_caches};

/// How values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChartKind {
    Area,
    Column,
    Bar,
    Line,
    Scatter,
    Pie,
    Doughnut,
}

impl ChartKind {
    /// The kind with a name; none for `combo`, which is several kinds in one chart.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "column" => Self::Column,
            "bar" => Self::Bar,
            "line" => Self::Line,
            "area" => Self::Area,
            "pie" => Self::Pie,
            "doughnut" => Self::Doughnut,
            "scatter" => Self::Scatter,
            _ => return None,
        })
    }

    /// Its name in ops and replies.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Column => "column",
            Self::Bar => "bar",
            Self::Line => "line",
            Self::Area => "area",
            Self::Pie => "pie",
            Self::Doughnut => "doughnut",
            Self::Scatter => "scatter",
        }
    }

    /// Whether it has no axes.
    pub(crate) fn is_round(self) -> bool {
        matches!(self, Self::Pie | Self::Doughnut)
    }

    /// Whether it can be one of several kinds in a chart.
    pub(crate) fn combines(self) -> bool {
        matches!(self, Self::Column | Self::Line | Self::Area)
    }
}

/// Whether the values of a category are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stacking {
    #[default]
    None,
    Stacked,
    Percent,
}

impl Stacking {
    /// The stacking with a name.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "stacked" => Self::Stacked,
            "percent" => Self::Percent,
            _ => Self::None,
        }
    }
}

/// What is written at the data points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DataLabels {
    pub(crate) value: bool,
    pub(crate) percent: bool,
    pub(crate) category: bool,
}

impl DataLabels {
    /// The labels with a name.
    pub(crate) fn named(name: &str) -> Self {
        Self { value: name == "value", percent: name.ends_with("percent"), category: name.starts_with("category") }
    }
}

/// The token of `c:legendPos` for a position; none for no legend.
pub(crate) fn legend_position(name: &str) -> Option<&'static str> {
    Some(match name {
        "right" => "r",
        "left" => "l",
        "top" => "t",
        "bottom" => "b",
        "top_right" => "tr",
        _ => return None,
    })
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    pub(crate) series: Vec<Series>,
    pub(crate) stacking: Stacking,
    pub(crate) title: Option<String>,
    /// The title of the axis with the categories or x values.
    pub(crate) x_title: Option<String>,
    /// The title of the axis with the values.
    pub(crate) y_title: Option<String>,
    /// The title of the second axis with values.
    pub(crate) y2_title: Option<String>,
    /// The token of `c:legendPos`.
    pub(crate) legend: Option<&'static str>,
    pub(crate) labels: Option<DataLabels>,
    /// Of the axis with the values.
    pub(crate) number_format: Option<String>,
    pub(crate) y_min: Option<f64>,
    pub(crate) y_max: Option<f64>,
    /// The relationship of the workbook with the data, in a presentation.
    pub(crate) workbook: Option<String>,
}

/// A series of a chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) kind: ChartKind,
    /// Whether it belongs to the second axis.
    pub(crate) secondary: bool,
    /// Six digits; the theme's colour without it.
    pub(crate) color: Option<String>,
    pub(crate) name: Option<SeriesName>,
    pub(crate) categories: Option<Data>,
    pub(crate) values: Data,
}

/// The name of a series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SeriesName {
    /// A cell.
    Cell(Data),
    /// A text of its own.
    Text(String),
}

/// Cells that a chart shows, with their values as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Data {
    /// The reference, such as `Data!$A$2:$A$5`.
    pub(crate) formula: String,
    pub(crate) points: Points,
}

/// The values of cells in a chart, which viewers show without reading the cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Points {
    /// Numbers, and their number format.
    Numbers { format: String, values: Vec<Option<f64>> },
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Numbers that are filled in later.
    UnknownNumbers,
    /// Texts that are filled in later.
    UnknownTexts,
}

/// What an existing chart shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ChartFacts {
    /// Its kind, also one that no op creates.
    pub(crate) kind: String,
    pub(crate) title: Option<String>,
    pub(crate) series: Vec<SeriesFacts>,
    pub(crate) stacking: Stacking,
    pub(crate) x_title: Option<String>,
    pub(crate) y_title: Option<String>,
    pub(crate) y2_title: Option<String>,
    pub(crate) number_format: Option<String>,
}

/// What a series of an existing chart shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SeriesFacts {
    pub(crate) kind: Option<ChartKind>,
    pub(crate) secondary: bool,
    /// The name, as far as the chart has it.
    pub(crate) name: Option<String>,
    /// The cell with the name.
    pub(crate) name_ref: Option<String>,
    pub(crate) categories: Option<String>,
    /// Whether the categories are stored as numbers.
    pub(crate) numeric_categories: bool,
    pub(crate) values: Option<String>,
    pub(crate) color: Option<String>,
}
