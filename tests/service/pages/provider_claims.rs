//! Tokens, claims, metadata and responses in the forms in which identity providers send them. Only values on which a
//! sign-in depends are checked. No other detail makes a sign-in fail.

use std::time::Duration;

use axum::http::StatusCode;
use openid::RoleRule;
use serde_json::{Value, json};
use shared::models::Role;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::provider::{SUBJECT, Signing, UserInfoForm, connect};
use tests::service::{Answer, Service};
use tests::table::table;

use super::account;
use super::provider::{back_from_provider, create_account, sign_in, with_connected_user};

/// The status of the page for a response that is refused.
const REFUSED: StatusCode = StatusCode::BAD_GATEWAY;

async fn role(service: &Service, person: &Person) -> Role {
    account(service, person.id).await.user.role
}

#[track_caller]
fn assert_signed_in(answer: &Answer, case: &str) {
    assert_eq!(
        answer.status,
        StatusCode::SEE_OTHER,
        "{case}: {}",
        answer.text()
    );
    answer.assert_leads_to("/profile");
}

async fn two_administrators(service: &Service) -> [Person; 2] {
    [
        service.person_with_role("taki", Role::Administrator).await,
        service
            .person_with_role("mitsuha", Role::Administrator)
            .await,
    ]
}

fn rule(claim: &str) -> RoleRule {
    RoleRule {
        claim: claim.to_owned(),
        admin_value: Some("admins".to_owned()),
        moderator_value: Some("moderators".to_owned()),
        required_value: None,
    }
}

#[tokio::test]
async fn token_for_several_audiences_is_accepted_if_this_service_has_asked_for_it() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    for (claims, status) in [
        (
            json!({"aud": ["kiroku", "project-1"], "azp": "kiroku"}),
            StatusCode::OK,
        ),
        (
            json!({"aud": ["project-1", "kiroku", "other-client"], "azp": "kiroku"}),
            StatusCode::OK,
        ),
        (json!({"aud": ["kiroku", "kiroku"]}), StatusCode::OK),
        (json!({"aud": ["kiroku", "project-1"]}), REFUSED),
        (json!({"aud": ["kiroku", "other"], "azp": "other"}), REFUSED),
        (json!({"aud": ["project-1"], "azp": "kiroku"}), REFUSED),
        (json!({"aud": "project-1", "azp": "kiroku"}), REFUSED),
        (json!({"aud": ["kiroku", "x"], "azp": ["kiroku"]}), REFUSED),
    ] {
        fake.set_claims(claims.clone());
        assert_eq!(sign_in(&service, &fake).await.status, status, "{claims}");
    }
}

#[tokio::test]
async fn operator_can_trust_further_audiences() {
    let (service, fake) =
        Service::with_provider(|settings| settings.trusted_audiences = vec!["api".to_owned()])
            .await;
    for (audiences, status) in [
        (json!(["kiroku", "api"]), StatusCode::OK),
        (json!(["kiroku", "api", "other"]), REFUSED),
        (json!(["api"]), REFUSED),
        (json!("api"), REFUSED),
    ] {
        fake.set_claims(json!({"aud": audiences}));
        assert_eq!(sign_in(&service, &fake).await.status, status, "{audiences}");
    }
}

#[tokio::test]
async fn claims_that_are_not_needed_break_no_sign_in() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    for claim in [
        json!({"updated_at": "2026-11-27T09:00:00Z"}),
        json!({"updated_at": {"seconds": 1}}),
        json!({"address": "Itomori, Gifu"}),
        json!({"gender": 1}),
        json!({"birthdate": 19_961_001}),
        json!({"locale": ["ja"], "zoneinfo": 9}),
        json!({"name": {"given": "Mitsuha"}, "nickname": 7}),
        json!({"phone_number_verified": "yes", "phone_number": 5}),
        json!({"picture": "no URL", "profile": "", "website": 3}),
        json!({"acr": 1, "amr": "pwd", "sid": 4, "s_hash": 2}),
        json!({"auth_time": "yesterday"}),
        json!({"email_verified": "perhaps"}),
        json!({"email": ["mitsuha@example.com"]}),
        json!({"preferred_username": ["mitsuha"]}),
        json!({"preferred_username": null, "email": null, "azp": null}),
    ] {
        fake.set_claims(claim.clone());
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "ID token: {claim}");
        fake.set_claims(json!({}));
        let mut user_info = claim.clone();
        user_info["sub"] = SUBJECT.into();
        fake.state().user_info = user_info;
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "userinfo: {claim}");
    }
}

