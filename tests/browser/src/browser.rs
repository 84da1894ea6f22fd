//! Chromium, driven by `chromedriver`.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::Method;
use fantoccini::cookies::Cookie;
use fantoccini::elements::Element;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use url::{ParseError, Url};

use crate::process::Process;

/// How long a page may take, on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A phone's.
pub(crate) const PHONE: Screen = Screen {
    width: 390,
    height: 844,
    is_phone: true,
};

/// A desktop's.
pub(crate) const DESKTOP: Screen = Screen {
    width: 1280,
    height: 900,
    is_phone: false,
};

/// What pages are seen on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub width: u32,
    pub height: u32,
    pub is_phone: bool,
}

/// A browser with a profile of its own. It ends when this is dropped.
#[derive(Debug)]
pub struct Browser {
    pub(crate) client: Client,
    pub(crate) screen: Screen,
    /// Whose paths it opens.
    pub(crate) origin: String,
    /// Where its pictures go.
    pub(crate) folder: PathBuf,
    /// How many pages there are pictures of.
    pub(crate) pages: Cell<usize>,
    /// What is wrong with the pages that were looked at.
    pub(crate) faults: RefCell<Vec<String>>,
    /// Whether pages may run scripts.
    pub(crate) scripts: Cell<bool>,
    _driver: Process,
    _profile: TempDir,
}

impl Browser {
    /// Starts it, for the pages of one origin.
    pub(crate) async fn start(screen: Screen, origin: &str, folder: &Path) -> anyhow::Result<Self> {
        let profile = TempDir::new()?;
        let mut command = Command::new("chromedriver");
        let driver = Process::start(command.arg("--port=0"), "started successfully on port ");
        let driver = driver.await?;
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(profile.path()))
            .connect(&format!("http://127.0.0.1:{}", driver.port))
            .await?;
        let browser = Self {
            client,
            screen,
            origin: origin.to_owned(),
            folder: folder.to_owned(),
            pages: Cell::new(0),
            faults: RefCell::default(),
            scripts: Cell::new(true),
            _driver: driver,
            _profile: profile,
        };
        browser.show_on(screen).await?;
        browser.prefer_dark(false).await?;
        Ok(browser)
    }

    /// Closes it. Answers what was wrong with the pages that were looked at.
    pub(crate) async fn end(self) -> anyhow::Result<Vec<String>> {
        self.client.close().await?;
        Ok(self.faults.into_inner())
    }

    /// Runs a script in the page.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> anyhow::Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }

    /// Lets pages run scripts, or not, from the next one on.
    pub async fn let_scripts_run(&self, on: bool) -> anyhow::Result<()> {
        self.scripts.set(on);
        self.scripts_run(on).await
    }

    pub(crate) async fn scripts_run(&self, on: bool) -> anyhow::Result<()> {
        let off = json!({ "value": !on });
        self.cdp("Emulation.setScriptExecutionDisabled", off)
            .await?;
        Ok(())
    }

    /// Lets pages write to the clipboard, or not.
    pub async fn let_pages_copy(&self, on: bool) -> anyhow::Result<()> {
        for (name, on) in [("clipboard-read", true), ("clipboard-write", on)] {
            let setting = if on { "granted" } else { "denied" };
            let permission = json!({ "permission": { "name": name }, "setting": setting });
            self.cdp("Browser.setPermission", permission).await?;
        }
        Ok(())
    }

    /// What is in the clipboard.
    pub async fn clipboard(&self) -> anyhow::Result<String> {
        let script = "const [done] = arguments; navigator.clipboard.readText().then(done, done)";
        let text = self.client.execute_async(script, vec![]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// The name that an element has for those who do not see it.
    pub async fn spoken_name(&self, element: &Element) -> anyhow::Result<String> {
        let path = format!("element/{}/computedlabel", element.element_id().as_ref());
        let name = self.issue(&path, None).await?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// The cookies.
    pub async fn cookies(&self) -> anyhow::Result<Vec<Cookie<'static>>> {
        Ok(self.client.get_all_cookies().await?)
    }

    /// Forgets all cookies.
    pub async fn delete_cookies(&self) -> anyhow::Result<()> {
        Ok(self.client.delete_all_cookies().await?)
    }

    /// How wide and how high the page is shown.
    pub(crate) async fn show_on(&self, screen: Screen) -> anyhow::Result<()> {
        let Screen {
            width,
            height,
            is_phone,
        } = screen;
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone
        });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics)
            .await?;
        Ok(())
    }

    /// Dark or light; and always without movement, so that nothing is seen half way.
    pub(crate) async fn prefer_dark(&self, dark: bool) -> anyhow::Result<()> {
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        let media = json!({ "features": features });
        self.cdp("Emulation.setEmulatedMedia", media).await?;
        Ok(())
    }

    /// A command of Chromium's developer tools.
    pub(crate) async fn cdp(&self, command: &str, parameters: Value) -> anyhow::Result<Value> {
        let body = json!({ "cmd": command, "params": parameters });
        self.issue("goog/cdp/execute", Some(body)).await
    }

    /// A command that fantoccini does not know: GET, or with a body POST.
    pub(crate) async fn issue(&self, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let path = path.to_owned();
        let answer = self.client.issue_cmd(OtherCommand { path, body }).await;
        Ok(answer?)
    }
}

fn capabilities(profile: &Path) -> Capabilities {
    let profile = format!("--user-data-dir={}", profile.display());
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // A container may have next to no shared memory.
        "--disable-dev-shm-usage",
        // Nobody else is asked for anything.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        // It ends when its driver does, in whatever way that ends.
        "--remote-debugging-pipe",
        &profile,
    ];
    let capabilities = json!({
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
        "timeouts": { "script": PATIENCE.as_millis(), "pageLoad": PATIENCE.as_millis() },
    });
    capabilities.as_object().cloned().unwrap_or_default()
}

#[derive(Debug)]
struct OtherCommand {
    path: String,
    body: Option<Value>,
}

impl WebDriverCompatibleCommand for OtherCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let session = session.unwrap_or_default();
        base.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        match &self.body {
            Some(body) => (Method::POST, Some(body.to_string())),
            None => (Method::GET, None),
        }
    }
}
