//! Which SQL is carried out: one statement that reads the tables it was given, and nothing else.
//!
//! The engine's own parser makes a tree of the text. The tree is walked here against lists of what is allowed; what is
//! on no list is refused, so that whatever the engine learns next stays out until someone lets it in.

mod walk;

use duckdb::Connection;
use serde_json::Value;

use crate::error::TableError;

/// The longest query.
const MOST_BYTES: usize = 256 << 10;

/// What is known of a query that may be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// Whether the outermost statement says an order.
    pub(crate) ordered: bool,
}

/// Looks whether a query only reads these tables.
pub(crate) fn check(connection: &Connection, query: &str, tables: &[&str]) -> Result<Allowed, TableError> {
    if query.len() > MOST_BYTES {
        return Err(TableError::Refused(format!("the query is longer than {} KiB", MOST_BYTES >> 10)));
    }
    if query.contains('\0') {
        return Err(TableError::Refused("the query has a zero byte in it".to_owned()));
    }
    let sql = "SELECT json_serialize_sql(?::VARCHAR)";
    let tree: String = connection
        .query_row(sql, [query], |row| row.get(0))
        .map_err(|error| TableError::Query(format!("the query cannot be read: {error}")))?;
    let tables: Vec<String> = tables.iter().map(|name| name.to_lowercase()).collect();
    walked(&tree, &tables)
}

fn walked(tree: &str, tables: &[String]) -> Result<Allowed, TableError> {
    let mut reader = serde_json::Deserializer::from_str(tree);
    reader.disable_recursion_limit();
    let tree: Value = serde::Deserialize::deserialize(&mut reader).map_err(TableError::engine)?;
    if tree["error"] == true {
        return Err(refusal(&tree));
    }
    let statements = tree["statements"].as_array().map(Vec::as_slice).unwrap_or_default();
    let [statement] = statements else {
        return Err(TableError::Refused(format!("one SELECT is needed, not {} statements", statements.len())));
    };
    walk::statement(statement, tables)?;
    Ok(Allowed { ordered: is_ordered(&statement["node"]) })
}

fn refusal(tree: &Value) -> TableError {
    let message = tree["error_message"].as_str().unwrap_or_default();
    if tree["error_type"] == "not implemented" {
        let words = "only one SELECT is carried out (WITH, FROM first, VALUES, DESCRIBE and SUMMARIZE too); PIVOT needs its values \
                     in an IN list";
        return TableError::Refused(words.to_owned());
    }
    TableError::Query(format!("the query cannot be read: {message}"))
}

fn is_ordered(node: &Value) -> bool {
    node["modifiers"].as_array().into_iter().flatten().any(|modifier| modifier["type"] == "ORDER_MODIFIER")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use duckdb::Connection;

    /// What the parser itself understands, so that the engine lists no function of this name.
    const SYNTAX: [&str; 8] = ["coalesce", "grouping", "grouping_id", "if", "ifnull", "lambda", "try", "unnest"];

    #[test]
    fn every_allowed_function_exists_in_the_linked_engine() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").unwrap();
        let known = statement.query_map([], |row| row.get(0)).unwrap();
        let known: BTreeSet<String> = known.map(Result::unwrap).collect();
        let unknown: Vec<&str> = include_str!("guard/functions.txt")
            .split_ascii_whitespace()
            .filter(|name| !known.contains(*name) && !SYNTAX.contains(name))
            .collect();
        assert_eq!(unknown, Vec::<&str>::new(), "these names of functions.txt mean nothing to this version of DuckDB");
    }
}