#[tokio::test]
async fn verified_addresses_are_understood_in_each_form() {
    for (verified, connects) in [
        (json!(true), true),
        (json!("true"), true),
        (json!("True"), true),
        (json!(1), true),
        (json!(false), false),
        (json!("False"), false),
        (json!(0), false),
        (json!(null), false),
    ] {
        let (service, fake) = Service::with_provider(|settings| settings.trusts_email = true).await;
        let person = service.person("taki").await;
        service.users().verify_email(person.id, 0).await.unwrap();
        fake.set_claims(json!({"email": "taki@example.com", "email_verified": verified}));
        sign_in(&service, &fake).await;
        let identity = account(&service, person.id).await.factors.identity;
        assert_eq!(identity.is_some(), connects, "{verified}");
    }
}

#[tokio::test]
async fn address_with_capital_letters_is_that_of_the_account() {
    let (service, fake) = Service::with_provider(|settings| settings.trusts_email = true).await;
    let person = service.person("taki").await;
    service.users().verify_email(person.id, 0).await.unwrap();
    fake.set_claims(json!({"email": "Taki@EXAMPLE.com", "email_verified": true}));
    assert_signed_in(&sign_in(&service, &fake).await, "capital letters");
    let identity = account(&service, person.id).await.factors.identity;
    assert_eq!(identity.unwrap().subject, SUBJECT);

    // The Kelvin sign becomes the letter k in lower case.
    let kim = service.person("kim").await;
    service.users().verify_email(kim.id, 0).await.unwrap();
    let sent = "\u{212a}im@example.com";
    fake.set_claims(json!({"sub": "stranger", "email": sent, "email_verified": true}));
    sign_in(&service, &fake).await;
    let identity = account(&service, kim.id).await.factors.identity;
    assert!(identity.is_none());

    // A new account gets the address in lower case, and it counts as verified however it is typed.
    for (typed, name) in [
        ("mitsuha@example.com", "mitsuha"),
        ("YOTSUHA@example.com", "yotsuha"),
    ] {
        let sent = format!("{}@Example.com", name.to_uppercase());
        fake.set_claims(json!({"sub": name, "email": sent, "email_verified": true}));
        let (mut browser, page) = back_from_provider(&service, &fake).await;
        let offered = format!("value=\"{name}@example.com\"");
        page.assert_has(&offered);
        let created = create_account(&mut browser, &page, name, typed).await;
        created.assert_status(303);
        let id = service.users().find_by_username(name).await.unwrap();
        let account = service.users().account(id.unwrap()).await.unwrap().unwrap();
        assert!(account.email_verified, "{typed}");
    }
}

#[tokio::test]
async fn answer_of_the_token_endpoint_may_have_odd_members() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    for (members, status) in [
        (json!({"expires_in": "300"}), StatusCode::OK),
        (json!({"expires_in": 300.5}), StatusCode::OK),
        (json!({"expires_in": null}), StatusCode::OK),
        (json!({"token_type": "bearer"}), StatusCode::OK),
        (json!({"token_type": null}), StatusCode::OK),
        (json!({"scope": ["openid", "email"]}), StatusCode::OK),
        (json!({"scope": ""}), StatusCode::OK),
        (json!({"refresh_token": 7}), StatusCode::OK),
        (json!({"id_token": null}), REFUSED),
        (json!({"id_token": 7}), REFUSED),
        (json!({"id_token": ""}), REFUSED),
    ] {
        let Value::Object(answer) = members.clone() else {
            unreachable!()
        };
        fake.state().token_answer = answer;
        assert_eq!(sign_in(&service, &fake).await.status, status, "{members}");
    }
}

#[tokio::test]
async fn metadata_may_have_empty_and_odd_members() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    for metadata in [
        json!({"registration_endpoint": "", "op_policy_uri": "", "op_tos_uri": "", "service_documentation": ""}),
        json!({"userinfo_endpoint": ""}),
        json!({"userinfo_endpoint": null, "end_session_endpoint": 7}),
        json!({"response_types_supported": null, "subject_types_supported": null}),
        json!({"scopes_supported": "openid", "claims_supported": 7, "grant_types_supported": [null]}),
        json!({"id_token_signing_alg_values_supported": null}),
        json!({"id_token_signing_alg_values_supported": []}),
        json!({"id_token_signing_alg_values_supported": "ES256"}),
        json!({"id_token_signing_alg_values_supported": ["ES256", "new", 7]}),
        json!({"userinfo_signing_alg_values_supported": {}}),
        json!({"claims_parameter_supported": "yes", "request_uri_parameter_supported": ""}),
        json!({"ui_locales_supported": "de-DE en", "display_values_supported": [1]}),
    ] {
        service.clock.advance(Duration::from_mins(61));
        fake.set_metadata(metadata.clone());
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "{metadata}");
    }
}

