//! Command `user`: lists users, sets passwords and ends sessions directly in the database. Server administrators need the command
//! when the last supervisor has lost the password.
use crate::{
    SCHEMA, bootstrap,
    error::Error,
    hmc, password,
    password::PasswordHasher,
    store::{
        user_audit_entries,
        users::{self, StoredUser},
    },
};
use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::DEVELOPER_USER_ID,
    cli::print_to_stdout,
    clock::Clock,
    config::Settings,
    db::{Db, Tx},
};
use patio_proto::access::Role;
use std::io::{self, Read};

/// Manages users directly in the database.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Lists all users with their access level and the time of their last sign-in.
    List,
    /// Sets a new password and ends all sessions of the user, who has to choose another password after signing in.
    SetPassword {
        /// Login name (HMC) of the user.
        hmc: String,
        /// Reads the password from standard input instead of generating and printing one.
        #[arg(long)]
        stdin: bool,
    },
    /// Ends all sessions of the user, who has to sign in again.
    EndSessions {
        /// Login name (HMC) of the user.
        hmc: String,
    },
}

impl UserCommand {
    /// Runs the command and prints its result.
    ///
    /// # Errors
    /// Returns an error when no user has the login name (HMC), the password is too weak, or the database fails.
    pub async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let db = Db::open_existing(SCHEMA, settings).await?;
        let done = self.run_on(&db).await;
        db.close().await;
        print_to_stdout(&done?)
    }

    async fn run_on(self, db: &Db) -> anyhow::Result<String> {
        let now = Clock::default().now();
        match self {
            Self::List => Ok(users::list_non_developer_users(db).await?.iter().map(line).collect()),
            Self::SetPassword { hmc, stdin } => {
                let user = find(db, &hmc).await?;
                let chosen = if stdin { read_line()? } else { bootstrap::generate_password()? };
                password::check_password_rules(&chosen, &user.hmc_key)?;
                let password_hash = PasswordHasher::default().hash(chosen.clone()).await?;
                let changed = StoredUser { password_hash, must_change: true, ..user.clone() };
                db.write(move |tx| Box::pin(async move { set_password(tx, &changed, now).await })).await?;
                let shown = if stdin { String::new() } else { format!("New password: {chosen}\n") };
                Ok(format!("{shown}{} has to choose another password after signing in. All sessions have ended.\n", user.hmc))
            }
            Self::EndSessions { hmc } => {
                let user = find(db, &hmc).await?;
                let id = user.id;
                db.write(move |tx| Box::pin(async move { end_sessions(tx, id, now).await })).await?;
                Ok(format!("All sessions of {} have ended.\n", user.hmc))
            }
        }
    }
}

/// Describes a user in one line: login name (HMC), role and time of the last sign-in.
fn line(user: &StoredUser) -> String {
    let role = match user.role() {
        Role::Admin => "supervisor",
        Role::Manager => "team leader",
        _ => "operator",
    };
    let last =
        user.last_login_at.map_or_else(|| "never signed in".to_owned(), |at| format!("last signed in {}", at.format("%Y-%m-%d %H:%M UTC")));
    format!("{}\t{role}\t{last}\n", user.hmc)
}

/// Returns the user with this login name (HMC).
///
/// # Errors
/// Returns an error when no user has the login name, or when the login name belongs to the developer account. The password of the
/// developer account comes from a setting.
async fn find(db: &Db, hmc: &str) -> anyhow::Result<StoredUser> {
    let user = users::find_by_hmc(db, &hmc::comparison_key(hmc))
        .await?
        .with_context(|| format!("no user has the HMC {hmc}; `user list` lists all"))?;
    ensure!(user.id != DEVELOPER_USER_ID, "the password of the developer account is the setting PATIO_DEVELOPER_PASSWORD");
    Ok(user)
}

fn read_line() -> anyhow::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).context("standard input")?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

async fn set_password(tx: &mut Tx<'_>, user: &StoredUser, now: DateTime<Utc>) -> Result<(), Error> {
    users::acquire_users_lock(tx).await?;
    users::update(tx, user).await?;
    users::end_user_sessions(tx, user.id, now).await?;
    write_audit(tx, user.id, now, "password set on the command line").await
}

async fn end_sessions(tx: &mut Tx<'_>, id: i64, now: DateTime<Utc>) -> Result<(), Error> {
    users::acquire_users_lock(tx).await?;
    users::end_user_sessions(tx, id, now).await?;
    write_audit(tx, id, now, "all sessions ended on the command line").await
}

/// Appends an audit entry that names no acting user, because the command runs on the server without a sign-in.
async fn write_audit(tx: &mut Tx<'_>, id: i64, now: DateTime<Utc>, summary: &str) -> Result<(), Error> {
    let event = AuditEvent {
        kind: "user-changed",
        subject: user_audit_entries::audit_subject(id),
        summary: summary.to_owned(),
        ..AuditEvent::default()
    };
    Ok(audit::append(tx, now, None, event).await?)
}
