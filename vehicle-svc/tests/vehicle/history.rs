//! History of a vehicle: who changed what, when and how.
use crate::{
    jobs::{bulk, undo},
    yard::{CAMPAIGN, Yard, status},
};
use patio_proto::{
    access::Role,
    common::HistoryWindow,
    vehicle::{
        Base, BulkParkingSpaceRequest, Field, JobEvent, JobKind, ListCampaignJobsRequest, ListUserJobsRequest, ListVehicleHistoryRequest,
        ListVehicleHistoryResponse, OnConflict, Origin, ParkingSpaceChange, SaveVehicleRequest, Side, StatusAction, VehicleChange,
        VehicleStatus,
    },
};
use patio_testing::each_database;
use tonic::{Code, Status};

/// User ids of two inspectors.
const ANA: i64 = 14;
const BIA: i64 = 15;

impl Yard {
    async fn history_of(&self, role: Role, ask: ListVehicleHistoryRequest) -> Result<ListVehicleHistoryResponse, Status> {
        self.history().list_vehicle_history(self.person(9, role).grpc_request(ask)).await.map(tonic::Response::into_inner)
    }

    async fn saved_by(&self, who: i64, save: SaveVehicleRequest) {
        self.vehicles().save_vehicle(self.person(who, Role::Operator).grpc_request(save)).await.unwrap();
    }
}

/// Describes a change by its kind, its user, and each changed field with its old and new value.
fn short(change: &VehicleChange) -> String {
    let fields = change.fields.iter().map(|field| format!(" {:?} '{}' to '{}'", field.field(), field.old, field.new)).collect::<String>();
    format!("{:?} by {}:{fields}", change.kind(), change.user_id.unwrap_or_default())
}

/// Makes one change of each kind to the first vehicle. Returns the vehicle's id.
async fn changed_in_every_way(yard: &Yard) -> i64 {
    let vehicle = yard.walk().await.remove(0);
    let id = vehicle.id;
    yard.saved_by(ANA, SaveVehicleRequest { origin: Origin::Scanned.into(), ..status(id, VehicleStatus::Ng) }).await;
    let saw_none = Base { status: Some(VehicleStatus::Unspecified.into()), ..Base::default() };
    let late = SaveVehicleRequest { base: Some(saw_none), on_conflict: OnConflict::Keep.into(), ..status(id, VehicleStatus::Ok) };
    yard.saved_by(BIA, late).await;
    let conflict =
        yard.conflicts().list_conflicts(yard.person(9, Role::Admin).grpc_request(Default::default())).await.unwrap().into_inner();
    let choice = patio_proto::vehicle::ResolveConflictRequest { id: conflict.conflicts[0].id, choice: Side::Mine.into() };
    yard.conflicts().resolve_conflict(yard.person(9, Role::Admin).grpc_request(choice)).await.unwrap();
    bulk(yard, Role::Manager, &[vehicle.serial_number.parse().unwrap()], StatusAction::Insert, VehicleStatus::Repair).await;
    let vin = format!("{} {}", vehicle.model_code, vehicle.serial_number);
    let rows = vec![ParkingSpaceChange { vin, parking_space: "C-9".to_owned() }];
    yard.bulk()
        .bulk_parking_space(yard.long_request(3, Role::Manager, BulkParkingSpaceRequest { rows, ..Default::default() }))
        .await
        .unwrap();
    let notes = SaveVehicleRequest { id, operator_notes: Some("scratch".to_owned()), ..SaveVehicleRequest::default() };
    yard.saved_by(ANA, notes).await;
    id
}

#[tokio::test]
async fn the_history_contains_saves_conflicts_and_bulk_changes_with_old_and_new_values() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let id = changed_in_every_way(&yard).await;
        let all =
            yard.history_of(Role::Manager, ListVehicleHistoryRequest { vehicle_id: id, limit: 50, ..Default::default() }).await.unwrap();
        assert_eq!(all.next, None);
        let changes: Vec<_> = all.changes.iter().map(short).collect();
        let expected = [
            "Save by 14: OperatorNotes '' to 'scratch'",
            "BulkSpace by 3: ParkingSpace 'A-1' to 'C-9'",
            "BulkStatus by 3: Status 'ok' to 'Repair'",
            "Conflict by 9: Status 'ng' to 'ok'",
            "Save by 15: Status 'ng' to 'ok'",
            "Save by 14: Status '' to 'ng'",
            "Import by 3:",
        ];
        assert_eq!(changes, expected);
        assert!(all.changes[4].fields[0].in_conflict && !all.changes[5].fields[0].in_conflict);
        assert_eq!((all.changes[5].origin(), all.changes[0].origin()), (Origin::Scanned, Origin::Unspecified));
        assert!(all.changes[1].job_id.is_some() && all.changes[6].job_id.is_some());
    })
    .await;
}

#[tokio::test]
async fn operators_see_only_changes_of_status_and_parking_space() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let id = changed_in_every_way(&yard).await;
        let ask = ListVehicleHistoryRequest { vehicle_id: id, limit: 50, ..Default::default() };
        let seen = yard.history_of(Role::Operator, ask).await.unwrap().changes;
        assert_eq!(seen.len(), 6, "the change of notes is hidden");
        assert!(seen.iter().flat_map(|change| &change.fields).all(|field| [Field::Status, Field::ParkingSpace].contains(&field.field())));
        let newest = yard.history_of(Role::Operator, ListVehicleHistoryRequest { limit: 1, ..ask }).await.unwrap();
        assert!(newest.changes.is_empty() && newest.next.is_some(), "a page without visible changes leads to the next page");
        let other = ListVehicleHistoryRequest { vehicle_id: 999_999, limit: 50, ..Default::default() };
        assert_eq!(yard.history_of(Role::Admin, other).await.unwrap_err().code(), Code::NotFound);
    })
    .await;
}

