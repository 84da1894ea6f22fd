//! Passkeys: signing up and in, the section of the profile, and the proof that it is the user.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::join;
use serde_json::{Value, json};
use shared::models::{Factors, Passkey, UserId};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::crash;
use tests::passkeys::{Device, options};
use tests::people::Person;
use tests::service::{Answer, PUBLIC_URL, Service};
use tests::table::table;

use super::sessions::with_cookie;
use super::{account, assert_rounds};

const ADD: &str = "/profile/security/passkeys";
const REMOVE: &str = "/profile/security/passkeys/remove";
const RENAME: &str = "/profile/security/passkeys/rename";
const SIGN_IN: &str = "/sign-in/passkey";
const SIGN_UP: &str = "/sign-up/passkey";
const CREATE: &str = "/sign-up/passkey/create";
const PROVE: &str = "/prove/passkey";
const EXPIRED: &str = "took too long or has already been sent; try again";
const UNKNOWN: &str = "is not known here; it may have been removed";

/// Returns the passkeys of a user.
async fn passkeys(service: &Service, id: UserId) -> Vec<Passkey> {
    account(service, id).await.factors.passkeys
}

/// Opens the page of a sign-up with a passkey.
async fn begin_sign_up(browser: &mut PageClient<'_>, name: &str) -> Answer {
    let page = browser.get("/sign-up").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let email = format!("{name}@example.com");
    let fields = [("csrf", &*csrf), ("username", name), ("email", &email)];
    browser.post(SIGN_UP, &fields).await
}

/// Registers a user with a passkey, and returns the identifier and the device.
async fn sign_up(service: &Service, browser: &mut PageClient<'_>, name: &str) -> (UserId, Device) {
    let page = begin_sign_up(browser, name).await;
    let mut device = Device::default();
    let credential = device.make(&page, CREATE).await;
    let created = browser
        .submit(&page, CREATE, &[("credential", &credential)])
        .await;
    created.assert_leads_to("/welcome");
    let id = service.users().find_by_username(name).await.unwrap();
    (id.unwrap(), device)
}

/// Signs in with the passkey of a device in a new browser.
async fn sign_in(service: &Service, device: &mut Device) -> Answer {
    let mut browser = PageClient::new(service);
    let page = browser.get("/sign-in").await;
    let credential = device.use_passkey(&page, SIGN_IN).await;
    browser.sign_in_with(&page, &credential).await
}

/// Checks that a page refuses a passkey with this sentence, and that no user is signed in.
fn assert_refused(answer: &Answer, sentence: &str) {
    answer.assert_status(400);
    let expected = format!("<li>The passkey {sentence}.</li>");
    answer.assert_has(&expected);
    let cookies = answer.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    assert!(!cookies.any(|cookie| cookie.contains("session=")));
}

fn is_signed_in(answer: &Answer) -> bool {
    answer.status == StatusCode::SEE_OTHER && answer.header("set-cookie").contains("session=")
}

