//! Layers (optional content): text on one that is switched off is not part of what a reader sees.

use std::collections::HashSet;

use hayro::hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};

/// Which layers are off.
#[derive(Debug, Default)]
pub(super) struct Layers {
    off: HashSet<ObjectIdentifier>,
}

impl Layers {
    pub(super) fn of(root: &Dict<'_>) -> Self {
        let Some(properties) = root.get::<Dict<'_>>(b"OCProperties") else { return Self::default() };
        let config = properties.get::<Dict<'_>>(b"D").unwrap_or_default();
        let ids = |list: Option<Array<'_>>| -> Vec<ObjectIdentifier> {
            let list = list.iter().flat_map(|list| list.raw_iter()).filter_map(|one| Some(one.as_obj_ref()?.into()));
            list.collect()
        };
        let base_off = config.get::<Name<'_>>(b"BaseState").is_some_and(|state| state.as_ref() == b"OFF");
        let mut off: HashSet<ObjectIdentifier> = HashSet::new();
        if base_off {
            off.extend(ids(properties.get::<Array<'_>>(b"OCGs")));
        }
        for on in ids(config.get::<Array<'_>>(b"ON")) {
            off.remove(&on);
        }
        off.extend(ids(config.get::<Array<'_>>(b"OFF")));
        Self { off }
    }

    /// Whether what belongs to the layer under this key is hidden.
    pub(super) fn hide(&self, holder: &Dict<'_>, key: &[u8]) -> bool {
        if self.off.is_empty() {
            return false;
        }
        if holder.get_ref(key).is_some_and(|id| self.off.contains(&ObjectIdentifier::from(id))) {
            return true;
        }
        holder.get::<Dict<'_>>(key).is_some_and(|dict| self.hide_membership(&dict))
    }

    /// A membership of several layers: hidden when, by its rule, too many are off.
    fn hide_membership(&self, dict: &Dict<'_>) -> bool {
        if let Some(one) = dict.get_ref(b"OCGs").filter(|_| dict.get::<Array<'_>>(b"OCGs").is_none()) {
            return self.off.contains(&ObjectIdentifier::from(one));
        }
        let Some(list) = dict.get::<Array<'_>>(b"OCGs") else { return false };
        let states: Vec<bool> = list
            .raw_iter()
            .filter_map(|one| one.as_obj_ref())
            .map(|id| !self.off.contains(&ObjectIdentifier::from(id)))
            .collect();
        if states.is_empty() {
            return false;
        }
        let shown = match dict.get::<Name<'_>>(b"P").as_ref().map(|rule| rule.as_ref().to_vec()).as_deref() {
            Some(b"AllOn") => states.iter().all(|on| *on),
            Some(b"AnyOff") => states.iter().any(|on| !on),
            Some(b"AllOff") => states.iter().all(|on| !on),
            _ => states.iter().any(|on| *on),
        };
        !shown
    }
}
