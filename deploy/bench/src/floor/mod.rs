//! Baselines ("floors"): minimal programs that run the same SQL statements as Patio, without authorization or other logic.
pub mod door;
pub mod rows;
pub mod service;
pub mod sheet;

use anyhow::Context;
use clap::Subcommand;
use patio_kit::clock::Clock;
use rows::Base;
use std::{net::SocketAddr, path::PathBuf};
use tokio::net::TcpListener;

/// Command of one baseline process.
#[derive(Debug, Subcommand)]
pub enum Floor {
    /// Serves HTTP from a database, or from a gRPC service.
    Http {
        /// Address to listen on.
        listen: SocketAddr,
        /// Database URL, or the `http://` URL of a gRPC service.
        source: String,
    },
    /// Serves gRPC from a database.
    Grpc {
        /// Address to listen on.
        listen: SocketAddr,
        /// Database URL.
        source: String,
    },
    /// Reads a workbook and stores its rows as fast as possible.
    Import {
        /// Path of the workbook.
        file: PathBuf,
        /// Database URL.
        source: String,
    },
    /// Writes the vehicles of a campaign to a workbook.
    Report {
        /// Path of the workbook to write.
        file: PathBuf,
        /// Database URL.
        source: String,
        /// Id of the campaign to export.
        campaign: i64,
    },
    /// Sets the status of vehicles in one statement.
    Bulk {
        /// File with the vehicle keys, one per line.
        file: PathBuf,
        /// Database URL.
        source: String,
        /// Id of the campaign to change.
        campaign: i64,
    },
}

/// Runs one baseline process.
///
/// # Errors
/// Returns the error that stopped the process.
pub async fn run(floor: Floor) -> anyhow::Result<()> {
    match floor {
        Floor::Http { listen, source } => {
            let way = if source.starts_with("http") { door::Way::hop(&source)? } else { door::Way::Straight(Base::open(&source).await?) };
            let listener = TcpListener::bind(listen).await.context("the port is taken")?;
            Ok(axum::serve(door::NoDelay(listener), door::router(way)).await?)
        }
        Floor::Grpc { listen, source } => service::serve(listen, Base::open(&source).await?).await,
        Floor::Import { file, source } => sheet::import(&file, &Base::open(&source).await?).await,
        Floor::Report { file, source, campaign } => sheet::report(&file, &Base::open(&source).await?, campaign).await,
        Floor::Bulk { file, source, campaign } => {
            let keys = std::fs::read_to_string(file)?;
            let keys: Vec<&str> = keys.lines().collect();
            Base::open(&source).await?.set_status(campaign, &serde_json::to_string(&keys)?, Clock::default().now()).await
        }
    }
}
