//! Creates folders and files that only the operating system user of this process may read. The database files, for example,
//! contain the keys that sign tokens.
use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// Unix permission bits of all users except the owner of a file.
const OTHER_USERS_MODE: u32 = 0o077;

/// Creates a folder that only the operating system user of this process may read. An existing folder and its files become private too.
///
/// A failure to change permissions, for example on a volume of another user, is logged as a warning.
///
/// # Errors
/// Returns an error when the folder cannot be created or read.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)?;
    restrict_mode(path, FOLDER_MODE);
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            restrict_mode(&entry.path(), FILE_MODE);
        }
    }
    Ok(())
}

/// Creates an empty file that only the operating system user of this process may read. An existing file becomes private and keeps
/// its content.
///
/// # Errors
/// Returns an error when the file cannot be created or opened.
pub fn create_private_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(FILE_MODE).open(path)?;
    restrict_mode(path, FILE_MODE);
    Ok(())
}

fn restrict_mode(path: &Path, mode: u32) {
    let is_open = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHER_USERS_MODE != 0);
    if is_open && let Err(cause) = fs::set_permissions(path, Permissions::from_mode(mode)) {
        tracing::warn!(%cause, path = %path.display(), "failed to restrict file permissions, other users of the host may read the file");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn existing_folders_and_files_become_private() {
        let temporary = tempfile::tempdir().unwrap();
        let (data, old) = (temporary.path().join("a/data"), temporary.path().join("a/data/old.db"));
        create_private_folder(&data).unwrap();
        fs::write(&old, "x").unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
        create_private_folder(&data).unwrap();
        create_private_file(&data.join("new.db")).unwrap();
        create_private_file(&old).unwrap();
        assert_eq!([&data, &old, &data.join("new.db")].map(|path| mode(path)), [FOLDER_MODE, FILE_MODE, FILE_MODE]);
        assert_eq!(fs::read(&old).unwrap(), b"x", "the content of the file is unchanged");
    }
}
