//! A fresh database on the PostgreSQL server that the environment names.
use crate::{
    environment::{POSTGRES, variable},
    lifeline::{self, AtExit},
    programs::tool,
};
use std::process::Command;

/// A database of one test; `Drop` removes it.
#[derive(Debug)]
pub struct Database {
    server: String,
    name: String,
    _removal: AtExit,
}

impl Database {
    /// Creates an empty database; `None` when [`POSTGRES`] is not set.
    #[must_use]
    pub fn fresh() -> Option<Self> {
        let database = Self::reserved()?;
        database.on_server(&format!("create database {}", database.name));
        Some(database)
    }

    /// Reserves a name; the caller creates the database. `None` when [`POSTGRES`] is not set.
    #[must_use]
    pub fn reserved() -> Option<Self> {
        let server = variable(POSTGRES)?;
        let name = format!("patio_{}", uuid::Uuid::now_v7().simple());
        let removal = lifeline::at_exit(&format!("psql -d '{server}' -qc 'drop database if exists {name} with (force)'"));
        Some(Self { server, name, _removal: removal })
    }

    /// Its name, which no other database has.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its URL for the administrator of the server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}", self.server.rsplit_once('/').unwrap().0, self.name)
    }

    /// Its URL for a role with a password.
    #[must_use]
    pub fn url_for(&self, role: &str, password: &str) -> String {
        let (_, address) = self.server.rsplit_once('@').unwrap();
        format!("postgres://{role}:{password}@{}/{}", address.rsplit_once('/').unwrap().0, self.name)
    }

    /// Runs a statement in the database; rows as lines.
    #[track_caller]
    pub fn sql(&self, statement: &str) -> String {
        psql(&self.url(), statement)
    }

    /// Runs a statement in the server's own database.
    #[track_caller]
    pub fn on_server(&self, statement: &str) -> String {
        psql(&self.server, statement)
    }
}

/// Runs a statement as `psql` does, stopping at the first error; rows as lines.
#[track_caller]
pub fn psql(url: &str, statement: &str) -> String {
    let mut command = Command::new("psql");
    command.args(["-v", "ON_ERROR_STOP=1", "-d", url, "-qAtc", statement]);
    tool(command)
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("drop database if exists {} with (force)", self.name);
        let _ = Command::new("psql").args(["-d", &self.server, "-qc", &statement]).output();
    }
}
