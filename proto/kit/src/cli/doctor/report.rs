//! Findings of the `doctor` command, printed as text or JSON. Each finding names the section of the runbook that explains the
//! finding.
use crate::{
    cli::{doctor::RunbookSection, print_to_stdout},
    config::InvalidSetting,
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt,
    io::Write,
    time::{Duration, Instant},
};

/// Pause between two rounds of checks, when the option `--wait` repeats the checks until none fails.
const ROUND_PAUSE: Duration = Duration::from_secs(2);

/// Arguments of the `doctor` command.
#[derive(Debug, Clone, Default, Args)]
pub struct DoctorOptions {
    /// Prints the result as one JSON object: `ok`, and `checks` with `name`, `state` (`ok`, `note` or `fail`), `message`, `remedy` and
    /// `link`.
    #[arg(long)]
    json: bool,
    /// Maximum time for which the checks are repeated until none fails, such as `300s` or `5m`.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "0s", hide_default_value = true)]
    wait: Duration,
    /// Checks before the installation whether Patio can run on this machine: settings, database, Redis, ports, files. Changes
    /// nothing.
    #[arg(long)]
    pre: bool,
}

fn duration(written: &str) -> Result<Duration, String> {
    let split = written.find(|character: char| !character.is_ascii_digit()).unwrap_or(written.len());
    let (number, unit) = written.split_at(split);
    let factor = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err("expected a number of seconds, minutes or hours, such as 300s, 5m or 1h".to_owned()),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).filter(|seconds| *seconds <= 24 * 3600);
    seconds.map(Duration::from_secs).ok_or_else(|| "expected a time up to 24h, such as 300s or 5m".to_owned())
}

/// Result of one `doctor` check.
pub enum CheckResult {
    /// The check passed. The text says what was found.
    Passed(String),
    /// The check passed. The text says something that the server administrator should know.
    Warning(String),
    /// The check failed. The texts say what is wrong and how to fix the problem.
    Failed(String, &'static str),
}

/// State of a finding, printed as `ok`, `note` or `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Note,
    Fail,
}

/// Finding of one check. The field names are also the JSON names that `--json` prints.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    name: String,
    state: State,
    message: String,
    remedy: Option<&'static str>,
    link: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Ok => "ok  ",
            State::Note => "note",
            State::Fail => "FAIL",
        };
        writeln!(f, "{mark} {}: {}", self.name, self.message)?;
        match self.remedy {
            Some(remedy) => writeln!(f, "       {remedy}\n       see {}", self.link),
            None => Ok(()),
        }
    }
}

/// Report of the `doctor` command: its options and the findings of all checks that have run.
#[derive(Debug, Default)]
pub struct DoctorReport {
    options: DoctorOptions,
    findings: Vec<Finding>,
    has_wrong_setting: bool,
}

impl DoctorReport {
    /// Returns `true` when the option `--pre` is set: Patio is not installed yet, so the checks must not change anything.
    #[must_use]
    pub fn is_preinstall(&self) -> bool {
        self.options.pre
    }

    /// Records the result of one check. The result is printed at once, unless the option `--wait` or `--json` is set.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub fn record_check(&mut self, name: &str, section: RunbookSection, found: CheckResult) -> anyhow::Result<()> {
        let (state, message, remedy) = match found {
            CheckResult::Passed(message) => (State::Ok, message, None),
            CheckResult::Warning(message) => (State::Note, message, None),
            CheckResult::Failed(message, remedy) => (State::Fail, message, Some(remedy)),
        };
        let finding = Finding { name: name.to_owned(), state, message, remedy, link: section.runbook_link() };
        if self.prints_at_once() {
            print_to_stdout(&finding.to_string())?;
        }
        self.findings.push(finding);
        Ok(())
    }

    /// Records whether the settings of the program are valid. An invalid setting makes the exit code 78.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub fn record_settings_check(&mut self, checked: anyhow::Result<()>) -> anyhow::Result<()> {
        let found = match checked {
            Ok(()) => CheckResult::Passed("valid".to_owned()),
            Err(cause) => {
                self.has_wrong_setting = true;
                CheckResult::Failed(format!("{cause:#}"), "correct the setting; `config` prints the values in use")
            }
        };
        self.record_check("settings", RunbookSection::Settings, found)
    }

    fn prints_at_once(&self) -> bool {
        !self.options.json && self.options.wait.is_zero()
    }

    fn failed(&self) -> Vec<&str> {
        self.findings.iter().filter(|finding| finding.state == State::Fail).map(|finding| finding.name.as_str()).collect()
    }

    /// Prints the findings, unless [`Self::record_check`] has already printed them.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written, or when a check failed. The message then says how many checks failed.
    fn finish(&self) -> anyhow::Result<()> {
        let failed = self.failed().len();
        if self.options.json {
            let object = serde_json::json!({ "ok": failed == 0, "checks": self.findings });
            print_to_stdout(&format!("{}\n", serde_json::to_string_pretty(&object)?))?;
        } else if !self.prints_at_once() {
            print_to_stdout(&self.findings.iter().map(Finding::to_string).collect::<String>())?;
        }
        let words = format!("{failed} checks failed");
        anyhow::ensure!(!self.has_wrong_setting, InvalidSetting(words));
        anyhow::ensure!(failed == 0, words);
        Ok(())
    }
}

/// Runs all checks and prints the report. With `--wait`, repeats the checks until none fails or the time limit is reached, and prints only
/// the last report.
///
/// # Errors
/// Returns an error when a check failed or standard output cannot be written.
pub async fn run_checks(
    options: &DoctorOptions,
    run_doctor_checks: impl AsyncFn(&mut DoctorReport) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let until = Instant::now() + options.wait;
    loop {
        let mut report = DoctorReport { options: options.clone(), ..DoctorReport::default() };
        run_doctor_checks(&mut report).await?;
        if report.failed().is_empty() || Instant::now() + ROUND_PAUSE > until {
            return report.finish();
        }
        let left = until.saturating_duration_since(Instant::now()).as_secs();
        writeln!(std::io::stderr(), "waiting for {}, at most {left} s more", report.failed().join(", "))?;
        tokio::time::sleep(ROUND_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_and_an_end() {
        assert_eq!(["300s", "5m", "300"].map(duration), [300; 3].map(|seconds| Ok(Duration::from_secs(seconds))));
        assert!(["", "s", "5x", "1.5m", "25h", "99999999999999999999h"].iter().all(|wrong| duration(wrong).is_err()));
    }
}
