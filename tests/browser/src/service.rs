//! `kiroku serve` with nothing in it but the sample catalogue, and a tracker that it knows as both.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use url::Url;

use crate::journey::variable;
use crate::process::Process;
use crate::tracker::Tracker;

/// Everybody's password.
pub const PASSWORD: &str = "kataware-doki 2016";

/// The service under test. It ends when this is dropped.
#[derive(Debug)]
pub struct Service {
    origin: String,
    mail: TempDir,
    http: reqwest::Client,
    _process: Process,
    _tracker: Tracker,
}

impl Service {
    /// Starts it. What it logs goes into a file.
    pub(crate) async fn start(log: &Path) -> anyhow::Result<Self> {
        let mail = TempDir::new()?;
        let tracker = Tracker::start().await?;
        let mut command = Command::new(variable("KIROKU_TEST_BINARY")?);
        let command = command
            .args([
                "serve",
                "--in-memory",
                "--port",
                "0",
                "--dynamodb-port",
                "0",
            ])
            .arg("--mail-dir")
            .arg(mail.path())
            .stderr(File::create(log)?);
        tracker.tell(command);
        let process = Process::start(command, "Kiroku serves    http://127.0.0.1:").await?;
        Ok(Self {
            origin: format!("http://127.0.0.1:{}", process.port),
            mail,
            http: http()?,
            _process: process,
            _tracker: tracker,
        })
    }

    /// Where it is, without a slash at the end.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Makes an account, past the page, with [`PASSWORD`] and an address at example.com.
    pub async fn register(&self, name: &str) -> anyhow::Result<()> {
        let account = json!({
            "username": name, "email": format!("{name}@example.com"), "password": PASSWORD
        });
        let address = format!("{}/v1/auth/register", self.origin);
        let answer = self.http.post(address).json(&account).send().await?;
        ensure!(answer.status() == 200, "register: {}", answer.status());
        Ok(())
    }

    /// The status of `/v1/auth/me` with a token: 401, when it is worth nothing.
    pub async fn status_of_me(&self, token: &str) -> anyhow::Result<u16> {
        let address = format!("{}/v1/auth/me", self.origin);
        let answer = self.http.get(address).bearer_auth(token).send().await?;
        Ok(answer.status().as_u16())
    }

    /// What the token endpoint calls wrong with a request that has no good code: `invalid_client`
    /// where the secret is not the client's, and else `invalid_grant`.
    pub async fn fault_of_secret(&self, client_id: &str, secret: &str) -> anyhow::Result<String> {
        let form = [
            ("client_id", client_id),
            ("client_secret", secret),
            ("code", "none"),
            ("redirect_uri", "https://app.example/callback"),
        ];
        let answer = post_form(&self.http, &self.origin, "/v1/oauth/token", &form).await?;
        let error = answer["error"].as_str().context("an error")?;
        Ok(error.to_owned())
    }

    /// The link in the mail to an address that leads to a path. It is there before the page says so.
    pub fn link_by_mail(&self, to: &str, path: &str) -> anyhow::Result<String> {
        let begin = format!("{}{path}?", self.origin);
        for mail in self.mails()? {
            let text = fs::read_to_string(mail)?;
            let link = text.lines().find(|line| line.starts_with(&begin));
            if let Some(link) = link.filter(|_| text.contains(to)) {
                return Ok(link.trim_end().to_owned());
            }
        }
        anyhow::bail!("no mail to {to} has a link to {path}")
    }

    /// The newest first: their names begin with the time.
    fn mails(&self) -> anyhow::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.mail.path())?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<anyhow::Result<Vec<_>>>()?;
        paths.sort();
        paths.reverse();
        Ok(paths)
    }
}

/// What speaks HTTP. No proxy has a way to this machine's own ports.
pub(crate) fn http() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder().no_proxy().build()?)
}

/// Sends a form to an endpoint, and answers the JSON that comes back.
pub(crate) async fn post_form(
    http: &reqwest::Client,
    origin: &str,
    path: &str,
    form: &[(&str, &str)],
) -> anyhow::Result<Value> {
    let body = query(form)?;
    let request = http
        .post(format!("{origin}{path}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    Ok(request.send().await?.json().await?)
}

/// A query string, or a form.
pub(crate) fn query(pairs: &[(&str, &str)]) -> anyhow::Result<String> {
    let url = Url::parse_with_params("http://127.0.0.1", pairs)?;
    Ok(url.query().unwrap_or_default().to_owned())
}
