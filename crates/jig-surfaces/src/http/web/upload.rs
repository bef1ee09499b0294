//! File uploads in forms.

use std::path::PathBuf;

use axum::body::Body;
use axum::http::{StatusCode, header};
use jig_contract::{Code, Given, OpError, WorkbenchPath};
use multer::{Constraints, Field, Multipart, SizeLimit};
use tokio::io::AsyncWriteExt;

use super::super::body;
use super::super::problem::Problem;
use super::super::staging::{StagingFolder, unwritable};
use super::form::Form;
use super::visit::Visit;

/// How many files of maximum size a form may contain.
const FILES: u64 = 10;

/// The maximum number of files in a form.
const MOST_FILES: usize = 1_000;

/// The space for a form's other fields, which are held in memory.
const FIELD_BYTES: u64 = 32 << 20;

/// The memory overhead of a field, besides its name and text.
const FIELD_COST: usize = 64;

/// An uploaded file.
pub(super) struct StagedFile {
    /// The name of the form field.
    pub(super) field: String,
    /// Its name, or its path if a folder was uploaded.
    pub(super) name: String,
    /// Where it is stored.
    pub(super) place: PathBuf,
}

/// Uploaded files in a folder, which is removed on drop.
#[derive(Default)]
pub(super) struct Staged {
    folder: Option<StagingFolder>,
    pub(super) files: Vec<StagedFile>,
}

impl Staged {
    /// The top-level files and folders of a field.
    pub(super) fn tops(&self, field: &str) -> Vec<String> {
        let mut tops: Vec<String> = Vec::new();
        for file in self.files.iter().filter(|file| file.field == field) {
            let Some(folder) = &self.folder else { continue };
            let top = file.name.split('/').next().unwrap_or_default();
            let place = folder.place(top).display().to_string();
            if !tops.contains(&place) {
                tops.push(place);
            }
        }
        tops
    }

    /// The first file of a field.
    pub(super) fn first(&self, field: &str) -> Option<&StagedFile> {
        self.files.iter().find(|file| file.field == field)
    }
}

/// Reads a form with files.
pub(super) async fn read(visit: &Visit, content: Body) -> Result<Form, Problem> {
    let options = &visit.app.options;
    let reading = collect(visit, content);
    let Ok(form) = tokio::time::timeout(options.upload_time(), reading).await else {
        return Err(Problem::request(StatusCode::REQUEST_TIMEOUT, "the files did not come in time"));
    };
    form
}

async fn collect(visit: &Visit, content: Body) -> Result<Form, Problem> {
    let largest = visit.app.options.max_upload_bytes as u64;
    let said = visit.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(said).map_err(|e| unreadable(&e, largest))?;
    let most = largest.saturating_mul(FILES).saturating_add(FIELD_BYTES);
    let limit = SizeLimit::new().whole_stream(most).per_field(largest.max(FIELD_BYTES));
    let constraints = Constraints::new().size_limit(limit);
    let mut pieces = Multipart::with_constraints(content.into_data_stream(), boundary, constraints);
    let mut form = Form::default();
    let mut memory = visit.app.memory.permit();
    // Names count too, because the number of fields is not limited otherwise.
    let mut in_memory = 0;
    while let Some(mut field) = pieces.next_field().await.map_err(|e| unreadable(&e, largest))? {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            // A file field without a selected file.
            Some(file) if file.is_empty() => {}
            Some(file) => take(visit, &mut form, name, &file, field).await?,
            None => {
                let mut bytes = Vec::new();
                in_memory += name.len() + FIELD_COST;
                while let Some(piece) = field.chunk().await.map_err(|e| unreadable(&e, largest))? {
                    in_memory += piece.len();
                    check_fields(in_memory)?;
                    memory.grow(in_memory)?;
                    bytes.extend_from_slice(&piece);
                }
                check_fields(in_memory)?;
                memory.grow(in_memory)?;
                form.fields.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    form.memory = Some(memory);
    Ok(form)
}

fn check_fields(bytes: usize) -> Result<(), Problem> {
    if bytes as u64 <= FIELD_BYTES {
        return Ok(());
    }
    let message = format!("the fields of the form have more than {}", super::units::bytes(FIELD_BYTES));
    let error = OpError::new(Code::MessageTooLarge, message);
    Err(Problem::new(error.hint("send large content as a file")).header(header::CONNECTION, body::close()))
}

async fn take(visit: &Visit, form: &mut Form, name: String, file: &str, mut field: Field<'_>) -> Result<(), Problem> {
    let largest = visit.app.options.max_upload_bytes as u64;
    if form.files.files.len() >= MOST_FILES {
        let error = OpError::new(Code::LimitExceeded, format!("one form brings at most {MOST_FILES} files"));
        return Err(error.hint("add the rest after these").into());
    }
    let path = Given::<WorkbenchPath>::from(file.replace('\\', "/").as_str()).check()?;
    if form.files.files.iter().any(|known| known.name == path.as_str()) {
        let error = OpError::new(Code::FileExists, format!("two of the files are called `{path}`"));
        return Err(error.hint("add them one after the other").into());
    }
    let folder = match &mut form.files.folder {
        Some(folder) => folder,
        none => none.insert(StagingFolder::make(&visit.app).await?),
    };
    let (place, mut to) = folder.file(&path).await?;
    while let Some(piece) = field.chunk().await.map_err(|e| unreadable(&e, largest))? {
        to.write_all(&piece).await.map_err(|e| unwritable(&e))?;
    }
    to.flush().await.map_err(|e| unwritable(&e))?;
    form.files.files.push(StagedFile { field: name, name: path.as_str().to_owned(), place });
    Ok(())
}

fn unreadable(error: &multer::Error, largest: u64) -> Problem {
    let too_large = matches!(error, multer::Error::FieldSizeExceeded { .. } | multer::Error::StreamSizeExceeded { .. });
    if too_large {
        let message =
            format!("a file is larger than {}, or all of them together are too much", super::units::bytes(largest));
        let error = OpError::new(Code::MessageTooLarge, message);
        return Problem::new(error.hint("the setting serve.max_upload_bytes raises it; `jig add` takes larger files"));
    }
    Problem::request(StatusCode::BAD_REQUEST, format!("the form cannot be read: {error}"))
}
