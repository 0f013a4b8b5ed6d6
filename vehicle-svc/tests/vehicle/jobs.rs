//! Bulk jobs: their history and their undo.
use crate::yard::{CAMPAIGN, Yard, status};
use patio_kit::{
    errors::{ErrorReason, reason},
    on,
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    audit::{ListEventsRequest, audit_service_client::AuditServiceClient},
    campaign::Milestone,
    common::Page,
    vehicle::{
        BulkEditRequest, BulkParkingSpaceRequest, BulkResponse, BulkStatusRequest, EditRow, Gate, Job, JobKind, ListJobsRequest,
        ParkingSpaceChange, SaveVehicleRequest, Scope, StatusAction, UndoBlocker, UndoJobRequest, UndoJobResponse, Vehicle, VehicleStatus,
    },
};
use patio_testing::each_database;
use tonic::Status;

pub async fn jobs(yard: &Yard, role: Role) -> Vec<Job> {
    let ask = ListJobsRequest { page: Some(Page { index: 0, size: 50 }) };
    let reply = yard.jobs().list_jobs(yard.person(3, role).grpc_request(ask)).await.unwrap().into_inner();
    assert_eq!(reply.meta.unwrap().total_count, reply.jobs.len() as i64);
    reply.jobs
}

pub async fn undo(yard: &Yard, role: Role, id: i64) -> Result<UndoJobResponse, Status> {
    yard.jobs().undo_job(yard.long_request(5, role, UndoJobRequest { id })).await.map(tonic::Response::into_inner)
}

pub async fn bulk(yard: &Yard, role: Role, serials: &[u32], action: StatusAction, status: VehicleStatus) -> i64 {
    let vins = serials.iter().map(|serial| format!("HB20 {serial:06}")).collect();
    let ask = BulkStatusRequest { vins, action: action.into(), status: status.into(), ..BulkStatusRequest::default() };
    yard.bulk().bulk_status(yard.long_request(3, role, ask)).await.unwrap();
    jobs(yard, role).await[0].id
}

async fn set(yard: &Yard, serials: &[u32], to: VehicleStatus) -> i64 {
    bulk(yard, Role::Manager, serials, StatusAction::Insert, to).await
}

/// Starts vehicle-svc with `BG3 0001` in campaigns 7 and 9, and `BG30 001` in campaign 8: two cars with one comparison key.
async fn with_two_cars(host: ServiceHost) -> Yard {
    let yard = Yard::beside(host).await;
    for (campaign, model, serial) in [(7, "BG3", "0001"), (8, "BG30", "001"), (9, "BG3", "0001")] {
        yard.import_one(campaign, model, serial, "A-1").await;
        yard.open(campaign, &format!("Campaign {campaign}"), 1).await;
    }
    yard
}

/// Returns the dry run of setting the status `ok`; `campaign_id` limits it to a campaign.
async fn set_ok(yard: &Yard, campaign_id: Option<i64>, vins: &[&str]) -> BulkResponse {
    let (action, status) = (StatusAction::Insert.into(), VehicleStatus::Ok.into());
    let vins = vins.iter().map(|vin| (*vin).to_owned()).collect();
    let ask = BulkStatusRequest { vins, action, status, scope: Some(Scope { yard: None, campaign_id }), dry_run: true, preview_limit: 0 };
    yard.bulk().bulk_status(yard.long_request(3, Role::Manager, ask)).await.unwrap().into_inner()
}

/// Returns the dry run of moving vehicles; `campaign_id` limits it to a campaign.
async fn move_to(yard: &Yard, campaign_id: Option<i64>, rows: &[(&str, &str)]) -> Result<BulkResponse, Status> {
    let rows = rows.iter().map(|(vin, space)| ParkingSpaceChange { vin: (*vin).to_owned(), parking_space: (*space).to_owned() }).collect();
    let ask = BulkParkingSpaceRequest { rows, scope: Some(Scope { yard: None, campaign_id }), dry_run: true, preview_limit: 0 };
    yard.bulk().bulk_parking_space(yard.long_request(3, Role::Manager, ask)).await.map(tonic::Response::into_inner)
}

