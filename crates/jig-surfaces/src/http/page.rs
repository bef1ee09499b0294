//! The API reference page: every route and operation, searchable without scripts.

use std::fmt::Write;

use jig_contract::Code;
use serde_json::Value;

use super::openapi;
use std::sync::LazyLock;

/// The style sheet of the pages.
pub(super) const STYLE: &str = include_str!("page.css");

static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);

/// The page with everything, or only what matches a text.
pub(super) fn docs(wanted: &str) -> String {
    let mut text = String::from("<h1>Jig over HTTP</h1>\n");
    let about = DOCUMENT["info"]["description"].as_str().unwrap_or_default();
    add(&mut text, format_args!("<p class=\"lead\">{}</p>\n", prose(about)));
    add(
        &mut text,
        format_args!(
            "<form role=\"search\" action=\"/api/docs\"><label for=\"q\">Find</label> <input id=\"q\" name=\"q\" \
             type=\"search\" value=\"{}\"> <button>Show</button></form>\n",
            escape(wanted)
        ),
    );
    let shown = Shown { wanted: wanted.trim().to_lowercase() };
    let found = shown.sections(&mut text);
    if found == 0 {
        add(
            &mut text,
            format_args!("<p>Nothing here has “{}”. <a href=\"/api/docs\">Show all</a></p>\n", escape(wanted)),
        );
    }
    shown.codes(&mut text);
    framed("Jig over HTTP", &text)
}

/// The part of the document that is shown.
struct Shown {
    wanted: String,
}

impl Shown {
    fn has(&self, text: &str) -> bool {
        self.wanted.is_empty() || text.to_lowercase().contains(&self.wanted)
    }

    /// Resources by noun, then operations. Returns the number of matches.
    fn sections(&self, text: &mut String) -> usize {
        let mut found = 0;
        for (title, by_name) in [("Resources", false), ("Operations by name", true)] {
            let mut section = String::new();
            let mut count = 0;
            for tag in DOCUMENT["tags"].as_array().into_iter().flatten().filter_map(|tag| tag["name"].as_str()) {
                count += self.of_noun(&mut section, tag, by_name);
            }
            if count > 0 {
                add(text, format_args!("<h2>{title} <small>{count}</small></h2>\n{section}"));
            }
            found += count;
        }
        found
    }

    fn of_noun(&self, text: &mut String, tag: &str, by_name: bool) -> usize {
        let mut inner = String::new();
        let mut count = 0;
        for (path, methods) in DOCUMENT["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                let here = operation["tags"][0] == *tag && path.starts_with("/api/op/") == by_name;
                let summary = operation["summary"].as_str().unwrap_or_default();
                let name = operation["x-jig-operation"].as_str().unwrap_or_default();
                if here && self.has(&format!("{method} {path} {summary} {name}")) {
                    entry(&mut inner, path, method, operation);
                    count += 1;
                }
            }
        }
        if count > 0 {
            add(text, format_args!("<h3>{}</h3>\n{inner}", escape(tag)));
        }
        count
    }

    fn codes(&self, text: &mut String) {
        text.push_str("<h2>Error codes</h2>\n<table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>\n");
        for code in Code::ALL.iter().filter(|code| self.has(code.as_str())) {
            add(
                text,
                format_args!(
                    "<tr id=\"{code}\"><td><code>{code}</code></td><td>{}</td><td>{}</td></tr>\n",
                    code.http(),
                    prose(code.doc())
                ),
            );
        }
        text.push_str("</tbody></table>\n");
    }
}

fn entry(text: &mut String, path: &str, method: &str, operation: &Value) {
    let words = |value: &Value| escape(value.as_str().unwrap_or_default());
    add(
        text,
        format_args!(
            "<details id=\"{}\"><summary><span class=\"method {method}\">{}</span> <code>{}</code> <span class=\"what\">{}</span></summary>\n<p>{}</p>\n",
            words(&operation["operationId"]),
            method.to_uppercase(),
            escape(path),
            prose(operation["summary"].as_str().unwrap_or_default()),
            prose(operation["description"].as_str().unwrap_or_default()),
        ),
    );
    parameters(text, operation);
    let content = operation["requestBody"]["content"].as_object();
    if let Some((media_type, body)) = content.and_then(|content| content.iter().next()) {
        let media_type = escape(media_type);
        members(text, &format!("Body <small>{media_type}</small>"), &body["schema"]);
        if let Some(example) = body.get("example") {
            let example = serde_json::to_string_pretty(example).unwrap_or_default();
            add(text, format_args!("<h4>Example</h4>\n<pre>{}</pre>\n", escape(&example)));
        }
    }
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        if let Some(schema) = answer["content"]["application/json"].get("schema") {
            members(text, &format!("Answer {status}"), schema);
        }
    }
    text.push_str("</details>\n");
}

