//! A full disk, and descriptors and memory that run out: Patio says so, goes on reading, and is well again without a restart.
use crate::{disk::Disk, patio::Patio};
use patio_kit::testing;
use ring::rand::{SecureRandom, SystemRandom};
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    net::TcpStream,
    process::Command,
    time::{Duration, Instant},
};

/// Memory for all of Patio in one process, in MiB; it takes some 170 when nothing is asked, most of it only reserved.
const MEMORY: u64 = 512;
/// How many of each kind come at once.
const CROWD: usize = 40;
/// Rows of a file that is nearly as large as a file may be, as nothing in it repeats.
const ROWS: u32 = 4_800;

#[test]
fn a_full_disk_refuses_saves_in_words_loses_nothing_and_needs_no_restart() {
    let Some(disk) = Disk::mount(24) else {
        testing::tell("no disk may be mounted here: that a full one harms nothing is not shown");
        return;
    };
    let patio = Patio::start(&[("PATIO_DATA_DIR", disk.path().to_str().unwrap())]);
    let token = patio.sign_in();
    let (_, vehicles) = patio.import(&token);
    let path = format!("/api/vehicles/{}", vehicles[0]["id"]);
    let save = |number: i64| {
        let request = patio.at("PUT", &path).header("content-type", "application/json");
        let notes = format!("{number} {}", "a long note ".repeat(300));
        patio.answer(request, &token, json!({ "operator_notes": notes }).to_string())
    };
    let version = |vehicle: &Value| vehicle["version"].as_i64().unwrap();
    let mut acknowledged = version(&patio.call(("GET", &path), &token, None));
    let filler = disk.fill();
    let mut refused = loop {
        let mut answer = save(acknowledged);
        if answer.status() != 200 {
            break answer;
        }
        acknowledged = version(&answer.body_mut().read_json().unwrap());
        assert!(acknowledged < 10_000, "the disk is full");
    };
    let told: Value = refused.body_mut().read_json().unwrap();
    assert_eq!(refused.status(), 503, "{told}");
    assert!(refused.headers().contains_key("retry-after") && told["message"].as_str().unwrap().contains("room"), "{told}");
    assert_eq!(version(&patio.call(("GET", &path), &token, None)), acknowledged, "reads go on, and nothing was lost");
    patio.call(("GET", "/api/campaigns"), &token, None);

    std::fs::remove_file(filler).unwrap();
    let (freed, mut answer) = (Instant::now(), save(acknowledged));
    while answer.status() != 200 {
        assert!(freed.elapsed() < testing::patience(Duration::from_secs(3)), "{answer:?}");
        answer = save(acknowledged);
    }
    assert_eq!(version(&answer.body_mut().read_json().unwrap()), acknowledged + 1);
    testing::tell(&format!(
        "a full disk: {acknowledged} saves there, refused after that, saving again {:?} after there was room",
        freed.elapsed()
    ));
    let (copies, program) = (tempfile::tempdir().unwrap(), env!("CARGO_BIN_EXE_patio"));
    let copied = Command::new(program).arg("backup").arg(copies.path().join("copy")).env("PATIO_DATA_DIR", disk.path()).status();
    assert!(copied.unwrap().success(), "the databases are whole");
}

#[test]
fn descriptors_that_run_out_are_waited_for() {
    let patio = Patio::with_descriptors(160);
    let token = patio.sign_in();
    let (_, vehicles) = patio.import(&token);
    let held: Vec<_> = (0..300).filter_map(|_| TcpStream::connect(patio.address()).ok()).collect();
    std::thread::sleep(Duration::from_secs(1));
    assert!(patio.descriptors() >= 155, "they ran out: {} are open", patio.descriptors());
    let count = held.len();
    drop(held);
    let freed = Instant::now();
    let path = format!("/api/vehicles/{}", vehicles[0]["id"]);
    patio.call(("PUT", &path), &token, Some(json!({ "operator_notes": "after the rush" })));
    testing::tell(&format!("{count} connections on 160 descriptors: a save {:?} after they were gone", freed.elapsed()));
    assert!(freed.elapsed() < testing::patience(Duration::from_secs(1)), "{:?}", freed.elapsed());
}

