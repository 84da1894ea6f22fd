//! `kiroku serve` with the sample catalogue, and a fake tracker in place of both trackers.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use url::Url;

use crate::journey::variable;
use crate::process::Process;
use crate::tracker::Tracker;

/// The address that the service listens on.
pub(crate) const LOOPBACK: &str = "127.0.0.1";

/// The password of all users.
pub const PASSWORD: &str = "kataware-doki 2016";

/// The text that the service prints before its port.
const LISTENS: [&str; 1] = ["Kiroku serves    http://127.0.0.1:"];

/// The service under test. It stops when it is dropped.
#[derive(Debug)]
pub struct Service {
    origin: String,
    data: TempDir,
    mail: TempDir,
    http: reqwest::Client,
    _process: Process,
    _tracker: Tracker,
}

impl Service {
    /// Starts the service with these options besides the usual ones, at a name of this machine and a path, such as
    /// `localhost/kiroku`. Its log is written to a file.
    pub(crate) async fn start(
        log: &Path,
        options: &[&str],
        place: &'static str,
    ) -> anyhow::Result<Self> {
        let (data, mail) = (TempDir::new()?, TempDir::new()?);
        let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
        // Without a public URL, the service uses the address that it listens on. With a public URL, the port must be
        // known before.
        let public_url = if place == LOOPBACK {
            None
        } else {
            let port = TcpListener::bind((LOOPBACK, 0))?.local_addr()?.port();
            Some((port.to_string(), format!("http://{host}:{port}{path}")))
        };
        let (port, public_url) = match &public_url {
            Some((port, url)) => (port.as_str(), &["--public-url", url][..]),
            None => ("0", &[][..]),
        };
        let tracker = Tracker::start().await?;
        let mut command = Command::new(variable("KIROKU_TEST_BINARY")?);
        let command = command
            .args(["serve", "--port", port])
            .arg("--data-dir")
            .arg(data.path())
            .arg("--mail-dir")
            .arg(mail.path())
            .args(public_url)
            .args(options)
            .stderr(File::create(log)?);
        tracker.configure(command);
        let process = Process::start(command, &LISTENS).await?;
        Ok(Self {
            origin: format!("http://{host}:{}{path}", process.ports[0]),
            data,
            mail,
            http: http()?,
            _process: process,
            _tracker: tracker,
        })
    }

    /// Returns the service's origin and path, without a trailing slash.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Registers a user through the API, with [`PASSWORD`] and an address at example.com. Returns the access token.
    pub async fn register(&self, name: &str) -> anyhow::Result<String> {
        let account = json!({
            "username": name, "email": format!("{name}@example.com"), "password": PASSWORD
        });
        let address = format!("{}/v1/auth/register", self.origin);
        let answer = self.http.post(address).json(&account).send().await?;
        ensure!(answer.status() == 200, "register: {}", answer.status());
        let answer: Value = answer.json().await?;
        let token = answer["data"]["access_token"].as_str().context("a token")?;
        Ok(token.to_owned())
    }

    /// Gives a user a role.
    pub async fn set_role(&self, name: &str, role: &str) -> anyhow::Result<()> {
        self.run(&["user", "role", name, role]).await?;
        Ok(())
    }

    /// Makes an invitation, and returns its link.
    pub async fn invite(&self) -> anyhow::Result<String> {
        let command = ["user", "invite", "--public-url", &self.origin];
        Ok(self.run(&command).await?.trim().to_owned())
    }

    /// Makes all sessions an hour older, so that their users have to prove their identity again.
    pub async fn let_proofs_age(&self) -> anyhow::Result<()> {
        let scan = json!({"TableName": "Session"});
        let mut found = self.dynamodb("Scan", &scan).await?;
        let rows = found["Items"].as_array_mut().context("rows")?;
        for row in rows {
            let begun_at: u64 = row["begun_at"]["N"].as_str().context("a time")?.parse()?;
            row["begun_at"]["N"] = (begun_at - 3600).to_string().into();
            let item = row.as_object_mut().context("a row")?;
            item.remove("proved_at");
            let put = json!({"TableName": "Session", "Item": row});
            self.dynamodb("PutItem", &put).await?;
        }
        Ok(())
    }

