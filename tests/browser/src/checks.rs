//! Checks that every page must pass, and screenshots.

use std::fs;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::browser::{Browser, Screen};
use crate::journey::variable;

/// Masks values that are shown once. Returns the places where a secret is still visible.
const MASK: &str = include_str!("scripts/mask.js");

/// Runs axe-core.
const AXE: &str = include_str!("scripts/axe.js");

/// Returns the elements that are wider than the screen.
const TOO_WIDE: &str = include_str!("scripts/too_wide.js");

/// Returns the elements whose text is cut off.
const CUT_OFF: &str = include_str!("scripts/cut_off.js");

/// Sets the size of the text, on which all sizes of the style sheet depend.
const TEXT_SIZE: &str = "document.documentElement.style.fontSize = arguments[0]";

/// The end of Chromium's message about a file of another host.
const UNREACHABLE: &str = "Failed to load resource: net::ERR_NAME_NOT_RESOLVED";

/// The narrowest screen: 1,280 px at a zoom of 400 % (WCAG 2.2, 1.4.10).
const NARROW: Screen = Screen {
    width: 320,
    height: 640,
    is_phone: false,
};

impl Browser {
    /// Checks a page in the light and the dark scheme: the status is 200, axe-core finds no violations,
    /// nothing is wider than the screen, even with text of twice the size, and the console is empty. Faults are
    /// reported at the end of the journey.
    pub async fn look(&self, page: &str) -> anyhow::Result<()> {
        self.look_at_fault(page, 200).await
    }

    /// Runs the checks of [`Self::look`] on a page with an error status.
    pub async fn look_at_fault(&self, page: &str, status: u16) -> anyhow::Result<()> {
        self.pages.set(self.pages.get() + 1);
        self.hear_console(page, status).await?;
        self.check_head(page, status).await?;
        self.mask().await?;
        self.scripts_run(true).await?;
        self.load_axe().await?;
        for dark in [false, true] {
            self.prefer_dark(dark).await?;
            self.run_axe(page, dark).await?;
            self.picture(page, dark).await?;
        }
        self.prefer_dark(false).await?;
        self.scripts_run(self.scripts.get()).await?;
        for screen in [self.screen, NARROW] {
            self.check_width(page, screen).await?;
        }
        self.show_on(self.screen).await?;
        self.check_large_text(page).await
    }

    /// Takes a screenshot of the part of the page that a visitor sees first.
    pub async fn first_screen(&self, page: &str) -> anyhow::Result<()> {
        self.pages.set(self.pages.get() + 1);
        self.picture_down_to(self.screen.height.into(), page, false)
            .await
    }

    /// Returns the picture of the first element that matches a CSS selector, in Base64.
    pub async fn picture_of(&self, selector: &str) -> anyhow::Result<String> {
        let script = "const { x, y, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); \
                      return { x: x + scrollX, y: y + scrollY, width, height, scale: 1 }";
        let clip = self.run(script, vec![json!(selector)]).await?;
        self.take_picture(clip).await
    }

    /// Returns the errors of the web app manifest that the page links to, and of its icons.
    pub async fn manifest_errors(&self) -> anyhow::Result<Value> {
        let manifest = self.cdp("Page.getAppManifest", json!({})).await?;
        let missing = self.cdp("Page.getInstallabilityErrors", json!({})).await?;
        Ok(json!([manifest["errors"], missing["installabilityErrors"]]))
    }

    /// Removes and returns the faults found so far.
    pub fn take_faults(&self) -> Vec<String> {
        self.faults.take()
    }

    /// Returns a text that is shown once, and masks it for screenshots.
    pub async fn shown_once(&self, label: &str) -> anyhow::Result<String> {
        let text = self.value(label).await?;
        self.mask().await?;
        ensure!(!text.is_empty(), "{label} is empty");
        Ok(text)
    }

    /// Returns true if a text is anywhere in the page, visible or not.
    pub async fn holds(&self, text: &str) -> anyhow::Result<bool> {
        let script = "return document.documentElement.outerHTML.includes(arguments[0])";
        Ok(self.run(script, vec![json!(text)]).await? == Value::Bool(true))
    }

    /// Takes a screenshot of the page on which a journey failed.
    pub(crate) async fn picture_of_failure(&self) {
        if self.mask().await.is_ok() {
            let taken = self.picture("failure", false).await;
            taken.unwrap_or_else(|error| eprintln!("no picture of the failure: {error}"));
        }
    }

    pub(crate) fn fault(&self, page: &str, text: &str) {
        let fault = format!("{page} at {}: {text}", self.screen.width);
        // The fault is printed at once, because the journey can end early.
        eprintln!("{fault}");
        self.faults.borrow_mut().push(fault);
    }

