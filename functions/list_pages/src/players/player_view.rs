//! Rendering of the page `/profile/players/{id}`.

use maud::{Markup, html};
use pages::form::PostForm;
use pages::form_page::PageForms;
use pages::layout::{Control, Field, YES, copyable_text, csrf_field};
use pages::paths::PLAYERS;
use pages::proof::prove_first;
use stories::players::{Player, PlayerReport, PlayerSettings};

use super::instructions::instructions;
use super::reports::{REJECT_FORM, report_item};
use super::{AnimeById, kind_name, plays_options};

/// The data of the page.
pub(super) struct PlayerView<'a> {
    pub forms: &'a PageForms,
    pub player: &'a Player,
    /// True if the address may be shown and changed: the proof is fresh.
    pub has_proof: bool,
    /// The address; `None` if it has ended with a new password.
    pub address: Option<String>,
    /// The reports, the newest one first.
    pub reports: &'a [PlayerReport],
    /// The anime of the reports.
    pub anime: &'a AnimeById,
    /// True if the page waits for the first message.
    pub is_waiting: bool,
}

impl PlayerView<'_> {
    pub(super) fn body(&self) -> Markup {
        html! {
            (self.forms.notice())
            (self.address())
            (self.messages())
            @if !self.player.seen_users.is_empty() { (self.server_users()) }
            (self.settings())
            (self.end())
            p { a.row href=(PLAYERS) { (self.forms.l10n.text("players-back")) } }
        }
    }

    fn path(&self) -> String {
        format!("{PLAYERS}/{}", self.player.id())
    }

    /// Renders the address and the instructions. After the first message, the instructions are folded.
    fn address(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let kind = kind_name(l10n, self.player.kind);
        let heading = l10n.format("players-set-up", [("kind", kind.into())]);
        html! {
            section aria-labelledby="address" {
                h2 #address { (l10n.text("players-address")) }
                @if !self.has_proof {
                    @if self.address.is_none() { p { strong { (l10n.text("players-address-ended")) } } }
                    (prove_first(l10n, "address-prove", &self.path()))
                } @else if let Some(address) = &self.address {
                    (copyable_text(l10n, "player-address", &l10n.text("calendar-feed-address"), address))
                    p.hint { (l10n.text("players-address-secret")) }
                    @if self.player.report_count == 0 {
                        h3 { (heading) }
                        (instructions(l10n, self.player.kind, address))
                    } @else {
                        details {
                            summary { (heading) }
                            (instructions(l10n, self.player.kind, address))
                        }
                    }
                } @else {
                    p { strong { (l10n.text("players-address-ended")) } }
                    (self.renewal("calendar-feed-renew", ""))
                }
            }
        }
    }

    fn messages(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            section aria-labelledby="messages" {
                h2 #messages { (l10n.text("players-messages")) }
                @if self.player.report_count == 0 {
                    p data-waits[self.is_waiting] {
                        (l10n.text("players-waiting"))
                        @if self.is_waiting { " " (l10n.text("players-waiting-here")) }
                    }
                    @if self.address.is_some() {
                        p { a.row href=(self.path()) { (l10n.text("players-look-again")) } }
                    }
                } @else if self.reports.is_empty() {
                    p { (l10n.text("players-no-messages")) }
                } @else {
                    p { (l10n.text("players-messages-explanation")) }
                    // The buttons of the reports belong to this form.
                    form #(REJECT_FORM) method="post" action={ (self.path()) "/wrong" } {
                        (csrf_field(&self.forms.csrf))
                    }
                    ul.plain {
                        @for report in self.reports { (report_item(l10n, report, self.anime)) }
                    }
                }
            }
        }
    }

    /// Renders a button for each user of the server that messages have named.
    fn server_users(&self) -> Markup {
        let (l10n, player) = (&self.forms.l10n, self.player);
        let settings = &player.settings;
        let named = settings.server_user.as_deref();
        let percent = settings.finished_percent.to_string();
        let text = if named.is_some() {
            "players-users-explanation"
        } else {
            "players-users-question"
        };
        html! {
            section aria-labelledby="users" {
                h2 #users { (l10n.text("players-users")) }
                p { (l10n.text(text)) }
                form method="post" action=(self.path()) {
                    (csrf_field(&self.forms.csrf))
                    input type="hidden" name="name" value=(settings.name);
                    input type="hidden" name="finished_percent" value=(percent);
                    input type="hidden" name="plays" value=(settings.plays.name());
                    @if !settings.libraries.is_empty() {
                        input type="hidden" name="libraries" value=(settings.libraries.join("\n"));
                    }
                    @for checkbox in checkboxes(settings) {
                        @if checkbox.is_set { input type="hidden" name=(checkbox.name) value=(YES); }
                    }
                    ul.entries {
                        @for (number, user) in player.seen_users.iter().enumerate() {
                            (self.server_user(number, user))
                        }
                    }
                }
            }
        }
    }

    /// Renders a user of the server. The accessible name of the button includes the name of the user.
    fn server_user(&self, number: usize, user: &str) -> Markup {
        let l10n = &self.forms.l10n;
        let (name, button) = (format!("u{number}"), format!("m{number}"));
        let is_named = self.player.settings.server_user.as_deref() == Some(user);
        html! {
            li {
                div { strong dir="auto" id=(name) { (user) } }
                @if is_named {
                    span.badge { (l10n.text("players-user-named")) }
                } @else {
                    button type="submit" id=(button) aria-labelledby={ (button) " " (name) } name="server_user"
                        value=(user) { (l10n.text("players-user-button")) }
                }
            }
        }
    }

    fn settings(&self) -> Markup {
        let (l10n, settings) = (&self.forms.l10n, &self.player.settings);
        if self.is_waiting {
            return html! {
                section aria-labelledby="settings" {
                    h2 #settings { (l10n.text("players-settings")) }
                    p { (l10n.text("players-settings-explanation")) }
                    p {
                        a.button.secondary href={ (self.path()) "?edit=yes#settings" } {
                            (l10n.text("players-settings-link"))
                        }
                    }
                }
            };
        }
        let path = self.path();
        let value = |name: &str, stored| self.forms.value(&path, name, stored);
        let percent = settings.finished_percent.to_string();
        let user = settings.server_user.as_deref().unwrap_or_default();
        let libraries = settings.libraries.join("\n");
        let plays = plays_options(l10n);
        let (line, lines) = (
            Control::OptionalLine("text"),
            Control::TextLines { is_required: false },
        );
        let texts = [
            Field::new(l10n, "name", Control::TextLine, "account-name")
                .with_hint(l10n.text("players-name-hint"))
                .with_value(value("name", &settings.name)),
            Field::new(l10n, "server_user", line, "players-server-user")
                .with_hint(l10n.text("players-server-user-hint"))
                .with_value(value("server_user", user)),
            Field::new(l10n, "finished_percent", Control::Digits, "players-percent")
                .with_hint(l10n.text("players-percent-hint"))
                .with_value(value("finished_percent", &percent)),
            Field::new(l10n, "plays", Control::Select(plays), "players-plays")
                .with_hint(l10n.text("players-plays-hint"))
                .with_value(value("plays", settings.plays.name())),
            Field::new(l10n, "libraries", lines, "players-libraries")
                .with_hint(l10n.text("players-libraries-hint"))
                .with_value(value("libraries", &libraries)),
        ];
        let boxes = checkboxes(settings).into_iter().map(|checkbox| {
            let hint = checkbox.hint.map(|hint| l10n.text(hint));
            Field::new(l10n, checkbox.name, Control::Checkbox, checkbox.label)
                .with_hint(hint.unwrap_or_default())
                .with_value(value(checkbox.name, yes(checkbox.is_set)))
        });
        let fields: Vec<Field<'_>> = texts.into_iter().chain(boxes).collect();
        html! {
            section aria-labelledby="settings" {
                h2 #settings { (l10n.text("players-settings")) }
                (PostForm {
                    fields: &fields,
                    ..self.forms.post(&path, "settings-button")
                })
            }
        }
    }

    fn end(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            section aria-labelledby="end" {
                h2 #end { (l10n.text("players-end")) }
                p { (l10n.text("players-end-explanation")) }
                div.actions {
                    @if self.address.is_some() && self.has_proof { (self.renewal("calendar-feed-renew", "secondary")) }
                    (PostForm {
                        danger: true,
                        ..self.forms.post(&format!("{}/remove", self.path()), "players-remove")
                    })
                }
            }
        }
    }

    fn renewal(&self, label: &str, class: &str) -> Markup {
        html! {
            form method="post" action={ (self.path()) "/address" } {
                (csrf_field(&self.forms.csrf))
                button class=(class) type="submit" { (self.forms.l10n.text(label)) }
            }
        }
    }
}