/// Returns the numbers of matched, updated and skipped vehicles, and the VINs that were not found.
fn counts(reply: &BulkResponse) -> (i64, i64, usize, Vec<&str>) {
    (reply.matched, reply.updated, reply.skipped.len(), reply.not_found.iter().map(String::as_str).collect())
}

#[tokio::test]
async fn an_ambiguous_code_changes_neither_of_two_cars() {
    each_database(async |host| {
        let yard = with_two_cars(host).await;
        let unclear = set_ok(&yard, None, &["BG30001"]).await;
        assert_eq!(counts(&unclear), (3, 0, 3, vec![]));
        let skipped: Vec<_> = unclear.skipped.iter().map(|skipped| (skipped.vin.as_str(), skipped.code.as_str())).collect();
        assert_eq!(skipped, ["BG3 0001", "BG30 001", "BG3 0001"].map(|vin| (vin, "AMBIGUOUS_VIN")));
        assert_eq!(counts(&set_ok(&yard, None, &["BG3 0001"]).await), (2, 2, 0, vec![]), "the other car does not count as matched");
        assert_eq!(counts(&set_ok(&yard, None, &["BG30 001"]).await), (1, 1, 0, vec![]));

        assert_eq!(counts(&move_to(&yard, None, &[("BG30001", "B-1")]).await.unwrap()), (3, 0, 3, vec![]));
        let both = move_to(&yard, None, &[("BG3 0001", "B-1"), ("BG30 001", "B-2")]).await.unwrap();
        assert_eq!(counts(&both), (3, 0, 3, vec![]), "the two lines name two cars with the same comparison key");
        let moved = move_to(&yard, None, &[("bg3 0001", "7-1"), ("BG3  0001", "7-2")]).await.unwrap();
        let repeat = "One line repeats a vehicle of an earlier line. The vehicle counts once.";
        assert_eq!(counts(&moved), (2, 2, 0, vec![]), "the other car does not count as matched");
        assert_eq!(moved.warnings, [repeat, "2 vehicles move to a space that belongs to no yard: 7-2, 7-2."]);
        let hidden = "One vehicle moves to a space that belongs to a yard that no screen shows: 0-7.";
        assert_eq!(move_to(&yard, None, &[("BG30 001", "0-7")]).await.unwrap().warnings, [hidden]);
        let refused = move_to(&yard, None, &[("BG3 0001", "B-1"), ("BG3 0001", "01/mar")]).await.unwrap_err();
        assert!(refused.message().contains("Row 2: The parking space is a date or a time: 01/mar."), "{refused}");

        let row = EditRow {
            line: 2,
            model_code: "BG30".into(),
            serial_number: "001".into(),
            parking_space: Some("C-1".into()),
            ..EditRow::default()
        };
        let ask = BulkEditRequest { rows: vec![row], dry_run: true, source: String::new() };
        let edited = yard.bulk().bulk_edit(yard.long_request(3, Role::Admin, ask)).await.unwrap().into_inner();
        assert_eq!(edited.preview.iter().map(|one| one.vin_number.as_str()).collect::<Vec<_>>(), ["BG30 001"]);
    })
    .await;
}

#[tokio::test]
async fn lines_with_different_model_codes_for_one_comparison_key_change_no_car() {
    each_database(async |host| {
        let yard = with_two_cars(host).await;
        let moved = move_to(&yard, None, &[("BG3 0001", "B-1"), ("BG30001", "B-2"), ("BG30 001", "B-3")]).await.unwrap();
        assert_eq!(counts(&moved), (3, 0, 3, vec![]));
        assert!(moved.skipped.iter().all(|skipped| skipped.code == "AMBIGUOUS_VIN"), "{:?}", moved.skipped);
        assert_eq!(counts(&set_ok(&yard, None, &["BG3 0001", "BG30001", "BG30 001"]).await), (3, 0, 3, vec![]));
        let one = set_ok(&yard, None, &["* BG30001 *", "BG3 0001"]).await;
        assert_eq!(counts(&one), (2, 2, 0, vec![]), "an asterisk is not a model code");
    })
    .await;
}

