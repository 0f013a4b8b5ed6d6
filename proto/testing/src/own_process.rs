//! Runs a test in a separate process, for tests that measure memory or set process-wide state.
use crate::{from_environment, print_to_stderr};
use std::process::Command;

/// Environment variable of a child process with the name of the one test that the child process runs.
const ALONE: &str = "PATIO_TEST_ALONE";

/// Runs `test` alone in a child process. Returns `true` in the child process, and `false` in the parent after the child has succeeded.
///
/// `test` is the name of the calling test with its modules, as libtest prints it:
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
/// Panics when the child process fails or has no test with that name.
#[must_use]
#[expect(clippy::expect_used, reason = "a test that cannot start its child process has to fail")]
pub fn runs_alone(test: &str) -> bool {
    if from_environment(ALONE).as_deref() == Some(test) {
        return true;
    }
    let program = std::env::current_exe().expect("the path of the test program");
    let run = Command::new(program).args([test, "--exact", "--nocapture", "--include-ignored"]).env(ALONE, test).output();
    let run = run.expect("the test program starts");
    let output = format!("{}{}", String::from_utf8_lossy(&run.stderr), String::from_utf8_lossy(&run.stdout));
    assert!(run.status.success() && output.contains("1 passed"), "{test} in its own process:\n{output}");
    // Omits the libtest lines of the child process, which would be counted as tests of this process.
    output.lines().filter(|line| !line.starts_with("test ") && !line.starts_with("running ") && !line.is_empty()).for_each(print_to_stderr);
    false
}