#[tokio::test]
async fn account_with_a_passkey_has_no_password() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    let sign_up_page = browser.get("/sign-up").await;
    let button = "<button class=\"secondary\" type=\"submit\" formaction=\"/sign-up/passkey\" \
        data-passkey hidden>Sign up with a passkey</button>";
    sign_up_page.assert_has(button);
    let page = begin_sign_up(&mut browser, "mitsuha").await;
    let asked = options(&page, CREATE);
    let wanted = json!({
        "residentKey": "required", "requireResidentKey": true, "userVerification": "required"
    });
    assert_eq!(asked["authenticatorSelection"], wanted);
    assert_eq!(asked["attestation"], "none");
    assert_eq!(asked["rp"], json!({"name": "Kiroku", "id": "kiroku.test"}));
    assert_eq!(asked["user"]["name"], "mitsuha");
    let (id, mut device) = sign_up(&service, &mut browser, "mitsuha").await;
    let account = account(&service, id).await;
    assert_eq!(account.password_hash, None);
    assert_eq!(account.localization, "en");
    let [passkey] = account.factors.passkeys.try_into().unwrap();
    assert_eq!(
        (passkey.name.as_str(), passkey.used_at),
        ("First passkey", None)
    );
    assert!(passkey.credential.len() < 280, "{}", passkey.credential);
    assert!(service.mailed_token("mitsuha@example.com").is_some());
    service.assert_declared_attributes().await;

    // A passkey signs in without a name, and keeps the page that the visitor came for.
    service.clock.advance(Duration::from_mins(1));
    let mut other = PageClient::new(&service);
    let page = other.get("/sign-in?next=/calendar").await;
    assert_eq!(options(&page, SIGN_IN)["allowCredentials"], json!([]));
    let credential = device.use_passkey(&page, SIGN_IN).await;
    let signed_in = other.sign_in_with(&page, &credential).await;
    assert!(is_signed_in(&signed_in), "{}", signed_in.text());
    signed_in.assert_leads_to("/calendar");
    let page = other.get("/profile/security").await.text();
    page.assert_has("added 14 November 2023, last used 14 November 2023");
    let used = passkeys(&service, id).await.remove(0).used_at;
    assert_eq!(used, Some(service.clock.now_ms()));
    let mut other = PageClient::new(&service);
    let page = other.get("/sign-in").await;
    for (password, status) in [("", 400), ("kataware-doki 2016", 401)] {
        let fields = [("who", "mitsuha"), ("password", password)];
        let refused = other.submit(&page, "/sign-in", &fields).await;
        refused.assert_status(status);
    }
}

#[tokio::test]
async fn sign_up_with_bad_input_creates_nothing() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let taken = begin_sign_up(&mut browser, "mitsuha").await;
    assert_eq!(taken.status, StatusCode::CONFLICT);
    let expected = "<a href=\"#username\">Name is already taken.</a>";
    taken.assert_has(expected);
    let short = begin_sign_up(&mut browser, "ta").await;
    assert_eq!(short.status, StatusCode::BAD_REQUEST);

    // Another registration takes the name between the two steps.
    let page = begin_sign_up(&mut browser, "taki").await;
    let credential = Device::default().make(&page, CREATE).await;
    let credential = [("credential", credential.as_str())];
    service.person("taki").await;
    let late = browser.submit(&page, CREATE, &credential).await;
    late.assert_status(409);
    // The challenge is used up, although nothing was created.
    let again = browser.submit(&page, CREATE, &credential).await;
    assert_refused(&again, EXPIRED);

    let page = begin_sign_up(&mut browser, "sayaka").await;
    for garbage in ["", "{}", "[[[["] {
        let refused = browser
            .submit(&page, CREATE, &[("credential", garbage)])
            .await;
        assert_refused(&refused, "could not be read; try again");
    }
    // The state belongs to another browser.
    let mut device = Device::default();
    let credential = device.make(&page, CREATE).await;
    let mut other = PageClient::new(&service);
    let own = begin_sign_up(&mut other, "sayaka").await;
    let state = hidden(&page, "state").unwrap();
    let fields = [("state", &*state), ("credential", &credential)];
    let refused = other.submit(&own, CREATE, &fields).await;
    assert_refused(&refused, EXPIRED);
    let found = service.users().find_by_username("sayaka").await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn attestation_that_is_garbage_is_refused() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let cases = "
        attestationObject | AAAA
        attestationObject | o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUAA
        attestationObject | _____w
        clientDataJSON | e30
        clientDataJSON | AAAA";
    for [field, garbage] in table(cases) {
        let page = browser.get("/profile/security").await;
        let credential = Device::default().make(&page, ADD).await;
        let mut credential: Value = serde_json::from_str(&credential).unwrap();
        credential["response"][field] = garbage.into();
        let fields = [("name", "Phone"), ("credential", &credential.to_string())];
        let refused = browser.submit(&page, ADD, &fields).await;
        assert_refused(&refused, "could not be checked; try again");
    }
    assert_eq!(passkeys(&service, person.id).await, []);
    assert_eq!(
        account(&service, person.id).await.factors,
        Factors::default()
    );
}

