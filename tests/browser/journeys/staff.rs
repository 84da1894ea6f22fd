//! Administrators and moderators.

use anyhow::{Result, ensure};
use browser::{Browser, PASSWORD, at_each_width, at_each_width_with, walk};

use super::{BEBOP, sign_in};

/// Fills in and sends the form of the sign-up page.
async fn sign_up(page: &Browser, name: &str) -> Result<()> {
    walk! {page, "
        fill Name: {name} | fill E-mail address: {name}@example.com | fill Password: {PASSWORD}
        press Create account > What have you seen?
    "}
    Ok(())
}

#[tokio::test]
async fn administrator_invites_a_user() -> Result<()> {
    let options = ["--registration", "invite"];
    at_each_width_with("administration", &options, async |page, service| {
        walk! {page, "
            open /sign-up # without-invitation
            has main: You need an invitation
        "}
        page.open(&service.invite().await?).await?;
        page.look("invited").await?;
        sign_up(page, "mitsuha").await?;

        service.set_role("mitsuha", "administrator").await?;
        walk! {page, "
            open /profile
            follow Administration > Administration # no-invitation
            fill Days of validity: 100 | press Make an invitation ! Days of validity # 400 days-fault
            fill Days of validity: 30 | press Make an invitation
        "}
        let link = page.shown_once("Link of the invitation").await?;
        walk! {page, "
            # made
            delete cookies | open {link}
        "}
        sign_up(page, "taki").await?;
        walk! {page, "
            delete cookies | open {link}
            has main: has already been used # used
        "}

        let revoked = service.invite().await?;
        sign_in(page, "mitsuha").await?;
        walk! {page, "
            open /administration # list
            press Revoke
            has .notice: has been revoked # revoked
            delete cookies | open {revoked}
            has main: The invitation is invalid
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn moderator_deletes_a_user_and_corrects_the_catalogue() -> Result<()> {
    at_each_width("moderation", async |page, service| {
        service.register("taki").await?;
        service.register("mitsuha").await?;
        service.set_role("mitsuha", "moderator").await?;
        sign_in(page, "mitsuha").await?;
        walk! {page, "
            follow Moderation > Moderation # moderation
            fill Name or e-mail address: taki | press Find users # users
            follow Show: taki > taki
            has main: E-mail address not verified # user
            follow Delete account > Delete the account of taki? # delete
            press Delete account
            has .notice: The account has been deleted. # deleted
            open {BEBOP}
            follow Corrections > Corrections # anime
            follow Correct: Released episodes
            fill Released episodes: many | fill Reason: The studio says so. | press Save the correction
            begins #value-fault: Enter a whole number # 400 anime-fault
            fill Released episodes: 27 | press Save the correction
            has main: by mitsuha | has main: The studio says so. # anime-corrected
            follow Tank! # song
            follow Correct: Artist
            fill Artist: The Seatbelts | fill Reason: See the cover. # song-form
            press Save the correction
            has main: by mitsuha | open {BEBOP}
            follow Corrections
            follow Correct: Released episodes # anime-form-corrected
            press Take back
            has .notice: has been taken back
        "}
        ensure!(!page.text("main").await?.contains("by mitsuha"));
        page.look("taken-back").await
    })
    .await
}
