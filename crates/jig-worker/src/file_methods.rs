//! The methods on files: Office documents, PDF, images and text.
//!
//! [`FileApi`] answers a method on bytes, for Jig's own process and for tests; [`FileMethods`] answers the calls of a
//! worker, which name files below its folder.

use std::sync::Arc;

use jig_files::engine::{EditOptions, Edited, Engine, FileError, Format, Reason, Versions};
use jig_files::{FileBytes, Reverted};
use serde_json::{Value, json};

use crate::protocol::{
    ApplyParams, Method, Recalculate, Verb, apply_params, copy_params, diff_query, dry_run, revert_selection,
};
use crate::reads::{self, prepend_warnings, to_json, unknown};
use crate::serve::{Call, Methods, Reply, Server};
use crate::sql_client::SqlRelay;
use crate::table_params::is_table_method;
use crate::text_page::{self, PageWindow};
use crate::workspace::{SandboxPath, WorkerRoot};

/// The file methods on bytes: parameters and replies are those of the protocol.
#[derive(Debug, Default)]
pub struct FileApi {
    /// What opens, edits and compares the files.
    pub engine: Engine,
}

impl From<Engine> for FileApi {
    fn from(engine: Engine) -> Self {
        Self { engine }
    }
}

impl FileApi {
    /// Answers a method that reads. With `max_tokens` or `cursor` among the parameters, text comes in pages.
    pub fn read(&self, method: Method, file: impl Into<FileBytes>, params: &Value) -> Result<Value, FileError> {
        let bytes = file.into();
        let (params, warnings) = jig_file_api::read_params(method.name, params)?;
        let file = self.engine.open(method.format, &bytes)?;
        let reply = match PageWindow::of(&params)? {
            Some(window) if method.gives_text() => text_page::read(&file, method, &params, &window, bytes.hash()),
            _ => reads::read(&file, method.name, &params),
        };
        let reply = reply.map_err(|error| error.of_file(method.format, Some(&bytes)))?;
        Ok(prepend_warnings(reply, warnings.iter().map(ToString::to_string).collect()))
    }

    /// Answers `FileDiff`.
    pub fn diff(&self, versions: &Versions, params: &Value) -> Result<Value, FileError> {
        self.engine.diff(versions, diff_query(params)?)
    }

    /// Answers `FileRevert`, and gives the file to write.
    pub fn revert(&self, versions: &Versions, params: &Value) -> Result<(Reverted, Value), FileError> {
        let reverted = self.engine.revert(versions, &revert_selection(params)?)?;
        let reply = json!({
            "ok": true, "reverted": reverted.changes, "whole": reverted.whole, "warnings": reverted.warnings,
        });
        Ok((reverted, reply))
    }
}

/// The reply of a method that applies ops.
pub fn apply_reply(edited: &Edited) -> Result<Value, FileError> {
    to_json(&edited.apply_reply())
}

/// The reply of a method that copies assets.
pub fn copy_reply(edited: &Edited) -> Result<Value, FileError> {
    to_json(&edited.copy_reply())
}

/// Answers the methods on files, and passes those on tables to `jig-sql`.
#[derive(Debug, Default)]
pub struct FileMethods {
    files: FileApi,
    sql: Option<SqlRelay>,
}

impl FileMethods {
    /// Without the methods on tables: Jig's own pool asks `jig-sql` itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the methods on tables. A confined process cannot start programs, so the relay must be running before.
    pub fn with_sql(relay: SqlRelay) -> Self {
        Self { files: FileApi::default(), sql: Some(relay) }
    }
}

impl Methods for FileMethods {
    fn worker(&self) -> &'static str {
        "jig"
    }

    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError> {
        match &self.sql {
            Some(sql) if is_table_method(call.method) => Ok(Reply::Line(sql.forward(call.line)?)),
            _ => FileCall { files: &self.files, root: &server.root, server }
                .answer(call.method, call.params)
                .map(Reply::Result),
        }
    }
}

/// What ops start from.
struct Start {
    /// A file's bytes; none for a new file.
    bytes: Option<Arc<[u8]>>,
    /// Whether the file did not exist.
    created: bool,
    /// What the caller should know about it.
    warning: Option<String>,
}

