//! The read methods of workbooks: parameters from JSON, replies as JSON.

use jig_file_api::nearest;
use jig_file_api::read::xlsx::{FindQuery, FormulaMode, GridQuery, RangeQuery, TextQuery};
use jig_ooxml::edit::EditError;
use jig_ooxml::xlsx::Workbook;
use serde::Serialize;
use serde_json::Value;

use super::error::{FileError, Reason};

/// Answers a read method.
pub(super) fn read(book: &Workbook, method: &str, params: &Value) -> Result<Value, FileError> {
    let params = Params(params);
    match method {
        "XlsxGetMap" => json(&book.map()?),
        "XlsxGetInfo" => json(&book.info()?),
        "XlsxReadRange" => json(&book.read(&range_query(params)?)?),
        "XlsxExtractText" => {
            let (mode, include_hidden) = (params.mode()?, params.flag("include_hidden")?);
            json(&book.text(&TextQuery { mode, include_hidden })?)
        }
        "XlsxRenderGrid" => json(&book.grid(&grid_query(params)?)?),
        "XlsxGetStyles" => json(&book.styles(params.text("sheet")?)?),
        "XlsxFind" => json(&book.find(&find_query(params)?)?),
        _ => Err(super::unknown(method)),
    }
}

/// What `XlsxReadRange` is asked.
pub(super) fn range_query(params: Params<'_>) -> Result<RangeQuery, EditError> {
    Ok(RangeQuery {
        mode: params.mode()?,
        max_bytes: params.number("max_bytes")?.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
        sheet: params.text("sheet")?.map(str::to_owned),
        range: params.text("range")?.map(str::to_owned),
    })
}

fn grid_query(params: Params<'_>) -> Result<GridQuery, EditError> {
    Ok(GridQuery {
        sheet: params.text("sheet")?.map(str::to_owned),
        row_start: params.number("row_start")?.unwrap_or(0),
        col_start: params.number("col_start")?.unwrap_or(0),
        row_count: params.number("row_count")?,
        col_count: params.number("col_count")?,
    })
}

fn find_query(params: Params<'_>) -> Result<FindQuery, EditError> {
    Ok(FindQuery {
        text: params.text("query")?.unwrap_or_default().to_owned(),
        match_case: params.flag("match_case")?,
        formulas: params.flag("formulas")?,
        max_results: params.number("max_results")?,
        sheet: params.text("sheet")?.map(str::to_owned),
    })
}

fn json(reply: &impl Serialize) -> Result<Value, FileError> {
    let failed = |error: serde_json::Error| FileError::new(Reason::Damaged, format!("internal error: {error}"));
    serde_json::to_value(reply).map_err(failed)
}

/// The parameters of a read. A null counts as absent.
#[derive(Clone, Copy)]
pub(super) struct Params<'p>(pub(super) &'p Value);

impl<'p> Params<'p> {
    fn get(self, name: &str) -> Option<&'p Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'p str>, EditError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(EditError::new(name, format!("a text is needed, not {other}"))),
        }
    }

    /// Whether something is wanted.
    fn flag(self, name: &str) -> Result<bool, EditError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(EditError::new(name, format!("true or false is needed, not {other}"))),
        }
    }

    /// A whole number from 0; a float without a fraction is one too.
    fn number(self, name: &str) -> Result<Option<u64>, EditError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        match value.as_u64().or(whole.map(|number| number as u64)) {
            Some(number) => Ok(Some(number)),
            None => Err(EditError::new(name, format!("a whole number from 0 is needed, not {value}"))),
        }
    }

    /// One of some words.
    fn choice(self, name: &str, known: &[&'static str]) -> Result<Option<&'static str>, EditError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match known.iter().find(|word| word.eq_ignore_ascii_case(text)) {
            Some(word) => Ok(Some(word)),
            None => {
                let why = format!("`{text}` is not known; write one of {}", known.join(", "));
                Err(EditError::new(name, why).suggest(nearest(text, known.iter().copied())))
            }
        }
    }

    /// What is shown of formulas.
    fn mode(self) -> Result<FormulaMode, EditError> {
        Ok(match self.choice("mode", &["values", "formulas", "both"])? {
            Some("formulas") => FormulaMode::Formulas,
            Some("both") => FormulaMode::Both,
            _ => FormulaMode::Values,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wrong_parameters_are_reported_with_their_field() {
        let error = |params: Value| {
            let params = Params(&params);
            let error = range_query(params).err().or_else(|| grid_query(params).err()).unwrap();
            error.to_string()
        };
        assert_eq!(error(json!({"sheet": 5})), "sheet: a text is needed, not 5");
        assert_eq!(error(json!({"mode": "raw"})), "mode: `raw` is not known; write one of values, formulas, both");
        assert_eq!(error(json!({"row_start": -1})), "row_start: a whole number from 0 is needed, not -1");
    }

    #[test]
    fn a_null_counts_as_absent() {
        let params = json!({"sheet": null, "range": "B2", "mode": "BOTH", "max_bytes": 5.0});
        let wanted =
            RangeQuery { sheet: None, range: Some("B2".to_owned()), mode: FormulaMode::Both, max_bytes: Some(5) };
        assert_eq!(range_query(Params(&params)), Ok(wanted));
    }
}
