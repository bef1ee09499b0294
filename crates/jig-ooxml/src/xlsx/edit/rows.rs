//! stub
use super::editor::Editor;
use crate::edit::{Change, OpInput};
use crate::error::Error;
pub(super) fn insert(_e: &mut Editor<'_>, i: &OpInput) -> Result<Change, Error> { Err(i.error("op","todo").into()) }
pub(super) fn delete(_e: &mut Editor<'_>, i: &OpInput) -> Result<Change, Error> { Err(i.error("op","todo").into()) }
