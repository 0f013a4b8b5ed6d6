//! Number of SQL statements: a page or a bulk change needs a fixed number, regardless of its size.
//!
//! Each test runs in its own process, because it counts every statement of the process.
use crate::yard::{CAMPAIGN, Yard};
use patio_proto::{access::Role, common::Page, vehicle as pb};
use patio_testing::{LONG_CALL_TIMEOUT, each_database, runs_alone, statements};

/// Asserts that a page has `rows` rows and takes `most` statements.
async fn costs(yard: &Yard, ask: pb::ListVehiclesRequest, (rows, most): (usize, usize)) {
    statements::taken("").await;
    let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
    assert_eq!(reply.vehicles.len(), rows);
    let mut taken = statements::taken("campaign").await;
    taken.retain(|statement| !statement.contains("from turns")); // the milestone outbox is read in the background
    assert_eq!(taken.len(), most, "{taken:#?}");
}

#[tokio::test]
async fn a_page_costs_the_same_statements_whatever_its_size_and_the_tables() {
    if !runs_alone("statements::a_page_costs_the_same_statements_whatever_its_size_and_the_tables") {
        return;
    }
    statements::listen();
    each_database(async |host| {
        let spaces: Vec<String> = (0..700).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let page = |size| pb::ListVehiclesRequest { campaign_id: CAMPAIGN, page: Some(Page { index: 1, size }), ..Default::default() };
        let searched = |size| pb::ListVehiclesRequest { search: "a-".into(), ..page(size) };
        for size in [10, 200] {
            costs(&yard, page(size), (usize::try_from(size).unwrap(), 2)).await; // one for the campaign with its count, one for the page
            costs(&yard, searched(size), (usize::try_from(size).unwrap(), 3)).await; // and one that counts the matches
        }
        statements::taken("").await;
        let ask = pb::GetProgressRequest { campaign_ids: vec![CAMPAIGN, 8, 9], ..Default::default() };
        yard.yards().get_progress(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap();
        assert_eq!(statements::taken("campaigns").await.len(), 1, "progress of any number of campaigns is one statement");
    })
    .await;
}

/// Returns the number of statements that a bulk call takes, without those of background tasks.
async fn taken_by<T>(call: impl Future<Output = Result<T, tonic::Status>>) -> usize {
    statements::taken("").await;
    if let Err(status) = call.await {
        panic!("{status:?}");
    }
    let mut taken = statements::taken(" ").await;
    let beside = ["select 1", "from turns", "from jobs where", "audit_seals", "audit_digests", "pragma", "begin", "commit", "emit_message"];
    taken.retain(|statement| !beside.iter().any(|word| statement.to_lowercase().contains(word)));
    taken.len()
}

#[tokio::test]
async fn a_change_of_many_vehicles_costs_the_same_statements_however_many_there_are() {
    if !runs_alone("statements::a_change_of_many_vehicles_costs_the_same_statements_however_many_there_are") {
        return;
    }
    statements::listen();
    each_database(async |host| {
        let spaces: Vec<String> = (0..600).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let person = yard.person(3, Role::Manager);
        let vins = |range: std::ops::Range<i32>| range.map(|n| format!("HB20 {n:06}"));
        let mut costs = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        for range in [1..3, 3..600] {
            let ask = pb::BulkStatusRequest {
                vins: vins(range.clone()).collect(),
                action: pb::StatusAction::Insert.into(),
                status: pb::VehicleStatus::Ok.into(),
                ..Default::default()
            };
            costs[0].push(taken_by(yard.bulk().bulk_status(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, ask))).await);
            let rows = vins(range.clone()).map(|vin| pb::ParkingSpaceChange { vin, parking_space: "B-1".into() }).collect();
            costs[1].push(
                taken_by(yard.bulk().bulk_parking_space(
                    person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkParkingSpaceRequest { rows, ..Default::default() }),
                ))
                .await,
            );
            let rows = range.map(|n| pb::EditRow {
                model_code: "HB20".into(),
                serial_number: format!("{n:06}"),
                operator_notes: Some("seen".into()),
                ..Default::default()
            });
            costs[2].push(
                taken_by(yard.bulk().bulk_edit(
                    person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkEditRequest { rows: rows.collect(), ..Default::default() }),
                ))
                .await,
            );
            let page = pb::ListJobsRequest { page: Some(Page { index: 0, size: 1 }) };
            let id = yard.jobs().list_jobs(person.grpc_request(page)).await.unwrap().into_inner().jobs[0].id;
            costs[3]
                .push(taken_by(yard.jobs().undo_job(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::UndoJobRequest { id }))).await);
        }
        // Hundreds of vehicles cost no more than two. The margin covers a milestone, the counter of another yard, the
        // change list, and statements of background tasks on a busy machine.
        assert!(
            costs.iter().all(|few_and_many| few_and_many.iter().max() < Some(&24) && few_and_many[1] <= few_and_many[0] + 6),
            "{costs:?}"
        );
    })
    .await;
}
