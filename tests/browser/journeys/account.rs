//! The account: sign-up, sign-in, settings, sessions, trackers, the public profile and the deletion.

use anyhow::{Context, Result, ensure};
use browser::{PASSWORD, Service, at_each_width, walk};

use super::{
    BEBOP, LONG_NAME, NEW_PASSWORD, ZONE_COOKIE, change_record, plan, register_and_sign_in, sign_in,
};

const START: &str = "Write down what you have watched.";

const WRONG: &str = "The username, e-mail address or password is wrong.";

#[tokio::test]
async fn user_signs_up_and_signs_in() -> Result<()> {
    at_each_width("sign-up", async |page, service| {
        walk! {page, "
            open / # start
            follow Start a record # sign-up
            fill Name: mi | fill E-mail address: mitsuha | fill Password: short | press Create account
        "}
        for label in ["Name", "E-mail address", "Password"] {
            page.fault_of(label).await?;
        }
        walk! {page, "
            value Name: mi | value E-mail address: mitsuha | value Password: # 400 sign-up-faults
            fill Name: mitsuha | fill E-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Create account > What have you seen? # welcome
            tab through | follow Skip for now
            open /profile # profile
        "}
        let badge = "[aria-labelledby=address] .badge";
        assert_eq!(page.text(badge).await?, "not verified yet");

        let link = service.link_by_mail("mitsuha@example.com", "/verify-email")?;
        walk! {page, "
            open {link} # verify-email
            press Verify my e-mail address > Your e-mail address is verified # verified
            follow Go to your settings
            is {badge}: verified | open {link}
            press Verify my e-mail address # 400 verify-email-again
            open /profile
            press Sign out > {START}
            follow Sign in # sign-in
            fill Name or e-mail address: mitsuha | fill Password: {NEW_PASSWORD} | press Sign in
            is .faults: {WRONG} | value Name or e-mail address: mitsuha | value Password: # 401 sign-in-fault
            fill Name or e-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Sign in > Settings
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
            open {link} # 400 reset-password-again
            hides main form
            open /sign-in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in # 401 old-password
            fill Name or e-mail address: mitsuha | fill Password: {NEW_PASSWORD} | press Sign in > Settings
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

/// Returns true if the profile opens with these cookies, and does not lead to the sign-in page.
async fn is_signed_in(service: &Service, cookies: &str) -> Result<bool> {
    let page = service.text("/profile", cookies).await?;
    Ok(page.contains("Signed in as mitsuha"))
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
            fill Password: {NEW_PASSWORD} | press Confirm > Settings
        "}
        let summary = page.named("summary", "Change e-mail address").await?;
        summary.click().await?;
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
                is .index [aria-current=page]: {part}
            "}
            page.look(part).await?;
            page.tab_through().await?;
            if !below.is_empty() {
                walk! {page, "
                    follow {below}
                    is .index [aria-current=true]: {part} # below-{part}
                    follow {part} > {part}
                "}
            }
        }
        walk! {page, "
            follow Account > Settings
            tab through
        "}
        Ok(())
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
                begins .faults: {title} | has .faults: access was denied there # {letter}-refused
                follow {connect} > A tracker
                follow Allow > Connections
                begins .notice: Your {title} account is linked. # {letter}-linked
            "}
            ensure!(page.holds("okudera").await? && !page.holds("kumihimo").await?);
        }
        walk! {page, "
            press Disconnect AniList
            begins .notice: Your AniList account is no longer linked. # a-unlinked
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn sessions_and_tokens_are_issued_and_revoked() -> Result<()> {
    at_each_width("sessions", async |page, service| {
        service.register("mitsuha").await?;
        walk! {page, "
            open /profile > Sign in
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD} | press Sign in > Settings
        "}
        // Over HTTP, as on a local server, the cookie is not `Secure` and has no `__Host-` prefix.
        let cookies = page.cookies().await?;
        let session = cookies.iter().find(|cookie| cookie.name() == "session");
        let session = session.map(|cookie| {
            let same_site = cookie.same_site().map(|same_site| same_site.to_string());
            (cookie.http_only(), same_site, cookie.path())
        });
        let expected = (Some(true), Some("Lax".to_owned()), Some("/"));
        assert_eq!(session, Some(expected));
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
async fn user_makes_the_profile_public() -> Result<()> {
    at_each_width("public-profile", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        plan(page, BEBOP).await?;
        walk! {page, "
            open /user/mitsuha # 404 not-public
            open /profile/privacy
            choose Everyone | press Save settings # public
            follow See your public profile > mitsuha # profile
            // An anime that the user finishes is in the review of its year, for the user and for everyone.
            open /anime/328
        "}
        change_record(page, "choose Planned").await?;
        walk! {page, "
            press I have watched it
            open /statistics
        "}
        let year = page.text("[aria-labelledby=reviews] a").await?;
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
