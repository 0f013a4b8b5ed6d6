//! Smoke test of the benchmark: every part runs on a few hundred vehicles and prints its lines. The values mean nothing.
use std::{path::Path, process::Command};

#[test]
fn every_part_runs_on_one_process_and_prints_its_lines() {
    let bench = Path::new(env!("CARGO_BIN_EXE_bench"));
    let programs = bench.parent().unwrap();
    assert!(programs.join("patio").exists(), "build Patio first: cargo build -p patio");
    let table = std::env::temp_dir().join(format!("patio-bench-{}.json", std::process::id()));
    let ran = Command::new(bench).args(["run", "--smoke", "--stack", "one", "--json"]).arg(&table).output().unwrap();
    let output = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{output}");
    let lines: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&table).unwrap()).unwrap();
    std::fs::remove_file(&table).unwrap();
    for operation in [
        "GET vehicle",
        "PUT vehicle",
        "list of 50",
        "whole list",
        "repeated by ETag",
        "dashboard of a campaign",
        "home page",
        "without visitors",
        "sign-in",
        "import of",
        "report of",
        "CSV of",
        "p99",
        "goodput",
    ] {
        assert!(lines.iter().any(|line| line["operation"].as_str().unwrap().contains(operation)), "no line of `{operation}`:\n{output}");
    }
}