#[tokio::test]
async fn a_written_model_code_changes_no_car_with_another_model_code() {
    each_database(async |host| {
        let yard = with_two_cars(host).await;
        for vin in ["BG3 0001", "BG 30001", "* BG-3 0001 *"] {
            assert_eq!(counts(&set_ok(&yard, Some(8), &[vin]).await), (0, 0, 0, vec![vin]), "{vin:?}");
            assert_eq!(counts(&move_to(&yard, Some(8), &[(vin, "B-1")]).await.unwrap()), (0, 0, 0, vec![vin]), "{vin:?}");
        }
        for vin in ["BG30001", "* BG30001 *", " bg30 001 ", "BG30\t001", "*BG-30 - 001*", "BG30 0 01", "B G 30001"] {
            assert_eq!(counts(&set_ok(&yard, Some(8), &[vin]).await), (1, 1, 0, vec![]), "{vin:?}");
            assert_eq!(counts(&move_to(&yard, Some(8), &[(vin, "B-1")]).await.unwrap()), (1, 1, 0, vec![]), "{vin:?}");
        }
        let two_lines = set_ok(&yard, Some(8), &["BG3 0001", "BG30001"]).await;
        assert_eq!((two_lines.updated, two_lines.not_found.len()), (0, 1), "the first line shows which car both lines mean");
    })
    .await;
}

async fn file(yard: &Yard, rows: Vec<EditRow>) -> i64 {
    let ask = BulkEditRequest { rows, dry_run: false, source: "changes.csv".into() };
    assert_eq!(yard.bulk().bulk_edit(yard.long_request(3, Role::Admin, ask)).await.unwrap().into_inner().total_errors, 0);
    jobs(yard, Role::Admin).await[0].id
}

fn row(serial: u32) -> EditRow {
    EditRow { line: i64::from(serial), model_code: "HB20".into(), serial_number: format!("{serial:06}"), ..EditRow::default() }
}

/// Returns the vehicles sorted by VIN, without the user and time of their last change.
async fn seen(yard: &Yard) -> Vec<Vehicle> {
    let mut all = yard.walk().await;
    for vehicle in &mut all {
        (vehicle.modified_by, vehicle.modified_at, vehicle.version) = (None, None, 0);
    }
    all
}

#[tokio::test]
async fn undo_restores_every_kind_of_bulk_change() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "B-2", "C-3", "- 12"]).await;
        let first = yard.walk().await.iter().find(|vehicle| vehicle.serial_number == "000001").unwrap().id;
        let noted = SaveVehicleRequest {
            operator_notes: Some("seen".into()),
            admin_notes: Some("mine".into()),
            ..status(first, VehicleStatus::Ng)
        };
        yard.save(Role::Admin, noted).await.unwrap();
        let mut states = vec![seen(&yard).await];
        set(&yard, &[1, 2, 3, 4], VehicleStatus::Ok).await;
        states.push(seen(&yard).await);
        bulk(&yard, Role::Admin, &[1, 2], StatusAction::Remove, VehicleStatus::Unspecified).await;
        states.push(seen(&yard).await);
        let rows = ["Q-9", "D-1"]
            .iter()
            .zip([1, 4])
            .map(|(space, n)| ParkingSpaceChange { vin: format!("HB20 {n:06}"), parking_space: (*space).into() });
        let ask = BulkParkingSpaceRequest { rows: rows.collect(), ..BulkParkingSpaceRequest::default() };
        yard.bulk().bulk_parking_space(yard.long_request(3, Role::Manager, ask)).await.unwrap();
        states.push(seen(&yard).await);
        let edited = EditRow { parking_space: Some("?".into()), status: Some("Repair".into()), admin_notes: Some("new".into()), ..row(3) };
        file(&yard, vec![edited, EditRow { operator_notes: Some("one\ntwo".into()), ..row(1) }]).await;
        let all = jobs(&yard, Role::Admin).await;
        let listed: Vec<_> = all.iter().map(|job| (job.kind(), job.detail.as_str(), job.vehicles, job.user_id)).collect();
        let kinds = [(JobKind::File, "changes.csv", 2), (JobKind::Space, "", 2), (JobKind::Status, "", 2), (JobKind::Status, "ok", 4)];
        assert_eq!(listed[..4], kinds.map(|(kind, detail, vehicles)| (kind, detail, vehicles, Some(3))));
        assert_eq!((all[4].kind(), all[4].detail.as_str(), all[0].campaigns[0].name.as_str()), (JobKind::Import, "cars.xlsx", "Recall A"));
        for (job, before) in all[..4].iter().zip(states.iter().rev()) {
            assert_eq!(job.hindrance(), UndoBlocker::Unspecified);
            let done = undo(&yard, Role::Admin, job.id).await.unwrap();
            assert_eq!((done.undone, done.restored, done.total_left, done.deleted), (true, job.vehicles, 0, 0), "{job:?}");
            assert_eq!(&seen(&yard).await, before, "after undoing {job:?}");
            yard.counters_equal_the_rows().await;
            assert_eq!(undo(&yard, Role::Admin, job.id).await.unwrap(), done, "a repeated undo returns the same and changes nothing");
        }
        let undone = jobs(&yard, Role::Manager).await;
        assert!(
            undone[..4].iter().all(|job| job.hindrance() == UndoBlocker::Undone && job.undone_by == Some(5) && job.undone_at.is_some())
        );
        assert_eq!(yard.vehicle(first).await.version, 10, "a vehicle's version only increases");
    })
    .await;
}

