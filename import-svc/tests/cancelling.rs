//! Cancelling a running import, also on another replica: nothing of the import is left.
use crate::common::{good, services::World};
use import_svc::{SCHEMA, store::cancellation};
use patio_kit::{
    client::call_context::CallContext,
    errors::{ErrorReason, reason},
};
use patio_proto::{access::Role, imports::CancelImportRequest};
use patio_testing::each_database;
use std::time::{Duration, Instant};
use tonic::Status;
use uuid::Uuid;

async fn cancel(world: &World, bearer: &CallContext, id: &str) -> Result<(), Status> {
    world
        .imports()
        .cancel_import(bearer.grpc_request_with_timeout(Duration::from_secs(20), CancelImportRequest { upload_id: id.to_owned() }))
        .await
        .map(drop)
}

#[tokio::test]
async fn a_cancelled_import_leaves_nothing_and_says_so_to_both() {
    each_database(async |host| {
        let world = World::on(host.clone()).await;
        world.kingdom().slow = Duration::from_millis(400);
        let (id, file) = (Uuid::now_v7().to_string(), good("Fuel pumps", 20_000));
        let upload = world.uploading(&id, &file);
        world.until(|kingdom| kingdom.campaigns.values().any(|kept| !kept.vehicles.is_empty())).await;
        let stranger = cancel(&world, &patio_testing::bearer(&host, 8, Role::Admin), &id).await.unwrap_err();
        assert_eq!(reason(&stranger), Some(ErrorReason::NoUpload), "another user's import is not found");
        let asked = Instant::now();
        cancel(&world, &world.leader(), &id).await.unwrap();
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        assert!(world.kingdom().campaigns.is_empty() && world.audited().await.is_empty());
        let status = upload.await.unwrap().unwrap_err();
        assert_eq!((status.code(), reason(&status)), (tonic::Code::Aborted, Some(ErrorReason::Cancelled)));
        cancel(&world, &world.leader(), &id).await.unwrap();
        world.kingdom().slow = Duration::ZERO;
        assert_eq!(world.imported(&id, &good("Fuel pumps", 30)).await.vehicles, 30, "the same upload can be retried");
    })
    .await;
}

#[tokio::test]
async fn an_import_of_another_replica_is_cancelled_through_the_database() {
    each_database(async |host| {
        let world = World::on(host.clone()).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        world.kingdom().slow = Duration::from_millis(400);
        let (id, file) = (Uuid::now_v7().to_string(), good("Fuel pumps", 20_000));
        let upload = world.uploading(&id, &file);
        world.until(|kingdom| !kingdom.campaigns.is_empty()).await;
        assert_eq!(cancellation::request_cancellation(&db, id, 7).await.unwrap().as_deref(), Some("running"));
        assert_eq!(reason(&upload.await.unwrap().unwrap_err()), Some(ErrorReason::Cancelled));
        assert!(world.kingdom().campaigns.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_published_import_cannot_be_cancelled_and_an_unknown_one_is_not_found() {
    each_database(async |host| {
        let world = World::on(host).await;
        let id = Uuid::now_v7().to_string();
        world.imported(&id, &good("Fuel pumps", 3)).await;
        let late = cancel(&world, &world.leader(), &id).await.unwrap_err();
        assert_eq!((late.code(), reason(&late)), (tonic::Code::Aborted, Some(ErrorReason::TooLate)));
        assert_eq!(world.kingdom().campaigns.len(), 1);
        for unknown in ["x", &Uuid::now_v7().to_string()] {
            assert_eq!(reason(&cancel(&world, &world.leader(), unknown).await.unwrap_err()), Some(ErrorReason::NoUpload));
        }
    })
    .await;
}
