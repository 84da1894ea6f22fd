//! The second factor: set-up, and sign-in with a code and with a recovery code. The authenticator app is `oathtool` of
//! OATH Toolkit, because the service and the other tests share one library.

use anyhow::{Context, Result, ensure};
use browser::{Browser, PASSWORD, at_each_width};
use tokio::process::Command;

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
        page.open("/profile/security").await?;
        page.look("security").await?;
        page.follow("Set up a second factor").await?;
        page.look("set-up").await?;
        ensure!(page.shows("svg.qr").await?, "there is no QR code");
        let app = App::scan(page).await?;
        page.fill("Code", "12").await?;
        page.press("Turn on").await?;
        page.fault_of("Code").await?;
        page.look_at_fault("wrong-set-up", 400).await?;
        page.fill("Code", &app.code_in(0).await?).await?;
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
        let code = app.code_in(30).await?;
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
