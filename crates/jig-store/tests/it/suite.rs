//! Requirements on every store. Each function runs on both databases, with blobs in a folder and in a bucket.

mod archive;
mod assets;
mod carried;
mod collect;
mod doctor;
mod entries;
mod history;
mod jobs;
mod many;
mod messages;
mod queue;
mod sessions;
mod tables;
mod tokens;
mod trees;

use crate::setup::{Bytes, Rows, Setup};

async fn run(rows: Rows, bytes: Bytes, test: impl AsyncFnOnce(Setup)) {
    if let Some(setup) = Setup::new(rows, bytes).await {
        test(setup).await;
    }
}

macro_rules! conformance {
    ($($name:ident),* $(,)?) => {
        mod on {
            $(mod $name {
                use crate::setup::{Bytes, Rows};
                use crate::suite::run;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn sqlite_and_folder() {
                    run(Rows::Sqlite, Bytes::Folder, super::super::$name).await;
                }
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn sqlite_and_s3() {
                    run(Rows::Sqlite, Bytes::S3, super::super::$name).await;
                }
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres_and_folder() {
                    run(Rows::Postgres, Bytes::Folder, super::super::$name).await;
                }
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres_and_s3() {
                    run(Rows::Postgres, Bytes::S3, super::super::$name).await;
                }
            })*
        }
    };
}
pub(crate) use conformance;
