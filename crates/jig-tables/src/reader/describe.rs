//! The map of a table and the description of its columns.

use super::Reader;
use super::answer::{Chunk, ColumnCount, Description, TableMap};
use crate::error::TableError;

/// Rows of a chunk.
const CHUNK_ROWS: u64 = 100;

impl Reader {
    /// What a table is. `format` is told as it is.
    pub fn map(&self, format: &str) -> Result<TableMap, TableError> {
        let meta = self.meta()?;
        let chunk_count = meta.row_count.div_ceil(CHUNK_ROWS);
        let chunks = (0..chunk_count.min(TableMap::MOST_CHUNKS)).map(|index| {
            let (first, last) = (index * CHUNK_ROWS + 1, ((index + 1) * CHUNK_ROWS).min(meta.row_count));
            Chunk { index, rows: format!("{first}-{last}") }
        });
        let mut warnings = self.warnings();
        if chunk_count > TableMap::MOST_CHUNKS {
            warnings.push(format!("the first {} of {chunk_count} chunks are listed", TableMap::MOST_CHUNKS));
        }
        if meta.columns.len() > TableMap::MOST_COLUMNS {
            let words = format!("the first {} of {} columns are listed", TableMap::MOST_COLUMNS, meta.columns.len());
            warnings.push(words);
        }
        Ok(TableMap {
            format: format.to_owned(),
            dialect: meta.dialect.clone(),
            has_header: meta.has_header,
            header_confidence: meta.header_confidence,
            row_count: meta.row_count,
            column_count: meta.columns.len(),
            columns: meta.columns.iter().take(TableMap::MOST_COLUMNS).cloned().collect(),
            chunks: chunks.collect(),
            chunk_count,
            chunk_rows: CHUNK_ROWS,
            warnings,
        })
    }

    /// What the columns are like.
    pub fn describe(&self) -> Result<Description, TableError> {
        let meta = self.meta()?;
        let chosen: Vec<_> = meta.columns.iter().take(TableMap::MOST_COLUMNS).collect();
        let counts = self.counts(&chosen)?;
        let columns = chosen.into_iter().zip(counts).map(|(column, (non_null_count, distinct_estimate))| ColumnCount {
            column: column.clone(),
            nullable: non_null_count < meta.row_count,
            non_null_count,
            distinct_estimate,
        });
        let mut warnings = self.warnings();
        if meta.columns.len() > TableMap::MOST_COLUMNS {
            let words = format!("the first {} of {} columns are described", TableMap::MOST_COLUMNS, meta.columns.len());
            warnings.push(words);
        }
        Ok(Description {
            row_count: meta.row_count,
            column_count: meta.columns.len(),
            columns: columns.collect(),
            warnings,
        })
    }
}