#[tokio::test]
async fn undo_skips_and_lists_vehicles_changed_since() {
    each_database(async |host| {
        let yard = Yard::with(host.clone(), &["A-1", "A-2", "A-3"]).await;
        let job = set(&yard, &[1, 2, 3], VehicleStatus::Ok).await;
        let second = yard.walk().await[1].id;
        yard.save(Role::Admin, status(second, VehicleStatus::Ng)).await.unwrap();
        let done = undo(&yard, Role::Manager, job).await.unwrap();
        assert_eq!((done.undone, done.restored, done.total_left), (true, 2, 1));
        assert_eq!(
            (done.left[0].id, done.left[0].vin_number.as_str(), done.left[0].campaign_name.as_str()),
            (second, "HB20 000002", "Recall A")
        );
        let walk = yard.walk().await;
        let found: Vec<_> = walk.iter().map(|vehicle| (vehicle.status(), vehicle.inspected)).collect();
        assert_eq!(found, [(VehicleStatus::Unspecified, false), (VehicleStatus::Ng, true), (VehicleStatus::Unspecified, false)]);
        yard.counters_equal_the_rows().await;
        assert_eq!(undo(&yard, Role::Manager, job).await.unwrap(), done);
        let ask = yard.person(1, Role::Operator).grpc_request(ListEventsRequest { limit: 10, ..ListEventsRequest::default() });
        let events = AuditServiceClient::new(host.channels.vehicle.clone()).list_events(ask).await.unwrap().into_inner().events;
        let summaries: Vec<_> =
            events.iter().filter(|event| event.subject == format!("job {job}")).map(|event| event.summary.as_str()).collect();
        assert_eq!(summaries, ["change undone: 2 vehicles restored, 1 skipped"], "a repeated undo adds no audit entry");
    })
    .await;
}

