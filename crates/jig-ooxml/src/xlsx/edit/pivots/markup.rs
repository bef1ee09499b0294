//! The parts of a pivot table: records, cache definition, table definition.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::current_cells::Source;
use super::super::values::number_text;
use super::{Field, Item, Pivot};
use crate::xml::{Ns, escape_attribute};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

impl Item {
    fn markup(&self) -> String {
        match self {
            Self::Number(number) => format!("<n v=\"{}\"/>", number_text(*number)),
            Self::Date(_, text) => format!("<d v=\"{text}\"/>"),
            Self::Text(text) => format!("<s v=\"{}\"/>", escape_attribute(text)),
            Self::Bool(flag) => format!("<b v=\"{}\"/>", u8::from(*flag)),
            Self::Error(error) => format!("<e v=\"{}\"/>", escape_attribute(error)),
            Self::Blank => "<m/>".to_owned(),
        }
    }
}

impl Field {
    /// The `cacheField` element: which types its values have, and the different ones of a field that groups.
    fn markup(&self) -> String {
        let has = |test: fn(&Item) -> bool| self.values.iter().any(test);
        let text = has(|item| matches!(item, Item::Text(_) | Item::Bool(_) | Item::Error(_)));
        let blank = has(|item| matches!(item, Item::Blank));
        let number = has(|item| matches!(item, Item::Number(_)));
        let date = has(|item| matches!(item, Item::Date(..)));
        let mut attributes = String::new();
        let mut put = |name: &str, value: &str| {
            let _ = write!(attributes, " {name}=\"{value}\"");
        };
        if !text && !blank {
            put("containsSemiMixedTypes", "0");
        }
        if date && !text && !number {
            put("containsNonDate", "0");
        }
        if date {
            put("containsDate", "1");
        }
        if !text {
            put("containsString", "0");
        }
        if blank {
            put("containsBlank", "1");
        }
        if u8::from(text) + u8::from(number) + u8::from(date) > 1 {
            put("containsMixedTypes", "1");
        }
        let numbers = self.values.iter().filter_map(|item| match item {
            Item::Number(number) => Some(*number),
            _ => None,
        });
        if number {
            put("containsNumber", "1");
            if numbers.clone().all(|number| number.fract() == 0.0 && number.abs() < 2e9) {
                put("containsInteger", "1");
            }
            let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(n), high.max(n)));
            if !date {
                put("minValue", &number_text(low));
                put("maxValue", &number_text(high));
            }
        }
        if date {
            let days = self.values.iter().filter_map(|item| match item {
                Item::Date(_, text) => Some(text.as_str()),
                _ => None,
            });
            put("minDate", days.clone().min().unwrap_or_default());
            put("maxDate", days.max().unwrap_or_default());
        }
        let name = escape_attribute(&self.name);
        match &self.items {
            Some(items) => {
                let list: String = items.iter().map(Item::markup).collect();
                format!(
                    "<cacheField name=\"{name}\" numFmtId=\"0\"><sharedItems{attributes} count=\"{}\">{list}</sharedItems></cacheField>",
                    items.len()
                )
            }
            None => format!("<cacheField name=\"{name}\" numFmtId=\"0\"><sharedItems{attributes}/></cacheField>"),
        }
    }
}

impl Pivot {
    /// The part with all records.
    pub(super) fn records(&self, namespace: &str) -> String {
        let count = self.fields.first().map_or(0, |field| field.values.len());
        let mut out = format!("{DECLARATION}<pivotCacheRecords xmlns=\"{namespace}\" count=\"{count}\">");
        for record in 0..count {
            out.push_str("<r>");
            for field in &self.fields {
                match (&field.items, field.indexes.get(record), field.values.get(record)) {
                    (Some(_), Some(index), _) => {
                        let _ = write!(out, "<x v=\"{index}\"/>");
                    }
                    (_, _, Some(value)) => out.push_str(&value.markup()),
                    _ => out.push_str("<m/>"),
                }
            }
            out.push_str("</r>");
        }
        out.push_str("</pivotCacheRecords>");
        out
    }

    /// The part that defines the cache. It is refreshed when the workbook is opened.
    pub(super) fn definition(&self, namespace: &str, strict: bool, records_id: &str, source: &Source) -> String {
        let r = if strict { "http://purl.oclc.org/ooxml/officeDocument/relationships" } else { Ns::R.uri() };
        let count = self.fields.first().map_or(0, |field| field.values.len());
        let fields: String = self.fields.iter().map(Field::markup).collect();
        format!(
            "{DECLARATION}<pivotCacheDefinition xmlns=\"{namespace}\" xmlns:r=\"{r}\" r:id=\"{}\" refreshOnLoad=\"1\" \
             createdVersion=\"3\" refreshedVersion=\"3\" minRefreshableVersion=\"3\" recordCount=\"{count}\">\
             <cacheSource type=\"worksheet\"><worksheetSource ref=\"{}\" sheet=\"{}\"/></cacheSource>\
             <cacheFields count=\"{}\">{fields}</cacheFields></pivotCacheDefinition>",
            escape_attribute(records_id),
            source.range,
            escape_attribute(&source.sheet),
            self.fields.len()
        )
    }