/// A campaign whose file is nearly 5 MB.
fn large_sheet(name: &str) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    for (column, title) in (0u16..).zip(["Campaign", "Part", "Description", "Model Code", "Serial Number", "Parking Space"]) {
        sheet.write_string(0, column, title).unwrap();
    }
    for row in 1..=ROWS {
        let mut noise = [0; 1_100];
        SystemRandom::new().fill(&mut noise).unwrap();
        let noise: String = noise.iter().map(|byte| char::from(b'!' + byte % 90)).collect();
        for (column, text) in [(2, &*noise), (3, "HB20"), (4, &*format!("{row:07}")), (5, &*format!("A-{row}"))] {
            sheet.write_string(row, column, text).unwrap();
        }
    }
    sheet.write_string(1, 0, name).unwrap();
    book.save_to_buffer().unwrap()
}

#[test]
fn memory_that_runs_out_ends_nothing() {
    let patio = Patio::with_memory(MEMORY);
    let token = patio.sign_in();
    let (campaign, vehicles) = patio.import(&token);
    let sheet = large_sheet("Large");
    assert!(sheet.len() > 3_500_000 && sheet.len() < 5_242_880, "{}", sheet.len());
    let upload = |path: &str, field: &str| patio.send((path, field), &token, &sheet).status().as_u16();
    let json = |method: &str, path: String, body: Option<Value>| patio.told((method, &path), &token, body.as_ref()).0.as_u16();
    let of_campaign = |what: &str| format!("/api/campaigns/{}/{what}", campaign["id"]);
    let report = |what| match patio.answer(patio.at("GET", &of_campaign(what)), &token, "") {
        mut answer if answer.status() == 200 => answer.body_mut().read_to_vec().map_or(0, |_| 200),
        answer => answer.status().as_u16(),
    };
    type Ask<'a> = Box<dyn Fn() -> u16 + Sync + 'a>;
    let kinds: [(&str, Ask); 6] = [
        ("upload", Box::new(|| upload("/api/documents/upload", "documents"))),
        ("convert", Box::new(|| upload("/api/convert-to-sql", "file"))),
        ("sign in", Box::new(|| json("POST", "/api/sessions".to_owned(), Some(Patio::credentials())))),
        ("list", Box::new(|| json("GET", format!("/api/vehicles/campaign/{}/all", campaign["id"]), None))),
        ("report", Box::new(|| report("generate_campaign_vehicle_report"))),
        (
            "save",
            Box::new(|| json("PUT", format!("/api/vehicles/{}", vehicles[0]["id"]), Some(json!({ "operator_notes": "n".repeat(900) })))),
        ),
    ];
    let mut told = BTreeMap::new();
    let mut most = 0;
    std::thread::scope(|scope| {
        let asking: Vec<_> = kinds.iter().flat_map(|(name, ask)| (0..CROWD).map(move |_| scope.spawn(move || (*name, ask())))).collect();
        while !asking.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            most = most.max(patio.limited_memory());
            std::thread::sleep(Duration::from_millis(20));
        }
        for one in asking {
            *told.entry(one.join().unwrap()).or_insert(0) += 1;
        }
    });
    let freed = Instant::now();
    let path = format!("/api/vehicles/{}", vehicles[0]["id"]);
    patio.call(("PUT", &path), &token, Some(json!({ "operator_notes": "after the rush" })));
    let well = freed.elapsed();
    testing::tell(&format!("{MEMORY} MiB, of which {most} were taken: {told:?}; a save {well:?} after"));
    // Whoever was not served heard it, those in the middle of sending a file among them.
    assert!(told.keys().all(|(_, status)| [200, 201, 409, 422, 429, 503].contains(status)), "{told:?}");
    assert!(well < testing::patience(Duration::from_secs(1)), "{well:?}");
}
