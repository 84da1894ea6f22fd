//! The second factor: set-up, and sign-in with a code and with a recovery code.

use anyhow::{Context, Result, ensure};
use browser::{Browser, PASSWORD, at_each_width};
use totp_rs::{Builder, Secret, Totp};

/// Sends the sign-in form.
async fn send_password(page: &Browser) -> Result<()> {
    page.open("/sign-in").await?;
    page.fill("Name or e-mail address", "mitsuha").await?;
    page.fill("Password", PASSWORD).await?;
    page.press("Sign in").await
}

/// Sends a code of the second factor. Ends on the profile page.
async fn sign_in_with(page: &Browser, code: &str) -> Result<()> {
    send_password(page).await?;
    page.wait_for_heading("Enter a code").await?;
    page.fill("Code", code).await?;
    page.press("Sign in").await?;
    page.wait_for_heading("Hi mitsuha").await
}

/// Returns the authenticator app with the key on the page.
async fn scan(page: &Browser) -> Result<Totp> {
    let key = page.text("#key").await?.replace(' ', "");
    let secret = Secret::try_from_base32(key)?;
    Ok(Builder::new().with_secret(secret).build()?)
}

#[tokio::test]
async fn second_factor_is_set_up_and_used() -> Result<()> {
    at_each_width("second-factor", async |page, service| {
        service.register("mitsuha").await?;
        send_password(page).await?;
        page.open("/profile/security").await?;
        page.look("security").await?;
        page.follow("Set up a second factor").await?;
        page.look("set-up").await?;
        ensure!(page.shows("svg.qr").await?, "there is no QR code");
        let app = scan(page).await?;
        page.fill("Code", "12").await?;
        page.press("Turn on").await?;
        page.fault_of("Code").await?;
        page.look_at_fault("wrong-set-up", 400).await?;
        page.fill("Code", &app.generate_current().to_string())
            .await?;
        page.press("Turn on").await?;
        page.wait_for_heading("Recovery codes").await?;
        let codes = page.shown_once("Recovery codes").await?;
        page.look("recovery-codes").await?;
        page.follow("I have stored them").await?;
        page.look("with-second-factor").await?;
        page.open("/profile").await?;
        page.press("Sign out").await?;

        send_password(page).await?;
        page.wait_for_heading("Enter a code").await?;
        page.look("code").await?;
        page.fill("Code", "12").await?;
        page.press("Sign in").await?;
        page.fault_of("Code").await?;
        page.look_at_fault("wrong-code", 401).await?;
        // The code of the current step was used for the set-up.
        let code = app.generate(app.next_step_current()).to_string();
        sign_in_with(page, &code).await?;
        page.press("Sign out").await?;
        let code = codes.lines().next().context("a recovery code")?;
        sign_in_with(page, code).await?;

        page.open("/profile/security").await?;
        page.press("Remove the second factor").await?;
        page.wait_for_status("The second factor is removed.")
            .await?;
        page.look("removed").await?;
        page.open("/profile").await?;
        page.press("Sign out").await?;
        send_password(page).await?;
        page.wait_for_heading("Hi mitsuha").await
    })
    .await
}
