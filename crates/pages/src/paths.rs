//! The paths of pages, forms and static files, and of two endpoints: `AUTHORIZE`, whose response is a page, and
//! `OPENAPI`. This module has a path if code besides the router needs it.

pub use accounts::mail::{RESET_PASSWORD, SIGN_UP, VERIFY_EMAIL};
use shared::models::Song;

/// Defines the constants. The doc comment of each is its path.
macro_rules! paths {
    ($($name:ident = $path:literal,)*) => {$(
        #[doc = concat!("`", $path, "`")]
        pub const $name: &str = $path;
    )*};
}

paths! {
    ADMINISTRATION = "/administration",
    ADMINISTRATION_INVITE = "/administration/invite",
    ADMINISTRATION_REVOKE = "/administration/revoke",
    ANIME = "/anime",
    ANIME_PAGE = "/anime/{id}",
    ANIME_RANDOM = "/anime/random",
    ANIME_SUGGEST = "/anime/suggest",
    AUTHORIZE = "/v1/oauth",
    CALENDAR = "/calendar",
    CALENDAR_FEED_REMOVE = "/calendar/feed/remove",
    CALENDAR_FEED_RENEW = "/calendar/feed",
    DEVELOPER = "/developer",
    DEVELOPER_CLIENT = "/developer/{client_id}",
    FONT = "/display.woff2",
    FORGOT_PASSWORD = "/forgot-password",
    HISTORY = "/profile/history",
    HISTORY_EXPORT = "/profile/history/export",
    HISTORY_IMPORTS = "/profile/history/imports",
    HISTORY_PROPOSALS = "/profile/history/proposals",
    HISTORY_WAITING = "/profile/history/waiting",
    HISTORY_WAITING_FILE = "/profile/history/waiting/file",
    ICON = "/icon.svg",
    ICONS = "/icons.svg",
    LARGE_ICON = "/icon-512.png",
    LIST = "/list",
    LIST_DELETE = "/list/delete",
    LIST_FAVORITE = "/list/favorite",
    LIST_NEXT = "/list/next",
    LIST_SAVE = "/list/save",
    LIST_SCORE = "/list/score",
    LIST_SELECTION = "/list/selection",
    LIST_SELECTION_UNDO = "/list/selection/undo",
    LIST_STATUS = "/list/status",
    LIST_UNDO = "/list/undo",
    MANIFEST = "/manifest.webmanifest",
    MODERATION = "/moderation",
    MODERATION_ANIME = "/moderation/anime/{id}",
    MODERATION_SONG = "/moderation/song/{id}",
    OPENAPI = "/v1/openapi.json",
    PLAYER = "/profile/players/{id}",
    PLAYERS = "/profile/players",
    PLAYERS_SERIES = "/profile/players/series",
    PROFILE = "/profile",
    PROFILE_CONNECTIONS = "/profile/connections",
    PROFILE_DATA = "/profile/data",
    PROFILE_DELETE = "/profile/delete",
    PROFILE_DEVELOPER = "/profile/developer",
    PROFILE_DISCONNECT = "/profile/connections/disconnect",
    PROFILE_DOWNLOAD = "/profile/data/download",
    PROFILE_EMAIL = "/profile/email",
    PROFILE_PASSKEYS = "/profile/security/passkeys",
    PROFILE_PASSKEYS_REMOVE = "/profile/security/passkeys/remove",
    PROFILE_PASSKEYS_RENAME = "/profile/security/passkeys/rename",
    PROFILE_PASSWORD = "/profile/security/password",
    PROFILE_PICTURE = "/profile/picture",
    PROFILE_PICTURE_REMOVE = "/profile/picture/remove",
    PROFILE_PRIVACY = "/profile/privacy",
    PROFILE_PROVIDER = "/profile/security/provider",
    PROFILE_PROVIDER_DISCONNECT = "/profile/security/provider/disconnect",
    PROFILE_SECURITY = "/profile/security",
    PROFILE_SECOND_FACTOR = "/profile/security/second-factor",
    PROFILE_SECOND_FACTOR_CODES = "/profile/security/second-factor/codes",
    PROFILE_SECOND_FACTOR_REMOVE = "/profile/security/second-factor/remove",
    PROFILE_SESSION_END = "/profile/security/session/end",
    PROFILE_SETTINGS = "/profile/settings",
    PROFILE_SIGN_OUT_EVERYWHERE = "/profile/security/sign-out-everywhere",
    PROFILE_TOKEN = "/profile/developer/token",
    PROFILE_TOKEN_REVOKE = "/profile/developer/token/revoke",
    PROFILE_VERIFICATION = "/profile/verification",
    PROVE = "/prove",
    PROVE_PASSKEY = "/prove/passkey",
    REFERENCE = "/reference",
    REFERENCE_SCRIPT = "/reference.js",
    SCRIPT = "/site.js",
    SETTINGS = "/settings",
    SIGN_IN = "/sign-in",
    SIGN_IN_CODE = "/sign-in/code",
    SIGN_IN_PASSKEY = "/sign-in/passkey",
    SIGN_IN_PROVIDER = "/sign-in/provider",
    SIGN_IN_PROVIDER_LOGOUT = "/sign-in/provider/logout",
    SIGN_IN_PROVIDER_NEW = "/sign-in/provider/new",
    SIGN_IN_PROVIDER_PROVE = "/sign-in/provider/prove",
    SIGN_OUT = "/sign-out",
    SIGN_UP_PASSKEY = "/sign-up/passkey",
    SIGN_UP_PASSKEY_CREATE = "/sign-up/passkey/create",
    SONG = "/song",
    START = "/",
    STATISTICS = "/statistics",
    STATISTICS_YEAR = "/statistics/{year}",
    STYLE = "/style.css",
    STYLE_GUIDE = "/style-guide",
    TOUCH_ICON = "/icon-192.png",
    WELCOME = "/welcome",
}

/// Returns the path of a song's page.
pub fn song_path(song: &Song) -> String {
    format!("{SONG}/{}", song.id.get())
}

/// Returns the path of a user's public profile.
pub fn user_path(name: &str) -> String {
    format!("/user/{name}")
}

/// Returns the address of the picture that a user has uploaded. `digest` changes with the picture.
pub fn picture_path(name: &str, digest: &str) -> String {
    format!("{}/picture?v={digest}", user_path(name))
}
