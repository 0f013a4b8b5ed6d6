//! Imports from the upload to the campaign: either complete, or undone without a trace.
use crate::common::{awkward, good, services::World};
use import_svc::{
    SCHEMA,
    active_imports::ActiveImports,
    store::{self, BeginAttemptResult, ImportAttempt},
};
use patio_kit::{
    auth::identity::Caller,
    errors::{ErrorReason, reason},
};
use patio_proto::{
    access::Role,
    imports::{GetTemplateRequest, import_campaign_response::Outcome},
    vehicle::NewVehicle,
};
use patio_testing::each_database;
use std::time::Duration;
use tonic::Code;
use uuid::Uuid;
use workbook_reader::rejection::MAX_FILE_BYTES;

fn fresh() -> String {
    Uuid::now_v7().to_string()
}

#[tokio::test]
async fn a_workbook_of_five_thousand_vehicles_becomes_a_campaign() {
    each_database(async |host| {
        let world = World::on(host).await;
        let imported = world.imported(&fresh(), &good("Fuel pumps", 5_000)).await;
        let campaign = imported.campaign.unwrap();
        assert_eq!((campaign.name.as_str(), imported.vehicles), ("Fuel pumps", 5_000));
        let kept = world.kingdom().campaigns[&campaign.id].clone();
        assert!(kept.published && kept.by == 7);
        assert_eq!(kept.vehicles.len(), 5_000);
        assert_eq!((kept.vehicles[4_999].serial_number.as_str(), kept.vehicles[2].parking_space.as_str()), ("005000", "- -3"));
        let events = world.audited().await;
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].kind.as_str(), events[0].user_id, events[0].address.as_str()), ("campaign-imported", Some(7), "192.0.2.1"));
        assert!(events[0].summary.contains("Fuel pumps with 5000 vehicles from campaign.xlsx"), "{}", events[0].summary);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_is_taken_is_refused_and_leaves_nothing() {
    each_database(async |host| {
        let world = World::on(host).await;
        world.imported(&fresh(), &good("Fuel pumps", 3)).await;
        let refused = world.rejected("again.xlsx", &good("Fuel pumps", 4)).await;
        assert_eq!((refused.code, refused.message.as_str()), (54, "Uma campanha com o mesmo nome já existe para o {product}."));
        assert_eq!(world.kingdom().campaigns.len(), 1);
        assert_eq!(world.audited().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_import_that_fails_half_way_is_undone_and_can_be_tried_again() {
    each_database(async |host| {
        let world = World::on(host).await;
        let (id, file) = (fresh(), good("Fuel pumps", 2_000));
        world.kingdom().fails_after = Some(900);
        let failed = world.upload(&id, &file).await.unwrap_err();
        assert_eq!(failed.code(), Code::Unavailable);
        assert!(world.kingdom().campaigns.is_empty() && world.audited().await.is_empty());
        world.kingdom().fails_after = None;
        let imported = world.imported(&id, &file).await;
        assert_eq!(world.kingdom().campaigns[&imported.campaign.unwrap().id].vehicles.len(), 2_000);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_upload_is_one_import() {
    each_database(async |host| {
        let world = World::on(host).await;
        let (id, file) = (fresh(), good("Fuel pumps", 700));
        let first = world.imported(&id, &file).await;
        let second = world.imported(&id, &file).await;
        assert_eq!((first.campaign.unwrap().id, first.vehicles), (second.campaign.unwrap().id, second.vehicles));
        assert_eq!(world.kingdom().made, 1);
        assert_eq!(world.audited().await.len(), 1);
        let other_file = world.upload(&id, &good("Brakes", 2)).await.unwrap_err();
        let somebody = patio_testing::bearer(&world.host, 8, Role::Admin);
        let other_person = world.upload_as(&somebody, &id, "campaign.xlsx", &file).await.unwrap_err();
        for refused in [other_file, other_person] {
            assert_eq!((refused.code(), reason(&refused)), (Code::AlreadyExists, Some(ErrorReason::KeyReused)));
        }
        world.kingdom().campaigns.clear();
        assert_eq!(reason(&world.upload(&id, &file).await.unwrap_err()), Some(ErrorReason::NoCampaign));
    })
    .await;
}

#[tokio::test]
async fn two_tries_at_once_are_one_import() {
    each_database(async |host| {
        let world = World::on(host).await;
        let (id, file) = (fresh(), good("Fuel pumps", 1_000));
        world.kingdom().slow = Duration::from_millis(200);
        let tries = futures::future::join_all((0..4).map(|_| world.upload(&id, &file))).await;
        let (done, refused): (Vec<_>, Vec<_>) = tries.into_iter().partition(Result::is_ok);
        assert_eq!((done.len(), refused.len(), world.kingdom().made), (1, 3, 1));
        assert!(refused.into_iter().all(|result| reason(&result.unwrap_err()) == Some(ErrorReason::Busy)));
    })
    .await;
}

#[tokio::test]
async fn an_upload_the_client_gives_up_is_undone() {
    each_database(async |host| {
        let world = World::on(host).await;
        world.kingdom().slow = Duration::from_secs(5);
        let (id, file) = (fresh(), good("Fuel pumps", 1_000));
        let begun = world.until(|kingdom| !kingdom.campaigns.is_empty());
        tokio::select! { done = world.upload(&id, &file) => panic!("{done:?}"), () = begun => {} }
        world.until(|kingdom| kingdom.campaigns.is_empty()).await;
        world.kingdom().slow = Duration::ZERO;
        for _ in 0..100 {
            match world.upload(&id, &file).await {
                // The draft is discarded before the end of the attempt is recorded.
                Err(status) if reason(&status) == Some(ErrorReason::Busy) => tokio::time::sleep(Duration::from_millis(100)).await,
                outcome => {
                    assert!(matches!(outcome.unwrap(), Outcome::Imported(_)));
                    return;
                }
            }
        }
        panic!("the attempt that the client gave up does not end");
    })
    .await;
}

#[tokio::test]
async fn a_campaign_whose_publishing_was_not_answered_counts_as_imported() {
    each_database(async |host| {
        let world = World::on(host).await;
        world.kingdom().loses_answer = true;
        let imported = world.imported(&fresh(), &good("Fuel pumps", 10)).await;
        assert!(world.kingdom().campaigns[&imported.campaign.unwrap().id].published);
        assert_eq!(world.audited().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_killed_reader_is_a_damaged_file() {
    let program = killed_reader();
    each_database(async |host| {
        let world = World::with_reader(host, program.path().join("reader")).await;
        let refused = world.rejected("campaign.xlsx", &good("Fuel pumps", 10)).await;
        assert_eq!((refused.code, world.kingdom().made), (51, 0));
    })
    .await;
}

fn killed_reader() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/false", folder.path().join("reader")).unwrap();
    folder
}

#[tokio::test]
async fn no_awkward_file_leaves_a_trace() {
    let files: Vec<_> = awkward::files().into_iter().filter(|file| file.file.len() < 20_000).collect();
    assert!(files.len() >= 50, "only {}", files.len());
    each_database(async |host| {
        let world = World::on(host).await;
        for file in &files {
            assert_eq!(world.rejected("campaign.xlsx", &file.file).await.code, file.code, "{}", file.name);
        }
        assert_eq!(world.kingdom().made, 0);
        assert!(world.audited().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn files_that_are_too_large_or_named_otherwise_are_not_even_read() {
    let host = patio_testing::host(tempfile::tempdir().unwrap().path(), None).await;
    let world = World::with_reader(host, "/nowhere".into()).await;
    assert_eq!(world.rejected("large.xlsx", &vec![0; MAX_FILE_BYTES + 1]).await.code, 52);
    assert_eq!(world.rejected("larger.xlsx", &vec![0; 3 * MAX_FILE_BYTES]).await.code, 52);
    for name in ["campaign.xls", "campaign.csv", "campaign", "xlsx", "campaign.xlsx.exe"] {
        assert_eq!(world.rejected(name, b"PK\x03\x04").await.code, 53, "{name}");
    }
    let read = world.upload_as(&world.leader(), "", "CAMPAIGN.XLSX", b"PK\x03\x04").await.unwrap_err();
    assert_eq!(read.code(), Code::Internal, "a reader that cannot be started is an internal error");
    let bad_id = world.upload("not a uuid", b"PK").await.unwrap_err();
    assert_eq!((bad_id.code(), reason(&bad_id)), (Code::InvalidArgument, Some(ErrorReason::BadRequest)));
}

#[tokio::test]
async fn operators_and_strangers_import_nothing() {
    let host = patio_testing::host(tempfile::tempdir().unwrap().path(), None).await;
    let world = World::on(host).await;
    let operator = patio_testing::bearer(&world.host, 9, Role::Operator);
    let stranger = patio_kit::client::call_context::CallContext::default();
    for (who, code) in [(operator, Code::PermissionDenied), (stranger, Code::Unauthenticated)] {
        assert_eq!(world.upload_as(&who, "", "campaign.xlsx", &good("Any", 1)).await.unwrap_err().code(), code);
        assert_eq!(world.imports().get_template(who.grpc_request(GetTemplateRequest {})).await.unwrap_err().code(), code);
    }
    assert_eq!(world.kingdom().made, 0);
}

#[tokio::test]
async fn the_template_can_be_fetched_and_imported() {
    each_database(async |host| {
        let world = World::on(host).await;
        let template = world.imports().get_template(world.leader().grpc_request(GetTemplateRequest {})).await.unwrap().into_inner();
        assert!(template.content_type.contains("spreadsheetml.sheet"));
        let Outcome::Imported(imported) = world.upload("", &template.data).await.unwrap() else { panic!() };
        assert_eq!((imported.campaign.unwrap().name.as_str(), imported.vehicles), ("Example campaign", 4));
    })
    .await;
}

fn attempt(world: &World, upload: &str) -> ImportAttempt {
    let now = world.host.clock.now();
    let caller =
        Caller { user_id: 7, role: Role::Manager, session_id: String::new(), issued_at: now, expires_at: now, must_change_password: false };
    ImportAttempt {
        upload_id: upload.to_owned(),
        file_name: "lost.xlsx".to_owned(),
        digest: String::new(),
        caller,
        address: "192.0.2.9".to_owned(),
        at: now - chrono::TimeDelta::minutes(1),
    }
}

#[tokio::test]
async fn orphaned_imports_are_recovered() {
    each_database(async |host| {
        let world = World::on(host).await;
        let db = world.host.open_database(SCHEMA).await.unwrap();
        world.kingdom().broken = Some(3); // the oldest orphan, whose failure must not keep the others waiting
        for (id, published) in [(3, true), (1, true), (2, false)] {
            let (name, vehicles) = ("Lost".to_owned(), vec![NewVehicle::default(); 12]);
            let kept = crate::common::services::Kept { import_id: format!("lost {id}"), published, name, vehicles, ..Default::default() };
            world.kingdom().campaigns.insert(id, kept);
            let BeginAttemptResult::Started { id: import, leftover: None } =
                store::begin_import_attempt(&db, attempt(&world, &format!("lost {id}")), ActiveImports::default()).await.unwrap()
            else {
                panic!()
            };
            store::record_draft_campaign(&db, import, (id, String::new()), 0).await.unwrap(); // as a retry that died leaves the row
        }
        world.until(|kingdom| !kingdom.campaigns.contains_key(&2)).await;
        assert!(world.kingdom().campaigns[&1].published);
        let events = world.audited().await;
        assert_eq!((events.len(), events[0].subject.as_str(), events[0].user_id), (1, "campaign 1", Some(7)));
        assert_eq!(events[0].summary, "imported Lost with 12 vehicles from lost.xlsx");
    })
    .await;
}

#[tokio::test]
async fn an_import_with_late_heartbeats_continues_in_its_process() {
    each_database(async |host| {
        let world = World::on(host).await;
        let db = world.host.open_database(SCHEMA).await.unwrap();
        world.kingdom().slow = Duration::from_secs(5);
        let (id, file) = (fresh(), good("Fuel pumps", 10));
        let upload = world.uploading(&id, &file);
        let long_ago = world.host.clock.now() - chrono::TimeDelta::minutes(1);
        world.until(|kingdom| !kingdom.campaigns.is_empty()).await;
        store::record_heartbeat(&db, 1, long_ago).await.unwrap();
        let again = world.upload(&id, &file).await.unwrap_err();
        assert_eq!(reason(&again), Some(ErrorReason::Busy), "the running import is not started a second time");
        while !upload.is_finished() {
            store::record_heartbeat(&db, 1, long_ago).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let Outcome::Imported(imported) = upload.await.unwrap().unwrap() else { panic!() };
        let kingdom = world.kingdom();
        assert_eq!((imported.vehicles, kingdom.campaigns.len(), kingdom.made), (10, 1, 1));
    })
    .await;
}

#[tokio::test]
async fn an_import_declared_orphaned_by_another_replica_can_be_retried() {
    each_database(async |host| {
        let world = World::on(host).await;
        world.kingdom().slow = Duration::from_secs(1);
        let (id, file) = (fresh(), good("Fuel pumps", 10));
        let upload = world.uploading(&id, &file);
        world.until(|kingdom| !kingdom.campaigns.is_empty()).await;
        world.kingdom().campaigns.clear();
        let status = upload.await.unwrap().unwrap_err();
        assert_eq!((status.code(), reason(&status)), (Code::Unavailable, Some(ErrorReason::Unavailable)), "{status:?}");
        assert!(status.message().contains("Nothing was imported."), "{status:?}");
        world.kingdom().slow = Duration::ZERO;
        assert_eq!(world.imported(&id, &file).await.vehicles, 10);
    })
    .await;
}

#[tokio::test]
async fn heartbeats_of_a_draft_are_sent_while_its_vehicles_are_stored() {
    let host = patio_testing::host(tempfile::tempdir().unwrap().path(), None).await;
    let world = World::on(host).await;
    world.kingdom().slow = Duration::from_secs(6);
    let imported = world.imported(&fresh(), &good("Fuel pumps", 10)).await;
    assert!(world.kingdom().campaigns[&imported.campaign.unwrap().id].touched >= 1);
}

#[tokio::test]
async fn a_retry_knows_the_draft_of_the_earlier_attempt_until_it_has_its_own() {
    each_database(async |host| {
        let world = World::on(host).await;
        let db = world.host.open_database(SCHEMA).await.unwrap();
        let begin = async |minutes| {
            let mut attempt = attempt(&world, "tried twice");
            attempt.at += chrono::TimeDelta::minutes(minutes);
            match store::begin_import_attempt(&db, attempt, ActiveImports::default()).await.unwrap() {
                BeginAttemptResult::Started { id, leftover } => (id, leftover),
                _ => panic!("the attempt was not started"),
            }
        };
        let (import, none) = begin(0).await;
        assert_eq!(none, None);
        store::record_draft_campaign(&db, import, (41, "Lost".to_owned()), 12).await.unwrap();
        assert_eq!(begin(10).await, (import, Some(41)));
        assert_eq!(begin(20).await, (import, Some(41)), "the second attempt died before it could look for the published campaign");
    })
    .await;
}
