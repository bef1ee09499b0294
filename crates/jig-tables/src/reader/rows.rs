//! Rows by their numbers.

use super::Reader;
use super::answer::RowsAnswer;
use super::cells::Shown;
use crate::error::TableError;
use crate::load::{ROW, TABLE};

/// The most rows of an answer.
const MOST_ROWS: u64 = 10_000;

impl Reader {
    /// Rows from one on, by their numbers from 1. Deep rows cost what the first ones do.
    pub fn read_rows(&self, start: u64, count: u64, columns: Option<&[String]>) -> Result<RowsAnswer, TableError> {
        if start == 0 {
            return Err(TableError::Invalid("row_start: rows are counted from 1".to_owned()));
        }
        if count == 0 || count > MOST_ROWS {
            return Err(TableError::Invalid(format!("row_count: from 1 to {MOST_ROWS} rows can be asked for")));
        }
        let chosen = self.chosen(columns)?;
        let shown: Vec<Shown> = chosen
            .iter()
            .map(|column| Shown { name: column.name.clone(), sql_type: column.sql_type.clone() })
            .collect();
        let list: Vec<String> =
            chosen.iter().zip(&shown).map(|(column, shown)| shown.select(&format!("c{}", column.index))).collect();
        let list = if list.is_empty() { "NULL".to_owned() } else { list.join(", ") };
        let end = start.saturating_add(count);
        let sql = format!(
            "SELECT {list} FROM db0.main.{TABLE} WHERE {ROW} >= {start} AND {ROW} < {end} ORDER BY {ROW}",
            end = end.min(i64::MAX as u64)
        );
        let timer = self.timer();
        let (rows, cut) = if shown.is_empty() { (Vec::new(), false) } else { self.collect(&sql, &shown, &timer)? };
        let mut warnings = self.warnings();
        if cut {
            warnings.push(format!(
                "only {} rows fit into one answer; go on at row_start {}",
                rows.len(),
                start + rows.len() as u64
            ));
        }
        let total_rows = self.meta()?.row_count;
        if start > total_rows && total_rows > 0 {
            warnings.push(format!("row_start {start} is beyond the last row, {total_rows}"));
        }
        let row_count = rows.len() as u64;
        Ok(RowsAnswer {
            columns: shown.iter().map(|column| column.name.clone()).collect(),
            column_types: shown.iter().map(Shown::inferred).collect(),
            sql_types: shown.iter().map(|column| column.sql_type.clone()).collect(),
            rows,
            row_start: start,
            row_count,
            total_rows,
            has_more: start.saturating_add(row_count) <= total_rows,
            warnings,
        })
    }
}
