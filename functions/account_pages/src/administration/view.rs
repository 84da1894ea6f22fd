//! Rendering of the page for administrators.

use accounts::invitations::{Invitation, MAX_INVITATIONS};
use catalogue::refresh::{RefreshSummaryStore, SourceStore};
use catalogue::snapshots::{MAX_DATA_AGE_S, ReadOutcome, RefreshSummary, SourceSummary};
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{Control, Field, csrf_field, text_shown_once};
use pages::paths::{ADMINISTRATION_INVITE, ADMINISTRATION_REVOKE};
use shared::auth::RegistrationMode;

use crate::state::AccountState;

/// The number of days for which an invitation is valid, unless the administrator chooses another number.
const DEFAULT_DAYS: &str = "7";

/// Returns the page. `invited` is the link of a new invitation, and its expiry in seconds since the Unix epoch.
pub(super) async fn show(
    state: &AccountState,
    page: &FormPage,
    invited: Option<(&str, u64)>,
) -> PageResult {
    let accounts = &state.accounts;
    let summaries = RefreshSummaryStore::new(&state.database);
    // The reads are on the heap, because their futures are large.
    let reads = Box::pin(async {
        try_join!(
            accounts.invitations.list(accounts.clock.now_s()),
            accounts.users.count(),
            state.story_pages.stories.count(),
            summaries.read(),
            SourceStore::data_times(&state.database),
        )
    });
    let (invitations, users, stories, refreshed, data_times) = reads.await?;
    let l10n = &page.forms.l10n;
    let body = html! {
        (page.forms.notice())
        (facts(l10n, users, stories))
        section aria-labelledby="catalogue" {
            h2 #catalogue { (l10n.text("moderation-catalogue")) }
            (data_ages(l10n, &data_times, accounts.clock.now_s()))
            (refresh_summary(l10n, refreshed.as_ref()))
        }
        section aria-labelledby="invitations" {
            h2 #invitations { (l10n.text("administration-invitations")) }
            p { (l10n.text(registration_text(accounts.registration))) }
            @if accounts.registration == RegistrationMode::Invite {
                (invitation_form(&page.forms, invited))
            }
            (invitation_list(&page.forms, &invitations))
        }
    };
    Ok(page.show(&l10n.text("administration-title"), body))
}

/// Renders the version and the numbers of users and stories.
fn facts(l10n: &Localizer, users: u64, stories: u64) -> Markup {
    let number = |rows: u64| l10n.number(u32::try_from(rows).unwrap_or(u32::MAX));
    let (users, stories) = (number(users), number(stories));
    html! {
        dl.sums {
            div { dt { (l10n.text("administration-version")) } dd { (env!("CARGO_PKG_VERSION")) } }
            div { dt { (l10n.text("administration-users")) } dd { (users) } }
            div { dt { (l10n.text("administration-stories")) } dd { (stories) } }
        }
    }
}

