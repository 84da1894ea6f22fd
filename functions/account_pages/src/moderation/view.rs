//! The content of the pages about users.

use accounts::users::Account;
use axum::response::Response;
use maud::{Markup, html};
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::MODERATION;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::models::{Role, TrackerName, UserId};

/// The users that a search has found.
pub(super) struct FoundUsers {
    /// The users, by name.
    pub accounts: Vec<Account>,
    /// The name after which the next page begins.
    pub next: Option<String>,
}

/// Returns the page with the search for users and the users that were found. `found` is `None` without a search.
pub(super) fn search_page(page: &FormPage, search: &str, found: Option<&FoundUsers>) -> Response {
    let l10n = &page.forms.l10n;
    let label = l10n.text("sign-in-name");
    let body = html! {
        (page.forms.notice())
        section aria-labelledby="users" {
            h2 #users { (l10n.text("moderation-users")) }
            form action=(MODERATION) role="search" aria-label=(l10n.text("moderation-users")) {
                div.field {
                    label for="search" { (label) }
                    p.hint #search-hint { (l10n.text("moderation-search-hint")) }
                    input type="search" id="search" name="search" value=(search) required maxlength="500"
                        autocomplete="off" autocapitalize="none" spellcheck="false"
                        aria-describedby="search-hint";
                }
                button type="submit" { (Icon::Search) (l10n.text("moderation-search-button")) }
            }
            @if let Some(found) = found { (search_results(l10n, search, found)) }
        }
        section aria-labelledby="catalogue" {
            h2 #catalogue { (l10n.text("moderation-catalogue")) }
            p { (l10n.text("moderation-catalogue-hint")) }
        }
    };
    page.show(&l10n.text("moderation-title"), body)
}

fn search_results(l10n: &Localizer, search: &str, found: &FoundUsers) -> Markup {
    html! {
        @if found.accounts.is_empty() && found.next.is_none() {
            p role="status" { (l10n.text("moderation-no-user")) }
        }
        ul.entries {
            @for account in &found.accounts {
                li {
                    div {
                        strong { (account.user.username) }
                        small { (role_name(l10n, account.user.role)) " · " (verification_state(l10n, account)) }
                    }
                    a.row href={ (MODERATION) "/user/" (account.user.id.get()) } {
                        (l10n.text("moderation-show"))
                        span.unseen { ": " (account.user.username) }
                    }
                }
            }
        }
        @if let Some(next) = &found.next {
            @let search = utf8_percent_encode(search, NON_ALPHANUMERIC);
            @let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
            p { a.row href={ (MODERATION) "?search=" (search) "&after=" (next) } { (l10n.text("moderation-more")) } }
        }
    }
}

fn verification_state(l10n: &Localizer, account: &Account) -> String {
    l10n.text(if account.email_verified {
        "moderation-verified"
    } else {
        "moderation-not-verified"
    })
}

/// The rights of a moderator over an account.
pub(super) struct Rights {
    /// Deletes it.
    pub delete: bool,
    /// Removes its picture.
    pub remove_picture: bool,
}

