//! `jig entry set`: values typed by a person, parsed according to the types of the fields.

use clap::{Arg, ArgAction, ArgMatches, Command};
use jig_contract::ops::{EntryPut, FieldDefinition, FieldType, KindGet, KindGetOutput};
use jig_contract::{Code, OpError, OpSpec, Operation};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::operation;
use crate::stop::Stop;

pub(crate) fn command(workbench: Option<&str>) -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let here = Arg::new("workbench_id").short('w').long("workbench").value_name("ID");
    let here = here.help("The workbench [default: the current one]");
    Command::new("set")
        .about("Write fields of an entry as FIELD=VALUE, or create the entry")
        .after_help(
            "VALUE is a text, @FILE for the text of a file, or @- for standard input. Repeat a list field for each value, or \
             pass a JSON list. FIELD= removes the value.\n\n\
             jig entry set brand name=\"Acme\" voice=@voice.txt\n\
             jig entry set competitor globex name=Globex strengths=price strengths=reach",
        )
        .arg(Arg::new("role").value_name("KIND").required(true).help("The kind of entry, such as `brand`"))
        .arg(
            Arg::new("values")
                .value_name("[KEY] FIELD=VALUE")
                .action(ArgAction::Append)
                .num_args(1..)
                .required(true)
                .help("The entry's key, unless its kind is a singleton; then the values"),
        )
        .arg(option("title", "NAME", "The display name"))
        .arg(option("reason", "WORDS", "Why"))
        .arg(
            option("base-revision", "TAG", "The `etag` you read; fails if there is a newer version"),
        )
        .arg(match workbench {
            Some(id) => here.default_value(id.to_owned()).hide_default_value(true),
            None => here,
        })
}

/// `jig entry set KIND [KEY] FIELD=VALUE…`.
pub(crate) async fn set(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let id = match text("workbench_id") {
        Some(id) => id,
        None => app.workbench()?.to_owned(),
    };
    let role = text("role").unwrap_or_default();
    let given: Vec<String> = matches.get_many::<String>("values").into_iter().flatten().cloned().collect();
    let workbench = app.open().await?;
    let kind = operation::call(app, &workbench, KindGet::NAME, json!({ "workbench_id": id, "role": role })).await?;
    let kind: KindGetOutput =
        serde_json::from_value(kind).map_err(|e| OpError::new(Code::Internal, "unexpected kind format").because(e))?;
    let fields = kind.kind.definition.field_schema.fields;
    let (key, pairs) = split(&given)?;
    let mut params = json!({ "workbench_id": id, "role": role, "data": data(app, &fields, &pairs)? });
    let more = [
        ("entry_key", key.map(Value::from)),
        ("display_name", text("title").map(Value::from)),
        ("reason", text("reason").map(Value::from)),
        ("base_revision", text("base-revision").map(Value::from)),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            params[name] = value;
        }
    }
    let output = operation::call(app, &workbench, EntryPut::NAME, params).await?;
    operation::print(app, &OpSpec::of::<EntryPut>(), &output)
}

type Pair<'a> = (&'a str, &'a str);

/// Splits the arguments into the key, which is the first argument if it has no `=`, and the values.
fn split(given: &[String]) -> Result<(Option<String>, Vec<Pair<'_>>), OpError> {
    let (key, rest) = match given {
        [first, rest @ ..] if !first.contains('=') => (Some(first.clone()), rest),
        all => (None, all),
    };
    let mut pairs = Vec::with_capacity(rest.len());
    for text in rest {
        pairs.push(text.split_once('=').ok_or_else(|| {
            OpError::new(Code::InvalidParams, format!("expected FIELD=VALUE, got `{text}`"))
                .hint("quote values with spaces: voice=\"Plain and warm\"")
        })?);
    }
    Ok((key, pairs))
}

/// The values by field. An unknown field is passed on as text, so that the operation reports the error.
fn data(app: &App, fields: &[FieldDefinition], pairs: &[Pair<'_>]) -> Result<Map<String, Value>, OpError> {
    let mut data = Map::new();
    for (name, text) in pairs {
        let text = match text.strip_prefix('@') {
            Some(file) => operation::file_or_input(app, file)?,
            None => (*text).to_owned(),
        };
        let field = fields.iter().find(|field| field.key == *name);
        let list = field.is_some_and(|field| field.field_type == FieldType::Array);
        let value = match field {
            _ if text.is_empty() => Value::Null,
            Some(field) if list => list_value(field.item_type.unwrap_or(FieldType::Text), &text),
            Some(field) => one_value(field.field_type, &text),
            None => Value::String(text),
        };
        match (data.get_mut(*name), value) {
            (Some(Value::Array(there)), Value::Array(more)) if list => there.extend(more),
            (_, value) => drop(data.insert((*name).to_owned(), value)),
        }
    }
    Ok(data)
}

fn list_value(item: FieldType, text: &str) -> Value {
    match serde_json::from_str::<Vec<Value>>(text) {
        Ok(values) => Value::Array(values),
        Err(_) => Value::Array(vec![one_value(item, text)]),
    }
}

fn one_value(field_type: FieldType, text: &str) -> Value {
    match field_type {
        FieldType::Number | FieldType::Boolean => {
            serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned()))
        }
        _ => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_word_without_a_sign_is_the_key() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let given = words(&["globex", "name=A=B"]);
        assert_eq!(split(&given).unwrap(), (Some("globex".to_owned()), vec![("name", "A=B")]));
        let given = words(&["name=", "x=1"]);
        assert_eq!(split(&given).unwrap(), (None, vec![("name", ""), ("x", "1")]));
        assert!(split(&words(&["a", "b"])).is_err());
    }

    #[test]
    fn values_are_read_by_what_the_field_holds() {
        assert_eq!(one_value(FieldType::Number, "3.5"), json!(3.5));
        assert_eq!(one_value(FieldType::Boolean, "true"), json!(true));
        assert_eq!(one_value(FieldType::Number, "many"), json!("many"), "the operation says what is wrong");
        assert_eq!(one_value(FieldType::Text, "3"), json!("3"));
        assert_eq!(list_value(FieldType::Text, "a, b"), json!(["a, b"]));
        assert_eq!(list_value(FieldType::Text, "[\"a\", \"b\"]"), json!(["a", "b"]));
    }
}
