//! The layers of the code: the crates that each crate may depend on, and no import cycle between files
//! (docs/architecture.md, "Crates").

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::assertions::AssertText;

/// The crates that each crate may depend on. The functions may depend on every crate of this table.
const LAYERS: [(&str, &[&str]); 13] = [
    ("http_client", &[]),
    ("shared", &[]),
    ("dynamo", &["shared"]),
    ("interchange", &["shared"]),
    ("player_messages", &["shared"]),
    ("trackers", &["http_client", "shared"]),
    ("openid", &["http_client", "shared"]),
    ("accounts", &["dynamo", "shared", "trackers"]),
    ("catalogue", &["accounts", "dynamo", "shared"]),
    (
        "stories",
        &[
            "accounts",
            "catalogue",
            "dynamo",
            "interchange",
            "player_messages",
            "shared",
        ],
    ),
    (
        "runtime",
        &[
            "accounts",
            "catalogue",
            "dynamo",
            "openid",
            "shared",
            "stories",
            "trackers",
        ],
    ),
    ("pages", &["accounts", "shared"]),
    (
        "page_parts",
        &["accounts", "catalogue", "pages", "shared", "stories"],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the crates of the workspace that each crate of the workspace depends on, without dev-dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut manifests = vec![root().join("shared"), root().join("cli")];
    for folder in ["crates", "functions"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let folders = entries.map(|entry| entry.unwrap().path());
        manifests.extend(folders.filter(|path| path.is_dir()));
    }
    let read = |folder: &PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let names = manifest["dependencies"].as_table().unwrap().keys().cloned();
        (name, names.collect::<BTreeSet<_>>())
    };
    let mut all: BTreeMap<_, _> = manifests.iter().map(read).collect();
    let ours: BTreeSet<String> = all.keys().cloned().collect();
    for names in all.values_mut() {
        names.retain(|name| ours.contains(name));
    }
    all
}

#[test]
fn crates_depend_only_on_the_layers_below() {
    let mut dependencies = dependencies();
    for (name, allowed) in LAYERS {
        let found = dependencies.remove(name).unwrap();
        for dependency in &found {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} depends on {dependency}"
            );
        }
    }
    dependencies.remove("cli");
    let crates: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    for (function, found) in dependencies {
        for dependency in found {
            assert!(
                crates.contains(dependency.as_str()),
                "{function} depends on {dependency}"
            );
        }
    }
}

/// Returns the crates that a document lists in the order of their dependencies. The crates of a group, which ends with
/// a semicolon, do not depend on each other.
fn documented_order(document: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let start = "Crates depend only on crates earlier in this order: ";
    let list = text.between(start, ".");
    let names = |group: &str| {
        let names = group.split('`').skip(1).step_by(2);
        names.map(ToOwned::to_owned).collect()
    };
    list.split(';').map(names).collect()
}

#[test]
fn documents_list_the_crates_in_the_order_of_their_dependencies() {
    let dependencies = dependencies();
    let layers: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    let order = documented_order("CONTRIBUTING.md");
    let listed: BTreeSet<&str> = order.iter().flatten().map(String::as_str).collect();
    let all = layers.iter().copied().chain(["functions", "cli"]);
    assert_eq!(listed, all.collect());
    let mut earlier = BTreeSet::new();
    for group in &order {
        for name in group.iter().filter(|name| layers.contains(name.as_str())) {
            for dependency in &dependencies[name] {
                assert!(earlier.contains(dependency), "{name}, {dependency}");
            }
        }
        earlier.extend(group);
    }
    let architecture = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for name in layers.iter().filter(|name| **name != "shared") {
        let row = format!("\n| `crates/{name}` |");
        assert!(architecture.contains(&row), "{name}");
    }
}

