//! Which SQL is executed: one statement that reads the given tables, and nothing else.
//!
//! DuckDB's own parser turns the text into a tree, and this module checks the tree against lists of what is allowed.
//! What is on no list is refused, so that whatever a newer DuckDB can do stays out until someone adds it here.

use std::collections::HashSet;
use std::sync::LazyLock;

use duckdb::Connection;
use serde_json::{Map, Value};

use crate::error::TableError;
use crate::limits::MAX_QUERY_BYTES;

/// Why a query is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Something in it could reach beyond its tables, or is unknown.
    #[error("{construct} is not allowed: a query reads its own tables and nothing else")]
    NotAllowed {
        /// The construct.
        construct: String,
    },
    /// It reads a table that it was not given.
    #[error("unknown table `{name}`; this query can read {}", .known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    UnknownTable {
        /// The table.
        name: String,
        /// The tables that it can read.
        known: Vec<String>,
    },
    /// It is not one statement.
    #[error("expected one SELECT, got {count} statements")]
    Statements {
        /// How many there are.
        count: usize,
    },
    /// It is not a SELECT.
    #[error(
        "only a SELECT can be executed (WITH, FROM first, VALUES, DESCRIBE and SUMMARIZE included); PIVOT needs its values in \
         an IN list"
    )]
    NotASelect,
    /// It has parameters.
    #[error("parameters such as ? or $1 have no values here; write the values into the query")]
    Parameters,
    /// It is too long.
    #[error("the query is longer than {} KiB", MAX_QUERY_BYTES >> 10)]
    TooLong,
    /// It contains a character that SQL text cannot have.
    #[error("the query contains a zero byte")]
    ZeroByte,
}

/// What is known about an allowed query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// Whether the outermost statement has an ORDER BY.
    pub(crate) ordered: bool,
}

/// Checks that a query only reads these tables.
pub(crate) fn check(connection: &Connection, query: &str, tables: &[&str]) -> Result<Allowed, TableError> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(Refusal::TooLong.into());
    }
    if query.contains('\0') {
        return Err(Refusal::ZeroByte.into());
    }
    let sql = "SELECT json_serialize_sql(?::VARCHAR)";
    let tree: String = connection
        .query_row(sql, [query], |row| row.get(0))
        .map_err(|error| TableError::Syntax { message: error.to_string() })?;
    let tables: Vec<String> = tables.iter().map(|name| name.to_lowercase()).collect();
    check_tree(&tree, &tables)
}

fn check_tree(tree: &str, tables: &[String]) -> Result<Allowed, TableError> {
    // The tree is as deep as the query is nested; DuckDB's parser limits that, and the caller made room on the stack.
    let mut reader = serde_json::Deserializer::from_str(tree);
    reader.disable_recursion_limit();
    let tree: Value = serde::Deserialize::deserialize(&mut reader)
        .map_err(|error| TableError::internal(format!("the tree of a query is not JSON: {error}")))?;
    if tree["error"] == true {
        return Err(parser_error(&tree));
    }
    let statements = tree["statements"].as_array().map(Vec::as_slice).unwrap_or_default();
    let [statement] = statements else { return Err(Refusal::Statements { count: statements.len() }.into()) };
    check_statement(statement, tables)?;
    let modifiers = statement["node"]["modifiers"].as_array();
    let ordered = modifiers.into_iter().flatten().any(|modifier| modifier["type"] == "ORDER_MODIFIER");
    Ok(Allowed { ordered })
}

/// Statements other than SELECT are "not implemented" by DuckDB's serialization of trees.
fn parser_error(tree: &Value) -> TableError {
    if tree["error_type"] == "not implemented" {
        return Refusal::NotASelect.into();
    }
    TableError::Syntax { message: tree["error_message"].as_str().unwrap_or_default().to_owned() }
}

/// Functions that see their arguments and nothing else.
static FUNCTIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("guard/functions.txt").split_ascii_whitespace().collect());

/// Table functions that produce rows from their arguments.
const ROW_FUNCTIONS: &[&str] = &["range", "generate_series", "unnest"];

/// The classes of expressions in a tree.
const EXPRESSIONS: &[&str] = &[
    "BETWEEN",
    "CASE",
    "CAST",
    "COLLATE",
    "COLUMN_REF",
    "COMPARISON",
    "CONJUNCTION",
    "CONSTANT",
    "FUNCTION",
    "LAMBDA",
    "LAMBDA_REF",
    "OPERATOR",
    "POSITIONAL_REFERENCE",
    "STAR",
    "SUBQUERY",
    "TYPE",
    "WINDOW",
];

