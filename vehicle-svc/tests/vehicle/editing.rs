//! Bulk edit by file: all rows or none, with a preview in a dry run.
use crate::yard::{CAMPAIGN, Yard};
use patio_proto::{
    access::Role,
    audit::{ListEventsRequest, audit_service_client::AuditServiceClient},
    vehicle::{BulkEditRequest, BulkEditResponse, EditRow, ExportVehiclesRequest, Gate, Vehicle, VehicleStatus},
};
use patio_testing::each_database;
use std::time::Instant;

pub fn row(line: i64, serial: &str) -> EditRow {
    EditRow { line, model_code: "hb20".into(), serial_number: serial.into(), ..EditRow::default() }
}

pub fn status(line: i64, serial: &str, status: &str) -> EditRow {
    EditRow { status: Some(status.into()), ..row(line, serial) }
}

pub async fn edit(yard: &Yard, role: Role, rows: Vec<EditRow>, dry_run: bool) -> BulkEditResponse {
    let ask = BulkEditRequest { rows, dry_run, source: "changes.csv".into() };
    yard.bulk().max_encoding_message_size(16 << 20).bulk_edit(yard.long_request(3, role, ask)).await.unwrap().into_inner()
}

pub fn errors(reply: &BulkEditResponse) -> Vec<(i64, &str)> {
    reply.errors.iter().map(|error| (error.line, error.message.as_str())).collect()
}

#[tokio::test]
async fn only_filled_cells_change_and_the_status_decides_whether_a_vehicle_is_inspected() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "A-3", "A-4"]).await;
        let rows = vec![
            status(2, "000001", "OK"),
            EditRow { parking_space: Some("0-7".into()), ..row(3, "000002") },
            EditRow { operator_notes: Some("one\ntwo".into()), admin_notes: Some("=1+1".into()), ..status(4, "000003", "repair") },
        ];
        let asked = edit(&yard, Role::Admin, rows.clone(), true).await;
        assert_eq!((asked.matched, asked.updated, asked.errors.len()), (3, 3, 0));
        assert!(yard.walk().await.iter().all(|vehicle| vehicle.version == 1), "a dry run writes nothing");
        let done = edit(&yard, Role::Admin, rows, false).await;
        assert_eq!(done, asked);
        let changes: Vec<_> = done.preview[0].changes.iter().map(|c| (c.field.as_str(), c.old.as_str(), c.new.as_str())).collect();
        assert_eq!((done.preview[0].line, changes), (2, vec![("status", "", "ok"), ("inspected", "false", "true")]));
        let walk = yard.walk().await;
        let found = |serial: &str| walk.iter().find(|vehicle| vehicle.serial_number == serial).unwrap().clone();
        let (one, two, three, four) = (found("000001"), found("000002"), found("000003"), found("000004"));
        assert_eq!((one.status(), one.inspected, one.parking_space.as_str(), one.modified_by), (VehicleStatus::Ok, true, "A-1", Some(3)));
        assert_eq!((two.parking_space.as_str(), two.id_yard, two.yard_group.as_str(), two.inspected), ("0-7", Some(12), "0", false));
        assert_eq!((three.status(), three.inspected), (VehicleStatus::Repair, false));
        assert_eq!((three.operator_notes.as_str(), three.admin_notes.as_str()), ("one\ntwo", "=1+1"));
        assert_eq!((four.version, one.version, walk[0].serial_number.as_str()), (1, 2, "000002"));
        edit(&yard, Role::Admin, vec![status(2, "000003", "ng")], false).await;
        edit(&yard, Role::Admin, vec![EditRow { operator_notes: Some("three".into()), ..row(2, "000002") }], false).await;
        let walk = yard.walk().await;
        let kept = |of: &Vehicle, serial: &str| {
            let now = walk.iter().find(|vehicle| vehicle.serial_number == serial).unwrap();
            let place = |vehicle: &Vehicle| (vehicle.parking_space.clone(), vehicle.id_yard, vehicle.yard_group.clone());
            assert_eq!((place(now), &now.admin_notes), (place(of), &of.admin_notes));
            (now.status(), now.inspected, now.operator_notes.clone())
        };
        assert_eq!(kept(&three, "000003"), (VehicleStatus::Ng, true, "one\ntwo".to_owned()));
        assert_eq!(kept(&two, "000002"), (VehicleStatus::Unspecified, false, "three".to_owned()));
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_single_invalid_row_prevents_all_changes() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let rows = vec![
            status(2, "000001", "ok"),
            status(3, "999999", "ok"),
            status(4, "000002", "fine"),
            status(5, "000-001", "ng"),
            EditRow { parking_space: Some("x".repeat(41)), ..row(6, "000002") },
            EditRow { operator_notes: Some("x".repeat(4_001)), ..row(7, "000002") },
        ];
        let refused = edit(&yard, Role::Manager, rows, false).await;
        let row_errors = errors(&refused);
        assert_eq!(row_errors.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
        assert_eq!(row_errors[0].1, "Vehicle not found: hb20 999999.");
        assert!(row_errors[1].1.contains("Use one of: ok, ng, Repair"), "{}", row_errors[1].1);
        assert_eq!(row_errors[2].1, "Same vehicle as in line 2: hb20 000-001.");
        assert_eq!(refused.total_errors, 5);
        assert!(yard.walk().await.iter().all(|vehicle| vehicle.version == 1));
    })
    .await;
}

