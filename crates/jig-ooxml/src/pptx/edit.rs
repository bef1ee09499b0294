//! stub
use std::sync::Arc;
use crate::edit::*; use crate::*;
/// ops
pub const OPS: &[&str] = &[];
/// apply
pub fn apply(_s: Option<Arc<[u8]>>, _o: &serde_json::Value, _p: &ApplyOptions<'_>) -> Result<Applied, Error> { todo!() }
/// copy
pub fn copy_assets(_s: Arc<[u8]>, _t: Arc<[u8]>, _a: &serde_json::Value, _l: Limits) -> Result<Applied, Error> { todo!() }
