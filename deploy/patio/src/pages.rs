//! Builds the web pages with npm if they are missing or older than their sources.
use anyhow::Context;
use patio_kit::cli::print_to_stdout;
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use tokio::process::Command;

/// Paths that the built pages depend on, relative to the folder of the web sources.
const SOURCES: [&str; 6] = ["src", "public", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json"];

/// Returns the folder of the built web pages. If the sources are available, first builds pages that are missing or older than the
/// sources.
pub async fn build_web_app_if_stale(folder: &Path) -> anyhow::Result<PathBuf> {
    let Some(web) = sources(folder) else { return Ok(folder.to_owned()) };
    let pages = web.join("dist");
    let made = modified(&pages.join("index.html"));
    let newest = SOURCES.iter().filter_map(|source| newest(&web.join(source))).max();
    if made.is_some() && made >= newest {
        return Ok(pages);
    }
    print_to_stdout("Building the web pages (once, and again when they change) …\n")?;
    if modified(&web.join("node_modules/.package-lock.json")) < modified(&web.join("package-lock.json")) {
        npm(&web, &["ci", "--no-audit", "--no-fund"]).await?;
    }
    npm(&web, &["run", "build"]).await?;
    Ok(pages)
}

/// Returns the folder with the sources of the web pages and `package.json`, or `None` if no sources exist.
///
/// `folder` is the configured folder of the built pages. Returns `None` unless `folder` ends with `web/dist`, the build output of
/// the sources. A relative `folder` is resolved against the current folder, then against each of its parents.
fn sources(folder: &Path) -> Option<PathBuf> {
    if !folder.ends_with("web/dist") {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .map(|above| above.join(folder))
        .filter_map(|dist| dist.parent().map(Path::to_owned))
        .find(|web| web.join("package.json").is_file())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn newest(path: &Path) -> Option<SystemTime> {
    let own = modified(path)?;
    let inside = fs::read_dir(path).ok().and_then(|entries| entries.flatten().filter_map(|entry| newest(&entry.path())).max());
    Some(inside.map_or(own, |inside| inside.max(own)))
}

async fn npm(web: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new("npm")
        .args(arguments)
        .current_dir(web)
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .status()
        .await
        .context("npm cannot be started; Patio needs Node.js 20 or newer to build its pages")?;
    anyhow::ensure!(status.success(), "`npm {}` failed in {}", arguments.join(" "), web.display());
    Ok(())
}
