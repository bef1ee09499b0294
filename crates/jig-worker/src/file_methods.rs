//! The methods on files: Office documents, PDF, images and text.

use std::sync::Arc;

use jig_files::engine::{self, EditOptions, Engine, FileError, Format, Method, Reason, Verb, Versions};
use serde_json::{Value, json};

use crate::place::{Place, Places};
use crate::serve::{Call, Methods, Reply, Server};
use crate::sql_client::SqlRelay;
use crate::table_params::is_table_method;

/// Answers the methods on files, and passes those on tables to `jig-sql`.
#[derive(Debug, Default)]
pub struct FileMethods {
    engine: Engine,
    sql: Option<SqlRelay>,
}

impl FileMethods {
    /// Without the methods on tables: Jig's own pool asks `jig-sql` itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the methods on tables. A confined process cannot start programs, so the relay must be running before.
    pub fn with_sql(relay: SqlRelay) -> Self {
        Self { engine: Engine::default(), sql: Some(relay) }
    }
}

impl Methods for FileMethods {
    fn worker(&self) -> &'static str {
        "jig"
    }

    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError> {
        match &self.sql {
            Some(sql) if is_table_method(call.method) => Ok(Reply::Line(sql.forward(call.line)?)),
            _ => FileCall { engine: &self.engine, places: &server.places, server }
                .answer(call.method, call.params)
                .map(Reply::Result),
        }
    }
}

/// What ops start from.
struct Start {
    /// A file's bytes; none for a new file.
    bytes: Option<Arc<[u8]>>,
    /// Whether the result takes the place of a file it was not made from.
    hides: bool,
}

/// One call, with what it works on.
struct FileCall<'a> {
    engine: &'a Engine,
    places: &'a Places,
    server: &'a Server<'a>,
}