/// Returns the names of all crates that a crate of the workspace compiles when it is built alone.
fn compiled_crates(package: &str) -> BTreeSet<String> {
    let cargo = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal"])
        .args(["--prefix", "none", "--package", package])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{cargo:?}");
    let tree = String::from_utf8(cargo.stdout).unwrap();
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn catalogue_functions_compile_neither_services_of_accounts_nor_trackers() {
    for function in ["anime", "song"] {
        let names = compiled_crates(function);
        assert!(names.contains("catalogue"), "{names:?}");
        for other in ["mail-builder", "maud", "reqwest", "trackers", "webauthn-rs"] {
            assert!(!names.contains(other), "{function} compiles {other}");
        }
    }
}

#[test]
fn crates_below_the_functions_compile_no_http_server() {
    let names = [
        "interchange",
        "player_messages",
        "dynamo",
        "trackers",
        "openid",
        "accounts",
        "catalogue",
    ];
    for name in names {
        let names = compiled_crates(name);
        assert!(names.contains("shared"), "{names:?}");
        for other in ["axum", "lambda_http"] {
            assert!(!names.contains(other), "{name} compiles {other}");
        }
    }
}

/// A table has one name outside of the crate that writes it: the declaration in the module `tables` of that crate. Only
/// the operator's command uses these names: it lists all tables, and reads and writes them for backups.
#[test]
fn only_backups_name_the_tables_of_other_crates() {
    let mut folders = vec![root().join("cli")];
    for folder in ["crates", "functions"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        folders.extend(entries.map(|entry| entry.unwrap().path()));
    }
    let may_name = [
        root().join("cli/src/data/schema.rs"),
        root().join("cli/src/backup"),
    ];
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for file in Crate::read(folder).files.keys() {
            if may_name.iter().any(|path| file.starts_with(path)) {
                continue;
            }
            let text = std::fs::read_to_string(file).unwrap();
            let imports = [false, true].map(|reexports| declared_paths(&text, reexports));
            let imports: Vec<String> = imports
                .iter()
                .flatten()
                .map(|path| path.join("::"))
                .collect();
            for domain in ["accounts", "catalogue", "stories"] {
                let tables = format!("{domain}::tables");
                let is_import = |path: &String| path.starts_with(&tables);
                let names_tables = text.contains(&tables) || imports.iter().any(is_import);
                assert!(!names_tables, "{}", file.display());
            }
        }
    }
}

#[test]
fn every_crate_of_the_workspace_logs() {
    let mut expected: BTreeSet<String> = dependencies().into_keys().collect();
    expected.insert("kiroku".to_owned());
    let logging = runtime::observability::OUR_CRATES.iter();
    let logging: BTreeSet<String> = logging.map(|name| (*name).to_owned()).collect();
    assert_eq!(logging, expected);
}

/// The source files of a crate, without `main.rs`.
struct Crate {
    /// The module path of each file, such as `["schema", "user"]`.
    files: BTreeMap<PathBuf, Vec<String>>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.join("src")];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let relative = path.strip_prefix(folder.join("src")).unwrap();
                    let mut module: Vec<String> = relative
                        .with_extension("")
                        .iter()
                        .map(|part| part.to_str().unwrap().to_owned())
                        .collect();
                    if ["lib", "main", "mod"].contains(&module.last().unwrap().as_str()) {
                        module.pop();
                    }
                    if !path.ends_with("main.rs") {
                        files.insert(path, module);
                    }
                }
            }
        }
        Self { files }
    }

    fn file_of(&self, module: &[String]) -> Option<&PathBuf> {
        let mut files = self.files.iter();
        files
            .find(|(_, known)| known.as_slice() == module)
            .map(|(path, _)| path)
    }

    /// Returns the file that defines the item at `path`. Follows re-exports.
    fn defining_file(&self, path: &[String], depth: usize) -> Option<&PathBuf> {
        let (module, rest) = (0..=path.len())
            .rev()
            .map(|length| path.split_at(length))
            .find(|(module, _)| self.file_of(module).is_some())?;
        let file = self.file_of(module)?;
        let Some(name) = rest.first() else {
            return Some(file);
        };
        let reexports = imports(file, module, true);
        let reexport = reexports.iter().find(|import| import.last() == Some(name));
        match reexport {
            Some(import) if depth < 8 => self.defining_file(import, depth + 1),
            _ => Some(file),
        }
    }

    /// Returns each file with the files that it imports. A file that re-exports an item imports the file that defines
    /// it.
    fn edges(&self) -> BTreeMap<&PathBuf, BTreeSet<&PathBuf>> {
        let mut edges = BTreeMap::new();
        for (file, module) in &self.files {
            let imports = [false, true].map(|reexports| imports(file, module, reexports));
            let imported = imports
                .iter()
                .flatten()
                .filter_map(|import| self.defining_file(import, 0))
                .filter(|imported| *imported != file);
            edges.insert(file, imported.collect());
        }
        edges
    }
}