    /// Calls the service's DynamoDB.
    async fn dynamodb(&self, action: &str, body: &Value) -> anyhow::Result<Value> {
        let socket = self.data.path().join("dynamodb.sock");
        let http = reqwest::Client::builder().unix_socket(socket).build()?;
        let request = http
            .post("http://localhost")
            .header("x-amz-target", format!("DynamoDB_20120810.{action}"))
            .header("content-type", "application/x-amz-json-1.0")
            .body(body.to_string());
        let answer = request.send().await?;
        ensure!(answer.status() == 200, "{action}: {}", answer.status());
        Ok(serde_json::from_str(&answer.text().await?)?)
    }

    /// Runs a command on the service's database, and returns its output.
    async fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(variable("KIROKU_TEST_BINARY")?);
        let command = command.args(arguments);
        let command = command.arg("--data-dir").arg(self.data.path());
        let done = command.output().await?;
        ensure!(done.status.success(), "{done:?}");
        Ok(String::from_utf8(done.stdout)?)
    }

    /// Sends a message to the address of a player.
    pub async fn report(&self, address: &str, message: &Value) -> anyhow::Result<()> {
        let answer = self.http.post(address).json(message).send().await?;
        ensure!(answer.status() == 200, "report: {}", answer.status());
        Ok(())
    }

    /// Returns the data of `GET` on a path of the API.
    pub async fn data(&self, path: &str) -> anyhow::Result<Value> {
        let answer: Value = serde_json::from_str(&self.text(path, "").await?)?;
        Ok(answer["data"].clone())
    }

    /// Returns the body of `GET` on a path, with these cookies.
    pub async fn text(&self, path: &str, cookies: &str) -> anyhow::Result<String> {
        let address = format!("{}{path}", self.origin);
        let request = self.http.get(address).header("cookie", cookies);
        let answer = request.send().await?;
        ensure!(answer.status() == 200, "{path}: {}", answer.status());
        Ok(answer.text().await?)
    }

    /// Puts an anime on a user's list, as being watched.
    pub async fn watch(&self, token: &str, anime_id: u64) -> anyhow::Result<()> {
        let change = json!({"op": "put", "anime_id": anime_id, "status": 0, "current_episode": 1});
        self.change_stories(token, &[change]).await
    }

    /// Sends changes of a user's list.
    pub async fn change_stories(&self, token: &str, changes: &[Value]) -> anyhow::Result<()> {
        let changes = json!({ "changes": changes });
        self.post(token, "/v1/user_story/batch", &changes).await
    }

    /// Sets the language of a user, and makes the profile public.
    pub async fn prefer_language(&self, token: &str, code: &str) -> anyhow::Result<()> {
        let me = self.http.get(format!("{}/v1/auth/me", self.origin));
        let me: Value = me.bearer_auth(token).send().await?.json().await?;
        let settings = json!({
            "id": me["data"]["id"], "gender": 0, "localization": code, "public_profile": true
        });
        self.post(token, "/v1/user", &settings).await
    }

    async fn post(&self, token: &str, path: &str, body: &Value) -> anyhow::Result<()> {
        let request = self.http.post(format!("{}{path}", self.origin));
        let answer = request.bearer_auth(token).json(body).send().await?;
        let status = answer.status();
        ensure!(status == 200, "{path}: {status}: {}", answer.text().await?);
        Ok(())
    }

    /// Returns the status of `/v1/auth/me` for a token. It is 401 for an invalid one.
    pub async fn status_of_me(&self, token: &str) -> anyhow::Result<u16> {
        let address = format!("{}/v1/auth/me", self.origin);
        let answer = self.http.get(address).bearer_auth(token).send().await?;
        Ok(answer.status().as_u16())
    }

    /// Returns the error of the token endpoint for an invalid code: `invalid_client` if the secret is
    /// wrong, and `invalid_grant` otherwise.
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

    /// Returns the link to a path from the latest mail to an address. The mail is written before the page
    /// confirms it.
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

    /// Returns the mails, newest first. Their names start with the time.
    fn mails(&self) -> anyhow::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.mail.path())?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<anyhow::Result<Vec<_>>>()?;
        paths.sort();
        paths.reverse();
        Ok(paths)
    }
}

/// Returns an HTTP client that uses no proxy, because a proxy cannot reach the ports of this machine.
pub(crate) fn http() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder().no_proxy().build()?)
}

/// Posts a form to an endpoint. Returns the JSON of the response.
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

/// Encodes pairs as a query string or a form body.
pub(crate) fn query(pairs: &[(&str, &str)]) -> anyhow::Result<String> {
    let url = Url::parse_with_params("http://127.0.0.1", pairs)?;
    Ok(url.query().unwrap_or_default().to_owned())
}
