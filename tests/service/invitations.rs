//! Registration that is closed, or that needs an invitation; the setup link; the page with the invitations.

use std::time::Duration;

use axum::http::Method;
use futures_util::future::join_all;
use runtime::Environment;
use serde_json::{Value, json};
use shared::auth::RegistrationMode;
use shared::models::Role;
use tests::assertions::AssertText;
use tests::browser::{PageClient, textarea};
use tests::people::PASSWORD;
use tests::service::{Answer, PUBLIC_URL, Service};

const PAGE: &str = "/administration";
const INVITE: &str = "/administration/invite";
const REVOKE: &str = "/administration/revoke";

const INVALID: &str = "is invalid, has expired or has already been used; ask for a new one";

/// The accepted languages, and the sentence of the closed sign-up page in each.
const CLOSED: [(&str, &str); 4] = [
    ("en", "This server accepts no new accounts."),
    ("fr", "pas de nouveaux comptes."),
    ("it", "Questo server non accetta nuovi account."),
    ("ja", "このサーバーでは新しいアカウントを作成できません。"),
];

async fn service(registration: RegistrationMode) -> Service {
    with_registration(Service::empty().await, registration)
}

fn with_registration(service: Service, registration: RegistrationMode) -> Service {
    let environment = Environment {
        registration,
        ..service.environment.clone()
    };
    service.with_environment(environment)
}

/// Registers a user with an invitation, which is left out if it is null.
async fn register(service: &Service, name: &str, invitation: impl Into<Value>) -> Answer {
    let body = json!({
        "username": name, "email": format!("{name}@example.com"), "password": PASSWORD,
        "invitation": invitation.into()
    });
    let path = "/v1/auth/register";
    service.json(Method::POST, path, None, &body).await
}

/// Makes an invitation as the operator, and returns its code.
async fn invite(service: &Service, days: u64) -> String {
    let link = cli::user::invite(&service.database(), days, PUBLIC_URL).await;
    code_of(&link.unwrap())
}

fn code_of(link: &str) -> String {
    let code = link.strip_prefix("https://kiroku.test/sign-up?invitation=");
    code.unwrap_or_else(|| panic!("{link}")).to_owned()
}

fn assert_invalid(answer: &Answer) {
    answer.assert_status(400);
    assert_eq!(answer.data(), json!({"invitation": INVALID}));
}

#[tokio::test]
async fn closed_registration_is_refused_with_its_reason() {
    let service = service(RegistrationMode::Closed).await;
    let code = invite(&service, 7).await;
    for invitation in [Value::Null, json!(code), json!("nonsense"), json!(7)] {
        let answer = register(&service, "taki", invitation).await;
        answer.assert_status(403);
        let envelope = answer.envelope();
        assert_eq!(envelope["data"], "Registration is closed.", "{envelope}");
    }
    // An invalid body does not hide that registration is closed.
    let answer = service
        .json(Method::POST, "/v1/auth/register", None, &json!({}))
        .await;
    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn pages_of_a_closed_server_say_so_and_do_not_link_to_the_sign_up() {
    for mode in [RegistrationMode::Closed, RegistrationMode::Invite] {
        let service = service(mode).await;
        let mut browser = PageClient::new(&service);
        for path in ["/", "/sign-in", "/anime", "/statistics"] {
            let page = browser.get(path).await.text();
            assert!(!page.contains("/sign-up"), "{path}: {page}");
        }
    }
    let open = Service::empty().await;
    for path in ["/", "/sign-in", "/anime"] {
        let page = PageClient::new(&open).get(path).await.text();
        assert!(page.contains("href=\"/sign-up"), "{path}: {page}");
    }
    let closed = service(RegistrationMode::Closed).await;
    for (language, sentence) in CLOSED {
        let mut browser = PageClient::new(&closed);
        browser.languages = language;
        let page = browser.get("/sign-up").await;
        assert_eq!(page.status, 200);
        page.assert_has(sentence);
        page.assert_lacks("<form method=\"post\"");
    }
}

#[tokio::test]
async fn invitation_makes_one_account() {
    let service = service(RegistrationMode::Invite).await;
    let without = register(&service, "taki", Value::Null).await;
    assert_eq!(without.status, 400);
    assert_eq!(
        without.data(),
        json!({"invitation": "is required; registration on this server needs an invitation"})
    );
    let code = invite(&service, 7).await;
    // Attempts that fail for another reason leave the invitation valid.
    for name in ["a b", "x"] {
        let answer = register(&service, name, code.as_str()).await;
        assert!(answer.data()["username"].is_string(), "{answer:?}");
    }
    service.person("taken").await;
    let taken = register(&service, "taken", code.as_str()).await;
    taken.assert_status(409);
    let answer = register(&service, "taki", code.as_str()).await;
    answer.assert_status(200);
    assert_eq!(answer.data()["user"]["role"], 0);
    assert_invalid(&register(&service, "mitsuha", code.as_str()).await);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn concurrent_registrations_with_an_invitation_make_one_account() {
    let service = service(RegistrationMode::Invite).await;
    let code = invite(&service, 7).await;
    let register = async |number: usize| {
        let name = format!("user{number}");
        let answer = register(&service, &name, code.as_str()).await;
        answer.status.as_u16()
    };
    let mut statuses = join_all((0..10).map(register)).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![400; 9]].concat());
    let users = service.users().list(None, None, 100).await.unwrap();
    assert_eq!(users.users.len(), 1);
}

