//! Documents to work on, and what became of them.

use std::sync::Arc;

use serde_json::Value;

use crate::docx::edit::{apply, new};
use crate::edit::{Applied, ApplyOptions};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;

pub(super) const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
pub(super) const SECTION: &str = "<w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr>";

/// Our template with this body.
pub(super) fn document(body: &str) -> Arc<[u8]> {
    with_parts(&[("word/document.xml", &main_part(body))])
}

pub(super) fn main_part(body: &str) -> String {
    format!(r#"<w:document xmlns:w="{W}"><w:body>{body}{SECTION}</w:body></w:document>"#)
}

/// Our template with other parts.
pub(super) fn with_parts(parts: &[(&str, &str)]) -> Arc<[u8]> {
    let mut package = new::package(Limits::default(), None).unwrap();
    for (name, text) in parts {
        package.set(name, text.as_bytes());
    }
    package.save().unwrap().into()
}

/// Options that make tracked changes of one person at one time.
pub(super) fn options() -> ApplyOptions<'static> {
    ApplyOptions { author: "Ada", now: Some("2026-01-02T03:04:05Z"), ..ApplyOptions::default() }
}

#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
pub(super) fn run(source: &Arc<[u8]>, ops: Value) -> Result<Applied, Error> {
    apply(Some(Arc::clone(source)), &ops, &options())
}

/// A part of a file.
pub(super) fn part(bytes: &[u8], name: &str) -> String {
    let package = Package::open(bytes, Limits::default()).unwrap();
    String::from_utf8(package.read(name).unwrap()).unwrap()
}

/// The body of a file, without the properties of its last section.
pub(super) fn body(bytes: &[u8]) -> String {
    let text = part(bytes, "word/document.xml");
    let start = text.find("<w:body>").unwrap() + "<w:body>".len();
    let end = text.rfind("<w:sectPr").unwrap();
    text[start..end].to_owned()
}

/// The body after ops, which must give no warning.
pub(super) fn edited(source: &str, ops: Value) -> String {
    let applied = run(&document(source), ops).unwrap();
    assert_eq!(applied.warnings, Vec::<String>::new());
    body(&applied.bytes)
}

/// The message of the error that ops give.
pub(super) fn refused(source: &str, ops: Value) -> String {
    run(&document(source), ops).unwrap_err().to_string()
}

/// A mark of a revision as ours are written.
pub(super) fn by_ada(id: u32) -> String {
    format!(r#"w:id="{id}" w:author="Ada" w:date="2026-01-02T03:04:05Z""#)
}

/// Only a main part: no styles, no lists, no settings.
pub(super) fn bare(main: &str, strict: bool) -> Arc<[u8]> {
    let base = if strict {
        "http://purl.oclc.org/ooxml/officeDocument/"
    } else {
        "http://schemas.openxmlformats.org/officeDocument/2006/"
    };
    let rels = format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{base}relationships/officeDocument" Target="word/document.xml"/></Relationships>"#
    );
    let mut package =
        Package::open(with_parts(&[("word/document.xml", main), ("_rels/.rels", &rels)]), Limits::default()).unwrap();
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    for name in names
        .iter()
        .filter(|name| name.starts_with("docProps") || name.starts_with("word/") && *name != "word/document.xml")
    {
        package.remove(name);
    }
    package.save().unwrap().into()
}
