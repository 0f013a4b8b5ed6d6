//! Test databases on the PostgreSQL server that an environment variable names.
use crate::{
    environment::{POSTGRES_URL_VARIABLE, read_variable},
    exit_cleanup::{self, CleanupGuard},
    programs::run_system_command,
};
use std::process::Command;

/// PostgreSQL database of one test. Dropping the value deletes the database.
#[derive(Debug)]
pub struct Database {
    server: String,
    name: String,
    _removal: CleanupGuard,
}

impl Database {
    /// Creates an empty database. Returns `None` when [`POSTGRES_URL_VARIABLE`] is not set.
    #[must_use]
    pub fn create() -> Option<Self> {
        let database = Self::with_reserved_name()?;
        database.run_sql_in_maintenance_database(&format!("create database {}", database.name));
        Some(database)
    }

    /// Reserves a unique name without creating the database; the caller creates it. Returns `None` when [`POSTGRES_URL_VARIABLE`]
    /// is not set.
    #[must_use]
    pub fn with_reserved_name() -> Option<Self> {
        let server = read_variable(POSTGRES_URL_VARIABLE)?;
        let name = format!("patio_{}", uuid::Uuid::now_v7().simple());
        let removal = exit_cleanup::run_command_at_exit(&format!("psql -d '{server}' -qc 'drop database if exists {name} with (force)'"));
        Some(Self { server, name, _removal: removal })
    }

    /// Returns the unique name of the database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the URL for connecting to the database as administrator of the server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}", self.server.rsplit_once('/').unwrap().0, self.name)
    }

    /// Returns the URL for connecting to the database as the given role.
    #[must_use]
    pub fn url_for_role(&self, role: &str, password: &str) -> String {
        let (_, address) = self.server.rsplit_once('@').unwrap();
        format!("postgres://{role}:{password}@{}/{}", address.rsplit_once('/').unwrap().0, self.name)
    }

    /// Runs an SQL statement in the database as administrator, and returns the rows as lines of text.
    #[track_caller]
    pub fn run_sql(&self, statement: &str) -> String {
        run_psql(&self.url(), statement)
    }

    /// Runs an SQL statement in the database to which the URL in [`POSTGRES_URL_VARIABLE`] points, and returns the rows as lines of
    /// text.
    #[track_caller]
    pub fn run_sql_in_maintenance_database(&self, statement: &str) -> String {
        run_psql(&self.server, statement)
    }
}

/// Runs an SQL statement with `psql`, and returns the rows as lines of text. Panics when the statement fails.
#[track_caller]
pub fn run_psql(url: &str, statement: &str) -> String {
    let mut command = Command::new("psql");
    command.args(["-v", "ON_ERROR_STOP=1", "-d", url, "-qAtc", statement]);
    run_system_command(command)
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("drop database if exists {} with (force)", self.name);
        let _ = Command::new("psql").args(["-d", &self.server, "-qc", &statement]).output();
    }
}