impl FileCall<'_> {
    fn answer(&self, name: &str, params: &Value) -> Result<Value, FileError> {
        let method = Method::find(name).ok_or_else(|| FileError::invalid(format!("unknown method: {name}")))?;
        if !params.is_object() {
            return Err(FileError::invalid("params: an object is needed"));
        }
        match method.verb {
            Verb::Read => {
                let place = Place::of(params, "path", "root")?;
                self.engine.read(method, &self.places.read(&place)?, params)
            }
            Verb::Apply => self.apply(method.format, params),
            Verb::Copy => self.copy(method.format, params),
            Verb::Compare => self.compare(params),
            Verb::Revert => self.revert(params),
            Verb::RenderCopy => self.render_copy(method.format, params),
        }
    }

    /// Compares two files; one that is not named does not exist.
    fn compare(&self, params: &Value) -> Result<Value, FileError> {
        let side = |path: &str, root: &str| match params.get(path).filter(|path| !path.is_null()) {
            Some(_) => {
                let place = Place::of(params, path, root)?;
                Ok(Some((place.path.to_string(), self.places.read(&place)?)))
            }
            None => Ok::<_, FileError>(None),
        };
        let (old, new) = (side("old_path", "old_root")?, side("new_path", "new_root")?);
        let name = new.as_ref().or(old.as_ref()).map(|(name, _)| name.clone()).unwrap_or_default();
        let bytes = |side: Option<(String, Arc<[u8]>)>| side.map(|(_, bytes)| bytes);
        self.engine.diff(&Versions { name, old: bytes(old), new: bytes(new) }, params)
    }

    /// Takes changes of a file back: the source is its old version.
    fn revert(&self, params: &Value) -> Result<Value, FileError> {
        let source = Place::of(params, "source_path", "source_root")?;
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        let (old, new) = (self.places.read(&source)?, self.places.read(&target)?);
        let versions = Versions { name: target.path.to_string(), old: Some(old), new: Some(new) };
        let (reverted, answer) = self.engine.revert(&versions, params)?;
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&target, &reverted.bytes)?;
        }
        Ok(answer)
    }

    /// A copy of a file for LibreOffice to draw.
    fn render_copy(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let source = Place::of(params, "source_path", "source_root")?;
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        let copy = self.engine.render_copy(format, &self.places.read(&source)?)?;
        self.places.write(&target, &copy)?;
        Ok(json!({ "ok": true }))
    }

    fn apply(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let place = Place::of(params, "path", "root")?;
        place.check_writable()?;
        check_ending(format, &place, params)?;
        let Start { bytes: source, hides } = self.source(&place, params)?;
        let given = params.get("now").and_then(Value::as_str).map(str::to_owned);
        let now = given.or_else(self.server.options.now);
        let files = |path: &str| self.beside(&place, path);
        let options = EditOptions {
            author: params.get("author").and_then(Value::as_str).unwrap_or("Jig"),
            now: now.as_deref(),
            recalculate_workbook: params["recalculate"] == "workbook",
            allow_outside_formulas: self.server.allows_outside(params),
            files: &files,
        };
        let none = Value::Array(Vec::new());
        let ops = params.get("ops").filter(|ops| !ops.is_null()).unwrap_or(&none);
        let mut edited = self.engine.apply(format, source, ops, &options)?;
        if hides {
            edited.warnings.push(format!("{} was there already and is replaced by the new file", place.path));
        }
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&place, &edited.bytes)?;
        }
        Ok(engine::applied(&edited))
    }

    /// What the ops start from: the file, another one, or nothing. And whether that hides a file.
    fn source(&self, place: &Place, params: &Value) -> Result<Start, FileError> {
        let flag = |name: &str| params.get(name) == Some(&Value::Bool(true));
        match params.get("copy_from").filter(|from| !from.is_null()) {
            Some(from) => {
                let from = Place::of(
                    &json!({ "workbench_id": params["workbench_id"], "path": from, "root": params["root"] }),
                    "path",
                    "root",
                )?;
                let bytes = match self.places.read(&from) {
                    Err(error) if error.reason == Reason::NotFound => match from.published() {
                        Some(published) => self.places.read(&published).map_err(|_| error)?,
                        None => return Err(error),
                    },
                    read => read?,
                };
                Ok(Start { bytes: Some(bytes), hides: from != *place && self.places.exists(place)? })
            }
            None if flag("create_new") => Ok(Start { bytes: None, hides: self.places.exists(place)? }),
            None => match self.places.read(place) {
                Err(error) if error.reason == Reason::NotFound => {
                    let words = format!("{}; `create_new` makes a new one", error.message);
                    Err(FileError::new(Reason::NotFound, words))
                }
                read => Ok(Start { bytes: Some(read?), hides: false }),
            },
        }
    }

    /// A file of the same workbench, for pictures.
    fn beside(&self, place: &Place, path: &str) -> Option<Vec<u8>> {
        let beside = place.sibling(path)?;
        let read = self.places.read(&beside).or_else(|error| match beside.published() {
            Some(published) => self.places.read(&published),
            None => Err(error),
        });
        read.ok().map(|bytes| bytes.to_vec())
    }

    fn copy(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let source = Place::of(params, "source_path", "source_root")?;
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        check_ending(format, &target, params)?;
        let none = Value::Array(Vec::new());
        let assets = params.get("assets").unwrap_or(&none);
        let (from, into) = (self.places.read(&source)?, self.places.read(&target)?);
        let edited = self.engine.copy_assets(format, from, into, assets)?;
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&target, &edited.bytes)?;
        }
        Ok(engine::copied(&edited))
    }
}

/// A file is written under an ending that fits what is in it.
fn check_ending(format: Format, place: &Place, params: &Value) -> Result<(), FileError> {
    let ending = place.path.extension();
    let plain = format.extension();
    if !format.takes(place.path.file_name()) {
        let what = if format == Format::Text { "a text file".to_owned() } else { format!("a .{plain} file") };
        let words = format!("path: {} is not {what}; other formats cannot be written by this method", place.path);
        return Err(FileError::invalid(words));
    }
    // A text may have any ending, and new ones too.
    let plain = if format == Format::Text { ending.as_str() } else { plain };
    let new = params.get("create_new") == Some(&Value::Bool(true));
    let from = params.get("copy_from").and_then(Value::as_str);
    let from = from.and_then(|from| from.rsplit_once('.')).map(|(_, ending)| ending.to_lowercase());
    match from {
        Some(from) if from != ending => {
            Err(FileError::invalid(format!("copy_from: a copy of a .{from} file must end in .{from} too")))
        }
        None if new && ending != plain => Err(FileError::invalid(format!("path: a new file must end in .{plain}"))),
        _ => Ok(()),
    }
}
