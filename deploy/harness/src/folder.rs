//! Folders for the files of a test: temporary folders, and existing folders given by the caller.
use crate::exit_cleanup::{self, CleanupGuard};
use std::{
    fs::Permissions,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Folder for the files of a test: a temporary folder that is removed on drop, or an existing folder that is kept.
#[derive(Debug)]
pub struct TestFolder(Kind);

#[derive(Debug)]
enum Kind {
    Temporary { folder: TempDir, _removal: CleanupGuard },
    Given(PathBuf),
}

impl TestFolder {
    /// Creates a temporary folder that other system users may read, for example the user that runs a database server. Panics on
    /// failure.
    #[must_use]
    pub fn create_temporary() -> Self {
        Self::try_create_temporary().unwrap()
    }

    /// Creates a temporary folder, like [`TestFolder::create_temporary`], but returns an error instead of panicking.
    pub fn try_create_temporary() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("patio-").permissions(Permissions::from_mode(0o755)).tempdir()?;
        let removal = exit_cleanup::run_command_at_exit(&format!("rm -rf '{}'", folder.path().display()));
        Ok(Self(Kind::Temporary { folder, _removal: removal }))
    }

    /// Wraps an existing folder, which is not removed on drop.
    #[must_use]
    pub fn from_existing(path: &Path) -> Self {
        Self(Kind::Given(path.to_owned()))
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.0 {
            Kind::Temporary { folder, .. } => folder.path(),
            Kind::Given(path) => path,
        }
    }
}