/// Returns the paths in the `use` declarations and in the code of a file, from the root of the crate. With `reexports`,
/// returns the paths of the `pub use` declarations instead. Test modules are ignored.
fn imports(file: &Path, module: &[String], reexports: bool) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut paths = declared_paths(text, reexports);
    if !reexports {
        paths.extend(inline_paths(text));
    }
    let mut found = Vec::new();
    for path in paths {
        let mut from = module.to_vec();
        let mut parts = path.into_iter().peekable();
        match parts.peek().map(String::as_str) {
            Some("crate") => {
                from.clear();
                parts.next();
            }
            Some("super") => {
                while parts.peek().is_some_and(|part| part == "super") {
                    from.pop();
                    parts.next();
                }
            }
            Some("self") => drop(parts.next()),
            // A path can start at a module that this file declares. The path of a re-export always does.
            Some(first) if reexports || declares(text, first) => {}
            _ => continue,
        }
        from.extend(parts.filter(|part| part != "self"));
        found.push(from);
    }
    found
}

/// Returns the paths in the `use` declarations of a text, or in its `pub use` declarations, as they are written.
fn declared_paths(text: &str, reexports: bool) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for statement in text.split(';') {
        let Some(start) = statement.rfind("use ") else {
            continue;
        };
        let line_start = statement[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = statement[line_start..start].trim();
        if !before.is_empty() && !before.starts_with("pub") {
            continue;
        }
        if before.starts_with("pub") != reexports {
            continue;
        }
        expand(&statement[start + 4..], &[], &mut paths);
    }
    paths
}

/// Returns the paths in the code that begin with `crate` or `super`, such as `crate::run::refresh(..)`.
fn inline_paths(text: &str) -> Vec<Vec<String>> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code: String = text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let is_part = |character: char| character.is_alphanumeric() || "_:".contains(character);
    code.split(|character| !is_part(character))
        .filter(|path| path.starts_with("crate::") || path.starts_with("super::"))
        // `use crate::{a, b}` has already been expanded.
        .filter(|path| !path.ends_with("::"))
        .map(|path| path.split("::").map(ToOwned::to_owned).collect())
        .collect()
}

/// Returns true if a file declares a module of this name in another file.
fn declares(text: &str, module: &str) -> bool {
    let declaration = format!("mod {module};");
    let mut lines = text.lines();
    lines.any(|line| {
        line.strip_suffix(&declaration)
            .is_some_and(|before| before.is_empty() || before.starts_with("pub"))
    })
}

/// Writes out `a::{b, c::d as e}`.
fn expand(tree: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (head, group) = match tree.split_once('{') {
        Some((head, group)) => (head, Some(group.strip_suffix('}').unwrap_or(group))),
        None => (tree, None),
    };
    let head = head.split(" as ").next().unwrap();
    let mut path = prefix.to_vec();
    path.extend(
        head.split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(ToOwned::to_owned),
    );
    let Some(group) = group else {
        paths.push(path);
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&group[start..at], &path, paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !group[start..].trim().is_empty() {
        expand(&group[start..], &path, paths);
    }
}

#[test]
fn no_circle_of_imports_between_files() {
    let mut folders = vec![root().join("shared"), root().join("cli")];
    for folder in ["crates", "functions"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        folders.extend(entries.map(|entry| entry.unwrap().path()));
    }
    let mut circles = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        circles.extend(circles_of(&Crate::read(folder).edges()));
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// The folders of these crates are layers. A file at the top of a crate is a layer of its own.
#[test]
fn no_circle_of_imports_between_the_folders_of_accounts_and_of_stories() {
    for name in ["accounts", "stories"] {
        let source = Crate::read(&root().join("crates").join(name));
        let folder_of = |file: &PathBuf| source.files[file].first().map(String::as_str);
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, imported) in source.edges() {
            if let Some(folder) = folder_of(file) {
                let imported = imported.into_iter().filter_map(folder_of);
                let others = imported.filter(|other| *other != folder);
                edges.entry(folder).or_default().extend(others);
            }
        }
        let circles = circles_of(&edges);
        assert!(circles.is_empty(), "{name}: {}", circles.join("\n"));
    }
}

/// Returns the edges that close a circle.
fn circles_of<N: Copy + Ord + std::fmt::Debug>(edges: &BTreeMap<N, BTreeSet<N>>) -> Vec<String> {
    let mut circles = Vec::new();
    for start in edges.keys() {
        let (mut seen, mut next) = (BTreeSet::new(), vec![*start]);
        while let Some(from) = next.pop() {
            for to in edges.get(&from).into_iter().flatten() {
                if to == start {
                    circles.push(format!("{start:?} <- {from:?}"));
                }
                if seen.insert(*to) {
                    next.push(*to);
                }
            }
        }
    }
    circles
}
