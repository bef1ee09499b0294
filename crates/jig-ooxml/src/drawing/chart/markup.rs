//! The markup of a new chart, in the order of the schema.

use std::fmt::Write;

use super::{Chart, ChartKind, Data, DataLabels, Points, Series, SeriesName, Stacking};
use crate::xml::{escape_attribute, escape_text};

/// The numbers of the axes: categories and values, then those of the second pair.
const AXES: [[u32; 2]; 2] = [[500_000_001, 500_000_002], [500_000_003, 500_000_004]];

/// The addresses of the namespaces of a chart part.
pub(super) fn namespaces(strict: bool) -> String {
    let base = if strict { "http://purl.oclc.org/ooxml" } else { "http://schemas.openxmlformats.org" };
    let year = if strict { "" } else { "/2006" };
    format!(
        "xmlns:c=\"{base}/drawingml{year}/chart\" xmlns:a=\"{base}/drawingml{year}/main\" \
         xmlns:r=\"{base}/officeDocument{year}/relationships\""
    )
}

impl Chart {
    /// The part, with its declaration.
    pub(crate) fn part(&self, strict: bool) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
        let _ = write!(out, "<c:chartSpace {}><c:roundedCorners val=\"0\"/><c:chart>", namespaces(strict));
        match &self.title {
            Some(title) => {
                out.push_str(&title_markup("c:", title, 1400));
                out.push_str("<c:autoTitleDeleted val=\"0\"/>");
            }
            None => out.push_str("<c:autoTitleDeleted val=\"1\"/>"),
        }
        let _ = write!(out, "<c:plotArea>{}</c:plotArea>", self.plot_area());
        if let Some(position) = self.legend {
            out.push_str(&legend_markup("c:", position));
        }
        out.push_str("<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart>");
        if let Some(id) = &self.workbook {
            let _ = write!(
                out,
                "<c:externalData r:id=\"{}\"><c:autoUpdate val=\"0\"/></c:externalData>",
                escape_attribute(id)
            );
        }
        out.push_str("</c:chartSpace>");
        out
    }

    /// The content of `c:plotArea`, with the prefix `c:`.
    pub(super) fn plot_area(&self) -> String {
        let mut out = String::from("<c:layout/>");
        let mut groups: Vec<(bool, ChartKind)> = self.series.iter().map(|one| (one.secondary, one.kind)).collect();
        groups.sort_unstable();
        groups.dedup();
        for (secondary, kind) in &groups {
            self.group(*kind, *secondary, &mut out);
        }
        let round = groups.iter().any(|(_, kind)| kind.is_round());
        for secondary in [false, true] {
            if let Some((_, kind)) = groups.iter().find(|(second, _)| *second == secondary).filter(|_| !round) {
                self.axes(*kind, secondary, &mut out);
            }
        }
        out
    }

    fn group(&self, kind: ChartKind, secondary: bool, out: &mut String) {
        let element = match kind {
            ChartKind::Column | ChartKind::Bar => "barChart",
            ChartKind::Line => "lineChart",
            ChartKind::Area => "areaChart",
            ChartKind::Pie => "pieChart",
            ChartKind::Doughnut => "doughnutChart",
            ChartKind::Scatter => "scatterChart",
        };
        let grouping = match (self.stacking, kind) {
            (Stacking::Percent, _) => "percentStacked",
            (Stacking::Stacked, _) => "stacked",
            (Stacking::None, ChartKind::Column | ChartKind::Bar) => "clustered",
            (Stacking::None, _) => "standard",
        };
        let _ = write!(out, "<c:{element}>");
        match kind {
            ChartKind::Column => out.push_str("<c:barDir val=\"col\"/>"),
            ChartKind::Bar => out.push_str("<c:barDir val=\"bar\"/>"),
            ChartKind::Scatter => out.push_str("<c:scatterStyle val=\"lineMarker\"/>"),
            _ => {}
        }
        if !kind.is_round() && kind != ChartKind::Scatter {
            let _ = write!(out, "<c:grouping val=\"{grouping}\"/>");
        }
        let _ = write!(out, "<c:varyColors val=\"{}\"/>", u8::from(kind.is_round()));
        for (at, series) in self.series.iter().enumerate() {
            if series.kind == kind && series.secondary == secondary {
                out.push_str(&series.markup(at));
            }
        }
        if let Some(labels) = &self.labels {
            out.push_str(&labels.markup("c:", self.number_format.as_deref()));
        }
        let stacked = self.stacking != Stacking::None;
        match kind {
            ChartKind::Column | ChartKind::Bar => {
                out.push_str("<c:gapWidth val=\"150\"/>");
                if stacked {
                    out.push_str("<c:overlap val=\"100\"/>");
                }
            }
            ChartKind::Line => out.push_str("<c:marker val=\"1\"/>"),
            ChartKind::Pie => out.push_str("<c:firstSliceAng val=\"0\"/>"),
            ChartKind::Doughnut => out.push_str("<c:firstSliceAng val=\"0\"/><c:holeSize val=\"50\"/>"),
            _ => {}
        }
        if !kind.is_round() {
            let [categories, values] = AXES[usize::from(secondary)];
            let _ = write!(out, "<c:axId val=\"{categories}\"/><c:axId val=\"{values}\"/>");
        }
        let _ = write!(out, "</c:{element}>");
    }

    fn axes(&self, kind: ChartKind, secondary: bool, out: &mut String) {
        let [categories, values] = AXES[usize::from(secondary)];
        let bar = kind == ChartKind::Bar;
        let scatter = kind == ChartKind::Scatter;
        let title = |text: Option<&String>| text.map(|text| title_markup("c:", text, 1000)).unwrap_or_default();
        let x_title = title(self.x_title.as_ref().filter(|_| !secondary));
        let y_title = title(if secondary { self.y2_title.as_ref() } else { self.y_title.as_ref() });
        let x_element = if scatter { "valAx" } else { "catAx" };
        let hidden = u8::from(secondary);
        let _ = write!(
            out,
            "<c:{x_element}><c:axId val=\"{categories}\"/><c:scaling><c:orientation val=\"minMax\"/></c:scaling>\
             <c:delete val=\"{hidden}\"/><c:axPos val=\"{}\"/>{x_title}<c:numFmt formatCode=\"General\" sourceLinked=\"1\"/>\
             <c:majorTickMark val=\"none\"/><c:minorTickMark val=\"none\"/><c:tickLblPos val=\"{}\"/>\
             <c:crossAx val=\"{values}\"/><c:crosses val=\"autoZero\"/>",
            if bar { "l" } else { "b" },
            // Labels below the plot stay readable beside negative values.
            if secondary { "nextTo" } else { "low" },
        );
        match scatter {
            true => out.push_str("<c:crossBetween val=\"midCat\"/>"),
            false => out.push_str(
                "<c:auto val=\"1\"/><c:lblAlgn val=\"ctr\"/><c:lblOffset val=\"100\"/><c:noMultiLvlLbl val=\"0\"/>",
            ),
        }
        let _ = write!(out, "</c:{x_element}>");
        let limit = |name: &str, value: Option<f64>| {
            value.filter(|_| !secondary).map(|value| format!("<c:{name} val=\"{value}\"/>")).unwrap_or_default()
        };
        let format = self.number_format.as_ref().filter(|_| !secondary);
        let (code, linked) = match (format, self.stacking) {
            (Some(code), _) => (escape_attribute(code).into_owned(), 0),
            (None, Stacking::Percent) => ("0%".to_owned(), 0),
            (None, _) => ("General".to_owned(), 1),
        };
        let grid = if secondary { "" } else { "<c:majorGridlines/>" };
        let side = match (bar, secondary) {
            (true, false) => "b",
            (true, true) => "t",
            (false, false) => "l",
            (false, true) => "r",
        };
        // Areas start at the axis itself, columns between its marks.
        let between = match kind {
            ChartKind::Area | ChartKind::Scatter => "midCat",
            _ => "between",
        };
        let _ = write!(
            out,
            "<c:valAx><c:axId val=\"{values}\"/><c:scaling><c:orientation val=\"minMax\"/>{}{}</c:scaling>\
             <c:delete val=\"0\"/><c:axPos val=\"{side}\"/>{grid}{y_title}\
             <c:numFmt formatCode=\"{code}\" sourceLinked=\"{linked}\"/><c:majorTickMark val=\"out\"/>\
             <c:minorTickMark val=\"none\"/><c:tickLblPos val=\"nextTo\"/><c:crossAx val=\"{categories}\"/>\
             <c:crosses val=\"{}\"/><c:crossBetween val=\"{between}\"/></c:valAx>",
            limit("max", self.y_max),
            limit("min", self.y_min),
            if secondary { "max" } else { "autoZero" },
        );
    }
}

