//! The outline (table of contents), with the page each entry leads to.

use std::collections::{HashMap, HashSet};

use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};
use serde::Serialize;

use super::{Document, words};

/// The most entries that are given.
const MOST: usize = 2_000;
/// The deepest level.
const DEEPEST: usize = 32;
/// The most named places that are looked at.
const MOST_NAMES: usize = 200_000;

/// One entry.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    title: String,
    /// From 1; none when it leads nowhere in this file.
    page: Option<usize>,
    /// From 1.
    level: usize,
}

type Places = HashMap<ObjectIdentifier, usize>;

pub(super) fn read(document: &Document, places: &Places, warnings: &mut Vec<String>) -> Vec<Entry> {
    let root = document.root();
    let Some(outlines) = root.get::<Dict<'_>>(b"Outlines") else { return Vec::new() };
    let mut walk =
        Walk { root: &root, places, named: names(&root), seen: HashSet::new(), entries: Vec::new(), cut: false };
    walk.level(outlines.get::<Dict<'_>>(b"First"), 1);
    if walk.cut {
        warnings.push(format!("the outline is longer or deeper than what is given: {MOST} entries, {DEEPEST} levels"));
    }
    walk.entries
}

struct Walk<'a, 'd> {
    root: &'d Dict<'a>,
    places: &'d Places,
    named: HashMap<Vec<u8>, Object<'a>>,
    seen: HashSet<ObjectIdentifier>,
    entries: Vec<Entry>,
    cut: bool,
}

impl<'a> Walk<'a, '_> {
    fn level(&mut self, first: Option<Dict<'a>>, level: usize) {
        let mut next = first;
        while let Some(item) = next {
            // An outline that comes back to itself ends there.
            if item.obj_id().is_some_and(|id| !self.seen.insert(id)) {
                return;
            }
            if self.entries.len() >= MOST || level > DEEPEST {
                self.cut = true;
                return;
            }
            let title = words::entry(&item, b"Title").unwrap_or_default();
            let page = self.page(&item);
            self.entries.push(Entry { title, page, level });
            self.level(item.get::<Dict<'a>>(b"First"), level + 1);
            next = item.get::<Dict<'a>>(b"Next");
        }
    }

    fn page(&self, item: &Dict<'a>) -> Option<usize> {
        let target = item.get::<Object<'a>>(b"Dest").or_else(|| {
            let action = item.get::<Dict<'a>>(b"A")?;
            let inside = action.get::<Name<'a>>(b"S").is_some_and(|kind| kind.as_ref() == b"GoTo");
            if inside { action.get::<Object<'a>>(b"D") } else { None }
        })?;
        destination(self.root, target, &self.named, self.places, 0)
    }
}

/// The page of a destination: a list that begins with the page, or a name for such a list.
fn destination<'a>(
    root: &Dict<'a>,
    target: Object<'a>,
    named: &HashMap<Vec<u8>, Object<'a>>,
    places: &Places,
    depth: usize,
) -> Option<usize> {
    if depth > 4 {
        return None;
    }
    match target {
        Object::Array(list) => match list.raw_iter().next()? {
            MaybeRef::Ref(page) => places.get(&ObjectIdentifier::from(page)).copied(),
            // Some writers put the index of the page there.
            MaybeRef::NotRef(Object::Number(index)) => {
                let page = usize::try_from(index.as_i64()).ok()? + 1;
                (page <= places.len()).then_some(page)
            }
            MaybeRef::NotRef(_) => None,
        },
        Object::Dict(dict) => destination(root, dict.get::<Object<'a>>(b"D")?, named, places, depth + 1),
        Object::Name(name) => {
            let target = root.get::<Dict<'a>>(b"Dests")?.get::<Object<'a>>(name.as_ref())?;
            destination(root, target, named, places, depth + 1)
        }
        Object::String(name) => destination(root, named.get(name.as_bytes())?.clone(), named, places, depth + 1),
        _ => None,
    }
}

/// The names of a name tree with their values.
fn names<'a>(root: &Dict<'a>) -> HashMap<Vec<u8>, Object<'a>> {
    let mut names = HashMap::new();
    let tree = root.get::<Dict<'a>>(b"Names").and_then(|names| names.get::<Dict<'a>>(b"Dests"));
    let mut open: Vec<Dict<'a>> = tree.into_iter().collect();
    let mut seen = HashSet::new();
    while let Some(node) = open.pop() {
        // A tree that comes back to itself ends there.
        if node.obj_id().is_some_and(|id| !seen.insert(id)) || names.len() + open.len() > MOST_NAMES {
            continue;
        }
        if let Some(pairs) = node.get::<Array<'a>>(b"Names") {
            let mut pairs = pairs.iter::<Object<'a>>();
            while let (Some(Object::String(name)), Some(target)) = (pairs.next(), pairs.next()) {
                names.insert(name.as_bytes().to_vec(), target);
            }
        }
        if let Some(kids) = node.get::<Array<'a>>(b"Kids") {
            open.extend(kids.iter::<Dict<'a>>().take(MOST_NAMES));
        }
    }
    names
}
