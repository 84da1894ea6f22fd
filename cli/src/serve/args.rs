//! The options of `kiroku serve`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use crate::http::proxy::{ProxyHeader, ProxyNetwork};
use crate::log::LogFormat;
use crate::refresh::RefreshInterval;
use crate::serve::oidc::OidcArgs;
use crate::user::RegistrationArg;

/// Options of `serve`.
#[derive(Args, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct ServeArgs {
    /// Port of the API; 0 for any free port.
    #[arg(long, env = "KIROKU_PORT", default_value_t = 9000)]
    pub port: u16,

    /// Address that the API listens on. Other addresses than those of this machine need --public-url.
    #[arg(long, env = "KIROKU_HOST", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub host: IpAddr,

    /// Keep all data in memory. It is lost when the process ends.
    #[arg(
        long,
        env = "KIROKU_IN_MEMORY",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["data_dir", "endpoint_url"]
    )]
    pub in_memory: bool,

    /// Folder for the data.
    #[arg(
        long,
        env = "KIROKU_DATA_DIR",
        default_value = ".kiroku",
        value_name = "DIR",
        conflicts_with = "endpoint_url"
    )]
    pub data_dir: PathBuf,

    /// DynamoDB to use instead of the embedded one.
    #[arg(long, env = "KIROKU_ENDPOINT_URL", value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Loopback port where other tools reach the embedded DynamoDB with an access key; 0 for any free port. Default: no
    /// port. The other commands need none.
    #[arg(long, env = "KIROKU_DYNAMODB_PORT", value_name = "PORT")]
    pub dynamodb_port: Option<u16>,

    /// File with the access key for --dynamodb-port, created if missing. Default: `dynamodb.env` in the data folder;
    /// with --in-memory, no file, so no tool has the key.
    #[arg(long, env = "KIROKU_DYNAMODB_KEY_FILE", value_name = "FILE")]
    pub dynamodb_key_file: Option<PathBuf>,

    /// Public address of the service, used in mail links and tokens. It can have a path. Default: the address that the
    /// API listens on, if only this machine reaches it.
    #[arg(long, env = "KIROKU_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Reverse proxy whose header names the caller: an address or a network in CIDR notation. Repeat the option, or
    /// separate several with commas.
    #[arg(
        long,
        env = "KIROKU_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxy: Vec<ProxyNetwork>,

    /// Header in which the trusted proxies pass on the address of the caller. Choose the header that they set, because
    /// they pass on the other header as the caller sent it.
    #[arg(
        long,
        env = "KIROKU_PROXY_HEADER",
        value_enum,
        value_name = "HEADER",
        default_value_t
    )]
    pub proxy_header: ProxyHeader,

    /// File with the signing and encryption keys, created if missing. Default: `keys.json` in the data
    /// folder; with --in-memory, no file.
    #[arg(long, env = "KIROKU_KEYS_FILE", value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Start although there are users whose keys are missing or belong to another service. They sign in again, lose
    /// their authenticator apps (not their recovery codes), and connect their trackers again. Use it for one start.
    #[arg(long, env = "KIROKU_NEW_KEYS", value_parser = BoolishValueParser::new())]
    pub new_keys: bool,

    /// Folder for mail. Mail is also printed and never sent. Default: `mail` in the data folder; with
    /// --in-memory, no folder.
    #[arg(long, env = "KIROKU_MAIL_DIR", value_name = "DIR")]
    pub mail_dir: Option<PathBuf>,

    /// Registration of users.
    #[arg(
        long,
        env = "KIROKU_REGISTRATION",
        value_enum,
        default_value_t,
        value_name = "MODE"
    )]
    pub registration: RegistrationArg,

    /// Sender of mail, such as `Kiroku <no-reply@example.com>`. Required if the environment variable `SMTP_URL`
    /// or `SMTP_URL_FILE` names an SMTP server, which then sends the mail.
    #[arg(long, env = "KIROKU_MAIL_FROM", value_name = "SENDER")]
    pub mail_from: Option<String>,

    /// Interval between two refreshes of the catalogue, such as 6h or 7d, from 1h to 365d; a number alone is in hours.
    /// The sources are those that the environment configures, and the files of `kiroku catalogue` if its terms are
    /// accepted. Default: no refreshes.
    #[arg(long, env = "KIROKU_REFRESH_EVERY", value_name = "INTERVAL")]
    pub refresh_every: Option<RefreshInterval>,

    /// Accept the terms of the files of `kiroku catalogue`, for --refresh-every. The data folder remembers it.
    #[arg(
        long,
        env = "KIROKU_ACCEPT_TERMS",
        value_parser = BoolishValueParser::new()
    )]
    pub accept_terms: bool,

    /// Prefix of the table names.
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,

    /// Show no covers and banners on the pages. Otherwise, browsers load them from the servers of the catalogue's
    /// sources.
    #[arg(long, env = "KIROKU_NO_IMAGES", value_parser = BoolishValueParser::new())]
    pub no_images: bool,

    /// Do not load the sample catalogue into new tables.
    #[arg(long, env = "KIROKU_EMPTY", value_parser = BoolishValueParser::new())]
    pub empty: bool,

    /// Port of the metrics in the format OpenMetrics, at /metrics; 0 for any free port. Default: no metrics.
    #[arg(long, env = "KIROKU_METRICS_PORT", value_name = "PORT")]
    pub metrics_port: Option<u16>,

    /// Address that the metrics listen on.
    #[arg(long, env = "KIROKU_METRICS_HOST", value_name = "HOST", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub metrics_host: IpAddr,

    /// Format of the log. Default: text if standard error is a terminal, otherwise json.
    #[arg(long, env = "KIROKU_LOG_FORMAT", value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// The identity provider.
    #[command(flatten)]
    pub oidc: OidcArgs,
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Args, Command};

    use super::ServeArgs;

    fn options() -> Vec<Arg> {
        let command = ServeArgs::augment_args(Command::new("serve"));
        command.get_arguments().cloned().collect()
    }

    fn variable(option: &Arg) -> &str {
        let name = option.get_env().and_then(|name| name.to_str());
        name.unwrap_or("none")
    }

    #[test]
    fn every_option_has_an_environment_variable() {
        for option in options() {
            let name = option.get_long().unwrap();
            let expected = match name {
                // The functions and the other commands read the same variable.
                "table-prefix" => "TABLE_PREFIX".to_owned(),
                _ => format!("KIROKU_{}", name.replace('-', "_").to_uppercase()),
            };
            assert_eq!(variable(&option), expected, "--{name}");
        }
    }

    /// docs/own-server.md describes these options, in this order, with these defaults.
    #[test]
    fn documented_options_are_those_of_the_command() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/own-server.md");
        let page = std::fs::read_to_string(page).unwrap();
        let section = page.split("\n## Options\n").nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `--"));
        let rows: Vec<Vec<&str>> = rows
            .map(|row| row.split('|').map(str::trim).skip(1).take(3).collect())
            .collect();
        let described = rows.iter().map(|row| row[..2].join(" "));
        let expected = options();
        let expected = expected.iter().map(|option| {
            let (name, variable) = (option.get_long().unwrap(), variable(option));
            format!("`--{name}` `{variable}`")
        });
        assert_eq!(described.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        for (row, option) in rows.iter().zip(options()) {
            // An option without a value, or with an empty default, has a default in words.
            let default = option.get_default_values().first();
            let default = default.and_then(|value| value.to_str());
            let default = default.filter(|value| !["", "false"].contains(value));
            if let Some(default) = default {
                assert_eq!(row[2], format!("`{default}`"), "{}", row[0]);
            }
        }
    }
}
