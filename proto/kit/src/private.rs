//! Files that nobody else on this machine may read: databases hold the keys that tokens are signed with.
use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// What group and others may do.
const OTHERS: u32 = 0o077;

/// Makes a folder that is ours alone; one that is there already becomes so, with the files in it.
///
/// Where the system does not let us, as on a volume that another user owns, a warning names the path.
///
/// # Errors
/// When the folder can be neither made nor read.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)?;
    keep(path, FOLDER);
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            keep(&entry.path(), FILE);
        }
    }
    Ok(())
}

/// Makes an empty file that is ours alone, unless there is one.
///
/// # Errors
/// When it can be neither made nor opened.
pub fn file(path: &Path) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(FILE).open(path)?;
    keep(path, FILE);
    Ok(())
}

fn keep(path: &Path, mode: u32) {
    let is_open = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS != 0);
    if is_open && let Err(cause) = fs::set_permissions(path, Permissions::from_mode(mode)) {
        tracing::warn!(%cause, path = %path.display(), "others on this machine may read {}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_was_open_to_others_is_ours_alone_afterwards() {
        let temporary = tempfile::tempdir().unwrap();
        let (data, old) = (temporary.path().join("a/data"), temporary.path().join("a/data/old.db"));
        folder(&data).unwrap();
        fs::write(&old, "x").unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
        folder(&data).unwrap();
        file(&data.join("new.db")).unwrap();
        file(&old).unwrap();
        assert_eq!([&data, &old, &data.join("new.db")].map(|path| mode(path)), [FOLDER, FILE, FILE]);
        assert_eq!(fs::read(&old).unwrap(), b"x", "nothing of it is lost");
    }
}