fn parameters(text: &mut String, operation: &Value) {
    let Some(parameters) = operation["parameters"].as_array().filter(|parameters| !parameters.is_empty()) else {
        return;
    };
    text.push_str("<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>\n");
    for parameter in parameters {
        let place = parameter["in"].as_str().unwrap_or_default();
        row(
            text,
            parameter["name"].as_str().unwrap_or_default(),
            parameter["required"] == true,
            Some(place),
            parameter,
            &parameter["schema"],
        );
    }
    text.push_str("</tbody></table>\n");
}

/// The properties of a schema, one level deep.
fn members(text: &mut String, title: &str, schema: &Value) {
    let schema = target(schema);
    let Some(members) = schema["properties"].as_object().filter(|members| !members.is_empty()) else { return };
    let required = schema["required"].as_array();
    add(
        text,
        format_args!("<h4>{title}</h4>\n<table><thead><tr><th>member</th><th>type</th><th></th></tr></thead><tbody>\n"),
    );
    for (name, member) in members {
        let needed = required.is_some_and(|names| names.iter().any(|known| known == name));
        row(text, name, needed, None, member, member);
    }
    text.push_str("</tbody></table>\n");
}

fn row(text: &mut String, name: &str, required: bool, place: Option<&str>, described: &Value, schema: &Value) {
    let words = described["description"].as_str().or_else(|| target(schema)["description"].as_str());
    let optional = if required { "" } else { " <small>optional</small>" };
    let place = place.map(|place| format!("<td>{place}</td>")).unwrap_or_default();
    add(
        text,
        format_args!(
            "<tr><td><code>{}</code>{optional}</td>{place}<td>{}</td><td>{}</td></tr>\n",
            escape(name),
            escape(&kind(schema)),
            prose(words.unwrap_or_default())
        ),
    );
}

/// Reference text with backtick spans as code.
fn prose(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = escape(parts.next().unwrap_or_default());
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => add(&mut out, format_args!("<code>{}</code>{}", escape(code), escape(after))),
            // An unclosed backtick is literal.
            None => add(&mut out, format_args!("`{}", escape(code))),
        }
    }
    out
}

fn target(schema: &Value) -> &Value {
    let pointer = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    pointer.and_then(|pointer| DOCUMENT.pointer(pointer)).unwrap_or(schema)
}

/// A short description of a schema's type.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(options) = schema[several].as_array() {
            let kinds: Vec<String> = options.iter().filter(|o| o["type"] != "null").map(kind).collect();
            return kinds.join(" or ");
        }
    }
    if let Some(only) = schema["const"].as_str() {
        return format!("“{only}”");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().filter_map(Value::as_str).map(|value| format!("“{value}”")).collect();
        return values.join(", ");
    }
    match &schema["type"] {
        Value::String(word) if word == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(word) => word.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).filter(|word| *word != "null").collect();
            if words == ["array"] { format!("list of {}", kind(&schema["items"])) } else { words.join(" or ") }
        }
        _ => "any".to_owned(),
    }
}

fn framed(title: &str, inner: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <link rel=\"stylesheet\" href=\"/api/docs.css\">\n</head>\n<body>\n<main>\n{inner}</main>\n</body>\n</html>\n",
        escape(title)
    )
}

/// Escapes a text for HTML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

fn add(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = text.write_fmt(piece);
}

#[cfg(test)]
mod tests {
    use jig_contract::OPERATIONS;

    use super::*;

    #[test]
    fn backticks_are_code() {
        assert_eq!(prose("a `b<c` d `e"), "a <code>b&lt;c</code> d `e");
    }

    #[test]
    fn the_page_shows_everything_and_finds_some() {
        let all = docs("");
        for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
            assert!(all.contains(&format!("/api/op/{}<", op.name)), "{}", op.name);
        }
        let some = docs("workbenchrename");
        assert!(some.contains("/api/op/WorkbenchRename<") && !some.contains("/api/op/FileList<"));
        let none = docs("<script>alert(1)</script>");
        assert!(none.contains("Nothing here has") && !none.contains("<script"), "{none}");
        assert!(!all.contains("<script") && !all.contains("style=") && !all.contains("//cdn"));
    }
}