#[tokio::test]
async fn signed_user_info_is_read_with_the_algorithms_that_the_metadata_name() {
    for (algorithms, is_read) in [
        (json!(["ES256"]), true),
        (json!(["RS256", "none", "ES256"]), true),
        (json!(null), true),
        (json!(["RS256"]), false),
        (json!(["none"]), false),
    ] {
        let (service, fake) = Service::with_provider(|_| {}).await;
        fake.set_metadata(json!({"userinfo_signing_alg_values_supported": algorithms}));
        let issuer = fake.issuer.clone();
        fake.state().user_info_form = UserInfoForm::Signed;
        let name = "mitsuha";
        fake.state().user_info =
            json!({"iss": issuer, "aud": "kiroku", "sub": SUBJECT, "preferred_username": name});
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "{algorithms}");
        let is_named = page.text().contains("value=\"mitsuha\"");
        assert_eq!(is_named, is_read, "{algorithms}");
    }
}

#[tokio::test]
async fn user_info_that_cannot_be_trusted_is_left_out() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let issuer = fake.issuer.clone();
    for (form, claims) in [
        (UserInfoForm::Json, json!({"sub": "another"})),
        (UserInfoForm::Json, json!({"sub": null})),
        (UserInfoForm::Json, json!({"sub": 7})),
        (UserInfoForm::Signed, json!({"sub": "another"})),
        (UserInfoForm::Signed, json!({"iss": "https://evil.example"})),
        (
            UserInfoForm::Signed,
            json!({"iss": issuer, "aud": "another-client"}),
        ),
        (UserInfoForm::SignedWithSecret, json!({})),
        (UserInfoForm::List, json!({})),
        (UserInfoForm::Fails, json!({})),
    ] {
        let mut user_info = json!({"sub": SUBJECT, "preferred_username": "mitsuha"});
        let members = claims.as_object().unwrap().clone();
        user_info.as_object_mut().unwrap().extend(members);
        fake.state().user_info = user_info;
        fake.state().user_info_form = form;
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "{form:?} {claims}");
        assert!(!page.text().contains("mitsuha"), "{form:?} {claims}");
    }
}

#[tokio::test]
async fn user_info_that_fails_refuses_no_user_and_changes_no_role() {
    let (service, fake) =
        Service::with_provider(|settings| settings.roles = Some(rule("groups"))).await;
    let [person, _] = two_administrators(&service).await;
    connect(&service, &fake, &person).await;
    fake.state().user_info = json!({"sub": SUBJECT, "groups": []});
    for form in [UserInfoForm::Fails, UserInfoForm::Hangs] {
        fake.state().user_info_form = form;
        assert_signed_in(&sign_in(&service, &fake).await, &format!("{form:?}"));
        assert_eq!(role(&service, &person).await, Role::Administrator);
    }
    // The same response takes the role away when the service can read it.
    fake.state().user_info_form = UserInfoForm::Json;
    assert_signed_in(&sign_in(&service, &fake).await, "JSON");
    assert_eq!(role(&service, &person).await, Role::Basic);
}

#[tokio::test]
async fn roles_come_from_nested_claims_objects_and_texts() {
    let cases = r#"
        realm_access.roles | {"realm_access": {"roles": ["moderators"]}} | moderator
        resource_access.kiroku.app.roles | {"resource_access": {"kiroku.app": {"roles": ["admins"]}}} | admin
        urn:zitadel:iam:org:project:roles | {"urn:zitadel:iam:org:project:roles": {"admins": {"1": "a.com"}}} | admin
        https://example.com/roles | {"https://example.com/roles": "moderators"} | moderator
        roles | {"roles": {"admins": false, "moderators": {}}} | moderator
        roles | {"roles": ["family", 7, null, "admins"]} | admin
        roles | {"roles": "admins-of-another"} | basic"#;
    for [claim, claims, expected] in table(cases) {
        let claims: Value = serde_json::from_str(claims).unwrap();
        let expected = match expected {
            "admin" => Role::Administrator,
            "moderator" => Role::Moderator,
            _ => Role::Basic,
        };
        for in_user_info in [false, true] {
            let (service, fake, person) =
                with_connected_user(|settings| settings.roles = Some(rule(claim))).await;
            if in_user_info {
                let mut claims = claims.clone();
                claims["sub"] = SUBJECT.into();
                fake.state().user_info = claims;
            } else {
                fake.set_claims(claims.clone());
            }
            assert_signed_in(&sign_in(&service, &fake).await, claim);
            assert_eq!(role(&service, &person).await, expected, "{claims}");
        }
    }
}