#[tokio::test]
async fn a_job_can_be_undone_after_the_later_job_on_the_same_vehicles() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let first = set(&yard, &[1, 2], VehicleStatus::Ok).await;
        let later = set(&yard, &[1, 2], VehicleStatus::Ng).await;
        let refused = undo(&yard, Role::Manager, first).await.unwrap();
        assert_eq!((refused.undone, refused.restored, refused.total_left), (false, 0, 2));
        assert_eq!(jobs(&yard, Role::Manager).await[1].hindrance(), UndoBlocker::Unspecified, "the job can still be undone");
        assert!(undo(&yard, Role::Manager, later).await.unwrap().undone);
        assert_eq!(undo(&yard, Role::Manager, first).await.unwrap().restored, 2, "the undo of the later job makes this one possible");
        assert!(yard.walk().await.iter().all(|vehicle| !vehicle.inspected));
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn only_supervisors_undo_changes_of_supervisor_notes() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let job = file(&yard, vec![EditRow { admin_notes: Some("mine".into()), ..row(1) }]).await;
        assert_eq!(jobs(&yard, Role::Manager).await[0].hindrance(), UndoBlocker::Supervisor);
        let refused = undo(&yard, Role::Manager, job).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused)), (tonic::Code::PermissionDenied, Some(ErrorReason::FieldNotAllowed)));
        assert_eq!(yard.walk().await[0].admin_notes, "mine");
        let cleared = bulk(&yard, Role::Admin, &[1], StatusAction::Insert, VehicleStatus::Ok).await;
        assert_eq!(jobs(&yard, Role::Manager).await[0].hindrance(), UndoBlocker::Unspecified, "a team leader may undo it");
        undo(&yard, Role::Manager, cleared).await.unwrap();
        assert_eq!(undo(&yard, Role::Admin, job).await.unwrap().restored, 1);
        assert_eq!(yard.walk().await[0].admin_notes, "");
        let operator = undo(&yard, Role::Operator, job).await.unwrap_err();
        assert_eq!(operator.code(), tonic::Code::PermissionDenied);
    })
    .await;
}

#[tokio::test]
async fn an_undo_reports_the_milestone_that_it_reverses() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let job = set(&yard, &[1, 2], VehicleStatus::Ok).await;
        yard.wait_for_milestone(Milestone::Complete).await;
        assert_eq!(yard.progress().await.next, None);
        undo(&yard, Role::Manager, job).await.unwrap();
        yard.wait_for_milestone(Milestone::Incomplete).await;
        let reported: Vec<_> = yard.milestones.lock().unwrap().iter().map(|report| report.milestone()).collect();
        assert_eq!(reported, [Milestone::Complete, Milestone::Incomplete]);
        assert_eq!((yard.progress().await.total_inspected, yard.progress().await.next), (0, Some(yard.walk().await[0].id)));
    })
    .await;
}

#[tokio::test]
async fn no_job_is_undone_in_a_closed_campaign_and_deleted_vehicles_are_counted() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        yard.import(8, &["B-1", "B-2", "B-3"]).await.unwrap();
        yard.open(8, "Recall B", 1).await;
        let job = set(&yard, &[1, 2, 3], VehicleStatus::Ok).await;
        yard.gate(8, "Recall B", Gate::Closed, 2).await;
        let refused = undo(&yard, Role::Admin, job).await.unwrap_err();
        assert!(reason(&refused) == Some(ErrorReason::CampaignClosed) && refused.message().contains("Recall B"), "{refused:?}");
        assert_eq!(jobs(&yard, Role::Admin).await[0].hindrance(), UndoBlocker::Closed);
        let ask = patio_proto::vehicle::RemoveCampaignRequest { campaign_id: 8 };
        yard.fleet().remove_campaign(yard.service().grpc_request(ask)).await.unwrap();
        let done = undo(&yard, Role::Admin, job).await.unwrap();
        assert_eq!((done.restored, done.deleted, done.total_left), (2, 3, 0));
        let shown = &jobs(&yard, Role::Admin).await[0];
        assert_eq!(
            shown.campaigns.iter().map(|c| (c.name.as_str(), c.deleted)).collect::<Vec<_>>(),
            [("Recall A", false), ("Recall B", true)]
        );
        let all_gone = set(&yard, &[1], VehicleStatus::Ok).await;
        let ask = patio_proto::vehicle::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().grpc_request(ask)).await.unwrap();
        assert_eq!(reason(&undo(&yard, Role::Admin, all_gone).await.unwrap_err()), Some(ErrorReason::NoCampaign));
        assert_eq!(reason(&undo(&yard, Role::Admin, 987_654).await.unwrap_err()), Some(ErrorReason::NoJob));
    })
    .await;
}

