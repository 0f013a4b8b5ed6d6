//! The commands `patio backup` and `patio restore`: online backups of the SQLite databases.
use crate::{
    backup_age,
    process::{ProcessOptions, SCHEMAS},
};
use anyhow::Context;
use patio_kit::{cli::print_to_stdout, db::Db, private_files};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// Name of the file with the audit seals (hash-chain links) of the audit log.
const SEALS: &str = "seals.log";

/// Copies every database into a new folder and checks each copy.
///
/// A database is copied after all databases that refer to its rows. For example, the campaigns are copied after the vehicles. Data
/// written between two copies then looks like unfinished work, which the services complete or undo when they start.
pub async fn create(options: &ProcessOptions, folder: &Path, recipient: Option<&str>) -> anyhow::Result<()> {
    let settings = options.settings();
    anyhow::ensure!(settings.database_url.is_none(), "PostgreSQL is backed up with pg_dump; deploy/runbook.md says how");
    fs::create_dir(folder).with_context(|| format!("cannot create {}; a backup needs a new folder", folder.display()))?;
    private_files::create_folder(folder)?;
    // The seal file is copied first, so that the database copies contain every seal in it.
    let seals = settings.seal_file_path().filter(|seals| seals.is_file());
    if let Some(seals) = seals {
        copy_file(&seals, &folder.join(SEALS), recipient).await?;
    }
    for schema in SCHEMAS {
        let (held, file) = (settings.data_dir.join(format!("{}.db", schema.name)), folder.join(format!("{}.db", schema.name)));
        anyhow::ensure!(held.is_file(), "{} does not exist", held.display());
        private_files::create_file(&file)?;
        let db = Db::open(schema, settings).await?;
        db.backup_to(&file).await.with_context(|| format!("cannot copy {}", held.display()))?;
        db.close().await;
        let file = encrypt_for_recipient(file, recipient).await?;
        print_to_stdout(&format!("{}: {} bytes\n", file.display(), fs::metadata(&file)?.len()))?;
    }
    backup_age::record_backup(&settings.data_dir, folder)?;
    let key = options.auth_config().sealing_key_path(&settings.data_dir);
    print_to_stdout(&format!("Keep a copy of {} elsewhere: without it, a restore signs all users out.\n", key.display()))?;
    if recipient.is_none() {
        print_to_stdout(
            "The backup is not encrypted. To encrypt it, set --recipient (PATIO_BACKUP_RECIPIENT) to a public key from age-keygen.\n",
        )?;
    }
    Ok(())
}

/// Copies an append-only file, such as the file of audit seals, and encrypts the copy if a recipient is given.
async fn copy_file(from: &Path, to: &Path, recipient: Option<&str>) -> anyhow::Result<()> {
    private_files::create_file(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    encrypt_for_recipient(to.to_owned(), recipient).await.map(drop)
}

/// Encrypts a file for a recipient with `age` and deletes the plain file. Without a recipient, the file is left unchanged.
async fn encrypt_for_recipient(open: PathBuf, recipient: Option<&str>) -> anyhow::Result<PathBuf> {
    let Some(recipient) = recipient else { return Ok(open) };
    let sealed = with_age(&open);
    private_files::create_file(&sealed)?;
    age(&["--encrypt", "--recipient", recipient], &sealed, &open).await?;
    fs::remove_file(&open)?;
    Ok(sealed)
}

fn with_age(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".age");
    name.into()
}

async fn age(what: &[&str], output: &Path, input: &Path) -> anyhow::Result<()> {
    let run = Command::new("age").args(what).arg("--output").arg(output).arg(input).output().await;
    let done = run.context("cannot run age; it is in the package `age`")?;
    anyhow::ensure!(done.status.success(), "age: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(())
}

/// Restores a backup into the data folder, which must not contain databases. `identity` is the key file for an encrypted backup.
pub async fn restore(options: &ProcessOptions, folder: &Path, identity: Option<&Path>) -> anyhow::Result<()> {
    let data = &options.settings().data_dir;
    private_files::create_folder(data).with_context(|| format!("cannot create {}", data.display()))?;
    for schema in SCHEMAS {
        let (held, file) = (data.join(format!("{}.db", schema.name)), folder.join(format!("{}.db", schema.name)));
        anyhow::ensure!(!held.exists(), "{} already exists: stop Patio and move its data folder away first", held.display());
        anyhow::ensure!(file.is_file() || with_age(&file).is_file(), "{} does not exist", file.display());
        let is_open = file.is_file() || identity.is_some();
        anyhow::ensure!(is_open, "{} is encrypted: set --identity to the key file from age-keygen", with_age(&file).display());
    }
    let names = SCHEMAS.map(|schema| format!("{}.db", schema.name));
    for name in names.iter().map(String::as_str).chain([SEALS]) {
        restore_file(&folder.join(name), &data.join(name), identity).await.with_context(|| format!("cannot restore {name}"))?;
    }
    for schema in SCHEMAS {
        let db = Db::open(schema, options.settings()).await?;
        let health = db.health(schema).await?;
        db.close().await;
        anyhow::ensure!(health.damage.is_none(), "{}: {}", schema.name, health.damage.unwrap_or_default());
        print_to_stdout(&format!("{}: restored\n", schema.name))?;
    }
    crate::restore::complete_restore(options.settings()).await
}

/// Restores one file of a backup, and decrypts it if necessary. A missing file is skipped, because old backups contain no seal file.
async fn restore_file(from: &Path, to: &Path, identity: Option<&Path>) -> anyhow::Result<()> {
    let sealed = with_age(from);
    if !from.is_file() && !sealed.is_file() {
        return Ok(());
    }
    private_files::create_file(to)?;
    if from.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    let identity = identity.unwrap_or(Path::new("")).display().to_string();
    age(&["--decrypt", "--identity", &identity], to, &sealed).await
}