#[tokio::test]
async fn passkey_is_added_renamed_and_removed() {
    let (service, person) = Service::with_person("mitsuha").await;
    service.users().verify_email(person.id, 0).await.unwrap();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut other = PageClient::signed_in(&service, &person).await;
    let mut device = browser.add_passkey("  Phone \u{3000} blue ").await;
    assert!(service.mail_to(&person.email()).contains("Phone blue"));
    let [passkey] = passkeys(&service, person.id).await.try_into().unwrap();
    assert_eq!(passkey.name, "Phone blue");
    let page = browser
        .get_with_notice("/profile/security?done=passkey-added")
        .await;
    page.assert_has("The passkey was added.");
    page.assert_has("added 14 November 2023, not used yet");
    let asked = options(&page, ADD);
    let excluded = json!([{"type": "public-key", "id": passkey.id}]);
    assert_eq!(asked["excludeCredentials"], excluded);

    let name = "name".repeat(16);
    let renamed = [("passkey", passkey.id.as_str()), ("name", &name)];
    let renamed = browser.submit(&page, RENAME, &renamed).await;
    renamed.assert_leads_to("/profile/security?done=passkey-renamed");
    assert_eq!(passkeys(&service, person.id).await[0].name, name);
    for (bad, reason) in [
        ("", "is required"),
        (&format!("{name}s"), "must have 1 to 64 characters"),
        ("\u{200b}", "must not contain invisible characters"),
    ] {
        let fields = [("passkey", passkey.id.as_str()), ("name", bad)];
        let refused = browser.submit(&page, RENAME, &fields).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        refused.assert_has(reason);
        let credential = Device::default().make(&page, ADD).await;
        let fields = [("name", bad), ("credential", &credential)];
        let refused = browser.submit(&page, ADD, &fields).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        refused.assert_has(reason);
    }
    let unknown = [("passkey", "AAAA"), ("name", "Phone")];
    let unknown = browser.submit(&page, RENAME, &unknown).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(is_signed_in(&sign_in(&service, &mut device).await));

    // The removal of the passkey ends all other sessions. Only the first request finds the passkey.
    let mails = service.mail_count();
    service.clock.advance(Duration::from_secs(1));
    let removed = [("passkey", passkey.id.as_str())];
    for _ in 0..2 {
        let removed = browser.submit(&page, REMOVE, &removed).await;
        removed.assert_leads_to("/profile/security?done=passkey-removed");
    }
    assert_eq!(service.mail_count(), mails + 1);
    assert_eq!(passkeys(&service, person.id).await, []);
    assert_eq!(browser.get("/profile/security").await.status, 200);
    assert_eq!(other.get("/profile/security").await.status, 303);
    let refused = sign_in(&service, &mut device).await;
    assert_refused(&refused, UNKNOWN);
}

#[tokio::test]
async fn changes_need_a_fresh_proof() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut device = browser.add_passkey("Phone").await;
    let page = browser.get("/profile/security").await;
    service.clock.advance(Duration::from_mins(10));
    let id = passkeys(&service, person.id).await.remove(0).id;
    let fields = [("passkey", id.as_str()), ("name", "Mine")];
    for path in [ADD, RENAME, REMOVE] {
        let refused = browser.submit(&page, path, &fields).await;
        refused.assert_leads_to("/prove?next=/profile/security");
    }
    let stale = browser.get("/profile/security").await.text();
    stale.assert_has("Phone");
    stale.assert_lacks(ADD);

    let prove = browser.get("/prove?next=/profile/security").await;
    let asked = options(&prove, PROVE);
    let own = json!([{"type": "public-key", "id": id}]);
    assert_eq!(asked["allowCredentials"], own);
    let credential = device.use_passkey(&prove, PROVE).await;
    let proved = browser
        .submit(&prove, PROVE, &[("credential", &credential)])
        .await;
    proved.assert_leads_to("/profile/security");
    let renamed = browser.submit(&page, RENAME, &fields).await;
    renamed.assert_leads_to("/profile/security?done=passkey-renamed");
}

