//! Tests of the harness without Patio: cleanup of processes and folders, and test slots.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use patio_harness::{
    LaunchConfig, Process, Signal, TestFolder, acquire_exclusive_slot, acquire_heavy_test_slot, acquire_light_test_slot, wait_until,
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

fn sleeper(folder: &Path) -> Process {
    let mut launch = LaunchConfig::new("sleeper", PathBuf::from("/bin/sleep"), folder.to_owned());
    launch.arguments = vec!["1000".to_owned()];
    let mut sleeper = Process::new(launch);
    sleeper.start().unwrap();
    sleeper
}

fn is_there(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

/// Environment variable that is set in the child process that aborts.
const ABORTS: &str = "PATIO_TEST_ABORTS";

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable marks the process that aborts")]
fn no_process_and_no_folder_outlives_a_test_program_that_aborts() {
    if std::env::var(ABORTS).is_ok() {
        let folder = TestFolder::create_temporary();
        let sleeper = sleeper(folder.path());
        println!("left behind: {} {}", sleeper.id(), folder.path().display());
        std::process::abort();
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    let name = "no_process_and_no_folder_outlives_a_test_program_that_aborts";
    let done = again.args([name, "--exact", "--nocapture"]).env(ABORTS, "1").output().unwrap();
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut left = output.split("left behind: ").nth(1).unwrap().split_whitespace();
    let (process, folder) = (left.next().unwrap(), left.next().unwrap());
    assert!(!done.status.success(), "{output}");
    wait_until("the process has ended", Duration::from_secs(10), || !is_there(process));
    wait_until("the folder is removed", Duration::from_secs(10), || !Path::new(folder).exists());
}

#[test]
fn a_dropped_process_is_killed_and_a_suspended_one_goes_on_after_continue() {
    let folder = TestFolder::create_temporary();
    let mut process = sleeper(folder.path());
    let state = |id: u32| std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap().split(") ").nth(1).unwrap()[..1].to_owned();
    process.send_signal(Signal::Suspend);
    wait_until("it is suspended", Duration::from_secs(10), || state(process.id()) == "T");
    process.send_signal(Signal::Continue);
    wait_until("it goes on", Duration::from_secs(10), || state(process.id()) == "S");
    assert!(process.is_running());
    let id = process.id().to_string();
    drop(process);
    assert!(!is_there(&id));
}

#[test]
fn stopping_reports_another_exit_code_than_0() {
    let folder = TestFolder::create_temporary();
    let refused = sleeper(folder.path()).try_stop(Signal::Terminate);
    assert!(refused.unwrap_err().to_string().contains("sleeper exited with signal: 15"));
}

#[test]
fn an_exclusive_test_runs_alone_and_a_heavy_one_beside_no_other_heavy_one() {
    let kinds = [acquire_exclusive_slot, acquire_heavy_test_slot, acquire_light_test_slot];
    let running = kinds.map(|_| AtomicUsize::new(0));
    let run = |kind: usize| {
        let turn = kinds[kind]();
        running[kind].fetch_add(1, Ordering::SeqCst);
        let [exclusives, heavies, all] = [0, 1, 2].map(|kind| running[kind].load(Ordering::SeqCst));
        assert!(exclusives == 0 || (exclusives, heavies, all) == (1, 0, 0), "{heavies} heavy and {all} shared beside an exclusive one");
        assert!(heavies <= 1, "{heavies} heavy ones");
        thread::sleep(Duration::from_millis(2));
        running[kind].fetch_sub(1, Ordering::SeqCst);
        drop(turn);
    };
    let run = &run;
    thread::scope(|scope| (0..60).for_each(|n| _ = scope.spawn(move || run(n % 3))));
    let heavy = acquire_heavy_test_slot();
    thread::scope(|scope| scope.spawn(|| drop(acquire_light_test_slot())).join().unwrap());
    drop(heavy);
}
