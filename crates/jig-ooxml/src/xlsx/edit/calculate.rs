//! stub
use super::editor::Editor;
use crate::error::Error;
pub(super) fn recalculate(_e: &mut Editor<'_>) -> Result<(), Error> { Ok(()) }
