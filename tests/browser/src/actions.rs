//! User actions in the browser. Elements are found by their visible names.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wait::Wait;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::browser::{Browser, PATIENCE};
use crate::service::Service;

/// The time between two attempts to find an element.
const INTERVAL: Duration = Duration::from_millis(20);

/// Returns the focused element.
const FOCUS: &str = include_str!("scripts/focus.js");

/// Marks an element with a name.
const NAMED: &str = include_str!("scripts/named.js");

/// The element that [`NAMED`] has marked.
const FOUND: Locator<'_> = Locator::Css("[data-found]");

impl Browser {
    /// Opens a path of the service, or another address.
    pub async fn open(&self, address: &str) -> anyhow::Result<()> {
        let origin = if address.starts_with('/') {
            &self.origin
        } else {
            ""
        };
        self.client.goto(&format!("{origin}{address}")).await?;
        Ok(())
    }

    /// Follows a link with this name. A link that is not visible must be in the menu of the account.
    pub async fn follow(&self, name: &str) -> anyhow::Result<()> {
        self.click_and_wait("a", name).await
    }

    /// Presses a button that opens another page. A button that is not visible must be in the menu of the account.
    pub async fn press(&self, name: &str) -> anyhow::Result<()> {
        self.click_and_wait("button", name).await
    }

    /// Opens the menu of the account with the Enter key.
    pub async fn open_account_menu(&self) -> anyhow::Result<()> {
        let enter = char::from(Key::Enter).to_string();
        self.type_at("header .me summary", &enter).await
    }

    /// Presses a button that stays on the page.
    pub async fn click(&self, name: &str) -> anyhow::Result<()> {
        Ok(self.named("button", name).await?.click().await?)
    }

    /// Returns a link or a button by its name, a visible one if there is one.
    pub async fn named(&self, tag: &str, name: &str) -> anyhow::Result<Element> {
        self.find_named(tag, name, false).await
    }

    /// Returns a form field by its label.
    pub async fn labeled(&self, label: &str) -> anyhow::Result<Element> {
        self.find_named("label", label, true).await
    }

    async fn find_named(
        &self,
        selector: &str,
        name: &str,
        is_control: bool,
    ) -> anyhow::Result<Element> {
        let begin = Instant::now();
        loop {
            let arguments = vec![json!(selector), json!(name), json!(is_control)];
            if self.run(NAMED, arguments).await? == true {
                return Ok(self.client.find(FOUND).await?);
            }
            ensure!(begin.elapsed() < PATIENCE, "no {selector} {name:?}");
            sleep(INTERVAL).await;
        }
    }

