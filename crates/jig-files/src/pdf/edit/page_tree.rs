//! The pages of a file as one list. Before pages are moved, each gets what it took from the nodes above it.

use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::{references, resolved};

/// What pages inherit from the nodes of the tree above them.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];
/// How deep a page can be in the tree.
const DEEPEST: usize = 64;

/// The pages in their order.
pub(super) struct PageTree {
    pages: Vec<ObjectId>,
}

impl PageTree {
    pub(super) fn read(document: &Document) -> Self {
        Self { pages: document.get_pages().into_values().collect() }
    }

    /// Keeps the pages at these places, in this order.
    pub(super) fn keep(&self, document: &mut Document, places: &[usize]) {
        let kept: Vec<ObjectId> = places.iter().filter_map(|place| self.pages.get(*place)).copied().collect();
        let left: HashSet<ObjectId> = kept.iter().copied().collect();
        self.give_inherited(document);
        let mut gone: HashSet<ObjectId> = self.pages.iter().filter(|page| !left.contains(page)).copied().collect();
        for page in gone.clone() {
            let notes = document.get_dictionary(page).and_then(|page| page.get(b"Annots")).cloned();
            gone.extend(notes.map(|notes| references(document, &notes)).unwrap_or_default());
        }
        super::forms::forget(document, &gone);
        // A reference to an object that does not exist is null, so links to these pages lead nowhere.
        for id in &gone {
            document.objects.remove(id);
        }
        set_pages(document, &kept);
    }

    /// Puts pages that are in the document before the page at a place.
    pub(super) fn insert(&self, document: &mut Document, place: usize, new: &[ObjectId]) {
        self.give_inherited(document);
        let mut pages = self.pages.clone();
        let place = place.min(pages.len());
        pages.splice(place..place, new.iter().copied());
        set_pages(document, &pages);
    }

    /// The pages, each with what it inherits.
    pub(super) fn flattened(self, document: &mut Document) -> Vec<ObjectId> {
        self.give_inherited(document);
        self.pages
    }

    /// Turns a page clockwise.
    pub(super) fn rotate(&self, document: &mut Document, place: usize, degrees: i64) {
        let Some(page) = self.pages.get(place).copied() else { return };
        let old = inherited(document, page, b"Rotate").and_then(|old| old.as_i64().ok()).unwrap_or(0);
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Rotate", old.wrapping_add(degrees).rem_euclid(360));
        }
    }

    fn give_inherited(&self, document: &mut Document) {
        for page in &self.pages {
            for key in INHERITED {
                let own = document.get_dictionary(*page).is_ok_and(|page| page.has(key));
                if let Some(value) = inherited(document, *page, key).filter(|_| !own)
                    && let Ok(page) = document.get_dictionary_mut(*page)
                {
                    page.set(key, value);
                }
            }
        }
    }
}

/// The value of a page or of the nearest node above it that has one.
fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    let mut node = page;
    for _ in 0..DEEPEST {
        let dictionary = document.get_dictionary(node).ok()?;
        if let Ok(value) = dictionary.get(key) {
            // A name or number may itself be behind a reference; larger values stay shared.
            let direct = resolved(document, value);
            return Some(if direct.as_dict().is_ok() { value.clone() } else { direct.clone() });
        }
        node = dictionary.get(b"Parent").ok()?.as_reference().ok()?;
    }
    None
}

/// Makes one node with all pages.
fn set_pages(document: &mut Document, pages: &[ObjectId]) {
    let mut node = Dictionary::new();
    node.set("Type", Object::Name(b"Pages".to_vec()));
    node.set("Kids", pages.iter().copied().map(Object::Reference).collect::<Vec<_>>());
    node.set("Count", i64::try_from(pages.len()).unwrap_or(i64::MAX));
    let node = document.add_object(node);
    for page in pages {
        if let Ok(page) = document.get_dictionary_mut(*page) {
            page.set("Parent", node);
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Pages", node);
        // These count pages by their old places.
        catalog.remove(b"PageLabels");
    }
}
