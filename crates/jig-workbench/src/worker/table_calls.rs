//! The methods on tables, in a worker.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use jig_files::engine::{EditOptions, FileError, Reason};
use jig_files::tables::{Cache, Kept, Stamp, TableEngine, TableFile, stamp};
use serde_json::Value;

use super::place::Place;
use super::serve::Worker;

/// Where a worker of Jig itself puts converted tables, below what it may write.
pub(super) const CONVERTED: &str = "tables";
/// Hashes that are kept.
const KEPT: usize = 256;

/// What a worker keeps between calls on tables.
#[derive(Debug, Default)]
pub(super) struct KeptTables {
    open: Arc<Kept>,
    hashes: Arc<Hashes>,
}

/// Hashes of files by what the system says of them, so that a large file is not read on each call.
#[derive(Debug, Default)]
struct Hashes(Mutex<HashMap<Stamp, String>>);

impl Hashes {
    fn of(&self, file: &File, place: &Place) -> Result<String, FileError> {
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let meta = file.metadata().map_err(failed)?;
        let stamp = stamp(&meta);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known.get(&stamp) {
            return Ok(hash.clone());
        }
        let mut hasher = blake3::Hasher::new();
        let mut file = file;
        std::io::Seek::rewind(&mut file).map_err(failed)?;
        hasher.update_reader(file).map_err(failed)?;
        let hash = hasher.finalize().to_hex().to_string();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(stamp, hash.clone());
        Ok(hash)
    }
}

impl Worker<'_> {
    /// Answers a method on tables.
    pub(super) fn table(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let root = if params.get("root").is_some_and(|root| !root.is_null()) { "root" } else { "source_root" };
        let open = |path: &str| {
            let place = Place::of(
                &serde_json::json!({ "workbench_id": params["workbench_id"], "path": path, "root": params[root] }),
                "path",
                "root",
            )?;
            self.open_table(&place)
        };
        let engine = TableEngine::new(self.cache(params)?, self.options.table_limits);
        let engine = engine.keeping(Arc::clone(&self.tables.open));
        match method {
            "TabularExport" => {
                let target = self.target(params)?;
                self.places.write_with(&target, |file| engine.export(params, &open, &file))
            }
            "TabularUpdateFromExport" => self.update(&engine, params, &open),
            _ => engine.read(method, params, &open),
        }
    }

    fn update(
        &self,
        engine: &TableEngine,
        params: &Value,
        open: &jig_files::tables::OpenTable<'_>,
    ) -> Result<Value, FileError> {
        let target = self.target(params)?;
        let before = if self.places.exists(&target)? { Some(self.places.read(&target)?) } else { None };
        let given = params.get("now").and_then(Value::as_str).map(str::to_owned);
        let now = given.or_else(self.options.now);
        let options = EditOptions {
            now: now.as_deref(),
            allow_outside_formulas: self.allows_outside(params),
            ..EditOptions::default()
        };
        let (answer, bytes) = engine.update(params, open, before, &options)?;
        self.places.write(&target, &bytes)?;
        Ok(answer)
    }

    fn target(&self, params: &Value) -> Result<Place, FileError> {
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        Ok(target)
    }

    fn open_table(&self, place: &Place) -> Result<TableFile, FileError> {
        let large = matches!(place.path.extension().as_str(), "csv" | "tsv" | "psv" | "tab" | "txt");
        let most = if large { self.options.table_bytes } else { self.options.file_bytes };
        let (file, _) = self.places.open(place, most)?;
        if self.ours() {
            // Jig names what it hands to its workers by content.
            let name = place.path.file_name().split('.').next().unwrap_or_default().to_owned();
            return Ok(TableFile { file, hash: Box::new(move || Ok(name.clone())) });
        }
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let (same, place, hashes) = (file.try_clone().map_err(failed)?, place.clone(), Arc::clone(&self.tables.hashes));
        Ok(TableFile { file, hash: Box::new(move || hashes.of(&same, &place)) })
    }

    /// Whether Jig itself started this worker, with a folder for it alone.
    fn ours(&self) -> bool {
        self.options.limits.as_ref().is_some_and(|limits| limits.writable.is_some())
    }

    fn cache(&self, params: &Value) -> Result<Cache, FileError> {
        let place =
            Place::of(&serde_json::json!({ "workbench_id": params["workbench_id"], "path": "x" }), "path", "root")?;
        let writable = self.options.limits.as_ref().and_then(|limits| limits.writable.as_deref());
        Ok(match writable {
            Some(folder) => Cache::new(folder.join(CONVERTED)).also(folder.with_file_name("published")),
            None => Cache::new(self.places.known(&place)),
        })
    }
}
