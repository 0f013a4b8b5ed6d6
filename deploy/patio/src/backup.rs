//! Backups of the SQLite databases, made while they are in use, and put back.
use crate::process::{Options, SCHEMAS};
use anyhow::Context;
use patio_kit::{command::print, db::Db, private};
use std::{fs, path::Path};

/// Copies every database into a new folder, and checks each copy.
///
/// Who is referred to is copied after who refers: a vehicle's campaign, an import's draft. What happens between two
/// copies is then at worst unfinished work, which the services finish or undo when they start.
pub async fn make(options: &Options, folder: &Path) -> anyhow::Result<()> {
    let settings = options.settings();
    anyhow::ensure!(settings.database_url.is_none(), "PostgreSQL is backed up with pg_dump; deploy/runbook.md says how");
    fs::create_dir(folder).with_context(|| format!("cannot make {}; a backup goes into a new folder", folder.display()))?;
    private::folder(folder)?;
    for schema in SCHEMAS {
        let (held, file) = (settings.data_dir.join(format!("{}.db", schema.name)), folder.join(format!("{}.db", schema.name)));
        anyhow::ensure!(held.is_file(), "there is no {}", held.display());
        private::file(&file)?; // the copy holds the keys that tokens are signed with
        let db = Db::open(schema, settings).await?;
        db.copy_to(&file).await.with_context(|| format!("cannot copy {}", held.display()))?;
        db.close().await;
        print(&format!("{}: {} bytes\n", file.display(), fs::metadata(&file)?.len()))?;
    }
    Ok(())
}

/// Puts a backup into an empty data folder.
pub async fn restore(options: &Options, folder: &Path) -> anyhow::Result<()> {
    let data = &options.settings().data_dir;
    private::folder(data).with_context(|| format!("cannot make {}", data.display()))?;
    for schema in SCHEMAS {
        let (held, file) = (data.join(format!("{}.db", schema.name)), folder.join(format!("{}.db", schema.name)));
        anyhow::ensure!(!held.exists(), "{} is there already: stop Patio, and move its data folder away first", held.display());
        anyhow::ensure!(file.is_file(), "there is no {}", file.display());
    }
    for schema in SCHEMAS {
        let name = format!("{}.db", schema.name);
        private::file(&data.join(&name))?;
        fs::copy(folder.join(&name), data.join(&name)).with_context(|| format!("cannot write {name} to {}", data.display()))?;
    }
    for schema in SCHEMAS {
        let db = Db::open(schema, options.settings()).await?;
        let health = db.look(schema).await?;
        db.close().await;
        anyhow::ensure!(health.damage.is_none(), "{}: {}", schema.name, health.damage.unwrap_or_default());
        print(&format!("{}: restored\n", schema.name))?;
    }
    Ok(())
}
