//! The web pages in headless Chromium: one test for each journey, on a phone screen and on a desktop
//! screen. [`Browser::look`] checks each page on the way.

use anyhow::{Context, Result, ensure};
use browser::{
    Application, Browser, Key, PASSWORD, Service, at_each_width, at_each_width_with,
    japanese_fonts, on_a_phone,
};
use serde_json::{Value, json};

mod base_path;
mod home;

/// The longest name and title, without a place to break the line.
/// The only cookie that scripts can read, with the time zone of Chromium.
const ZONE_COOKIE: &str = "time_zone=UTC";
const LONG_NAME: &str = "miyamizu-mitsuha-of-itomori-town";
const LONG_TITLE: &str = "Radio.Itomori.for.phones.of.people.who.like.very.long.titles";
const NEW_PASSWORD: &str = "katawaredoki no machi";
const START: &str = "Anime, their songs, and what you have watched";
const CONSENT: &str = "Log in with Kiroku";
const WRONG: &str = "The username, e-mail address or password is wrong.";
const KEEP: &str = "Keep: they stay as they are";
const CONFIDENTIAL: &str = "Confidential: runs on a server and keeps a secret";
const PUBLIC: &str = "Public: runs in a browser or on a device and uses PKCE";

/// Signs in. Ends on the profile page.
async fn sign_in(page: &Browser, name: &str) -> Result<()> {
    page.open("/sign-in").await?;
    sign_in_with(page, name, PASSWORD).await?;
    page.wait_for_heading(&format!("Hi {name}")).await
}

/// Fills in and sends the sign-in form.
async fn sign_in_with(page: &Browser, who: &str, password: &str) -> Result<()> {
    page.fill("Name or e-mail address", who).await?;
    page.fill("Password", password).await?;
    page.press("Sign in").await
}

/// Registers a user and signs in.
async fn register_and_sign_in(page: &Browser, service: &Service, name: &str) -> Result<()> {
    service.register(name).await?;
    sign_in(page, name).await
}

/// Registers an application as the user `taki`, and signs out.
async fn registered_application(page: &Browser, service: &Service) -> Result<Application> {
    register_and_sign_in(page, service, "taki").await?;
    let application = own_application(page, service).await?;
    page.open("/profile").await?;
    page.press("Sign out").await?;
    Ok(application)
}

/// Registers an application as the signed-in user.
async fn own_application(page: &Browser, service: &Service) -> Result<Application> {
    let application = Application::start(service).await?;
    page.open("/developer").await?;
    page.fill("Name", "Radio Itomori").await?;
    page.choose(PUBLIC).await?;
    page.fill("Redirect URIs", &application.redirect_uris())
        .await?;
    page.choose("Allow the implicit grant").await?;
    page.press("Register").await?;
    page.wait_for_heading("Radio Itomori").await?;
    application.set_client_id(&page.text("#client-id").await?)?;
    Ok(application)
}

/// Starts an authorization request. Ends on the consent page.
async fn start_authorization(page: &Browser, application: &Application, link: &str) -> Result<()> {
    page.open(application.origin()).await?;
    page.follow(link).await?;
    page.wait_for_heading(CONSENT).await
}

/// Starts an authorization request and signs in on the way to the consent page.
async fn sign_in_and_start_authorization(
    page: &Browser,
    application: &Application,
    link: &str,
) -> Result<()> {
    page.open(application.origin()).await?;
    page.follow(link).await?;
    page.wait_for_heading("Sign in").await?;
    page.look("sign-in").await?;
    sign_in_with(page, "mitsuha", PASSWORD).await?;
    page.wait_for_heading(CONSENT).await
}

#[tokio::test]
async fn user_signs_up_and_signs_in() -> Result<()> {
    at_each_width("sign-up", async |page, service| {
        page.open("/").await?;
        page.look("start").await?;
        page.follow("Create an account").await?;
        page.look("sign-up").await?;
        page.fill("Name", "mi").await?;
        page.fill("E-mail address", "mitsuha").await?;
        page.fill("Password", "short").await?;
        page.press("Sign up").await?;
        for label in ["Name", "E-mail address", "Password"] {
            page.fault_of(label).await?;
        }
        assert_eq!(page.value("Name").await?, "mi");
        assert_eq!(page.value("E-mail address").await?, "mitsuha");
        assert_eq!(page.value("Password").await?, "");
        page.look_at_fault("sign-up-faults", 400).await?;

        page.fill("Name", "mitsuha").await?;
        page.fill("E-mail address", "mitsuha@example.com").await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Sign up").await?;
        page.wait_for_heading("Welcome, mitsuha").await?;
        page.look("welcome").await?;
        page.tab_through().await?;
        page.follow("Skip for now").await?;
        page.open("/profile").await?;
        page.look("profile").await?;
        let badge = "[aria-labelledby=address] .badge";
        assert_eq!(page.text(badge).await?, "not verified yet");

        let link = service.link_by_mail("mitsuha@example.com", "/verify-email")?;
        page.open(&link).await?;
        page.look("verify-email").await?;
        page.press("Verify my e-mail address").await?;
        page.wait_for_heading("Your e-mail address is verified")
            .await?;
        page.look("verified").await?;
        page.follow("Go to your profile").await?;
        assert_eq!(page.text(badge).await?, "verified");
        page.open(&link).await?;
        page.press("Verify my e-mail address").await?;
        page.look_at_fault("verify-email-again", 400).await?;

        page.open("/profile").await?;
        page.press("Sign out").await?;
        page.wait_for_heading(START).await?;
        page.follow("Sign in").await?;
        page.look("sign-in").await?;
        sign_in_with(page, "mitsuha", NEW_PASSWORD).await?;
        assert_eq!(page.text(".faults").await?, WRONG);
        assert_eq!(page.value("Name or e-mail address").await?, "mitsuha");
        assert_eq!(page.value("Password").await?, "");
        page.look_at_fault("sign-in-fault", 401).await?;
        sign_in_with(page, "mitsuha@example.com", PASSWORD).await?;
        page.wait_for_heading("Hi mitsuha").await?;
        page.open("/").await?;
        page.look("start-signed-in").await
    })
    .await
}

#[tokio::test]
async fn user_resets_a_forgotten_password() -> Result<()> {
    at_each_width("forgotten-password", async |page, service| {
        service.register("mitsuha").await?;
        page.open("/sign-in").await?;
        page.follow("Forgot your password?").await?;
        page.look("forgot-password").await?;
        page.fill("E-mail address", "mitsuha").await?;
        page.press("Send me a link").await?;
        page.fault_of("E-mail address").await?;
        page.look_at_fault("forgot-password-fault", 400).await?;
        page.fill("E-mail address", "mitsuha@example.com").await?;
        page.press("Send me a link").await?;
        page.wait_for_heading("Check your e-mail").await?;
        page.look("link-sent").await?;

        let link = service.link_by_mail("mitsuha@example.com", "/reset-password")?;
        page.open(&link).await?;
        page.look("reset-password").await?;
        page.fill("New password", "short").await?;
        page.press("Set password").await?;
        page.fault_of("New password").await?;
        page.look_at_fault("reset-password-fault", 400).await?;
        page.fill("New password", NEW_PASSWORD).await?;
        page.press("Set password").await?;
        page.wait_for_heading("Your password has been changed")
            .await?;
        page.look("password-changed").await?;
        page.open(&link).await?;
        page.fill("New password", PASSWORD).await?;
        page.press("Set password").await?;
        page.look_at_fault("reset-password-again", 400).await?;

        page.open("/sign-in").await?;
        sign_in_with(page, "mitsuha", PASSWORD).await?;
        page.look_at_fault("old-password", 401).await?;
        sign_in_with(page, "mitsuha", NEW_PASSWORD).await?;
        page.wait_for_heading("Hi mitsuha").await
    })
    .await
}

