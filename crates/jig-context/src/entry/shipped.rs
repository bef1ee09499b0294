//! The built-in kinds.

use std::sync::LazyLock;

use jig_contract::ops::KindDefinition;
use serde_json::Value;

use super::kind::order_of;
use super::kind_read::read_kind;

const TEXTS: [&str; 10] = [
    include_str!("kinds/problem.yaml"),
    include_str!("kinds/customer.yaml"),
    include_str!("kinds/vision.yaml"),
    include_str!("kinds/brand.yaml"),
    include_str!("kinds/competitor.yaml"),
    include_str!("kinds/trend.yaml"),
    include_str!("kinds/reference.yaml"),
    include_str!("kinds/trend_digest.yaml"),
    include_str!("kinds/competitor_snapshot.yaml"),
    include_str!("kinds/content_calendar.yaml"),
];

/// A test checks that each definition is valid.
static KINDS: LazyLock<Vec<KindDefinition>> = LazyLock::new(|| {
    let read = |text: &&str| read_kind(&Value::String((*text).to_owned())).ok();
    let mut kinds: Vec<KindDefinition> = TEXTS.iter().filter_map(read).collect();
    kinds.sort_by(|a, b| order_of(a).cmp(&order_of(b)));
    kinds
});

/// All built-in kinds, in order.
pub fn shipped_kinds() -> &'static [KindDefinition] {
    &KINDS
}

/// All kinds of a workbench, in order. A custom kind replaces the built-in one with the same name.
pub fn all_kinds(own: Vec<KindDefinition>) -> Vec<KindDefinition> {
    let unchanged = |kind: &&KindDefinition| own.iter().all(|other| other.anchor_role != kind.anchor_role);
    let mut kinds: Vec<KindDefinition> = KINDS.iter().filter(unchanged).cloned().collect();
    kinds.extend(own);
    kinds.sort_by(|a, b| order_of(a).cmp(&order_of(b)));
    kinds
}

/// The built-in kind with this name.
pub fn shipped_kind(role: &str) -> Option<&'static KindDefinition> {
    KINDS.iter().find(|kind| kind.anchor_role == role)
}
