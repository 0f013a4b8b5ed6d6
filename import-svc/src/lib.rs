//! import-svc: spreadsheets in and out.

mod api;
mod error;
pub mod files;
mod progress;
pub mod reader;
pub mod refusal;
pub mod running;
mod saga;
mod settle;
mod steps;
pub mod store;
pub mod template;

use api::places::Places;
use files::export::Exporter;
use patio_kit::{
    audit::AuditLog,
    command::Program,
    db::Schema,
    doctor::{self, Examination, Found},
    host::Host,
    server::{Builder, LARGEST_MESSAGE, Service},
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    imports::{file_service_server::FileServiceServer, import_service_server::ImportServiceServer},
};
use reader::Reader;
use running::Running;
use std::path::PathBuf;

pub use error::Error;

static SQLITE: sqlx::migrate::Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: sqlx::migrate::Migrator = sqlx::migrate!("migrations/postgres");

/// The tables of import-svc.
pub const SCHEMA: Schema = Schema { name: "imports", sqlite: &SQLITE, postgres: &POSTGRES };

/// What import-svc is told beside the common settings.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Config {
    /// The program that reads workbooks, started once for each with the argument `read-workbook`; this one itself when absent.
    #[arg(long, env = "PATIO_WORKBOOK_READER")]
    pub workbook_reader: Option<PathBuf>,
    /// The folder for parts of workbooks while they are written; the system's own for temporary files when absent.
    #[arg(long, env = "PATIO_WORK_DIR")]
    pub work_dir: Option<PathBuf>,
}

impl Config {
    fn reader(&self) -> std::io::Result<Reader> {
        let program = self.workbook_reader.clone().map_or_else(std::env::current_exe, Ok)?;
        Ok(Reader::new(program, reader::PATIENCE))
    }

    fn work_dir(&self) -> PathBuf {
        self.work_dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// Whether a workbook can be read, in a process of its own as all are.
async fn workbooks(config: &Config) -> Found {
    let read = async {
        let sheet = template::file()?.data;
        let book = config.reader()?.read(0, sheet.into(), &mut |_| {}).await.map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
        anyhow::Ok(book.vehicles.len())
    };
    match read.await {
        Ok(_) => Found::Well("the example is read by a process of its own".to_owned()),
        Err(cause) => Found::Ill(
            format!("the example cannot be read: {cause:#}"),
            "PATIO_WORKBOOK_READER names a program that reads workbooks; this one has to be allowed to start itself",
        ),
    }
}

/// import-svc as a program.
pub struct Imports;

impl Program for Imports {
    const NAME: &'static str = "import-svc";
    const LISTEN: &'static str = "127.0.0.1:50054";
    const SCHEMA: Schema = SCHEMA;
    type Config = Config;

    async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
        start(config, host).await
    }

    async fn examine(config: &Config, all: &mut Examination) -> anyhow::Result<()> {
        let advice = "make room or give this user the right to write there, or set PATIO_WORK_DIR to another folder";
        all.tell("work folder", doctor::folder(&config.work_dir(), advice))?;
        all.tell("workbooks", workbooks(config).await)
    }
}

/// Starts import-svc: the one door.
pub async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
    let db = host.database(SCHEMA).await?;
    let (reader, running) = (config.reader()?, Running::default());
    settle::keep_settling(host, db.clone(), running.clone());
    settle::keep_forgetting(host, db.clone());
    let exporter = Exporter::new(host, db.clone(), config.work_dir());
    let places = Places::default();
    let files = FileServiceServer::new(api::files::Api::new(host, db.clone(), (reader.clone(), exporter), places.clone()));
    let imports = ImportServiceServer::new(api::imports::Api::new(host, db.clone(), (reader, running), places));
    Builder::new(Imports::NAME, host)
        .with(imports.max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE))
        .with(files.max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE))
        .with(AuditServiceServer::new(AuditLog { db: db.clone() }))
        .build(db, Vec::new())
        .await
}
