//! `XlsxGetStyles`: the styles of a workbook and what of them can be copied.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::params::Params;
use super::styles::Styles;
use crate::error::Error;

/// How many entries of a kind are told.
const MOST: usize = 1000;
const KINDS: [&str; 3] = ["named_style", "cell_style", "number_format"];

/// The answer to `XlsxGetStyles`.
pub(super) fn styles(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let sheet = params.sheet(call.book)?;
    let styles = &call.shower.styles;
    let named: Vec<Value> = styles.named.iter().map(named_asset).collect();
    let formats = number_formats(styles);
    let mut assets = [named.as_slice(), formats.as_slice()].concat();
    let mut fields = Map::new();
    fields.insert("format".to_owned(), json!("xlsx"));
    fields.insert("sheet_count".to_owned(), json!(call.book.sheets.len()));
    fields.insert("sheets".to_owned(), call.book.sheets.iter().map(|sheet| json!(sheet.name)).collect());
    fields.insert("style_count".to_owned(), json!(styles.cell_formats.len()));
    capped("named_styles", named, &mut fields);
    capped("number_formats", formats, &mut fields);
    capped("fonts", styles.fonts.clone(), &mut fields);
    capped("fills", styles.fills.clone(), &mut fields);
    capped("borders", styles.borders.clone(), &mut fields);
    if let Some(place) = sheet {
        let cells = cell_styles(call, place)?;
        assets.extend_from_slice(&cells);
        fields.insert("sheet".to_owned(), json!(call.book.sheets.get(place).map(|sheet| sheet.name.as_str())));
        capped("cell_style_assets", cells, &mut fields);
    }
    capped("assets", assets, &mut fields);
    fields.insert("supported_copy_asset_types".to_owned(), json!(KINDS));
    let mut answer = Value::Object(fields);
    call.warn(&mut answer);
    Ok(answer)
}

/// A list, and how long it is when only its beginning is told.
fn capped(name: &str, mut list: Vec<Value>, fields: &mut Map<String, Value>) {
    let count = list.len();
    list.truncate(MOST);
    fields.insert(name.to_owned(), Value::Array(list));
    if count > MOST {
        fields.insert(format!("{name}_count"), json!(count));
        fields.insert(format!("{name}_truncated"), json!(true));
    }
}

fn named_asset(style: &super::styles::NamedStyle) -> Value {
    json!({
        "asset_id": format!("named_style:{}", style.name),
        "type": "named_style",
        "name": style.name,
        "builtin": style.builtin,
    })
}

/// Every format that a cell uses or the file defines.
fn number_formats(styles: &Styles) -> Vec<Value> {
    let mut ids: Vec<u32> = styles.cell_formats.iter().map(|format| format.number_format).collect();
    ids.extend(styles.codes.keys());
    ids.sort_unstable();
    ids.dedup();
    let asset = |id: &u32| {
        let code = styles.code(*id);
        json!({"asset_id": format!("number_format:{code}"), "type": "number_format", "index": id, "code": code})
    };
    ids.iter().map(asset).collect()
}

/// The first cell of each format on a sheet.
fn cell_styles(call: &Call<'_>, place: usize) -> Result<Vec<Value>, Error> {
    let data = call.sheet(place)?;
    call.note_faults(place, &data);
    let name = call.book.sheets.get(place).map_or("", |sheet| sheet.name.as_str());
    let styles = &call.shower.styles;
    let mut found: Vec<_> = data.facts.styles.iter().collect();
    found.sort_unstable_by_key(|(_, (at, _))| *at);
    if found.len() > MOST {
        call.note(format!("{name} has {} cell styles; the first {MOST} are told", found.len()));
        found.truncate(MOST);
    }
    let asset = |(style, (at, count)): (&u32, &(crate::xlsx::address::CellRef, u64))| {
        json!({
            "asset_id": format!("cell_style:{name}!{at}"),
            "type": "cell_style",
            "sheet": name,
            "cell": at.to_string(),
            "style_id": style,
            "named_style": styles.named_style(*style),
            "number_format": styles.code(styles.format_id(*style)),
            "cell_count": count,
        })
    };
    Ok(found.into_iter().map(asset).collect())
}
