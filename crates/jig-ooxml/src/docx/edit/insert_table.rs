//! `insert_table`: a new table between the blocks of the body.

use jig_file_api::ops::docx::InsertTable;
use serde_json::Value;

use crate::docx::styles::StyleKind;
use crate::docx::word;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::body::counted;
use super::exchange::{behind_last, history_of, insert_into_body, tail};
use super::markup::{Dialect, Markup};
use super::paragraph::NewParagraph;
use super::place::Place;
use super::session::{Body, Session};
use super::track::Revisions;

/// Word's own limit.
const MOST_COLUMNS: usize = 63;
/// The text width of A4 with usual margins, in twentieths of a point.
const USUAL_WIDTH: i64 = 9026;

/// A table to be written.
struct NewTable {
    rows: Vec<Vec<Vec<NewParagraph>>>,
    columns: usize,
    header: bool,
    style: Option<String>,
    width: i64,
}

impl Session<'_> {
    /// Carries out `insert_table`.
    pub(super) fn insert_table(&mut self, input: &OpInput, fields: InsertTable) -> Result<(), Error> {
        let mut rows = Vec::new();
        let header = self.header_row(fields.header, &mut rows, input)?;
        for (at, row) in fields.rows.into_iter().enumerate() {
            let cells = row.into_iter().enumerate();
            let cells =
                cells.map(|(column, cell)| self.cell(cell.into_fields(), &input.at(&format!("rows[{at}][{column}]"))));
            rows.push(cells.collect::<Result<Vec<_>, _>>()?);
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return Err(input.error("rows", "a table needs at least one row with one cell").into());
        }
        if columns > MOST_COLUMNS {
            return Err(input
                .error("rows", format!("{columns} columns are too many; Word has at most {MOST_COLUMNS}"))
                .into());
        }
        let style =
            self.style(StyleKind::Table, fields.style.as_deref().unwrap_or("Table Grid"), &input.at("style"))?;
        let place = Place::from(fields.position);
        let mut table = NewTable { rows, columns, header, style, width: USUAL_WIDTH };
        let words = self.put_table(&mut table, &place, fields.track_changes, input)?;
        let summary = format!(
            "Inserted a table of {} and {} {words}.",
            counted(table.rows.len(), "row"),
            counted(columns, "column")
        );
        self.report(Change::new(input, summary).with("rows", table.rows.len()).with("columns", columns));
        Ok(())
    }

    /// `header` is true when the first of the rows is one, or holds the texts of one.
    fn header_row(
        &mut self,
        header: Option<Value>,
        rows: &mut Vec<Vec<Vec<NewParagraph>>>,
        input: &OpInput,
    ) -> Result<bool, Error> {
        match header {
            None => Ok(false),
            Some(Value::Bool(header)) => Ok(header),
            Some(Value::Array(texts)) => {
                let cells = texts.iter().map(|text| match text {
                    Value::String(text) => vec![NewParagraph::plain(&self.clean(text, &input.at("header")), None)],
                    other => vec![NewParagraph::plain(&other.to_string(), None)],
                });
                rows.push(cells.collect());
                Ok(true)
            }
            Some(_) => Err(input.error("header", "true, false or a list of texts is needed").into()),
        }
    }

    fn put_table(
        &mut self,
        table: &mut NewTable,
        place: &Place,
        track: Option<bool>,
        input: &OpInput,
    ) -> Result<&'static str, Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let gap = place.find(self, &body, input)?;
        table.width = text_width(body.node);
        let dialect = Dialect::at(body.node);
        let is_table = |node: Option<Node<'_>>| node.is_some_and(|node| node.is(Ns::W, "tbl"));
        let words = gap.words;
        let mut splice = Splice::new(&document.text);
        if let (Some(revisions), Some(last)) = (revisions.as_mut(), tail(&body, &gap)) {
            behind_last(&mut splice, last, gap.at, &dialect, revisions, |markup, revisions, old| {
                table.write(markup, Some(revisions));
                markup.open("p", &[]);
                let history = history_of(old, &dialect, revisions);
                NewParagraph::default().write_properties(markup, None, &history);
                markup.close("p");
            });
        } else {
            let mut markup = Markup::new(&dialect);
            // Tables that touch become one, and Word wants a paragraph behind the last.
            if is_table(gap.before) {
                NewParagraph::default().write(&mut markup, revisions.as_mut());
            }
            table.write(&mut markup, revisions.as_mut());
            if is_table(gap.behind) || gap.behind.is_none() {
                NewParagraph::default().write(&mut markup, revisions.as_mut());
            }
            insert_into_body(&mut splice, body.node, gap.at, &markup.finish());
        }
        self.keep(revisions);
        self.set_document(splice)?;
        Ok(words)
    }
}

