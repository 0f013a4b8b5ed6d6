//! Checks of the `doctor` command for folders and ports.
use crate::cli::doctor::{CheckResult, DoctorReport, RunbookSection};
use rustix::fs::{Access, access};
use std::{
    fs,
    io::{self, ErrorKind},
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Timeout for the HTTP response of the program that already listens on a checked port.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
/// File permission bits of the group and of other users.
const OTHER_USERS_MODE: u32 = 0o077;

impl DoctorReport {
    /// Checks that a folder is writable. `remedy` tells the server administrator how to fix a folder that is not writable.
    ///
    /// With the option `--pre` (before the installation), the check creates no folder and writes no file.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub fn check_folder_writable(&mut self, name: &str, folder: &Path, remedy: &'static str) -> anyhow::Result<()> {
        let found = if self.is_preinstall() { check_write_permission(folder) } else { check_writable(folder) };
        let found = match found {
            Ok(words) => CheckResult::Passed(format!("{} {words}", folder.display())),
            Err(cause) => CheckResult::Failed(format!("{}: {cause}", folder.display()), remedy),
        };
        self.record_check(name, RunbookSection::Files, found)
    }

    /// Checks that a folder with databases or keys is readable only by its owner. A missing folder passes the check, because Patio will
    /// create the folder with private permissions.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub fn check_private_folder(&mut self, name: &str, folder: &Path) -> anyhow::Result<()> {
        let found = match fs::metadata(folder) {
            Ok(found) if found.permissions().mode() & OTHER_USERS_MODE != 0 => CheckResult::Failed(
                format!("other users can read {}, mode {:o}", folder.display(), found.permissions().mode() & 0o777),
                "run `chmod 700` on the folder: a user who can read it can read all data and sign in as any user",
            ),
            Ok(_) => CheckResult::Passed(format!("only its owner can read {}", folder.display())),
            Err(_) => CheckResult::Passed(format!("{} is created as a private folder", folder.display())),
        };
        self.record_check(name, RunbookSection::Files, found)
    }
}

/// Checks that a file can be written to the folder and deleted again. Creates a missing folder. Returns the result as text for
/// the report.
fn check_writable(folder: &Path) -> io::Result<&'static str> {
    let probe = folder.join(".doctor");
    fs::create_dir_all(folder).and_then(|()| fs::write(&probe, [0; 4096])).and_then(|()| fs::remove_file(&probe))?;
    Ok("is writable")
}

/// Checks the write permission of the folder, or of the nearest existing parent of a missing folder. Returns the result as text
/// for the report.
fn check_write_permission(folder: &Path) -> io::Result<&'static str> {
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => Err(ErrorKind::NotADirectory.into()),
        Ok(_) => access(folder, Access::WRITE_OK | Access::EXEC_OK).map(|()| "is writable").map_err(Into::into),
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            check_write_permission(parent).map(|_| "can be created")
        }
        Err(cause) => Err(cause),
    }
}

/// Checks the port of a server. Before Patio is installed, the port must be free; afterwards, a running Patio may use the port.
pub async fn check_port(address: SocketAddr, is_preinstall: bool) -> CheckResult {
    match TcpListener::bind(address).await {
        Ok(_) if address.ip().is_loopback() => CheckResult::Warning(format!("{address} is free (loopback only)")),
        Ok(_) => CheckResult::Passed(format!("{address} is free")),
        Err(cause) if cause.kind() == ErrorKind::AddrInUse && !is_preinstall && is_http_server(address).await => {
            CheckResult::Passed(format!("{address} is in use, and an HTTP server responds there"))
        }
        Err(cause) => CheckResult::Failed(format!("{address}: {cause}"), "stop the program on this port, or set PATIO_LISTEN"),
    }
}

/// Returns `true` when a server at the address responds to an HTTP request for Patio's health, or redirects to HTTPS.
async fn is_http_server(address: SocketAddr) -> bool {
    let asked = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(format!("GET /api/health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes()).await?;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await?;
        io::Result::Ok(head)
    };
    matches!(timeout(RESPONSE_TIMEOUT, asked).await, Ok(Ok(head)) if head.starts_with(b"HTTP/1.1 2") || head.starts_with(b"HTTP/1.1 3"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_before_an_installation_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("a/data");
        assert_eq!(check_write_permission(&data).unwrap(), "can be created");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(check_writable(&data).unwrap(), "is writable");
        assert_eq!(check_write_permission(&data).unwrap(), "is writable");
        fs::write(data.join("file"), "").unwrap();
        assert!(check_write_permission(&data.join("file")).is_err() && check_write_permission(&data.join("file/data")).is_err());
    }

    #[tokio::test]
    async fn a_used_port_passes_only_when_a_server_responds_there_and_patio_is_installed() {
        let (silent, tasks) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), crate::lifecycle::BackgroundTasks::default());
        let serving = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = serving.local_addr().unwrap();
        let router = axum::Router::new().route("/api/health", axum::routing::get(|| async { "well" }));
        tasks.spawn(async move { axum::serve(serving, router).await.unwrap() });
        assert!(matches!(check_port(address, false).await, CheckResult::Passed(words) if words.contains("responds")));
        assert!(matches!(check_port(address, true).await, CheckResult::Failed(..)));
        assert!(matches!(check_port(silent.local_addr().unwrap(), false).await, CheckResult::Failed(..)));
        tasks.stop();
    }
}
