//! The frame of every page: the search, the menu of the account, and the theme.

use anyhow::{Result, ensure};
use browser::{Browser, Key, at_each_width, walk};
use serde_json::json;

use super::{BEBOP, register_and_sign_in};

/// Returns the color of the page.
async fn paper(page: &Browser) -> Result<serde_json::Value> {
    let script = "return getComputedStyle(document.body).backgroundColor";
    page.run(script, vec![]).await
}

/// On a phone, the search has a page of its own.
#[tokio::test]
async fn search_answers_while_the_visitor_types() -> Result<()> {
    at_each_width("suggestions", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        for is_slash in [true, false] {
            page.open("/statistics").await?;
            let is_wide = page.shows(".find input").await?;
            if is_slash {
                page.type_keys(['/']).await?;
            } else {
                page.chord(Key::Control, 'k').await?;
            }
            if !is_wide {
                page.text("#search:focus").await?;
                walk! {page, "> Browse anime"}
                continue;
            }
            page.type_keys("cowboy bepop".chars()).await?;
            walk! {page, "has .hits a: Cowboy Bebop # suggestions"}
            // The checks have made the window narrow, where the field is hidden and loses the focus.
            page.run("document.querySelector('.find input').focus()", vec![])
                .await?;
            // The arrow keys lead to the suggestions, and the Escape key back.
            page.type_keys([Key::Down.into()]).await?;
            let focused = "return document.activeElement.getAttribute('href')";
            ensure!(page.run(focused, vec![]).await? == json!(BEBOP));
            if is_slash {
                page.type_keys([Key::Escape.into()]).await?;
                walk! {page, "hides .hits"}
                ensure!(page.shows(".find input:focus").await?);
            } else {
                page.enter().await?;
                walk! {page, "> Cowboy Bebop"}
            }
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn suggestion_is_put_on_the_list() -> Result<()> {
    at_each_width("suggested", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.open("/statistics").await?;
        if page.shows(".find input").await? {
            page.type_at(".find input", "cowboy bepop").await?;
            walk! {page, "
                click Add “Cowboy Bebop” to your planned anime
                is .hits .seal.plan: 予
                open /list?status=1
                has .ledger: Cowboy Bebop
            "}
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_signs_out_in_the_menu_of_the_account() -> Result<()> {
    at_each_width("account-menu", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "open {BEBOP} | hides .me .pop"}
        page.open_account_menu().await?;
        walk! {page, "
            shows .me .pop # menu
            follow Settings > Settings
            open {BEBOP}
            press Sign out > Write down what you have watched. # signed-out
            open /profile > Sign in
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn visitor_chooses_the_theme() -> Result<()> {
    at_each_width("theme", async |page, _| {
        page.open("/settings").await?;
        let light = paper(page).await?;
        walk! {page, "
            choose Dark | press Save
            shows html[data-theme=dark] # dark
        "}
        let dark = paper(page).await?;
        ensure!(dark != light, "{dark}");
        page.open("/anime").await?;
        ensure!(paper(page).await? == dark, "another page is not dark");
        walk! {page, "
            open /settings
            choose Light | press Save
            shows html[data-theme=light] # light
        "}
        ensure!(paper(page).await? == light);
        Ok(())
    })
    .await
}
