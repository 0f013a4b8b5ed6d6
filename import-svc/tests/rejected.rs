//! Rejected sheets: they can be downloaded with their errors, corrected and uploaded again.
use crate::common::{FIRST, HEADER, book::Book, good, services::World, with_rows};
use calamine::{Reader, Xlsx};
use chrono::TimeDelta;
use import_svc::{SCHEMA, store::rejected_workbooks};
use patio_kit::{
    client::call_context::CallContext,
    errors::{ErrorReason, reason},
};
use patio_proto::{
    access::Role,
    imports::{
        GetRejectedSheetRequest, Rejection, file_chunk::Part, file_service_client::FileServiceClient, import_campaign_response::Outcome,
    },
};
use patio_testing::{LONG_CALL_TIMEOUT, each_database};
use std::io::{Cursor, Read};
use tonic::Status;
use uuid::Uuid;

/// Downloads a rejected sheet. Returns its file name and content.
async fn sheet(world: &World, bearer: &CallContext, id: &str) -> Result<(String, Vec<u8>), Status> {
    let ask = bearer.grpc_request_with_timeout(LONG_CALL_TIMEOUT, GetRejectedSheetRequest { upload_id: id.to_owned() });
    let mut pieces = FileServiceClient::new(world.host.channels.import.clone()).get_rejected_sheet(ask).await?.into_inner();
    let (mut name, mut data) = (String::new(), Vec::new());
    while let Some(piece) = pieces.message().await? {
        match piece.part.unwrap() {
            Part::Head(head) => name = head.name,
            Part::Data(more) => data.extend(more),
            Part::Rejected(rejection) => panic!("{rejection:?}"),
        }
    }
    Ok((name, data))
}

/// Returns the displayed cell values of a workbook, row by row.
fn cells(file: &[u8]) -> Vec<Vec<String>> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(file)).unwrap();
    let range = book.worksheet_range("Sheet1").unwrap();
    range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