#[tokio::test]
async fn user_changes_settings_and_password() -> Result<()> {
    at_each_width("profile", async |page, service| {
        register_and_sign_in(page, service, LONG_NAME).await?;
        page.press("Send the link again").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("We have sent a link")
        );

        page.select("Gender", "Female").await?;
        page.select("Language", "Português").await?;
        page.press("Save settings").await?;
        assert_eq!(page.text(".notice").await?, "Your settings are saved.");
        assert_eq!(page.value("Gender").await?, "2");
        assert_eq!(page.value("Language").await?, "pt");
        page.look("settings-saved").await?;

        page.follow("Sign-in").await?;
        page.expand("Choose a new password").await?;
        page.fill("New password", "password").await?;
        page.press("Change password").await?;
        page.fault_of("New password").await?;
        page.look_at_fault("password-fault", 400).await?;
        page.fill("New password", NEW_PASSWORD).await?;
        page.press("Change password").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("Your password has been changed.")
        );
        page.look("password-changed").await
    })
    .await
}

/// Returns true if the profile opens with these cookies, and not the page for signing in.
async fn is_signed_in(service: &Service, cookies: &str) -> Result<bool> {
    let page = service.text("/profile", cookies).await?;
    Ok(page.contains("Hi mitsuha"))
}

#[tokio::test]
async fn user_proves_changes_the_password_and_ends_sessions() -> Result<()> {
    at_each_width("security", async |page, service| {
        // Two other browsers are signed in.
        service.register("mitsuha").await?;
        let mut others = Vec::new();
        for _ in 0..2 {
            sign_in(page, "mitsuha").await?;
            let cookies = page.cookies().await?;
            let session = cookies.iter().find(|cookie| cookie.name() == "session");
            others.push(session.context("a session")?.stripped().to_string());
            page.delete_cookies().await?;
        }
        sign_in(page, "mitsuha").await?;
        page.open("/profile/security").await?;
        page.look("security").await?;
        page.tab_through().await?;
        page.press("Sign out").await?;
        assert_eq!(page.text(".notice").await?, "That browser is signed out.");
        page.look("session-ended").await?;
        let mut left = Vec::new();
        for other in others {
            if is_signed_in(service, &other).await? {
                left.push(other);
            }
        }
        ensure!(left.len() == 1, "{} other sessions are left", left.len());

        service.let_proofs_age().await?;
        page.open("/profile/security").await?;
        page.look("security-without-proof").await?;
        page.follow("Confirm that it is you").await?;
        page.wait_for_heading("Confirm that it is you").await?;
        page.look("prove").await?;
        page.tab_through().await?;
        page.fill("Password", NEW_PASSWORD).await?;
        page.press("Confirm").await?;
        page.fault_of("Password").await?;
        page.look_at_fault("prove-fault", 400).await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Confirm").await?;
        page.wait_for_heading("Sign-in").await?;
        page.expand("Choose a new password").await?;
        page.fill("New password", NEW_PASSWORD).await?;
        page.press("Change password").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("Your password has been changed.")
        );
        page.look("password-changed").await?;
        ensure!(!is_signed_in(service, &left[0]).await?);

        service.let_proofs_age().await?;
        page.open("/profile").await?;
        page.follow("Change e-mail address").await?;
        page.fill("Password", NEW_PASSWORD).await?;
        page.press("Confirm").await?;
        page.wait_for_heading("Hi mitsuha").await?;
        page.named("summary", "Change e-mail address")
            .await?
            .click()
            .await?;
        page.fill("New e-mail address", "radio@").await?;
        page.press("Change e-mail address").await?;
        page.fault_of("New e-mail address").await?;
        page.look_at_fault("email-fault", 400).await?;
        page.fill("New e-mail address", "radio@example.com").await?;
        page.press("Change e-mail address").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("Your e-mail address is changed.")
        );
        page.look("email-changed").await?;
        let link = service.link_by_mail("radio@example.com", "/verify-email")?;
        page.open(&link).await?;
        page.press("Verify my e-mail address").await?;
        page.wait_for_heading("Your e-mail address is verified")
            .await
    })
    .await
}

#[tokio::test]
async fn user_goes_through_the_parts_of_the_profile() -> Result<()> {
    at_each_width("profile-parts", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        for (part, below) in [
            ("Sign-in", ""),
            ("Privacy", ""),
            ("Connections", "Set up your players"),
            ("Data", "Recent imports, and undo"),
            ("Developer", ""),
        ] {
            page.follow(part).await?;
            page.wait_for_heading(part).await?;
            assert_eq!(page.text(".tabs [aria-current=page]").await?, part);
            page.look(part).await?;
            page.tab_through().await?;
            if !below.is_empty() {
                page.follow(below).await?;
                assert_eq!(page.text(".tabs [aria-current=true]").await?, part);
                page.look(&format!("below-{part}")).await?;
                page.follow(part).await?;
                page.wait_for_heading(part).await?;
            }
        }
        page.follow("Account").await?;
        page.wait_for_heading("Hi mitsuha").await?;
        page.tab_through().await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_imports_a_watch_history() -> Result<()> {
    at_each_width("history", async |page, service| {
        let folder = tempfile::tempdir()?;
        let list = folder.path().join("list.csv");
        let entries = format!(
            "mal_id,status,title\n1,watching,{LONG_TITLE}\n4000000,watching,\n1,asleep,Umi\n"
        );
        tokio::fs::write(&list, entries).await?;
        register_and_sign_in(page, service, "mitsuha").await?;
        page.follow("Data").await?;
        page.follow("Import or export your watch history").await?;
        page.wait_for_heading("Import and export").await?;
        page.look("import").await?;
        page.tab_through().await?;
        page.press("Import").await?;
        page.fault_of("List file").await?;
        page.look_at_fault("no-file", 400).await?;

        page.attach("List file", &list).await?;
        page.choose(KEEP).await?;
        page.press("Preview").await?;
        page.wait_for_heading("Preview of the import").await?;
        page.look("preview").await?;
        ensure!(page.is_chosen(KEEP).await?);
        page.attach("List file", &list).await?;
        page.press("Import").await?;
        page.wait_for_heading("Import finished").await?;
        for (id, text) in [
            ("new", LONG_TITLE),
            ("waiting", "Entry 2"),
            ("skipped", "Umi"),
        ] {
            let section = page.text(&format!("[aria-labelledby={id}]")).await?;
            ensure!(section.contains(text), "{section}");
        }
        page.look("imported").await?;

        page.follow("Back to import and export").await?;
        page.follow("Entries that wait for their anime").await?;
        page.wait_for_heading("Entries that wait for their anime")
            .await?;
        page.look("waiting").await?;
        page.follow("Back to import and export").await?;
        page.follow("Recent imports, and undo").await?;
        page.wait_for_heading("Recent imports").await?;
        page.look("imports").await?;
        page.press("Undo this import").await?;
        let notice = page.text(".notice").await?;
        ensure!(
            notice == "The import has been undone: 0 entries restored, 1 entry deleted. 1 entry no longer waits for \
                its anime or your answer.",
            "{notice}"
        );
        page.look("undone").await
    })
    .await
}

#[tokio::test]
async fn user_links_and_unlinks_trackers() -> Result<()> {
    at_each_width("trackers", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.follow("Connections").await?;
        for (title, letter) in [("AniList", 'a'), ("MyAnimeList", 'b')] {
            let connect = format!("Connect {title}");
            page.follow(&connect).await?;
            page.wait_for_heading("A tracker").await?;
            page.follow("Refuse").await?;
            page.wait_for_heading("Connections").await?;
            let message = page.text(".faults").await?;
            ensure!(message.starts_with(title) && message.contains("access was denied there"));
            page.look(&format!("{letter}-refused")).await?;

            page.follow(&connect).await?;
            page.wait_for_heading("A tracker").await?;
            page.follow("Allow").await?;
            page.wait_for_heading("Connections").await?;
            let message = page.text(".notice").await?;
            ensure!(message.starts_with(&format!("Your {title} account is linked.")));
            ensure!(page.holds("okudera").await? && !page.holds("kumihimo").await?);
            page.look(&format!("{letter}-linked")).await?;
        }
        page.press("Disconnect AniList").await?;
        let message = page.text(".notice").await?;
        ensure!(message.starts_with("Your AniList account is no longer linked."));
        page.look("a-unlinked").await
    })
    .await
}

#[tokio::test]
async fn sessions_and_tokens_are_issued_and_revoked() -> Result<()> {
    at_each_width("sessions", async |page, service| {
        service.register("mitsuha").await?;
        page.open("/profile").await?;
        page.wait_for_heading("Sign in").await?;
        sign_in_with(page, "mitsuha", PASSWORD).await?;
        page.wait_for_heading("Hi mitsuha").await?;
        // Over HTTP, as on a local server, the cookie is not `Secure` and has no `__Host-` prefix.
        let cookies = page.cookies().await?;
        let session = cookies.iter().find(|cookie| cookie.name() == "session");
        let session = session.map(|cookie| {
            let same_site = cookie.same_site().map(|same_site| same_site.to_string());
            (cookie.http_only(), same_site, cookie.path())
        });
        assert_eq!(
            session,
            Some((Some(true), Some("Lax".to_owned()), Some("/")))
        );
        let cookies = page.run("return document.cookie", vec![]).await?;
        assert_eq!(cookies, ZONE_COOKIE);

        page.open("/profile/developer").await?;
        page.fill("Name", "my program").await?;
        page.press("Create a token").await?;
        let revoked = page.shown_once("Your new token").await?;
        page.look("token").await?;
        assert_eq!(service.status_of_me(&revoked).await?, 200);
        page.press("Revoke").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("The token is revoked")
        );
        page.look("token-revoked").await?;
        assert_eq!(service.status_of_me(&revoked).await?, 401);
        page.fill("Name", "another program").await?;
        page.press("Create a token").await?;
        let token = page.shown_once("Your new token").await?;
        assert_eq!(service.status_of_me(&token).await?, 200);
        page.open("/profile/developer").await?;
        ensure!(!page.holds(&token).await?);

        page.open("/profile/security").await?;
        page.press("Sign out everywhere").await?;
        page.wait_for_heading("Sign in").await?;
        ensure!(
            page.text(".notice")
                .await?
                .starts_with("You are signed out everywhere")
        );
        page.look("signed-out-everywhere").await?;
        assert_eq!(service.status_of_me(&token).await?, 401);
        page.open("/profile").await?;
        page.wait_for_heading("Sign in").await
    })
    .await
}

