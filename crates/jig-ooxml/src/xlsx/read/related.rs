//! What hangs on a sheet: tables, charts, pictures, pivots, comments.

use serde_json::{Value, json};

use crate::error::PackageError;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::book::{Sheet, SheetKind};
use crate::xml::Ns;

/// The most tables of one sheet that are told.
const TABLES: usize = 500;
/// The most columns of one table that are told.
const COLUMNS: usize = 200;

/// What hangs on a sheet.
#[derive(Debug, Default)]
pub(super) struct Related {
    pub(super) tables: Vec<Value>,
    pub(super) charts: usize,
    pub(super) images: usize,
    pub(super) pivots: usize,
    pub(super) comments: bool,
    pub(super) slicers: bool,
    pub(super) faults: Vec<String>,
}

impl Related {
    /// Follows the relationships of a sheet. Parts that cannot be read are told as faults.
    pub(super) fn read(package: &Package, sheet: &Sheet) -> Self {
        let mut related = Self::default();
        if let Some(part) = &sheet.part
            && let Err(error) = related.follow(package, part)
        {
            related.faults.push(error.to_string());
        }
        if sheet.kind == SheetKind::Chartsheet {
            related.charts = related.charts.max(1);
        }
        related
    }

    fn follow(&mut self, package: &Package, part: &str) -> Result<(), PackageError> {
        for relationship in Relationships::read(package, part)?.list {
            let target = relationship.part.as_deref();
            match (relationship.kind.as_str(), target) {
                ("drawing", Some(drawing)) => self.drawing(package, drawing)?,
                ("table", Some(table)) if self.tables.len() < TABLES => match table_of(package, table) {
                    Ok(table) => self.tables.push(table),
                    Err(error) => self.faults.push(error.to_string()),
                },
                ("pivotTable", _) => self.pivots += 1,
                ("comments" | "threadedComment", _) => self.comments = true,
                ("slicer" | "timeline", _) => self.slicers = true,
                // The picture behind the cells.
                ("image", _) => self.images += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn drawing(&mut self, package: &Package, part: &str) -> Result<(), PackageError> {
        for relationship in Relationships::read(package, part)?.list {
            match relationship.kind.as_str() {
                "chart" | "chartEx" => self.charts += 1,
                "image" => self.images += 1,
                _ => {}
            }
        }
        Ok(())
    }
}

fn table_of(package: &Package, part: &str) -> Result<Value, PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let root = tree.root();
    let name = root.attr("displayName").or_else(|| root.attr("name")).unwrap_or_default();
    let count = |name, usual: u32| root.attr(name).and_then(|count| count.parse().ok()).unwrap_or(usual);
    let columns =
        root.child(Ns::S, "tableColumns").into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn"));
    let columns: Vec<_> = columns.filter_map(|column| column.attr("name")).collect();
    let mut table = json!({
        "name": name,
        "range": root.attr("ref"),
        "columns": columns.iter().take(COLUMNS).collect::<Vec<_>>(),
        "header_row": count("headerRowCount", 1) > 0,
        "totals_row": count("totalsRowCount", 0) > 0,
    });
    if let (true, Some(fields)) = (columns.len() > COLUMNS, table.as_object_mut()) {
        fields.insert("column_count".to_owned(), json!(columns.len()));
    }
    Ok(table)
}