    async fn check_head(&self, page: &str, status: u16) -> anyhow::Result<()> {
        let script = "const [entry] = performance.getEntriesByType('navigation'); \
                      const heading = document.querySelector('h1').cloneNode(true); \
                      heading.querySelectorAll('[aria-hidden], small').forEach((part) => part.remove()); \
                      const name = location.pathname.endsWith('/list') \
                          ? document.title.replace(/^Error: | - Kiroku$/g, '') \
                          : heading.textContent.replace(/\\s+/g, ' ').trim(); \
                      return [entry.responseStatus, document.title, name]";
        let found = self.run(script, vec![]).await?;
        if found[0] != status {
            self.fault(page, &format!("the status is {}", found[0]));
        }
        let heading = found[2].as_str().unwrap_or_default();
        let error = if status < 400 { "" } else { "Error: " };
        let title = found[1].as_str().unwrap_or_default();
        let error_of_title = title.strip_suffix(&format!("{heading} - Kiroku"));
        let is_right = match error_of_title {
            Some(before) if self.language.borrow().is_empty() => before == error,
            // In other languages, only an error has a text before the heading.
            Some(before) => before.is_empty() == error.is_empty(),
            None => false,
        };
        if !is_right {
            self.fault(page, &format!("the title is {title}"));
        }
        Ok(())
    }

    /// Checks that the console has no warnings or errors. Chromium logs every error response, so the response with the
    /// status of the page itself is ignored.
    pub(crate) async fn hear_console(&self, page: &str, status: u16) -> anyhow::Result<()> {
        let entries = self.issue("se/log", Some(json!({ "type": "browser" })));
        let entries = entries.await?;
        let own = format!("the server responded with a status of {status} ");
        for entry in entries.as_array().context("a list")? {
            let message = entry["message"].as_str().unwrap_or_default();
            let is_own = entry["source"] == "network" && message.contains(&own);
            // The browser reaches no other host, so covers are not loaded.
            let is_cover = message.starts_with("https://") && message.ends_with(UNREACHABLE);
            let is_severe = matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
            if is_severe && !is_own && !is_cover {
                self.fault(page, &format!("console: {message}"));
            }
        }
        Ok(())
    }

    async fn load_axe(&self) -> anyhow::Result<()> {
        let source = fs::read_to_string(variable("KIROKU_TEST_AXE")?).context("axe-core")?;
        self.run(&source, vec![]).await?;
        Ok(())
    }

    async fn run_axe(&self, page: &str, dark: bool) -> anyhow::Result<()> {
        let violations = self.client.execute_async(AXE, vec![json!(dark)]).await?;
        let scheme = if dark { "dark" } else { "light" };
        for violation in violations.as_array().context("axe-core's answer")? {
            let violation = violation.as_str().unwrap_or_default();
            self.fault(page, &format!("axe-core, {scheme}: {violation}"));
        }
        Ok(())
    }

    async fn check_width(&self, page: &str, screen: Screen) -> anyhow::Result<()> {
        self.show_on(screen).await?;
        let found = self.run(TOO_WIDE, vec![json!(screen.width)]).await?;
        for element in found.as_array().context("a list")? {
            let width = screen.width;
            self.fault(page, &format!("wider than {width} px: {element}"));
        }
        Ok(())
    }

    /// Checks that a page can be read with text of twice the size (WCAG 2.2, 1.4.4).
    async fn check_large_text(&self, page: &str) -> anyhow::Result<()> {
        self.run(TEXT_SIZE, vec![json!("200%")]).await?;
        let wide = self.run(TOO_WIDE, vec![json!(self.screen.width)]).await?;
        let cut = self.run(CUT_OFF, vec![]).await?;
        for element in wide.as_array().context("a list")? {
            self.fault(page, &format!("too wide with large text: {element}"));
        }
        for element in cut.as_array().context("a list")? {
            self.fault(page, &format!("cut off with large text: {element}"));
        }
        self.run(TEXT_SIZE, vec![json!("")]).await?;
        Ok(())
    }

    async fn mask(&self) -> anyhow::Result<()> {
        let seen = self.run(MASK, vec![]).await?;
        ensure!(seen == json!([]), "a secret is still seen, in {seen}");
        Ok(())
    }

    /// Takes a screenshot of the full height of the page.
    async fn picture(&self, page: &str, dark: bool) -> anyhow::Result<()> {
        let size = &self.cdp("Page.getLayoutMetrics", json!({})).await?["cssContentSize"];
        self.picture_down_to(size["height"].clone(), page, dark)
            .await
    }

    async fn picture_down_to(&self, height: Value, page: &str, dark: bool) -> anyhow::Result<()> {
        let width = self.screen.width;
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let picture = STANDARD.decode(self.take_picture(clip).await?)?;
        let scheme = if dark { "-dark" } else { "" };
        let name = format!("{:02}-{page}-{width}{scheme}.png", self.pages.get());
        fs::write(self.folder.join(name), picture)?;
        Ok(())
    }

    pub(crate) async fn take_picture(&self, clip: Value) -> anyhow::Result<String> {
        let how = json!({ "captureBeyondViewport": true, "clip": clip, "optimizeForSpeed": true });
        let picture = self.cdp("Page.captureScreenshot", how).await?;
        Ok(picture["data"].as_str().context("a picture")?.to_owned())
    }
}