#[tokio::test]
async fn proof_takes_only_the_passkeys_of_the_user() {
    let service = Service::empty().await;
    let mut devices = Vec::new();
    let mut browsers = Vec::new();
    for name in ["mitsuha", "taki"] {
        let person = service.person(name).await;
        let mut browser = PageClient::signed_in(&service, &person).await;
        devices.push(browser.add_passkey("Phone").await);
        browsers.push(browser);
    }
    service.clock.advance(Duration::from_mins(10));
    let page = browsers[0].get("/prove").await;
    let mut asked = options(&page, PROVE);
    asked["allowCredentials"].take();
    let foreign = devices[1].use_at(PUBLIC_URL, asked).await;
    let refused = browsers[0]
        .submit(&page, PROVE, &[("credential", &foreign)])
        .await;
    assert_refused(&refused, UNKNOWN);
    // A response to the sign-in page is not a proof.
    let sign_in = PageClient::new(&service).get("/sign-in").await;
    let credential = devices[0].use_passkey(&sign_in, SIGN_IN).await;
    let state = hidden(&sign_in, "state").unwrap();
    let fields = [("state", &*state), ("credential", &credential)];
    let refused = browsers[0].submit(&page, PROVE, &fields).await;
    assert_refused(&refused, EXPIRED);
    let page = browsers[0].get("/profile/security").await.text();
    page.assert_has("href=\"/prove?next=/profile/security\"");
}

#[tokio::test]
async fn last_way_in_stays() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    let (id, _) = sign_up(&service, &mut browser, "mitsuha").await;
    browser.add_passkey("Phone").await;
    let page = browser.get("/profile/security").await;
    let [first, second] = passkeys(&service, id).await.try_into().unwrap();
    let removals = [first, second].map(|passkey| passkey.id);
    let csrf = hidden(&page, "csrf").unwrap();
    let mut same = PageClient::new(&service);
    same.cookies.clone_from(&browser.cookies);
    let fields = removals
        .each_ref()
        .map(|id| [("csrf", csrf.as_str()), ("passkey", id)]);
    let (one, other) = join!(
        browser.post(REMOVE, &fields[0]),
        same.post(REMOVE, &fields[1])
    );
    let mut statuses = [one.status, other.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::SEE_OTHER, StatusCode::CONFLICT]);
    let is_one = one.status == StatusCode::CONFLICT;
    let refused = if is_one { one } else { other };
    refused.assert_has("The passkey is the last way to sign in; add another one first.");
    assert_eq!(passkeys(&service, id).await.len(), 1);
}

#[tokio::test]
async fn challenge_works_once_in_its_browser_for_ten_minutes() {
    let service = Service::empty().await;
    let (id, mut device) = sign_up(&service, &mut PageClient::new(&service), "mitsuha").await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    let credential = device.use_passkey(&page, SIGN_IN).await;
    // Of two parallel requests, one succeeds.
    let mut same = PageClient::new(&service);
    same.cookies.clone_from(&browser.cookies);
    let (one, other) = join!(
        browser.sign_in_with(&page, &credential),
        same.sign_in_with(&page, &credential)
    );
    assert_ne!(is_signed_in(&one), is_signed_in(&other));
    let lost = if is_signed_in(&one) { &other } else { &one };
    assert_refused(lost, EXPIRED);

    // Another browser sends the credential with its own CSRF token.
    let page = PageClient::new(&service).get("/sign-in").await;
    let credential = device.use_passkey(&page, SIGN_IN).await;
    let mut other = PageClient::new(&service);
    let own = other.get("/sign-in").await;
    let csrf = hidden(&own, "csrf").unwrap();
    // The second challenge is from another page.
    for (challenged, reason) in [(&page, EXPIRED), (&own, "could not be checked; try again")] {
        let state = hidden(challenged, "state").unwrap();
        let fields = [
            ("csrf", csrf.as_str()),
            ("state", &state),
            ("credential", &credential),
        ];
        assert_refused(&other.post(SIGN_IN, &fields).await, reason);
    }

    for (waited, works) in [(599, true), (600, false)] {
        let mut browser = PageClient::new(&service);
        let page = browser.get("/sign-in").await;
        let credential = device.use_passkey(&page, SIGN_IN).await;
        service.clock.advance(Duration::from_secs(waited));
        let answer = browser.sign_in_with(&page, &credential).await;
        assert_eq!(is_signed_in(&answer), works, "{waited}");
        if !works {
            assert_refused(&answer, EXPIRED);
        }
    }
    // Two sign-ins at the same time do not disturb each other.
    let mut same = device.clone();
    let (one, other) = join!(sign_in(&service, &mut device), sign_in(&service, &mut same));
    assert!(is_signed_in(&one) && is_signed_in(&other));
    assert_eq!(passkeys(&service, id).await.len(), 1);
}