#[tokio::test]
async fn pages_of_the_history_join_without_gaps_and_an_undone_job_is_gone() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let id = changed_in_every_way(&yard).await;
        let ask = |before, limit| ListVehicleHistoryRequest { vehicle_id: id, before, limit };
        let all = yard.history_of(Role::Manager, ask(None, 50)).await.unwrap().changes;
        let (mut pages, mut before) = (Vec::new(), None);
        loop {
            let page = yard.history_of(Role::Manager, ask(before, 2)).await.unwrap();
            pages.extend(page.changes);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(pages, all);
        let job = all[1].job_id.unwrap();
        // The last save changed only notes, which the job did not change.
        let undone = undo(&yard, Role::Manager, job).await.unwrap();
        let after = yard.history_of(Role::Manager, ask(None, 50)).await.unwrap().changes;
        assert_eq!(after.iter().any(|change| change.job_id == Some(job)), undone.restored == 0, "{undone:?}");
    })
    .await;
}

impl Yard {
    async fn jobs_of_campaign(&self, role: Role, window: HistoryWindow) -> Result<Vec<JobEvent>, Status> {
        let ask = ListCampaignJobsRequest { campaign_id: CAMPAIGN, window: Some(window) };
        self.history().list_campaign_jobs(self.person(9, role).grpc_request(ask)).await.map(|reply| reply.into_inner().events)
    }
}

#[tokio::test]
async fn pages_of_a_campaigns_jobs_join_and_contain_the_undoing_but_no_saves() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        changed_in_every_way(&yard).await;
        let job = bulk(&yard, Role::Manager, &[2], StatusAction::Insert, VehicleStatus::Ok).await;
        undo(&yard, Role::Manager, job).await.unwrap();
        let all = yard.jobs_of_campaign(Role::Manager, HistoryWindow { limit: 50, ..Default::default() }).await.unwrap();
        let jobs: Vec<_> = all.iter().map(|job| (job.kind(), job.undone, &*job.detail, job.vehicles, job.user_id)).collect();
        let expected = [
            (JobKind::Status, true, "ok", 1, Some(5)),
            (JobKind::Status, false, "ok", 1, Some(3)),
            (JobKind::Space, false, "", 1, Some(3)),
            (JobKind::Status, false, "Repair", 1, Some(3)),
        ];
        assert_eq!(jobs, expected);
        let (mut pages, mut window) = (Vec::new(), HistoryWindow { limit: 1, ..Default::default() });
        while let Some(job) = yard.jobs_of_campaign(Role::Manager, window).await.unwrap().pop() {
            window = HistoryWindow { before: job.at, before_id: job.id, limit: 1 };
            pages.push(job);
        }
        assert_eq!(pages, all);
        assert_eq!(yard.jobs_of_campaign(Role::Operator, window).await.unwrap_err().code(), Code::PermissionDenied);
    })
    .await;
}

#[tokio::test]
async fn the_jobs_of_a_person_are_those_that_the_person_made_or_undid() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        changed_in_every_way(&yard).await;
        let of = async |role, user_id| {
            let ask = ListUserJobsRequest { user_id, window: Some(HistoryWindow { limit: 50, ..Default::default() }) };
            yard.history().list_user_jobs(yard.person(9, role).grpc_request(ask)).await.map(|reply| reply.into_inner().events)
        };
        let made = of(Role::Admin, 3).await.unwrap();
        let jobs: Vec<_> = made.iter().map(|job| (job.kind(), job.undone, job.vehicles)).collect();
        assert_eq!(jobs, [(JobKind::Space, false, 1), (JobKind::Status, false, 1)]);
        let job = bulk(&yard, Role::Manager, &[2], StatusAction::Insert, VehicleStatus::Ok).await;
        undo(&yard, Role::Manager, job).await.unwrap();
        let undone = of(Role::Admin, 5).await.unwrap();
        assert_eq!(undone.iter().map(|job| (job.kind(), job.undone, job.user_id)).collect::<Vec<_>>(), [(JobKind::Status, true, Some(5))]);
        assert_eq!(of(Role::Manager, 3).await.unwrap_err().code(), Code::PermissionDenied);
    })
    .await;
}

#[tokio::test]
async fn a_full_page_of_saves_leads_to_older_saves_and_the_last_page_ends_with_the_import() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        for note in ["one", "two", "three", "four"] {
            yard.saved_by(ANA, SaveVehicleRequest { id, operator_notes: Some(note.to_owned()), ..SaveVehicleRequest::default() }).await;
        }
        let ask = |before| ListVehicleHistoryRequest { vehicle_id: id, before, limit: 2 };
        let first = yard.history_of(Role::Manager, ask(None)).await.unwrap();
        assert!(first.changes.len() == 2 && first.next.is_some(), "{first:?}");
        let last = yard.history_of(Role::Manager, ask(first.next)).await.unwrap();
        let changes: Vec<_> = last.changes.iter().map(short).collect();
        let expected = ["Save by 14: OperatorNotes 'one' to 'two'", "Save by 14: OperatorNotes '' to 'one'", "Import by 3:"];
        assert_eq!(changes, expected);
        assert_eq!((last.changes[2].file.as_str(), last.next), ("cars.xlsx", None));
    })
    .await;
}