    /// Replaces the text of a field.
    pub async fn fill(&self, label: &str, text: &str) -> anyhow::Result<()> {
        let field = self.labeled(label).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    /// Chooses a file in a field.
    pub async fn attach(&self, label: &str, file: &Path) -> anyhow::Result<()> {
        let path = file.to_str().context("the path is not UTF-8")?;
        Ok(self.labeled(label).await?.send_keys(path).await?)
    }

    /// Returns the file that a link leads to.
    pub async fn download(&self, name: &str, service: &Service) -> anyhow::Result<String> {
        let link = self.named("a", name).await?;
        let path = link.attr("href").await?.context("an address")?;
        let cookies = self.cookies().await?;
        let cookies: Vec<String> = cookies
            .iter()
            .map(|cookie| cookie.stripped().to_string())
            .collect();
        service.text(&path, &cookies.join("; ")).await
    }

    /// Opens a part of the page with the Enter key.
    pub async fn expand(&self, name: &str) -> anyhow::Result<()> {
        let summary = self.named("summary", name).await?;
        Ok(summary
            .send_keys(&char::from(Key::Enter).to_string())
            .await?)
    }

    /// Adds a text to a field and sends its form with the Enter key.
    pub async fn enter_at(&self, selector: &str, text: &str) -> anyhow::Result<()> {
        let enter = char::from(Key::Enter);
        self.type_at(selector, &format!("{text}{enter}")).await
    }

    /// Adds a text to a field.
    pub async fn type_at(&self, selector: &str, text: &str) -> anyhow::Result<()> {
        let field = self.find(Locator::Css(selector)).await?;
        Ok(field.send_keys(text).await?)
    }

    /// Waits for a message that starts with a text.
    pub async fn wait_for_status(&self, start: &str) -> anyhow::Result<()> {
        let path = format!("//*[@role='status'][starts-with(normalize-space(), '{start}')]");
        self.find(Locator::XPath(&path)).await?;
        Ok(())
    }

    /// Waits for an error that starts with a text.
    pub async fn wait_for_alert(&self, start: &str) -> anyhow::Result<()> {
        let path = format!("//*[@role='alert'][starts-with(normalize-space(), '{start}')]");
        self.find(Locator::XPath(&path)).await?;
        Ok(())
    }

    /// Clicks a checkbox or a radio button.
    pub async fn choose(&self, label: &str) -> anyhow::Result<()> {
        Ok(self.named("label:has(input)", label).await?.click().await?)
    }

    /// Selects an option of a list.
    pub async fn select(&self, label: &str, option: &str) -> anyhow::Result<()> {
        let list = self.labeled(label).await?;
        list.select_by_label(option).await?;
        Ok(())
    }

    /// Returns true if a checkbox or a radio button is checked.
    pub async fn is_chosen(&self, label: &str) -> anyhow::Result<bool> {
        Ok(self.labeled(label).await?.is_selected().await?)
    }

    /// Returns the value of a field.
    pub async fn value(&self, label: &str) -> anyhow::Result<String> {
        let value = self.labeled(label).await?.prop("value").await?;
        value.with_context(|| format!("{label} has no value"))
    }

    /// Returns the error of a field. Checks that the list of errors at the top of the page repeats the
    /// message next to the field, and that this list has the focus.
    pub async fn fault_of(&self, label: &str) -> anyhow::Result<String> {
        let field = self.labeled(label).await?;
        let attribute = async |name: &str| field.attr(name).await.map(Option::unwrap_or_default);
        let id = attribute("id").await?;
        let invalid = attribute("aria-invalid").await?;
        ensure!(invalid == "true", "{label} is not marked as invalid");
        let notes = attribute("aria-describedby").await?;
        let note = format!("{id}-fault");
        let described = notes.split(' ').any(|id| id == note);
        ensure!(described, "{label} does not refer to its error");
        let beside = self.text(&format!("#{note}")).await?;
        let above = self.text(&format!(".faults a[href='#{id}']")).await?;
        ensure!(beside == above, "{beside:?} is not {above:?}");
        ensure!(beside.starts_with(label), "{beside:?} is not about {label}");
        let focus = self.run("return document.activeElement.className", vec![]);
        let at_faults = focus.await? == "faults";
        ensure!(at_faults, "the list of errors does not have the focus");
        Ok(beside)
    }

    /// Returns the visible text of the first element that matches a CSS selector.
    pub async fn text(&self, selector: &str) -> anyhow::Result<String> {
        Ok(self.find(Locator::Css(selector)).await?.text().await?)
    }

    /// Returns true if an element that matches a CSS selector is visible.
    pub async fn shows(&self, selector: &str) -> anyhow::Result<bool> {
        for element in self.client.find_all(Locator::Css(selector)).await? {
            if element.is_displayed().await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for a page with this heading.
    pub async fn wait_for_heading(&self, heading: &str) -> anyhow::Result<()> {
        if self.named("h1", heading).await.is_err() {
            let there_is = self.text("h1").await?;
            bail!("the page is called {there_is:?} and not {heading:?}");
        }
        Ok(())
    }

    /// Presses keys one after another in the focused element.
    pub async fn type_keys(&self, keys: impl IntoIterator<Item = char>) -> anyhow::Result<()> {
        let mut actions = KeyActions::new("keys".to_owned());
        for value in keys {
            actions = actions.then(KeyAction::Down { value });
            actions = actions.then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await?;
        Ok(())
    }

    /// Presses a key while another one is held.
    pub async fn chord(&self, held: Key, value: char) -> anyhow::Result<()> {
        let held = char::from(held);
        let actions = KeyActions::new("chord".to_owned())
            .then(KeyAction::Down { value: held })
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value })
            .then(KeyAction::Up { value: held });
        self.client.perform_actions(actions).await?;
        Ok(())
    }

    /// Moves the focus to the next element.
    pub async fn tab(&self) -> anyhow::Result<()> {
        self.type_keys([Key::Tab.into()]).await
    }

    /// Moves the focus through the whole page with the Tab key. Checks that every control is reached in
    /// reading order, visible and outlined. Returns the names of the controls.
    pub async fn tab_through(&self) -> anyhow::Result<Vec<String>> {
        let mut reached = Vec::new();
        self.run("globalThis.lastFocus = undefined", vec![]).await?;
        loop {
            self.tab().await?;
            let focus = self.focus().await?;
            let text = focus["text"].as_str().unwrap_or_default().to_owned();
            let is_next = focus["follows"] == true && focus["skipped"] == json!([]);
            ensure!(is_next, "{text:?} is not the next: {focus}");
            ensure!(focus["outlined"] == true, "{text:?} has no outline");
            ensure!(focus["seen"] == true, "{text:?} is out of sight");
            reached.push(text);
            if focus["isLast"] == true {
                return Ok(reached);
            }
            let remember = "globalThis.lastFocus = document.activeElement";
            self.run(remember, vec![]).await?;
        }
    }

    /// Presses Enter on a control that opens another page.
    pub async fn enter(&self) -> anyhow::Result<()> {
        self.mark_page().await?;
        self.type_keys([Key::Enter.into()]).await?;
        self.wait_until_left().await
    }

    async fn find(&self, locator: Locator<'_>) -> anyhow::Result<Element> {
        let found = self.wait().for_element(locator).await;
        found.with_context(|| format!("no {locator:?}"))
    }

    fn wait(&self) -> Wait<'_> {
        let wait = self.client.wait().at_most(PATIENCE);
        wait.every(INTERVAL)
    }

    /// Returns the focused element, once the page has scrolled to it.
    async fn focus(&self) -> anyhow::Result<Value> {
        let begin = Instant::now();
        loop {
            let focus = self.run(FOCUS, vec![]).await?;
            if focus["seen"] == true || begin.elapsed() > PATIENCE {
                return Ok(focus);
            }
        }
    }

    /// Clicks an element that opens another page, and waits for that page.
    async fn click_and_wait(&self, tag: &str, name: &str) -> anyhow::Result<()> {
        let element = self.named(tag, name).await?;
        if !element.is_displayed().await? {
            self.open_account_menu().await?;
        }
        self.mark_page().await?;
        element.click().await?;
        self.wait_until_left()
            .await
            .with_context(|| name.to_owned())
    }

    async fn mark_page(&self) -> anyhow::Result<()> {
        let script = "document.documentElement.dataset.left = ''";
        self.run(script, vec![]).await?;
        Ok(())
    }

    async fn wait_until_left(&self) -> anyhow::Result<()> {
        let other = Locator::Css("html:not([data-left])");
        let found = self.wait().for_element(other).await;
        ensure!(found.is_ok(), "no other page was opened");
        Ok(())
    }
}
