//! Imports between modules: within a crate no files, and no top-level modules, import each other in a ring.
use crate::house::{files, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Crates whose imports are checked, as folders below the root.
const CRATES: [&str; 9] =
    ["proto/kit", "gateway", "auth-svc", "campaign-svc", "vehicle-svc", "import-svc", "deploy/harness", "deploy/patio", "deploy/bench"];

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns the module path of each file, such as `db::open`, with the source up to its unit tests.
fn modules(crate_folder: &Path) -> BTreeMap<String, String> {
    let src = crate_folder.join("src");
    let named = |path: &Path| {
        let below = path.strip_prefix(&src).unwrap_or(path).with_extension("");
        let mut parts: Vec<_> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            parts.pop();
        }
        parts.join("::")
    };
    let text =
        |path: &Path| fs::read_to_string(path).unwrap_or_default().split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
    files(&src, ".rs").iter().map(|path| (named(path), text(path))).collect()
}

/// Returns the paths that follow `start` in a source text, with groups such as `crate::{a::X, b}` expanded.
fn paths(text: &str, start: &str) -> Vec<String> {
    let found = text.match_indices(start).filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'));
    found.flat_map(|(at, _)| expanded(&text[at + start.len()..])).collect()
}

/// Expands the use tree at the beginning of `text` to single paths.
fn expanded(text: &str) -> Vec<String> {
    let text = text.trim_start();
    let Some(group) = text.strip_prefix('{') else {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
        let head = &text[..end];
        return match head.strip_suffix("::") {
            Some(prefix) if text[end..].starts_with('{') => {
                expanded(&text[end..]).into_iter().map(|path| format!("{prefix}::{path}")).collect()
            }
            _ => vec![head.trim_end_matches(':').to_owned()],
        };
    };
    let (mut depth, mut begun, mut parts) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[begun..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(expanded).collect()
}

/// Returns which module imports which. Imports between a module and its own children are left out.
fn graph(modules: &BTreeMap<String, String>) -> Graph {
    let owner = |path: &str| {
        let mut parts: Vec<_> = path.split("::").collect();
        while !parts.is_empty() && !modules.contains_key(&parts.join("::")) {
            parts.pop();
        }
        parts.join("::")
    };
    let related = |a: &str, b: &str| a.starts_with(&format!("{b}::")) || b.starts_with(&format!("{a}::"));
    let imports = |name: &String, text: &String| {
        let parent = name.rsplit_once("::").map_or("", |(parent, _)| parent);
        let absolute = paths(text, "crate::");
        let relative = paths(text, "super::").into_iter().map(|path| if parent.is_empty() { path } else { format!("{parent}::{path}") });
        absolute
            .into_iter()
            .chain(relative)
            .map(|path| owner(&path))
            .filter(|to| !to.is_empty() && to != name && !related(to, name))
            .collect()
    };
    modules.iter().map(|(name, text)| (name.clone(), imports(name, text))).collect()
}

/// Returns the same imports between top-level modules.
fn rooms(graph: &Graph) -> Graph {
    let room = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
    let mut rooms = Graph::new();
    for (from, to) in graph.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
        if room(from) != room(to) {
            rooms.entry(room(from)).or_default().insert(room(to));
        }
    }
    rooms
}

/// Returns a ring of imports as a list of modules; empty when there is none.
fn ring(graph: &Graph) -> Vec<String> {
    fn visit<'g>(graph: &'g Graph, name: &'g str, path: &mut Vec<&'g str>, done: &mut BTreeSet<&'g str>) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|seen| *seen == name) {
            return Some(path[at..].iter().chain([&name]).map(|name| (*name).to_owned()).collect());
        }
        if !done.insert(name) {
            return None;
        }
        path.push(name);
        let found = graph.get(name).into_iter().flatten().find_map(|next| visit(graph, next, path, done));
        path.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|name| visit(graph, name, &mut Vec::new(), &mut done)).unwrap_or_default()
}

#[test]
fn no_files_and_no_top_level_modules_of_a_crate_import_each_other_in_a_ring() {
    for name in CRATES {
        let files = graph(&modules(&root().join(name)));
        assert!(files.len() > 1, "{name} has modules");
        assert_eq!(ring(&files), [""; 0], "files of {name}");
        assert_eq!(ring(&rooms(&files)), [""; 0], "top-level modules of {name}");
    }
}

#[test]
fn a_ring_is_found_through_groups_relative_paths_and_rooms() {
    let of = |all: &[(&str, &str)]| graph(&all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect());
    let direct = of(&[("a", "use crate::{b::{X, c::Y}, d};"), ("b", ""), ("b::c", "fn f(d: crate::d::D) {}"), ("d", "use super::a::A;")]);
    assert_eq!(ring(&direct), ["a", "b::c", "d", "a"]);
    let by_rooms = of(&[("a::one", "use crate::b::two::X;"), ("a::three", ""), ("b::two", ""), ("b::four", "use crate::a::three::Y;")]);
    assert_eq!((ring(&by_rooms), ring(&rooms(&by_rooms))), (vec![], vec!["a".to_owned(), "b".to_owned(), "a".to_owned()]));
    assert_eq!(ring(&of(&[("a", "use crate::a::child::X;"), ("a::child", "use crate::a::Y;")])), [""; 0], "parent and child");
}
