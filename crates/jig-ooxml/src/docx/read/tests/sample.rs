//! Documents from pieces of markup.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::docx::Document;
use crate::limits::Limits;

const DECLARED: &str = concat!(
    r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" "#,
    r#"xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" "#,
    r#"xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" "#,
    r#"xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" "#,
    r#"xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" "#,
    r#"xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" "#,
    r#"xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" "#,
    r#"xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" "#,
    r#"xmlns:v="urn:schemas-microsoft-com:vml""#,
);
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Builds a document.
pub(super) struct Sample {
    document: String,
    /// Kind of relationship, name of the file and its content.
    parts: Vec<(String, String, Vec<u8>)>,
    missing: Option<String>,
}

impl Sample {
    /// A document with this in its body.
    pub(super) fn body(inner: &str) -> Self {
        Self::document(&format!("<w:document {DECLARED}><w:body>{inner}</w:body></w:document>"))
    }

    /// A document whose main part is this.
    pub(super) fn document(markup: &str) -> Self {
        Self { document: markup.to_owned(), parts: Vec::new(), missing: None }
    }

    /// Adds a part `word/<name>.xml`, and gives the id of its relationship.
    pub(super) fn part(&mut self, kind: &str, name: &str, markup: &str) -> String {
        let markup = markup.replacen("DECLARED", DECLARED, 1);
        self.file(kind, &format!("{name}.xml"), markup.as_bytes())
    }

    /// Adds a part of any kind.
    pub(super) fn file(&mut self, kind: &str, name: &str, bytes: &[u8]) -> String {
        self.parts.push((kind.to_owned(), name.to_owned(), bytes.to_vec()));
        format!("rId{}", self.parts.len())
    }

    /// With styles: the markup inside `w:styles`.
    pub(super) fn styles(mut self, inner: &str) -> Self {
        self.part("styles", "styles", &format!("<w:styles DECLARED>{inner}</w:styles>"));
        self
    }

    /// With lists: the markup inside `w:numbering`.
    pub(super) fn numbering(mut self, inner: &str) -> Self {
        self.part("numbering", "numbering", &format!("<w:numbering DECLARED>{inner}</w:numbering>"));
        self
    }

    /// Replaces what is in the body.
    pub(super) fn set_body(&mut self, inner: &str) {
        self.document = Self::body(inner).document;
    }

    /// The names of the files besides the main part.
    pub(super) fn part_names(&self) -> Vec<String> {
        self.parts.iter().map(|(_, name, _)| name.clone()).collect()
    }

    /// Leaves out a file that relationships still name.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.missing = Some(name.to_owned());
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let relations = |list: String| {
            format!(
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{list}</Relationships>"
            )
        };
        let relation = |id: usize, kind: &str, target: &str| {
            format!(r#"<Relationship Id="rId{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
        };
        let own = self.parts.iter().enumerate().map(|(at, (kind, name, _))| relation(at + 1, kind, name)).collect();
        let types = concat!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
            r#"<Default Extension="xml" ContentType="application/xml"/>"#,
            r#"<Default Extension="png" ContentType="image/png"/></Types>"#
        );
        let mut files = vec![
            ("[Content_Types].xml".to_owned(), types.as_bytes().to_vec()),
            ("_rels/.rels".to_owned(), relations(relation(1, "officeDocument", "word/document.xml")).into_bytes()),
            ("word/document.xml".to_owned(), self.document.clone().into_bytes()),
            ("word/_rels/document.xml.rels".to_owned(), relations(own).into_bytes()),
        ];
        let present = self.parts.iter().filter(|(_, name, _)| self.missing.as_ref() != Some(name));
        files.extend(present.map(|(_, name, bytes)| (format!("word/{name}"), bytes.clone())));
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    pub(super) fn open(&self) -> Document {
        Document::open(self.bytes(), Limits::default()).unwrap()
    }
}

/// A paragraph with a style.
pub(super) fn styled(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

/// A plain paragraph.
pub(super) fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}
