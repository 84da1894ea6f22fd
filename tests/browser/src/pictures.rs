//! Comparisons of pages with reference pictures. A reference is a screenshot that is reduced to the mean color of each
//! block, so that a new font or another text hardly changes it, but a layout that breaks does.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::browser::Browser;

/// Paints covers in place of those that the browser cannot reach, and hides what depends on the day.
const COVERS: &str = include_str!("scripts/covers.js");

/// Reduces a screenshot, and compares it with a reference.
const REDUCE: &str = include_str!("scripts/reduce.js");

/// The variable that makes a run write its references instead of comparing with them, if it is `write`.
const REFERENCES: &str = "KIROKU_TEST_REFERENCES";

/// The width of the blocks on a desktop screen and on a phone screen, in CSS pixels.
const BLOCKS_PX: [u32; 2] = [20, 10];

/// The difference of a color channel, from 0 to 255, above which a block counts as changed.
const VISIBLE: u32 = 32;

/// The maximum mean difference of the color channels, from 0 to 255.
const MAX_MEAN: f64 = 4.0;

/// The maximum share of changed blocks.
const MAX_CHANGED: f64 = 0.06;

impl Browser {
    /// Disables the policies of pages, which forbid the addresses of the covers that this module paints.
    pub async fn allow_painted_covers(&self) -> anyhow::Result<()> {
        self.cdp("Page.setBypassCSP", json!({ "enabled": true }))
            .await?;
        Ok(())
    }

    /// Compares what a visitor sees first of the page with the reference of this name. A difference is reported at the
    /// end of the journey; the whole screenshot is then in the folder of the journey.
    pub async fn compare(&self, name: &str) -> anyhow::Result<()> {
        if writes_references() {
            let (picture, screenshot) = self.reduce(name, None).await?;
            self.keep(name, &screenshot)?;
            let picture = picture["picture"].as_str().context("a picture")?;
            let file = self.reference(name);
            fs::create_dir_all(file.with_file_name(""))?;
            fs::write(file, STANDARD.decode(picture)?)?;
        } else if let Some(fault) = self.difference(name).await? {
            self.fault(name, &fault);
        }
        Ok(())
    }

    /// Returns the text about the difference between the page and the reference of this name; `None` if it looks like
    /// the reference.
    pub async fn difference(&self, name: &str) -> anyhow::Result<Option<String>> {
        let known = fs::read(self.reference(name)).ok();
        let (reduced, screenshot) = self.reduce(name, known).await?;
        let difference = difference(&reduced);
        if difference.is_some() {
            self.keep(name, &screenshot)?;
        }
        Ok(difference)
    }

    /// Writes a screenshot into the folder of the journey.
    fn keep(&self, name: &str, screenshot: &str) -> anyhow::Result<()> {
        let file = format!("{name}-{}.png", self.screen.width);
        Ok(fs::write(
            self.folder.join(file),
            STANDARD.decode(screenshot)?,
        )?)
    }

    /// Returns the result of [`REDUCE`], and the screenshot in Base64.
    async fn reduce(&self, name: &str, known: Option<Vec<u8>>) -> anyhow::Result<(Value, String)> {
        let (width, height) = (self.screen.width, self.screen.height);
        let painted = self.client.execute_async(COVERS, vec![]).await?;
        ensure!(painted.is_null(), "{name}: no covers: {painted}");
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let screenshot = self.take_picture(clip).await?;
        let block = BLOCKS_PX[usize::from(self.screen.is_phone)];
        let known = known.map(|known| STANDARD.encode(known));
        let arguments = vec![
            json!(screenshot),
            json!(block),
            json!(VISIBLE),
            json!(known),
        ];
        let reduced = self.client.execute_async(REDUCE, arguments);
        let reduced = reduced.await?;
        ensure!(reduced["picture"].is_string(), "{name}: {reduced}");
        Ok((reduced, screenshot))
    }

    /// Returns the path of a reference.
    fn reference(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures");
        folder.join(format!("{name}-{}.png", self.screen.width))
    }

    /// Compares the page in the dark scheme.
    pub async fn compare_in_the_dark(&self, name: &str) -> anyhow::Result<()> {
        self.prefer_dark(true).await?;
        self.compare(name).await?;
        self.prefer_dark(false).await
    }
}

/// Returns true if this run writes the references instead of comparing pages with them.
pub fn writes_references() -> bool {
    env::var(REFERENCES).is_ok_and(|value| value == "write")
}

/// Returns the text about a page that differs from its reference or has none.
fn difference(reduced: &Value) -> Option<String> {
    let (Some(mean), Some(changed)) = (reduced["mean"].as_f64(), reduced["changed"].as_f64())
    else {
        return Some(format!(
            "there is no reference: look at the screenshot, then run this test with {REFERENCES}=write"
        ));
    };
    (mean > MAX_MEAN || changed > MAX_CHANGED).then(|| {
        format!(
            "differs from its reference by {mean:.1} (at most {MAX_MEAN}), in {:.1} % of its blocks (at most {} %)",
            changed * 100.0,
            MAX_CHANGED * 100.0
        )
    })
}
