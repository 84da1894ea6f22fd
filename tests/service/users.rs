//! The user endpoints.

use aws_sdk_dynamodb::types::AttributeValue;
use cli::migrations::MIGRATIONS;
use serde_json::{Value, json};
use shared::input::cursor;
use shared::models::{Role, UserId};
use tests::assertions::{AssertFields, AssertText};
use tests::crowd;
use tests::people::{PASSWORD, Person};
use tests::rows::row;
use tests::service::{Answer, Service};
use tests::trackers::{TOKEN, VIEWER};

async fn update(service: &Service, person: &Person, body: &Value) -> Answer {
    let mut body = body.clone();
    body["id"] = json!(person.id);
    service.post_as(&person.token, "/v1/user", &body).await
}

fn names(answer: &Answer) -> Vec<String> {
    let data = answer.data();
    let rows = data.as_array().unwrap().iter();
    rows.map(|row| row["username"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn private_fields_of_a_user_are_hidden() {
    let (service, person) = Service::with_person("taki").await;
    let obscured = json!({
        "id": person.id, "username": "taki", "role": 0, "avatar": "", "gender": 0,
        "has_tracker_a": false, "has_tracker_b": false
    });
    let path = format!("/v1/user/{}", person.id.get());
    for answer in [
        service.get(&path).await,
        service.get_as(&person.token, &path).await,
    ] {
        assert_eq!(answer.data(), obscured);
        assert_eq!(answer.header("cache-control"), "private, no-store");
    }
    assert_eq!(service.get("/v1/user").await.data(), json!([obscured]));
    let by_email = service.get_as(&person.token, "/v1/user?email=taki@example.com");
    assert_eq!(by_email.await.data(), json!([obscured]));
    for (path, status) in [
        ("/v1/user/2", 404),
        ("/v1/user/9007199254740991", 404),
        ("/v1/user/0", 400),
        ("/v1/user/x", 400),
    ] {
        assert_eq!(service.get(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn users_are_listed_by_name_and_filtered_by_substring() {
    let service = Service::empty().await;
    for name in ["Zoro", "anatole", "Nate", "nat_1", "NAT-2", "bob", "x_nat"] {
        service.person(name).await;
    }
    let all = ["anatole", "bob", "NAT-2", "nat_1", "Nate", "x_nat", "Zoro"];
    let with_nat = ["anatole", "NAT-2", "nat_1", "Nate", "x_nat"];
    for (query, found) in [
        ("", &all[..]),
        ("username=", &all),
        ("username=nat", &with_nat),
        ("username=NAT", &with_nat),
        ("username=^nat", &["NAT-2", "nat_1", "Nate"]),
        ("username=%5ENat-", &["NAT-2"]),
        ("username=nat_", &["nat_1"]),
        // Wildcards have no meaning, and no name contains these characters.
        ("username=%25", &[]),
        ("username=nat%20", &[]),
        ("username=nat.", &[]),
        ("username=^x", &["x_nat"]),
        ("username=^", &all),
        ("username=nobody", &[]),
        ("username=^nobody", &[]),
        ("unknown=1", &all),
    ] {
        let whole = service.get(&format!("/v1/user?{query}")).await;
        assert_eq!(names(&whole), found, "{query}");
        assert_eq!(whole.next(), None, "{query}");
        // The pages together are the same list for every size.
        for per_page in 1..=3 {
            let mut path = Some(format!("/v1/user?{query}&per_page={per_page}"));
            let mut paged = Vec::new();
            while let Some(next) = path {
                let page = service.get(&next).await;
                assert!(names(&page).len() <= per_page);
                paged.extend(names(&page));
                path = page.next();
            }
            assert_eq!(paged, found, "{query} by {per_page}");
        }
    }
}

/// Earlier versions replaced `-` and `_` by a space when folding names. Now only the case is folded.
#[tokio::test]
async fn names_folded_by_an_earlier_version_are_upgraded() {
    let service = Service::empty().await;
    let fold_as_before = async |person: &Person, folded: &str, unique_value: &str| {
        let (id, name) = (json!({"id": person.id}), json!({"username_folded": folded}));
        service.change_row("User", id, row(name)).await;
        let old = json!({"value": unique_value});
        service.delete_row("Unique", old).await;
        let new = json!({"value": format!("username#{folded}"), "user_id": person.id});
        service.put_row("Unique", row(new)).await;
    };
    let old = service.person("Your_Name").await;
    service.person("taki").await;
    fold_as_before(&old, "your name", "username#your_name").await;
    let sign_in = async || {
        let answer = service.login("your_name", PASSWORD).await;
        answer.status.as_u16()
    };
    assert_eq!(sign_in().await, 401);
    let fold = MIGRATIONS[0].make;
    let upgrade = async || fold(&service.database()).await.unwrap();
    assert_eq!(upgrade().await.as_deref(), Some("Upgraded 1 user names."));
    assert_eq!(sign_in().await, 200);
    let found = service.get("/v1/user?username=r_n").await;
    assert_eq!(names(&found), ["Your_Name"]);
    assert_eq!(service.register("YOUR_NAME").await.status, 409);
    assert_eq!(upgrade().await, None);

    // If another user has registered the name since then, neither row is changed.
    let other = service.person("an-other").await;
    fold_as_before(&other, "an other", "username#an-other").await;
    service.person("AN-other").await;
    let report = upgrade().await.unwrap();
    report.assert_has("User 3 cannot sign in by name");
    let both = names(&service.get("/v1/user?username=^an").await);
    assert_eq!(both, ["an-other", "AN-other"]);
}

#[tokio::test]
async fn invalid_list_parameters_are_rejected() {
    let service = Service::empty().await;
    let cursor = {
        service.person("one").await;
        service.person("two").await;
        let page = service.get("/v1/user?per_page=1").await;
        page.next().unwrap().after("cursor=")
    };
    for (query, field) in [
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("cursor=x", "cursor"),
        (
            &format!("cursor={}", cursor::encode("user", "", &String::new())),
            "cursor",
        ),
        (
            &format!("cursor={}", cursor::encode("user", "", &"x".repeat(1024))),
            "cursor",
        ),
        (&format!("cursor={cursor}&username=o"), "cursor"),
        (&format!("username={}", "x".repeat(501)), "username"),
        ("username=a&username=b", "username"),
        ("username=%ff", "username"),
    ] {
        let answer = service.get(&format!("/v1/user?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.data()[field].is_string(), "{query}");
    }
}

/// A forged cursor returns only public data and causes no server error.
#[tokio::test]
async fn forged_cursors_are_harmless() {
    let service = Service::empty().await;
    for name in ["anna", "bert", "carl"] {
        service.person(name).await;
    }
    let ask = async |query: &str, filters: &str, after: &str| {
        let cursor = cursor::encode("user", filters, &after.to_owned());
        names(
            &service
                .get(&format!("/v1/user?{query}&cursor={cursor}"))
                .await,
        )
    };
    assert_eq!(ask("", "", "anna").await, ["bert", "carl"]);
    assert_eq!(ask("", "", "\u{10ffff}").await, Vec::<String>::new());
    let prefix = "username=^b\n";
    assert_eq!(ask("username=^b", prefix, "a").await, ["bert"]);
    assert_eq!(
        ask("username=^b", prefix, "zzz").await,
        Vec::<String>::new()
    );
    let longest = "a".repeat(1023);
    assert_eq!(ask("username=^b", prefix, &longest).await, ["bert"]);
    let long = format!("/v1/user?username=^{}", "x".repeat(400));
    assert_eq!(names(&service.get(&long).await), Vec::<String>::new());
}

/// A prefix is found with a single query. A substring reads 1,000 names per request.
#[tokio::test]
async fn prefix_costs_one_query_and_substring_reads_1000_names() {
    let service = Service::empty().await;
    crowd::users(&service, 2500).await;
    let (client, meter) = tests::units::metered();
    let service = service.with_functions_client(client);

    let found = service.get("/v1/user?username=^user02499").await;
    assert_eq!(names(&found), ["user02499"]);
    let one = meter.take();
    assert!(one.calls == 1 && one.units <= 1.0, "{one:?}");

    let mut path = Some("/v1/user?username=r02499".to_owned());
    let mut pages = Vec::new();
    while let Some(next) = path {
        let page = service.get(&next).await;
        let read = meter.take();
        // The request reads 1,000 rows of at most 200 bytes each, at 0.5 units for every 4 KB.
        assert!(read.units <= 26.0 && read.calls <= 2, "{read:?}");
        pages.push(names(&page));
        path = page.next();
    }
    let last = pages.pop().unwrap();
    assert_eq!(last, ["user02499"]);
    assert_eq!(pages, [Vec::<String>::new(), Vec::new()]);
}

#[tokio::test]
async fn users_are_found_by_exact_email_if_signed_in() {
    let (service, person) = Service::with_person("Taki").await;
    let ask = async |email: &str| {
        let path = format!("/v1/user?email={email}");
        names(&service.get_as(&person.token, &path).await)
    };
    assert_eq!(ask("Taki@example.com").await, ["Taki"]);
    for email in [
        "Taki@EXAMPLE.com",
        "Taki@Example.com",
        "taki@example.com",
        "Taki@example",
        "aki@example.com",
        "Taki",
        "x",
    ] {
        assert_eq!(ask(email).await, Vec::<String>::new(), "{email}");
    }
    assert!(ask("Taki@example.com&username=mit").await.is_empty());
    assert_eq!(ask("Taki@example.com&username=^ta").await, ["Taki"]);
    let visitor = service.get("/v1/user?email=Taki@example.com").await;
    visitor.assert_status(401);
}

#[tokio::test]
async fn update_changes_only_the_fields_sent() {
    let (service, person) = Service::with_person("taki").await;
    let answer = update(&service, &person, &json!({"gender": 1})).await;
    assert_eq!(answer.envelope()["message"], "User updated");
    answer.data().assert_fields(json!({
        "gender": 1, "localization": "en", "email": "taki@example.com", "has_tracker_a": false, "has_tracker_b": false
    }));
    let body = json!({"gender": 2, "localization": "pt-BR", "password": null});
    let user = update(&service, &person, &body).await.data();
    user.assert_fields(json!({"gender": 2, "localization": "pt-BR"}));
    let me = async || service.get_as(&person.token, "/v1/auth/me").await.data();
    assert_eq!(me().await, user);
    let bad = json!({
        "gender": [{}, {"gender": 3}, {"gender": "1"}],
        "localization": [{"gender": 1, "localization": "x"}],
        "password": [{"gender": 1, "password": "short"}, {"gender": 1, "password": 12_345_678}],
        "tracker_a_id": [
            {"gender": 1, "tracker_a_token": "x"}, {"gender": 1, "tracker_a_id": 0, "tracker_a_token": "x"},
        ],
        "tracker_a_token": [
            {"gender": 1, "tracker_a_id": 1}, {"gender": 1, "tracker_a_id": 1, "tracker_a_token": ""},
            {"gender": 1, "tracker_a_id": 1, "tracker_a_token": "x".repeat(2049)},
        ],
    });
    for (field, bodies) in bad.as_object().unwrap() {
        for body in bodies.as_array().unwrap() {
            let answer = update(&service, &person, body).await;
            assert_eq!(answer.status, 400, "{body}");
            assert!(answer.data()[field].is_string(), "{body}");
        }
    }
    assert_eq!(me().await, user, "rejected updates must not write anything");
}

#[tokio::test]
async fn current_password_is_checked_if_sent() {
    let (service, person) = Service::with_person("taki").await;
    let change = async |current: Option<&str>, password: &str| {
        let mut body = json!({"gender": 0, "password": password});
        if let Some(current) = current {
            body["current_password"] = current.into();
        }
        update(&service, &person, &body).await
    };
    let wrong = change(Some("wrong"), "new pass word").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.data()["current_password"].is_string());
    assert_eq!(change(Some(PASSWORD), "new pass word").await.status, 200);
    assert_eq!(change(None, "newer pass word").await.status, 200);
    // Wrong passwords are also limited at this endpoint.
    for _ in 0..50 {
        assert_eq!(change(Some("wrong"), "newest pass word").await.status, 400);
    }
    let before = service.environment.passwords().hash_count();
    let limited = change(Some("newer pass word"), "newest pass word").await;
    limited.assert_status(429);
    assert_eq!(service.environment.passwords().hash_count(), before);
}

#[tokio::test]
async fn tracker_tokens_are_stored_encrypted() {
    let (service, _fakes) = Service::empty().await.with_trackers().await;
    let person = service.person("taki").await;
    let token = TOKEN;
    let body = json!({"gender": 0, "tracker_a_id": VIEWER.0, "tracker_a_token": token});
    let answer = update(&service, &person, &body).await;
    assert_eq!(answer.data()["has_tracker_a"], true);
    answer.assert_lacks(token);
    let row = async |id: UserId| {
        let key = json!({"user_id": id, "tracker": "tracker_a"});
        service.row("TrackerLink", key).await.unwrap()
    };
    let row_of_taki = row(person.id).await;
    assert!(!format!("{row_of_taki:?}").contains(token));
    let account = AttributeValue::N(VIEWER.0.to_string());
    assert_eq!(row_of_taki["account"], account);
    let sealed = row_of_taki["tokens"].as_s().unwrap();
    let sealer = service.environment.sealer().unwrap();
    let context = "tracker_a tokens of user 1";
    let opened = sealer.open(context, sealed).await.unwrap().unwrap();
    assert_eq!(opened, json!({"access": token}).to_string());
    // Ciphertext that was moved to another user or changed by one character cannot be decrypted.
    let of_another = sealer.open("tracker_a tokens of user 2", sealed).await;
    assert_eq!(of_another.unwrap(), None);
    let (kid, text) = (sealed.before("."), sealed.after("."));
    for broken in [
        format!("{kid}.A{}", &text[1..]),
        format!("1.{text}"),
        kid,
        String::new(),
    ] {
        assert!(broken == *sealed || sealer.open(context, &broken).await.unwrap().is_none());
    }
    // The same text is encrypted differently each time.
    update(&service, &person, &body).await;
    assert_ne!(row(person.id).await["tokens"].as_s().unwrap(), sealed);
}

#[tokio::test]
async fn moderator_can_update_others_but_not_their_credentials() {
    let (service, person) = Service::with_person("taki").await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    let fields = json!({"id": person.id, "localization": "fr"});
    let user = service.update_user(&moderator, &fields).await.data();
    user.assert_fields(json!({"gender": 2, "localization": "fr"}));
    assert!(user.get("email").is_none() && user.get("email_verified").is_none());
    // A response to the user must not reveal whether another user exists.
    for (by, id, status) in [
        (&moderator, 999, 404),
        (&person, 999, 403),
        (&moderator, 1 << 28, 400),
    ] {
        let answer = service.update_user(by, &json!({"id": id})).await;
        answer.assert_status(status);
    }
    // The role cannot be changed through this endpoint.
    let changed = service.update_user(&person, &json!({"role": 2})).await;
    assert_eq!(changed.data()["role"], 0);
    let unknown = cli::user::set_role(&service.database(), "nobody", Role::Moderator).await;
    assert_eq!(unknown.unwrap_err().to_string(), "there is no user nobody");
}
