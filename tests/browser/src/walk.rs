//! Journeys as tables: a line for each step, with its expectations.

use std::fmt;

use anyhow::{Context, bail, ensure};

use crate::browser::Browser;

/// The marks of expectations, which follow a step on its line.
const MARKS: [&str; 4] = [" > ", " = ", " ! ", " # "];

/// Goes through a table of steps ([`Browser::walk`]), in which `{name}` stands for a variable.
#[macro_export]
macro_rules! walk {
    ($page:ident, $table:literal) => {
        $page.walk(format_args!($table)).await?;
    };
}

impl Browser {
    /// Goes through a table of steps. Steps on one line have ` | ` between them, and a line can be a comment.
    ///
    /// | step | meaning |
    /// |---|---|
    /// | `open PATH` | opens a path or an address |
    /// | `follow LINK`, `press BUTTON` | opens another page |
    /// | `click BUTTON`, `expand SUMMARY`, `choose LABEL` | changes the page |
    /// | `fill LABEL: TEXT`, `select LABEL: OPTION` | fills in a field |
    /// | `is`, `begins` or `has` `SELECTOR: TEXT` | an element has this text, begins with it or contains it |
    /// | `value LABEL: TEXT`, `chosen LABEL` | a field has this value, or is checked |
    /// | `shows SELECTOR`, `hides SELECTOR` | such an element is visible, or none is |
    /// | `tab through` | the Tab key reaches every control ([`Browser::tab_through`]) |
    /// | `scripts on`, `scripts off` | enables or disables scripts |
    /// | `delete cookies` | deletes all cookies |
    ///
    /// After a step, `> HEADING` waits for a page with this heading, `= TEXT` for a message that starts with a text,
    /// `! LABEL` expects a fault of a field, and `# NAME` looks at the page, with the status in front of the name
    /// unless it is 200: `# 404 NAME`.
    pub async fn walk(&self, table: fmt::Arguments<'_>) -> anyhow::Result<()> {
        let table = table.to_string();
        let lines = table.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
        for part in lines.flat_map(|line| line.split(" | ")) {
            self.go(part).await.with_context(|| part.to_owned())?;
        }
        Ok(())
    }

    async fn go(&self, part: &str) -> anyhow::Result<()> {
        // A part can consist of expectations only.
        let padded = format!(" {part}");
        let mut starts: Vec<usize> = MARKS
            .iter()
            .flat_map(|mark| padded.match_indices(mark))
            .map(|(start, _)| start)
            .collect();
        starts.sort_unstable();
        starts.push(padded.len());
        let step = padded[..starts[0]].trim();
        if !step.is_empty() {
            self.take_step(step).await?;
        }
        for ends in starts.windows(2) {
            let (mark, text) = padded[ends[0]..ends[1]].trim().split_at(1);
            self.expect(mark, text.trim()).await?;
        }
        Ok(())
    }

    async fn take_step(&self, step: &str) -> anyhow::Result<()> {
        let (verb, rest) = step.split_once(' ').context("a step has two parts")?;
        let rest = rest.trim();
        let (name, text) = rest.split_once(':').unwrap_or((rest, ""));
        let text = text.trim();
        match verb {
            "open" => self.open(rest).await?,
            "follow" => self.follow(rest).await?,
            "press" => self.press(rest).await?,
            "click" => self.click(rest).await?,
            "expand" => self.expand(rest).await?,
            "choose" => self.choose(rest).await?,
            "fill" => self.fill(name, text).await?,
            "select" => self.select(name, text).await?,
            "is" | "begins" | "has" => {
                let whole = self.text(name).await?;
                let is_right = match verb {
                    "is" => whole == text,
                    "begins" => whole.starts_with(text),
                    _ => whole.contains(text),
                };
                ensure!(is_right, "{whole:?}");
            }
            "value" => {
                let value = self.value(name).await?;
                ensure!(value == text, "{value:?}");
            }
            "chosen" => ensure!(self.is_chosen(rest).await?, "not chosen"),
            "shows" => ensure!(self.shows(rest).await?, "not shown"),
            "hides" => ensure!(!self.shows(rest).await?, "shown"),
            "tab" => {
                self.tab_through().await?;
            }
            "scripts" => self.let_scripts_run(rest == "on").await?,
            "delete" => self.delete_cookies().await?,
            _ => bail!("there is no such step"),
        }
        Ok(())
    }

    async fn expect(&self, mark: &str, text: &str) -> anyhow::Result<()> {
        match mark {
            ">" => self.wait_for_heading(text).await,
            "=" => self.wait_for_status(text).await,
            "!" => self.fault_of(text).await.map(|_| ()),
            _ => {
                let (status, name) = text.split_once(' ').unwrap_or(("200", text));
                self.look_at_fault(name, status.parse()?).await
            }
        }
    }
}
