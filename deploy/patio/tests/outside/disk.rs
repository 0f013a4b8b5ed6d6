//! A disk that can be filled.
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A disk of a few megabytes.
pub struct Disk(tempfile::TempDir);

impl Disk {
    /// Nothing where none may be mounted.
    pub fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all the room that is left; the file that takes it.
    pub fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = File::create(&path).unwrap();
        for size in [64 << 10, 512, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
