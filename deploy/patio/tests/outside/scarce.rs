//! Full disk, exhausted file descriptors and memory: Patio reports it, keeps serving reads, and recovers without a restart.
use super::disk::Disk;
use crate::workbooks;
use patio_harness::{
    ADMIN_HMC, ADMIN_PASSWORD, Patio, TestFolder, acquire_exclusive_slot, acquire_light_test_slot, run_program, wait_until,
};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    net::TcpStream,
    time::{Duration, Instant},
};

/// Memory limit of the combined process in MiB. An idle process uses about 170, most of it only reserved.
const MEMORY: u64 = 512;
/// Number of concurrent clients of each kind.
const CROWD: usize = 40;
/// Rows of a workbook close to the size limit; its texts do not repeat, so it hardly compresses.
const ROWS: u32 = 4_800;

#[test]
fn a_full_disk_rejects_saves_clearly_loses_nothing_and_needs_no_restart() {
    let _turn = acquire_light_test_slot();
    let Some(disk) = Disk::mount(24) else {
        patio_testing::print_to_stderr("no permission to mount a disk: test of a full disk skipped");
        return;
    };
    let patio = Patio::builder().with_setting("PATIO_DATA_DIR", disk.path().to_str().unwrap()).start();
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let path = format!("/api/vehicles/{vehicle}");
    let save = |number: i64| {
        let notes = format!("{number} {}", "a long note ".repeat(300));
        admin.call_route("PUT", &path, &json!({ "operator_notes": notes }))
    };
    let version = |vehicle: &Value| vehicle["version"].as_i64().unwrap();
    let mut acknowledged = version(&admin.get_vehicle(vehicle));
    let filler = disk.fill();
    let refused = loop {
        let answer = save(acknowledged);
        if answer.status != 200 {
            break answer;
        }
        acknowledged = version(&answer.json());
        assert!(acknowledged < 10_000, "the disk must be full by now");
    };
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some() && refused.json()["message"].as_str().unwrap().contains("disk is full"), "{refused:?}");
    assert_eq!(version(&admin.get_vehicle(vehicle)), acknowledged, "reads succeed and no acknowledged save is lost");
    let _ = admin.get("/api/campaigns");

    std::fs::remove_file(filler).unwrap();
    let (freed, mut answer) = (Instant::now(), save(acknowledged));
    while answer.status != 200 {
        assert!(freed.elapsed() < patio_testing::patience(Duration::from_secs(3)), "{answer:?}");
        answer = save(acknowledged);
    }
    assert_eq!(version(&answer.json()), acknowledged + 1);
    patio_testing::print_to_stderr(&format!(
        "a full disk: {acknowledged} saves there, refused after that, saving again {:?} after there was room",
        freed.elapsed()
    ));
    let copies = TestFolder::create_temporary();
    let copied = run_program(
        "patio",
        &["backup", copies.path().join("copy").to_str().unwrap()],
        &[("PATIO_DATA_DIR", disk.path().to_str().unwrap())],
    );
    assert_eq!(copied.code, Some(0), "the databases are intact: {copied:?}");
}

#[test]
fn exhausted_descriptors_are_waited_for() {
    let (_turn, patio) = (acquire_exclusive_slot(), Patio::builder().with_wrapper_command(["prlimit", "--nofile=160:160"]).start());
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let address = patio.url().trim_start_matches("http://").to_owned();
    let held: Vec<_> = (0..300).filter_map(|_| TcpStream::connect(&address).ok()).collect();
    wait_until("the descriptors are exhausted", Duration::from_secs(10), || patio.first_process().open_descriptor_count() >= 155);
    std::thread::sleep(Duration::from_millis(500)); // the descriptors stay in use during this time
    assert!(
        patio.first_process().open_descriptor_count() >= 155,
        "the descriptors must be exhausted: {} are open",
        patio.first_process().open_descriptor_count()
    );
    let count = held.len();
    drop(held);
    let freed = Instant::now();
    admin.save_vehicle(vehicle, &json!({ "operator_notes": "after the rush" }));
    patio_testing::print_to_stderr(&format!(
        "{count} connections on 160 descriptors: a save succeeded {:?} after they were closed",
        freed.elapsed()
    ));
    assert!(freed.elapsed() < patio_testing::patience(Duration::from_secs(1)), "{:?}", freed.elapsed());
}

/// Builds a campaign workbook of nearly 5 MB.
fn large_sheet(name: &str) -> Vec<u8> {
    workbooks::described(name, "HB20", ROWS, |row| {
        let mut noise = [0; 1_100];
        SystemRandom::new().fill(&mut noise).unwrap();
        let noise = noise.iter().map(|byte| char::from(b'!' + byte % 90)).collect();
        [noise, format!("{row:07}"), format!("A-{row}")]
    })
}

#[test]
fn exhausted_memory_does_not_end_the_process() {
    let (_turn, limit) = (acquire_exclusive_slot(), format!("--data={0}:{0}", MEMORY << 20));
    let patio = Patio::builder().with_wrapper_command(["prlimit", &limit]).start();
    let admin = patio.sign_in().with_timeout(Duration::from_secs(60));
    let campaign = admin.import_template_workbook();
    let vehicle = campaign.vehicle_ids()[0];
    let sheet = large_sheet("Large");
    assert!(sheet.len() > 3_500_000 && sheet.len() < 5_242_880, "{}", sheet.len());
    let upload = |path: &str, field: &str| admin.upload_file(path, (field, "a.xlsx"), &sheet).status;
    let of_campaign = |what: &str| admin.call_route("GET", &format!("/api/campaigns/{}/{what}", campaign.id), &Value::Null).status;
    type Ask<'a> = Box<dyn Fn() -> u16 + Sync + 'a>;
    let kinds: [(&str, Ask); 6] = [
        ("upload", Box::new(|| upload("/api/documents/upload", "documents"))),
        ("convert", Box::new(|| upload("/api/convert-to-sql", "file"))),
        ("sign in", Box::new(|| admin.try_sign_in(ADMIN_HMC, ADMIN_PASSWORD).status)),
        ("list", Box::new(|| admin.call_route("GET", &format!("/api/vehicles/campaign/{}/all", campaign.id), &Value::Null).status)),
        ("report", Box::new(|| of_campaign("generate_campaign_vehicle_report"))),
        (
            "save",
            Box::new(|| admin.call_route("PUT", &format!("/api/vehicles/{vehicle}"), &json!({ "operator_notes": "n".repeat(900) })).status),
        ),
    ];
    let mut responses = BTreeMap::new();
    let mut most = 0;
    std::thread::scope(|scope| {
        let asking: Vec<_> = kinds.iter().flat_map(|(name, ask)| (0..CROWD).map(move |_| scope.spawn(move || (*name, ask())))).collect();
        while !asking.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            most = most.max(patio.first_process().data_segment_kib() >> 10);
            std::thread::sleep(Duration::from_millis(20));
        }
        for one in asking {
            *responses.entry(one.join().unwrap()).or_insert(0) += 1;
        }
    });
    let freed = Instant::now();
    admin.save_vehicle(vehicle, &json!({ "operator_notes": "after the rush" }));
    let well = freed.elapsed();
    patio_testing::print_to_stderr(&format!("{MEMORY} MiB, of which {most} were taken: {responses:?}; a save {well:?} after"));
    // Every rejected client got a response, including those in the middle of an upload.
    assert!(responses.keys().all(|(_, status)| [200, 201, 409, 422, 429, 503, 504].contains(status)), "{responses:?}");
    assert!(well < patio_testing::patience(Duration::from_secs(1)), "{well:?}");
}
