//! Results as a model needs them. Clients show a model either the structured content or the text, so each has everything
//! that the next call needs, and nothing else: tokens of results are what an agent's work costs.
//!
//! Other interfaces return complete results. What is dropped here are long hashes, receipts of package parts, ids and
//! times that no tool takes, empty fields, and facts that follow from the call.

mod map;

use jig_contract::HASH_PREFIX_MIN;
use jig_contract::ops::{ReviewGetDiffOutput, Root};
use serde_json::{Value, json};

use crate::unified;

/// The argument with which an edit returns the receipt of every package part.
pub(super) const FULL_RECEIPT: &str = "full_receipt";

/// The lean form of an operation's result.
pub fn lean(op: &str, value: &Value, full_receipt: bool) -> Value {
    let mut lean = match op {
        "WorkbenchList" => json!({ "workbenches": each(&value["workbenches"], workbench) }),
        "WorkbenchCreate" | "WorkbenchGet" => workbench(value),
        "FileList" => files(value),
        "FileGetMap" => {
            json!({ "path": value["path"], "hash": value["hash"], "map": map::lines(text_of(&value["kind"]), &value["map"]) })
        }
        "FileRead" => pick(value, &["text", "headers", "chunk_info", "cursor", "hash", "warnings"]),
        "FileSearch" => search(value),
        "FileGetPreview" => pick(value, &["page", "page_count", "notice"]),
        "DraftWriteText" | "DraftRemoveFile" | "DraftMoveFile" | "DraftCopyFile" => written(value),
        "XlsxApplyOps" | "DocxApplyOps" | "PptxApplyOps" | "TextApplyOps" => edited(value),
        "TabularExport" | "TabularUpdateFromExport" => exported(value),
        "ReviewGetChangeSet" => changes(value),
        "ReviewGetDiff" => diff(value),
        "KindList" => json!({ "kinds": each(&value["kinds"], kind) }),
        "EntryList" => list_of(value, "entries", entry),
        "EntryGet" | "EntryMarkDone" => json!({ "entry": entry(&value["entry"]) }),
        "EntryPut" => {
            let mut lean = pick(value, &["outcome", "created", "why"]);
            if value["entry"].is_object() {
                lean["entry"] = pick(&value["entry"], &["role", "entry_key", "etag", "missing"]);
            }
            if value["proposal"].is_object() {
                lean["proposal"] = pick(&value["proposal"], &["id", "state"]);
            }
            lean
        }
        "ArtifactList" => list_of(value, "artifacts", artifact),
        "ArtifactGet" | "ArtifactCreate" => {
            let mut lean = artifact(&value["artifact"]);
            copy(value, &mut lean, &["created", "warnings"]);
            lean
        }
        "ArtifactApplyOps" => json!({
            "applied": each(&value["applied"], |op| pick(op, &["artifact_slug", "section_slug", "summary", "split_into"])),
            "artifacts": each(&value["artifacts"], |one| pick(one, &["slug", "etag", "sections_complete", "sections_total"])),
            "suggestions": each(&value["suggestions"], |one| pick(one, &["id", "section_slug"])),
        }),
        _ => value.clone(),
    };
    if full_receipt && value["receipt"].is_object() {
        lean["receipt"] = value["receipt"].clone();
    } else {
        drop_empty(&mut lean);
        shorten_hashes(&mut lean);
    }
    lean
}

/// Hashes at a length that `base_hash` accepts.
pub(super) fn shorten_hashes(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(hash) if name.contains("hash") && hash.len() == 64 => hash.truncate(HASH_PREFIX_MIN),
                    other => shorten_hashes(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_hashes),
        _ => {}
    }
}