impl Series {
    /// The element, with the prefix `c:`.
    pub(super) fn markup(&self, index: usize) -> String {
        let mut out = format!("<c:ser><c:idx val=\"{index}\"/><c:order val=\"{index}\"/>");
        if let Some(name) = &self.name {
            out.push_str(&name.markup("c:"));
        }
        out.push_str(&self.format());
        match self.kind {
            ChartKind::Column | ChartKind::Bar => out.push_str("<c:invertIfNegative val=\"0\"/>"),
            ChartKind::Line => out.push_str("<c:marker><c:symbol val=\"none\"/></c:marker>"),
            ChartKind::Scatter => {
                out.push_str("<c:marker><c:symbol val=\"circle\"/><c:size val=\"6\"/>");
                if let Some(color) = &self.color {
                    let _ = write!(out, "<c:spPr><a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill></c:spPr>");
                }
                out.push_str("</c:marker>");
            }
            _ => {}
        }
        let scatter = self.kind == ChartKind::Scatter;
        if let Some(categories) = &self.categories {
            let name = if scatter { "xVal" } else { "cat" };
            let _ = write!(out, "<c:{name}>{}</c:{name}>", categories.markup("c:"));
        }
        let name = if scatter { "yVal" } else { "val" };
        let _ = write!(out, "<c:{name}>{}</c:{name}>", self.values.markup("c:"));
        if matches!(self.kind, ChartKind::Line | ChartKind::Scatter) {
            out.push_str("<c:smooth val=\"0\"/>");
        }
        out.push_str("</c:ser>");
        out
    }

