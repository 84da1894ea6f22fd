//! Players that report what a user watches.

use anyhow::{Result, ensure};
use browser::{Browser, at_each_width, walk};
use serde_json::{Value, json};

use super::{BEBOP, LONG_NAME, LONG_TITLE, register_and_sign_in};

/// Adds a player of the kind Jellyfin. Ends on its page. Returns its address.
pub async fn add_player(page: &Browser, name: &str) -> Result<String> {
    walk! {page, "
        open /profile/players
        fill Name: {name} | select Kind: Jellyfin | select What it plays: Only anime | press Add > {name}
    "}
    page.text("#player-address").await
}

/// Returns a message of Jellyfin about an episode that the user `mitsuha` has watched.
fn watched(title: &str, episode: u32) -> Value {
    json!({
        "NotificationType": "PlaybackStop", "NotificationUsername": "mitsuha", "ItemType": "Episode",
        "SeriesName": title, "SeasonNumber": "1", "EpisodeNumber": episode.to_string(),
        "PlayedToCompletion": "True"
    })
}

#[tokio::test]
async fn user_sets_up_a_player() -> Result<()> {
    at_each_width("player", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            follow Connections
            follow Set up your players > Players # players
            press Add ! Name # 400 player-fault
        "}
        let address = add_player(page, LONG_NAME).await?;
        ensure!(address.starts_with(service.origin()), "{address}");
        walk! {page, "
            # new-player
            // Without the confirmation, the focus is at the beginning.
            open /profile/players/0
            tab through
        "}

        // The page opens again by itself.
        let report =
            async |title, episode| service.report(&address, &watched(title, episode)).await;
        report("Cowboy Bebop", 1).await?;
        page.text("#users").await?;
        walk! {page, "
            # first-message
            press This is me
            has main: Marked as watched # user-named
        "}
        report("Cowboy Bebop", 2).await?;
        report(LONG_TITLE, 3).await?;

        walk! {page, "
            follow Back to your players > Players
            has main: {LONG_TITLE} # unmatched
            follow Other anime > Choose the anime # series
            open /profile/players/series?title={LONG_TITLE}&season=1&episode=3&q=bebop
            press Save # 400 series-fault
            choose Cowboy Bebop · TV · 1998 · 26 episodes | press Save
            has .notice: marked in your list # chosen
            open {BEBOP}
            value Episodes watched: 3 # anime-of-player
            press Undo
            value Episodes watched: 2 | open /profile/players/0
            press Remove the player > Players # player-removed
        "}
        Ok(())
    })
    .await
}