/// Drops members that say nothing: null, false and empty lists. Not inside data of the user.
fn drop_empty(value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    members.retain(|name, member| match member {
        Value::Null | Value::Bool(false) => false,
        // An empty list of files or hits is the result.
        Value::Array(items) => {
            !items.is_empty() || matches!(name.as_str(), "files" | "hits" | "entries" | "artifacts" | "rows")
        }
        _ => true,
    });
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn each(list: &Value, one: impl Fn(&Value) -> Value) -> Value {
    list.as_array().into_iter().flatten().map(one).collect()
}

/// A page of a list.
fn list_of(value: &Value, name: &str, one: impl Fn(&Value) -> Value) -> Value {
    let mut lean = pick(value, &["total", "cursor"]);
    lean[name] = each(&value[name], one);
    lean
}

fn copy(from: &Value, to: &mut Value, names: &[&str]) {
    for name in names {
        if !from[*name].is_null() {
            to[*name] = from[*name].clone();
        }
    }
}

fn pick(value: &Value, names: &[&str]) -> Value {
    let mut lean = json!({});
    copy(value, &mut lean, names);
    drop_empty(&mut lean);
    lean
}

fn workbench(value: &Value) -> Value {
    let mut lean = pick(value, &["id", "name", "files"]);
    if value["draft"].is_object() {
        lean["has_draft"] = true.into();
    }
    lean
}

fn files(value: &Value) -> Value {
    let mut lean = pick(value, &["root", "total", "cursor"]);
    lean["columns"] = json!(["path", "bytes"]);
    // Pairs, because the names of members would cost as much as the values.
    lean["files"] = each(&value["files"], |file| json!([file["path"], file["bytes"]]));
    let notes = value["files"].as_array().into_iter().flatten().filter_map(|file| file["mismatch"].as_str());
    let left = value["left_alone"].as_array().into_iter().flatten();
    let left = left.map(|file| format!("{} ({})", text_of(&file["path"]), text_of(&file["reason"])));
    lean["left_alone"] = notes.map(str::to_owned).chain(left).collect();
    lean
}

fn search(value: &Value) -> Value {
    let hit = |hit: &Value| {
        let mut at = hit["at"].clone();
        map::one_based(&mut at);
        let mut lean = json!({ "path": hit["path"] });
        if let (Some(lean), Some(at)) = (lean.as_object_mut(), at.as_object()) {
            lean.extend(at.clone());
        }
        lean["snippet"] = hit["snippet"].clone();
        lean
    };
    let mut lean = json!({ "hits": each(&value["hits"], hit) });
    copy(value, &mut lean, &["more"]);
    let skipped = value["skipped"].as_array().into_iter().flatten();
    lean["skipped"] =
        skipped.map(|file| format!("{} ({})", text_of(&file["path"]), text_of(&file["reason"]))).collect();
    lean
}

fn written(value: &Value) -> Value {
    let mut lean = pick(value, &["summary", "dry_run"]);
    copy(&value["file"], &mut lean, &["hash"]);
    lean
}

fn edited(value: &Value) -> Value {
    let receipt = &value["receipt"];
    let summaries = value["changes"].as_array().into_iter().flatten();
    let summaries: Vec<Value> = summaries
        .map(|change| if change["summary"].is_string() { change["summary"].clone() } else { change.clone() })
        .collect();
    let mut lean = json!({ "changes": summaries, "hash": receipt["hash_after"] });
    for (name, count) in [("cells", "cells_count"), ("recalculated", "recalculated_count")] {
        let cells = receipt[name].as_array().into_iter().flatten();
        let mut lines: Vec<String> = cells
            .map(|cell| {
                format!("{}: {} → {}", text_of(&cell["cell"]), cell_text(&cell["old"]), cell_text(&cell["new"]))
            })
            .collect();
        let more = receipt[count].as_u64().unwrap_or(0).saturating_sub(lines.len() as u64);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lean[name] = lines.into();
    }
    copy(receipt, &mut lean, &["created_file", "created_sheets"]);
    copy(value, &mut lean, &["warnings", "dry_run", "left_out"]);
    lean
}

/// A value of a cell in a sentence.
fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn exported(value: &Value) -> Value {
    let mut lean = value.clone();
    let hash = value["receipt"]["hash_after"].clone();
    if let Some(members) = lean.as_object_mut() {
        for name in ["receipt", "file", "draft_created", "ok"] {
            members.shift_remove(name);
        }
        members.insert("hash".to_owned(), hash);
    }
    lean
}

fn changes(value: &Value) -> Value {
    let line = |change: &Value| {
        format!("{} {}: {}", text_of(&change["change"]), text_of(&change["path"]), text_of(&change["summary"])).into()
    };
    let mut lean = json!({ "changes": each(&value["changes"], line) });
    copy(value, &mut lean, &["reference_label", "reference_warning", "published_changed"]);
    lean
}

fn diff(value: &Value) -> Value {
    let Ok(output) = serde_json::from_value::<ReviewGetDiffOutput>(value.clone()) else { return value.clone() };
    let mut lean = json!({ "path": value["path"], "diff": unified(&output) });
    if output.pages > 1 {
        lean["page"] = output.page.into();
        lean["pages"] = output.pages.into();
    }
    lean
}

/// A kind with its fields: `name (text, required)`.
fn kind(value: &Value) -> Value {
    let field = |field: &Value| {
        let needed = if field["required"] == true { ", required" } else { "" };
        format!("{} ({}{needed})", text_of(&field["key"]), text_of(&field["type"])).into()
    };
    json!({
        "role": value["anchor_role"],
        "about": value["display_name"],
        "entries": value["entries"],
        "has_keys": value["is_singleton"] == false,
        "fields": each(&value["field_schema"]["fields"], field),
    })
}

fn entry(value: &Value) -> Value {
    let mut lean = pick(value, &["role", "entry_key", "display_name", "missing", "etag"]);
    lean["data"] = value["data"].clone();
    if value["entry_key"] == "" {
        lean.as_object_mut().and_then(|lean| lean.shift_remove("entry_key"));
    }
    lean
}

fn artifact(value: &Value) -> Value {
    let section = |section: &Value| {
        let mut lean = pick(section, &["slug", "title", "content", "preview"]);
        if !lean["content"].is_null() {
            lean.as_object_mut().and_then(|lean| lean.shift_remove("preview"));
        }
        lean["done"] = section["is_done"].clone();
        drop_empty(&mut lean);
        lean
    };
    let mut lean = pick(value, &["slug", "title", "stage", "status", "etag", "content"]);
    // The sections are in the content, with their titles.
    if lean["content"].is_null() {
        lean["sections"] = each(&value["sections"], section);
    }
    lean
}

/// The text of a lean result, for clients that show a model only text.
pub(super) fn text(op: &str, lean: &Value) -> String {
    let mut text = match op {
        "FileList" => {
            let root = if lean["root"] == json!(Root::Draft) { "draft" } else { "published" };
            let rows = lean["files"].as_array().into_iter().flatten();
            let rows = rows.map(|file| format!("{} {}", text_of(&file[0]), file[1]));
            let left = strings(&lean["left_alone"]).map(|line| format!("left alone: {line}"));
            join(format!("{} files ({root}), with bytes", lean["total"]), rows.chain(left))
        }
        "FileGetMap" => {
            join(format!("{} hash {}", text_of(&lean["path"]), text_of(&lean["hash"])), strings(&lean["map"]))
        }
        "FileRead" => read(lean),
        "FileSearch" => {
            let rows = lean["hits"].as_array().into_iter().flatten().map(|hit| {
                let address = hit.as_object().into_iter().flatten();
                let address = address.filter(|(name, _)| !matches!(name.as_str(), "path" | "snippet"));
                let address: Vec<String> =
                    address.map(|(name, value)| format!("{name} {}", cell_text(value))).collect();
                format!("{} {}: {}", text_of(&hit["path"]), address.join(" "), text_of(&hit["snippet"]))
            });
            let skipped = strings(&lean["skipped"]).map(|line| format!("not searched: {line}"));
            let more = if lean["more"] == true { ", and there are more" } else { "" };
            let count = lean["hits"].as_array().map_or(0, Vec::len);
            join(format!("{count} hits{more}"), rows.chain(skipped))
        }
        "DraftWriteText" | "DraftRemoveFile" | "DraftMoveFile" | "DraftCopyFile" => {
            let hash = lean["hash"].as_str().map(|hash| format!(" (hash {hash})")).unwrap_or_default();
            format!("{}{hash}{}", text_of(&lean["summary"]), dry(lean))
        }
        "XlsxApplyOps" | "DocxApplyOps" | "PptxApplyOps" | "TextApplyOps" => {
            let changes = lean["changes"].as_array().into_iter().flatten().map(cell_text);
            let changed = strings(&lean["cells"]).map(|line| format!("changed {line}"));
            let computed = strings(&lean["recalculated"]).map(|line| format!("recalculated {line}"));
            let sheets = strings(&lean["created_sheets"]).map(|name| format!("created sheet {name}"));
            let warnings = strings(&lean["warnings"]).map(|line| format!("warning: {line}"));
            let head = format!("Done (hash {}).{}", text_of(&lean["hash"]), dry(lean));
            join(head, changes.chain(changed).chain(computed).chain(sheets).chain(warnings))
        }
        "ReviewGetChangeSet" => {
            let lines: Vec<String> = strings(&lean["changes"]).collect();
            let warnings = lean["reference_warning"].as_str().map(str::to_owned).into_iter();
            join(format!("{} changed files", lines.len()), lines.into_iter().chain(warnings))
        }
        "ReviewGetDiff" => match lean["pages"].as_u64() {
            Some(pages) => format!("{}[page {} of {pages}]", text_of(&lean["diff"]), lean["page"]),
            None => text_of(&lean["diff"]).to_owned(),
        },
        "EditDescribe" => match lean["style_guide"].as_str() {
            Some(guide) => guide.to_owned(),
            None => {
                let ops = lean["ops"].as_array().into_iter().flatten();
                let ops = ops.map(|op| {
                    join(format!("{}: {}", text_of(&op["signature"]), text_of(&op["summary"])), strings(&op["fields"]))
                });
                ops.collect::<Vec<_>>().join("\n")
            }
        },
        "ArtifactGet" | "ArtifactCreate" => artifact_text(lean),
        "FileGetPreview" => {
            let notice = lean["notice"].as_str().map(|notice| format!(". {notice}")).unwrap_or_default();
            format!("page {} of {}{notice}", lean["page"], lean["page_count"])
        }
        _ => lean.to_string(),
    };
    // A truncated result states that in the text too, unless the text already does.
    if let Some(cursor) = lean["cursor"].as_str().filter(|cursor| !text.contains(cursor)) {
        text.push_str(&format!("\n[more: pass cursor {cursor:?}]"));
    }
    if let Some(count) = lean["left_out"].as_u64() {
        text.push_str(&format!("\n[{count} more are not shown; the tool diff shows them]"));
    }
    text
}

fn strings(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

fn join(head: String, lines: impl Iterator<Item = String>) -> String {
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

fn dry(lean: &Value) -> &'static str {
    if lean["dry_run"] == true { " Dry run: nothing was written." } else { "" }
}

fn read(lean: &Value) -> String {
    let mut text = String::new();
    if lean["headers"].is_array() {
        let headers: Vec<String> = strings(&lean["headers"]).collect();
        text.push_str(&format!("[columns: {}]\n", headers.join("\t")));
    }
    text.push_str(text_of(&lean["text"]));
    let mut notes: Vec<String> = strings(&lean["warnings"]).map(|warning| format!("warning: {warning}")).collect();
    let info = &lean["chunk_info"];
    if let Some(range) = info["range"].as_str() {
        let total = info["total_chunks"]
            .as_u64()
            .map(|total| format!(", chunk {} of {total}", info["chunk_index"].as_u64().unwrap_or(0) + 1));
        notes.push(format!("range {range}{}", total.unwrap_or_default()));
    }
    notes.push(format!("hash {}", text_of(&lean["hash"])));
    if let Some(cursor) = lean["cursor"].as_str() {
        notes.push(format!("more: pass cursor {cursor:?}"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[{}]", notes.join("; ")));
    text
}

fn artifact_text(lean: &Value) -> String {
    let head = format!("@{} ({}), etag {}", text_of(&lean["slug"]), text_of(&lean["title"]), cell_text(&lean["etag"]));
    if let Some(content) = lean["content"].as_str() {
        return format!("{head}\n\n{content}");
    }
    let sections = lean["sections"].as_array().into_iter().flatten().map(|section| {
        let done = if section["done"] == true { "x" } else { " " };
        let text = section["content"].as_str().or_else(|| section["preview"].as_str()).unwrap_or_default();
        format!("- [{done}] {} ({})\n{text}", text_of(&section["title"]), text_of(&section["slug"]))
    });
    join(head, sections)
}

/// The image of a preview, in base64, with its media type.
pub(super) fn image(op: &str, value: &Value) -> Option<(String, String)> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    (op == "FileGetPreview").then(|| Some((text("bytes_base64")?, text("mime_type")?))).flatten()
}
