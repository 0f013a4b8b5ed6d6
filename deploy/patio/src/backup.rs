//! The commands `patio backup` and `patio restore`: online backups of the SQLite databases.
use crate::{
    backup_age,
    process::{AllServicesOptions, DATABASE_SCHEMAS},
};
use anyhow::Context;
use patio_kit::{
    cli::print_to_stdout,
    config::Settings,
    db::{Db, Schema, backup::query_ids_in_backup},
    private_files,
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::process::Command;

/// Name of the file with the audit seals (hash-chain links) of the audit log.
const SEALS: &str = "seals.log";

/// Maximum number of attempts to copy the databases of vehicle-svc and campaign-svc. An attempt fails when a copied campaign lacks
/// its vehicles.
const MAX_COPIES: u32 = 3;
/// Delay before the databases of vehicle-svc and campaign-svc are copied again, so that running imports can finish.
const COPY_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Copies every database into a new folder and checks each copy. After an error, the folder is removed.
///
/// The databases are copied one after another while the services run. When a change affects two databases, the backup may therefore
/// contain the change in only one database. After a restore, the services complete or undo such a change.
pub async fn create_backup(options: &AllServicesOptions, folder: &Path, recipient: Option<&str>) -> anyhow::Result<()> {
    let settings = options.settings();
    anyhow::ensure!(settings.database_url.is_none(), "PostgreSQL is backed up with pg_dump; deploy/runbook.md says how");
    fs::create_dir(folder).with_context(|| format!("cannot create {}; a backup needs a new folder", folder.display()))?;
    let files = match copy_all(settings, folder, recipient).await {
        Ok(files) => files,
        Err(cause) => {
            return Err(match fs::remove_dir_all(folder) {
                Ok(()) => cause,
                Err(left) => cause.context(format!("the incomplete backup {} could not be removed ({left})", folder.display())),
            });
        }
    };
    for file in files {
        print_to_stdout(&format!("{}: {} bytes\n", file.display(), fs::metadata(&file)?.len()))?;
    }
    backup_age::record_backup(&settings.data_dir, folder)?;
    let key = options.auth_svc_config().key_file_path(&settings.data_dir);
    print_to_stdout(&format!("Keep a copy of {} elsewhere: without it, a restore signs all users out.\n", key.display()))?;
    if recipient.is_none() {
        print_to_stdout(
            "The backup is not encrypted. To encrypt it, set --recipient (PATIO_BACKUP_RECIPIENT) to a public key from age-keygen.\n",
        )?;
    }
    Ok(())
}

/// Copies the seal file and all databases, and encrypts each copy if `recipient` is given. Returns the paths of the database copies.
async fn copy_all(settings: &Settings, folder: &Path, recipient: Option<&str>) -> anyhow::Result<[PathBuf; DATABASE_SCHEMAS.len()]> {
    private_files::create_private_folder(folder)?;
    // The seal file is copied first, so that the database copies contain every seal in it.
    let seals = settings.audit_seal_file_path().filter(|seals| seals.is_file());
    if let Some(seals) = seals {
        copy_file(&seals, &folder.join(SEALS), recipient).await?;
    }
    let encrypt = |schema| encrypt_for_recipient(database_file(folder, schema), recipient);
    copy_database(settings, auth_svc::SCHEMA, folder).await?;
    let auth = encrypt(auth_svc::SCHEMA).await?;
    copy_vehicles_and_campaigns(settings, folder).await?;
    let (vehicles, campaigns) = (encrypt(vehicle_svc::SCHEMA).await?, encrypt(campaign_svc::SCHEMA).await?);
    copy_database(settings, import_svc::SCHEMA, folder).await?;
    Ok([auth, vehicles, campaigns, encrypt(import_svc::SCHEMA).await?])
}

fn database_file(folder: &Path, schema: Schema) -> PathBuf {
    folder.join(format!("{}.db", schema.name))
}

/// Copies one database into the folder, while the services run.
async fn copy_database(settings: &Settings, schema: Schema, folder: &Path) -> anyhow::Result<()> {
    let (held, file) = (database_file(&settings.data_dir, schema), database_file(folder, schema));
    anyhow::ensure!(held.is_file(), "{} does not exist", held.display());
    private_files::create_private_file(&file)?;
    let db = Db::open(schema, settings).await?;
    db.backup_to(&file).await.with_context(|| format!("cannot copy {}", held.display()))?;
    db.close().await;
    Ok(())
}

/// Copies the database of vehicle-svc, then the database of campaign-svc. If an import published a campaign between the two copies,
/// the campaign lacks its vehicles in the backup, and both databases are copied again.
///
/// If the same campaigns lack their vehicles in two attempts in a row, the running databases lack the vehicles as well. The copies
/// are then kept, and the ids of these campaigns are printed.
async fn copy_vehicles_and_campaigns(settings: &Settings, folder: &Path) -> anyhow::Result<()> {
    let [vehicles, campaigns] = [vehicle_svc::SCHEMA, campaign_svc::SCHEMA].map(|schema| database_file(folder, schema));
    let mut torn_before = Vec::new();
    for copies_left in (0..MAX_COPIES).rev() {
        copy_database(settings, vehicle_svc::SCHEMA, folder).await?;
        copy_database(settings, campaign_svc::SCHEMA, folder).await?;
        let complete = query_ids_in_backup(&vehicles, vehicle_svc::store::backup_restore::SELECT_PUBLISHED_CAMPAIGN_IDS).await?;
        let torn: Vec<i64> =
            query_ids_in_backup(&campaigns, campaign_svc::SELECT_PUBLISHED_CAMPAIGN_IDS).await?.difference(&complete).copied().collect();
        if torn.is_empty() {
            break;
        }
        if torn == torn_before {
            return print_to_stdout(&format!("Campaigns {torn:?} have no vehicles in the running databases either.\n"));
        }
        anyhow::ensure!(copies_left > 0, "campaigns {torn:?} were imported during the backup, so it lacks their vehicles: try again");
        torn_before = torn;
        for file in [&vehicles, &campaigns] {
            fs::remove_file(file)?;
        }
        tokio::time::sleep(COPY_RETRY_DELAY).await;
    }
    Ok(())
}

/// Copies an append-only file, such as the file of audit seals. Encrypts the copy with `age` if the public key `recipient` is given.
async fn copy_file(from: &Path, to: &Path, recipient: Option<&str>) -> anyhow::Result<()> {
    private_files::create_private_file(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    encrypt_for_recipient(to.to_owned(), recipient).await.map(drop)
}

/// Encrypts a file with `age` for the public key `recipient`, deletes the plain file and returns the path of the encrypted file.
/// Without a recipient, leaves the file unchanged and returns its path.
async fn encrypt_for_recipient(open: PathBuf, recipient: Option<&str>) -> anyhow::Result<PathBuf> {
    let Some(recipient) = recipient else { return Ok(open) };
    let sealed = with_age(&open);
    private_files::create_private_file(&sealed)?;
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
pub async fn restore_backup(options: &AllServicesOptions, folder: &Path, identity: Option<&Path>) -> anyhow::Result<()> {
    let data = &options.settings().data_dir;
    private_files::create_private_folder(data).with_context(|| format!("cannot create {}", data.display()))?;
    for schema in DATABASE_SCHEMAS {
        let (held, file) = (database_file(data, schema), database_file(folder, schema));
        anyhow::ensure!(!held.exists(), "{} already exists: stop Patio and move its data folder away first", held.display());
        anyhow::ensure!(file.is_file() || with_age(&file).is_file(), "{} does not exist", file.display());
        let is_open = file.is_file() || identity.is_some();
        anyhow::ensure!(is_open, "{} is encrypted: set --identity to the key file from age-keygen", with_age(&file).display());
    }
    let names = DATABASE_SCHEMAS.map(|schema| format!("{}.db", schema.name));
    for name in names.iter().map(String::as_str).chain([SEALS]) {
        restore_file(&folder.join(name), &data.join(name), identity).await.with_context(|| format!("cannot restore {name}"))?;
    }
    for schema in DATABASE_SCHEMAS {
        let db = Db::open(schema, options.settings()).await?;
        let health = db.check_health(schema).await?;
        db.close().await;
        anyhow::ensure!(health.damage.is_none(), "{}: {}", schema.name, health.damage.unwrap_or_default());
        print_to_stdout(&format!("{}: restored\n", schema.name))?;
    }
    crate::restore::advance_ids_after_restore(options.settings()).await
}

/// Restores one file of a backup, and decrypts it if necessary. A missing file is skipped, because old backups contain no seal file.
async fn restore_file(from: &Path, to: &Path, identity: Option<&Path>) -> anyhow::Result<()> {
    let sealed = with_age(from);
    if !from.is_file() && !sealed.is_file() {
        return Ok(());
    }
    private_files::create_private_file(to)?;
    if from.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    let identity = identity.unwrap_or(Path::new("")).display().to_string();
    age(&["--decrypt", "--identity", &identity], to, &sealed).await
}
