//! The `Tabular` methods of the worker protocol.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use jig_files::engine::{EditOptions, FileError, Reason};
use jig_worker::table_cache::TableCache;
use jig_worker::table_params::is_table_method;
use jig_worker::{CONVERTED_TABLES, Call, FileStamp, Methods, Reply, SandboxPath, Server};
use serde_json::Value;

use crate::calls::{OpenTable, TableSessionCache};
use crate::{TableEngine, TableFile};

/// Hashes that are kept.
const KEPT: usize = 256;

/// Answers the methods on tables, with what it keeps between calls.
#[derive(Debug, Default)]
pub struct TableMethods {
    open: Arc<TableSessionCache>,
    hashes: Arc<Hashes>,
}

/// Hashes of files by what the system says of them, so that a large file is not read on each call.
#[derive(Debug, Default)]
struct Hashes(Mutex<HashMap<FileStamp, String>>);

impl Hashes {
    fn of(&self, file: &File, place: &SandboxPath) -> Result<String, FileError> {
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let meta = file.metadata().map_err(failed)?;
        let stamp = FileStamp::of(&meta);
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

impl Methods for TableMethods {
    fn worker(&self) -> &'static str {
        jig_worker::SQL_PROGRAM
    }

    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError> {
        if !is_table_method(call.method) {
            return Err(FileError::invalid(format!("unknown method: {}", call.method)));
        }
        TableCall { kept: self, server }.answer(call.method, call.params).map(Reply::Result)
    }
}

/// One call, with what it works on.
struct TableCall<'a> {
    kept: &'a TableMethods,
    server: &'a Server<'a>,
}

impl TableCall<'_> {
    fn answer(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let is_given = |root: &Value| !root.is_null() && root != "";
        let root = if params.get("root").is_some_and(is_given) { "root" } else { "source_root" };
        let open = |path: &str| {
            let place = SandboxPath::of(
                &serde_json::json!({ "workbench_id": params["workbench_id"], "path": path, "root": params[root] }),
                "path",
                "root",
            )?;
            self.open_table(&place)
        };
        let engine = TableEngine::new(self.cache(params)?.into(), self.server.options.table_limits);
        let engine = engine.keeping(Arc::clone(&self.kept.open));
        let engine = engine.reading_params(self.server.options.profile.strictness());
        match method {
            "TabularExport" => {
                let target = self.target(params)?;
                let existed = self.server.root.exists(&target)?;
                let mut answer = self.server.root.write_with(&target, |file| engine.export(params, &open, &file))?;
                if existed && let Some(warnings) = answer["warnings"].as_array_mut() {
                    warnings.push(format!("replaced {}, which existed, by the export", target.path).into());
                }
                Ok(answer)
            }
            "TabularUpdateFromExport" => self.update(&engine, params, &open),
            _ => engine.read(method, params, &open),
        }
    }

    fn update(&self, engine: &TableEngine, params: &Value, open: &OpenTable<'_>) -> Result<Value, FileError> {
        let target = self.target(params)?;
        let before = if self.server.root.exists(&target)? { Some(self.server.root.read(&target)?) } else { None };
        let given = params.get("now").and_then(Value::as_str).map(str::to_owned);
        let now = given.or_else(self.server.options.now);
        let options = EditOptions {
            now: now.as_deref(),
            allow_outside_formulas: self.server.allows_outside(params),
            ..EditOptions::default()
        };
        let (answer, bytes) = engine.update(params, open, before, &options)?;
        self.server.root.write(&target, &bytes)?;
        Ok(answer)
    }

    fn target(&self, params: &Value) -> Result<SandboxPath, FileError> {
        let target = SandboxPath::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        Ok(target)
    }

    fn open_table(&self, place: &SandboxPath) -> Result<TableFile, FileError> {
        let large = matches!(place.path.extension().as_str(), "csv" | "tsv" | "psv" | "tab" | "txt");
        let most = if large { self.server.options.table_bytes } else { self.server.options.file_bytes };
        let (file, bytes) = self.server.root.open(place, most)?;
        // Rows of text are quick; a package unfolds to many times its size.
        jig_worker::extend_deadline(bytes / if large { 2 << 20 } else { 256 << 10 });
        if self.server.options.has_own_folder() {
            // Jig names what it hands to its workers by content.
            let name = place.path.file_name().split('.').next().unwrap_or_default().to_owned();
            return Ok(TableFile { file, hash: Box::new(move || Ok(name.clone())) });
        }
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let (same, place, hashes) = (file.try_clone().map_err(failed)?, place.clone(), Arc::clone(&self.kept.hashes));
        Ok(TableFile { file, hash: Box::new(move || hashes.of(&same, &place)) })
    }

    fn cache(&self, params: &Value) -> Result<TableCache, FileError> {
        let place = SandboxPath::of(
            &serde_json::json!({ "workbench_id": params["workbench_id"], "path": "x" }),
            "path",
            "root",
        )?;
        let writable = self.server.options.limits.as_ref().and_then(|limits| limits.writable.as_deref());
        Ok(match writable {
            Some(folder) => TableCache::new(folder.join(CONVERTED_TABLES)).also(folder.with_file_name("published")),
            None => TableCache::new(self.server.root.known(&place)),
        })
    }
}
