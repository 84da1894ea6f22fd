//! Environment variables whose names begin with `KIROKU_`.

use std::collections::BTreeSet;

use clap::Command;

use crate::serve::oidc;

const PREFIX: &str = "KIROKU_";

/// Variables for the development of this repository: the beginnings of their names.
const DEVELOPMENT: [&str; 6] = [
    "KIROKU_BENCH_",
    "KIROKU_CACHE",
    "KIROKU_COMMIT",
    "KIROKU_FAULT_",
    "KIROKU_MODEL_",
    "KIROKU_TEST_",
];

/// Logs a warning for each variable of the environment that looks like an option of `kiroku` but is not one. The value
/// is never logged, because it may be a secret.
pub fn warn_of_unknown(kiroku: &Command) {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for variable in unknown(kiroku, names) {
        tracing::warn!(
            variable,
            "this environment variable does not exist: `kiroku serve --help` lists all options with their variables"
        );
    }
}

fn unknown(kiroku: &Command, names: impl Iterator<Item = String>) -> BTreeSet<String> {
    let known = known(kiroku);
    let is_for_development = |name: &str| DEVELOPMENT.iter().any(|start| name.starts_with(start));
    names
        .filter(|name| name.starts_with(PREFIX))
        .filter(|name| !known.contains(name) && !is_for_development(name))
        .collect()
}

/// Returns the variables of secrets and of the options of a command and its subcommands.
fn known(command: &Command) -> BTreeSet<String> {
    let options = command.get_arguments().filter_map(clap::Arg::get_env);
    let mut known: BTreeSet<String> = options
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    known.extend(command.get_subcommands().flat_map(self::known));
    known.extend([oidc::SECRET.to_owned(), format!("{}_FILE", oidc::SECRET)]);
    known
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use clap::{Args, Command};
    use serde::Deserialize;

    use super::{DEVELOPMENT, known, unknown};
    use crate::serve::ServeArgs;

    fn serve() -> Command {
        ServeArgs::augment_args(Command::new("serve"))
    }

    fn read(path: &str) -> String {
        fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    /// Returns the words of a text that look like variables.
    fn variables(text: &str) -> BTreeSet<String> {
        let is_part =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        text.split(|letter| !is_part(letter))
            .filter(|word| word.contains('_') && !word.starts_with('_') && !word.ends_with('_'))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the variables in the first columns of the tables of a document.
    fn documented(path: &str) -> BTreeSet<String> {
        let page = read(path);
        let rows = page.lines().filter(|line| line.starts_with("| "));
        let columns = rows.map(|row| row.split('|').take(3).collect::<String>());
        columns.flat_map(|columns| variables(&columns)).collect()
    }

    #[test]
    fn misspelled_variables_are_unknown() {
        let names = [
            "HOME",
            "KIROKU",
            "KIROKU_CACHE",
            "KIROKU_OIDC_CLIENT_SECRET",
            "KIROKU_OIDC_CLIENT_SECRET_FILE",
            "KIROKU_OIDC_ISSER",
            "KIROKU_PORT",
            "KIROKU_TEST_BINARY",
            "kiroku_port",
        ];
        let found = unknown(&serve(), names.map(str::to_owned).into_iter());
        assert_eq!(found, BTreeSet::from(["KIROKU_OIDC_ISSER".to_owned()]));
        let kiroku = Command::new("kiroku").subcommand(serve());
        assert_eq!(known(&kiroku), known(&serve()));
    }

    /// Otherwise, operators would get a warning for a variable from the documentation.
    #[test]
    fn documented_variables_are_known() {
        let known = known(&serve());
        for path in [
            "README.md",
            "Containerfile",
            "docs/own-server.md",
            "docs/operating.md",
            "extras/compose.yaml",
            "extras/kiroku.service",
        ] {
            for name in variables(&read(path)) {
                let is_for_development = DEVELOPMENT.iter().any(|start| name.starts_with(start));
                let is_known = !name.starts_with("KIROKU_") || known.contains(&name);
                assert!(is_known || is_for_development, "{path}: {name}");
            }
        }
    }

    /// The parts of the compose file that decide about variables.
    #[derive(Deserialize)]
    struct Compose {
        services: BTreeMap<String, ComposeService>,
    }

    #[derive(Deserialize)]
    struct ComposeService {
        env_file: String,
        environment: Vec<String>,
    }

    impl ComposeService {
        /// Returns the environment of the container, if these variables are in the file `.env`.
        fn environment(&self, file: &BTreeMap<String, String>) -> BTreeMap<String, String> {
            assert_eq!(self.env_file, ".env");
            let mut environment = file.clone();
            for entry in &self.environment {
                let (name, value) = entry.split_once('=').unwrap();
                let inserted = value.strip_prefix("${").unwrap().split_once(":?").unwrap();
                environment.insert(name.to_owned(), file[inserted.0].clone());
            }
            environment
        }
    }

    #[test]
    fn compose_file_passes_on_every_documented_variable() {
        let compose: Compose = serde_saphyr::from_str(&read("extras/compose.yaml")).unwrap();
        let trackers = documented("docs/trackers.md");
        let mut names = known(&serve());
        names.extend(
            trackers
                .iter()
                .map(|name| name.replace("TRACKER_A_", "TRACKER_B_")),
        );
        names.extend(trackers);
        names.extend(documented("docs/own-server.md"));
        for expected in [
            "KIROKU_OIDC_ISSUER",
            "SMTP_URL_FILE",
            "SSL_CERT_FILE",
            "TRACKER_B_API_URL",
        ] {
            assert!(names.contains(expected), "{expected}: {names:?}");
        }
        let file: BTreeMap<String, String> = names
            .into_iter()
            .map(|name| (name.clone(), format!("value of {name}")))
            .collect();
        assert_eq!(compose.services["kiroku"].environment(&file), file);
    }
}
