//! What somebody does in a browser who sees pages, and finds things by what they are called.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wait::Wait;
use serde_json::Value;

use crate::browser::{Browser, PATIENCE};

/// What has the focus.
const FOCUS: &str = include_str!("scripts/focus.js");

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

    /// Follows the first link of this name.
    pub async fn follow(&self, name: &str) -> anyhow::Result<()> {
        self.leave_by("a", name).await
    }

    /// Presses a button that leads to another page.
    pub async fn press(&self, name: &str) -> anyhow::Result<()> {
        self.leave_by("button", name).await
    }

    /// Presses a button that leads nowhere.
    pub async fn click(&self, name: &str) -> anyhow::Result<()> {
        Ok(self.named("button", name).await?.click().await?)
    }

    /// A link or a button, by its name.
    pub async fn named(&self, tag: &str, name: &str) -> anyhow::Result<Element> {
        let path = format!("//{tag}[normalize-space()='{name}']");
        self.find(Locator::XPath(&path)).await
    }

    /// What is filled in, by its label.
    pub async fn labelled(&self, label: &str) -> anyhow::Result<Element> {
        let path = format!("//*[@id=//label[normalize-space()='{label}']/@for]");
        self.find(Locator::XPath(&path)).await
    }

    /// Types into a field in the place of what is there.
    pub async fn fill(&self, label: &str, text: &str) -> anyhow::Result<()> {
        let field = self.labelled(label).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    /// Changes a checkbox, or takes one choice out of a few.
    pub async fn choose(&self, label: &str) -> anyhow::Result<()> {
        let path = format!("//label[input][normalize-space()='{label}']");
        self.find(Locator::XPath(&path)).await?.click().await?;
        Ok(())
    }

    /// Takes an option out of a list.
    pub async fn select(&self, label: &str, option: &str) -> anyhow::Result<()> {
        let list = self.labelled(label).await?;
        list.select_by_label(option).await?;
        Ok(())
    }

    /// Whether a checkbox, or one choice out of a few, is chosen.
    pub async fn is_chosen(&self, label: &str) -> anyhow::Result<bool> {
        let path = format!("//label[normalize-space()='{label}']/input");
        let choice = self.find(Locator::XPath(&path)).await?;
        Ok(choice.is_selected().await?)
    }

    /// What stands in a field.
    pub async fn value(&self, label: &str) -> anyhow::Result<String> {
        let value = self.labelled(label).await?.prop("value").await?;
        value.with_context(|| format!("{label} has no value"))
    }

    /// What a form says of a field: beside it, and in the same words at the top, where the page opens.
    pub async fn fault_of(&self, label: &str) -> anyhow::Result<String> {
        let field = self.labelled(label).await?;
        let attribute = async |name: &str| field.attr(name).await.map(Option::unwrap_or_default);
        let id = attribute("id").await?;
        let invalid = attribute("aria-invalid").await?;
        ensure!(invalid == "true", "{label} is said to be fine");
        let notes = attribute("aria-describedby").await?;
        let note = format!("{id}-fault");
        let described = notes.split(' ').any(|id| id == note);
        ensure!(described, "{label} does not refer to its fault");
        let beside = self.text(&format!("#{note}")).await?;
        let above = self.text(&format!(".faults a[href='#{id}']")).await?;
        ensure!(beside == above, "{beside:?} is not {above:?}");
        ensure!(beside.starts_with(label), "{beside:?} is not about {label}");
        let focus = self.run("return document.activeElement.className", vec![]);
        let at_faults = focus.await? == "faults";
        ensure!(at_faults, "the page does not open at its faults");
        Ok(beside)
    }

    /// The text that is seen of the first element that a CSS selector finds.
    pub async fn text(&self, selector: &str) -> anyhow::Result<String> {
        Ok(self.find(Locator::Css(selector)).await?.text().await?)
    }

    /// Whether a CSS selector finds anything that is seen.
    pub async fn shows(&self, selector: &str) -> anyhow::Result<bool> {
        for element in self.client.find_all(Locator::Css(selector)).await? {
            if element.is_displayed().await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for a page by its heading.
    pub async fn arrive(&self, heading: &str) -> anyhow::Result<()> {
        let path = format!("//h1[normalize-space()='{heading}']");
        let found = self.wait().for_element(Locator::XPath(&path)).await;
        if found.is_err() {
            let there_is = self.text("h1").await?;
            bail!("the page is called {there_is:?} and not {heading:?}");
        }
        Ok(())
    }

    /// Presses keys, one after another, wherever the focus is.
    pub async fn type_keys(&self, keys: impl IntoIterator<Item = char>) -> anyhow::Result<()> {
        let mut actions = KeyActions::new("keys".to_owned());
        for value in keys {
            actions = actions.then(KeyAction::Down { value });
            actions = actions.then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await?;
        Ok(())
    }

    /// Goes on to what has the focus next.
    pub async fn tab(&self) -> anyhow::Result<()> {
        self.type_keys([Key::Tab.into()]).await
    }

    /// Goes through all of the page with the Tab key, from its beginning: everything that can be used is
    /// reached, in the order in which it is read, and is then seen and outlined. Answers what is reached.
    pub async fn tab_through(&self) -> anyhow::Result<Vec<String>> {
        let mut reached = Vec::new();
        loop {
            self.tab().await?;
            let focus = self.focus().await?;
            let text = focus["text"].as_str().unwrap_or_default().to_owned();
            let is_next = focus["place"] == reached.len();
            ensure!(is_next, "{text:?} is not the next: {focus}");
            ensure!(focus["outlined"] == true, "{text:?} has no outline");
            ensure!(focus["seen"] == true, "{text:?} is out of sight");
            reached.push(text);
            if focus["count"] == reached.len() {
                return Ok(reached);
            }
        }
    }

    /// Presses Enter on something that leads to another page.
    pub async fn enter(&self) -> anyhow::Result<()> {
        self.mark().await?;
        self.type_keys([Key::Enter.into()]).await?;
        self.is_left().await
    }

    async fn find(&self, locator: Locator<'_>) -> anyhow::Result<Element> {
        let found = self.wait().for_element(locator).await;
        found.with_context(|| format!("no {locator:?}"))
    }

    fn wait(&self) -> Wait<'_> {
        let wait = self.client.wait().at_most(PATIENCE);
        wait.every(Duration::from_millis(20))
    }

    /// What has the focus. The page may still be on its way there.
    async fn focus(&self) -> anyhow::Result<Value> {
        let begin = Instant::now();
        loop {
            let focus = self.run(FOCUS, vec![]).await?;
            if focus["seen"] == true || begin.elapsed() > PATIENCE {
                return Ok(focus);
            }
        }
    }

    /// Clicks on something that leads to another page, and waits for that page.
    async fn leave_by(&self, tag: &str, name: &str) -> anyhow::Result<()> {
        let element = self.named(tag, name).await?;
        self.mark().await?;
        element.click().await?;
        self.is_left().await.with_context(|| name.to_owned())
    }

    async fn mark(&self) -> anyhow::Result<()> {
        let script = "document.documentElement.dataset.left = ''";
        self.run(script, vec![]).await?;
        Ok(())
    }

    async fn is_left(&self) -> anyhow::Result<()> {
        let other = Locator::Css("html:not([data-left])");
        let found = self.wait().for_element(other).await;
        ensure!(found.is_ok(), "it leads to no other page");
        Ok(())
    }
}