/// Returns the page about a user.
pub(super) fn user_page(page: &FormPage, account: &Account, rights: &Rights) -> Response {
    let l10n = &page.forms.l10n;
    let user = &account.user;
    let is_own = user.id == page.owner.account.user.id;
    let trackers = [
        (TrackerName::A, user.has_tracker_a),
        (TrackerName::B, user.has_tracker_b),
    ];
    let linked: Vec<&str> = trackers
        .into_iter()
        .filter(|(_, is_linked)| *is_linked == Some(true))
        .map(|(tracker, _)| tracker.title())
        .collect();
    let linked = if linked.is_empty() {
        l10n.text("moderation-none")
    } else {
        linked.join(", ")
    };
    let public = if account.public_profile {
        "correct-yes"
    } else {
        "correct-no"
    };
    let facts = [
        ("moderation-id", user.id.get().to_string()),
        ("moderation-role", role_name(l10n, user.role)),
        ("moderation-email", verification_state(l10n, account)),
        (
            "moderation-registered",
            l10n.unix_date(account.created_at / 1000),
        ),
        ("moderation-linked", linked),
        ("factor-kinds", kinds_of_factors(l10n, account)),
        ("profile-public", l10n.text(public)),
    ];
    let body = html! {
        (page.forms.notice())
        dl {
            @for (id, value) in &facts {
                dt { (l10n.text(id)) } dd { (value) }
            }
        }
        @if rights.remove_picture && account.picture.is_some() {
            p {
                a.button.danger href={ (MODERATION) "/user/" (user.id.get()) "/picture" } {
                    (Icon::Image) (l10n.text("picture-remove"))
                }
            }
        }
        @if rights.delete {
            p {
                a.button.danger href={ (MODERATION) "/user/" (user.id.get()) "/delete" } {
                    (Icon::Delete) (l10n.text("moderation-delete"))
                }
            }
        } @else if is_own {
            p { (l10n.text("moderation-own-account")) }
        } @else {
            p { (l10n.text("moderation-may-not-delete")) }
        }
        (back_link(l10n))
    };
    page.show(&user.username, body)
}

/// Returns the kinds of the ways in which a user signs in, and nothing more about them.
fn kinds_of_factors(l10n: &Localizer, account: &Account) -> String {
    let factors = &account.factors;
    let kinds = [
        ("account-password", account.password_hash.is_some()),
        ("factor-passkey", !factors.passkeys.is_empty()),
        ("provider-heading", factors.identity.is_some()),
        ("factor-second", factors.second_factor.is_some()),
    ];
    let kinds = kinds.into_iter().filter(|(_, has_kind)| *has_kind);
    let kinds: Vec<String> = kinds.map(|(id, _)| l10n.text(id)).collect();
    kinds.join(", ")
}

/// Returns the page about a deleted user. Only the identifier is left.
pub(super) fn deleted_user_page(page: &FormPage, id: UserId) -> Response {
    let l10n = &page.forms.l10n;
    let body = html! {
        p { (l10n.text("moderation-is-deleted")) }
        dl {
            dt { (l10n.text("moderation-id")) } dd { (id.get()) }
        }
        (back_link(l10n))
    };
    page.show(&l10n.text("moderation-deleted-user"), body)
}

/// Returns the page that asks for confirmation before a user is deleted.
pub(super) fn deletion_page(page: &FormPage, account: &Account) -> Response {
    let l10n = &page.forms.l10n;
    let name = account.user.username.as_str();
    let path = format!("{MODERATION}/user/{}", account.user.id.get());
    let body = html! {
        p { (l10n.text("moderation-delete-explained")) }
        (PostForm {
            danger: true,
            ..page.forms.post(&format!("{path}/delete"), "moderation-delete")
        })
        p { a.row href=(path) { (l10n.text("moderation-keep")) } }
    };
    let title = l10n.format("moderation-delete-question", [("name", name.into())]);
    page.show(&title, body)
}

/// Returns the page that asks for confirmation before the picture of a user is removed.
pub(super) fn picture_page(page: &FormPage, account: &Account) -> Response {
    let l10n = &page.forms.l10n;
    let name = account.user.username.as_str();
    let path = format!("{MODERATION}/user/{}", account.user.id.get());
    let body = html! {
        p { (l10n.text("moderation-picture-explained")) }
        (PostForm {
            danger: true,
            ..page.forms.post(&format!("{path}/picture"), "picture-remove")
        })
        p { a.row href=(path) { (l10n.text("moderation-picture-keep")) } }
    };
    let title = l10n.format("moderation-picture-question", [("name", name.into())]);
    page.show(&title, body)
}

fn back_link(l10n: &Localizer) -> Markup {
    html! { p { a.row href=(MODERATION) { (l10n.text("moderation-back")) } } }
}

/// Returns the name of a role.
fn role_name(l10n: &Localizer, role: Role) -> String {
    l10n.text(match role {
        Role::Basic => "role-basic",
        Role::Moderator => "role-moderator",
        Role::Administrator => "role-administrator",
    })
}
