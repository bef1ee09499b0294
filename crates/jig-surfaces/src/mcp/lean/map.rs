//! Maps of files as lines: one line for each region, with the address that reads and edits take.

use serde_json::{Map, Value};

/// The regions of a file, one in each line.
pub(super) fn lines(kind: &str, map: &Value) -> Vec<String> {
    match kind {
        "xlsx" => list(map, "sheets").flat_map(sheet).chain(notes(map)).collect(),
        "docx" => document(map),
        "pptx" => presentation(map),
        "pdf" => pdf(map),
        "csv" | "tsv" => table(map),
        _ => other(map),
    }
}

/// Addresses of other interfaces that count from 0, under the names that count from 1.
pub(super) fn one_based(at: &mut Value) {
    let Some(at) = at.as_object_mut() else { return };
    if let Some(index) = at.shift_remove("slide_index").and_then(|index| index.as_u64()) {
        let mut first = Map::from_iter([("slide".to_owned(), Value::from(index + 1))]);
        first.append(at);
        *at = first;
    }
}

fn list<'a>(map: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    map[name].as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn count(map: &Value, name: &str) -> u64 {
    map[name].as_u64().unwrap_or(0)
}

/// The words for flags that are set.
fn flags(map: &Value, words: &[(&str, &str)]) -> Vec<String> {
    let set = words.iter().filter(|(name, _)| match &map[*name] {
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_u64().is_some_and(|count| count > 0),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    });
    set.map(|(name, word)| match map[*name].as_u64() {
        Some(count) => format!("{count} {word}"),
        None => (*word).to_owned(),
    })
    .collect()
}

/// Warnings of a map.
fn notes(map: &Value) -> impl Iterator<Item = String> {
    list(map, "warnings").filter_map(Value::as_str).map(|warning| format!("warning: {warning}"))
}

/// `"Budget" A1:J18: 57 formulas, charts`, then a line for each data block.
fn sheet(sheet: &Value) -> Vec<String> {
    let used = &sheet["used_range"];
    let range = match (used["min_row"].as_u64(), used["max_row"].as_u64()) {
        (Some(first), Some(last)) => {
            let (left, right) = (count(used, "min_col"), count(used, "max_col"));
            format!("{}{first}:{}{last}", column(left), column(right))
        }
        _ => "empty".to_owned(),
    };
    let mut facts = flags(
        sheet,
        &[
            ("hidden", "hidden"),
            ("protected", "protected"),
            ("formula_count", "formulas"),
            ("stale_formula_count", "formulas not computed"),
            ("has_merged_cells", "merged cells"),
            ("has_charts", "charts"),
            ("has_pivot", "pivot tables"),
            ("has_images", "images"),
            ("has_comments", "comments"),
            ("has_conditional_formatting", "conditional formats"),
            ("has_data_validation", "data validation"),
            ("hidden_rows", "hidden rows"),
        ],
    );
    for (side, word) in [("rows", "rows"), ("columns", "columns")] {
        let frozen = count(&sheet["frozen"], side);
        if frozen > 0 {
            facts.push(format!("{frozen} {word} frozen"));
        }
    }
    let mut lines = vec![with_facts(&format!("sheet \"{}\" {range}", text(&sheet["name"])), &facts)];
    for block in list(sheet, "islands") {
        let headers: Vec<&str> = list(block, "headers").filter_map(Value::as_str).collect();
        let known = list(sheet, "tables").find(|table| table["range"] == block["range"]);
        let table = known.map(|table| format!(" table {}", text(&table["name"]))).unwrap_or_default();
        let label = match headers.as_slice() {
            [] => String::new(),
            headers => {
                // The row of the headers is in the address of the data below it.
                let data = block["data_range"].as_str().map(|data| format!(" (data {data})")).unwrap_or_default();
                format!(": {}{data}", headers.join(", "))
            }
        };
        // A single block without headers repeats the sheet's range.
        if !(label.is_empty() && table.is_empty() && text(&block["range"]) == range) {
            lines.push(format!("  {}{table}{label}", text(&block["range"])));
        }
    }
    for table in list(sheet, "tables") {
        if !list(sheet, "islands").any(|block| block["range"] == table["range"]) {
            lines.push(format!("  table {} {}", text(&table["name"]), text(&table["range"])));
        }
    }
    lines
}

/// Letters of a column, counted from 1.
fn column(mut number: u64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(char::from(b'A' + u8::try_from(number % 26).unwrap_or(0)));
        number /= 26;
    }
    letters.iter().rev().collect()
}

fn with_facts(line: &str, facts: &[String]) -> String {
    if facts.is_empty() { line.to_owned() } else { format!("{line}: {}", facts.join(", ")) }
}

