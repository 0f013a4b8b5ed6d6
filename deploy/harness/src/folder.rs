//! Folders of tests.
use crate::lifeline::{self, AtExit};
use std::{
    fs::Permissions,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder: a temporary one that is removed with this value, or a given one that stays.
#[derive(Debug)]
pub struct Folder(Kind);

#[derive(Debug)]
enum Kind {
    Temporary { folder: TempDir, _removal: AtExit },
    Given(PathBuf),
}

impl Folder {
    /// Creates a temporary folder, which database servers that run as another user may enter.
    #[must_use]
    pub fn temporary() -> Self {
        Self::try_temporary().unwrap()
    }

    /// The same for programs that are not tests.
    pub fn try_temporary() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("patio-").permissions(Permissions::from_mode(0o755)).tempdir()?;
        let removal = lifeline::at_exit(&format!("rm -rf '{}'", folder.path().display()));
        Ok(Self(Kind::Temporary { folder, _removal: removal }))
    }

    /// Uses a folder of the caller's.
    #[must_use]
    pub fn given(path: &Path) -> Self {
        Self(Kind::Given(path.to_owned()))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.0 {
            Kind::Temporary { folder, .. } => folder.path(),
            Kind::Given(path) => path,
        }
    }
}