#[tokio::test]
async fn invalid_invitations_are_refused_alike() {
    let service = service(RegistrationMode::Invite).await;
    let code = invite(&service, 1).await;
    // The random numbers of the tests repeat, so the second code of another service is the first one to differ.
    let other = self::service(RegistrationMode::Invite).await;
    invite(&other, 1).await;
    let foreign = invite(&other, 1).await.replacen("01-", "00-", 1);
    let other_slot = code.replacen("00-", "01-", 1);
    let malformed = ["x", "00-", "99-00000000000000000000000000000000", "00-é"];
    let texts = malformed.into_iter().map(str::to_owned);
    for invitation in texts.chain([foreign, other_slot, format!("{code}0")]) {
        assert_invalid(&register(&service, "taki", invitation.as_str()).await);
        let path = format!("/sign-up?invitation={}", invitation.replace('é', "%C3%A9"));
        let page = PageClient::new(&service).get(&path).await.text();
        page.assert_has("The invitation is invalid, has");
    }
    assert_invalid(&register(&service, "taki", 7).await);
    // A taken name is not revealed to a caller without a valid invitation.
    service.person("taken").await;
    let unknown = "00-00000000000000000000000000000000";
    assert_invalid(&register(&service, "taken", unknown).await);
    service.clock.advance(Duration::from_secs(24 * 60 * 60 - 1));
    let page = PageClient::new(&service)
        .get(&format!("/sign-up?invitation={code}"))
        .await;
    assert!(page.text().contains("name=\"username\""));
    service.clock.advance(Duration::from_secs(1));
    assert_invalid(&register(&service, "taki", code.as_str()).await);
}

#[tokio::test]
async fn open_registration_needs_no_invitation() {
    let service = Service::empty().await;
    let answer = register(&service, "taki", Value::Null).await;
    assert_eq!(answer.status, 200);
    assert_invalid(&register(&service, "mitsuha", "nonsense").await);
}

#[tokio::test]
async fn administrator_invites_on_the_page_and_the_link_signs_up() {
    let service = service(RegistrationMode::Invite).await;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let mut browser = PageClient::signed_in(&service, &chief).await;
    let page = browser.get(PAGE).await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("No invitation is valid."));
    for days in ["0", "91", "x", ""] {
        let refused = browser.submit(&page, INVITE, &[("days", days)]).await;
        assert_eq!(refused.status, 400, "{days}");
    }
    let made = browser.submit(&page, INVITE, &[("days", "7")]).await;
    made.assert_status(200);
    let link = textarea(&made);
    let code = code_of(&link);
    // The link is shown once, and only its digest is stored.
    let page = browser.get(PAGE).await.text();
    page.assert_lacks(&code);
    page.assert_has("Valid until 21 November 2023");
    let stored = format!("{:?}", service.rows("Throttle").await);
    stored.assert_lacks(&code.after("-"));

    // The invitation outlives the administrator.
    service
        .delete_as(&chief.token, &format!("/v1/user/{}", chief.id.get()))
        .await;
    let mut guest = PageClient::new(&service);
    let form = guest.get(&link).await;
    let invalid = [("username", "a b"), ("email", "g@example.com")];
    let again = guest.submit(&form, "/sign-up", &invalid).await;
    assert_eq!(again.status, 400);
    let valid = format!("username=guest&email=guest@example.com&password={PASSWORD}");
    let done = guest.submit_encoded(&again, "/sign-up", &valid).await;
    done.assert_status(303);
    assert_eq!(guest.get("/profile").await.status, 200);
    let late = PageClient::new(&service).get(&link).await.text();
    late.assert_has("already been used. Ask for a new one.");
}

