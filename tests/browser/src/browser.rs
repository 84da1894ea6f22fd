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

/// Time limit for a page, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A phone screen.
pub(crate) const PHONE: Screen = Screen {
    width: 390,
    height: 844,
    is_phone: true,
};

/// The screen of a small phone.
pub(crate) const SMALL_PHONE: Screen = Screen {
    width: 360,
    height: 740,
    is_phone: true,
};

/// A desktop screen.
pub(crate) const DESKTOP: Screen = Screen {
    width: 1280,
    height: 900,
    is_phone: false,
};

/// The screen of a small laptop, whose pictures are references.
pub(crate) const LAPTOP: Screen = Screen {
    width: 1280,
    height: 800,
    is_phone: false,
};

/// The size and kind of a screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub width: u32,
    pub height: u32,
    pub is_phone: bool,
}

/// The number of attempts to start `chromedriver`.
const ATTEMPTS: usize = 3;

/// Starts `chromedriver` on a free port. It takes a free port of IPv4 and then needs the same one of IPv6. It ends if
/// another process uses the port of IPv6.
async fn driver() -> anyhow::Result<Process> {
    let mut attempt = 1;
    loop {
        let mut command = Command::new("chromedriver");
        let started = Process::start(command.arg("--port=0"), &["started successfully on port "]);
        match started.await {
            Err(_) if attempt < ATTEMPTS => attempt += 1,
            started => return started,
        }
    }
}

/// Returns the names of the fonts of this machine that have the Japanese characters. A font can have several names.
///
/// # Errors
/// If `fc-list` cannot be run.
pub async fn japanese_fonts() -> anyhow::Result<Vec<String>> {
    let mut fontconfig = Command::new("fc-list");
    let output = fontconfig.args([":lang=ja", "family"]).output().await?;
    let families = String::from_utf8(output.stdout)?;
    let names = families.split([',', '\n']).filter(|name| !name.is_empty());
    Ok(names.map(|name| name.replace('\\', "")).collect())
}