/// Renders the age of the data in each file of the catalogue, with a warning if a file is old.
fn data_ages(l10n: &Localizer, times: &[(&'static str, u64)], now_s: u64) -> Markup {
    let age_s = |at: u64| now_s.saturating_sub(at);
    let is_old = times.iter().any(|(_, at)| age_s(*at) > MAX_DATA_AGE_S);
    html! {
        @if is_old {
            p role="alert" { strong { (l10n.text("administration-data-old")) } }
        }
        @if !times.is_empty() {
            dl {
                @for (source, at) in times {
                    @let days = age_s(*at) / (24 * 60 * 60);
                    @let variables = [("date", l10n.unix_date(*at).into()), ("days", days.into())];
                    dt { (l10n.text(data_name(source))) }
                    dd { (l10n.format("administration-data-at", variables)) }
                }
            }
        }
    }
}

/// Returns the message with the name of the data of a source ([`catalogue::snapshots::FILE_SOURCES`]).
fn data_name(source: &str) -> &'static str {
    match source {
        "anidb_titles" => "anime-titles",
        "anime_mapping" => "administration-data-identifiers",
        "anime_seasons" => "administration-data-seasons",
        _ => "administration-data-anime",
    }
}

/// Renders the result of the last refresh.
fn refresh_summary(l10n: &Localizer, summary: Option<&RefreshSummary>) -> Markup {
    let Some(summary) = summary else {
        return html! { p { (l10n.text("administration-no-refresh")) } };
    };
    let [began, ended] =
        [summary.began_at, summary.ended_at].map(|seconds| l10n.unix_date_time(seconds));
    html! {
        p { (l10n.format("administration-refreshed", [("began", began.into()), ("ended", ended.into())])) }
        @if let Some(error) = &summary.error {
            p { (l10n.text("administration-refresh-failed")) " " span lang="en" { (error) } }
        }
        ul.entries {
            @for source in &summary.sources { (source_item(l10n, source)) }
        }
    }
}

/// Renders the result at a source.
fn source_item(l10n: &Localizer, source: &SourceSummary) -> Markup {
    let outcome = l10n.text(match source.outcome {
        ReadOutcome::Read => "administration-source-read",
        ReadOutcome::Unchanged => "administration-source-unchanged",
        ReadOutcome::NotDue => "administration-source-not-due",
        ReadOutcome::Failed => "administration-source-failed",
    });
    let counts = [
        ("added", source.added.into()),
        ("changed", source.changed.into()),
        ("skipped", source.skipped.into()),
    ];
    let current = l10n.unix_date_time(source.current_at);
    let current = if source.outcome == ReadOutcome::Failed {
        l10n.format("administration-stale-since", [("time", current.into())])
    } else {
        l10n.format("administration-current-at", [("time", current.into())])
    };
    html! {
        li {
            div {
                strong { (source.name) }
                small {
                    (outcome)
                    @if let Some(failure) = &source.failure { " " span lang="en" { (failure) } }
                }
                small { (current) " · " (l10n.format("administration-source-counts", counts)) }
            }
        }
    }
}

/// Returns the message that explains who may register.
fn registration_text(mode: RegistrationMode) -> &'static str {
    match mode {
        RegistrationMode::Open => "administration-registration-open",
        RegistrationMode::Invite => "administration-registration-invite",
        RegistrationMode::Closed => "administration-registration-closed",
    }
}

/// Renders the form for a new invitation, and the link of the invitation that was just made.
fn invitation_form(forms: &PageForms, invited: Option<(&str, u64)>) -> Markup {
    let l10n = &forms.l10n;
    let fields = [
        Field::new(l10n, "days", Control::Digits, "administration-days")
            .with_hint(l10n.text("administration-days-hint"))
            .with_value(forms.value(ADMINISTRATION_INVITE, "days", DEFAULT_DAYS)),
    ];
    html! {
        @if let Some((link, expires_at)) = invited {
            (text_shown_once(l10n, "new-invitation", &l10n.text("administration-link"),
                &l10n.text("administration-link-copy"), link))
            p { (l10n.format("administration-link-hint", [("date", l10n.unix_date(expires_at).into())])) }
        }
        (PostForm {
            fields: &fields,
            ..forms.post(ADMINISTRATION_INVITE, "administration-invite")
        })
        p.hint { (l10n.format("administration-limit", [("count", MAX_INVITATIONS.into())])) }
    }
}

/// Renders the valid invitations, each with a button that revokes it.
fn invitation_list(forms: &PageForms, invitations: &[Invitation]) -> Markup {
    let l10n = &forms.l10n;
    html! {
        @if invitations.is_empty() {
            p { (l10n.text("administration-no-invitation")) }
        } @else {
            form method="post" action=(ADMINISTRATION_REVOKE) {
                (csrf_field(&forms.csrf))
                ul.entries {
                    @for (number, invitation) in invitations.iter().enumerate() {
                        (invitation_item(l10n, number, invitation))
                    }
                }
            }
        }
    }
}

/// Renders an invitation. The accessible name of its button includes the day of expiry.
fn invitation_item(l10n: &Localizer, number: usize, invitation: &Invitation) -> Markup {
    let (name, button) = (format!("i{number}"), format!("r{number}"));
    let [made, expires] =
        [invitation.made_at, invitation.expires_at].map(|seconds| l10n.unix_date(seconds));
    html! {
        li {
            div {
                strong id=(name) { (l10n.format("administration-valid-until", [("date", expires.into())])) }
                small { (l10n.format("administration-made", [("date", made.into())])) }
            }
            button id=(button) aria-labelledby={ (button) " " (name) } name="invitation"
                value=(invitation.digest) { (l10n.text("token-revoke")) }
        }
    }
}
