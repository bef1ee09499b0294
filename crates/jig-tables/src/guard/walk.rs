//! The walk over a query's tree.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::error::TableError;

/// Functions without any reach: they see their arguments and nothing else.
static FUNCTIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("functions.txt").split_ascii_whitespace().collect());

/// Functions that make rows out of their arguments.
const ROW_FUNCTIONS: &[&str] = &["range", "generate_series", "unnest"];

/// Kinds of expressions.
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

/// Kinds of nodes, of things in FROM, and of what may follow a SELECT.
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

/// What the tree of a type may consist of.
const TYPES: &[&str] = &[
    "ARRAY_TYPE_INFO",
    "DECIMAL_TYPE_INFO",
    "ENUM_TYPE_INFO",
    "GENERIC_TYPE_INFO",
    "LIST_TYPE_INFO",
    "STRUCT_TYPE_INFO",
    "UNBOUND_TYPE_INFO",
];

type Outcome = Result<(), TableError>;

/// Names of tables that may be read here: those given, and what WITH has named so far.
type Scope = Vec<String>;

/// Checks a whole statement.
pub(super) fn statement(statement: &Value, tables: &[String]) -> Outcome {
    let Some(statement) = statement.as_object() else { return refuse("the statement has an unknown form") };
    for key in statement.keys() {
        if !matches!(key.as_str(), "node" | "named_param_map") {
            return refuse(&format!("`{key}` in a statement"));
        }
    }
    if statement.get("named_param_map").and_then(Value::as_array).is_some_and(|parameters| !parameters.is_empty()) {
        return refuse("parameters such as ? or $1 have no values here; write the values into the query:");
    }
    value(statement.get("node").unwrap_or(&Value::Null), &tables.to_vec())
}

fn refuse(what: &str) -> Outcome {
    Err(TableError::Refused(format!("{what} is not allowed: a query reads its own tables and nothing else")))
}

fn value(one: &Value, scope: &Scope) -> Outcome {
    match one {
        Value::Array(list) => list.iter().try_for_each(|one| value(one, scope)),
        Value::Object(object) => node(object, scope),
        _ => Ok(()),
    }
}

fn node(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    if let Some(class) = object.get("class") {
        expression(class, object)?;
    } else if let Some(Value::String(kind)) = object.get("type") {
        reference(kind, object, scope)?;
    }
    let inner = common_tables(object, scope)?;
    let scope = inner.as_ref().unwrap_or(scope);
    for (key, child) in object {
        if key != "cte_map" {
            value(child, scope)?;
        }
    }
    Ok(())
}

/// What WITH names: each is known to those after it, and to itself only when it is recursive.
fn common_tables(object: &Map<String, Value>, scope: &Scope) -> Result<Option<Scope>, TableError> {
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
        value(&entry["value"], &inner)?;
        inner.push(name.to_lowercase());
    }
    Ok(if inner.len() == scope.len() { None } else { Some(inner) })
}

fn expression(class: &Value, object: &Map<String, Value>) -> Outcome {
    let class = class.as_str().unwrap_or_default();
    if class == "PARAMETER" {
        return refuse("a parameter such as ? or $1");
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

/// Whether the parser wrote this name for a syntax of its own: `[1, 2]` is `main.list_value(1, 2)` in the tree. A query
/// may write the same, and gains nothing by it.
fn is_syntax(object: &Map<String, Value>) -> bool {
    let is = |key: &str, text: &str| object.get(key).and_then(Value::as_str).unwrap_or_default() == text;
    is("catalog", "") && is("schema", "main") && object.get("qualified_name").is_none()
}

/// Whether a name stands alone, without a schema or a database.
fn unqualified(object: &Map<String, Value>) -> bool {
    let empty = |key: &str| object.get(key).is_none_or(|value| value.is_null() || value == "");
    let path = object.get("qualified_name").and_then(|name| name.get("path")).and_then(Value::as_array);
    let alone = path.is_none_or(|path| path.len() <= 1);
    alone && ["catalog", "schema", "catalog_name", "schema_name"].into_iter().all(empty)
}

/// Whether a table is named with the schema that all tables of a query are in: `main.data`. Names from WITH are in none,
/// and the engine refuses them there.
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

fn reference(kind: &str, object: &Map<String, Value>, scope: &Scope) -> Outcome {
    if TYPES.contains(&kind) {
        return if unqualified(object) { Ok(()) } else { refuse("a type with a schema or a database") };
    }
    if !NODES.contains(&kind) {
        return refuse(&format!("`{}`", kind.to_lowercase()));
    }
    match kind {
        "BASE_TABLE" => table(object, scope),
        "TABLE_FUNCTION" => rows(object),
        "SHOW_REF" => show(object, scope),
        _ => Ok(()),
    }
}

fn table(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    let name = object.get("table_name").and_then(Value::as_str).unwrap_or_default();
    let versioned = object.get("at_clause").is_some_and(|at| !at.is_null());
    if !(unqualified(object) || in_main_schema(object)) || versioned {
        return refuse(&format!("`{name}` with a schema, a database or a version"));
    }
    if scope.iter().any(|known| *known == name.to_lowercase()) {
        return Ok(());
    }
    let known = scope.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(TableError::Refused(format!("there is no table `{name}`; this query can read {known}")))
}

fn rows(object: &Map<String, Value>) -> Outcome {
    let function = object.get("function").and_then(Value::as_object);
    let name = function.and_then(|function| function.get("function_name")).and_then(Value::as_str).unwrap_or_default();
    if function.is_some_and(unqualified) && ROW_FUNCTIONS.contains(&name.to_lowercase().as_str()) {
        return Ok(());
    }
    refuse(&format!("the table function `{name}`"))
}

/// DESCRIBE and SUMMARIZE of a query; not SHOW, which lists what there is.
fn show(object: &Map<String, Value>, scope: &Scope) -> Outcome {
    let allowed = matches!(object.get("show_type").and_then(Value::as_str), Some("DESCRIBE" | "SUMMARY"));
    if !allowed {
        return refuse("SHOW");
    }
    match object.get("query") {
        Some(query) if query.is_object() => Ok(()),
        _ => table(object, scope),
    }
}