#[tokio::test]
async fn responses_of_others_are_refused() {
    let service = Service::empty().await;
    let (_, mut device) = sign_up(&service, &mut PageClient::new(&service), "mitsuha").await;
    let (_, mut other_device) = sign_up(&service, &mut PageClient::new(&service), "taki").await;
    let mut browser = PageClient::new(&service);

    // The request comes from a page of another site on the same domain.
    let page = browser.get("/sign-in").await;
    let credential = device
        .use_at("https://evil.kiroku.test", options(&page, SIGN_IN))
        .await;
    let refused = browser.sign_in_with(&page, &credential).await;
    let sentence = "was used at another address than that of this server";
    assert_refused(&refused, sentence);

    // The authenticator has not verified the user.
    let page = browser.get("/sign-in").await;
    let mut asked = options(&page, SIGN_IN);
    asked["userVerification"] = "discouraged".into();
    let credential = device.use_at(PUBLIC_URL, asked).await;
    let refused = browser.sign_in_with(&page, &credential).await;
    let sentence = "did not check that it is you; unlock it with a PIN, a fingerprint or your face";
    assert_refused(&refused, sentence);

    // The signature does not cover the user handle, so it can be replaced, but the passkey is then not found.
    let mut read = async |device: &mut Device| {
        let page = browser.get("/sign-in").await;
        let credential = device.use_passkey(&page, SIGN_IN).await;
        (page, serde_json::from_str::<Value>(&credential).unwrap())
    };
    let (_, others) = read(&mut other_device).await;
    let (page, own) = read(&mut device).await;
    for handle in [
        others["response"]["userHandle"].clone(),
        "AAAAAAAAAAAAAAAAAAAAAA".into(),
        Value::Null,
    ] {
        let mut forged = own.clone();
        forged["response"]["userHandle"] = handle;
        let mut browser = PageClient::new(&service);
        let fresh = browser.get("/sign-in").await;
        let refused = browser.sign_in_with(&fresh, &forged.to_string()).await;
        assert_refused(&refused, UNKNOWN);
    }
    // The credential and the handle are those of another user, the signature is that of this one.
    let mut forged = own.clone();
    forged["id"] = others["id"].clone();
    forged["rawId"] = others["rawId"].clone();
    forged["response"]["userHandle"] = others["response"]["userHandle"].clone();
    let refused = browser.sign_in_with(&page, &forged.to_string()).await;
    assert_refused(&refused, "could not be checked; try again");
    assert!(is_signed_in(&sign_in(&service, &mut device).await));
}

#[tokio::test]
async fn counter_that_went_back_is_refused_and_told_by_mail() {
    let (service, person) = Service::with_person("mitsuha").await;
    service.users().verify_email(person.id, 0).await.unwrap();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    let mut device = Device {
        counts: true,
        ..Device::default()
    };
    let credential = device.make(&page, ADD).await;
    let fields = [("name", "Blue key"), ("credential", credential.as_str())];
    assert_eq!(browser.submit(&page, ADD, &fields).await.status, 303);
    let mut copy = device.clone();
    for _ in 0..2 {
        assert!(is_signed_in(&sign_in(&service, &mut device).await));
    }
    service.clock.advance(Duration::from_secs(1));
    let mails = service.mail_count();
    let before = passkeys(&service, person.id).await;
    let refused = sign_in(&service, &mut copy).await;
    let sentence =
        "was refused, because there may be a copy of it; sign in another way and remove it";
    assert_refused(&refused, sentence);
    assert_eq!(service.mail_count(), mails + 1);
    let mail = service.mail_text(&person.email());
    mail.assert_has("Blue key");
    assert_eq!(passkeys(&service, person.id).await, before);
}

