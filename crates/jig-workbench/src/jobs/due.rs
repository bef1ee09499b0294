//! stub
use crate::Workbench;
impl Workbench {
    pub(super) async fn look_around(&self) {}
}