/// One call, with what it works on.
struct FileCall<'a> {
    files: &'a FileApi,
    root: &'a WorkerRoot,
    server: &'a Server<'a>,
}

impl FileCall<'_> {
    fn answer(&self, name: &str, params: &Value) -> Result<Value, FileError> {
        let method = Method::find(name).ok_or_else(|| unknown(name))?;
        if !params.is_object() {
            return Err(FileError::invalid("params: an object is needed"));
        }
        match method.verb {
            Verb::Read => {
                let place = SandboxPath::of(params, "path", "root")?;
                let profile = self.server.options.profile;
                let params = profile.read_params(name, params);
                let reply = self.files.read(method, self.root.read(&place)?, &params)?;
                Ok(profile.read_reply(name, reply))
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
                let place = SandboxPath::of(params, path, root)?;
                Ok(Some((place.path.to_string(), self.root.read(&place)?)))
            }
            None => Ok::<_, FileError>(None),
        };
        let (old, new) = (side("old_path", "old_root")?, side("new_path", "new_root")?);
        let name = new.as_ref().or(old.as_ref()).map(|(name, _)| name.clone()).unwrap_or_default();
        let bytes = |side: Option<(String, Arc<[u8]>)>| side.map(|(_, bytes)| bytes.into());
        self.files.diff(&Versions { name, old: bytes(old), new: bytes(new) }, params)
    }

    /// Takes changes of a file back: the source is its old version.
    fn revert(&self, params: &Value) -> Result<Value, FileError> {
        let source = SandboxPath::of(params, "source_path", "source_root")?;
        let target = SandboxPath::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        let dry_run = dry_run(params)?;
        let (old, new) = (self.root.read(&source)?, self.root.read(&target)?);
        let versions = Versions { name: target.path.to_string(), old: Some(old.into()), new: Some(new.into()) };
        let (reverted, answer) = self.files.revert(&versions, params)?;
        if !dry_run {
            self.root.write(&target, &reverted.bytes)?;
        }
        Ok(answer)
    }

    /// A copy of a file for LibreOffice to draw.
    fn render_copy(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let source = SandboxPath::of(params, "source_path", "source_root")?;
        let target = SandboxPath::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        let copy = self.files.engine.render_copy(format, &self.root.read(&source)?)?;
        self.root.write(&target, &copy)?;
        Ok(json!({ "ok": true }))
    }

    fn apply(&self, format: Format, given: &Value) -> Result<Value, FileError> {
        let strictness = self.server.options.profile.strictness();
        let (params, mut warnings) = apply_params(given, strictness)?;
        let place = SandboxPath::of(
            &json!({ "workbench_id": params.workbench_id, "path": params.path, "root": params.root }),
            "path",
            "root",
        )?;
        place.check_writable()?;
        check_ending(format, &place, params.copy_from.as_deref())?;
        let start = self.start(format, &place, &params)?;
        let now = params.now.clone().or_else(self.server.options.now);
        let files = |path: &str| self.beside(&place, path);
        let options = EditOptions {
            author: params.author.as_deref().unwrap_or("Jig"),
            now: now.as_deref(),
            recalculate_workbook: params.recalculate == Some(Recalculate::Workbook),
            allow_outside_formulas: self.server.allows_outside(given),
            files: &files,
            strictness,
            must_exist: params.must_exist,
            texts_are_meant: false,
        };
        let mut edited = self.files.engine.apply(format, start.bytes.map(FileBytes::from), &params.ops, &options)?;
        edited.created_file = start.created;
        edited.warnings.append(&mut warnings);
        edited.warnings.extend(start.warning);
        if !params.dry_run {
            self.root.write(&place, &edited.bytes)?;
        }
        apply_reply(&edited)
    }

    /// What the ops start from: the file, another one, or nothing.
    fn start(&self, format: Format, place: &SandboxPath, params: &ApplyParams) -> Result<Start, FileError> {
        let replaced = |hides: bool| hides.then(|| format!("replaced {}, which existed, by the new file", place.path));
        match &params.copy_from {
            Some(from) => {
                let from = SandboxPath::of(
                    &json!({ "workbench_id": params.workbench_id, "path": from, "root": params.root }),
                    "path",
                    "root",
                )?;
                let bytes = match self.root.read(&from) {
                    Err(error) if error.reason == Reason::NotFound => match from.published() {
                        Some(published) => self.root.read(&published).map_err(|_| error)?,
                        None => return Err(error),
                    },
                    read => read?,
                };
                let hides = from != *place && self.root.exists(place)?;
                Ok(Start { bytes: Some(bytes), created: false, warning: replaced(hides) })
            }
            None if params.create_new => {
                check_new(format, place)?;
                let hides = self.root.exists(place)?;
                Ok(Start { bytes: None, created: !hides, warning: replaced(hides) })
            }
            None => match self.root.read(place) {
                Err(error) if error.reason == Reason::NotFound && !params.must_exist => {
                    check_new(format, place)?;
                    Ok(Start { bytes: None, created: true, warning: Some(created(place)) })
                }
                read => Ok(Start { bytes: Some(read?), created: false, warning: None }),
            },
        }
    }

    /// Another file of the same workbench, such as an image that an op inserts.
    fn beside(&self, place: &SandboxPath, path: &str) -> Option<Vec<u8>> {
        let beside = place.sibling(path)?;
        let read = self.root.read(&beside).or_else(|error| match beside.published() {
            Some(published) => self.root.read(&published),
            None => Err(error),
        });
        read.ok().map(|bytes| bytes.to_vec())
    }

    fn copy(&self, format: Format, given: &Value) -> Result<Value, FileError> {
        let strictness = self.server.options.profile.strictness();
        let (params, mut warnings) = copy_params(given, strictness)?;
        let place = |path: &str, root: &Option<String>| {
            let place = json!({ "workbench_id": params.workbench_id, "path": path, "root": root });
            SandboxPath::of(&place, "path", "root")
        };
        let source = place(&params.source_path, &params.source_root)?;
        let target = place(&params.target_path, &params.target_root)?;
        target.check_writable()?;
        check_ending(format, &target, None)?;
        let from = self.root.read(&source)?;
        let (into, warning) = match self.root.read(&target) {
            Err(error) if error.reason == Reason::NotFound && !params.must_exist => {
                check_new(format, &target)?;
                // Jig's own pool sets `create_new` and reports it itself.
                (None, (!params.create_new).then(|| created(&target)))
            }
            read => (Some(read?), None),
        };
        let now = params.now.clone().or_else(self.server.options.now);
        let options =
            EditOptions { now: now.as_deref(), strictness, must_exist: params.must_exist, ..EditOptions::default() };
        let is_new = into.is_none();
        let mut edited =
            self.files.engine.copy_assets(format, from.into(), into.map(FileBytes::from), &params.assets, &options)?;
        edited.created_file = is_new;
        edited.warnings.append(&mut warnings);
        edited.warnings.extend(warning);
        if !params.dry_run {
            self.root.write(&target, &edited.bytes)?;
        }
        copy_reply(&edited)
    }
}

fn created(place: &SandboxPath) -> String {
    format!("created {}, which did not exist", place.path)
}

/// A new file gets the ending of its format. Texts may have any.
fn check_new(format: Format, place: &SandboxPath) -> Result<(), FileError> {
    let plain = format.extension();
    if format == Format::Text || place.path.extension() == plain {
        return Ok(());
    }
    Err(FileError::invalid(format!("path: a new file must end in .{plain}")))
}

/// A file is written under an ending that fits what is in it.
fn check_ending(format: Format, place: &SandboxPath, copy_from: Option<&str>) -> Result<(), FileError> {
    let ending = place.path.extension();
    if !format.takes(place.path.file_name()) {
        let plain = format.extension();
        let what = if format == Format::Text { "a text file".to_owned() } else { format!("a .{plain} file") };
        let words = format!("path: {} is not {what}; other formats cannot be written by this method", place.path);
        return Err(FileError::invalid(words));
    }
    let from = copy_from.and_then(|from| from.rsplit_once('.')).map(|(_, ending)| ending.to_lowercase());
    match from {
        Some(from) if from != ending => {
            Err(FileError::invalid(format!("copy_from: a copy of a .{from} file must end in .{from} too")))
        }
        _ => Ok(()),
    }
}
