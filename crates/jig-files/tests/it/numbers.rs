//! Numbers in workbooks are right or marked: what an edit stores, what it takes out, and what it leaves alone.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like the tests")]

mod bounds;
mod cells;
mod edits;
mod generated;
mod outside;
mod trust;

use std::sync::Arc;

use jig_files::engine::{EditOptions, Format};
use jig_worker::{FileApi, Method, apply_reply};
use serde_json::{Value, json};

use crate::support::archive::{Archive, Entry};

/// A workbook under test.
#[derive(Clone)]
pub(crate) struct Book {
    bytes: Arc<[u8]>,
}

/// What a workbook is made of. A cell is an address and its content: `=…` is a formula without a stored value,
/// `=…|5` one with a stored number; all else is a number or a text.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) sheets: &'a [(&'a str, &'a [(&'a str, &'a str)])],
    /// Markup between the sheets and the end of the workbook part: names and how to calculate.
    pub(crate) rest: &'a str,
}

/// How XlsxWriter and openpyxl end their workbooks.
pub(crate) const FULL_CALC: &str = r#"<calcPr calcId="124519" fullCalcOnLoad="1"/>"#;

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATED: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

impl Book {
    pub(crate) fn new(parts: &Parts<'_>) -> Self {
        let sheets: Vec<(&str, String)> = parts.sheets.iter().map(|(name, cells)| (*name, rows(cells))).collect();
        Self::of_rows(&sheets, parts.rest)
    }

