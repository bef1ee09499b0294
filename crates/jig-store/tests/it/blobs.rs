//! Blobs alone, in a folder and in a bucket.

use bytes::Bytes;
use futures::TryStreamExt as _;
use jig_contract::BlobHash;
use jig_store::{Blobs, StoreError, hash_of};

use crate::setup::{self, Rows, Setup};

async fn both(test: impl AsyncFn(Setup)) {
    for bytes in [setup::Bytes::Folder, setup::Bytes::S3] {
        test(Setup::new(Rows::Sqlite, bytes).await.unwrap()).await;
    }
}

async fn listed(blobs: &Blobs) -> Vec<(BlobHash, u64)> {
    let mut all: Vec<_> = blobs.list().map_ok(|blob| (blob.hash, blob.bytes)).try_collect().await.unwrap();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blobs_are_kept_under_their_hash() {
    both(async |setup| {
        let blobs = &setup.config.blobs;
        let hash = blobs.put("words").await.unwrap();
        assert_eq!(hash.to_string(), blake3::hash(b"words").to_hex().to_string());
        let empty = blobs.put(Bytes::new()).await.unwrap();
        assert_eq!(blobs.get(&hash).await.unwrap(), "words");
        assert_eq!(blobs.get(&empty).await.unwrap(), "");
        assert_eq!(blobs.get_head(&hash, 3).await.unwrap(), "wor");
        assert_eq!(blobs.get_head(&hash, 99).await.unwrap(), "words");
        assert_eq!(blobs.verify(&hash).await.unwrap(), 5);
        assert_eq!(std::fs::read(setup.blob_file(&hash)).unwrap(), b"words");
        let out = setup.folder.path().join("out");
        assert_eq!(blobs.write_to(&hash, &out).await.unwrap(), 5);
        assert_eq!(std::fs::read(&out).unwrap(), b"words");
        let mut expected = vec![(hash, 5), (empty, 0)];
        expected.sort();
        assert_eq!(listed(blobs).await, expected);
        // Foreign files are neither listed nor an obstacle.
        std::fs::write(setup.blob_files.join("README"), "x").unwrap();
        assert_eq!(listed(blobs).await, expected);
        blobs.delete(&hash).await.unwrap();
        blobs.delete(&hash).await.unwrap();
        assert_eq!(blobs.info(&hash).await.unwrap(), None);
        assert!(matches!(blobs.get(&hash).await, Err(StoreError::BlobMissing { .. })));
    })
    .await;
}

/// Workers get their files as links to blobs. An existing link must not be written through.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_in_the_place_of_a_link_to_the_blob_leaves_the_blob_alone() {
    let setup = Setup::local().await;
    let blobs = &setup.config.blobs;
    let (hash, other) = (blobs.put("words").await.unwrap(), blobs.put("other words").await.unwrap());
    let out = setup.folder.path().join("out");
    let blob = setup.blob_file(&hash);
    for link in [std::fs::hard_link::<&std::path::PathBuf, &std::path::PathBuf>, std::os::unix::fs::symlink] {
        link(&blob, &out).unwrap();
        for (copied, text) in [(hash, "words"), (other, "other words")] {
            assert_eq!(blobs.write_to(&copied, &out).await.unwrap(), text.len() as u64);
            assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
            assert_eq!(blobs.get(&hash).await.unwrap(), "words");
        }
        std::fs::remove_file(&out).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_files_go_in_and_out_in_pieces() {
    both(async |setup| {
        let blobs = &setup.config.blobs;
        let (file, out) = (setup.folder.path().join("file"), setup.folder.path().join("out"));
        for size in [0, 1_000, 16 * 1024 * 1024 + 1] {
            let bytes: Vec<u8> = b"0123456789abc".iter().copied().cycle().take(size).collect();
            std::fs::write(&file, &bytes).unwrap();
            let (hash, length) = blobs.put_file(&file).await.unwrap();
            assert_eq!((hash, length), (hash_of(&bytes), size as u64));
            assert_eq!(blobs.put_file(&file).await.unwrap(), (hash, length), "a second time it is there already");
            blobs.write_to(&hash, &out).await.unwrap();
            assert_eq!(std::fs::read(&out).unwrap(), bytes);
        }
        let gone = blobs.put_file(&setup.folder.path().join("none")).await;
        assert!(matches!(gone, Err(StoreError::Io { .. })), "{gone:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_blobs_are_put_at_once() {
    let setup = Setup::local().await;
    let many: Vec<Bytes> = (0..10_000).map(|n| Bytes::from(format!("blob {n}"))).collect();
    let hashes = setup.config.blobs.put_many(many.clone()).await.unwrap();
    assert_eq!(hashes, many.iter().map(|bytes| hash_of(bytes)).collect::<Vec<_>>());
    assert_eq!(setup.blob_count(), 10_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_puts_of_the_same_bytes_do_not_disturb_each_other() {
    both(async |setup| {
        let same = vec![Bytes::from("same"); 100];
        let hashes = setup.config.blobs.put_many(same).await.unwrap();
        assert_eq!(hashes, vec![hash_of(b"same"); 100]);
        assert_eq!(listed(&setup.config.blobs).await, [(hash_of(b"same"), 4)]);
        assert_eq!(setup.blob_count(), 1, "no temporary file is left");
    })
    .await;
}

#[tokio::test]
async fn a_wrong_key_is_an_error_of_the_blob_store() {
    let bucket = crate::support::s3_bucket();
    let mut options = bucket.options.clone();
    options.retain(|(key, _)| key != "secret_access_key");
    options.push(("secret_access_key".into(), "wrong".into()));
    let wrong = Blobs::bucket(&bucket.url, &options).unwrap().put("x").await;
    assert!(matches!(wrong, Err(StoreError::Blobs(_))), "{wrong:?}");
}