/// The types of nodes, of entries in FROM, and of modifiers after a SELECT.
const NODES: &[&str] = &[
    "SELECT_NODE",
    "SET_OPERATION_NODE",
    "RECURSIVE_CTE_NODE",
    "CTE_NODE",
    "BASE_TABLE",
    "SUBQUERY",
    "JOIN",
    "TABLE_FUNCTION",
    "EXPRESSION_LIST",
    "EMPTY",
    "PIVOT",
    "SHOW_REF",
    "ORDER_MODIFIER",
    "LIMIT_MODIFIER",
    "LIMIT_PERCENT_MODIFIER",
    "DISTINCT_MODIFIER",
    "ORDER_DEFAULT",
    "ASCENDING",
    "DESCENDING",
    "INVALID",
];

/// The parts of the tree of a type.
const TYPES: &[&str] = &[
    "ARRAY_TYPE_INFO",
    "DECIMAL_TYPE_INFO",
    "ENUM_TYPE_INFO",
    "GENERIC_TYPE_INFO",
    "LIST_TYPE_INFO",
    "STRUCT_TYPE_INFO",
    "UNBOUND_TYPE_INFO",
];

type Outcome = Result<(), Refusal>;

/// The names of tables that can be read at a place in the query: the given ones, and those of WITH so far.
type Scope = Vec<String>;

fn check_statement(statement: &Value, tables: &[String]) -> Outcome {
    let Some(statement) = statement.as_object() else { return refuse("a statement of unknown form") };
    for key in statement.keys() {
        if !matches!(key.as_str(), "node" | "named_param_map") {
            return refuse(&format!("`{key}` in a statement"));
        }
    }
    if statement.get("named_param_map").and_then(Value::as_array).is_some_and(|parameters| !parameters.is_empty()) {
        return Err(Refusal::Parameters);
    }
    check_value(statement.get("node").unwrap_or(&Value::Null), &tables.to_vec())
}

fn refuse(what: &str) -> Outcome {
    Err(Refusal::NotAllowed { construct: what.to_owned() })
}

fn check_value(one: &Value, scope: &Scope) -> Outcome {
    match one {
        Value::Array(list) => list.iter().try_for_each(|one| check_value(one, scope)),
        Value::Object(object) => check_node(object, scope),
        _ => Ok(()),
    }
}

fn check_node(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    if let Some(class) = object.get("class") {
        check_expression(class, object)?;
    } else if let Some(Value::String(kind)) = object.get("type") {
        check_reference(kind, object, scope)?;
    }
    let inner = common_tables(object, scope)?;
    let scope = inner.as_ref().unwrap_or(scope);
    for (key, child) in object {
        if key != "cte_map" {
            check_value(child, scope)?;
        }
    }
    Ok(())
}

/// Adds the names of WITH to the scope: each is known to those after it, and to itself only if it is recursive.
fn common_tables(object: &Map<String, Value>, scope: &Scope) -> Result<Option<Scope>, Refusal> {
    let mut inner = scope.clone();
    if object.get("type").is_some_and(|kind| kind == "RECURSIVE_CTE_NODE" || kind == "CTE_NODE")
        && let Some(name) = object.get("cte_name").and_then(Value::as_str)
    {
        inner.push(name.to_lowercase());
    }
    let map = object.get("cte_map").and_then(|map| map.get("map")).and_then(Value::as_array);
    for entry in map.into_iter().flatten() {
        let Some(name) = entry["key"].as_str() else {
            refuse("a WITH without a name")?;
            continue;
        };
        check_value(&entry["value"], &inner)?;
        inner.push(name.to_lowercase());
    }
    Ok(if inner.len() == scope.len() { None } else { Some(inner) })
}

fn check_expression(class: &Value, object: &Map<String, Value>) -> Outcome {
    let class = class.as_str().unwrap_or_default();
    if class == "PARAMETER" {
        return Err(Refusal::Parameters);
    }
    if !EXPRESSIONS.contains(&class) {
        return refuse(&format!("`{}`", class.to_lowercase()));
    }
    if let Some(name) = object.get("function_name") {
        let name = name.as_str().unwrap_or_default().to_lowercase();
        if !(unqualified(object) || is_syntax(object))
            || !(FUNCTIONS.contains(name.as_str()) || ROW_FUNCTIONS.contains(&name.as_str()))
        {
            return refuse(&format!("the function `{name}`"));
        }
    } else if class == "FUNCTION" || class == "WINDOW" {
        return refuse("a function without a name");
    }
    Ok(())
}