#[tokio::test]
async fn developer_registers_and_deletes_applications() -> Result<()> {
    at_each_width("developer", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.follow("Your applications").await?;
        page.look("developer").await?;
        page.fill("Name", "Radio Itomori").await?;
        page.choose(CONFIDENTIAL).await?;
        page.fill("Redirect URIs", "http://app.example/callback")
            .await?;
        page.choose("Allow the implicit grant").await?;
        page.press("Register").await?;
        page.fault_of("Redirect URIs").await?;
        assert_eq!(page.value("Name").await?, "Radio Itomori");
        assert_eq!(
            page.value("Redirect URIs").await?,
            "http://app.example/callback"
        );
        ensure!(page.is_chosen(CONFIDENTIAL).await?);
        ensure!(page.is_chosen("Allow the implicit grant").await?);
        page.look_at_fault("developer-fault", 400).await?;

        page.fill("Redirect URIs", "https://app.example/callback")
            .await?;
        page.press("Register").await?;
        page.wait_for_heading("Radio Itomori").await?;
        page.let_pages_copy(true).await?;
        page.click("Copy the client secret").await?;
        page.named("button", "Copied the client secret").await?;
        let copied = page.clipboard().await?;
        let secret = page.shown_once("Client secret").await?;
        ensure!(copied == secret, "something else is copied");
        page.look("secret").await?;
        let client_id = page.text("#client-id").await?;
        assert_eq!(
            service.fault_of_secret(&client_id, &secret).await?,
            "invalid_grant"
        );

        page.open(&format!("/developer/{client_id}")).await?;
        ensure!(!page.holds(&secret).await? && !page.shows("#client-secret").await?);
        page.look("application").await?;
        page.fill("Name", "").await?;
        page.press("Save changes").await?;
        page.fault_of("Name").await?;
        page.look_at_fault("application-fault", 400).await?;
        page.fill("Name", "Radio Hida").await?;
        page.press("Save changes").await?;
        page.wait_for_heading("Radio Hida").await?;
        assert_eq!(page.text(".notice").await?, "Your changes are saved.");
        page.press("Create a new secret").await?;
        let other = page.shown_once("Client secret").await?;
        page.look("new-secret").await?;
        assert_eq!(
            service.fault_of_secret(&client_id, &secret).await?,
            "invalid_client"
        );
        assert_eq!(
            service.fault_of_secret(&client_id, &other).await?,
            "invalid_grant"
        );

        page.follow("All your applications").await?;
        page.look("applications").await?;
        page.fill("Name", LONG_TITLE).await?;
        page.choose(PUBLIC).await?;
        page.fill("Redirect URIs", "com.example.hida:/callback")
            .await?;
        page.press("Register").await?;
        page.wait_for_heading(LONG_TITLE).await?;
        ensure!(!page.shows("[aria-labelledby=secret]").await?);
        page.look("public-application").await?;
        page.follow("All your applications").await?;
        page.look("two-applications").await?;
        page.follow("Radio Hida").await?;
        page.follow("Delete this application").await?;
        page.look("delete-application").await?;
        page.press("Delete the application").await?;
        page.wait_for_heading("Developer").await?;
        page.look("application-deleted").await?;
        assert_eq!(
            service.fault_of_secret(&client_id, &other).await?,
            "invalid_client"
        );
        page.open(&format!("/developer/{client_id}")).await?;
        page.look_at_fault("no-such-application", 404).await
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
        page.look("consent").await?;
        page.tab_through().await?;
        page.press("Deny").await?;
        page.wait_for_heading("Not logged in: access_denied")
            .await?;

        start_authorization(page, &application, "Log in").await?;
        page.press("Allow").await?;
        page.wait_for_heading("Hello mitsuha").await?;
        let token = application.token();
        assert_eq!(service.status_of_me(&token).await?, 200);

        page.open("/profile/connections").await?;
        page.look("profile-connected").await?;
        let button = page.named("button", "Disconnect").await?;
        assert_eq!(page.spoken_name(&button).await?, "Disconnect Radio Itomori");
        page.press("Disconnect").await?;
        page.look("disconnected").await?;
        ensure!(
            page.text("main")
                .await?
                .contains("No application can use your account.")
        );
        assert_eq!(service.status_of_me(&token).await?, 401);

        start_authorization(page, &application, "Log in").await?;
        page.press("Sign in as a different user").await?;
        page.wait_for_heading("Sign in").await?;
        sign_in_with(page, "taki", PASSWORD).await?;
        page.wait_for_heading(CONSENT).await?;
        page.press("Allow").await?;
        page.wait_for_heading("Hello taki").await
    })
    .await
}

#[tokio::test]
async fn application_uses_the_implicit_grant() -> Result<()> {
    at_each_width("implicit", async |page, service| {
        let application = registered_application(page, service).await?;
        service.register("mitsuha").await?;
        sign_in_and_start_authorization(page, &application, "Log in without a server").await?;
        page.press("Deny").await?;
        page.wait_for_heading("Not logged in: access_denied")
            .await?;
        start_authorization(page, &application, "Log in without a server").await?;
        page.press("Allow").await?;
        page.wait_for_heading("Hello mitsuha").await?;
        // A page on another port of the same host cannot read the session cookie.
        let cookies = page.run("return document.cookie", vec![]).await?;
        assert_eq!(cookies, ZONE_COOKIE);
        page.open("/profile/connections").await?;
        page.look("profile-connected").await
    })
    .await
}