#[tokio::test]
async fn revoked_invitation_is_invalid() {
    let service = service(RegistrationMode::Invite).await;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let mut browser = PageClient::signed_in(&service, &chief).await;
    let (first, second) = (invite(&service, 1).await, invite(&service, 2).await);
    let page = browser.get(PAGE).await;
    let digests = page.all_between("name=\"invitation\" value=\"", "\"");
    assert_eq!(digests.len(), 2, "{}", page.text());
    for _ in 0..2 {
        let fields = [("invitation", digests[0].as_str())];
        let revoked = browser.submit(&page, REVOKE, &fields).await;
        assert_eq!(revoked.status, 303);
    }
    let page = browser.get("/administration?done=revoked").await.text();
    page.assert_has("The invitation has been revoked.");
    assert_invalid(&register(&service, "taki", first.as_str()).await);
    let answer = register(&service, "taki", second.as_str()).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn invitations_are_limited_and_expired_ones_make_room() {
    let service = service(RegistrationMode::Invite).await;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    for _ in 0..50 {
        invite(&service, 1).await;
    }
    let mut browser = PageClient::signed_in(&service, &chief).await;
    let page = browser.get(PAGE).await;
    let full = browser.submit(&page, INVITE, &[("days", "7")]).await;
    assert_eq!(full.status, 409);
    assert!(full.text().contains("there are 50 invitations already"));
    let refused = cli::user::invite(&service.database(), 7, PUBLIC_URL).await;
    let reason = refused.unwrap_err().to_string();
    reason.assert_has("there are 50 invitations already");
    service.clock.advance(Duration::from_hours(24));
    let code = invite(&service, 1).await;
    assert_eq!(register(&service, "taki", code).await.status, 200);
}

#[tokio::test]
async fn only_administrators_see_and_change_invitations() {
    let service = service(RegistrationMode::Invite).await;
    invite(&service, 7).await;
    for role in [Role::Basic, Role::Moderator] {
        let name = format!("role{}", u8::from(role));
        let person = service.person_with_role(&name, role).await;
        let mut browser = PageClient::signed_in(&service, &person).await;
        let refused = browser.get(PAGE).await;
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("Only administrators can do this."));
        let profile = browser.get("/profile").await;
        assert!(!profile.text().contains(PAGE));
        for (path, fields) in [(INVITE, [("days", "7")]), (REVOKE, [("invitation", "x")])] {
            let refused = browser.submit(&profile, path, &fields).await;
            assert_eq!(refused.status, 403, "{path}");
        }
    }
    let anonymous = PageClient::new(&service).get(PAGE).await;
    anonymous.assert_leads_to("/sign-in?next=/administration");
}

#[tokio::test]
async fn page_says_if_invitations_are_of_no_use() {
    for (mode, text) in [
        (RegistrationMode::Open, "Nobody needs an invitation."),
        (RegistrationMode::Closed, "Invitations cannot be used."),
    ] {
        let service = service(mode).await;
        let chief = service.person_with_role("chief", Role::Administrator).await;
        let page = PageClient::signed_in(&service, &chief)
            .await
            .get(PAGE)
            .await;
        page.assert_has(text);
        assert!(!page.text().contains(INVITE));
    }
}

#[tokio::test]
async fn setup_link_makes_the_first_administrator() {
    for (mode, _) in RegistrationMode::ALL {
        // Only `kiroku serve` makes this link.
        let service = service(mode).await.as_one_process();
        let setup = async || {
            let link = cli::user::setup_link(&service.database(), PUBLIC_URL).await;
            link.unwrap().map(|link| code_of(&link))
        };
        // Each start replaces the link of the start before.
        let earlier = setup().await.unwrap();
        let code = setup().await.unwrap();
        assert_invalid(&register(&service, "thief", earlier).await);
        let page = PageClient::new(&service)
            .get(&format!("/sign-up?invitation={code}"))
            .await;
        assert!(page.text().contains("name=\"username\""), "{mode:?}");
        let answer = register(&service, "chief", code.as_str()).await;
        answer.assert_status(200);
        assert_eq!(answer.data()["user"]["role"], 2);
        assert_invalid(&register(&service, "other", code.as_str()).await);
        assert_eq!(setup().await, None);
    }
}

/// A stranger who has registered first ends the setup link, and the next start removes it.
#[tokio::test]
async fn setup_link_ends_when_a_user_has_registered_without_it() {
    let service = service(RegistrationMode::Open).await.as_one_process();
    let setup = async || cli::user::setup_link(&service.database(), PUBLIC_URL).await;
    let code = code_of(&setup().await.unwrap().unwrap());
    service.person("first").await;
    assert_invalid(&register(&service, "second", code.as_str()).await);
    let page = format!("/sign-up?invitation={code}");
    let page = PageClient::new(&service).get(&page).await.text();
    page.assert_lacks("name=\"username\"");
    assert_eq!(setup().await.unwrap(), None);
    assert_invalid(&register(&service, "thief", code).await);
}

#[tokio::test]
async fn setup_link_expires_after_24_hours() {
    let service = service(RegistrationMode::Closed).await;
    let link = cli::user::setup_link(&service.database(), PUBLIC_URL).await;
    let code = code_of(&link.unwrap().unwrap());
    service.clock.advance(Duration::from_hours(24));
    assert_invalid(&register(&service, "chief", code).await);
}
