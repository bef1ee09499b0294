//! The read methods on small workbooks written by hand.

mod damaged;
mod replies;
mod scans;
mod sheets;

use std::sync::Arc;

use jig_file_api::read::xlsx::{FindQuery, FormulaMode, GridQuery, RangeQuery, TextQuery};
use serde_json::{Value, json};

use super::Workbook;
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;

const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// A workbook in the making.
struct Sample {
    package: Package,
    sheets: Vec<(String, String)>,
    properties: String,
    tail: String,
}

impl Sample {
    fn new() -> Self {
        let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
        let package = Package::open(empty, Limits::default()).unwrap();
        Self { package, sheets: Vec::new(), properties: String::new(), tail: String::new() }
    }

    /// A sheet from what is inside its root element.
    fn sheet(self, name: &str, inside: &str) -> Self {
        self.raw_sheet(name, "", &format!(r#"<worksheet xmlns="{MAIN}" xmlns:r="{RELS}">{inside}</worksheet>"#))
    }

    /// A sheet from its whole part, with attributes for its entry in the workbook.
    fn raw_sheet(mut self, name: &str, attributes: &str, part: &str) -> Self {
        let number = self.sheets.len() + 1;
        self.package.set(&format!("xl/worksheets/sheet{number}.xml"), part.as_bytes());
        self.sheets.push((name.to_owned(), attributes.to_owned()));
        self
    }

    /// A sheet with rows of cells only.
    fn rows(self, name: &str, rows: &str) -> Self {
        self.sheet(name, &format!("<sheetData>{rows}</sheetData>"))
    }

    fn part(mut self, name: &str, content: &str) -> Self {
        self.package.set(name, content.as_bytes());
        self
    }

    fn strings(self, items: &str) -> Self {
        self.part("xl/sharedStrings.xml", &format!(r#"<sst xmlns="{MAIN}">{items}</sst>"#))
    }

    fn styles(self, inside: &str) -> Self {
        self.part("xl/styles.xml", &format!(r#"<styleSheet xmlns="{MAIN}">{inside}</styleSheet>"#))
    }

    fn rels(self, part: &str, list: &[(&str, &str, &str)]) -> Self {
        let list: String = list.iter().map(|(id, kind, target)| relationship(id, kind, target)).collect();
        self.part(part, &relationships(&list))
    }

    fn bytes(mut self) -> Vec<u8> {
        let sheets = self.sheets.iter().enumerate();
        let entries: String = sheets
            .clone()
            .map(|(at, (name, more))| {
                format!(r#"<sheet name="{name}" sheetId="{n}" {more} r:id="rId{n}"/>"#, n = at + 1)
            })
            .collect();
        let mut targets: String = sheets
            .map(|(at, _)| {
                relationship(&format!("rId{}", at + 1), "worksheet", &format!("worksheets/sheet{}.xml", at + 1))
            })
            .collect();
        targets.push_str(&relationship("s", "styles", "styles.xml"));
        targets.push_str(&relationship("t", "sharedStrings", "sharedStrings.xml"));
        targets.push_str(&relationship("u", "theme", "theme/theme1.xml"));
        let book = format!(
            r#"<workbook xmlns="{MAIN}" xmlns:r="{RELS}">{}<sheets>{entries}</sheets>{}</workbook>"#,
            self.properties, self.tail
        );
        let root = relationships(&relationship("r", "officeDocument", "xl/workbook.xml"));
        self.package.set("_rels/.rels", root.as_bytes());
        self.package.set("xl/workbook.xml", book.as_bytes());
        self.package.set("xl/_rels/workbook.xml.rels", relationships(&targets).as_bytes());
        self.package.save().unwrap()
    }

    fn open(self) -> Workbook {
        Workbook::open(Arc::from(self.bytes()), Limits::default()).unwrap()
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls with `json!` read better")]
    fn read(self, method: &str, params: Value) -> Value {
        reply(&self.open(), method, &params).unwrap()
    }
}

/// A reply as JSON.
fn reply(workbook: &Workbook, method: &str, params: &Value) -> Result<Value, Error> {
    let text = |name: &str| params[name].as_str().map(str::to_owned);
    let flag = |name: &str| params[name] == true;
    let number = |name: &str| params[name].as_u64();
    let mode = match params["mode"].as_str() {
        Some("formulas") => FormulaMode::Formulas,
        Some("both") => FormulaMode::Both,
        _ => FormulaMode::Values,
    };
    let max_bytes = number("max_bytes").map(|most| most as usize);
    Ok(match method {
        "XlsxGetMap" => json!(workbook.map()?),
        "XlsxGetInfo" => json!(workbook.info()?),
        "XlsxReadRange" => {
            json!(workbook.read(&RangeQuery { sheet: text("sheet"), range: text("range"), mode, max_bytes })?)
        }
        "XlsxExtractText" => json!(workbook.text(&TextQuery { mode, include_hidden: flag("include_hidden") })?),
        "XlsxRenderGrid" => json!(workbook.grid(&GridQuery {
            sheet: text("sheet"),
            row_start: number("row_start").unwrap_or(0),
            row_count: number("row_count"),
            col_start: number("col_start").unwrap_or(0),
            col_count: number("col_count"),
        })?),
        "XlsxGetStyles" => json!(workbook.styles(params["sheet"].as_str())?),
        "XlsxFind" => json!(workbook.find(&FindQuery {
            text: text("query").unwrap_or_default(),
            match_case: flag("match_case"),
            formulas: flag("formulas"),
            max_results: number("max_results"),
            sheet: text("sheet"),
        })?),
        _ => panic!("unknown method {method}"),
    })
}

fn relationship(id: &str, kind: &str, target: &str) -> String {
    format!(r#"<Relationship Id="{id}" Type="{RELS}/{kind}" Target="{target}"/>"#)
}

fn relationships(list: &str) -> String {
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{list}</Relationships>"#
    )
}

/// The text of a read without its first line.
fn text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap().split_once('\n').map_or("", |(_, rest)| rest)
}

fn error(workbook: &Workbook, method: &str, params: &Value) -> String {
    reply(workbook, method, params).unwrap_err().to_string()
}

fn suggestions(workbook: &Workbook, method: &str, params: &Value) -> Vec<String> {
    match reply(workbook, method, params).unwrap_err() {
        Error::Edit(error) => error.suggestions,
        Error::Package(_) => Vec::new(),
    }
}

#[test]
fn workbooks_can_be_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Workbook>();
}
