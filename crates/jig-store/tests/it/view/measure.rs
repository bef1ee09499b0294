use super::*;
use std::time::Instant;
#[tokio::test]
async fn measure_spare() {
    let mut bench = Bench::showing([]).await;
    let mut edits = Vec::new();
    for n in 0..10_000 {
        let t = format!("content {n}");
        let hash = bench.store.blobs().put(t.clone()).await.unwrap();
        edits.push(TreeEdit::File {
            path: format!("published/{:02}/file {n:04}.txt", n % 50),
            hash,
            bytes: t.len() as u64,
        });
    }
    bench.commit(&edits).await;
    bench.write().await;
    bench.scan().await;
    for round in 0..3 {
        let node = bench.store.lookup(bench.head, "published").await.unwrap().unwrap();
        bench.commit(&[TreeEdit::Folder { path: "draft".to_owned(), node }]).await;
        bench.commit_text("draft/00/file 0000.txt", &format!("round {round}")).await;
        let t = Instant::now();
        let r = bench.write().await;
        let create = t.elapsed();
        bench.scan().await;
        std::thread::sleep(std::time::Duration::from_millis(60));
        bench.scan().await;
        bench.commit(&[TreeEdit::Remove { path: "draft".to_owned() }]).await;
        let t = Instant::now();
        let d = bench.write().await;
        eprintln!(
            "round {round}: create {create:?} ({} written), discard {:?} ({} removed)",
            r.written,
            t.elapsed(),
            d.removed
        );
    }
    bench.assert_settled().await;
}
