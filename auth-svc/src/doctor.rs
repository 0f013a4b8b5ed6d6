//! Checks of the `doctor` command for auth-svc: the key file must be valid and protected from other users of the machine.
use crate::{Config, sealing_keys::SealingKeys};
use patio_kit::{
    cli::doctor::{CheckResult, DoctorReport, RunbookSection},
    config::Settings,
    errors,
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

/// Permission bits of a file for users other than the owner and the group. The key file must have none of these bits; group bits
/// are allowed, because Kubernetes mounts a Secret as readable for the group.
const OTHERS_MODE: u32 = 0o007;

/// Checks the file with the sealing key, which encrypts the stored keys, and adds the result to the report of the `doctor` command.
///
/// # Errors
/// Returns an error when the report cannot be printed.
pub async fn run_doctor_checks(settings: &Settings, config: &Config, all: &mut DoctorReport) -> anyhow::Result<()> {
    all.record_check("key file", RunbookSection::Secrets, key_file(&config.key_file_path(&settings.data_dir)))
}

fn key_file(path: &Path) -> CheckResult {
    match SealingKeys::read(path) {
        Ok(None) => CheckResult::Warning(format!("{} does not exist; it is created on an empty database", path.display())),
        Err(cause) => CheckResult::Failed(errors::format_error_chain(&cause), "set PATIO_KEY_FILE to the key file of this installation"),
        Ok(Some(_)) if fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS_MODE != 0) => CheckResult::Failed(
            format!("all users of this machine can access {}", path.display()),
            "run `chmod 600` on the file; a user who also has a backup can sign in as any user",
        ),
        Ok(Some(_)) => CheckResult::Passed(format!("{} contains a key", path.display())),
    }
}
