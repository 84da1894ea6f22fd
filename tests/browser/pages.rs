//! The web pages in headless Chromium: one test for each journey, on a phone screen and on a desktop
//! screen. [`Browser::look`] checks each page on the way.

use anyhow::{Context, Result, ensure};
use browser::{
    Application, Browser, Key, PASSWORD, Service, at_each_width, at_each_width_with,
    japanese_fonts, on_a_phone, walk,
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
    walk! {page, "
        open /sign-in
        fill Name or e-mail address: {name} | fill Password: {PASSWORD} | press Sign in > Hi {name}
    "}
    Ok(())
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
    walk! {page, "
        open /profile
        press Sign out
    "}
    Ok(application)
}

/// Registers an application as the signed-in user.
async fn own_application(page: &Browser, service: &Service) -> Result<Application> {
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
async fn user_signs_up_and_signs_in() -> Result<()> {
    at_each_width("sign-up", async |page, service| {
        walk! {page, "
            open / # start
            follow Create an account # sign-up
            fill Name: mi | fill E-mail address: mitsuha | fill Password: short | press Sign up
        "}
        for label in ["Name", "E-mail address", "Password"] {
            page.fault_of(label).await?;
        }
        walk! {page, "
            value Name: mi | value E-mail address: mitsuha | value Password: # 400 sign-up-faults
            fill Name: mitsuha | fill E-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Sign up > Welcome, mitsuha # welcome
            tab through | follow Skip for now
            open /profile # profile
        "}
        let badge = "[aria-labelledby=address] .badge";
        assert_eq!(page.text(badge).await?, "not verified yet");

        let link = service.link_by_mail("mitsuha@example.com", "/verify-email")?;
        walk! {page, "
            open {link} # verify-email
            press Verify my e-mail address > Your e-mail address is verified # verified
            follow Go to your profile
            is {badge}: verified | open {link}
            press Verify my e-mail address # 400 verify-email-again
            open /profile
            press Sign out > {START}
            follow Sign in # sign-in
            fill Name or e-mail address: mitsuha | fill Password: {NEW_PASSWORD} | press Sign in
            is .faults: {WRONG} | value Name or e-mail address: mitsuha | value Password: # 401 sign-in-fault
            fill Name or e-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Sign in > Hi mitsuha
            open / # start-signed-in
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_resets_a_forgotten_password() -> Result<()> {
    at_each_width("forgotten-password", async |page, service| {
        service.register("mitsuha").await?;
        walk! {page, "
            open /sign-in
            follow Forgot your password? # forgot-password
            fill E-mail address: mitsuha | press Send me a link ! E-mail address # 400 forgot-password-fault
            fill E-mail address: mitsuha@example.com | press Send me a link > Check your e-mail # link-sent
        "}

        let link = service.link_by_mail("mitsuha@example.com", "/reset-password")?;
        walk! {page, "
            open {link} # reset-password
            fill New password: short | press Set password ! New password # 400 reset-password-fault
            fill New password: {NEW_PASSWORD}
            press Set password > Your password has been changed # password-changed
            open {link}
            fill New password: {PASSWORD} | press Set password # 400 reset-password-again
            open /sign-in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in # 401 old-password
            fill Name or e-mail address: mitsuha | fill Password: {NEW_PASSWORD} | press Sign in > Hi mitsuha
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_changes_settings_and_password() -> Result<()> {
    at_each_width("profile", async |page, service| {
        register_and_sign_in(page, service, LONG_NAME).await?;
        walk! {page, "
            press Send the link again
            begins .notice: We have sent a link | select Gender: Female | select Language: Português
            press Save settings
            is .notice: Your settings are saved. | value Gender: 2 | value Language: pt # settings-saved
            follow Sign-in
            expand Choose a new password | fill New password: password
            press Change password ! New password # 400 password-fault
            fill New password: {NEW_PASSWORD} | press Change password
            begins .notice: Your password has been changed. # password-changed
        "}
        Ok(())
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
        walk! {page, "
            open /profile/security # security
            tab through | press Sign out
            is .notice: That browser is signed out. # session-ended
        "}
        let mut left = Vec::new();
        for other in others {
            if is_signed_in(service, &other).await? {
                left.push(other);
            }
        }
        ensure!(left.len() == 1, "{} other sessions are left", left.len());

        service.let_proofs_age().await?;
        walk! {page, "
            open /profile/security # security-without-proof
            follow Confirm that it is you > Confirm that it is you # prove
            tab through | fill Password: {NEW_PASSWORD} | press Confirm ! Password # 400 prove-fault
            fill Password: {PASSWORD} | press Confirm > Sign-in
            expand Choose a new password | fill New password: {NEW_PASSWORD} | press Change password
            begins .notice: Your password has been changed. # password-changed
        "}
        ensure!(!is_signed_in(service, &left[0]).await?);

        service.let_proofs_age().await?;
        walk! {page, "
            open /profile
            follow Change e-mail address
            fill Password: {NEW_PASSWORD} | press Confirm > Hi mitsuha
        "}
        page.named("summary", "Change e-mail address")
            .await?
            .click()
            .await?;
        walk! {page, "
            fill New e-mail address: radio@ | press Change e-mail address ! New e-mail address # 400 email-fault
            fill New e-mail address: radio@example.com | press Change e-mail address
            begins .notice: Your e-mail address is changed. # email-changed
        "}
        let link = service.link_by_mail("radio@example.com", "/verify-email")?;
        walk! {page, "
            open {link}
            press Verify my e-mail address > Your e-mail address is verified
        "}
        Ok(())
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
            walk! {page, "
                follow {part} > {part}
                is .tabs [aria-current=page]: {part}
            "}
            page.look(part).await?;
            page.tab_through().await?;
            if !below.is_empty() {
                walk! {page, "
                    follow {below}
                    is .tabs [aria-current=true]: {part} # below-{part}
                    follow {part} > {part}
                "}
            }
        }
        walk! {page, "
            follow Account > Hi mitsuha
            tab through
        "}
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
        walk! {page, "
            follow Data
            follow Import or export your watch history > Import and export # import
            tab through | press Import ! List file # 400 no-file
        "}

        page.attach("List file", &list).await?;
        walk! {page, "
            choose {KEEP} | press Preview > Preview of the import # preview
            chosen {KEEP}
        "}
        page.attach("List file", &list).await?;
        walk! {page, "press Import > Import finished"}
        for (id, text) in [
            ("new", LONG_TITLE),
            ("waiting", "Entry 2"),
            ("skipped", "Umi"),
        ] {
            let section = page.text(&format!("[aria-labelledby={id}]")).await?;
            ensure!(section.contains(text), "{section}");
        }
        walk! {page, "
            # imported
            follow Back to import and export
            follow Entries that wait for their anime > Entries that wait for their anime # waiting
            follow Back to import and export
            follow Recent imports, and undo > Recent imports # imports
            press Undo this import
        "}
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
            walk! {page, "
                follow {connect} > A tracker
                follow Refuse > Connections
            "}
            let message = page.text(".faults").await?;
            ensure!(message.starts_with(title) && message.contains("access was denied there"));
            page.look(&format!("{letter}-refused")).await?;

            walk! {page, "
                follow {connect} > A tracker
                follow Allow > Connections
            "}
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
        walk! {page, "
            open /profile > Sign in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in > Hi mitsuha
        "}
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

        walk! {page, "
            open /profile/developer
            fill Name: my program | press Create a token
        "}
        let revoked = page.shown_once("Your new token").await?;
        page.look("token").await?;
        assert_eq!(service.status_of_me(&revoked).await?, 200);
        walk! {page, "
            press Revoke
            begins .notice: The token is revoked # token-revoked
        "}
        assert_eq!(service.status_of_me(&revoked).await?, 401);
        walk! {page, "fill Name: another program | press Create a token"}
        let token = page.shown_once("Your new token").await?;
        assert_eq!(service.status_of_me(&token).await?, 200);
        page.open("/profile/developer").await?;
        ensure!(!page.holds(&token).await?);

        walk! {page, "
            open /profile/security
            press Sign out everywhere > Sign in
            begins .notice: You are signed out everywhere # signed-out-everywhere
        "}
        assert_eq!(service.status_of_me(&token).await?, 401);
        walk! {page, "open /profile > Sign in"}
        Ok(())
    })
    .await
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
        assert_eq!(
            service.fault_of_secret(&client_id, &secret).await?,
            "invalid_grant"
        );

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
        assert_eq!(
            service.fault_of_secret(&client_id, &secret).await?,
            "invalid_client"
        );
        assert_eq!(
            service.fault_of_secret(&client_id, &other).await?,
            "invalid_grant"
        );

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
        assert_eq!(
            service.fault_of_secret(&client_id, &other).await?,
            "invalid_client"
        );
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
        walk! {page, "
            > Hi mitsuha
            tab through | open {BEBOP}
            press Plan to watch
        "}
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
        walk! {page, "
            open /anime # anime-list
            expand Filters # filters
        "}
        // The results follow the text, without a new page.
        page.type_at("#search", "cowboy bepop").await?;
        page.wait_for_status("1 anime").await?;
        let address = page.run("return location.search", vec![]).await?;
        assert_eq!(address, "?search=cowboy+bepop");
        walk! {page, "
            # found
            follow Cowboy Bebop > Cowboy Bebop # anime
            expand In 3 languages | follow Science fiction > Browse anime
            // A search finds songs and artists, too.
            open /anime?search=seatbelts # songs-found
        "}
        page.named("a", "1 song").await?.click().await?;
        walk! {page, "
            follow Tank! > Tank! # song
            follow SEATBELTS > Songs = 1 song by SEATBELTS # songs-of-artist
            follow Cowboy Bebop
            follow Tank! > Tank!
            open /anime?search=nosuchanimeatall # nothing-found
            open /anime?year=soon # 400 wrong-filter
            open /anime/999999 # 404 no-such-anime
            open /style-guide # style-guide
            // The same without a script, by keyboard.
            scripts off | open /
        "}
        page.enter_at("main [name=search]", "cowboy bepop").await?;
        walk! {page, "
            > Browse anime = 1 anime
            scripts on
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn copy_button_copies_or_selects() -> Result<()> {
    at_each_width("copy", async |page, _| {
        page.let_pages_copy(true).await?;
        walk! {page, "
            open /reference
            click Copy the command
        "}
        page.named("button", "Copied the command").await?;
        page.look("copied").await?;
        assert_eq!(page.clipboard().await?, page.text("#example-0").await?);
        // Without permission for the clipboard, the button selects the text.
        page.let_pages_copy(false).await?;
        walk! {page, "
            open /reference
            click Copy the command
        "}
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
        walk! {page, "
            open /reference # overview
            follow Watch histories of users > Watch histories of users # user-story
            open /reference/anime#schema-Anime # anime
            open /reference/oauth # oauth
            // Without a script, there is no trace of the forms.
            scripts off | open /reference/anime # no-script
            hides .try * | hides main button | scripts on
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn developer_tries_operations() -> Result<()> {
    const ANIME: &str = "Returns the anime with this identifier";
    const ME: &str = "Returns the user that the access token belongs to, with all fields";
    const LIST: &str = "Lists anime, highest score first";
    at_each_width("try", async |page, service| {
        walk! {page, "
            open /reference/anime
            // Enter opens and sends a form. The example is filled in.
            expand Try it: {ANIME}
        "}
        page.enter_at("#find_anime-id", "").await?;
        page.wait_for_status("Status: 200").await?;
        let body = page.text(&format!("[aria-label='Body: {ANIME}']")).await?;
        ensure!(body.contains("\"id\": 2,"), "{body}");
        let headers = page
            .text(&format!("[aria-label='Headers: {ANIME}']"))
            .await?;
        ensure!(headers.contains("etag: "), "{headers}");
        walk! {page, "
            # found
            open /reference/anime#list_anime
            expand Try it: {LIST} # form
            select season: 1 SPRING | select nsfw: true
        "}
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
        walk! {page, "
            open /reference/auth
            expand Try it: {ME}
        "}
        page.enter_at("#me-access-token", &token).await?;
        page.wait_for_status("Status: 200").await?;
        let body = page.text(&format!("[aria-label='Body: {ME}']")).await?;
        ensure!(body.contains("mitsuha@example.com"), "{body}");
        ensure!(!page.holds(&token).await?, "the page shows the token");
        page.look("me").await?;
        let kept = "return [localStorage.length, sessionStorage.length, document.cookie]";
        let kept = page.run(kept, vec![]).await?;
        assert_eq!(kept, json!([0, 0, ZONE_COOKIE]));
        walk! {page, "
            open /reference/auth
            expand Try it: {ME} | value Access token:
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_deletes_the_account() -> Result<()> {
    at_each_width("deletion", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            follow Delete my account # delete-account
            press Delete my account > Your account has been deleted # account-deleted
            follow Sign in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in
            is .faults: {WRONG} # 401 sign-in-fault
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn error_pages_are_shown() -> Result<()> {
    at_each_width("astray", async |page, _| {
        walk! {page, "
            open /nowhere # 404 not-found
            open /v1/oauth?client_id=nobody # 400 no-such-client
            open /sign-in
            delete cookies | press Sign in # 403 no-cookies
        "}
        Ok(())
    })
    .await
}

/// The path of an anime with 26 episodes.
const BEBOP: &str = "/anime/2";

#[tokio::test]
async fn user_keeps_a_list() -> Result<()> {
    at_each_width("list", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            follow My list > My list # empty-list
            open {BEBOP}
            press Plan to watch # planned
            open /list # list
            // The script watches the episode in place.
            click Episode 1 = Cowboy Bebop Episode 1 marked as watched. # watched-in-place
            click Episode 2 = Cowboy Bebop Episode 2 marked as watched.
            click Undo = Cowboy Bebop The change has been undone.
            has .watched: 1 of 26 # undone
        "}
        // An entry leaves the list of its status, and comes back.
        let count = "#list-statuses [href='/list?status=0'] .count";
        ensure!(page.text(count).await? == "1", "not counted");
        complete_the_rest(page).await?;
        walk! {page, "
            is {count}: 0 | hides .stories h2 # left
            click Undo = Cowboy Bebop The change has been undone.
            is {count}: 1 | has .watched: 25 of 26 | open /list
            follow Edit
            fill Episodes watched: 1 | press Save
            scripts off | open /list
            press Episode 2
            has .watched: 2 of 26 # watched
            follow Edit
            fill Score: 101 | fill Notes: {LONG_TITLE} # edited
            press Save ! Score # 400 edited-fault
            fill Score: 92.5 | select Status: Completed | press Save
            has .watched: 26 of 26 # saved
            // The session ends while the form is open.
            follow Edit
            fill Notes: Typed before the session ended | delete cookies
            press Save > Sign in # 401 session-ended
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD}
            press Sign in > Edit the entry # kept
            press Save > My list
            follow Edit
            value Notes: Typed before the session ended | open /list
            follow Statistics > Your statistics # statistics
            expand Numbers # numbers
            follow My list
            follow Edit
            press Delete > Delete this entry? # delete
            press Delete > My list # deleted
        "}
        Ok(())
    })
    .await
}

/// Watches the last two episodes of the only entry, in the list of those that are watched.
async fn complete_the_rest(page: &Browser) -> Result<()> {
    walk! {page, "
        follow Edit
        fill Episodes watched: 24 | press Save
        open /list?status=0
    "}
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
            walk! {page, "
                select Status: Paused | press Change = 3 entries have been changed. # changed
            "}
            let done = page
                .run("return location.pathname + location.search", vec![])
                .await?;
            ensure!(planned_and_paused(page).await? == [1, 3], "not changed");
            page.open(done.as_str().context("an address")?).await?;
            walk! {page, "press Undo = 3 entries have been restored."}
            ensure!(planned_and_paused(page).await? == [4, 0], "not undone");
        }
        walk! {page, "
            scripts on | open /list?view=compact&sort=started # compact
            expand Change selected entries | click Select all on this page
            press Delete > Delete these entries? # delete-selected
            press Delete = 4 entries have been deleted.
            press Undo = 4 entries have been restored.
            shows .compact .pick | open /list
            expand Change selected entries | press Change > Nothing has been changed # 400 nothing-selected
        "}
        Ok(())
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
        walk! {page, "shows dialog # help"}
        page.type_keys([Key::Escape.into()]).await?;
        ensure!(!page.shows("dialog").await?);
        page.type_keys("k/jx".chars()).await?;
        walk! {page, "
            value Search my list: jx | open /list
            click Keyboard shortcuts | shows dialog | click Close | hides dialog
        "}
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
        walk! {page, "
            open /calendar # empty-calendar
            open {ONE_PIECE}
            press Plan to watch
            follow Calendar > Calendar
            has .week: One Piece # calendar
            press Create an address
        "}
        let address = page.text("#feed-address").await?;
        ensure!(
            address.starts_with(service.origin()) && address.contains(".ics"),
            "{address}"
        );
        walk! {page, "
            # address
            press Create a new address
        "}
        ensure!(
            page.text("#feed-address").await? != address,
            "the same address"
        );
        walk! {page, "
            press Remove the address
            hides #feed-address # address-removed
        "}
        Ok(())
    })
    .await
}

/// Adds a player of the kind Jellyfin. Ends on its page. Returns its address.
async fn add_player(page: &Browser, name: &str) -> Result<String> {
    walk! {page, "
        open /profile/players
        fill Name: {name} | select Kind: Jellyfin | select What it plays: Only anime | press Add > {name}
    "}
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
        walk! {page, "
            follow Connections
            follow Set up your players > Players # players
            press Add ! Name # 400 player-fault
        "}
        let address = add_player(page, LONG_NAME).await?;
        ensure!(address.starts_with(service.origin()), "{address}");
        walk! {page, "
            # new-player
            // Without the confirmation, the focus is at the beginning.
            open /profile/players/0
            tab through
        "}

        // The page opens again by itself.
        service
            .report(&address, &watched("Cowboy Bebop", 1))
            .await?;
        page.text("#users").await?;
        walk! {page, "
            # first-message
            press This is me
            has main: Marked as watched # user-named
        "}
        service
            .report(&address, &watched("Cowboy Bebop", 2))
            .await?;
        service.report(&address, &watched(LONG_TITLE, 3)).await?;

        walk! {page, "
            follow Back to your players > Players
            has main: {LONG_TITLE} # unmatched
            follow Other anime > Choose the anime # series
            open /profile/players/series?title={LONG_TITLE}&season=1&episode=3&q=bebop
            press Save # 400 series-fault
            choose Cowboy Bebop · TV · 1998 · 26 episodes | press Save
        "}
        let done = page.text(".notice").await?;
        ensure!(done.contains("marked in your list"), "{done}");
        walk! {page, "
            # chosen
            open {BEBOP}
            has .story: 3 of 26 episodes # anime-of-player
            press Undo
            has .story: 2 of 26 episodes | open /profile/players/0
            press Remove the player > Players # player-removed
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_makes_the_profile_public() -> Result<()> {
    at_each_width("public-profile", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            open {BEBOP}
            press Plan to watch
            open /user/mitsuha # 404 not-public
            open /profile/privacy
            choose Everyone | press Save settings # public
            follow See your public profile > mitsuha # profile
            // An anime that the user finishes is in the review of its year, for the user and for everyone.
            open /anime/328
            press Plan to watch
            press Episode 1
            open /statistics
        "}
        let year = page.text("main nav li a").await?;
        walk! {page, "
            follow {year} > Your {year} in anime # own-year
            follow Page to share > {year} in anime: mitsuha # year
            open /user/mitsuha/1900 # empty-year
            follow {year} > {year} in anime: mitsuha
            delete cookies | open /user/mitsuha # profile-of-another
        "}
        Ok(())
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
    walk! {page, "
        follow Profile mitsuha
        follow Data
        follow Import or export your watch history
    "}
    page.attach("List file", &file).await?;
    walk! {page, "press Preview > Preview of the import # preview"}
    page.attach("List file", &file).await?;
    walk! {page, "press Import > Import finished"}
    let report = page.text("main").await?;
    for part in [
        "has 300 entries".to_owned(),
        format!("{known} new"),
        format!("{} not in the catalogue", 300 - known),
    ] {
        ensure!(report.contains(&part), "{part}: {report}");
    }
    walk! {page, "
        # report
        follow Back to import and export
        follow Entries that wait for their anime
        has main: Unknown 60 # waiting
        follow Back to import and export
    "}
    let exported = page.download("CSV", service).await?;
    assert_eq!(exported.lines().count(), known + 2, "{exported}");
    ensure!(exported.contains("Cowboy Bebop"), "{exported}");
    Ok(known)
}

#[tokio::test]
async fn newcomer_makes_the_service_their_own() -> Result<()> {
    at_each_width("newcomer", async |page, service| {
        walk! {page, "
            open /
            follow Create an account
            fill Name: mitsuha | fill E-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Sign up > Welcome, mitsuha
        "}

        page.enter_at("main [name=search]", "cowbow bepop").await?;
        walk! {page, "
            = 1 anime
            follow Cowboy Bebop > Cowboy Bebop
            press Plan to watch
            press Episode 1
            press Episode 2
            has .watched: 2 of 26 | press Undo
            has .watched: 1 of 26 # undone
            expand Edit | fill Score: 87.5 | press Save
        "}
        let story = page.text(".story").await?;
        ensure!(story.contains("1 of 26"), "{story}");
        let score = "return document.querySelector('.rate input').value";
        ensure!(page.run(score, vec![]).await? == "87.5", "not scored");
        walk! {page, "
            # scored
            // There is an entry, so the welcome page is gone.
            open /welcome
        "}
        let path = page.run("return location.pathname", vec![]).await?;
        assert_eq!(path, "/");

        let known = import_list(page, service).await?;
        page.follow("My list").await?;
        ensure!(
            page.text("main")
                .await?
                .contains(&format!("{} entries", known + 1))
        );
        walk! {page, "
            # list
            follow Statistics > Your statistics
        "}
        let numbers = page.text("main dl").await?;
        ensure!(
            numbers.contains(&format!("{}", known + 1)) && numbers.contains("87.5"),
            "{numbers}"
        );
        walk! {page, "
            # statistics
            follow Profile mitsuha
            follow Privacy
            choose Everyone | press Save settings
            follow See your public profile > mitsuha # public-profile
            follow Calendar
            has .week: One Piece | press Create an address
        "}
        let address = page.text("#feed-address").await?;
        let path = address
            .strip_prefix(service.origin())
            .context("the origin")?;
        let feed = service.text(path, "").await?;
        ensure!(
            feed.starts_with("BEGIN:VCALENDAR") && feed.contains("SUMMARY:One Piece"),
            "{feed}"
        );
        walk! {page, "delete cookies | open /user/mitsuha > mitsuha"}
        ensure!(page.holds("Cowboy Bebop").await? && !page.holds("@example.com").await?);
        Ok(())
    })
    .await
}

/// Fills in and sends the form of the sign-up page.
async fn sign_up(page: &Browser, name: &str) -> Result<()> {
    walk! {page, "
        fill Name: {name} | fill E-mail address: {name}@example.com | fill Password: {PASSWORD}
        press Sign up > Welcome, {name}
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

        service.make_administrator("mitsuha").await?;
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
            has main: was already used # used
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
        service.make_moderator("mitsuha").await?;
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
        "}
        let fault = page.text("#value-fault").await?;
        ensure!(fault.starts_with("Enter a whole number"), "{fault}");
        walk! {page, "
            # 400 anime-fault
            fill Released episodes: 27 | press Save the correction
        "}
        let corrections = page.text("main").await?;
        ensure!(corrections.contains("by mitsuha") && corrections.contains("The studio says so."));
        walk! {page, "
            # anime-corrected
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
        walk! {page, "
            follow Log in # consent
            delete cookies
        "}
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