    /// From sheets as they stand inside `sheetData`.
    pub(crate) fn of_rows(sheets: &[(&str, String)], rest: &str) -> Self {
        let mut entries = Vec::new();
        let mut types = String::new();
        let (mut list, mut related) = (String::new(), String::new());
        for (at, (name, rows)) in (1..).zip(sheets) {
            let part = format!("worksheets/sheet{at}.xml");
            let markup = format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>"#);
            entries.push(Entry::new(&format!("xl/{part}"), markup.as_bytes()));
            types += &format!(
                r#"<Override PartName="/xl/{part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>"#
            );
            list += &format!(r#"<sheet name="{name}" sheetId="{at}" r:id="rId{at}"/>"#);
            related += &format!(r#"<Relationship Id="rId{at}" Type="{RELATED}/worksheet" Target="{part}"/>"#);
        }
        let workbook =
            format!(r#"<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets>{list}</sheets>{rest}</workbook>"#);
        let types = format!(
            r#"<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{types}</Types>"#
        );
        let root = format!(
            r#"<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
        );
        let related = format!(r#"<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>"#);
        for (name, text) in [
            ("[Content_Types].xml", &types),
            ("_rels/.rels", &root),
            ("xl/workbook.xml", &workbook),
            ("xl/_rels/workbook.xml.rels", &related),
        ] {
            entries.push(Entry::new(name, text.as_bytes()));
        }
        Self { bytes: Archive(entries).write().into() }
    }

    /// With a part of shared strings.
    pub(crate) fn with_strings(&self, strings: &str) -> Self {
        let mut archive = Archive::read(&self.bytes);
        archive.put("xl/sharedStrings.xml", strings.as_bytes());
        for (name, end, added) in [
            (
                "[Content_Types].xml",
                "</Types>",
                r#"<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>"#.to_owned(),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "</Relationships>",
                format!(r#"<Relationship Id="rIdS" Type="{RELATED}/sharedStrings" Target="sharedStrings.xml"/>"#),
            ),
        ] {
            let text = self.part(name).replace(end, &format!("{added}{end}"));
            archive.put(name, text.as_bytes());
        }
        Self { bytes: archive.write().into() }
    }

    /// With a table on the first sheet. The names of its columns are as the file spells them.
    pub(crate) fn with_table(&self, name: &str, range: &str, columns: &[&str]) -> Self {
        let mut archive = Archive::read(&self.bytes);
        let list: String =
            (1..).zip(columns).map(|(id, column)| format!(r#"<tableColumn id="{id}" name="{column}"/>"#)).collect();
        let table = format!(
            r#"<table xmlns="{MAIN}" id="1" name="{name}" displayName="{name}" ref="{range}"><tableColumns count="{}">{list}</tableColumns></table>"#,
            columns.len()
        );
        archive.put("xl/tables/table1.xml", table.as_bytes());
        let related = format!(
            r#"<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATED}/table" Target="../tables/table1.xml"/></Relationships>"#
        );
        archive.put("xl/worksheets/_rels/sheet1.xml.rels", related.as_bytes());
        let parts =
            format!(r#"</sheetData><tableParts xmlns:r="{RELATED}" count="1"><tablePart r:id="rId1"/></tableParts>"#);
        let sheet = self.part("xl/worksheets/sheet1.xml").replace("</sheetData>", &parts);
        archive.put("xl/worksheets/sheet1.xml", sheet.as_bytes());
        let kind = r#"<Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>"#;
        let types = self.part("[Content_Types].xml").replace("</Types>", kind);
        archive.put("[Content_Types].xml", types.as_bytes());
        Self { bytes: archive.write().into() }
    }

    /// Sets cells, `Sheet!A1` each. Gives the new workbook and the reply.
    pub(crate) fn set(&self, cells: &[(&str, Value)]) -> (Self, Value) {
        self.edit(&set_cells(cells), false)
    }

    pub(crate) fn edit(&self, ops: &Value, recalculate_workbook: bool) -> (Self, Value) {
        let options = EditOptions { recalculate_workbook, ..EditOptions::default() };
        let edited = FileApi::default().engine.apply(Format::Xlsx, Some((&self.bytes).into()), ops, &options).unwrap();
        let reply = apply_reply(&edited).unwrap();
        (Self { bytes: edited.bytes.into() }, reply)
    }

    /// The value stored in the file: the text of `v`, `-` without one.
    pub(crate) fn stored(&self, sheet: usize, cell: &str) -> String {
        let part = self.part(&format!("xl/worksheets/sheet{sheet}.xml"));
        let Some(from) = part.find(&format!("<c r=\"{cell}\"")) else { return "-".to_owned() };
        let markup = &part[from..];
        if markup[..markup.find('>').unwrap()].ends_with('/') {
            return "-".to_owned();
        }
        let inner = &markup[..markup.find("</c>").unwrap_or(markup.len())];
        let value = inner.split_once("<v>").and_then(|(_, rest)| rest.split_once("</v>"));
        value.map_or("-", |(value, _)| value).to_owned()
    }

    pub(crate) fn part(&self, name: &str) -> String {
        let archive = Archive::read(&self.bytes);
        let entry = archive.0.iter().find(|entry| entry.name == name).unwrap();
        String::from_utf8(entry.content()).unwrap()
    }

    pub(crate) fn read(&self, method: &str, params: &Value) -> Value {
        FileApi::default().read(Method::find(method).unwrap(), &self.bytes, params).unwrap()
    }

    /// A cell as `XlsxRenderGrid` gives it.
    pub(crate) fn cell(&self, sheet: &str, row: u32, col: u32) -> Value {
        let params =
            json!({"sheet": sheet, "row_start": row - 1, "row_count": 1, "col_start": col - 1, "col_count": 1});
        self.read("XlsxRenderGrid", &params)["cells"][0][0].clone()
    }
}

pub(crate) fn set_cells(cells: &[(&str, Value)]) -> Value {
    let op = |(place, value): &(&str, Value)| {
        let (sheet, cell) = place.split_once('!').unwrap();
        json!({"op": "set_cells", "sheet": sheet, "cells": [{"cell": cell, "value": value}]})
    };
    Value::Array(cells.iter().map(op).collect())
}

fn rows(cells: &[(&str, &str)]) -> String {
    let mut sorted: Vec<(u32, u32, String)> = cells
        .iter()
        .map(|(address, content)| {
            let split = address.find(|c: char| c.is_ascii_digit()).unwrap();
            let col = address[..split].bytes().fold(0, |n, b| n * 26 + u32::from(b - b'A') + 1);
            (address[split..].parse().unwrap(), col, markup(address, content))
        })
        .collect();
    sorted.sort();
    let mut text = String::new();
    let mut last = 0;
    for (row, _, markup) in sorted {
        if row != last {
            text += if last == 0 { "" } else { "</row>" };
            text += &format!("<row r=\"{row}\">");
            last = row;
        }
        text += &markup;
    }
    if last > 0 { text + "</row>" } else { text }
}

fn markup(address: &str, content: &str) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    if let Some(formula) = content.strip_prefix('=') {
        return match formula.rsplit_once('|') {
            Some((formula, stored)) => {
                let kind = if stored.parse::<f64>().is_ok() { "" } else { " t=\"str\"" };
                format!("<c r=\"{address}\"{kind}><f>{}</f><v>{stored}</v></c>", escape(formula))
            }
            None => format!("<c r=\"{address}\"><f>{}</f></c>", escape(formula)),
        };
    }
    match content.parse::<f64>() {
        Ok(number) => format!("<c r=\"{address}\"><v>{number}</v></c>"),
        Err(_) => format!("<c r=\"{address}\" t=\"inlineStr\"><is><t>{}</t></is></c>", escape(content)),
    }
}

/// The cells that a reply lists as stale, with their old values.
pub(crate) fn stale(reply: &Value) -> Vec<String> {
    let list = reply["receipt"]["stale"].as_array().cloned().unwrap_or_default();
    list.iter().map(|stale| format!("{} was {}", stale["cell"].as_str().unwrap(), stale["old"])).collect()
}
