//! Instructions for each kind of players.

use maud::{Markup, html};
use pages::language::Localizer;
use pages::layout::{copyable_lines, copyable_text};
use player_messages::{JELLYFIN_TEMPLATE, TAUTULLI_TEMPLATE};
use shared::models::PlayerKind;

/// Renders the instructions for a player with this address.
pub(super) fn instructions(l10n: &Localizer, kind: PlayerKind, address: &str) -> Markup {
    match kind {
        PlayerKind::Jellyfin => jellyfin(l10n),
        PlayerKind::Plex => plex(l10n),
        PlayerKind::Emby => emby(l10n),
        PlayerKind::Mpv => mpv(l10n, address),
        PlayerKind::Kodi => html! {
            p { (l10n.text("players-kodi")) }
            (command(l10n, address))
        },
        PlayerKind::Other => html! {
            p { (l10n.text("players-other")) }
            (command(l10n, address))
        },
    }
}

/// Renders the English label of a control of another program, which its translations may not have.
fn label(text: &str) -> Markup {
    html! { code { (text) } }
}

/// Renders the step that chooses these values in a field.
fn choose(l10n: &Localizer, field: &str, values: &[&str]) -> Markup {
    let values = html! {
        @for (number, value) in values.iter().enumerate() {
            @if number > 0 { ", " }
            (label(value))
        }
    };
    let variables = [("field", label(field)), ("values", values)];
    l10n.markup("players-choose", variables)
}

fn template(l10n: &Localizer, text: &str) -> Markup {
    let (name, object) = (
        l10n.text("players-template"),
        l10n.text("players-template-copy"),
    );
    copyable_lines(l10n, "template", &name, &object, text)
}

fn jellyfin(l10n: &Localizer) -> Markup {
    let steps = [
        l10n.markup("players-jellyfin-install", [("plugin", label("Webhook"))]),
        l10n.markup(
            "players-jellyfin-add",
            [
                ("button", label("Add Generic Destination")),
                ("field", label("Webhook Url")),
            ],
        ),
        choose(
            l10n,
            "Notification Type",
            &[
                "Playback Start",
                "Playback Progress",
                "Playback Stop",
                "User Data Saved",
            ],
        ),
        choose(l10n, "Item Type", &["Episodes", "Movies"]),
        l10n.markup("players-jellyfin-template", [("field", label("Template"))]),
    ];
    html! {
        ol { @for step in &steps { li { (step) } } }
        (template(l10n, JELLYFIN_TEMPLATE))
    }
}

fn plex(l10n: &Localizer) -> Markup {
    let menu = [("menu", label("Settings > Webhooks"))];
    let add = [
        ("menu", label("Settings > Notification Agents")),
        ("agent", label("Webhook")),
        ("field", label("Webhook URL")),
    ];
    let triggers = [
        "Playback Start",
        "Playback Pause",
        "Playback Resume",
        "Playback Stop",
        "Watched",
    ];
    let data = [("tab", label("Data")), ("field", label("JSON Data"))];
    html! {
        p { (l10n.markup("players-plex", menu)) }
        p { (l10n.text("players-tautulli")) }
        ol {
            li { (l10n.markup("players-tautulli-add", add)) }
            li { (choose(l10n, "Triggers", &triggers)) }
            li { (l10n.markup("players-tautulli-data", data)) }
        }
        (template(l10n, TAUTULLI_TEMPLATE))
    }
}

fn emby(l10n: &Localizer) -> Markup {
    let menu = [
        ("menu", label("Settings > Notifications")),
        ("kind", label("Webhooks")),
    ];
    html! {
        ol {
            li { (l10n.markup("players-emby-add", menu)) }
            li { (l10n.text("players-emby-events")) }
        }
    }
}

fn mpv(l10n: &Localizer, address: &str) -> Markup {
    let script = [
        ("script", label("extras/mpv/kiroku.lua")),
        ("folder", label("scripts")),
    ];
    let options = [("file", label("script-opts/kiroku.conf"))];
    html! {
        ol {
            li { (l10n.markup("players-mpv-script", script)) }
            li { (l10n.markup("players-mpv-options", options)) }
        }
        (copyable_text(l10n, "options", &l10n.text("players-options-copy"), &format!("url={address}")))
    }
}

/// Renders the command that sends the name of a file.
fn command(l10n: &Localizer, address: &str) -> Markup {
    let message = r#"{"file": "[Group] Slayers - 05.mkv"}"#;
    let command = format!("curl -H 'content-type: application/json' -d '{message}' {address}");
    html! {
        (copyable_text(l10n, "command", &l10n.text("copy-command"), &command))
        p.hint { (l10n.text("players-command-hint")) }
    }
}
