//! The floors: the same statements in handlers that do nothing else, with nobody to judge who asks.
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

/// One process of a floor.
#[derive(Debug, Subcommand)]
pub enum Floor {
    /// Answers HTTP from a database, or from a service behind one hop.
    Http {
        /// Where it listens.
        listen: SocketAddr,
        /// A database, or the `http://` of a service.
        source: String,
    },
    /// Answers gRPC from a database.
    Grpc {
        /// Where it listens.
        listen: SocketAddr,
        /// A database.
        source: String,
    },
    /// Reads a workbook and stores its rows as fast as the database takes them.
    Import {
        /// The workbook.
        file: PathBuf,
        /// A database.
        source: String,
    },
    /// Writes a workbook of a campaign's vehicles.
    Report {
        /// The workbook to be.
        file: PathBuf,
        /// A database.
        source: String,
        /// Which vehicles.
        campaign: i64,
    },
    /// Changes the status of vehicles in one statement.
    Bulk {
        /// A file of their keys, a line each.
        file: PathBuf,
        /// A database.
        source: String,
        /// Whose vehicles.
        campaign: i64,
    },
}

/// Runs one process of a floor.
///
/// # Errors
/// What stopped it.
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
