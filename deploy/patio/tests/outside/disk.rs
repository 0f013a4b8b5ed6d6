//! Small test disk that can be filled.
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A mounted disk of a few megabytes, unmounted on drop.
pub struct Disk(tempfile::TempDir);

impl Disk {
    /// Mounts a disk. Returns `None` without the permission to mount.
    pub fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills the free space with a file and returns its path.
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
