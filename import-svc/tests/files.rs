//! Exports, SQL scripts and CSV changes: values are transferred unchanged, and nothing in them is executed.
use crate::common::{FIRST, HEADER, book::Book, good, services::World, with_rows};
use calamine::{Reader, Xlsx};
use patio_kit::{
    errors::{ErrorReason, reason},
    service_host::ServiceHost,
};
use patio_proto::{
    imports::{
        CsvResponse, ExportCampaignRequest, FileChunk, FileHeader, Rejection, Report, UploadChunk, csv_response, file_chunk::Part,
        file_service_client::FileServiceClient,
    },
    normalization, status,
    vehicle::{BulkEditResponse, ExportedVehicle, LineError, VehicleStatus},
};
use patio_testing::{LONG_CALL_TIMEOUT, each_database};
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::io::{Cursor, Read};
use tonic::{Status, Streaming};

/// Pseudo-random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// Returns a text of unusual characters without surrounding blanks.
    fn text(&mut self, longest: usize) -> String {
        const ALPHABET: [&str; 29] = [
            "=", "+", "-", "@", "'", "''", "\"", "\\", ";", "--", "/*", "*/", "$$", ":x", "?", "%", "&", "<", ">", "é", "日", "😀",
            "\u{fffd}", "a", "B", "7", "0", " ", "|",
        ];
        let text: String = (0..1 + self.roll(longest)).map(|_| ALPHABET[self.roll(ALPHABET.len())]).collect();
        let text: String = text.chars().take(longest).collect();
        let text = normalization::normalize_identifier(&text);
        if text.is_empty() { "x".to_owned() } else { text.into_owned() }
    }
}

async fn whole(mut pieces: Streaming<FileChunk>) -> Result<(FileHeader, Vec<u8>), Rejection> {
    let mut data = Vec::new();
    let head = match pieces.message().await.unwrap().unwrap().part.unwrap() {
        Part::Head(head) => head,
        Part::Rejected(rejection) => return Err(rejection),
        Part::Data(_) => panic!("the first chunk must be the file header"),
    };
    while let Some(piece) = pieces.message().await.unwrap() {
        let Some(Part::Data(more)) = piece.part else { panic!("chunks after the header must be data") };
        data.extend(more);
    }
    Ok((head, data))
}

async fn exported(world: &World, campaign_id: i64, report: Report) -> Result<(FileHeader, Vec<u8>), Status> {
    let ask = ExportCampaignRequest { campaign_id, report: report.into() };
    let pieces = FileServiceClient::new(world.host.channels.import.clone())
        .export_campaign(world.leader().grpc_request_with_timeout(LONG_CALL_TIMEOUT, ask))
        .await?;
    Ok(whole(pieces.into_inner()).await.unwrap())
}

fn upload(name: &str, file: &[u8], campaign_name: &str) -> impl futures::Stream<Item = UploadChunk> + Send + use<> {
    let head = UploadChunk { file_name: name.to_owned(), ..UploadChunk::default() };
    let data = file.chunks(64 << 10).map(|data| UploadChunk { data: data.to_vec(), ..UploadChunk::default() });
    let name = UploadChunk { campaign_name: campaign_name.to_owned(), ..UploadChunk::default() };
    futures::stream::iter([head].into_iter().chain(data).chain([name]).collect::<Vec<_>>())
}

async fn converted(world: &World, file: &[u8], campaign: &str) -> Result<(FileHeader, Vec<u8>), Rejection> {
    let request = world.leader().grpc_request_with_timeout(LONG_CALL_TIMEOUT, upload("a.xlsx", file, campaign));
    whole(FileServiceClient::new(world.host.channels.import.clone()).convert_to_sql(request).await.unwrap().into_inner()).await
}

