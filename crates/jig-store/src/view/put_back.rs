//! Restores a damaged blob from a file of the folder.

use std::path::Path;

use bytes::Bytes;
use jig_contract::BlobHash;

use super::open_view::OpenView;
use super::{View, blocking, read};
use crate::error::StoreError;
use crate::store::Store;

impl View {
    /// Restores a damaged blob from the file at this path. False if no file has the right content.
    pub async fn put_back(&self, store: &Store, place: &str, hash: &BlobHash) -> Result<bool, StoreError> {
        let (view, place) = (self.clone(), place.to_owned());
        let copy = blocking(move || {
            let open_view = OpenView::open_apart(&view)?;
            Ok(read::whole(&open_view.workbench, Path::new(&place)).ok().flatten())
        })
        .await?;
        match copy {
            Some(bytes) => store.blobs().mend(hash, Bytes::from(bytes)).await,
            None => Ok(false),
        }
    }
}
