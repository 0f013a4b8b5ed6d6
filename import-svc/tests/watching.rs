//! Progress streams of imports.
use crate::common::{good, services::World};
use patio_kit::{
    cache::Cache,
    errors::{ErrorReason, reason},
};
use patio_proto::{
    access::Role,
    imports::{ImportPhase, ImportProgress, WatchImportRequest, import_campaign_response::Outcome},
};
use patio_testing::LONG_CALL_TIMEOUT;
use std::time::{Duration, Instant};
use tonic::Status;
use uuid::Uuid;

async fn world() -> (World, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let host = patio_testing::host(folder.path(), None).await;
    (World::on(host).await, folder)
}

/// Watches an upload as a user and returns all progress messages.
async fn watched(world: &World, user: i64, upload: &str) -> Result<Vec<ImportProgress>, Status> {
    let ask = patio_testing::bearer(&world.host, user, Role::Manager)
        .grpc_request_with_timeout(LONG_CALL_TIMEOUT, WatchImportRequest { upload_id: upload.to_owned() });
    let mut stream = world.imports().watch_import(ask).await?.into_inner();
    let mut all = Vec::new();
    while let Some(progress) = stream.message().await? {
        all.push(progress);
    }
    Ok(all)
}

async fn reports_reading_saving_and_the_end(world: &World) {
    let (id, file) = (Uuid::now_v7().to_string(), good(&Uuid::now_v7().to_string(), 3_000));
    world.kingdom().slow = Duration::from_millis(150);
    let (messages, imported) = tokio::join!(watched(world, 7, &id), world.imported(&id, &file));
    let messages = messages.unwrap();
    assert_eq!(imported.vehicles, 3_000);
    let phases: Vec<ImportPhase> = messages.iter().map(ImportProgress::phase).collect();
    assert!(phases.is_sorted(), "{messages:?}");
    assert!(phases.contains(&ImportPhase::Saving) && phases.last() == Some(&ImportPhase::Done), "{messages:?}");
    assert!(messages.iter().any(|progress| progress.phase() == ImportPhase::Saving && progress.total == Some(3_000)));
    assert!(
        messages.iter().filter(|progress| progress.phase() == ImportPhase::Saving).map(|progress| progress.rows).is_sorted(),
        "{messages:?}"
    );
    let last = messages.last().unwrap();
    assert_eq!((last.rows, last.total), (3_000, Some(3_000)));
}

#[tokio::test]
async fn the_person_who_uploads_sees_it_read_saved_and_done() {
    let (world, _folder) = world().await;
    reports_reading_saving_and_the_end(&world).await;
}

#[tokio::test]
async fn progress_is_seen_by_way_of_a_shared_cache() {
    let Some(url) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut host = patio_testing::host(folder.path(), None).await;
    host.cache = Cache::new_in_redis(&url).unwrap();
    reports_reading_saving_and_the_end(&World::on(host).await).await;
}

#[tokio::test]
async fn a_rejected_file_ends_the_progress_stream() {
    let (world, _folder) = world().await;
    let id = Uuid::now_v7().to_string();
    let leader = world.leader();
    let (messages, refused) = tokio::join!(watched(&world, 7, &id), world.upload_as(&leader, &id, "wrong.csv", b"a;b"));
    assert_eq!(messages.unwrap().last().unwrap().phase(), ImportPhase::Failed);
    assert!(matches!(refused.unwrap(), Outcome::Rejected(rejection) if rejection.code == 53));
}

#[tokio::test]
async fn another_user_cannot_watch_an_upload() {
    let (world, _folder) = world().await;
    let id = Uuid::now_v7().to_string();
    world.imported(&id, &good("Mine", 3)).await;
    let status = watched(&world, 8, &id).await.unwrap_err();
    assert_eq!(reason(&status), Some(ErrorReason::NoUpload));
    assert_eq!(watched(&world, 7, &id).await.unwrap().last().unwrap().phase(), ImportPhase::Done);
}

#[tokio::test]
async fn an_unknown_upload_is_not_found_after_a_wait() {
    let (world, _folder) = world().await;
    let begun = Instant::now();
    let status = watched(&world, 7, &Uuid::now_v7().to_string()).await.unwrap_err();
    assert_eq!(reason(&status), Some(ErrorReason::NoUpload));
    assert!(begun.elapsed() >= Duration::from_secs(9), "{:?}", begun.elapsed());
    assert_eq!(reason(&watched(&world, 7, "no uuid").await.unwrap_err()), Some(ErrorReason::NoUpload));
}