#[tokio::test]
async fn changed_public_url_is_explained() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    let (id, _) = sign_up(&service, &mut browser, "mitsuha").await;
    let cookies = browser.cookies.clone();
    let at = |url: &str| {
        let mut environment = service.environment.clone();
        url.clone_into(&mut environment.public_url);
        environment
    };
    let [new, address, plain] = [
        at("https://list.example"),
        at("https://192.0.2.7"),
        at("http://kiroku.local"),
    ];
    let service = service.with_environment(new);
    let mut browser = PageClient::new(&service);
    browser.cookies.clone_from(&cookies);
    let page = browser.get("/profile/security").await;
    let sentence =
        "It was made for kiroku.test, another address of this server, and works only there.";
    page.assert_has(sentence);
    let asked = options(&page, ADD);
    assert_eq!(asked["rp"]["id"], "list.example");
    assert_eq!(asked["excludeCredentials"], json!([]));
    let mut device = Device::default();
    let credential = device.make_at("https://list.example", asked).await;
    let fields = [("name", "New"), ("credential", credential.as_str())];
    assert_eq!(browser.submit(&page, ADD, &fields).await.status, 303);
    // The old passkey cannot sign in at this address, so the new one is the last way in and cannot be removed.
    let [old, new] = passkeys(&service, id).await.try_into().unwrap();
    let page = browser.get("/profile/security").await;
    let refused = [("passkey", new.id.as_str())];
    let refused = browser.submit(&page, REMOVE, &refused).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let removed = browser.submit(&page, REMOVE, &[("passkey", &old.id)]).await;
    assert_eq!(removed.status, StatusCode::SEE_OTHER);

    // Passkeys need a host name and TLS.
    for (environment, has_prefix) in [(address, true), (plain, false)] {
        let service = service
            .another(service.clock.clone())
            .with_environment(environment);
        let mut visitor = PageClient::new(&service);
        for path in ["/sign-in", "/sign-up"] {
            let page = visitor.get(path).await;
            assert_eq!(page.status, StatusCode::OK);
            page.assert_lacks("data-passkey");
        }
        if has_prefix {
            let mut browser = PageClient::new(&service);
            browser.cookies.clone_from(&cookies);
            let page = browser.get("/profile/security").await.text();
            page.assert_has("This server cannot have passkeys.");
        }
        let page = visitor.get("/sign-in").await;
        let refused = visitor.sign_in_with(&page, "{}").await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
}

/// Gives a user this number of passkeys.
async fn give(service: &Service, person: &Person, device: &Device, count: usize) {
    let account = account(service, person.id).await;
    let mut factors = account.factors.clone();
    let first = factors.passkeys[0].clone();
    let long = "長".repeat(64);
    factors.passkeys = (0..count)
        .map(|number| Passkey {
            id: format!("{number}{}", "A".repeat(170)),
            name: long.clone(),
            used_at: Some(service.clock.now_ms()),
            ..first.clone()
        })
        .collect();
    factors.passkeys[0] = first;
    assert!(device.passkey.is_some());
    let users = service.users();
    let written = users.record_factor_use(person.id, &account.factors, factors);
    assert!(written.await.unwrap());
}

#[tokio::test]
async fn number_of_passkeys_is_limited() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let device = browser.add_passkey("Phone").await;
    let page = browser.get("/profile/security").await;
    give(&service, &person, &device, 10).await;
    let credential = Device::default().make(&page, ADD).await;
    let fields = [("name", "Tablet"), ("credential", credential.as_str())];
    let refused = browser.submit(&page, ADD, &fields).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let sentence = "The passkey is one too many; remove another one first.";
    refused.assert_has(sentence);
    let page = browser.get("/profile/security").await.text();
    page.assert_has("You have 10 passkeys, which is the maximum.");
    page.assert_lacks(&format!("action=\"{ADD}\""));
    assert_eq!(passkeys(&service, person.id).await.len(), 10);
}