    /// The part of the table. `formats` are the numbers of the number formats of its values.
    pub(super) fn table(&self, namespace: &str, cache_id: u32, formats: &BTreeMap<usize, u32>) -> String {
        let name = escape_attribute(&self.name);
        let (first_header, first_data) = match (self.column, self.measures.len()) {
            (Some(_), _) => (1, 2),
            (None, 1) => (1, 1),
            (None, _) => (0, 1),
        };
        let pages = match self.filters.len() {
            0 => String::new(),
            count => format!(" rowPageCount=\"{count}\" colPageCount=\"1\""),
        };
        let mut out = format!(
            "{DECLARATION}<pivotTableDefinition xmlns=\"{namespace}\" name=\"{name}\" cacheId=\"{cache_id}\" \
             applyNumberFormats=\"0\" applyBorderFormats=\"0\" applyFontFormats=\"0\" applyPatternFormats=\"0\" \
             applyAlignmentFormats=\"0\" applyWidthHeightFormats=\"1\" dataCaption=\"Values\" updatedVersion=\"3\" \
             minRefreshableVersion=\"3\" useAutoFormatting=\"1\" itemPrintTitles=\"1\" createdVersion=\"3\" indent=\"0\" \
             outline=\"1\" outlineData=\"1\" multipleFieldFilters=\"0\">\
             <location ref=\"{}\" firstHeaderRow=\"{first_header}\" firstDataRow=\"{first_data}\" firstDataCol=\"1\"{pages}/>\
             <pivotFields count=\"{}\">",
            self.range,
            self.fields.len()
        );
        for (at, field) in self.fields.iter().enumerate() {
            out.push_str(&self.field(at, field));
        }
        out.push_str("</pivotFields>");
        let _ = write!(out, "<rowFields count=\"{}\">", self.rows.len());
        for at in &self.rows {
            let _ = write!(out, "<field x=\"{at}\"/>");
        }
        let _ = write!(out, "</rowFields><rowItems count=\"{}\">", self.lines.len() + 1);
        for path in &self.lines {
            let (depth, item) = (path.len().saturating_sub(1), path.last().copied().unwrap_or(0));
            let repeated = if depth > 0 { format!(" r=\"{depth}\"") } else { String::new() };
            let _ = write!(out, "<i{repeated}>{}</i>", index(item));
        }
        out.push_str("<i t=\"grand\"><x/></i></rowItems>");
        self.columns(&mut out);
        if !self.filters.is_empty() {
            let _ = write!(out, "<pageFields count=\"{}\">", self.filters.len());
            for at in &self.filters {
                let _ = write!(out, "<pageField fld=\"{at}\" hier=\"-1\"/>");
            }
            out.push_str("</pageFields>");
        }
        let _ = write!(out, "<dataFields count=\"{}\">", self.measures.len());
        for (at, measure) in self.measures.iter().enumerate() {
            let function = measure.function.token().map(|token| format!(" subtotal=\"{token}\"")).unwrap_or_default();
            let format = formats.get(&at).map(|id| format!(" numFmtId=\"{id}\"")).unwrap_or_default();
            let (name, field) = (escape_attribute(&measure.name), measure.field);
            let _ = write!(
                out,
                "<dataField name=\"{name}\" fld=\"{field}\"{function} baseField=\"0\" baseItem=\"0\"{format}/>"
            );
        }
        out.push_str(
            "</dataFields><pivotTableStyleInfo name=\"PivotStyleLight16\" showRowHeaders=\"1\" showColHeaders=\"1\" \
             showRowStripes=\"0\" showColStripes=\"0\" showLastColumn=\"1\"/></pivotTableDefinition>",
        );
        out
    }

    fn field(&self, at: usize, field: &Field) -> String {
        let axis = if self.rows.contains(&at) {
            " axis=\"axisRow\""
        } else if self.column == Some(at) {
            " axis=\"axisCol\""
        } else if self.filters.contains(&at) {
            " axis=\"axisPage\""
        } else {
            ""
        };
        let data = if self.measures.iter().any(|measure| measure.field == at) { " dataField=\"1\"" } else { "" };
        if axis.is_empty() {
            return format!("<pivotField{data} showAll=\"0\"/>");
        }
        let items: String = (0..field.count()).map(|item| format!("<item x=\"{item}\"/>")).collect();
        format!(
            "<pivotField{axis}{data} showAll=\"0\"><items count=\"{}\">{items}<item t=\"default\"/></items></pivotField>",
            field.count() + 1
        )
    }

    /// The columns: those of a field, or those of several values, or the single one of a value.
    fn columns(&self, out: &mut String) {
        if let Some(at) = self.column {
            let count = self.fields.get(at).map_or(0, Field::count);
            let _ =
                write!(out, "<colFields count=\"1\"><field x=\"{at}\"/></colFields><colItems count=\"{}\">", count + 1);
            for item in 0..count {
                let _ = write!(out, "<i>{}</i>", index(item));
            }
            out.push_str("<i t=\"grand\"><x/></i></colItems>");
        } else if self.measures.len() > 1 {
            let count = self.measures.len();
            let _ = write!(out, "<colFields count=\"1\"><field x=\"-2\"/></colFields><colItems count=\"{count}\">");
            for item in 0..count {
                let own = if item > 0 { format!(" i=\"{item}\"") } else { String::new() };
                let _ = write!(out, "<i{own}>{}</i>", index(item));
            }
            out.push_str("</colItems>");
        } else {
            out.push_str("<colItems count=\"1\"><i/></colItems>");
        }
    }
}

/// The position of an item, which is left out for the first.
fn index(item: usize) -> String {
    if item == 0 { "<x/>".to_owned() } else { format!("<x v=\"{item}\"/>") }
}
