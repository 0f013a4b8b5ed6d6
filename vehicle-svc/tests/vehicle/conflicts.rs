//! Three-way merge of saves: merged fields, conflicts with two values, and their resolution.
use crate::yard::{CAMPAIGN, Yard, status};
use chrono::TimeDelta;
use futures::StreamExt;
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    audit::{ListEventsRequest, audit_service_client::AuditServiceClient},
    vehicle::{self as pb, Base, Field, Gate, OnConflict, SaveVehicleRequest, Side, VehicleStatus},
};
use patio_testing::each_database;
use tonic::{Response, Status};

/// User ids of two inspectors, a team leader and a supervisor.
const ANA: i64 = 14;
const BIA: i64 = 15;
const LEADER: i64 = 16;
const CHIEF: i64 = 17;

/// Returns a merging save that sets the status `wants`, from a client that saw the status `saw`.
pub fn by_field(id: i64, saw: VehicleStatus, wants: VehicleStatus) -> SaveVehicleRequest {
    let base = Some(Base { status: Some(saw.into()), ..Default::default() });
    SaveVehicleRequest { base, on_conflict: OnConflict::Keep.into(), ..status(id, wants) }
}

/// Returns a merging save that sets the notes `wants`, from a client that saw the notes `saw`.
fn notes(id: i64, saw: &str, wants: &str) -> SaveVehicleRequest {
    let base = Some(Base { operator_notes: Some(saw.into()), ..Default::default() });
    SaveVehicleRequest { id, base, operator_notes: Some(wants.into()), on_conflict: OnConflict::Keep.into(), ..Default::default() }
}

impl Yard {
    async fn as_who(&self, (who, role): (i64, Role), save: SaveVehicleRequest) -> Result<pb::Vehicle, Status> {
        self.vehicles().save_vehicle(self.long_request(who, role, save)).await.map(Response::into_inner)
    }

    pub async fn by(&self, who: i64, save: SaveVehicleRequest) -> Result<pb::Vehicle, Status> {
        self.as_who((who, Role::Operator), save).await
    }

    async fn settle(&self, who: i64, role: Role, id: i64, choice: Side) -> Result<pb::Vehicle, Status> {
        let ask = pb::ResolveConflictRequest { id, choice: choice.into() };
        self.conflicts().resolve_conflict(self.person(who, role).grpc_request(ask)).await.map(Response::into_inner)
    }

    async fn listed(&self, who: i64, role: Role, ask: pb::ListConflictsRequest) -> Vec<pb::Conflict> {
        let reply = self.conflicts().list_conflicts(self.person(who, role).grpc_request(ask)).await.unwrap().into_inner();
        assert_eq!(reply.meta.unwrap().total_count, reply.conflicts.len() as i64);
        reply.conflicts
    }
}