/// Whether the parser produced this name from syntax: `[1, 2]` is `main.list_value(1, 2)` in the tree. A query that has
/// the same name written out gains nothing by it.
fn is_syntax(object: &Map<String, Value>) -> bool {
    let is = |key: &str, text: &str| object.get(key).and_then(Value::as_str).unwrap_or_default() == text;
    is("catalog", "") && is("schema", "main") && object.get("qualified_name").is_none()
}

/// Whether a name has neither a schema nor a database.
fn unqualified(object: &Map<String, Value>) -> bool {
    let empty = |key: &str| object.get(key).is_none_or(|value| value.is_null() || value == "");
    let path = object.get("qualified_name").and_then(|name| name.get("path")).and_then(Value::as_array);
    let alone = path.is_none_or(|path| path.len() <= 1);
    alone && ["catalog", "schema", "catalog_name", "schema_name"].into_iter().all(empty)
}

/// Whether a table is named with the schema of all tables of a query: `main.data`. Names of WITH have no schema, and
/// DuckDB refuses them with one.
fn in_main_schema(object: &Map<String, Value>) -> bool {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let path: Option<Vec<&str>> = object
        .get("qualified_name")
        .and_then(|name| name.get("path"))
        .and_then(Value::as_array)
        .map(|path| path.iter().filter_map(Value::as_str).collect());
    let catalog_is_empty = text("catalog").is_empty() && text("catalog_name").is_empty();
    let schema = if text("schema_name").is_empty() { text("schema") } else { text("schema_name") };
    match path {
        None => catalog_is_empty && schema.eq_ignore_ascii_case("main"),
        Some(path) => {
            let is_main = path.len() == 2 && path.first().is_some_and(|first| first.eq_ignore_ascii_case("main"));
            is_main && catalog_is_empty && (schema.is_empty() || schema.eq_ignore_ascii_case("main"))
        }
    }
}

fn check_reference(kind: &str, object: &Map<String, Value>, scope: &Scope) -> Outcome {
    if TYPES.contains(&kind) {
        return if unqualified(object) { Ok(()) } else { refuse("a type with a schema or a database") };
    }
    if !NODES.contains(&kind) {
        return refuse(&format!("`{}`", kind.to_lowercase()));
    }
    match kind {
        "BASE_TABLE" => check_table(object, scope),
        "TABLE_FUNCTION" => check_table_function(object),
        "SHOW_REF" => check_show(object, scope),
        _ => Ok(()),
    }
}

fn check_table(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    let name = object.get("table_name").and_then(Value::as_str).unwrap_or_default();
    let versioned = object.get("at_clause").is_some_and(|at| !at.is_null());
    if !(unqualified(object) || in_main_schema(object)) || versioned {
        return refuse(&format!("`{name}` with a schema, a database or a version"));
    }
    if scope.iter().any(|known| *known == name.to_lowercase()) {
        return Ok(());
    }
    Err(Refusal::UnknownTable { name: name.to_owned(), known: scope.clone() })
}

fn check_table_function(object: &Map<String, Value>) -> Outcome {
    let function = object.get("function").and_then(Value::as_object);
    let name = function.and_then(|function| function.get("function_name")).and_then(Value::as_str).unwrap_or_default();
    if function.is_some_and(unqualified) && ROW_FUNCTIONS.contains(&name.to_lowercase().as_str()) {
        return Ok(());
    }
    refuse(&format!("the table function `{name}`"))
}

/// Allows DESCRIBE and SUMMARIZE of a query, but not SHOW, which lists tables and databases.
fn check_show(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    let allowed = matches!(object.get("show_type").and_then(Value::as_str), Some("DESCRIBE" | "SUMMARY"));
    if !allowed {
        return refuse("SHOW");
    }
    match object.get("query") {
        Some(query) if query.is_object() => Ok(()),
        _ => check_table(object, scope),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Names that are syntax of the parser and not in its list of functions.
    const SYNTAX: [&str; 8] = ["coalesce", "grouping", "grouping_id", "if", "ifnull", "lambda", "try", "unnest"];

    #[test]
    fn every_allowed_function_exists_in_the_linked_engine() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").unwrap();
        let known = statement.query_map([], |row| row.get(0)).unwrap();
        let known: BTreeSet<String> = known.map(Result::unwrap).collect();
        let unknown: Vec<&&str> =
            FUNCTIONS.iter().filter(|name| !known.contains(**name) && !SYNTAX.contains(name)).collect();
        assert_eq!(unknown, Vec::<&&str>::new(), "these names of functions.txt mean nothing to this version of DuckDB");
    }
}
