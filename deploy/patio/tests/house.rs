//! Project rules that the compiler does not check, such as file length and the place of SQL.
use std::{
    fs,
    path::{Path, PathBuf},
};

const SERVICES: [&str; 4] = ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"];

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn files(below: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(below) else { return Vec::new() };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| !["target", "node_modules", "dist", "data"].iter().any(|skip| path.ends_with(skip)))
        .flat_map(|path| if path.is_dir() { files(&path, ending) } else { vec![path] })
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn the_top_level_holds_what_the_design_fixes() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "proto",
        "gateway",
        "auth-svc",
        "campaign-svc",
        "vehicle-svc",
        "import-svc",
        "web",
        "deploy",
        "README.md",
    ];
    let made_by_running = ["target", "data"];
    let odd: Vec<_> = fs::read_dir(root())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !allowed.contains(&name.as_str()) && !made_by_running.contains(&name.as_str()))
        .collect();
    assert!(odd.is_empty(), "unexpected files at the top level: {odd:?}");
}

#[test]
fn no_rust_file_is_longer_than_400_lines() {
    let long: Vec<_> = files(&root(), ".rs")
        .into_iter()
        .map(|path| (shown(&path), fs::read_to_string(&path).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > 400)
        .collect();
    assert!(long.is_empty(), "longer than 400 lines: {long:?}");
}

#[test]
fn sql_stands_in_stores_and_migrations_alone() {
    let marks = ["sqlx::query", "query_as(", "query_scalar(", "QueryBuilder", "raw_sql("];
    let odd: Vec<_> = SERVICES
        .iter()
        .chain(&["gateway", "import-svc/reader"])
        .flat_map(|service| files(&root().join(service).join("src"), ".rs"))
        .filter(|path| !path.components().any(|part| part.as_os_str() == "store"))
        .filter(|path| marks.iter().any(|mark| fs::read_to_string(path).unwrap().contains(mark)))
        .map(|path| shown(&path))
        .collect();
    assert!(odd.is_empty(), "SQL outside a store: {odd:?}");
}

/// Returns the part of `text` before the closing parenthesis of an expression that was opened before `text`.
fn inside(text: &str) -> &str {
    let mut open = 1;
    let end = text.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// Log macros must not contain `.await`: their arguments are not evaluated when the log level is disabled.
#[test]
fn no_log_macro_contains_await() {
    let levels = ["trace!(", "debug!(", "info!(", "warn!(", "error!("];
    let waits = |text: &str| {
        let mut lines = levels.iter().flat_map(|level| text.match_indices(level).map(move |(at, _)| &text[at + level.len()..]));
        lines.any(|line| inside(line).contains(".await"))
    };
    assert!(waits("tracing::info!(a = %b().await?, \"c\");\n") && !waits("tracing::info!(\"c\"),\nb().await;\n"));
    let odd: Vec<_> = SERVICES
        .iter()
        .chain(&["gateway", "proto", "deploy/patio"])
        .flat_map(|part| files(&root().join(part), ".rs"))
        .filter(|path| !path.ends_with("house.rs") && waits(&fs::read_to_string(path).unwrap()))
        .map(|path| shown(&path))
        .collect();
    assert!(odd.is_empty(), "log macros with .await: {odd:?}");
}

#[test]
fn migrations_exist_for_both_databases() {
    for service in SERVICES {
        let names = |side: &str| {
            let mut names: Vec<_> = files(&root().join(service).join("migrations").join(side), ".sql")
                .iter()
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        assert!(!names("sqlite").is_empty(), "{service} has migrations");
        assert_eq!(names("sqlite"), names("postgres"), "{service}");
    }
}

#[test]
fn services_do_not_depend_on_each_other() {
    for service in SERVICES {
        let manifest = fs::read_to_string(root().join(service).join("Cargo.toml")).unwrap();
        for other in SERVICES.iter().chain(&["gateway"]).filter(|other| **other != service) {
            assert!(!manifest.contains(&format!("{other}.workspace")), "{service} depends on {other}");
        }
    }
}