/// A setting that is a checkbox.
#[derive(Clone, Copy)]
struct Checkbox {
    /// The name of its field.
    name: &'static str,
    /// True if it is checked.
    is_set: bool,
    /// The message of its label.
    label: &'static str,
    /// The message of its hint.
    hint: Option<&'static str>,
}

/// Returns the settings that are checkboxes.
fn checkboxes(settings: &PlayerSettings) -> [Checkbox; 5] {
    let checkbox = |name, is_set, label, hint| Checkbox {
        name,
        is_set,
        label,
        hint,
    };
    let (back, ratings) = ("players-takes-back-hint", "players-takes-ratings-hint");
    [
        checkbox(
            "only_listed",
            settings.only_listed,
            "players-only-listed",
            None,
        ),
        checkbox(
            "takes_back",
            settings.takes_back,
            "players-takes-back",
            Some(back),
        ),
        checkbox(
            "takes_ratings",
            settings.takes_ratings,
            "players-takes-ratings",
            Some(ratings),
        ),
        checkbox(
            "makes_private",
            settings.makes_private,
            "players-private",
            None,
        ),
        checkbox(
            "starts_again",
            settings.starts_again,
            "players-again",
            Some("players-again-hint"),
        ),
    ]
}

fn yes(is_set: bool) -> &'static str {
    if is_set { YES } else { "" }
}