    fn format(&self) -> String {
        let fill = |color: &str| format!("<a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill>");
        match (self.kind, self.color.as_deref()) {
            // Points without lines between them.
            (ChartKind::Scatter, _) => "<c:spPr><a:ln w=\"19050\"><a:noFill/></a:ln></c:spPr>".to_owned(),
            (_, None) => String::new(),
            (ChartKind::Line, Some(color)) => {
                format!("<c:spPr><a:ln w=\"28575\" cap=\"rnd\">{}<a:round/></a:ln></c:spPr>", fill(color))
            }
            (_, Some(color)) => format!("<c:spPr>{}</c:spPr>", fill(color)),
        }
    }
}

impl SeriesName {
    /// `c:tx`, with a prefix.
    pub(super) fn markup(&self, p: &str) -> String {
        match self {
            Self::Cell(data) => format!("<{p}tx>{}</{p}tx>", data.markup(p)),
            Self::Text(text) => format!("<{p}tx><{p}v>{}</{p}v></{p}tx>", escape_text(text)),
        }
    }
}

impl Data {
    /// `c:numRef` or `c:strRef`, with a prefix.
    pub(super) fn markup(&self, p: &str) -> String {
        let element = match self.points {
            Points::Numbers { .. } | Points::UnknownNumbers => "numRef",
            Points::Texts(_) | Points::UnknownTexts => "strRef",
        };
        let formula = escape_text(&self.formula);
        format!("<{p}{element}><{p}f>{formula}</{p}f>{}</{p}{element}>", self.points.cache(p))
    }
}

impl Points {
    /// `c:numCache` or `c:strCache`; empty while the values are unknown.
    pub(super) fn cache(&self, p: &str) -> String {
        let mut out = String::new();
        let mut point = |at: usize, text: &str| {
            let _ = write!(out, "<{p}pt idx=\"{at}\"><{p}v>{}</{p}v></{p}pt>", escape_text(text));
        };
        match self {
            Self::UnknownNumbers | Self::UnknownTexts => out,
            Self::Numbers { format, values } => {
                let known = values.iter().enumerate().filter_map(|(at, value)| Some((at, value.as_ref()?)));
                known.for_each(|(at, value)| point(at, &value.to_string()));
                let (count, format) = (values.len(), escape_text(format));
                format!(
                    "<{p}numCache><{p}formatCode>{format}</{p}formatCode><{p}ptCount val=\"{count}\"/>{out}</{p}numCache>"
                )
            }
            Self::Texts(texts) => {
                let known = texts.iter().enumerate().filter_map(|(at, text)| Some((at, text.as_ref()?)));
                known.for_each(|(at, text)| point(at, text));
                format!("<{p}strCache><{p}ptCount val=\"{}\"/>{out}</{p}strCache>", texts.len())
            }
        }
    }
}

impl DataLabels {
    /// `c:dLbls`, with a prefix.
    pub(super) fn markup(&self, p: &str, format: Option<&str>) -> String {
        let flag = |name: &str, on: bool| format!("<{p}{name} val=\"{}\"/>", u8::from(on));
        let format = format
            .filter(|_| self.value)
            .map(|code| format!("<{p}numFmt formatCode=\"{}\" sourceLinked=\"0\"/>", escape_attribute(code)));
        [
            format!("<{p}dLbls>"),
            format.unwrap_or_default(),
            flag("showLegendKey", false),
            flag("showVal", self.value),
            flag("showCatName", self.category),
            flag("showSerName", false),
            flag("showPercent", self.percent),
            flag("showBubbleSize", false),
            format!("</{p}dLbls>"),
        ]
        .concat()
    }
}

/// `c:title` with a text of its own; `size` in hundredths of a point.
pub(super) fn title_markup(p: &str, text: &str, size: u32) -> String {
    let lines: String = text
        .lines()
        .map(|line| {
            let text = escape_text(line);
            format!(
                "<a:p><a:pPr><a:defRPr sz=\"{size}\" b=\"0\"/></a:pPr><a:r><a:rPr sz=\"{size}\" b=\"0\"/><a:t>{text}</a:t></a:r></a:p>"
            )
        })
        .collect();
    format!(
        "<{p}title><{p}tx><{p}rich><a:bodyPr/><a:lstStyle/>{lines}</{p}rich></{p}tx><{p}overlay val=\"0\"/></{p}title>"
    )
}

/// `c:legend`, with a prefix.
pub(super) fn legend_markup(p: &str, position: &str) -> String {
    format!("<{p}legend><{p}legendPos val=\"{position}\"/><{p}overlay val=\"0\"/></{p}legend>")
}
