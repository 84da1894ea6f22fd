//! Passkeys, with the virtual authenticator of Chromium (Web Authentication, section 11).

use anyhow::{Context, Result, ensure};
use browser::{Browser, PASSWORD, at_each_width_on_localhost};

const HEADING: &str = "Sign-in";

/// Signs up with a passkey. Ends on the welcome page.
async fn sign_up(page: &Browser, name: &str) -> Result<()> {
    page.open("/sign-up").await?;
    page.fill("Name", name).await?;
    page.fill("E-mail address", &format!("{name}@example.com"))
        .await?;
    page.look("sign-up").await?;
    page.press("Sign up with a passkey").await?;
    page.look("sign-up-passkey").await?;
    page.press("Create the passkey").await
}

#[tokio::test]
async fn user_signs_up_and_in_with_a_passkey() -> Result<()> {
    at_each_width_on_localhost("passkeys", async |page, _service| {
        let authenticator = page.add_authenticator().await?;
        sign_up(page, "mitsuha").await?;
        page.wait_for_heading("Welcome, mitsuha").await?;
        let [passkey] = &page.passkeys_of(&authenticator).await?[..] else {
            anyhow::bail!("the authenticator has not one passkey");
        };
        ensure!(passkey["rpId"] == "localhost" && passkey["isResidentCredential"] == true);

        page.open("/profile/security").await?;
        page.wait_for_heading(HEADING).await?;
        ensure!(page.text(".entries").await?.starts_with("First passkey"));
        page.look("security").await?;
        page.expand("Rename").await?;
        page.fill("New name", "Phone of mitsuha").await?;
        page.press("Save the name").await?;
        page.wait_for_status("The passkey has a new name.").await?;
        ensure!(page.text(".entries").await?.starts_with("Phone of mitsuha"));

        // The device has a passkey for the account already.
        page.fill("Name of the passkey", "Once more").await?;
        page.click("Add a passkey").await?;
        page.wait_for_alert("This device already has a passkey for your account.")
            .await?;
        page.look("security-known").await?;

        // It is the last way in.
        page.press("Remove").await?;
        let sentence = page.text(".faults").await?;
        ensure!(
            sentence == "The passkey is the last way to sign in; add another one first.",
            "{sentence}"
        );
        page.look_at_fault("security-last", 409).await?;

        page.open("/profile").await?;
        page.press("Sign out").await?;

        // The dialog fails if the authenticator cannot verify the user.
        page.let_user_be_verified(&authenticator, false).await?;
        page.open("/sign-in?next=/calendar").await?;
        page.click("Sign in with a passkey").await?;
        page.wait_for_alert("No passkey was used.").await?;
        page.look("sign-in-failed").await?;
        page.let_user_be_verified(&authenticator, true).await?;
        page.press("Sign in with a passkey").await?;
        page.wait_for_heading("Calendar").await?;

        // The virtual authenticator chooses its passkey in the list that the field for the name offers.
        page.open("/profile").await?;
        page.press("Sign out").await?;
        page.open("/sign-in?next=/statistics").await?;
        page.wait_for_heading("Your statistics").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn passkey_is_added_and_removed() -> Result<()> {
    at_each_width_on_localhost("passkey-removal", async |page, service| {
        service.register("mitsuha").await?;
        page.open("/sign-in").await?;
        page.fill("Name or e-mail address", "mitsuha").await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Sign in").await?;
        page.add_authenticator().await?;
        page.open("/profile/security").await?;
        page.fill("Name of the passkey", "Phone").await?;
        page.press("Add a passkey").await?;
        page.wait_for_status("The passkey was added.").await?;
        page.look("added").await?;
        service.let_proofs_age().await?;
        page.open("/prove?next=/profile/privacy").await?;
        page.look("prove").await?;
        page.press("Confirm with a passkey").await?;
        page.wait_for_heading("Privacy").await?;
        page.open("/profile/security").await?;
        page.press("Remove").await?;
        page.wait_for_status("The passkey was removed.").await?;
        let list = "[aria-labelledby=passkeys] .entries";
        ensure!(!page.shows(list).await?, "the passkey is still there");
        page.look("removed").await
    })
    .await
}

#[tokio::test]
async fn passkeys_need_script_and_the_rest_does_not() -> Result<()> {
    at_each_width_on_localhost("passkeys-without-script", async |page, service| {
        service.register("mitsuha").await?;
        page.let_scripts_run(false).await?;
        page.open("/sign-in").await?;
        ensure!(!page.shows("[data-passkey]").await?, "a button without use");
        page.look("sign-in").await?;
        page.fill("Name or e-mail address", "mitsuha").await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Sign in").await?;
        page.open("/profile/security").await?;
        let hint = page.text(".hint[data-passkey]").await.context("a hint")?;
        ensure!(hint.starts_with("To make or use a passkey"), "{hint}");
        page.look("security").await?;
        Ok(())
    })
    .await
}
