//! Edits of small workbooks written by hand, compared as whole parts.

mod any;
mod assets;
mod cells;
mod formulas;
mod layout;
mod ranges;
mod refused;
mod rows;
mod scans;
mod sheets;
mod styling;

use std::sync::Arc;

use serde_json::Value;

use super::apply;
use crate::edit::{Applied, ApplyOptions};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::xlsx::formula::{self, FormulaEngine};

const S: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// A workbook in the making.
struct Build {
    sheets: Vec<(String, String)>,
    /// Markup of the workbook part after the list of sheets.
    tail: String,
    /// Parts with their content type, tied to the workbook when a kind is given.
    parts: Vec<(String, String, String, Option<String>)>,
    /// Relationships of sheets: sheet, kind, target.
    ties: Vec<(usize, String, String)>,
}

impl Build {
    /// One sheet `Data` with these rows.
    fn rows(rows: &str) -> Self {
        Self::sheet("Data", &format!("<sheetData>{rows}</sheetData>"))
    }

    /// One sheet with this content.
    fn sheet(name: &str, content: &str) -> Self {
        let empty = Self { sheets: Vec::new(), tail: String::new(), parts: Vec::new(), ties: Vec::new() };
        empty.and_sheet(name, content)
    }

    fn and_sheet(mut self, name: &str, content: &str) -> Self {
        self.sheets.push((name.to_owned(), content.to_owned()));
        self
    }

    fn tail(mut self, tail: &str) -> Self {
        tail.clone_into(&mut self.tail);
        self
    }

    /// A part of the workbook, such as its styles.
    fn part(mut self, name: &str, kind: &str, text: &str) -> Self {
        let content = format!("{TYPE}.{kind}+xml");
        self.parts.push((name.to_owned(), content, text.to_owned(), Some(kind.to_owned())));
        self
    }

    /// A part of the first sheet.
    fn sheet_part(mut self, name: &str, kind: &str, text: &str) -> Self {
        self.parts.push((name.to_owned(), format!("{TYPE}.{kind}+xml"), text.to_owned(), None));
        self.ties.push((0, kind.to_owned(), name.to_owned()));
        self
    }

    fn strings(self, items: &str, count: usize) -> Self {
        let text = format!("<sst xmlns=\"{S}\" count=\"{count}\" uniqueCount=\"{count}\">{items}</sst>");
        self.part("xl/sharedStrings.xml", "sharedStrings", &text)
    }

    fn bytes(&self) -> Arc<[u8]> {
        let empty: [u8; 22] = [b'P', b'K', 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut package = Package::open(empty.to_vec(), Limits::default()).unwrap();
        let mut types = String::from(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>"#,
        );
        let over = |name: &str, kind: &str| format!(r#"<Override PartName="/{name}" ContentType="{kind}"/>"#);
        types += &over("xl/workbook.xml", &format!("{TYPE}.sheet.main+xml"));
        let rels = |list: &str| {
            format!(
                r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{list}</Relationships>"#
            )
        };
        let (mut list, mut ties) = (String::new(), String::new());
        for (at, (name, content)) in self.sheets.iter().enumerate() {
            let number = at + 1;
            let part = format!("xl/worksheets/sheet{number}.xml");
            package.set(&part, format!("<worksheet xmlns=\"{S}\" xmlns:r=\"{R}\">{content}</worksheet>").as_bytes());
            types += &over(&part, &format!("{TYPE}.worksheet+xml"));
            list += &format!(r#"<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>"#);
            ties += &format!(
                r#"<Relationship Id="rId{number}" Type="{R}/worksheet" Target="worksheets/sheet{number}.xml"/>"#
            );
            let own = self.ties.iter().enumerate().filter(|(_, tie)| tie.0 == at);
            let own: String = own
                .map(|(id, (_, kind, target))| {
                    format!(r#"<Relationship Id="rId{}" Type="{R}/{kind}" Target="/{target}"/>"#, id + 1)
                })
                .collect();
            if !own.is_empty() {
                package.set(&format!("xl/worksheets/_rels/sheet{number}.xml.rels"), rels(&own).as_bytes());
            }
        }
        for (at, (name, content, text, kind)) in self.parts.iter().enumerate() {
            package.set(name, text.as_bytes());
            types += &over(name, content);
            if let Some(kind) = kind {
                ties += &format!(r#"<Relationship Id="rId{}" Type="{R}/{kind}" Target="/{name}"/>"#, at + 100);
            }
        }
        let book = format!("<workbook xmlns=\"{S}\" xmlns:r=\"{R}\"><sheets>{list}</sheets>{}</workbook>", self.tail);
        package.set("xl/workbook.xml", book.as_bytes());
        package.set("xl/_rels/workbook.xml.rels", rels(&ties).as_bytes());
        package.set(
            "_rels/.rels",
            rels(&format!(r#"<Relationship Id="rId1" Type="{R}/officeDocument" Target="xl/workbook.xml"/>"#))
                .as_bytes(),
        );
        package.set("[Content_Types].xml", format!("{types}</Types>").as_bytes());
        package.save().unwrap().into()
    }

    fn apply(&self, ops: &Value) -> Result<Edited, Error> {
        // Finds out which formulas a change affects, and computes none of them.
        let limits = formula::Limits { all_formulas_bytes: 0, ..formula::Limits::default() };
        let engine = FormulaEngine { limits, now: None };
        let options = ApplyOptions { formulas: Some(&engine), ..ApplyOptions::default() };
        let mut applied = apply(Some(self.bytes()), ops, &options)?;
        let is_list = |warning: &&mut String| warning.starts_with("not calculated");
        applied.warnings.iter_mut().filter(is_list).for_each(|warning| *warning = without_reasons(warning));
        Ok(Edited::of(applied))
    }

    fn apply_ok(&self, ops: &Value) -> Edited {
        self.apply(ops).unwrap()
    }

    fn refused(&self, op: Value) -> String {
        self.apply(&Value::Array(vec![op])).err().expect("the op is refused").to_string()
    }
}

/// A list of formulas that were not computed, without the limit and the old values.
fn without_reasons(warning: &str) -> String {
    let mut cells = warning.split(" (it exceeds the limit of 0 bytes for all formulas together");
    let start = cells.next().unwrap_or_default().to_owned();
    cells.fold(start, |list, rest| list + rest.split_once(')').map_or("", |(_, rest)| rest))
}

/// A workbook after an edit.
struct Edited {
    applied: Applied,
    package: Package,
}

impl Edited {
    fn of(applied: Applied) -> Self {
        let package = Package::open(applied.bytes.clone(), Limits::default()).unwrap();
        Self { applied, package }
    }

    fn new_book(ops: &Value) -> Self {
        Self::of(apply(None, ops, &ApplyOptions::default()).unwrap())
    }

    fn part(&self, name: &str) -> String {
        self.package.xml(name).unwrap().text
    }

    /// The content of a sheet, without its outermost element.
    fn sheet(&self, number: usize) -> String {
        let text = self.part(&format!("xl/worksheets/sheet{number}.xml"));
        let start = text.find("<worksheet").unwrap();
        let start = start + text[start..].find('>').unwrap() + 1;
        text[start..].trim_end_matches("</worksheet>").to_owned()
    }

    /// The rows of a sheet.
    fn rows(&self, number: usize) -> String {
        let text = self.sheet(number);
        let start = text.find("<sheetData>").unwrap() + 11;
        text[start..text.find("</sheetData>").unwrap()].to_owned()
    }

    fn changed_parts(&self) -> Vec<String> {
        self.applied.parts.iter().map(|part| part.name.clone()).collect()
    }
}
