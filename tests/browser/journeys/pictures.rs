//! Pictures of the twelve most telling pages, beside their references in the folder `pictures`.

use anyhow::{Context, Result, ensure};
use browser::{Browser, Service, for_references, writes_references};
use serde_json::{Value, json};

use super::{BEBOP, sign_in};

/// The pages of visitors: name and path.
const OF_VISITORS: [(&str, &str); 3] = [
    ("landing", "/"),
    ("browse", "/anime"),
    ("sign-in", "/sign-in"),
];

/// The pages of a user with a list: name and path.
const OF_USERS: [(&str, &str); 8] = [
    ("home", "/"),
    ("list", "/list?status=0"),
    ("list-compact", "/list?view=compact"),
    ("list-covers", "/list?view=covers"),
    ("anime", BEBOP),
    ("statistics", "/statistics"),
    ("public-profile", "/user/mitsuha"),
    ("welcome", "/welcome"),
];

/// Puts the best rated anime that have ended on the list of a new user. The user watches the first five, plans the next
/// two, and has completed the others, with scores from 95 down.
async fn fill_a_list(service: &Service) -> Result<()> {
    let token = service.register("mitsuha").await?;
    service.prefer_language(&token, "en").await?;
    let best = service.data("/v1/anime?per_page=100").await?;
    let best = best.as_array().context("a list")?;
    // Anime that air are shown in another way on each day.
    let ended = best.iter().filter(|anime| anime["status"] == 0).take(16);
    let change = |(number, anime): (usize, &Value)| {
        let episodes = anime["episodes_count"].as_u64().unwrap_or_default();
        let (status, episode) = match number {
            0..5 => (0, episodes / 2),
            5..7 => (1, 0),
            _ => (2, episodes),
        };
        json!({
            "op": "put", "anime_id": anime["id"], "status": status, "current_episode": episode,
            "details": { "score": 95 - 3 * number },
        })
    };
    let changes: Vec<Value> = ended.enumerate().map(change).collect();
    service.change_stories(&token, &changes).await
}

async fn compare(page: &Browser, pages: &[(&str, &str)]) -> Result<()> {
    for (name, path) in pages {
        page.open(path).await?;
        page.compare(name).await?;
    }
    Ok(())
}

#[tokio::test]
async fn pages_look_like_their_references() -> Result<()> {
    for_references("pictures", async |page, service| {
        fill_a_list(service).await?;
        page.allow_painted_covers().await?;
        compare(page, &OF_VISITORS).await?;
        sign_in(page, "mitsuha").await?;
        compare(page, &OF_USERS).await?;
        page.open(BEBOP).await?;
        page.compare_in_the_dark("anime-dark").await?;
        if writes_references() {
            return Ok(());
        }
        // A page that has moved must not look like its reference.
        page.open(OF_USERS[1].1).await?;
        let moved = "document.querySelector('main').style.paddingTop = '60px'";
        page.run(moved, vec![]).await?;
        let difference = page.difference(OF_USERS[1].0).await?;
        ensure!(
            difference.is_some(),
            "a moved page looks like its reference"
        );
        Ok(())
    })
    .await
}