/// A browser with its own profile. It stops when it is dropped.
#[derive(Debug)]
pub struct Browser {
    pub(crate) client: Client,
    pub(crate) screen: Screen,
    /// The origin of the paths to open.
    pub(crate) origin: String,
    /// The folder of the screenshots.
    pub(crate) folder: PathBuf,
    /// Number of pages with screenshots.
    pub(crate) pages: Cell<usize>,
    /// Faults found on the pages so far.
    pub(crate) faults: RefCell<Vec<String>>,
    /// The language that the browser asks for; empty for its own, English.
    pub(crate) language: RefCell<String>,
    /// True if pages can run scripts.
    pub(crate) scripts: Cell<bool>,
    _driver: Process,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser for the pages of one origin.
    pub(crate) async fn start(screen: Screen, origin: &str, folder: &Path) -> anyhow::Result<Self> {
        let profile = TempDir::new()?;
        let driver = driver().await?;
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(profile.path()))
            .connect(&format!("http://127.0.0.1:{}", driver.ports[0]))
            .await?;
        let browser = Self {
            client,
            screen,
            origin: origin.to_owned(),
            folder: folder.to_owned(),
            pages: Cell::new(0),
            faults: RefCell::default(),
            language: RefCell::default(),
            scripts: Cell::new(true),
            _driver: driver,
            _profile: profile,
        };
        browser.show_on(screen).await?;
        browser.prefer_dark(false).await?;
        Ok(browser)
    }

    /// Stops the browser. Returns the faults found on the pages.
    pub(crate) async fn end(self) -> anyhow::Result<Vec<String>> {
        self.client.close().await?;
        Ok(self.faults.into_inner())
    }

    /// Runs a script in the page.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> anyhow::Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }

    /// Enables or disables scripts, starting with the next page.
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

    /// Allows or denies pages to write to the clipboard.
    pub async fn let_pages_copy(&self, on: bool) -> anyhow::Result<()> {
        for (name, on) in [("clipboard-read", true), ("clipboard-write", on)] {
            let setting = if on { "granted" } else { "denied" };
            let permission = json!({ "permission": { "name": name }, "setting": setting });
            self.cdp("Browser.setPermission", permission).await?;
        }
        Ok(())
    }

    /// Returns the text of the clipboard.
    pub async fn clipboard(&self) -> anyhow::Result<String> {
        let script = "const [done] = arguments; navigator.clipboard.readText().then(done, done)";
        let text = self.client.execute_async(script, vec![]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Returns the accessible name of an element.
    pub async fn spoken_name(&self, element: &Element) -> anyhow::Result<String> {
        let path = format!("element/{}/computedlabel", element.element_id().as_ref());
        let name = self.issue(&path, None).await?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Returns the cookies.
    pub async fn cookies(&self) -> anyhow::Result<Vec<Cookie<'static>>> {
        Ok(self.client.get_all_cookies().await?)
    }

    /// Deletes all cookies.
    pub async fn delete_cookies(&self) -> anyhow::Result<()> {
        Ok(self.client.delete_all_cookies().await?)
    }

    /// Sets the size of the screen.
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

    /// Sets the color scheme. Also disables animations, so that no screenshot shows an unfinished one.
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

    /// Sets the language that the browser asks for.
    pub async fn prefer_language(&self, language: &str) -> anyhow::Result<()> {
        language.clone_into(&mut self.language.borrow_mut());
        self.cdp("Network.enable", json!({})).await?;
        let headers = json!({ "headers": { "Accept-Language": language } });
        self.cdp("Network.setExtraHTTPHeaders", headers).await?;
        Ok(())
    }

    /// Returns the names of the fonts that render the text of an element. A glyph that no font has is rendered as a
    /// box, in the font that the style sheet names first.
    pub async fn fonts_of(&self, selector: &str) -> anyhow::Result<Vec<String>> {
        for command in ["DOM.enable", "CSS.enable"] {
            self.cdp(command, json!({})).await?;
        }
        let document = self.cdp("DOM.getDocument", json!({})).await?;
        let root = &document["root"]["nodeId"];
        let query = json!({ "nodeId": root, "selector": selector });
        let found = self.cdp("DOM.querySelector", query).await?;
        let node = json!({ "nodeId": found["nodeId"] });
        let fonts = self.cdp("CSS.getPlatformFontsForNode", node).await?;
        let fonts = fonts["fonts"].as_array().cloned().unwrap_or_default();
        let names = fonts.iter().filter_map(|font| font["familyName"].as_str());
        Ok(names.map(str::to_owned).collect())
    }

    /// Connects an authenticator that makes passkeys and agrees to everything. Returns its identifier.
    pub async fn add_authenticator(&self) -> anyhow::Result<String> {
        let authenticator = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserVerified": true, "isUserConsenting": true,
        });
        let id = self.issue("webauthn/authenticator", Some(authenticator));
        Ok(id.await?.as_str().unwrap_or_default().to_owned())
    }

    /// Returns the passkeys that an authenticator has.
    pub async fn passkeys_of(&self, authenticator: &str) -> anyhow::Result<Vec<Value>> {
        let path = format!("webauthn/authenticator/{authenticator}/credentials");
        let passkeys = self.issue(&path, None).await?;
        Ok(passkeys.as_array().cloned().unwrap_or_default())
    }

    /// Lets an authenticator verify its user, or not.
    pub async fn let_user_be_verified(
        &self,
        authenticator: &str,
        is_verified: bool,
    ) -> anyhow::Result<()> {
        let path = format!("webauthn/authenticator/{authenticator}/uv");
        let body = json!({ "isUserVerified": is_verified });
        self.issue(&path, Some(body)).await?;
        Ok(())
    }

    /// Sends a command to Chromium's developer tools.
    pub(crate) async fn cdp(&self, command: &str, parameters: Value) -> anyhow::Result<Value> {
        let body = json!({ "cmd": command, "params": parameters });
        self.issue("goog/cdp/execute", Some(body)).await
    }

    /// Sends a command that fantoccini does not support: POST with a body, GET without one.
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
        // Containers can have very little shared memory.
        "--disable-dev-shm-usage",
        // The browser must not reach any other host.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        // The browser stops with its driver, even if the driver crashes.
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