/// A page has at most 30,000 bytes.
#[tokio::test]
async fn pages_are_small_and_read_in_one_round() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let device = browser.add_passkey("Phone").await;
    give(&service, &person, &device, 9).await;
    let cookies = browser.cookies.clone();
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::new(&service);
    browser.cookies = cookies;
    browser.languages = "ja";
    assert_eq!(browser.get("/profile/security").await.status, 200);
    for path in ["/profile/security", "/prove"] {
        if path == "/prove" {
            service.clock.advance(Duration::from_mins(10));
        }
        assert_rounds(&mut browser, &rounds, path, 1).await;
        let size = browser.get(path).await.body.len();
        assert!(size < 30_000, "{path}: {size}");
    }
    for path in ["/sign-in", "/sign-up"] {
        assert_rounds(&mut PageClient::new(&service), &rounds, path, 0).await;
    }
}

#[tokio::test]
async fn sign_in_keeps_what_was_typed_into_an_entry() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let mut browser = PageClient::new(&service);
    let (_, mut device) = sign_up(&service, &mut browser, "mitsuha").await;
    let page = browser.get(&format!("/anime/{}", anime.id.get())).await;
    let [csrf, entry] = ["csrf", "entry"].map(|name| hidden(&page, name).unwrap());
    browser.cookies.clear();
    browser.fetch_site = "same-origin";
    let typed = [
        ("csrf", csrf.as_str()),
        ("entry", &entry),
        ("notes", "red string"),
    ];
    let asked = browser.post("/list/save", &typed).await;
    asked.assert_status(401);
    let again = browser.sign_in_with(&asked, "{}").await;
    assert_refused(&again, "could not be read; try again");
    let credential = device.use_passkey(&again, SIGN_IN).await;
    let page = browser.sign_in_with(&again, &credential).await;
    page.assert_status(200);
    page.assert_has("The entry has not been saved yet.");
    page.assert_has("red string");
}

/// A stranger can register with the address of another person, who then resets the password. The process ends after
/// each number of calls in turn.
#[tokio::test]
async fn reset_at_an_unverified_address_removes_passkeys_with_the_old_password() {
    let service = Service::empty().await;
    let reset = "/v1/auth/password_reset";
    let confirm = format!("{reset}/confirm");
    for calls in 0.. {
        let person = service.person(&format!("mitsuha{calls}")).await;
        let mut browser = PageClient::signed_in(&service, &person).await;
        browser.add_passkey("Phone").await;
        let body = json!({"email": person.email()});
        let sent = service.json(Method::POST, reset, None, &body).await;
        assert_eq!(sent.status, 200);
        let token = service.mailed_token(&person.email()).unwrap();
        let body = json!({"token": token, "password": "itomori 4 october"});
        let mut environment = service.environment.clone();
        environment.database.client = crash::client_failing_after(calls);
        let crashing = service
            .another(service.clock.clone())
            .with_environment(environment);
        let hash = account(&service, person.id).await.password_hash;
        let done = crashing.json(Method::POST, &confirm, None, &body).await;
        let after = account(&service, person.id).await;
        let has_new_password = after.password_hash != hash;
        let is_empty = after.factors.passkeys.is_empty();
        assert_eq!(is_empty, has_new_password, "{calls}");
        if done.status == 200 {
            assert!(has_new_password);
            break;
        }
        assert!(done.status.is_server_error(), "{}", done.text());
    }
}

/// Returns the fields of the form for a sign-up with a passkey, with a state and a credential from another form.
fn sign_up_fields<'f>(
    csrf: &'f str,
    state: &'f str,
    credential: &'f str,
) -> [(&'f str, &'f str); 5] {
    [
        ("csrf", csrf),
        ("username", "revenant"),
        ("email", "revenant@example.com"),
        ("state", state),
        ("credential", credential),
    ]
}

