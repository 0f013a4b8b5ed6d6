//! import-svc: imports campaigns from `.xlsx` workbooks, exports campaigns as workbooks, and applies vehicle changes from CSV
//! files.

pub mod active_imports;
mod api;
mod error;
pub mod files;
mod import_outcome;
mod progress;
mod recovery;
mod saga;
mod saga_clients;
pub mod store;
pub mod template_workbook;

use active_imports::ActiveImports;
use api::upload_limiter::UploadLimiter;
use files::export::Exporter;
use patio_kit::{
    audit::AuditLogService,
    cli::{
        ServiceBinary,
        doctor::{CheckResult, DoctorReport, RunbookSection},
    },
    config::{Settings, TUNING_HELP_HEADING},
    db::Schema,
    server::{MAX_MESSAGE_BYTES, Service, ServiceBuilder},
    service_host::ServiceHost,
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    imports::{file_service_server::FileServiceServer, import_service_server::ImportServiceServer},
};
use std::path::PathBuf;
use workbook_reader::WorkbookReader;

pub use error::Error;

static SQLITE: sqlx::migrate::Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: sqlx::migrate::Migrator = sqlx::migrate!("migrations/postgres");

/// Database schema of import-svc: its name and its migrations for SQLite and PostgreSQL.
pub const SCHEMA: Schema = Schema { name: "imports", sqlite: &SQLITE, postgres: &POSTGRES };

/// Settings of import-svc, in addition to the settings that all services share.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Config {
    /// Program that parses workbooks, started once per workbook with the argument `read-workbook`. Default: this executable. Only
    /// tests set another program.
    #[arg(skip)]
    pub workbook_reader: Option<PathBuf>,
    /// Folder for temporary files of workbooks that are being written. Default: the system's temporary folder.
    #[arg(long, env = "PATIO_TEMP_DIR", help_heading = TUNING_HELP_HEADING)]
    pub work_dir: Option<PathBuf>,
}

impl Config {
    fn reader(&self) -> std::io::Result<WorkbookReader> {
        let program = self.workbook_reader.clone().map_or_else(std::env::current_exe, Ok)?;
        Ok(WorkbookReader::new(program, workbook_reader::WORKBOOK_READ_TIMEOUT))
    }

    fn work_dir(&self) -> PathBuf {
        self.work_dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// Checks that the workbook reader process starts and can parse the template workbook. Part of the `doctor` command.
async fn workbooks(config: &Config) -> CheckResult {
    let read = async {
        let sheet = template_workbook::build_template_workbook()?.data;
        let book = config.reader()?.read(0, sheet.into(), &mut |_| {}).await.map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
        anyhow::Ok(book.vehicles.len())
    };
    match read.await {
        Ok(_) => CheckResult::Passed("the template was read by a workbook reader process".to_owned()),
        Err(cause) => {
            CheckResult::Failed(format!("the template cannot be read: {cause:#}"), "allow this program to start itself as a child process")
        }
    }
}

/// Binary of import-svc: its name, default listen address and schema.
pub const SERVICE_BINARY: ServiceBinary = ServiceBinary { name: "import-svc", listen: "127.0.0.1:50054", schema: SCHEMA };

/// Checks the folder for temporary files and the workbook reader, and adds the results to the report of the `doctor` command.
///
/// # Errors
/// Returns an error when the report cannot be printed.
pub async fn run_doctor_checks(_settings: &Settings, config: &Config, all: &mut DoctorReport) -> anyhow::Result<()> {
    let advice = "free disk space or give this user write permission there, or set PATIO_TEMP_DIR to another folder";
    all.check_folder_writable("work folder", &config.work_dir(), advice)?;
    all.record_check("workbooks", RunbookSection::Workbooks, workbooks(config).await)
}

/// Builds the gRPC services of import-svc and starts their background tasks.
pub async fn start(config: Config, host: &ServiceHost) -> anyhow::Result<Service> {
    let db = host.open_database(SCHEMA).await?;
    let (reader, running) = (config.reader()?, ActiveImports::default());
    recovery::spawn_import_recovery(host, db.clone(), running.clone());
    recovery::spawn_rejected_workbook_purge(host, db.clone());
    let exporter = Exporter::new(host, db.clone(), config.work_dir());
    let places = UploadLimiter::default();
    let files = FileServiceServer::new(api::files::FileApi::new(host, db.clone(), (reader.clone(), exporter), places.clone()));
    let imports = ImportServiceServer::new(api::imports::ImportApi::new(host, db.clone(), (reader, running), places));
    ServiceBuilder::new(SERVICE_BINARY.name, host)
        .add_service(imports.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(files.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(AuditServiceServer::new(AuditLogService { db: db.clone() }))
        .build(db, Vec::new())
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_doctor_finds_a_workbook_reader_that_does_not_work() {
        let config = Config { workbook_reader: Some("/bin/false".into()), ..Config::default() };
        let CheckResult::Failed(cause, _) = workbooks(&config).await else { panic!("the check passed") };
        assert!(cause.starts_with("the template cannot be read"), "{cause}");
    }
}
