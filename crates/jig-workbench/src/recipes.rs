//! stub
use crate::{CallContext, Workbench};
use jig_contract::OpError;
use jig_store::Job;
use serde_json::Value;
impl Workbench {
    pub(crate) async fn run_recipe(&self, _context: &CallContext, _job: &Job) -> Result<Value, OpError> { todo!() }
}
