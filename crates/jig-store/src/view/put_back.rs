//! For the doctor: a file of the folder stands in for its damaged blob.

use std::path::Path;

use bytes::Bytes;
use jig_contract::BlobHash;

use super::desk::Desk;
use super::{View, blocking, read};
use crate::error::StoreError;
use crate::store::Store;

impl View {
    /// Puts a damaged blob back from the file at this place. False when there is none with the right bytes.
    pub async fn put_back(&self, store: &Store, place: &str, hash: &BlobHash) -> Result<bool, StoreError> {
        let (view, place) = (self.clone(), place.to_owned());
        let copy = blocking(move || {
            let desk = Desk::open_apart(&view)?;
            Ok(read::whole(&desk.workbench, Path::new(&place)).ok().flatten())
        })
        .await?;
        match copy {
            Some(bytes) => store.blobs().mend(hash, Bytes::from(bytes)).await,
            None => Ok(false),
        }
    }
}