#[tokio::test]
async fn changes_to_different_fields_merge_regardless_of_the_version() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let id = yard.walk().await[0].id;
        yard.by(ANA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ng)).await.unwrap();
        let late = SaveVehicleRequest { if_version: Some(1), ..notes(id, "", "scratch") };
        let merged = yard.by(BIA, late).await.unwrap();
        assert_eq!((merged.status(), merged.operator_notes.as_str(), merged.version), (VehicleStatus::Ng, "scratch", 3));
        assert_eq!((merged.open_conflicts, merged.conflicts.len()), (0, 0));
        let same = yard.by(BIA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ng)).await.unwrap();
        assert_eq!((same.conflicts.len(), same.status()), (0, VehicleStatus::Ng), "equal values are no conflict");
        let not_named = SaveVehicleRequest { status: Some(VehicleStatus::Repair.into()), ..notes(id, "scratch", "dent") };
        let after = yard.by(BIA, not_named).await.unwrap();
        assert_eq!((after.status(), after.operator_notes.as_str()), (VehicleStatus::Ng, "dent"), "only fields named in the base change");
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_conflicting_field_keeps_both_values_and_shows_the_stored_one() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let (first, second) = (yard.walk().await[0].id, yard.walk().await[1].id);
        for (id, one, other, shows, side) in [
            (first, VehicleStatus::Ok, VehicleStatus::Ng, VehicleStatus::Ok, Side::Theirs),
            (second, VehicleStatus::Ng, VehicleStatus::Ok, VehicleStatus::Ng, Side::Theirs),
        ] {
            yard.by(ANA, by_field(id, VehicleStatus::Unspecified, one)).await.unwrap();
            // Another user saves notes in between: the author of the status is still Ana.
            yard.by(LEADER, notes(id, "", "seen")).await.unwrap();
            let late = yard.by(BIA, by_field(id, VehicleStatus::Unspecified, other)).await.unwrap();
            assert_eq!((late.status(), late.open_conflicts, late.version), (shows, 1, 4));
            let conflict = &late.conflicts[0];
            assert_eq!((conflict.field(), conflict.shown(), conflict.chosen()), (Field::Status, side, Side::Unspecified));
            assert_eq!((conflict.theirs_by, conflict.mine_by), (Some(ANA), BIA));
            let text = |status| patio_proto::status::vehicle_status_text(status);
            assert_eq!((&*conflict.base, &*conflict.theirs, &*conflict.mine), ("", text(one), text(other)));
            assert_eq!(yard.vehicle(id).await.open_conflicts, 1);
        }
        let ask = yard.person(1, Role::Operator).grpc_request(ListEventsRequest { limit: 1, ..ListEventsRequest::default() });
        let events = AuditServiceClient::new(yard.host.channels.vehicle.clone()).list_events(ask).await.unwrap().into_inner().events;
        assert!(events[0].summary.contains(" entered as ok, in conflict with ng, "), "{}", events[0].summary);
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn notes_in_conflict_stay_as_stored_while_the_other_fields_are_saved() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        yard.by(ANA, notes(id, "", "by ana")).await.unwrap();
        let base = Base { operator_notes: Some(String::new()), status: Some(0), ..Default::default() };
        let both = SaveVehicleRequest { base: Some(base), status: Some(VehicleStatus::Ok.into()), ..notes(id, "", "by bia") };
        let asked = SaveVehicleRequest { on_conflict: OnConflict::Unspecified.into(), ..both.clone() };
        assert_eq!(reason(&yard.by(BIA, asked).await.unwrap_err()), Some(ErrorReason::StaleVersion));
        assert_eq!((yard.vehicle(id).await.version, yard.vehicle(id).await.inspected), (2, true), "nothing was written");
        let saved = yard.by(BIA, both).await.unwrap();
        assert_eq!((saved.status(), saved.operator_notes.as_str(), saved.conflicts.len()), (VehicleStatus::Ok, "by ana", 1));
        assert_eq!((&*saved.conflicts[0].mine, saved.conflicts[0].shown()), ("by bia", Side::Theirs));
    })
    .await;
}

#[tokio::test]
async fn a_merging_save_respects_field_rights_gate_and_status_steps() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let space = |saw: &str, wants: &str| SaveVehicleRequest {
            id,
            base: Some(Base { parking_space: Some(saw.into()), ..Default::default() }),
            parking_space: Some(wants.into()),
            on_conflict: OnConflict::Keep.into(),
            ..Default::default()
        };
        assert_eq!(reason(&yard.by(ANA, space("A-1", "B-1")).await.unwrap_err()), Some(ErrorReason::FieldNotAllowed));
        yard.as_who((CHIEF, Role::Admin), space("A-1", "B-2")).await.unwrap();
        let along = yard.by(ANA, space("A-1", "A-1")).await.unwrap();
        assert_eq!((&*along.parking_space, along.conflicts.len()), ("B-2", 0), "an unchanged field is no conflict");
        let other = yard.as_who((CHIEF, Role::Admin), space("A-1", "B-3")).await.unwrap();
        assert_eq!((&*other.parking_space, other.conflicts[0].field()), ("B-2", Field::ParkingSpace));
        let skipping = yard.by(ANA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Repair)).await.unwrap_err();
        assert_eq!(reason(&skipping), Some(ErrorReason::StatusNotAllowed));
        yard.by(ANA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ok)).await.unwrap();
        // The vehicle once had the status that Bia saw, and no operator may change ok to hers: both are kept, ok is shown.
        let late = yard.by(BIA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::NotFound)).await.unwrap();
        assert_eq!((late.status(), late.conflicts.len()), (VehicleStatus::Ok, 1));
        let invented = yard.by(BIA, by_field(id, VehicleStatus::GateOut, VehicleStatus::GateOut)).await.unwrap_err();
        assert_eq!(reason(&invented), Some(ErrorReason::StatusNotAllowed), "the vehicle never had the status Gate Out");
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 2).await;
        let closed = yard.by(ANA, by_field(id, VehicleStatus::Ok, VehicleStatus::Repair)).await.unwrap_err();
        assert_eq!(reason(&closed), Some(ErrorReason::CampaignClosed));
    })
    .await;
}

