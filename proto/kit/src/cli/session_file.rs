//! File with the session that `patio login` has obtained. Only the operating system user who ran the command can read the file.
use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// Path of the session file below the home directory.
const DEFAULT_PATH: &str = ".config/patio/session.json";
/// File permission bits of the group and of other users.
const OTHER_USERS_MODE: u32 = 0o077;

/// Session of a user at a Patio server, as stored in the session file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    /// Public URL of the Patio installation to which the session belongs.
    pub url: String,
    /// HMC of the user, the name with which the user signs in.
    pub hmc: String,
    /// Access token of the session, sent as a bearer token.
    pub token: String,
    /// Time at which the token expires, in RFC 3339.
    pub expires_at: String,
}

/// Returns the path of the session file: the given path, or the default path below the home directory.
///
/// # Errors
/// Returns an error when no path is given and the user has no home directory.
pub fn session_file_path(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let default = || std::env::home_dir().map(|home| home.join(DEFAULT_PATH));
    given.map(Path::to_owned).or_else(default).context("no home directory: set PATIO_SESSION_FILE")
}

impl StoredSession {
    /// Reads the session file. Returns `None` when the file does not exist.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read, is readable by other users, or has another format.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Err(cause) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&cause.kind()) => return Ok(None),
            text => text.with_context(|| path.display().to_string())?,
        };
        let mode = fs::metadata(path)?.permissions().mode();
        ensure!(mode & OTHER_USERS_MODE == 0, "{} is readable by other users; run `chmod 600` on it, or sign in again", path.display());
        serde_json::from_str(&text)
            .map(Some)
            .with_context(|| format!("{} is not a session file; delete it and sign in again", path.display()))
    }

    /// Writes the session file with mode 0600. An existing file is replaced atomically.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let temporary = path.with_extension(format!("new-{}", std::process::id()));
        let write = || {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&temporary)?;
            file.write_all(format!("{}\n", serde_json::to_string(self)?).as_bytes())?;
            fs::rename(&temporary, path)
        };
        write().inspect_err(|_| _ = fs::remove_file(&temporary)).with_context(|| path.display().to_string())
    }

    /// Deletes the session file, if the file exists.
    ///
    /// # Errors
    /// Returns an error when the file exists and cannot be deleted.
    pub fn remove(path: &Path) -> anyhow::Result<()> {
        match fs::remove_file(path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
            done => done.with_context(|| path.display().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_session_is_private_and_a_file_that_others_can_read_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/session.json");
        assert_eq!(StoredSession::read(&path).unwrap(), None);
        let session = |token: &str| StoredSession {
            url: "https://patio.example".to_owned(),
            hmc: "1000".to_owned(),
            token: token.to_owned(),
            expires_at: "2026-11-28T12:00:00Z".to_owned(),
        };
        session("one").write(&path).unwrap();
        session("two").write(&path).unwrap();
        assert_eq!(StoredSession::read(&path).unwrap(), Some(session("two")));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(StoredSession::read(&path).unwrap_err().to_string().contains("readable by other users"));
        StoredSession::remove(&path).unwrap();
        StoredSession::remove(&path).unwrap();
        assert_eq!(StoredSession::read(&path).unwrap(), None);
    }
}