fn document(map: &Value) -> Vec<String> {
    let section = |section: &Value| {
        let level = usize::try_from(count(section, "level")).unwrap_or(0);
        let heading = match text(&section["heading"]) {
            "" => "(before the first heading)".to_owned(),
            heading => format!("{} {heading}", "#".repeat(level.max(1))),
        };
        let mut facts = flags(section, &[("has_tables", "table"), ("has_images", "image")]);
        facts.insert(0, format!("paragraphs {}", paragraphs(text(&section["paragraphs"]))));
        facts.push(format!("{} characters", count(section, "char_count")));
        with_facts(&format!("section {} {heading}", count(section, "index")), &facts)
    };
    let mut lines: Vec<String> = list(map, "sections").map(section).collect();
    lines.extend(list(map, "tables").map(|table| {
        let (rows, columns) = (count(table, "rows"), count(table, "cols"));
        format!("table {} in \"{}\": {rows} rows × {columns} columns", count(table, "index"), text(&table["section"]))
    }));
    lines.extend(list(map, "images").map(|image| {
        let alt = image["alt_text"].as_str().or_else(|| image["alt"].as_str()).unwrap_or_default();
        format!("image {} {alt}", count(image, "index"))
    }));
    lines.extend(list(map, "headers_footers").map(|part| format!("{}: {}", text(&part["kind"]), text(&part["text"]))));
    let mut facts = flags(
        map,
        &[
            ("comments", "comments"),
            ("footnotes", "footnotes"),
            ("endnotes", "endnotes"),
            ("content_controls", "content controls"),
            ("text_boxes", "text boxes"),
            ("charts", "charts"),
            ("has_tracked_changes", "tracked changes"),
        ],
    );
    facts.insert(0, format!("{} paragraphs", count(map, "paragraph_count")));
    lines.push(format!("in all: {}", facts.join(", ")));
    lines.extend(notes(map));
    lines
}

/// `2-6`, counted from 0 in the map, as ops and `read_file` count: `3-7`.
fn paragraphs(range: &str) -> String {
    let up =
        |text: &str| text.trim().parse::<u64>().map_or_else(|_| text.to_owned(), |number| (number + 1).to_string());
    range.split('-').map(up).collect::<Vec<_>>().join("-")
}

fn presentation(map: &Value) -> Vec<String> {
    let slide = |slide: &Value| {
        let mut facts = flags(
            slide,
            &[
                ("hidden", "hidden"),
                ("has_tables", "table"),
                ("has_charts", "chart"),
                ("has_images", "image"),
                ("has_smart_art", "SmartArt"),
                ("has_media", "media"),
                ("has_notes", "notes"),
                ("has_comments", "comments"),
            ],
        );
        facts.insert(0, text(&slide["layout"]).to_owned());
        with_facts(&format!("slide {} \"{}\"", count(slide, "index") + 1, text(&slide["title"])), &facts)
    };
    let mut lines: Vec<String> = list(map, "slides").map(slide).collect();
    // Layouts of one master in a line; other masters by number, as `add_slide` chooses among them.
    let mut masters: Vec<(u64, Vec<&str>)> = Vec::new();
    for layout in list(map, "layouts") {
        let (master, name) = (count(layout, "master"), text(&layout["name"]));
        match masters.iter_mut().find(|(known, _)| *known == master) {
            Some((_, names)) => names.push(name),
            None => masters.push((master, vec![name])),
        }
    }
    for (master, names) in masters {
        let of = if master == 0 { String::new() } else { format!(" of master {}", master + 1) };
        lines.push(format!("layouts{of}: {}", names.join(", ")));
    }
    lines.extend(notes(map));
    lines
}

fn pdf(map: &Value) -> Vec<String> {
    let title = match text(&map["metadata"]["title"]) {
        "" => String::new(),
        title => format!(" \"{title}\""),
    };
    let facts =
        flags(map, &[("encrypted", "encrypted"), ("has_forms", "form fields"), ("has_annotations", "annotations")]);
    let mut lines = vec![with_facts(&format!("{} pages{title}", count(map, "page_count")), &facts)];
    lines.extend(list(map, "toc").map(|entry| {
        let indent = "  ".repeat(usize::try_from(count(entry, "level")).unwrap_or(1).saturating_sub(1));
        format!("{indent}{} (page {})", text(&entry["title"]), count(entry, "page"))
    }));
    let without: Vec<String> = list(map, "pages_without_text").map(Value::to_string).collect();
    if !without.is_empty() {
        lines.push(format!("pages without text: {}", without.join(", ")));
    }
    lines.extend(list(map, "forms").filter_map(|field| field["name"].as_str()).map(|name| format!("field {name}")));
    lines.extend(notes(map));
    lines
}

fn table(map: &Value) -> Vec<String> {
    let table = if map["table"].is_object() { &map["table"] } else { map };
    let columns: Vec<String> =
        list(table, "columns").map(|one| format!("{} {}", text(&one["name"]), text(&one["sql_type"]))).collect();
    let mut lines = vec![
        format!("{} rows, delimiter {}", count(table, "row_count"), table["delimiter"]),
        format!("columns: {}", columns.join(", ")),
    ];
    lines.extend(notes(table));
    lines
}

/// Maps of other formats: each fact that says something.
fn other(map: &Value) -> Vec<String> {
    let facts = map.as_object().into_iter().flatten().filter(|(name, value)| {
        let says_nothing = matches!(value, Value::Null | Value::Bool(false))
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_str() == Some("");
        // Chunks follow from the number of lines.
        !says_nothing && !matches!(name.as_str(), "chunks" | "warnings" | "final_newline" | "char_count")
    });
    let line = |(name, value): (&String, &Value)| match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| match item {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            format!("{name}: {}", items.collect::<Vec<_>>().join("; "))
        }
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    facts.map(line).chain(notes(map)).collect()
}
