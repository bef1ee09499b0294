//! The words of objects on sheets: kinds of charts, positions of legends, rules of conditional formats and the like.

use super::value_type::WordList;

static CHART_TYPE: WordList = WordList {
    values: &["column", "bar", "line", "area", "pie", "doughnut", "scatter", "combo"],
    synonyms: &[
        ("columns", "column"),
        ("col", "column"),
        ("columnchart", "column"),
        ("clusteredcolumn", "column"),
        ("columnclustered", "column"),
        ("vertical", "column"),
        ("verticalbar", "column"),
        ("histogram", "column"),
        ("bars", "bar"),
        ("barchart", "bar"),
        ("clusteredbar", "bar"),
        ("barclustered", "bar"),
        ("horizontalbar", "bar"),
        ("lines", "line"),
        ("linechart", "line"),
        ("areachart", "area"),
        ("piechart", "pie"),
        ("donut", "doughnut"),
        ("ring", "doughnut"),
        ("doughnutchart", "doughnut"),
        ("xy", "scatter"),
        ("xyscatter", "scatter"),
        ("scatterchart", "scatter"),
        ("scatterplot", "scatter"),
        ("points", "scatter"),
        ("combination", "combo"),
        ("combochart", "combo"),
        ("columnline", "combo"),
        ("mixed", "combo"),
    ],
};

static LEGEND: WordList = WordList {
    values: &["right", "left", "top", "bottom", "top_right", "none"],
    synonyms: &[
        ("r", "right"),
        ("l", "left"),
        ("t", "top"),
        ("b", "bottom"),
        ("tr", "top_right"),
        ("corner", "top_right"),
        ("true", "right"),
        ("yes", "right"),
        ("false", "none"),
        ("no", "none"),
        ("off", "none"),
        ("hidden", "none"),
    ],
};

static STACKING: WordList = WordList {
    values: &["none", "stacked", "percent"],
    synonyms: &[
        ("false", "none"),
        ("no", "none"),
        ("clustered", "none"),
        ("standard", "none"),
        ("true", "stacked"),
        ("yes", "stacked"),
        ("stack", "stacked"),
        ("percentstacked", "percent"),
        ("100", "percent"),
        ("full", "percent"),
    ],
};

static DATA_LABELS: WordList = WordList {
    values: &["none", "value", "percent", "category", "category_percent"],
    synonyms: &[
        ("false", "none"),
        ("no", "none"),
        ("true", "value"),
        ("yes", "value"),
        ("values", "value"),
        ("percentage", "percent"),
        ("percentages", "percent"),
        ("categories", "category"),
        ("name", "category"),
        ("categorypercentage", "category_percent"),
        ("both", "category_percent"),
    ],
};

/// The words of a type that a schema names.
pub(super) fn words(name: &str) -> Option<&'static WordList> {
    Some(match name {
        "chart_type" => &CHART_TYPE,
        "legend" => &LEGEND,
        "stacking" => &STACKING,
        "data_labels" => &DATA_LABELS,
        _ => return None,
    })
}
