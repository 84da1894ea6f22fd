//! OAuth applications: their registration, and the grants of their users.

use anyhow::{Result, ensure};
use browser::{Application, Browser, PASSWORD, Service, at_each_width, walk};

use super::{LONG_TITLE, ZONE_COOKIE, register_and_sign_in};

const CONSENT: &str = "Sign in with Kiroku";

const CONFIDENTIAL: &str = "Confidential: runs on a server and keeps a secret";

const PUBLIC: &str = "Public: runs in a browser or on a device and uses PKCE";

/// Registers an application as the user `taki`, and signs out.
async fn registered_application(page: &Browser, service: &Service) -> Result<Application> {
    register_and_sign_in(page, service, "taki").await?;
    let application = own_application(page, service).await?;
    walk! {page, "
        open /profile
        press Sign out
    "}
    Ok(application)
}

/// Registers an application as the signed-in user.
pub async fn own_application(page: &Browser, service: &Service) -> Result<Application> {
    let application = Application::start(service).await?;
    walk! {page, "
        open /developer
        fill Name: Radio Itomori | choose {PUBLIC}
    "}
    page.fill("Redirect URIs", &application.redirect_uris())
        .await?;
    walk! {page, "choose Allow the implicit grant | press Register > Radio Itomori"}
    application.set_client_id(&page.text("#client-id").await?)?;
    Ok(application)
}

/// Starts an authorization request. Ends on the consent page.
async fn start_authorization(page: &Browser, application: &Application, link: &str) -> Result<()> {
    page.open(application.origin()).await?;
    walk! {page, "follow {link} > {CONSENT}"}
    Ok(())
}

/// Starts an authorization request and signs in on the way to the consent page.
async fn sign_in_and_start_authorization(
    page: &Browser,
    application: &Application,
    link: &str,
) -> Result<()> {
    page.open(application.origin()).await?;
    walk! {page, "
        follow {link} > Sign in # sign-in
        fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in > {CONSENT}
    "}
    Ok(())
}

#[tokio::test]
async fn developer_registers_and_deletes_applications() -> Result<()> {
    at_each_width("developer", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            follow Your applications # developer
            fill Name: Radio Itomori | choose {CONFIDENTIAL} | fill Redirect URIs: http://app.example/callback
            choose Allow the implicit grant | press Register ! Redirect URIs
            value Name: Radio Itomori | value Redirect URIs: http://app.example/callback | chosen {CONFIDENTIAL}
            chosen Allow the implicit grant # 400 developer-fault
            fill Redirect URIs: https://app.example/callback | press Register > Radio Itomori
        "}
        page.let_pages_copy(true).await?;
        page.click("Copy the client secret").await?;
        page.named("button", "Copied the client secret").await?;
        let copied = page.clipboard().await?;
        let secret = page.shown_once("Client secret").await?;
        ensure!(copied == secret, "something else is copied");
        page.look("secret").await?;
        let client_id = page.text("#client-id").await?;
        let fault_of = async |secret: &str| service.fault_of_secret(&client_id, secret).await;
        assert_eq!(fault_of(&secret).await?, "invalid_grant");

        page.open(&format!("/developer/{client_id}")).await?;
        ensure!(!page.holds(&secret).await? && !page.shows("#client-secret").await?);
        walk! {page, "
            # application
            fill Name: | press Save changes ! Name # 400 application-fault
            fill Name: Radio Hida | press Save changes > Radio Hida
            is .notice: Your changes are saved. | press Create a new secret
        "}
        let other = page.shown_once("Client secret").await?;
        page.look("new-secret").await?;
        assert_eq!(fault_of(&secret).await?, "invalid_client");
        assert_eq!(fault_of(&other).await?, "invalid_grant");

        walk! {page, "
            follow All your applications # applications
            fill Name: {LONG_TITLE} | choose {PUBLIC} | fill Redirect URIs: com.example.hida:/callback
            press Register > {LONG_TITLE}
            hides [aria-labelledby=secret] # public-application
            follow All your applications # two-applications
            follow Radio Hida
            follow Delete this application # delete-application
            press Delete the application > Developer # application-deleted
        "}
        assert_eq!(fault_of(&other).await?, "invalid_client");
        walk! {page, "open /developer/{client_id} # 404 no-such-application"}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn application_uses_the_authorization_code_flow() -> Result<()> {
    at_each_width("code", async |page, service| {
        let application = registered_application(page, service).await?;
        service.register("mitsuha").await?;
        sign_in_and_start_authorization(page, &application, "Log in").await?;
        let question = page.text("main").await?;
        ensure!(question.contains("Radio Itomori wants to access your account, mitsuha."));
        let host = application.origin().trim_start_matches("http://");
        ensure!(question.contains(&format!("You will then return to {host}.")));
        walk! {page, "
            # consent
            tab through | press Deny > Not logged in: access_denied
        "}

        start_authorization(page, &application, "Log in").await?;
        walk! {page, "press Allow > Hello mitsuha"}
        let token = application.token();
        assert_eq!(service.status_of_me(&token).await?, 200);

        walk! {page, "open /profile/connections # profile-connected"}
        let button = page.named("button", "Disconnect").await?;
        assert_eq!(page.spoken_name(&button).await?, "Disconnect Radio Itomori");
        walk! {page, "
            press Disconnect # disconnected
            has main: No application can use your account.
        "}
        assert_eq!(service.status_of_me(&token).await?, 401);

        start_authorization(page, &application, "Log in").await?;
        walk! {page, "
            press Sign in as a different user > Sign in
            fill Name or e-mail address: taki | fill Password: {PASSWORD} | press Sign in > {CONSENT}
            press Allow > Hello taki
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn application_uses_the_implicit_grant() -> Result<()> {
    at_each_width("implicit", async |page, service| {
        let application = registered_application(page, service).await?;
        service.register("mitsuha").await?;
        sign_in_and_start_authorization(page, &application, "Log in without a server").await?;
        walk! {page, "press Deny > Not logged in: access_denied"}
        start_authorization(page, &application, "Log in without a server").await?;
        walk! {page, "press Allow > Hello mitsuha"}
        // A page on another port of the same host cannot read the session cookie.
        let cookies = page.run("return document.cookie", vec![]).await?;
        assert_eq!(cookies, ZONE_COOKIE);
        walk! {page, "open /profile/connections # profile-connected"}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn pages_work_without_scripts() -> Result<()> {
    at_each_width("no-scripts", async |page, service| {
        walk! {page, "
            scripts off | open /
            hides [data-copy] # start
        "}
        let application = registered_application(page, service).await?;
        service.register("mitsuha").await?;
        sign_in_and_start_authorization(page, &application, "Log in").await?;
        walk! {page, "
            # consent
            press Allow > Hello mitsuha
        "}
        Ok(())
    })
    .await
}
