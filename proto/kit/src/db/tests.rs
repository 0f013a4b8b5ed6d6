//! What waits for the disk, and when.
use super::*;

/// Asks, within its own transaction, how the commit will wait: 1 is not at all, 2 until the disk has it.
fn level<'c>(tx: &'c mut Tx<'_>) -> BoxFuture<'c, Result<i64, sqlx::Error>> {
    Box::pin(async move { on!(tx.on(), c => sqlx::query_scalar("pragma synchronous").fetch_one(c).await) })
}

#[tokio::test]
async fn a_step_waits_for_the_disk_while_others_do() {
    let folder = tempfile::tempdir().unwrap();
    let none: &'static Migrator = Box::leak(Box::new(Migrator::with_migrations(Vec::new())));
    let pools = open_sqlite(Schema { name: "steps", sqlite: none, postgres: none }, folder.path()).await.unwrap();
    let db = Db { pools, asked: Arc::default() };
    for _ in 0..2 {
        assert_eq!(db.write_step(|tx| level(tx)).await.unwrap(), 1, "no step makes others wait");
    }
    assert_eq!(db.write(|tx| level(tx)).await.unwrap(), 2);
    assert!(db.is_busy());
    assert_eq!(db.write_step(|tx| level(tx)).await.unwrap(), 2);
    tokio::time::sleep(BUSY + Duration::from_millis(100)).await;
    assert!(!db.is_busy(), "and it was no step that kept it so");
    assert_eq!(db.write_step(|tx| level(tx)).await.unwrap(), 1);
    db.close().await;
}