#[tokio::test]
async fn jobs_are_deleted_after_their_retention() {
    each_database(async |host| {
        let yard = Yard::with(host.clone(), &["A-1", "A-2"]).await;
        let job = set(&yard, &[1, 2], VehicleStatus::Ok).await;
        let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        let before = host.clock.now() - vehicle_svc::bulk_changes::job_history::JOB_RETENTION;
        assert_eq!(vehicle_svc::bulk_changes::job_history::purge_expired_jobs(&db, before).await.unwrap(), 0, "no job has expired yet");
        assert_eq!(vehicle_svc::bulk_changes::job_history::purge_expired_jobs(&db, host.clock.now()).await.unwrap(), 2);
        assert!(jobs(&yard, Role::Admin).await.is_empty());
        assert_eq!(reason(&undo(&yard, Role::Admin, job).await.unwrap_err()), Some(ErrorReason::NoJob));
        assert_eq!(yard.walk().await[0].status(), VehicleStatus::Ok, "the job's changes remain");
    })
    .await;
}

#[tokio::test]
async fn equal_and_individual_changes_of_one_file_are_undone_together() {
    each_database(async |host| {
        let spaces: Vec<String> = (1..=150).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        set(&yard, &(1..=20).collect::<Vec<_>>(), VehicleStatus::Ng).await;
        let before = seen(&yard).await;
        let rows = (1..=150).map(|n| EditRow {
            status: Some(if n % 10 == 0 { "Repair" } else { "ok" }.into()),
            operator_notes: (n == 7).then(|| "dent".into()),
            parking_space: (n == 8).then(|| "C-1".into()),
            ..row(n)
        });
        let job = file(&yard, rows.collect()).await;
        for vehicle in yard.walk().await {
            let n: u32 = vehicle.serial_number.parse().unwrap();
            assert_eq!(vehicle.status(), if n.is_multiple_of(10) { VehicleStatus::Repair } else { VehicleStatus::Ok }, "{n}");
            assert_eq!(vehicle.inspected, !n.is_multiple_of(10), "{n}");
            assert_eq!((vehicle.operator_notes == "dent", vehicle.parking_space == "C-1"), (n == 7, n == 8), "{n}");
            assert_eq!(vehicle.version, if n <= 20 { 3 } else { 2 }, "{n}");
        }
        yard.counters_equal_the_rows().await;
        assert_eq!(undo(&yard, Role::Admin, job).await.unwrap().restored, 150);
        assert_eq!(seen(&yard).await, before);
        yard.counters_equal_the_rows().await;
    })
    .await;
}

/// Statements that store a job's snapshots as the previous version did: one row per vehicle.
const AS_BEFORE: [&str; 2] = [
    "insert into job_changes (job_id, vehicle_id, content_before, content_after, status, inspected, parking_space, yard_id, operator_notes,
                              admin_notes)
     select k.job_id, v.id, v.version - 1, v.version, '', false, v.parking_space, v.yard_id, '', ''
       from vehicles v cross join (select distinct job_id from job_parts) k",
    "delete from job_parts",
];

#[tokio::test]
async fn jobs_of_the_previous_version_are_undone_and_deleted() {
    each_database(async |host| {
        let yard = Yard::with(host.clone(), &["A-1", "A-2", "A-3"]).await;
        let before = seen(&yard).await;
        let job = set(&yard, &[1, 2, 3], VehicleStatus::Ok).await;
        let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        for text in AS_BEFORE {
            db.write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(text).execute(c).await.map(drop)) }))
                .await
                .unwrap();
        }
        let third = yard.walk().await[2].id;
        yard.save(Role::Admin, status(third, VehicleStatus::Ng)).await.unwrap();
        let done = undo(&yard, Role::Manager, job).await.unwrap();
        assert_eq!((done.restored, done.total_left, done.left[0].id), (2, 1, third));
        assert_eq!(seen(&yard).await[..2], before[..2]);
        yard.counters_equal_the_rows().await;
        assert_eq!(undo(&yard, Role::Manager, job).await.unwrap(), done);
        assert_eq!(vehicle_svc::bulk_changes::job_history::purge_expired_jobs(&db, host.clock.now()).await.unwrap(), 2);
        assert!(jobs(&yard, Role::Admin).await.is_empty());
    })
    .await;
}
