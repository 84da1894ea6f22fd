//! Passkeys, with the virtual authenticator of Chromium (Web Authentication, section 11).

use anyhow::{Result, ensure};
use browser::{Browser, PASSWORD, at_each_width_on_localhost, walk};

use super::register_and_sign_in;

const HEADING: &str = "Sign-in";

/// Signs up with a passkey. Ends on the welcome page.
async fn sign_up(page: &Browser, name: &str) -> Result<()> {
    walk! {page, "
        open /sign-up
        fill Name: {name} | fill E-mail address: {name}@example.com # sign-up
        press Sign up with a passkey # sign-up-passkey
        press Create the passkey
    "}
    Ok(())
}

#[tokio::test]
async fn user_signs_up_and_in_with_a_passkey() -> Result<()> {
    at_each_width_on_localhost("passkeys", async |page, _service| {
        let authenticator = page.add_authenticator().await?;
        sign_up(page, "mitsuha").await?;
        page.wait_for_heading("What have you seen?").await?;
        let [passkey] = &page.passkeys_of(&authenticator).await?[..] else {
            anyhow::bail!("the authenticator has not one passkey");
        };
        ensure!(passkey["rpId"] == "localhost" && passkey["isResidentCredential"] == true);

        walk! {page, "
            open /profile/security > {HEADING}
            begins .entries: First passkey # security
            expand Rename | fill New name: Phone of mitsuha | press Save the name = The passkey has a new name.
            begins .entries: Phone of mitsuha
            // The device already has a passkey for the account.
            fill Name of the passkey: Once more | click Add a passkey
        "}
        page.wait_for_alert("This device already has a passkey for your account.")
            .await?;
        walk! {page, "
            # security-known
            // The passkey is the only way to sign in.
            press Remove
            is .faults: The passkey is the last way to sign in; add another one first. # 409 security-last
            open /profile
            press Sign out
        "}

        // The dialog fails if the authenticator cannot verify the user.
        page.let_user_be_verified(&authenticator, false).await?;
        walk! {page, "
            open /sign-in?next=/calendar
            click Sign in with a passkey
        "}
        page.wait_for_alert("No passkey was used.").await?;
        page.look("sign-in-failed").await?;
        page.let_user_be_verified(&authenticator, true).await?;
        walk! {page, "
            press Sign in with a passkey > Calendar
            // The virtual authenticator chooses its passkey in the list that the field for the name offers.
            open /profile
            press Sign out
            open /sign-in?next=/statistics > Your statistics
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn passkey_is_added_and_removed() -> Result<()> {
    at_each_width_on_localhost("passkey-removal", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.add_authenticator().await?;
        walk! {page, "
            open /profile/security
            fill Name of the passkey: Phone | press Add a passkey = The passkey was added. # added
        "}
        service.let_proofs_age().await?;
        walk! {page, "
            open /prove?next=/profile/privacy # prove
            press Confirm with a passkey > Privacy
            open /profile/security
            press Remove = The passkey was removed.
        "}
        let list = "[aria-labelledby=passkeys] .entries";
        walk! {page, "hides {list} # removed"}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn passkeys_need_script_and_the_rest_does_not() -> Result<()> {
    at_each_width_on_localhost("passkeys-without-script", async |page, service| {
        service.register("mitsuha").await?;
        walk! {page, "
            scripts off | open /sign-in
            hides [data-passkey] # sign-in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in
            open /profile/security
            begins .hint[data-passkey]: To make or use a passkey # security
        "}
        Ok(())
    })
    .await
}
