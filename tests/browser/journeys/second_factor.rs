//! The second factor: set-up, and sign-in with a code and with a recovery code. The authenticator app is `oathtool` of
//! OATH Toolkit, because the service and the other tests use the same library for codes.

use anyhow::{Context, Result, ensure};
use browser::{Browser, PASSWORD, at_each_width, walk};
use tokio::process::Command;

/// Sends the sign-in form.
async fn send_password(page: &Browser) -> Result<()> {
    walk! {page, "
        open /sign-in
        fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in
    "}
    Ok(())
}

/// Sends a code of the second factor. Ends on the profile page.
async fn sign_in_with(page: &Browser, code: &str) -> Result<()> {
    send_password(page).await?;
    walk! {page, "
        > Enter a code
        fill Code: {code} | press Sign in > Settings
    "}
    Ok(())
}

/// An authenticator app with one key.
struct App {
    key: String,
}

impl App {
    /// Returns an app with the key on the page.
    async fn scan(page: &Browser) -> Result<Self> {
        let key = page.text("#key").await?.replace(' ', "");
        Ok(Self { key })
    }

    /// Returns the code that the app shows this many seconds from now.
    async fn code_in(&self, seconds: u64) -> Result<String> {
        let at = format!("--now=now + {seconds} seconds");
        let mut oathtool = Command::new("oathtool");
        let output = oathtool.args(["--totp", "--base32", &at, &self.key]);
        let output = output.output().await.context("oathtool")?;
        ensure!(output.status.success(), "oathtool: {output:?}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

#[tokio::test]
async fn second_factor_is_set_up_and_used() -> Result<()> {
    at_each_width("second-factor", async |page, service| {
        service.register("mitsuha").await?;
        send_password(page).await?;
        walk! {page, "
            open /profile/security # security
            follow Set up a second factor # set-up
            shows svg.qr
        "}
        let app = App::scan(page).await?;
        walk! {page, "fill Code: 12 | press Turn on ! Code # 400 wrong-set-up"}
        page.fill("Code", &app.code_in(0).await?).await?;
        walk! {page, "press Turn on > Recovery codes"}
        let codes = page.shown_once("Recovery codes").await?;
        walk! {page, "
            # recovery-codes
            follow I have stored them # with-second-factor
            open /profile
            press Sign out
        "}

        send_password(page).await?;
        walk! {page, "
            > Enter a code # code
            fill Code: 12 | press Sign in ! Code # 401 wrong-code
        "}
        // The code of the current step was used for the set-up.
        let code = app.code_in(30).await?;
        sign_in_with(page, &code).await?;
        page.press("Sign out").await?;
        let code = codes.lines().next().context("a recovery code")?;
        sign_in_with(page, code).await?;

        walk! {page, "
            open /profile/security
            press Remove the second factor = The second factor is removed. # removed
            open /profile
            press Sign out
        "}
        send_password(page).await?;
        page.wait_for_heading("Settings").await
    })
    .await
}
