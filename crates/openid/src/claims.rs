//! The claims of tokens and of the userinfo endpoint, read leniently: a claim with another type than expected counts as
//! absent. The checks in [`crate::tokens`] refuse a token whose decisive claims are absent.

use serde_json::{Map, Value};

/// The claims of a token, or the response of the userinfo endpoint.
pub(crate) type JsonObject = Map<String, Value>;

/// Returns true if there is a claim with this name. `null` counts as absent.
pub(crate) fn is_present(claims: &JsonObject, name: &str) -> bool {
    claims.get(name).is_some_and(|value| !value.is_null())
}

/// Returns the text of a claim, unless it is empty.
pub(crate) fn text<'c>(claims: &'c JsonObject, name: &str) -> Option<&'c str> {
    let text = claims.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty())
}

/// Returns the time in a claim, in seconds since the Unix epoch. Fractions are cut off.
pub(crate) fn time(claims: &JsonObject, name: &str) -> Option<u64> {
    let value = claims.get(name)?;
    let seconds = || value.as_f64().filter(|seconds| *seconds >= 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and the value is not negative"
    )]
    value.as_u64().or_else(|| seconds().map(|it| it as u64))
}

/// Returns true if a claim is true. Providers write it as `true`, as a text such as `True`, or as 1.
pub(crate) fn is_true(claims: &JsonObject, name: &str) -> bool {
    match claims.get(name) {
        Some(Value::Bool(is_true)) => *is_true,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true") || text == "1",
        Some(Value::Number(number)) => number.as_u64() == Some(1),
        _ => false,
    }
}

/// Returns the texts of a claim that is a text or a list, such as an audience. Other values are left out.
pub(crate) fn texts<'c>(claims: &'c JsonObject, name: &str) -> Vec<&'c str> {
    match claims.get(name) {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the values of the claim that decides about roles; `None` if there is no such claim. `path` is the name of
/// the claim, or names with dots between them that lead into objects, such as `realm_access.roles` (Keycloak).
pub(crate) fn values(claims: &JsonObject, path: &str) -> Option<Vec<String>> {
    find(claims, path).map(read_values)
}

/// Returns the member at a path. Names can have dots themselves (`resource_access.my.client.roles`,
/// `https://example.com/roles`), so each beginning of the path that is the name of a member is tried, the whole path
/// first.
fn find<'c>(claims: &'c JsonObject, path: &str) -> Option<&'c Value> {
    if let Some(value) = claims.get(path).filter(|value| !value.is_null()) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(dot, _)| {
        let (name, rest) = (&path[..dot], &path[dot + 1..]);
        let inner = claims.get(name).and_then(Value::as_object);
        inner.and_then(|inner| find(inner, rest))
    })
}

/// Returns the values of a claim. The values of an object are its names, as in the roles of ZITADEL: `{"admin":
/// {"1234": "example.com"}}`. A name with `false` or `null` does not count.
fn read_values(claim: &Value) -> Vec<String> {
    match claim {
        Value::Array(values) => values.iter().filter_map(read_value).collect(),
        Value::Object(members) => {
            let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
            let set = members.iter().filter(|(_, value)| is_set(value));
            set.map(|(name, _)| name.clone()).collect()
        }
        other => read_value(other).into_iter().collect(),
    }
}

fn read_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{JsonObject, is_true, time, values};

    fn claims(value: Value) -> JsonObject {
        match value {
            Value::Object(claims) => claims,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn roles_are_found_in_texts_lists_and_objects() {
        let object =
            json!({"admin": {"1": "example.com"}, "old": false, "older": null, "user": {}});
        for (claim, expected) in [
            (json!("admin"), vec!["admin"]),
            (json!(["admin", 7, ["x"], true]), vec!["admin", "7", "true"]),
            (json!([]), vec![]),
            (json!(""), vec![""]),
            (json!(true), vec!["true"]),
            (object, vec!["admin", "user"]),
        ] {
            let found = values(&claims(json!({"roles": claim.clone()})), "roles");
            assert_eq!(found.unwrap(), expected, "{claim}");
        }
    }

    #[test]
    fn path_leads_into_objects_whose_names_may_have_dots() {
        let all = claims(json!({
            "realm_access": {"roles": ["a"], "none": null},
            "resource_access": {"my.client": {"roles": ["b"]}, "my": {"client": 3}},
            "https://example.com/roles": ["c"],
            "realm_access.flat": "d",
        }));
        for (path, expected) in [
            ("realm_access.roles", Some("a")),
            ("resource_access.my.client.roles", Some("b")),
            ("https://example.com/roles", Some("c")),
            ("realm_access.flat", Some("d")),
            ("realm_access.none", None),
            ("realm_access.roles.more", None),
            ("realm_access.", None),
            ("roles", None),
            (".", None),
        ] {
            let found = values(&all, path);
            let expected = expected.map(|value| vec![value.to_owned()]);
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn times_and_answers_are_read_in_the_forms_that_providers_use() {
        for (value, expected) in [
            (json!(7), Some(7)),
            (json!(7.9), Some(7)),
            (json!(-1), None),
            (json!(1e300), Some(u64::MAX)),
            (json!("7"), None),
            (json!(null), None),
        ] {
            let found = time(&claims(json!({"exp": value.clone()})), "exp");
            assert_eq!(found, expected, "{value}");
        }
        let yes = json!([true, "True", "true", 1, "1"]);
        let no = json!([false, "no", 2, [true], null]);
        let yes = yes.as_array().unwrap();
        for value in yes.iter().chain(no.as_array().unwrap()) {
            let found = is_true(&claims(json!({"it": value})), "it");
            assert_eq!(found, yes.contains(value), "{value}");
        }
    }
}