/// A ceremony of the profile names a user. If it could be finished as a sign-up, the identifier of a deleted account
/// would have a new account, for which the old tokens are valid.
#[tokio::test]
async fn deleted_identifier_does_not_come_back_to_life() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    let state = hidden(&page, "state").unwrap();
    let credential = Device::default().make(&page, ADD).await;
    let cookie = browser.cookies["__Host-session"].clone();
    let profile_csrf = hidden(&page, "csrf").unwrap();
    let attack = async |csrf: &str, visitor: &mut PageClient<'_>| {
        let fields = sign_up_fields(csrf, &state, &credential);
        visitor.post(CREATE, &fields).await
    };
    let page = browser.get("/profile/delete").await;
    let deleted = browser.submit(&page, "/profile/delete", &[]).await;
    deleted.assert_status(200);
    service.clock.advance(Duration::from_mins(2));
    assert_eq!(service.sweep().await.finished, 1);
    // The visitor has the old cookie and its token.
    let mut visitor = with_cookie(&service, &cookie);
    assert_eq!(attack(&profile_csrf, &mut visitor).await.status, 403);
    // The visitor has the old cookie and a token of the sign-up page.
    let page = visitor.get("/sign-up").await;
    let refused = attack(&hidden(&page, "csrf").unwrap(), &mut visitor).await;
    assert_refused(&refused, EXPIRED);
    let found = service.users().account(person.id).await.unwrap();
    assert!(found.is_none());
    let me = service.get_as(&person.token, "/v1/auth/me");
    assert_eq!(me.await.status, 401);
}

/// Each state is for one purpose, one browser and one user.
#[tokio::test]
async fn states_of_passkeys_cannot_be_exchanged() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    // A sign-up in the same browser sends a state of the profile, after the end of the session.
    let page = browser.get("/profile/security").await;
    let [state, csrf] = ["state", "csrf"].map(|name| hidden(&page, name).unwrap());
    let credential = Device::default().make(&page, ADD).await;
    let out = browser.post("/sign-out", &[("csrf", &csrf)]).await;
    assert_eq!(out.status, StatusCode::SEE_OTHER);
    let page = browser.get("/sign-up").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = sign_up_fields(&csrf, &state, &credential);
    let refused = browser.post(CREATE, &fields).await;
    assert_refused(&refused, EXPIRED);
    // The profile gets a state of a sign-up.
    let page = begin_sign_up(&mut browser, "taki").await;
    let state = hidden(&page, "state").unwrap();
    let credential = Device::default().make(&page, CREATE).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [
        ("csrf", csrf.as_str()),
        ("name", "Phone"),
        ("state", &state),
        ("credential", &credential),
    ];
    let refused = browser.post(ADD, &fields).await;
    assert_refused(&refused, EXPIRED);
    assert_eq!(passkeys(&service, person.id).await, []);
    let found = service.users().find_by_username("revenant").await;
    assert_eq!(found.unwrap(), None);
}

/// Removes the credential's identifier from an attestation object (Web Authentication, section 6.5.4).
fn without_credential_id(attestation: &str) -> String {
    const NAME: &[u8] = b"\x68authData";
    // The lengths of the digest of the relying party, the flags, the counter and the identifier of the authenticator.
    const BEFORE_LENGTH: usize = 32 + 1 + 4 + 16;
    let bytes = URL_SAFE_NO_PAD.decode(attestation).unwrap();
    let name = bytes
        .windows(NAME.len())
        .position(|part| part == NAME)
        .unwrap();
    let (head, rest) = bytes.split_at(name + NAME.len());
    // The data is a byte string whose length takes one byte (RFC 8949, section 3).
    let [0x58, length, ..] = *rest else {
        panic!("{rest:?}")
    };
    let (data, after) = rest[2..].split_at(length.into());
    let (fixed, id) = data.split_at(BEFORE_LENGTH);
    let id_length = usize::from(u16::from_be_bytes([id[0], id[1]]));
    let data = [fixed, &[0, 0], &id[2 + id_length..]].concat();
    let length = u8::try_from(data.len()).unwrap();
    URL_SAFE_NO_PAD.encode([head, &[0x58, length], &data, after].concat())
}

#[tokio::test]
async fn passkey_with_an_empty_identifier_is_refused() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    let credential = Device::default().make(&page, ADD).await;
    let mut credential: Value = serde_json::from_str(&credential).unwrap();
    let attestation = &mut credential["response"]["attestationObject"];
    *attestation = without_credential_id(attestation.as_str().unwrap()).into();
    credential["id"] = "".into();
    credential["rawId"] = "".into();
    let fields = [("name", "Phone"), ("credential", &credential.to_string())];
    let refused = browser.submit(&page, ADD, &fields).await;
    refused.assert_status(400);
    assert_refused(&refused, "could not be read; try again");
    assert_eq!(passkeys(&service, person.id).await, []);
}