#[tokio::test]
async fn a_repeated_save_returns_the_current_vehicle_and_the_conflicts_of_the_first_save() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        yard.by(ANA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ok)).await.unwrap();
        let moment = patio_kit::clock::to_timestamp(yard.host.clock.now() - TimeDelta::days(1));
        let late = SaveVehicleRequest {
            idempotency_key: "k".into(),
            device_time: Some(moment),
            device: "phone 7".into(),
            ..by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ng)
        };
        // First from the screen, where the response was lost; then from the outbox, eight times at once.
        let asked = SaveVehicleRequest { on_conflict: OnConflict::Unspecified.into(), device_time: None, ..late.clone() };
        assert_eq!(reason(&yard.by(BIA, asked.clone()).await.unwrap_err()), Some(ErrorReason::StaleVersion));
        let all = futures::future::join_all((0..8).map(|_| yard.by(BIA, late.clone()))).await;
        assert!(all.iter().all(|saved| saved.as_ref().is_ok_and(|v| v.version == 3 && v.conflicts.len() == 1)), "{all:?}");
        yard.host.clock.advance(TimeDelta::days(29));
        let again = yard.by(BIA, asked).await.unwrap();
        assert_eq!((again.version, again.conflicts.len()), (3, 1));
        assert_eq!(again.conflicts[0].device_time, Some(moment), "as the device reported it");
        assert_eq!(yard.listed(LEADER, Role::Manager, pb::ListConflictsRequest::default()).await.len(), 1);
        let ask = patio_proto::audit::ListEventsRequest { limit: 1, ..Default::default() };
        let mut audit = patio_proto::audit::audit_service_client::AuditServiceClient::new(yard.host.channels.vehicle.clone());
        let event = audit.list_events(yard.person(1, Role::Admin).grpc_request(ask)).await.unwrap().into_inner().events.remove(0);
        assert!(event.new_values.contains("phone 7") && event.new_values.contains("status in conflict"), "{event:?}");
    })
    .await;
}

#[tokio::test]
async fn a_team_leader_resolves_a_conflict_once_and_both_inspectors_see_the_result() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        yard.by(ANA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ok)).await.unwrap();
        let conflict = yard.by(BIA, by_field(id, VehicleStatus::Unspecified, VehicleStatus::Ng)).await.unwrap().conflicts[0].id;
        let refused = yard.settle(ANA, Role::Operator, conflict, Side::Theirs).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NotAllowed));
        let nobody = yard.settle(LEADER, Role::Manager, conflict + 99, Side::Theirs).await.unwrap_err();
        assert_eq!(reason(&nobody), Some(ErrorReason::NoConflict));
        let settled = yard.settle(LEADER, Role::Manager, conflict, Side::Mine).await.unwrap();
        assert_eq!((settled.status(), settled.open_conflicts, settled.modified_by), (VehicleStatus::Ng, 0, Some(LEADER)));
        let again = yard.settle(LEADER, Role::Manager, conflict, Side::Mine).await.unwrap_err();
        assert_eq!(reason(&again), Some(ErrorReason::ConflictSettled));
        for who in [ANA, BIA] {
            let ask = pb::ListConflictsRequest { settled: Some(true), ..Default::default() };
            let seen = yard.listed(who, Role::Operator, ask).await;
            assert_eq!((seen[0].id, seen[0].chosen(), seen[0].settled_by), (conflict, Side::Mine, Some(LEADER)));
        }
        assert!(yard.listed(99, Role::Operator, pb::ListConflictsRequest::default()).await.is_empty(), "conflicts of others are hidden");
        assert!(yard.listed(LEADER, Role::Manager, pb::ListConflictsRequest { mine: true, ..Default::default() }).await.is_empty());
        let open = pb::ListConflictsRequest { settled: Some(false), ..Default::default() };
        assert!(yard.listed(LEADER, Role::Manager, open).await.is_empty());
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_choice_between_outdated_values_is_rejected_and_the_conflict_updated() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        yard.by(ANA, notes(id, "", "by ana")).await.unwrap();
        let conflict = yard.by(BIA, notes(id, "", "by bia")).await.unwrap().conflicts[0].id;
        yard.by(LEADER, notes(id, "by ana", "by the leader")).await.unwrap();
        let refused = yard.settle(LEADER, Role::Manager, conflict, Side::Mine).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::StaleVersion));
        assert_eq!(yard.vehicle(id).await.operator_notes, "by the leader", "nothing was overwritten");
        let renewed = yard.listed(BIA, Role::Operator, pb::ListConflictsRequest::default()).await.remove(0);
        assert_eq!((&*renewed.theirs, renewed.theirs_by, &*renewed.mine), ("by the leader", Some(LEADER), "by bia"));
        let chosen = yard.settle(LEADER, Role::Manager, conflict, Side::Mine).await.unwrap();
        assert_eq!((&*chosen.operator_notes, chosen.open_conflicts), ("by bia", 0));
    })
    .await;
}