#[tokio::test]
async fn rows_of_two_cars_with_one_comparison_key_are_both_applied() {
    each_database(async |host| {
        let yard = Yard::beside(host).await;
        for (campaign, model, serial) in [(7, "BG3", "0001"), (8, "BG30", "001")] {
            yard.import_one(campaign, model, serial, "A-1").await;
            yard.open(campaign, &format!("Campaign {campaign}"), 1).await;
        }
        let car = |line: i64, model: &str, serial: &str| EditRow {
            line,
            model_code: model.into(),
            serial_number: serial.into(),
            parking_space: Some(format!("B-{line}")),
            ..EditRow::default()
        };
        let rows = vec![car(2, "BG3", "0001"), car(3, "BG30", "001")];
        let done = edit(&yard, Role::Manager, rows.clone(), false).await;
        assert_eq!((done.matched, done.updated, errors(&done)), (2, 2, vec![]));
        let moved: Vec<_> = done.preview.iter().map(|one| (one.vin_number.as_str(), one.changes[0].new.as_str())).collect();
        assert_eq!(moved, [("BG3 0001", "B-2"), ("BG30 001", "B-3")]);
        let again = edit(&yard, Role::Manager, [rows, vec![car(4, "bg-3", "00-01")]].concat(), true).await;
        assert_eq!(errors(&again), [(4, "Same vehicle as in line 2: bg-3 00-01.")]);
    })
    .await;
}

#[tokio::test]
async fn only_supervisors_edit_supervisor_notes_and_closed_campaigns_are_rejected() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let rows = vec![EditRow { admin_notes: Some("mine".into()), ..row(2, "000001") }];
        let refused = edit(&yard, Role::Manager, rows.clone(), false).await;
        assert_eq!(errors(&refused), [(2, "Only supervisors can change Supervisor Notes.")]);
        assert_eq!(edit(&yard, Role::Admin, rows.clone(), false).await.updated, 1);
        assert_eq!(edit(&yard, Role::Admin, rows.clone(), false).await.updated, 0, "nothing is left to change");
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 2).await;
        let closed = edit(&yard, Role::Admin, rows, false).await;
        assert_eq!(errors(&closed), [(2, "hb20 000001: campaign Recall A is closed.")]);
        let operator = yard.person(4, Role::Operator).grpc_request(BulkEditRequest::default());
        assert_eq!(yard.bulk().bulk_edit(operator).await.unwrap_err().code(), tonic::Code::PermissionDenied);
    })
    .await;
}

#[tokio::test]
async fn ten_thousand_rows_are_one_transaction_with_one_audit_entry() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..10_000).map(|n| format!("{}-{n}", ["A", "B", "C"][n % 3])).collect();
        let yard = Yard::with(host.clone(), &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let rows = (0..10_000).map(|n| EditRow {
            parking_space: Some(format!("D-{n}")),
            operator_notes: Some("seen".into()),
            ..status(n + 2, &format!("{:06}", n + 1), "ok")
        });
        let started = Instant::now();
        let done = edit(&yard, Role::Manager, rows.collect(), false).await;
        let took = started.elapsed();
        eprintln!("10,000 rows took {took:?}");
        assert_eq!((done.updated, done.preview.len(), done.total_errors), (10_000, 20, 0), "{:?}", done.errors.first());
        assert!(took.as_secs() < 20, "{took:?}");
        assert_eq!(yard.progress().await.total_inspected, 10_000);
        assert_eq!(yard.counts("Recall A", Role::Admin).await, [("D".to_owned(), 10_000, 10_000)]);
        let ask = yard.person(1, Role::Operator).grpc_request(ListEventsRequest { limit: 10, ..ListEventsRequest::default() });
        let mut log = AuditServiceClient::new(host.channels.vehicle.clone()).max_decoding_message_size(16 << 20);
        let events = log.list_events(ask).await.unwrap().into_inner().events;
        let events: Vec<_> = events.into_iter().filter(|event| event.kind != "service-step").collect();
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].kind.as_str(), events[0].summary.as_str()), ("bulk-changed", "10000 vehicles edited from changes.csv"));
    })
    .await;
}

#[tokio::test]
async fn every_vehicle_is_exported_once_in_walking_order_with_its_notes() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..601).rev().map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        edit(&yard, Role::Admin, vec![EditRow { admin_notes: Some("here".into()), ..row(2, "000601") }], false).await;
        let ask = yard.person(3, Role::Manager).grpc_request(ExportVehiclesRequest { campaign_id: CAMPAIGN });
        let mut chunks = yard.vehicles().export_vehicles(ask).await.unwrap().into_inner();
        let mut all = Vec::new();
        while let Some(chunk) = chunks.message().await.unwrap() {
            all.extend(chunk.vehicles);
        }
        let walked: Vec<String> = all.iter().map(|vehicle| vehicle.parking_space.clone()).collect();
        assert_eq!(walked, (0..601).map(|n| format!("A-{n}")).collect::<Vec<_>>());
        assert_eq!((all[0].admin_notes.as_str(), all[0].modified_by), ("here", Some(3)));
        let operator = yard.person(4, Role::Operator).grpc_request(ExportVehiclesRequest { campaign_id: CAMPAIGN });
        assert_eq!(yard.vehicles().export_vehicles(operator).await.err().map(|status| status.code()), Some(tonic::Code::PermissionDenied));
    })
    .await;
}
