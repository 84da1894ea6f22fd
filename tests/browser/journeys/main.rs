//! The web pages in headless Chromium: one test for each journey, on a phone screen and on a desktop
//! screen. [`Browser::look`] checks each page on the way.

mod account;
mod applications;
mod base_path;
mod catalogue;
mod every_page;
mod frame;
mod home;
mod list;
mod newcomer;
mod passkeys;
mod phone;
mod pictures;
mod players;
mod second_factor;
mod staff;

use anyhow::Result;
use browser::{Browser, PASSWORD, Service, walk};

/// The only cookie that scripts can read, with the time zone of Chromium.
const ZONE_COOKIE: &str = "time_zone=UTC";

/// The longest name and title, without a place to break the line.
const LONG_NAME: &str = "miyamizu-mitsuha-of-itomori-town";

const LONG_TITLE: &str = "Radio.Itomori.for.phones.of.people.who.like.very.long.titles";

const NEW_PASSWORD: &str = "katawaredoki no machi";

/// The path of an anime with 26 episodes.
const BEBOP: &str = "/anime/2";

/// The path of an anime that airs.
const ONE_PIECE: &str = "/anime/42";

/// Signs in. Ends on the profile page.
async fn sign_in(page: &Browser, name: &str) -> Result<()> {
    walk! {page, "
        open /sign-in
        fill Name or e-mail address: {name} | fill Password: {PASSWORD} | press Sign in > Settings
    "}
    Ok(())
}

/// Registers a user and signs in. Returns a token of the user.
async fn register_and_sign_in(page: &Browser, service: &Service, name: &str) -> Result<String> {
    let token = service.register(name).await?;
    sign_in(page, name).await?;
    Ok(token)
}

/// Takes a step that changes the record of the anime on the page, and waits until the script has saved it.
async fn change_record(page: &Browser, step: &str) -> Result<()> {
    let mark = "document.querySelector('.record').dataset.old = ''";
    page.run(mark, vec![]).await?;
    page.walk(format_args!("{step}")).await?;
    // Fields are saved when the focus leaves them.
    page.tab().await?;
    page.text(".record:not([data-old])").await?;
    Ok(())
}

/// Puts an anime on the list with the status Planned, on its page.
async fn plan(page: &Browser, path: &str) -> Result<()> {
    page.open(path).await?;
    change_record(page, "choose Planned").await
}
