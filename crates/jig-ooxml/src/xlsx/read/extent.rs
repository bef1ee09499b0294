//! `XlsxGetExtent`: what there is to read, for whoever reads in pages.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::call::Call;
use super::cover::Cover;
use super::params::Params;
use super::store::SheetData;
use super::text::target;
use crate::error::Error;
use crate::xlsx::address::{ColumnName, RangeRef};
use crate::xlsx::book::SheetState;

/// The answer to `XlsxGetExtent`: the sheets that a read concerns, and which cells of them there are. With `filled`,
/// also ranges that hold all of them and little else.
pub(super) fn extent(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let one = params.text("range")?.is_some() || params.text("sheet")?.is_some() || params.flag("first_sheet")?;
    let wanted =
        if one { vec![target(call, params)?] } else { (0..call.book.sheets.len()).map(|at| (at, None)).collect() };
    let mut sheets = Vec::new();
    for (place, asked) in wanted {
        let Some(sheet) = call.book.sheets.get(place) else { continue };
        let data = call.sheet(place)?;
        let mut fields = json!({"name": sheet.name, "hidden": sheet.state != SheetState::Visible});
        let range = data.facts.used.and_then(|used| asked.map_or(Some(used), |asked| used.intersection(asked)));
        if let Some(range) = range {
            let (start, end) = (range.start(), range.end());
            fields["first_row"] = json!(start.row());
            fields["last_row"] = json!(end.row());
            fields["first_column"] = json!(ColumnName(start.col()).to_string());
            fields["last_column"] = json!(ColumnName(end.col()).to_string());
            if params.flag("filled")? {
                fields["filled"] = json!(filled(call, place, &data, range)?);
            }
        }
        sheets.push(fields);
    }
    Ok(json!({"sheets": sheets}))
}

fn filled(call: &Call<'_>, place: usize, data: &SheetData, range: RangeRef) -> Result<Vec<String>, Error> {
    let mut cover = Cover::default();
    call.each_cell(place, data, range, &mut |cell| {
        cover.cell(cell.at);
        ControlFlow::Continue(())
    })?;
    Ok(cover.finish())
}
