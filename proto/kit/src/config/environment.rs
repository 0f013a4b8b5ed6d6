//! Names of the environment variables that Patio's programs read, so that a program rejects a misspelt name when it starts.
use crate::config::InvalidSetting;

/// Environment variables of all settings of all programs. Each program accepts the variables of all programs, because several
/// programs may share an environment file. A test compares the names with the settings that the programs declare.
pub const SETTING_NAMES: [&str; 47] = [
    "PATIO_ADMIN_HMC",
    "PATIO_ADMIN_PASSWORD",
    "PATIO_ALLOW_DATA_LOSS",
    "PATIO_API_DOCS",
    "PATIO_AUTH_URL",
    "PATIO_BACKUP_RECIPIENT",
    "PATIO_BODY_TIMEOUT_SECONDS",
    "PATIO_CAMPAIGN_URL",
    "PATIO_DATABASE_MAX_CONNECTIONS",
    "PATIO_DATABASE_READ_URL",
    "PATIO_DATABASE_URL",
    "PATIO_DATA_DIR",
    "PATIO_DEVELOPER_HMC",
    "PATIO_DEVELOPER_PASSWORD",
    "PATIO_HEADER_TIMEOUT_SECONDS",
    "PATIO_HSTS",
    "PATIO_IMPORT_URL",
    "PATIO_KEY_FILE",
    "PATIO_LISTEN",
    "PATIO_LOG",
    "PATIO_LOG_JSON",
    "PATIO_MAX_CONCURRENT_REQUESTS",
    "PATIO_METRICS_LISTEN",
    "PATIO_OTLP_CA_FILE",
    "PATIO_OTLP_ENDPOINT",
    "PATIO_OTLP_HEADERS",
    "PATIO_OTLP_SAMPLE_RATIO",
    "PATIO_PRODUCT_NAME",
    "PATIO_REDIS_CA_FILE",
    "PATIO_REDIS_URL",
    "PATIO_REFLECTION",
    "PATIO_SEAL_FILE",
    "PATIO_SECURITY_CONTACT",
    "PATIO_SEPARATE_SQLITE",
    "PATIO_SERVICE_SECRET",
    "PATIO_SERVICE_TLS",
    "PATIO_SESSION_FILE",
    "PATIO_SHUTDOWN_DELAY_SECONDS",
    "PATIO_SIGNING_KEY_ROTATION_DAYS",
    "PATIO_SIGN_IN_BURST",
    "PATIO_TEMP_DIR",
    "PATIO_TLS",
    "PATIO_TOKEN",
    "PATIO_TOKEN_LIFETIME_HOURS",
    "PATIO_TRUSTED_PROXIES",
    "PATIO_VEHICLE_URL",
    "PATIO_WEB_DIR",
];

/// Environment variables that only compose files and scripts read, not Patio's programs.
const SCRIPT_SETTINGS: [&str; 8] = [
    "PATIO_AUTH_DB_PASSWORD",
    "PATIO_BIND",
    "PATIO_CAMPAIGN_DB_PASSWORD",
    "PATIO_IMPORTS_DB_PASSWORD",
    "PATIO_PORT",
    "PATIO_REDIS_PASSWORD",
    "PATIO_SECRETS",
    "PATIO_VEHICLE_DB_PASSWORD",
];

/// Rejects an environment variable that begins with `PATIO_` but is not a known setting. Names that begin with `PATIO_TEST_` are
/// allowed, because tests use such variables.
///
/// # Errors
/// Returns an [`InvalidSetting`] that names the variable and the setting with the most similar name.
pub fn reject_unknown_variables(variables: impl IntoIterator<Item = String>) -> Result<(), InvalidSetting> {
    let known = |name: &str| SETTING_NAMES.contains(&name) || SCRIPT_SETTINGS.contains(&name) || name.starts_with("PATIO_TEST_");
    let Some(unknown) = variables.into_iter().find(|name| name.starts_with("PATIO_") && !known(name)) else { return Ok(()) };
    let similarity = |setting| strsim::jaro_winkler(&unknown, setting);
    let nearest = SETTING_NAMES.into_iter().max_by(|one, other| similarity(one).total_cmp(&similarity(other))).unwrap_or_default();
    Err(InvalidSetting(format!("{unknown} is not a setting of Patio; did you mean {nearest}? Unset it if you do not need it")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_rejected_with_the_nearest_setting() {
        let check = |name: &str| reject_unknown_variables([name.to_owned(), "HOME".to_owned()]).map_err(|cause| cause.to_string());
        for (misspelt, meant) in [
            ("PATIO_DATABSE_URL", "PATIO_DATABASE_URL"),
            ("PATIO_DB_URL", "PATIO_DATABASE_URL"),
            ("PATIO_SERVICE_SECRT", "PATIO_SERVICE_SECRET"),
            ("PATIO_LOGJSON", "PATIO_LOG_JSON"),
        ] {
            let cause = check(misspelt).unwrap_err();
            assert!(cause.starts_with(&format!("{misspelt} is not a setting of Patio; did you mean {meant}?")), "{cause}");
        }
        assert!(["PATIO_LISTEN", "PATIO_TEST_ANYTHING", "PATIO_BIND", "PATIOX"].into_iter().all(|name| check(name).is_ok()));
    }
}
