//! Shared test fixtures: a small company and its market.

use std::collections::BTreeMap;

use jig_contract::ops::{PutMode, RecipeDefinition};
use jig_contract::{Actor, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::document::{DocumentId, Key, Origin};
use crate::entry::{Entry, Put, put, shipped_kind, shipped_kinds};
use crate::recipe::{AssembleError, Assembled, Assembly, Row, assemble, read_recipe, rows};

pub(super) const HOUR: i64 = 3_600_000;

pub(super) fn at(hours: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + hours * HOUR)
}

pub(super) fn entry(role: &str, key: &str, data: Value) -> Entry {
    entry_of(role, key, data, Origin::default(), 0)
}

pub(super) fn entry_of(role: &str, key: &str, data: Value, origin: Origin, hours: i64) -> Entry {
    let id = format!("{role}:{key}").bytes().take(15).fold(1, |sum, byte| sum * 256 + u128::from(byte));
    write(None, role, key, data, origin, hours, id)
}

pub(super) fn changed(entry: &Entry, data: Value, hours: i64) -> Entry {
    let (role, key) = (entry.document.kind.to_string(), entry.document.key.to_string());
    write(Some(entry), &role, &key, data, Origin::default(), hours, 0)
}

fn write(entry: Option<&Entry>, role: &str, key: &str, data: Value, origin: Origin, hours: i64, id: u128) -> Entry {
    let Value::Object(data) = data else { panic!("{data}") };
    let given = Put {
        key: Key::new(key).unwrap(),
        fresh_id: DocumentId(Uuid::from_u128(id)),
        display_name: None,
        data,
        mode: PutMode::Merge,
        base_revision: None,
        author: Actor::person(),
        reason: String::new(),
        at: at(hours),
        origin,
        previous: None,
    };
    put(shipped_kind(role).unwrap(), entry, given).unwrap()
}

pub(super) fn acme() -> Vec<Entry> {
    vec![
        entry(
            "customer",
            "",
            json!({"description": "SMB founders, 1-10 employees, bootstrapped",
            "pain_points": ["Time-strapped", "Wearing multiple hats", "Limited budget"], "goals": ["Grow"]}),
        ),
        entry(
            "brand",
            "",
            json!({"name": "Acme Corp", "tagline": "Building tomorrow, today.",
            "voice": "Professional yet approachable. Use active voice. Avoid jargon.", "colors": ["#FF5733"]}),
        ),
        entry("competitor", "initech", json!({"name": "Initech", "description": "Reports"})),
        entry("competitor", "globex", json!({"name": "Globex", "description": "Ropes"})),
        entry("competitor", "hooli", json!({"name": "Hooli", "description": "Search"})),
    ]
}

#[expect(clippy::needless_pass_by_value, reason = "definitions are written where they are used")]
pub(super) fn recipe(definition: Value) -> RecipeDefinition {
    read_recipe(&definition).unwrap()
}

/// A recipe that needs these entries.
#[expect(clippy::needless_pass_by_value, reason = "definitions are written where they are used")]
pub(super) fn needing(entries: Value) -> RecipeDefinition {
    recipe(json!({"recipe": "test", "context_requirements": {"entries": entries}}))
}

pub(super) fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

pub(super) fn context_of(
    recipe: &RecipeDefinition,
    entries: &[Entry],
    max_tokens: Option<u64>,
) -> Result<Assembled, AssembleError> {
    let rows: Vec<Row> = rows(shipped_kinds(), entries, at(0));
    assemble(&Assembly {
        recipe,
        kinds: shipped_kinds(),
        rows: &rows,
        attachments: &[],
        assets: &BTreeMap::new(),
        input: "",
        today: "2026-11-17",
        max_tokens,
        count: &words,
    })
}