/// How wide the text is, by the last section's page.
pub(super) fn text_width(body: Node<'_>) -> i64 {
    let section = body.child(Ns::W, "sectPr");
    let size = |element: &str, attribute: &str| {
        section.and_then(|section| section.child(Ns::W, element)).and_then(|node| word::number(node, attribute))
    };
    let width = size("pgSz", "w").zip(size("pgMar", "left")).zip(size("pgMar", "right"));
    let width = width.map(|((page, left), right)| page.saturating_sub(left).saturating_sub(right));
    width.filter(|width| (720..=31_680).contains(width)).unwrap_or(USUAL_WIDTH)
}

impl NewTable {
    fn write(&self, markup: &mut Markup<'_>, mut revisions: Option<&mut Revisions>) {
        let column = (self.width / i64::try_from(self.columns).unwrap_or(1)).to_string();
        markup.open("tbl", &[]);
        markup.open("tblPr", &[]);
        if let Some(style) = &self.style {
            markup.val("tblStyle", style);
        }
        markup.tag("tblW", &[("w", "0"), ("type", "auto")]);
        if self.style.is_none() {
            write_borders(markup);
        }
        let first = if self.header { "1" } else { "0" };
        let look = [
            ("firstRow", first),
            ("lastRow", "0"),
            ("firstColumn", "0"),
            ("lastColumn", "0"),
            ("noHBand", "0"),
            ("noVBand", "1"),
        ];
        markup.tag("tblLook", &look);
        markup.close("tblPr");
        markup.open("tblGrid", &[]);
        for _ in 0..self.columns {
            markup.tag("gridCol", &[("w", &column)]);
        }
        markup.close("tblGrid");
        for (at, row) in self.rows.iter().enumerate() {
            self.write_row(markup, row, self.header && at == 0, &column, revisions.as_deref_mut());
        }
        markup.close("tbl");
    }

    fn write_row(
        &self,
        markup: &mut Markup<'_>,
        row: &[Vec<NewParagraph>],
        header: bool,
        width: &str,
        mut revisions: Option<&mut Revisions>,
    ) {
        let mark = revisions.as_deref_mut().map(|revisions| revisions.element("ins", markup.dialect));
        markup.open("tr", &[]);
        if header || mark.is_some() {
            markup.open("trPr", &[]);
            if header {
                markup.tag("tblHeader", &[]);
            }
            markup.raw(mark.as_deref().unwrap_or_default());
            markup.close("trPr");
        }
        let empty = vec![NewParagraph::default()];
        for at in 0..self.columns {
            markup.open("tc", &[]);
            markup.open("tcPr", &[]);
            markup.tag("tcW", &[("w", width), ("type", "dxa")]);
            markup.close("tcPr");
            for paragraph in row.get(at).unwrap_or(&empty) {
                let paragraph = if header { paragraph.clone().bold() } else { paragraph.clone() };
                markup.open("p", &[]);
                paragraph.write_properties(markup, None, "");
                paragraph.write_runs(markup, revisions.as_deref_mut());
                markup.close("p");
            }
            markup.close("tc");
        }
        markup.close("tr");
    }
}

/// Plain lines, for a table without a style.
fn write_borders(markup: &mut Markup<'_>) {
    let (left, right) = if markup.dialect.strict { ("start", "end") } else { ("left", "right") };
    markup.open("tblBorders", &[]);
    for side in ["top", left, "bottom", right, "insideH", "insideV"] {
        markup.tag(side, &[("val", "single"), ("sz", "4"), ("space", "0"), ("color", "auto")]);
    }
    markup.close("tblBorders");
}