fn part(file: &[u8], name: &str) -> String {
    let mut text = String::new();
    zip::ZipArchive::new(Cursor::new(file)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Returns the cells of a sheet as texts.
fn sheet(file: &[u8], name: &str) -> Vec<Vec<String>> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(file)).unwrap();
    let range = book.worksheet_range(name).unwrap();
    range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

fn car(n: i64, dice: &mut Dice) -> ExportedVehicle {
    let yards = [Some(2), Some(19), Some(12), None];
    ExportedVehicle {
        model_code: "HB20".into(),
        serial_number: format!("{n:06}"),
        parking_space: dice.text(20),
        id_yard: yards[dice.roll(yards.len())],
        status: VehicleStatus::try_from(i32::try_from(dice.roll(8)).unwrap()).unwrap().into(),
        inspected: dice.roll(2) == 1,
        operator_notes: dice.text(60),
        admin_notes: dice.text(60),
        modified_by: Some(7),
        modified_at: chrono::DateTime::from_timestamp(1_790_000_000, 0).map(patio_kit::clock::to_timestamp),
    }
}

/// Creates a world with a campaign of `count` vehicles with unusual values. Returns the campaign id, too.
async fn fleet(host: ServiceHost, count: i64) -> (World, i64) {
    let world = World::on(host).await;
    let id = world.imported("", &good("Bombas/\"7\"", 1)).await.campaign.unwrap().id;
    let mut dice = Dice(3);
    world.kingdom().listed = (1..=count).map(|n| car(n, &mut dice)).collect();
    (world, id)
}

#[tokio::test]
async fn a_report_holds_every_value_as_a_text_and_no_formula() {
    each_database(async |host| {
        let (world, id) = fleet(host, 3_400).await;
        let (head, file) = exported(&world, id, Report::Vehicles).await.unwrap();
        assert!(head.name.starts_with("report_Bombas__7_-") && head.name.ends_with(".xlsx"), "{}", head.name);
        let rows = sheet(&file, "Vehicles");
        assert_eq!((rows.len(), rows[0][0].as_str(), rows[0].len()), (3_401, "VIN Number", 11));
        for (row, vehicle) in rows[1..].iter().zip(&world.kingdom().listed) {
            assert_eq!((&row[2], &row[3]), (&vehicle.serial_number, &vehicle.parking_space));
            let none = if vehicle.inspected { "No status" } else { "" };
            assert_eq!(
                row[5],
                if vehicle.status() == VehicleStatus::Unspecified { none } else { status::vehicle_status_text(vehicle.status()) }
            );
            assert_eq!((&row[7], &row[8], row[9].as_str()), (&vehicle.operator_notes, &vehicle.admin_notes, "=ana"));
        }
        let xml = part(&file, "xl/worksheets/sheet1.xml");
        assert!(!xml.contains("<f>") && !xml.contains("<f "), "no cell is a formula");
        assert!(xml.contains("state=\"frozen\"") && xml.contains("<autoFilter") && xml.contains("<cols>"));
        assert!(part(&file, "xl/styles.xml").contains("quotePrefix=\"1\""));
        let events = world.audited().await;
        let event = events.iter().find(|event| event.kind == "exported").unwrap();
        assert!(event.summary.starts_with("exported 3400 vehicles of Bombas"), "{}", event.summary);
    })
    .await;
}

#[tokio::test]
async fn all_yards_are_a_summary_and_a_sheet_each() {
    each_database(async |host| {
        let (world, id) = fleet(host, 900).await;
        let (_, file) = exported(&world, id, Report::AllYards).await.unwrap();
        let book: Xlsx<_> = Xlsx::new(Cursor::new(&file[..])).unwrap();
        let mut names = book.sheet_names();
        assert_eq!(names.remove(0), "Summary");
        names.sort();
        assert_eq!(names, ["No yard", "Yard -", "Yard 0", "Yard A"]);
        let listed = world.kingdom().listed.clone();
        let in_a: Vec<_> = listed.iter().filter(|vehicle| vehicle.id_yard == Some(2)).collect();
        assert_eq!(sheet(&file, "Yard A").len(), in_a.len() + 1);
        let summary = sheet(&file, "Summary");
        let line = |name: &str| summary.iter().find(|row| row[0] == name).unwrap().clone();
        let inspected = in_a.iter().filter(|vehicle| vehicle.inspected).count();
        assert_eq!(line("Yard A")[1..4], [in_a.len(), inspected, in_a.len() - inspected].map(|count| count.to_string()));
        assert_eq!(line("All yards")[1], "900");
        let column = summary.iter().find(|row| row[0] == "Yard").unwrap().iter().position(|title| title == "No status").unwrap();
        let without = listed.iter().filter(|vehicle| vehicle.inspected && vehicle.status() == VehicleStatus::Unspecified).count();
        assert_eq!(line("All yards")[column], without.to_string());
    })
    .await;
}

#[tokio::test]
async fn an_empty_campaign_exports_a_workbook_and_an_unknown_one_is_not_found() {
    each_database(async |host| {
        let (world, id) = fleet(host, 0).await;
        for (report, name) in [(Report::Vehicles, "Vehicles"), (Report::AllYards, "Summary")] {
            assert!(!sheet(&exported(&world, id, report).await.unwrap().1, name).is_empty());
        }
        assert_eq!(reason(&exported(&world, 404, Report::Vehicles).await.unwrap_err()), Some(ErrorReason::NoCampaign));
    })
    .await;
}

/// Returns the `create table` statements from the comment at the start of an SQL script.
fn tables(script: &str) -> String {
    let comment = script.lines().filter_map(|line| line.strip_prefix("--   "));
    comment.collect::<Vec<_>>().join("\n")
}

/// Runs an SQL script on the host's kind of database. Returns campaign name, VIN and parking space, in the order of the VINs.
async fn loaded(host: &ServiceHost, script: &str) -> Vec<(String, String, String)> {
    let select = "select campaign_name, vin_number, parking_space from vehicles order by vin_number";
    let texts = [tables(script), script.to_owned()];
    match &host.settings.database_url {
        Some(url) => {
            let mut c = PgConnection::connect(url.expose()).await.unwrap();
            for text in texts {
                sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(&mut c).await.unwrap();
            }
            sqlx::query_as(select).fetch_all(&mut c).await.unwrap()
        }
        None => {
            let mut c = SqliteConnection::connect("sqlite::memory:").await.unwrap();
            for text in texts {
                sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(&mut c).await.unwrap();
            }
            sqlx::query_as(select).fetch_all(&mut c).await.unwrap()
        }
    }
}

#[tokio::test]
async fn ten_thousand_awkward_values_reach_both_databases_unchanged() {
    each_database(async |host| {
        let world = World::on(host.clone()).await;
        let (mut dice, campaign) = (Dice(11), "It's; drop table vehicles; -- \\");
        let values: Vec<(String, String)> = (0..10_000).map(|n| (format!("{n:06}"), dice.text(30))).collect();
        let rows: Vec<[&str; 7]> = values.iter().map(|(serial, space)| ["", "", "", "", "HB20", serial, space]).collect();
        let first = ["ignored", FIRST[1], FIRST[2], FIRST[3], FIRST[4], "FIRST", "A-1"];
        let all: Vec<&[&str]> = [&HEADER[..], &first[..]].into_iter().chain(rows.iter().map(|row| &row[..])).collect();
        let (head, script) = converted(&world, &Book::new(&all).bytes(), campaign).await.unwrap();
        assert_eq!((head.name.as_str(), head.content_type.as_str()), ("It's; drop table vehicles; -- _ SQL Data.sql", "application/sql"));
        let script = String::from_utf8(script).unwrap();
        assert!(script.lines().next().unwrap().contains("PostgreSQL and SQLite") && !script.contains('\0'));
        let found = loaded(&host, &script).await;
        assert_eq!(found.len(), 10_001);
        for ((name, vin, space), (serial, value)) in found.iter().zip(&values) {
            assert_eq!((name.as_str(), vin, space), (campaign, &format!("HB20 {serial}"), value));
        }
    })
    .await;
}

#[tokio::test]
async fn a_sheet_that_cannot_be_imported_cannot_be_converted() {
    each_database(async |host| {
        let world = World::on(host).await;
        assert_eq!(converted(&world, b"no workbook", "").await.unwrap_err().code, 53);
        assert_eq!(converted(&world, &with_rows(&[]), "").await.unwrap_err().code, 55);
        assert_eq!(converted(&world, &good("Pumps", 1), "a\nb").await.unwrap_err().code, 57);
        let (head, script) = converted(&world, &good("Pumps", 3), "").await.unwrap();
        assert_eq!(head.name, "Pumps SQL Data.sql");
        assert_eq!(String::from_utf8(script).unwrap().matches("'HB20 00000").count(), 3);
        assert!(world.kingdom().campaigns.is_empty(), "a conversion keeps nothing");
    })
    .await;
}

async fn csv(world: &World, name: &str, file: &[u8], apply: bool) -> csv_response::Outcome {
    let mut files = FileServiceClient::new(world.host.channels.import.clone()).max_encoding_message_size(16 << 20);
    let request = world.leader().grpc_request_with_timeout(LONG_CALL_TIMEOUT, upload(name, file, ""));
    let reply: CsvResponse = if apply { files.apply_csv(request).await } else { files.check_csv(request).await }.unwrap().into_inner();
    reply.outcome.unwrap()
}

#[tokio::test]
async fn a_csv_file_is_sent_as_rows_and_with_any_error_only_as_a_dry_run() {
    each_database(async |host| {
        let world = World::on(host).await;
        let text = "Model Code;Serial Number;Status\nHB20;1;ok\nHB20;2;\n";
        let edited = BulkEditResponse { matched: 1, updated: 1, ..BulkEditResponse::default() };
        world.kingdom().edited = edited.clone();
        for (apply, dry_run) in [(false, true), (true, false)] {
            assert_eq!(csv(&world, "a.CSV", text.as_bytes(), apply).await, csv_response::Outcome::Edit(edited.clone()));
            let asked = world.kingdom().edits.pop().unwrap();
            assert_eq!((asked.dry_run, asked.rows.len(), asked.source.as_str()), (dry_run, 1, "a.CSV"));
        }
        let line_error = |line, message: &str| LineError { line, message: message.into() };
        world.kingdom().edited = BulkEditResponse { errors: vec![line_error(2, "no vehicle")], total_errors: 1, ..edited };
        let csv_response::Outcome::Edit(wrong) = csv(&world, "a.csv", format!("{text};3;ok\n").as_bytes(), true).await else {
            panic!("read")
        };
        assert_eq!(wrong.errors, [line_error(2, "no vehicle"), line_error(4, "line 4 requires both Model Code and Serial Number")]);
        assert_eq!((wrong.total_errors, world.kingdom().edits.pop().unwrap().dry_run), (2, true));
    })
    .await;
}

#[tokio::test]
async fn wrong_extensions_and_too_large_files_get_the_messages_of_the_specification() {
    each_database(async |host| {
        let world = World::on(host).await;
        let refused = async |name: &str, size: usize| match csv(&world, name, &vec![b'\n'; size], false).await {
            csv_response::Outcome::Rejected(rejection) => Some((rejection.code, rejection.message)),
            csv_response::Outcome::Edit(_) => None,
        };
        assert_eq!(refused("a.xlsx", 1).await, Some((53, "Apenas arquivos CSV (.csv) são suportados.".to_owned())));
        assert_eq!(refused("a.csv", 5_242_881).await, Some((52, "O arquivo deve ter no máximo 5MB.".to_owned())));
        assert_eq!(refused("a.csv", 5_242_880).await, None);
        assert!(world.kingdom().edits.is_empty());
    })
    .await;
}
