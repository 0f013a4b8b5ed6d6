//! Tests that need a process of their own: they read its memory, or set what a process has once.
use crate::{from_environment, tell};
use std::process::Command;

/// Names the test that a child process runs.
const ALONE: &str = "PATIO_TEST_ALONE";

/// Returns `true` in a process that runs `test` alone, and `false` after such a process has succeeded.
///
/// `test` is the name by which libtest knows the calling test, with its modules:
///
/// ```no_run
/// # use patio_testing::runs_alone;
/// #[test]
/// fn memory_stays_small() {
///     if !runs_alone("bombs::memory_stays_small") {
///         return;
///     }
///     // the test
/// }
/// ```
///
/// # Panics
/// When the process fails, or has no test of that name.
#[must_use]
#[expect(clippy::expect_used, reason = "a test that cannot start itself cannot go on")]
pub fn runs_alone(test: &str) -> bool {
    if from_environment(ALONE).as_deref() == Some(test) {
        return true;
    }
    let program = std::env::current_exe().expect("the path of the test program");
    let run = Command::new(program).args([test, "--exact", "--nocapture", "--include-ignored"]).env(ALONE, test).output();
    let run = run.expect("the test program starts");
    let output = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && output.contains("1 passed"), "{test} in its own process:\n{output}");
    // The lines of libtest are left out, as the tests of this process are counted by them.
    output.lines().filter(|line| !line.starts_with("test ") && !line.starts_with("running ") && !line.is_empty()).for_each(tell);
    false
}
