//! Compiles files into a snapshot.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::BlobHash;

use super::coverage::{Coverage, Standing};
use super::index::{self, INDEX, Index};
use super::object::escaped;
use super::problem::Problem;
use super::reader::{Files, Reader};
use super::snapshot::{Snapshot, Source};
use super::{catalog, legacy, pack};

const INDEX_MAX: u64 = 256 << 10;
const FORMAT: u32 = 1;

/// The inputs of a compilation besides the files.
pub struct Options<'a> {
    /// Whether a workspace without an index is scanned for `tools/*.json`.
    pub legacy: bool,
    /// Reports whether a tool has an implementation.
    pub standing: &'a dyn Fn(&str) -> Standing,
}

/// The result of a compilation.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment")]
pub enum Compiled {
    /// It succeeded.
    Ready(Snapshot),
    /// These blobs must be read before the next attempt. Only files that the index leads to are requested.
    Needs(BTreeSet<BlobHash>),
    /// The errors, all at once.
    Wrong(Vec<Problem>),
}

/// Compiles the files of one root. Pure: the same root and bytes give the same snapshot.
pub fn compile(
    root: BlobHash,
    files: &Files,
    contents: &BTreeMap<BlobHash, Vec<u8>>,
    options: &Options<'_>,
) -> Compiled {
    let mut reader = Reader::new(files, contents);
    let mut snapshot = Snapshot {
        format: FORMAT,
        root,
        source: Source::Index,
        files: BTreeMap::new(),
        packs: BTreeMap::new(),
        catalogs: BTreeMap::new(),
        defaults: index::Defaults::default(),
        coverage: Coverage::default(),
        warnings: Vec::new(),
    };
    if files.contains_key(INDEX) {
        by_index(&mut reader, &mut snapshot);
    } else {
        legacy::load(&mut reader, &mut snapshot, options.legacy);
    }
    if !reader.needs.is_empty() {
        return Compiled::Needs(reader.needs);
    }
    if !reader.problems.is_empty() {
        reader.problems.sort();
        reader.problems.dedup();
        return Compiled::Wrong(reader.problems);
    }
    snapshot.files = reader.used;
    let names = snapshot.catalogs.values().flat_map(|catalog| catalog.tools.iter().map(|tool| tool.name.as_str()));
    snapshot.coverage = Coverage::of(names, options.standing);
    let behind = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    if !snapshot.coverage.unbound.is_empty() {
        let words = format!(
            "nothing stands behind the tools {}: calls of them are refused",
            behind(&snapshot.coverage.unbound)
        );
        snapshot.warnings.push(words);
    }
    Compiled::Ready(snapshot)
}

fn by_index(reader: &mut Reader<'_>, snapshot: &mut Snapshot) {
    let Some(value) = reader.json(INDEX, (INDEX, ""), INDEX_MAX) else { return };
    let mut problems = Vec::new();
    let Index { packs, catalogs, context, defaults } = index::read(value, &mut problems);
    reader.problems.append(&mut problems);
    for (id, path) in &packs {
        let pointer = format!("/prompt_packs/{}", escaped(id));
        if let Some(pack) = pack::read(reader, id, path, &context, (INDEX, &pointer)) {
            snapshot.packs.insert(id.clone(), pack);
        }
    }
    for (id, path) in &catalogs {
        let pointer = format!("/tool_catalogs/{}", escaped(id));
        if let Some(catalog) = catalog::read(reader, id, path, (INDEX, &pointer)) {
            snapshot.catalogs.insert(id.clone(), catalog);
        }
    }
    snapshot.defaults = defaults;
}