#[tokio::test]
async fn only_supervisors_resolve_supervisor_fields_and_a_conflict_is_deleted_with_its_campaign() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let vin = |wants: &str| SaveVehicleRequest {
            id,
            base: Some(Base { vin_number: Some("HB20 000001".into()), ..Default::default() }),
            vin_number: Some(wants.into()),
            on_conflict: OnConflict::Keep.into(),
            ..Default::default()
        };
        yard.as_who((CHIEF, Role::Admin), vin("HB20 000002")).await.unwrap();
        let conflict = yard.as_who((18, Role::Admin), vin("HB20 000003")).await.unwrap().conflicts[0].id;
        let refused = yard.settle(LEADER, Role::Manager, conflict, Side::Mine).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::FieldNotAllowed));
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 2).await;
        let closed = yard.settle(CHIEF, Role::Admin, conflict, Side::Mine).await.unwrap_err();
        assert_eq!(reason(&closed), Some(ErrorReason::CampaignClosed), "a closed campaign accepts no new value");
        yard.gate(CAMPAIGN, "Recall A", Gate::Open, 3).await;
        assert_eq!(yard.settle(CHIEF, Role::Admin, conflict, Side::Mine).await.unwrap().serial_number, "000003");
        let gone = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().grpc_request(gone)).await.unwrap();
        assert!(yard.listed(CHIEF, Role::Admin, pb::ListConflictsRequest::default()).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_forged_base_does_not_allow_a_forbidden_status_change() {
    each_database(async |host| {
        let all = patio_proto::status::ALL_VEHICLE_STATUSES;
        let triples: Vec<_> = all
            .into_iter()
            .flat_map(|stored| all.into_iter().flat_map(move |saw| all.into_iter().map(move |wants| (stored, saw, wants))))
            .collect();
        let roles = [Role::Operator, Role::Manager, Role::Admin];
        let yard = Yard::with(host, &vec!["A-1"; triples.len()]).await;
        let page = |index| pb::ListVehiclesRequest {
            campaign_id: CAMPAIGN,
            page: Some(patio_proto::common::Page { index, size: 200 }),
            ..Default::default()
        };
        for role in roles {
            let mut ids = Vec::new();
            for index in 0..3 {
                let reply =
                    yard.vehicles().list_vehicles(yard.person(CHIEF, Role::Admin).grpc_request(page(index))).await.unwrap().into_inner();
                ids.extend(reply.vehicles.into_iter().map(|vehicle| vehicle.id));
            }
            let save = async |(id, (stored, saw, wants))| {
                yard.as_who((CHIEF, Role::Admin), status(id, stored)).await.unwrap();
                let shows = match yard.as_who((ANA, role), by_field(id, saw, wants)).await {
                    Ok(saved) => saved.status(),
                    Err(refused) => {
                        assert_eq!(reason(&refused), Some(ErrorReason::StatusNotAllowed));
                        yard.vehicle(id).await.status()
                    }
                };
                (stored, saw, wants, shows)
            };
            let saves = ids.into_iter().zip(triples.iter().copied()).map(save);
            // Each save uses its own vehicle. Saves that run at once share their flushes to the disk.
            let outcomes: Vec<_> = futures::stream::iter(saves).buffer_unordered(16).collect().await;
            assert_eq!(outcomes.len(), triples.len());
            let is_forbidden = |&(stored, _, _, shows): &_| !patio_proto::status::is_vehicle_status_change_allowed(role, stored, shows);
            let wrong: Vec<_> = outcomes.into_iter().filter(is_forbidden).collect();
            assert_eq!(wrong, [], "{role:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_user_has_one_conflict_per_field_and_a_limited_number_in_total() {
    each_database(async |host| {
        let yard = Yard::with(host, &vec!["A-1"; 502]).await;
        let mut ids: Vec<i64> = Vec::new();
        let ask = pb::ListAllVehiclesRequest { campaign_id: CAMPAIGN, known: None };
        let mut chunks = yard.vehicles().list_all_vehicles(yard.person(CHIEF, Role::Admin).grpc_request(ask)).await.unwrap().into_inner();
        while let Some(chunk) = chunks.message().await.unwrap() {
            ids.extend(chunk.vehicles.iter().map(|row| row.id));
        }
        yard.by(ANA, notes(ids[0], "", "by ana")).await.unwrap();
        for n in 0..20 {
            let saved = yard.by(BIA, notes(ids[0], "", &format!("try {n}"))).await.unwrap();
            assert_eq!((saved.open_conflicts, saved.conflicts.len(), saved.conflicts[0].mine.as_str()), (1, 1, &*format!("try {n}")));
        }
        for id in &ids[1..500] {
            yard.by(BIA, notes(*id, "never", "mine")).await.unwrap();
        }
        let refused = yard.by(BIA, notes(ids[500], "never", "mine")).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::TooManyConflicts));
        assert_eq!(yard.vehicle(ids[500]).await.version, 1, "the rejected save wrote nothing");
        yard.by(BIA, notes(ids[500], "", "without a conflict")).await.unwrap();
        yard.by(ANA, notes(ids[501], "never", "another person")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn only_supervisors_change_supervisor_notes_in_a_merging_save_and_resolve_their_conflicts() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let remark = |saw: &str, wants: &str| SaveVehicleRequest {
            id,
            base: Some(Base { admin_notes: Some(saw.into()), ..Default::default() }),
            admin_notes: Some(wants.into()),
            on_conflict: OnConflict::Keep.into(),
            ..Default::default()
        };
        for role in [Role::Operator, Role::Manager] {
            let refused = yard.as_who((ANA, role), remark("", "mine")).await.unwrap_err();
            assert_eq!(reason(&refused), Some(ErrorReason::FieldNotAllowed), "{role:?}");
        }
        assert_eq!(yard.vehicle(id).await.version, 1, "nothing was written");
        assert_eq!(yard.as_who((CHIEF, Role::Admin), remark("", "first")).await.unwrap().admin_notes, "first");
        let late = yard.as_who((18, Role::Admin), remark("", "second")).await.unwrap();
        let conflict = &late.conflicts[0];
        assert_eq!((&*late.admin_notes, conflict.field()), ("first", Field::AdminNotes));
        assert_eq!((&*conflict.theirs, &*conflict.mine), ("first", "second"));
        let refused = yard.settle(LEADER, Role::Manager, conflict.id, Side::Mine).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::FieldNotAllowed));
        assert_eq!(yard.settle(CHIEF, Role::Admin, conflict.id, Side::Mine).await.unwrap().admin_notes, "second");
    })
    .await;
}

#[tokio::test]
async fn a_conflict_that_shows_the_later_value_is_resolved_with_either_value() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let choices = [(Side::Theirs, VehicleStatus::Ok), (Side::Mine, VehicleStatus::Ng)];
        for (vehicle, (choice, becomes)) in yard.walk().await.iter().zip(choices) {
            yard.by(ANA, by_field(vehicle.id, VehicleStatus::Unspecified, VehicleStatus::Ok)).await.unwrap();
            let late = by_field(vehicle.id, VehicleStatus::Unspecified, VehicleStatus::Ng);
            let late = yard.as_who((CHIEF, Role::Admin), late).await.unwrap();
            assert_eq!((late.status(), late.open_conflicts), (VehicleStatus::Ng, 1), "the more cautious status is shown");
            assert_eq!(late.conflicts[0].shown(), Side::Mine);
            let settled = yard.settle(LEADER, Role::Manager, late.conflicts[0].id, choice).await.unwrap();
            assert_eq!((settled.status(), settled.open_conflicts), (becomes, 0), "{choice:?}");
        }
        yard.counters_equal_the_rows().await;
    })
    .await;
}