#[tokio::test]
async fn pages_work_without_scripts() -> Result<()> {
    at_each_width("no-scripts", async |page, service| {
        page.let_scripts_run(false).await?;
        page.open("/").await?;
        ensure!(!page.shows("[data-copy]").await?);
        page.look("start").await?;
        let application = registered_application(page, service).await?;
        service.register("mitsuha").await?;
        sign_in_and_start_authorization(page, &application, "Log in").await?;
        page.look("consent").await?;
        page.press("Allow").await?;
        page.wait_for_heading("Hello mitsuha").await
    })
    .await
}

#[tokio::test]
async fn pages_work_with_the_keyboard_only() -> Result<()> {
    at_each_width("keyboard", async |page, service| {
        service.register("mitsuha").await?;
        page.open("/sign-in").await?;
        assert_eq!(page.tab_through().await?[0], "Skip to main content");

        page.open("/sign-in").await?;
        page.tab().await?;
        page.look("skip-link").await?;
        page.type_keys([Key::Enter.into()]).await?;
        page.tab().await?;
        page.type_keys("mitsuha".chars()).await?;
        page.enter().await?;
        // The page opens at its list of errors, and each error links to its field.
        page.look_at_fault("no-password", 400).await?;
        page.tab().await?;
        page.type_keys([Key::Enter.into()]).await?;
        page.type_keys(PASSWORD.chars()).await?;
        page.enter().await?;
        page.wait_for_heading("Hi mitsuha").await?;
        page.tab_through().await?;
        page.open(BEBOP).await?;
        page.press("Plan to watch").await?;
        for path in [
            "/",
            "/anime",
            BEBOP,
            "/list",
            "/list?edit=2",
            "/statistics",
            "/calendar",
            "/developer",
        ] {
            page.open(path).await?;
            page.tab_through().await.with_context(|| path.to_owned())?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn visitor_browses_the_catalogue() -> Result<()> {
    at_each_width("browse", async |page, _| {
        page.open("/anime").await?;
        page.look("anime-list").await?;
        page.expand("Filters").await?;
        page.look("filters").await?;
        // The results follow the text, without a new page.
        page.type_at("#search", "cowboy bepop").await?;
        page.wait_for_status("1 anime").await?;
        let address = page.run("return location.search", vec![]).await?;
        assert_eq!(address, "?search=cowboy+bepop");
        page.look("found").await?;
        page.follow("Cowboy Bebop").await?;
        page.wait_for_heading("Cowboy Bebop").await?;
        page.look("anime").await?;
        page.expand("In 3 languages").await?;
        page.follow("Science fiction").await?;
        page.wait_for_heading("Browse anime").await?;
        // A search finds songs and artists, too.
        page.open("/anime?search=seatbelts").await?;
        page.look("songs-found").await?;
        page.named("a", "1 song").await?.click().await?;
        page.follow("Tank!").await?;
        page.wait_for_heading("Tank!").await?;
        page.look("song").await?;
        page.follow("SEATBELTS").await?;
        page.wait_for_heading("Songs").await?;
        page.wait_for_status("1 song by SEATBELTS").await?;
        page.look("songs-of-artist").await?;
        page.follow("Cowboy Bebop").await?;
        page.follow("Tank!").await?;
        page.wait_for_heading("Tank!").await?;
        page.open("/anime?search=nosuchanimeatall").await?;
        page.look("nothing-found").await?;
        page.open("/anime?year=soon").await?;
        page.look_at_fault("wrong-filter", 400).await?;
        page.open("/anime/999999").await?;
        page.look_at_fault("no-such-anime", 404).await?;
        page.open("/style-guide").await?;
        page.look("style-guide").await?;
        // The same without a script, by keyboard.
        page.let_scripts_run(false).await?;
        page.open("/").await?;
        page.enter_at("main [name=search]", "cowboy bepop").await?;
        page.wait_for_heading("Browse anime").await?;
        page.wait_for_status("1 anime").await?;
        page.let_scripts_run(true).await
    })
    .await
}

#[tokio::test]
async fn copy_button_copies_or_selects() -> Result<()> {
    at_each_width("copy", async |page, _| {
        page.let_pages_copy(true).await?;
        page.open("/reference").await?;
        page.click("Copy the command").await?;
        page.named("button", "Copied the command").await?;
        page.look("copied").await?;
        assert_eq!(page.clipboard().await?, page.text("#example-0").await?);
        // Without permission for the clipboard, the button selects the text.
        page.let_pages_copy(false).await?;
        page.open("/reference").await?;
        page.click("Copy the command").await?;
        page.named("button", "Selected the command").await?;
        page.look("selected").await?;
        let selected = page.run("return getSelection().toString()", vec![]).await?;
        assert_eq!(selected, page.text("#example-0").await?);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn developer_reads_the_reference() -> Result<()> {
    at_each_width("reference", async |page, _| {
        page.open("/reference").await?;
        page.look("overview").await?;
        page.follow("Watch histories of users").await?;
        page.wait_for_heading("Watch histories of users").await?;
        page.look("user-story").await?;
        page.open("/reference/anime#schema-Anime").await?;
        page.look("anime").await?;
        page.open("/reference/oauth").await?;
        page.look("oauth").await?;
        // Without a script, there is no trace of the forms.
        page.let_scripts_run(false).await?;
        page.open("/reference/anime").await?;
        page.look("no-script").await?;
        assert!(!page.shows(".try *").await?);
        assert!(!page.shows("main button").await?);
        page.let_scripts_run(true).await
    })
    .await
}

#[tokio::test]
async fn developer_tries_operations() -> Result<()> {
    const ANIME: &str = "Returns the anime with this identifier";
    const ME: &str = "Returns the user that the access token belongs to, with all fields";
    const LIST: &str = "Lists anime, highest score first";
    at_each_width("try", async |page, service| {
        page.open("/reference/anime").await?;
        // Enter opens and sends a form. The example is filled in.
        page.expand(&format!("Try it: {ANIME}")).await?;
        page.enter_at("#find_anime-id", "").await?;
        page.wait_for_status("Status: 200").await?;
        let body = page.text(&format!("[aria-label='Body: {ANIME}']")).await?;
        ensure!(body.contains("\"id\": 2,"), "{body}");
        let headers = page
            .text(&format!("[aria-label='Headers: {ANIME}']"))
            .await?;
        ensure!(headers.contains("etag: "), "{headers}");
        page.look("found").await?;

        page.open("/reference/anime#list_anime").await?;
        page.expand(&format!("Try it: {LIST}")).await?;
        page.look("form").await?;
        page.select("season", "1 SPRING").await?;
        page.select("nsfw", "true").await?;
        page.enter_at("#list_anime-title", "cowboy & bebop?")
            .await?;
        page.wait_for_status("Status: 200").await?;
        let sent = page
            .text(&format!("[aria-label='Request: {LIST}']"))
            .await?;
        let query = "title=cowboy+%26+bebop%3F&season=1&nsfw=true";
        assert_eq!(sent, format!("GET /v1/anime?{query}"));

        // The token is sent in the header, and kept nowhere but in the fields of the page.
        let token = service.register_for_token("mitsuha").await?;
        page.open("/reference/auth").await?;
        page.expand(&format!("Try it: {ME}")).await?;
        page.enter_at("#me-access-token", &token).await?;
        page.wait_for_status("Status: 200").await?;
        let body = page.text(&format!("[aria-label='Body: {ME}']")).await?;
        ensure!(body.contains("mitsuha@example.com"), "{body}");
        ensure!(!page.holds(&token).await?, "the page shows the token");
        page.look("me").await?;
        let kept = "return [localStorage.length, sessionStorage.length, document.cookie]";
        let kept = page.run(kept, vec![]).await?;
        assert_eq!(kept, json!([0, 0, ZONE_COOKIE]));
        page.open("/reference/auth").await?;
        page.expand(&format!("Try it: {ME}")).await?;
        assert_eq!(page.value("Access token").await?, "");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_deletes_the_account() -> Result<()> {
    at_each_width("deletion", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.follow("Delete my account").await?;
        page.look("delete-account").await?;
        page.press("Delete my account").await?;
        page.wait_for_heading("Your account has been deleted")
            .await?;
        page.look("account-deleted").await?;
        page.follow("Sign in").await?;
        sign_in_with(page, "mitsuha", PASSWORD).await?;
        assert_eq!(page.text(".faults").await?, WRONG);
        page.look_at_fault("sign-in-fault", 401).await
    })
    .await
}

#[tokio::test]
async fn error_pages_are_shown() -> Result<()> {
    at_each_width("astray", async |page, _| {
        page.open("/nowhere").await?;
        page.look_at_fault("not-found", 404).await?;
        page.open("/v1/oauth?client_id=nobody").await?;
        page.look_at_fault("no-such-client", 400).await?;
        page.open("/sign-in").await?;
        page.delete_cookies().await?;
        page.press("Sign in").await?;
        page.look_at_fault("no-cookies", 403).await
    })
    .await
}

/// The path of an anime with 26 episodes.
const BEBOP: &str = "/anime/2";

#[tokio::test]
async fn user_keeps_a_list() -> Result<()> {
    at_each_width("list", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.follow("My list").await?;
        page.wait_for_heading("My list").await?;
        page.look("empty-list").await?;
        page.open(BEBOP).await?;
        page.press("Plan to watch").await?;
        page.look("planned").await?;
        page.open("/list").await?;
        page.look("list").await?;
        // The script watches the episode in place.
        page.click("Episode 1").await?;
        page.wait_for_status("Cowboy Bebop Episode 1 marked as watched.")
            .await?;
        page.look("watched-in-place").await?;
        page.click("Episode 2").await?;
        page.wait_for_status("Cowboy Bebop Episode 2 marked as watched.")
            .await?;
        page.click("Undo").await?;
        page.wait_for_status("Cowboy Bebop The change has been undone.")
            .await?;
        ensure!(
            page.text(".watched").await?.contains("1 of 26"),
            "not undone"
        );
        page.look("undone").await?;
        // An entry leaves the list of its status, and comes back.
        let count = "#list-statuses [href='/list?status=0'] .count";
        ensure!(page.text(count).await? == "1", "not counted");
        complete_the_rest(page).await?;
        ensure!(page.text(count).await? == "0", "counted");
        ensure!(!page.shows(".stories h2").await?, "still listed");
        page.look("left").await?;
        page.click("Undo").await?;
        page.wait_for_status("Cowboy Bebop The change has been undone.")
            .await?;
        ensure!(page.text(count).await? == "1", "not counted again");
        ensure!(page.text(".watched").await?.contains("25 of 26"), "gone");
        page.open("/list").await?;
        page.follow("Edit").await?;
        page.fill("Episodes watched", "1").await?;
        page.press("Save").await?;
        page.let_scripts_run(false).await?;
        page.open("/list").await?;
        page.press("Episode 2").await?;
        ensure!(
            page.text(".watched").await?.contains("2 of 26"),
            "not watched"
        );
        page.look("watched").await?;
        page.follow("Edit").await?;
        page.fill("Score", "101").await?;
        page.fill("Notes", LONG_TITLE).await?;
        page.look("edited").await?;
        page.press("Save").await?;
        page.fault_of("Score").await?;
        page.look_at_fault("edited-fault", 400).await?;
        page.fill("Score", "92.5").await?;
        page.select("Status", "Completed").await?;
        page.press("Save").await?;
        ensure!(
            page.text(".watched").await?.contains("26 of 26"),
            "not completed"
        );
        page.look("saved").await?;
        // The session ends while the form is open.
        page.follow("Edit").await?;
        page.fill("Notes", "Typed before the session ended").await?;
        page.delete_cookies().await?;
        page.press("Save").await?;
        page.wait_for_heading("Sign in").await?;
        page.look_at_fault("session-ended", 401).await?;
        page.fill("Name or e-mail address", "mitsuha").await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Sign in").await?;
        page.wait_for_heading("Edit the entry").await?;
        page.look("kept").await?;
        page.press("Save").await?;
        page.wait_for_heading("My list").await?;
        page.follow("Edit").await?;
        ensure!(
            page.value("Notes").await? == "Typed before the session ended",
            "the notes are lost"
        );
        page.open("/list").await?;
        page.follow("Statistics").await?;
        page.wait_for_heading("Your statistics").await?;
        page.look("statistics").await?;
        page.expand("Numbers").await?;
        page.look("numbers").await?;
        page.follow("My list").await?;
        page.follow("Edit").await?;
        page.press("Delete").await?;
        page.wait_for_heading("Delete this entry?").await?;
        page.look("delete").await?;
        page.press("Delete").await?;
        page.wait_for_heading("My list").await?;
        page.look("deleted").await
    })
    .await
}

/// Watches the last two episodes of the only entry, in the list of those that are watched.
async fn complete_the_rest(page: &Browser) -> Result<()> {
    page.follow("Edit").await?;
    page.fill("Episodes watched", "24").await?;
    page.press("Save").await?;
    page.open("/list?status=0").await?;
    for episode in [25, 26] {
        page.click(&format!("Episode {episode}")).await?;
        let done = format!("Cowboy Bebop Episode {episode} marked as watched.");
        page.wait_for_status(&done).await?;
    }
    Ok(())
}

/// Plans the first four anime of the catalogue.
async fn plan_four(page: &Browser, service: &Service) -> Result<()> {
    let catalogue = service.data("/v1/anime?per_page=4").await?;
    for anime in catalogue.as_array().context("a list")? {
        page.open(&format!("/anime/{}", anime["id"])).await?;
        page.press("Plan to watch").await?;
    }
    Ok(())
}

/// Checks the checkboxes of the first entries of the list.
async fn pick(page: &Browser, count: usize) -> Result<()> {
    for number in 1..=count {
        let script = "document.querySelector(`.stories > li:nth-child(${arguments[0]}) .pick input`).click()";
        page.run(script, vec![number.into()]).await?;
    }
    Ok(())
}

/// Returns the number of entries with each of the statuses Planning and Paused.
async fn planned_and_paused(page: &Browser) -> Result<[usize; 2]> {
    let mut counts = [0; 2];
    for (count, status) in counts.iter_mut().zip([1, 4]) {
        page.open(&format!("/list?status={status}")).await?;
        let script = "return document.querySelectorAll('.stories > li').length";
        let entries = page.run(script, vec![]).await?;
        *count = usize::try_from(entries.as_u64().context("a number")?)?;
    }
    Ok(counts)
}

#[tokio::test]
async fn user_changes_several_entries() -> Result<()> {
    at_each_width("selection", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        plan_four(page, service).await?;
        for has_script in [true, false] {
            page.let_scripts_run(has_script).await?;
            page.open("/list?sort=title").await?;
            pick(page, 3).await?;
            page.expand("Change selected entries").await?;
            ensure!(page.shows("[data-all]").await? == has_script);
            // Elsewhere, the bar covers a part of an entry, as long as the user does not scroll.
            page.run("scrollTo(0, document.body.scrollHeight)", vec![])
                .await?;
            page.look(if has_script {
                "selected"
            } else {
                "selected-without-script"
            })
            .await?;
            page.select("Status", "Paused").await?;
            page.press("Change").await?;
            page.wait_for_status("3 entries have been changed.").await?;
            page.look("changed").await?;
            let done = page
                .run("return location.pathname + location.search", vec![])
                .await?;
            ensure!(planned_and_paused(page).await? == [1, 3], "not changed");
            page.open(done.as_str().context("an address")?).await?;
            page.press("Undo").await?;
            page.wait_for_status("3 entries have been restored.")
                .await?;
            ensure!(planned_and_paused(page).await? == [4, 0], "not undone");
        }
        page.let_scripts_run(true).await?;
        page.open("/list?view=compact&sort=started").await?;
        page.look("compact").await?;
        page.expand("Change selected entries").await?;
        page.click("Select all on this page").await?;
        page.press("Delete").await?;
        page.wait_for_heading("Delete these entries?").await?;
        page.look("delete-selected").await?;
        page.press("Delete").await?;
        page.wait_for_status("4 entries have been deleted.").await?;
        page.press("Undo").await?;
        page.wait_for_status("4 entries have been restored.")
            .await?;
        ensure!(page.shows(".compact .pick").await?, "not the same view");
        page.open("/list").await?;
        page.expand("Change selected entries").await?;
        page.press("Change").await?;
        page.wait_for_heading("Nothing has been changed").await?;
        page.look_at_fault("nothing-selected", 400).await
    })
    .await
}

#[tokio::test]
async fn list_has_keyboard_shortcuts() -> Result<()> {
    at_each_width("shortcuts", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        plan_four(page, service).await?;
        page.open("/list?sort=airing").await?;
        let focused = async || {
            let script = "const entry = document.activeElement.closest('.stories > li');
                return entry ? [...entry.parentElement.children].indexOf(entry) : -1";
            page.run(script, vec![]).await
        };
        // Outside of the entries, the keys do nothing.
        page.type_keys("jx?".chars()).await?;
        ensure!(focused().await? == -1);
        ensure!(!page.shows("dialog").await?);
        page.run("document.querySelector('.stories h2 a').focus()", vec![])
            .await?;
        page.type_keys("jj".chars()).await?;
        ensure!(focused().await? == 2, "j goes to the next entry");
        page.type_keys(['k', Key::Down.into(), Key::Up.into(), 'x'])
            .await?;
        ensure!(focused().await? == 1, "k goes to the previous entry");
        let picked = "return document.querySelectorAll('.pick :checked').length";
        ensure!(page.run(picked, vec![]).await? == 1, "x selects");
        page.type_keys("n".chars()).await?;
        let notice = page.text(".stories .notice").await?;
        ensure!(notice.contains("marked as watched"), "{notice}");
        ensure!(focused().await? == 1, "n stays at the entry");
        page.type_keys("?".chars()).await?;
        ensure!(page.shows("dialog").await?, "? shows the help");
        page.look("help").await?;
        page.type_keys([Key::Escape.into()]).await?;
        ensure!(!page.shows("dialog").await?);
        page.type_keys("k/jx".chars()).await?;
        ensure!(
            page.value("Search my list").await? == "jx",
            "/ goes to the search"
        );
        page.open("/list").await?;
        page.click("Keyboard shortcuts").await?;
        ensure!(page.shows("dialog").await?);
        page.click("Close").await?;
        ensure!(!page.shows("dialog").await?);
        Ok(())
    })
    .await
}

/// The path of an anime that airs.
const ONE_PIECE: &str = "/anime/42";

#[tokio::test]
async fn user_subscribes_to_the_calendar() -> Result<()> {
    at_each_width("calendar", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.open("/calendar").await?;
        page.look("empty-calendar").await?;
        page.open(ONE_PIECE).await?;
        page.press("Plan to watch").await?;
        page.follow("Calendar").await?;
        page.wait_for_heading("Calendar").await?;
        ensure!(
            page.text(".week").await?.contains("One Piece"),
            "not in the week"
        );
        page.look("calendar").await?;
        page.press("Create an address").await?;
        let address = page.text("#feed-address").await?;
        ensure!(
            address.starts_with(service.origin()) && address.contains(".ics"),
            "{address}"
        );
        page.look("address").await?;
        page.press("Create a new address").await?;
        ensure!(
            page.text("#feed-address").await? != address,
            "the same address"
        );
        page.press("Remove the address").await?;
        ensure!(!page.shows("#feed-address").await?, "not removed");
        page.look("address-removed").await
    })
    .await
}

/// Adds a player of the kind Jellyfin. Ends on its page. Returns its address.
async fn add_player(page: &Browser, name: &str) -> Result<String> {
    page.open("/profile/players").await?;
    page.fill("Name", name).await?;
    page.select("Kind", "Jellyfin").await?;
    page.select("What it plays", "Only anime").await?;
    page.press("Add").await?;
    page.wait_for_heading(name).await?;
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
        page.follow("Connections").await?;
        page.follow("Set up your players").await?;
        page.wait_for_heading("Players").await?;
        page.look("players").await?;
        page.press("Add").await?;
        page.fault_of("Name").await?;
        page.look_at_fault("player-fault", 400).await?;
        let address = add_player(page, LONG_NAME).await?;
        ensure!(address.starts_with(service.origin()), "{address}");
        page.look("new-player").await?;
        // Without the confirmation, the focus is at the beginning.
        page.open("/profile/players/0").await?;
        page.tab_through().await?;

        // The page opens again by itself.
        service
            .report(&address, &watched("Cowboy Bebop", 1))
            .await?;
        page.text("#users").await?;
        page.look("first-message").await?;
        page.press("This is me").await?;
        ensure!(page.text("main").await?.contains("Marked as watched"));
        page.look("user-named").await?;
        service
            .report(&address, &watched("Cowboy Bebop", 2))
            .await?;
        service.report(&address, &watched(LONG_TITLE, 3)).await?;

        page.follow("Back to your players").await?;
        page.wait_for_heading("Players").await?;
        ensure!(page.text("main").await?.contains(LONG_TITLE));
        page.look("unmatched").await?;
        page.follow("Other anime").await?;
        page.wait_for_heading("Choose the anime").await?;
        page.look("series").await?;
        page.open(&format!(
            "/profile/players/series?title={LONG_TITLE}&season=1&episode=3&q=bebop"
        ))
        .await?;
        page.press("Save").await?;
        page.look_at_fault("series-fault", 400).await?;
        page.choose("Cowboy Bebop · TV · 1998 · 26 episodes")
            .await?;
        page.press("Save").await?;
        let done = page.text(".notice").await?;
        ensure!(done.contains("marked in your list"), "{done}");
        page.look("chosen").await?;
        page.open(BEBOP).await?;
        ensure!(page.text(".story").await?.contains("3 of 26 episodes"));
        page.look("anime-of-player").await?;
        page.press("Undo").await?;
        ensure!(page.text(".story").await?.contains("2 of 26 episodes"));
        page.open("/profile/players/0").await?;
        page.press("Remove the player").await?;
        page.wait_for_heading("Players").await?;
        page.look("player-removed").await
    })
    .await
}

#[tokio::test]
async fn user_makes_the_profile_public() -> Result<()> {
    at_each_width("public-profile", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.open(BEBOP).await?;
        page.press("Plan to watch").await?;
        page.open("/user/mitsuha").await?;
        page.look_at_fault("not-public", 404).await?;
        page.open("/profile/privacy").await?;
        page.choose("Everyone").await?;
        page.press("Save settings").await?;
        page.look("public").await?;
        page.follow("See your public profile").await?;
        page.wait_for_heading("mitsuha").await?;
        page.look("profile").await?;
        // An anime that the user finishes is in the review of its year, for the user and for everyone.
        page.open("/anime/328").await?;
        page.press("Plan to watch").await?;
        page.press("Episode 1").await?;
        page.open("/statistics").await?;
        let year = page.text("main nav li a").await?;
        page.follow(&year).await?;
        page.wait_for_heading(&format!("Your {year} in anime"))
            .await?;
        page.look("own-year").await?;
        page.follow("Page to share").await?;
        page.wait_for_heading(&format!("{year} in anime: mitsuha"))
            .await?;
        page.look("year").await?;
        page.open("/user/mitsuha/1900").await?;
        page.look("empty-year").await?;
        page.follow(&year).await?;
        page.wait_for_heading(&format!("{year} in anime: mitsuha"))
            .await?;
        page.delete_cookies().await?;
        page.open("/user/mitsuha").await?;
        page.look("profile-of-another").await
    })
    .await
}

/// Returns a list of 300 anime that a newcomer brings along, as CSV: the anime of the catalogue but one, and others
/// that it does not have.
fn list_of_300(catalogue: &[Value], left_out: u64) -> (String, usize) {
    let mut lines = vec!["mal_id,status,title".to_owned()];
    for anime in catalogue {
        if anime["id"] != left_out {
            let is_airing = anime["status"] == 1;
            let status = if is_airing { "watching" } else { "completed" };
            lines.push(format!("{},{status},", anime["tracker_b_id"]));
        }
    }
    let known = lines.len() - 1;
    for number in known..300 {
        lines.push(format!("{},completed,Unknown {number}", 4_000_000 + number));
    }
    (lines.join("\n"), known)
}

/// Imports [`list_of_300`], reviews what was not found, and exports the list. Returns the number of entries that were
/// found.
async fn import_list(page: &Browser, service: &Service) -> Result<usize> {
    let catalogue = service.data("/v1/anime?per_page=100").await?;
    let catalogue = catalogue.as_array().context("a list")?;
    let (list, known) = list_of_300(catalogue, 2);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("list.csv");
    tokio::fs::write(&file, list).await?;
    page.follow("Profile mitsuha").await?;
    page.follow("Data").await?;
    page.follow("Import or export your watch history").await?;
    page.attach("List file", &file).await?;
    page.press("Preview").await?;
    page.wait_for_heading("Preview of the import").await?;
    page.look("preview").await?;
    page.attach("List file", &file).await?;
    page.press("Import").await?;
    page.wait_for_heading("Import finished").await?;
    let report = page.text("main").await?;
    for part in [
        "has 300 entries".to_owned(),
        format!("{known} new"),
        format!("{} not in the catalogue", 300 - known),
    ] {
        ensure!(report.contains(&part), "{part}: {report}");
    }
    page.look("report").await?;
    page.follow("Back to import and export").await?;
    page.follow("Entries that wait for their anime").await?;
    ensure!(page.text("main").await?.contains("Unknown 60"));
    page.look("waiting").await?;
    page.follow("Back to import and export").await?;
    let exported = page.download("CSV", service).await?;
    assert_eq!(exported.lines().count(), known + 2, "{exported}");
    ensure!(exported.contains("Cowboy Bebop"), "{exported}");
    Ok(known)
}

#[tokio::test]
async fn newcomer_makes_the_service_their_own() -> Result<()> {
    at_each_width("newcomer", async |page, service| {
        page.open("/").await?;
        page.follow("Create an account").await?;
        page.fill("Name", "mitsuha").await?;
        page.fill("E-mail address", "mitsuha@example.com").await?;
        page.fill("Password", PASSWORD).await?;
        page.press("Sign up").await?;
        page.wait_for_heading("Welcome, mitsuha").await?;

        page.enter_at("main [name=search]", "cowbow bepop").await?;
        page.wait_for_status("1 anime").await?;
        page.follow("Cowboy Bebop").await?;
        page.wait_for_heading("Cowboy Bebop").await?;
        page.press("Plan to watch").await?;
        page.press("Episode 1").await?;
        page.press("Episode 2").await?;
        ensure!(page.text(".watched").await?.contains("2 of 26"));
        page.press("Undo").await?;
        ensure!(page.text(".watched").await?.contains("1 of 26"));
        page.look("undone").await?;
        page.expand("Edit").await?;
        page.fill("Score", "87.5").await?;
        page.press("Save").await?;
        let story = page.text(".story").await?;
        ensure!(story.contains("1 of 26"), "{story}");
        let score = "return document.querySelector('.rate input').value";
        ensure!(page.run(score, vec![]).await? == "87.5", "not scored");
        page.look("scored").await?;
        // There is an entry, so the welcome page is gone.
        page.open("/welcome").await?;
        let path = page.run("return location.pathname", vec![]).await?;
        assert_eq!(path, "/");

        let known = import_list(page, service).await?;
        page.follow("My list").await?;
        ensure!(
            page.text("main")
                .await?
                .contains(&format!("{} entries", known + 1))
        );
        page.look("list").await?;
        page.follow("Statistics").await?;
        page.wait_for_heading("Your statistics").await?;
        let numbers = page.text("main dl").await?;
        ensure!(
            numbers.contains(&format!("{}", known + 1)) && numbers.contains("87.5"),
            "{numbers}"
        );
        page.look("statistics").await?;

        page.follow("Profile mitsuha").await?;
        page.follow("Privacy").await?;
        page.choose("Everyone").await?;
        page.press("Save settings").await?;
        page.follow("See your public profile").await?;
        page.wait_for_heading("mitsuha").await?;
        page.look("public-profile").await?;

        page.follow("Calendar").await?;
        ensure!(page.text(".week").await?.contains("One Piece"));
        page.press("Create an address").await?;
        let address = page.text("#feed-address").await?;
        let path = address
            .strip_prefix(service.origin())
            .context("the origin")?;
        let feed = service.text(path, "").await?;
        ensure!(
            feed.starts_with("BEGIN:VCALENDAR") && feed.contains("SUMMARY:One Piece"),
            "{feed}"
        );
        page.delete_cookies().await?;
        page.open("/user/mitsuha").await?;
        page.wait_for_heading("mitsuha").await?;
        ensure!(page.holds("Cowboy Bebop").await? && !page.holds("@example.com").await?);
        Ok(())
    })
    .await
}

/// Fills in and sends the form of the sign-up page.
async fn sign_up(page: &Browser, name: &str) -> Result<()> {
    page.fill("Name", name).await?;
    page.fill("E-mail address", &format!("{name}@example.com"))
        .await?;
    page.fill("Password", PASSWORD).await?;
    page.press("Sign up").await?;
    page.wait_for_heading(&format!("Welcome, {name}")).await
}

#[tokio::test]
async fn administrator_invites_a_user() -> Result<()> {
    let options = ["--registration", "invite"];
    at_each_width_with("administration", &options, async |page, service| {
        page.open("/sign-up").await?;
        page.look("without-invitation").await?;
        ensure!(page.text("main").await?.contains("You need an invitation"));
        page.open(&service.invite().await?).await?;
        page.look("invited").await?;
        sign_up(page, "mitsuha").await?;

        service.make_administrator("mitsuha").await?;
        page.open("/profile").await?;
        page.follow("Administration").await?;
        page.wait_for_heading("Administration").await?;
        page.look("no-invitation").await?;
        page.fill("Days of validity", "100").await?;
        page.press("Make an invitation").await?;
        page.fault_of("Days of validity").await?;
        page.look_at_fault("days-fault", 400).await?;
        page.fill("Days of validity", "30").await?;
        page.press("Make an invitation").await?;
        let link = page.shown_once("Link of the invitation").await?;
        page.look("made").await?;

        page.delete_cookies().await?;
        page.open(&link).await?;
        sign_up(page, "taki").await?;
        page.delete_cookies().await?;
        page.open(&link).await?;
        ensure!(page.text("main").await?.contains("was already used"));
        page.look("used").await?;

        let revoked = service.invite().await?;
        sign_in(page, "mitsuha").await?;
        page.open("/administration").await?;
        page.look("list").await?;
        page.press("Revoke").await?;
        ensure!(page.text(".notice").await?.contains("has been revoked"));
        page.look("revoked").await?;
        page.delete_cookies().await?;
        page.open(&revoked).await?;
        ensure!(
            page.text("main")
                .await?
                .contains("The invitation is invalid")
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn moderator_deletes_a_user_and_corrects_the_catalogue() -> Result<()> {
    at_each_width("moderation", async |page, service| {
        service.register("taki").await?;
        service.register("mitsuha").await?;
        service.make_moderator("mitsuha").await?;
        sign_in(page, "mitsuha").await?;
        page.follow("Moderation").await?;
        page.wait_for_heading("Moderation").await?;
        page.look("moderation").await?;
        page.fill("Name or e-mail address", "taki").await?;
        page.press("Find users").await?;
        page.look("users").await?;
        page.follow("Show: taki").await?;
        page.wait_for_heading("taki").await?;
        ensure!(
            page.text("main")
                .await?
                .contains("E-mail address not verified")
        );
        page.look("user").await?;
        page.follow("Delete account").await?;
        page.wait_for_heading("Delete the account of taki?").await?;
        page.look("delete").await?;
        page.press("Delete account").await?;
        ensure!(
            page.text(".notice")
                .await?
                .contains("The account has been deleted.")
        );
        page.look("deleted").await?;

        page.open(BEBOP).await?;
        page.follow("Corrections").await?;
        page.wait_for_heading("Corrections").await?;
        page.look("anime").await?;
        page.follow("Correct: Released episodes").await?;
        page.fill("Released episodes", "many").await?;
        page.fill("Reason", "The studio says so.").await?;
        page.press("Save the correction").await?;
        let fault = page.text("#value-fault").await?;
        ensure!(fault.starts_with("Enter a whole number"), "{fault}");
        page.look_at_fault("anime-fault", 400).await?;
        page.fill("Released episodes", "27").await?;
        page.press("Save the correction").await?;
        let corrections = page.text("main").await?;
        ensure!(corrections.contains("by mitsuha") && corrections.contains("The studio says so."));
        page.look("anime-corrected").await?;
        page.follow("Tank!").await?;
        page.look("song").await?;
        page.follow("Correct: Artist").await?;
        page.fill("Artist", "The Seatbelts").await?;
        page.fill("Reason", "See the cover.").await?;
        page.look("song-form").await?;
        page.press("Save the correction").await?;
        ensure!(page.text("main").await?.contains("by mitsuha"));
        page.open(BEBOP).await?;
        page.follow("Corrections").await?;
        page.follow("Correct: Released episodes").await?;
        page.look("anime-form-corrected").await?;
        page.press("Take back").await?;
        ensure!(page.text(".notice").await?.contains("has been taken back"));
        ensure!(!page.text("main").await?.contains("by mitsuha"));
        page.look("taken-back").await
    })
    .await
}

/// The pages for everyone, with their statuses. `tests/service/site.rs` checks that these two lists have every page.
const PUBLIC_PAGES: &[(&str, u16)] = &[
    ("/", 200),
    ("/anime", 200),
    ("/anime?search=nosuchanimeatall", 200),
    ("/anime?year=soon", 400),
    ("/anime/2", 200),
    ("/anime/999999", 404),
    ("/song", 200),
    ("/song?search=tank", 200),
    ("/song/2048", 200),
    ("/song/1", 404),
    ("/sign-in", 200),
    ("/sign-up", 200),
    ("/forgot-password", 200),
    ("/verify-email?token=a", 200),
    ("/reset-password?token=a", 200),
    ("/user/mitsuha", 200),
    ("/user/taki", 404),
    ("/user/mitsuha/2026", 200),
    ("/user/mitsuha/abc", 404),
    ("/nowhere", 404),
    ("/v1/oauth?client_id=none", 400),
    ("/reference", 200),
    ("/reference/anime", 200),
    ("/style-guide", 200),
    ("/settings", 200),
];

/// The pages of a signed-in administrator. `CLIENT` stands for the application's identifier.
const OWN_PAGES: &[(&str, u16)] = &[
    ("/", 200),
    ("/anime", 200),
    ("/anime/2", 200),
    ("/anime/42", 200),
    ("/list", 200),
    ("/list?edit=42", 200),
    ("/statistics", 200),
    ("/statistics/2026", 200),
    ("/song/SONG", 200),
    ("/calendar", 200),
    ("/user/mitsuha", 200),
    ("/profile", 200),
    ("/profile/security", 200),
    ("/prove", 200),
    ("/profile/privacy", 200),
    ("/profile/connections", 200),
    ("/profile/data", 200),
    ("/profile/developer", 200),
    ("/profile/delete", 200),
    ("/profile/security/second-factor", 200),
    ("/profile/history", 200),
    ("/profile/history/imports", 200),
    ("/profile/history/proposals", 200),
    ("/profile/history/waiting", 200),
    ("/profile/players", 200),
    ("/profile/players/0", 200),
    ("/profile/players/series?title=Bebop&season=1", 200),
    ("/developer", 200),
    ("/developer/CLIENT", 200),
    ("/developer/CLIENT/delete", 200),
    ("/administration", 200),
    ("/moderation", 200),
    ("/moderation/user/1", 200),
    ("/moderation/user/1/delete", 200),
    ("/moderation/anime/2", 200),
    ("/moderation/anime/2/correct?field=status", 200),
    ("/moderation/song/SONG", 200),
    ("/moderation/song/SONG/correct?field=artist", 200),
];

/// Looks at a page that is in Japanese, unless it is documentation for developers.
async fn look_in_japanese(page: &Browser, path: &str, name: &str, status: u16) -> Result<()> {
    page.open(path).await?;
    page.look_at_fault(name, status).await?;
    let is_english = path.starts_with("/reference") || path == "/style-guide";
    let lang = page.run("return document.documentElement.lang", vec![]);
    assert_eq!(lang.await?, if is_english { "en" } else { "ja" }, "{path}");
    if !is_english {
        let fonts = page.fonts_of("footer p").await?;
        let japanese = japanese_fonts().await?;
        let is_japanese = fonts.iter().any(|font| japanese.contains(font));
        ensure!(is_japanese, "{path}: {fonts:?} instead of {japanese:?}");
    }
    Ok(())
}

#[tokio::test]
async fn every_page_is_in_japanese() -> Result<()> {
    on_a_phone("japanese", async |page, service| {
        service.register("taki").await?;
        let token = service.register_for_token("mitsuha").await?;
        service.make_administrator("mitsuha").await?;
        sign_in(page, "mitsuha").await?;
        let application = own_application(page, service).await?;
        let client = page.text("#client-id").await?;
        add_player(page, "Radio Itomori").await?;
        let songs = service.data("/v1/song?anime_id=2").await?;
        let song = songs[0]["id"].to_string();
        service.prefer_language(&token, "jp").await?;
        page.prefer_language("ja").await?;
        look_in_japanese(page, "/welcome", "welcome", 200).await?;
        for anime in [2, 42] {
            service.watch(&token, anime).await?;
        }
        for (number, (path, status)) in OWN_PAGES.iter().copied().enumerate() {
            let path = path.replace("CLIENT", &client).replace("SONG", &song);
            look_in_japanese(page, &path, &format!("own-{number}"), status).await?;
        }
        page.open(application.origin()).await?;
        page.follow("Log in").await?;
        page.look("consent").await?;
        page.delete_cookies().await?;
        for (number, (path, status)) in PUBLIC_PAGES.iter().copied().enumerate() {
            look_in_japanese(page, path, &format!("public-{number}"), status).await?;
        }
        Ok(())
    })
    .await
}

/// Checks that each check can fail.
#[tokio::test]
async fn checks_find_faults() -> Result<()> {
    at_each_width("wrong", async |page, _| {
        page.open("/").await?;
        let wrong = "
            console.error('wrong');
            document.documentElement.lang = '';
            document.querySelector('h1').style.width = '1300px';
            document.querySelector('.lead').style.color = '#aaa';
            document.querySelector('footer').style.color = '#555';
            document.querySelector('main .search').style.minWidth = '45rem';
            document.querySelector('h2').style.maxHeight = '24px';
            document.querySelector('h2').style.overflow = 'hidden';
        ";
        page.run(wrong, vec![]).await?;
        page.look_at_fault("wrong", 404).await?;
        let faults = page.take_faults();
        for part in [
            "console: ",
            "the status is 200",
            "the title is ",
            "axe-core, light: html-has-lang",
            "axe-core, light: color-contrast",
            "axe-core, dark: color-contrast",
            "wider than 320 px: ",
            "too wide with large text: ",
            "cut off with large text: \"H2 ",
        ] {
            let found = faults.iter().any(|fault| fault.contains(part));
            ensure!(found, "{part} is not in {faults:#?}");
        }
        let secret =
            "document.querySelector('.lead').textContent = 'eyJ0eXAi.eyJpZCI6MX0.c2lnbmF0dXJl'";
        page.run(secret, vec![]).await?;
        ensure!(
            page.look("secret").await.is_err(),
            "a picture shows a token"
        );
        Ok(())
    })
    .await
}