#[tokio::test]
async fn missing_role_claim_changes_no_role() {
    let (service, fake) =
        Service::with_provider(|settings| settings.roles = Some(rule("realm_access.roles"))).await;
    let person = service.person_with_role("taki", Role::Moderator).await;
    connect(&service, &fake, &person).await;
    for claims in [
        json!({}),
        json!({"realm_access": null}),
        json!({"realm_access": {"roles": null}}),
        json!({"realm_access": {}, "roles": ["admins"]}),
    ] {
        fake.set_claims(claims.clone());
        assert_signed_in(&sign_in(&service, &fake).await, &claims.to_string());
        assert_eq!(role(&service, &person).await, Role::Moderator, "{claims}");
    }
    fake.set_claims(json!({"realm_access": {"roles": []}}));
    assert_signed_in(&sign_in(&service, &fake).await, "empty");
    assert_eq!(role(&service, &person).await, Role::Basic);
}

#[tokio::test]
async fn last_administrator_keeps_the_role_without_the_claim() {
    let (service, fake) =
        Service::with_provider(|settings| settings.roles = Some(rule("groups"))).await;
    let person = service.person_with_role("taki", Role::Administrator).await;
    connect(&service, &fake, &person).await;
    for groups in [json!([]), json!(["moderators"])] {
        fake.set_claims(json!({"groups": groups}));
        assert_signed_in(&sign_in(&service, &fake).await, "the last one");
        assert_eq!(role(&service, &person).await, Role::Administrator);
    }
    service
        .person_with_role("mitsuha", Role::Administrator)
        .await;
    assert_signed_in(&sign_in(&service, &fake).await, "one of two");
    assert_eq!(role(&service, &person).await, Role::Moderator);
}

#[tokio::test]
async fn of_two_administrators_who_lose_the_claim_at_the_same_time_one_stays() {
    let service = Service::empty().await;
    let [one, two] = two_administrators(&service).await;
    let users = service.users();
    let (first, second) = tokio::join!(
        users.demote_administrator(one.id, Role::Basic),
        users.demote_administrator(two.id, Role::Basic),
    );
    assert_ne!(first.unwrap(), second.unwrap());
    let roles = [role(&service, &one).await, role(&service, &two).await];
    assert!(roles.contains(&Role::Administrator) && roles.contains(&Role::Basic));
}

#[tokio::test]
async fn person_without_the_required_value_cannot_sign_in() {
    let required = RoleRule {
        claim: "groups".to_owned(),
        required_value: Some("kiroku-users".to_owned()),
        ..RoleRule::default()
    };
    let (service, fake, person) =
        with_connected_user(|settings| settings.roles = Some(required)).await;
    for claims in [
        json!({}),
        json!({"groups": []}),
        json!({"groups": ["family"]}),
    ] {
        fake.set_claims(claims.clone());
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::FORBIDDEN, "{claims}");
        page.assert_has("may not be used to sign in here");
        let mut browser = PageClient::signed_in(&service, &person).await;
        let page = browser
            .go_to_provider(&fake, "/sign-in/provider/prove")
            .await;
        assert_eq!(page.status, StatusCode::FORBIDDEN, "{claims}");
    }
    // A person without an account gets no form.
    fake.set_claims(json!({"sub": "new", "groups": ["family"]}));
    let page = sign_in(&service, &fake).await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);

    fake.set_claims(json!({"groups": ["family", "kiroku-users"]}));
    assert_signed_in(&sign_in(&service, &fake).await, "allowed");
    // The group only allows the sign-in. The role stays as it was.
    assert_eq!(role(&service, &person).await, Role::Basic);
    // If the groups can only come from the userinfo endpoint, and it fails, the page does not say that the person is
    // not allowed.
    fake.set_claims(json!({}));
    fake.state().user_info_form = UserInfoForm::Fails;
    let page = sign_in(&service, &fake).await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    fake.state().user_info_form = UserInfoForm::Json;
    fake.state().user_info = json!({"sub": SUBJECT, "groups": "kiroku-users"});
    assert_signed_in(&sign_in(&service, &fake).await, "userinfo");
}

/// Signatures are checked strictly: a token that is signed in another way than the metadata name is refused.
#[tokio::test]
async fn provider_without_a_list_of_algorithms_cannot_use_the_secret_or_none() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_metadata(json!({"id_token_signing_alg_values_supported": null}));
    for signing in [
        Signing::None,
        Signing::ClientSecret,
        Signing::PublicKeyAsSecret,
    ] {
        fake.state().signing = signing;
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, REFUSED, "{signing:?}");
    }
}