fn part(file: &[u8], name: &str) -> String {
    let mut text = String::new();
    zip::ZipArchive::new(Cursor::new(file)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

async fn refused(world: &World, name: &str, file: &[u8]) -> Rejection {
    let rejection = world.rejected(name, file).await;
    assert_eq!(rejection.code, 57, "{rejection:?}");
    rejection
}

#[tokio::test]
async fn a_rejected_sheet_has_the_same_rows_with_errors_and_imports_once_corrected() {
    each_database(async |host| {
        let world = World::on(host).await;
        let rows: [&[&str]; 4] = [
            &FIRST,
            &["", "", "", "", "HB20", "", "=1+1"],
            &["Other", "", "", "", "HB20", "0 0", "- 12"],
            &["", "", "", "", "HB20", "000126", "@SUM(A1)"],
        ];
        let rejection = refused(&world, "carros: ação.xlsx", &with_rows(&rows)).await;
        let (name, file) = sheet(&world, &world.leader(), &rejection.kept_as).await.unwrap();
        assert_eq!(name, "carros_ ação-errors.xlsx");
        let mut table = cells(&file);
        assert_eq!(table[0], [&HEADER[..], &["Errors"]].concat());
        assert_eq!(table[1], [&FIRST[..], &[""]].concat(), "a valid row has no errors, and leading zeros are kept");
        assert_eq!(table[2][..7], ["", "", "", "", "HB20", "", "=1+1"]);
        assert!(table[2][7].to_lowercase().contains("serial"), "{:?}", table[2]);
        assert!(table[3][7].contains("Campaign differs from the first row") && table[3][7].contains(". Serial Number "), "{:?}", table[3]);
        assert_eq!((table[3][6].as_str(), table[4][6].as_str(), table[4][7].as_str()), ("- 12", "@SUM(A1)", ""));
        assert!(!part(&file, "xl/worksheets/sheet1.xml").contains("<f>"), "no formulas");
        let again = refused(&world, "again.xlsx", &file).await;
        assert_eq!((again.total_errors, &again.rows), (rejection.total_errors, &rejection.rows), "unchanged, the same errors");
        table[2][5] = "000124".to_owned();
        table[2][6] = "A-3".to_owned();
        (table[3][0], table[3][5]) = (String::new(), "000125".to_owned());
        let corrected: Vec<Vec<&str>> = table.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let file = Book::new(&corrected.iter().map(Vec::as_slice).collect::<Vec<_>>()).bytes();
        assert_eq!(world.imported("", &file).await.vehicles, 4);
    })
    .await;
}

#[tokio::test]
async fn a_thousand_bad_rows_all_have_their_errors_in_their_own_places() {
    each_database(async |host| {
        let world = World::on(host).await;
        let serials: Vec<String> = (0..1_000).map(|n| format!("{n:06}")).collect();
        let mut rows: Vec<Vec<&str>> = serials.iter().map(|serial| vec!["", "", "", "", "HB20", serial, ""]).collect();
        rows[0][0] = "Pumps";
        let rejection = refused(&world, "a.xlsx", &with_rows(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())).await;
        assert_eq!((rejection.rows.len(), rejection.total_errors), (100, 1_000));
        let table = cells(&sheet(&world, &world.leader(), &rejection.kept_as).await.unwrap().1);
        assert_eq!(table.len(), 1_001);
        assert!(table[1..].iter().zip(&serials).all(|(row, serial)| row[5] == *serial && row[7] == "Parking Space is missing."));
    })
    .await;
}

#[tokio::test]
async fn a_rejected_sheet_is_available_to_its_uploader_and_supervisors_for_three_days() {
    each_database(async |host| {
        let world = World::on(host.clone()).await;
        let id = refused(&world, "a.xlsx", &with_rows(&[&FIRST, &FIRST])).await.kept_as;
        let stranger = sheet(&world, &patio_testing::bearer(&host, 8, Role::Manager), &id).await.unwrap_err();
        assert_eq!(reason(&stranger), Some(ErrorReason::NoUpload));
        assert!(sheet(&world, &patio_testing::bearer(&host, 9, Role::Admin), &id).await.is_ok());
        assert_eq!(
            sheet(&world, &patio_testing::bearer(&host, 7, Role::Operator), &id).await.unwrap_err().code(),
            tonic::Code::PermissionDenied
        );
        for unknown in ["", "x", &Uuid::now_v7().to_string()] {
            assert_eq!(reason(&sheet(&world, &world.leader(), unknown).await.unwrap_err()), Some(ErrorReason::NoUpload));
        }
        let db = host.open_database(SCHEMA).await.unwrap();
        let due = host.clock.now() + rejected_workbooks::REJECTED_WORKBOOK_RETENTION;
        assert!(rejected_workbooks::find_by_upload_id(&db, &id, due + TimeDelta::seconds(1)).await.unwrap().is_none());
        assert_eq!(rejected_workbooks::purge_expired(&db, due - TimeDelta::minutes(1)).await.unwrap(), 0, "no sheet has expired yet");
        assert_eq!(rejected_workbooks::purge_expired(&db, due).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn the_number_of_stored_sheets_is_limited_and_only_sheets_with_row_errors_are_stored() {
    each_database(async |host| {
        let world = World::on(host.clone()).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let bad = with_rows(&[&FIRST, &FIRST]);
        let mut ids = Vec::new();
        for _ in 0..=rejected_workbooks::MAX_WORKBOOKS_PER_USER {
            ids.push(refused(&world, "a.xlsx", &bad).await.kept_as);
        }
        let now = host.clock.now();
        assert!(rejected_workbooks::find_by_upload_id(&db, &ids[0], now).await.unwrap().is_none(), "the oldest sheet of a user is deleted");
        for user_id in 100..100 + rejected_workbooks::MAX_STORED_WORKBOOKS {
            let sheet = rejected_workbooks::RejectedWorkbook {
                upload_id: format!("of {user_id}"),
                user_id,
                file_name: "a.xlsx".into(),
                data: bad.clone(),
                at: now,
            };
            rejected_workbooks::insert(&db, sheet).await.unwrap();
        }
        assert!(rejected_workbooks::find_by_upload_id(&db, &ids[1], now).await.unwrap().is_none(), "the oldest sheet of all is deleted");
        world.imported("", &good("Taken", 1)).await;
        for file in [good("Taken", 2), b"PK\x03\x04 damaged".to_vec(), with_rows(&[])] {
            let Outcome::Rejected(rejection) = world.upload("", &file).await.unwrap() else { panic!("taken") };
            assert!(rejection.kept_as.is_empty() && rejection.code != 57, "{rejection:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn each_cell_with_an_error_is_marked_in_its_own_column() {
    let header = ["Parking Space", "Serial Number", "Model Code", "Description", "Part", "Campaign"];
    let file = Book::new(&[&header, &["A-2", "", "HB20", "", "", "Pumps"], &["", "000124", "H?", "", "", ""]]).bytes();
    let rows = crate::common::reader().read_correction_rows(7, file.into()).await.unwrap().into_rows();
    let marked: Vec<Vec<u32>> = rows.map(|row| row.wrong).collect();
    assert_eq!(marked, [vec![], vec![1_u32], vec![0, 2]]);
}
