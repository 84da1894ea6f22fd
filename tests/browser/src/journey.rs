//! A journey through the pages: one test with its own browser and service.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::Path;
use std::{env, fs};

use anyhow::{Context, ensure};
use futures_util::FutureExt;

use crate::browser::{Browser, DESKTOP, LAPTOP, PHONE, SMALL_PHONE, Screen};
use crate::service::{LOOPBACK, Service};

/// Runs a journey on a phone screen and on a desktop screen. The screenshots are in the folder `name`.
/// Every process that it starts stops at the end, even if the journey fails.
pub async fn at_each_width(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host(LOOPBACK, name, &[PHONE, DESKTOP], &[], steps).await
}

/// Runs a journey as [`at_each_width`] does, with these options of `kiroku serve`.
pub async fn at_each_width_with(
    name: &str,
    options: &[&str],
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host(LOOPBACK, name, &[PHONE, DESKTOP], options, steps).await
}

/// Runs a journey as [`at_each_width`] does, on a phone screen only. Each page is also checked at 320 px.
pub async fn on_a_phone(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host(LOOPBACK, name, &[PHONE], &[], steps).await
}

/// Runs a journey as [`on_a_phone`] does, on the screen of a small phone.
pub async fn on_a_small_phone(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host(LOOPBACK, name, &[SMALL_PHONE], &[], steps).await
}

/// Runs a journey as [`at_each_width`] does, on the two screens whose pictures are references.
pub async fn for_references(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host(LOOPBACK, name, &[SMALL_PHONE, LAPTOP], &[], steps).await
}

/// Runs a journey as [`at_each_width`] does, at a host name, which passkeys need.
pub async fn at_each_width_on_localhost(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    at_host("localhost", name, &[SMALL_PHONE, DESKTOP], &[], steps).await
}

/// Runs a journey as [`at_each_width`] does, below a path of a host name.
pub async fn at_each_width_below_a_path(
    name: &str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let place = "localhost/kiroku";
    at_host(place, name, &[PHONE, DESKTOP], &[], steps).await
}

async fn at_host(
    host: &'static str,
    name: &str,
    screens: &[Screen],
    options: &[&str],
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let folder = Path::new(&variable("KIROKU_TEST_SCREENSHOTS")?).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for screen in screens {
        let context = || format!("{name} at a width of {}", screen.width);
        go(&folder, *screen, options, host, &steps)
            .await
            .with_context(context)?;
    }
    Ok(())
}

async fn go(
    folder: &Path,
    screen: Screen,
    options: &[&str],
    host: &'static str,
    steps: impl AsyncFn(&Browser, &Service) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let log = folder.join(format!("kiroku-{}.log", screen.width));
    let service = Service::start(&log, options, host).await?;
    let browser = Browser::start(screen, service.origin(), folder).await?;
    let went = AssertUnwindSafe(steps(&browser, &service))
        .catch_unwind()
        .await;
    if matches!(went, Ok(Ok(()))) {
        browser.hear_console("at the end", 200).await?;
    } else {
        browser.picture_of_failure().await;
    }
    let faults = browser.end().await;
    went.unwrap_or_else(|panic| resume_unwind(panic))?;
    let faults = faults?;
    ensure!(faults.is_empty(), "{} faults in pages", faults.len());
    Ok(())
}

/// Returns an environment variable that `tests/browser/run` sets.
pub(crate) fn variable(name: &str) -> anyhow::Result<String> {
    env::var(name).with_context(|| format!("{name} is not set: run tests/browser/run"))
}
