//! From styles as they are written to what they come to, each style once.

use std::collections::HashMap;

use super::{Resolved, Style};

/// Resolves all styles. A chain that leads back into itself ends where it would repeat.
pub(super) fn resolve(list: &[Style]) -> Vec<Resolved> {
    let mut by_id = HashMap::with_capacity(list.len());
    for (at, style) in list.iter().enumerate() {
        by_id.entry(style.id.as_str()).or_insert(at);
    }
    let mut done: Vec<Option<Resolved>> = vec![None; list.len()];
    let mut on_path = vec![false; list.len()];
    for start in 0..list.len() {
        let path = unresolved_path(list, &by_id, &done, &mut on_path, start);
        for at in path.into_iter().rev() {
            let base = list.get(at).and_then(|style| style.based_on.as_deref()).and_then(|id| by_id.get(id));
            let base = base.and_then(|base| done.get(*base)).and_then(Option::as_ref);
            let resolved = list.get(at).map(|style| style.over(base));
            if let (Some(place), Some(flag)) = (done.get_mut(at), on_path.get_mut(at)) {
                *place = resolved;
                *flag = false;
            }
        }
    }
    done.into_iter().map(Option::unwrap_or_default).collect()
}

/// From a style up to one that is resolved, has no base, or was met before on the way.
fn unresolved_path(
    list: &[Style],
    by_id: &HashMap<&str, usize>,
    done: &[Option<Resolved>],
    on_path: &mut [bool],
    start: usize,
) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = Some(start);
    while let Some(at) = next {
        let Some(flag) = on_path.get_mut(at) else { break };
        if *flag || done.get(at).is_some_and(Option::is_some) {
            break;
        }
        *flag = true;
        path.push(at);
        next = list.get(at).and_then(|style| style.based_on.as_deref()).and_then(|id| by_id.get(id)).copied();
    }
    path
}

impl Style {
    fn over(&self, base: Option<&Resolved>) -> Resolved {
        let Some(base) = base else {
            return Resolved { heading_level: self.outline.unwrap_or(0), list: self.list, run: self.run.clone() };
        };
        Resolved {
            heading_level: self.outline.unwrap_or(base.heading_level),
            list: self.list.over(base.list),
            run: self.run.clone().over(&base.run),
        }
    }
}
