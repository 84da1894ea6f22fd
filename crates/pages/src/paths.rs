//! The paths of pages, forms and static files, and of two endpoints: `AUTHORIZE`, whose response is a page,
//! and `OPENAPI`. A path is written here if code besides the router needs it.

pub use accounts::links::{RESET_PASSWORD, SIGN_UP, VERIFY_EMAIL};

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
    AUTHORIZE = "/v1/oauth",
    CALENDAR = "/calendar",
    CALENDAR_FEED_REMOVE = "/calendar/feed/remove",
    CALENDAR_FEED_RENEW = "/calendar/feed",
    DEVELOPER = "/developer",
    DEVELOPER_CLIENT = "/developer/{client_id}",
    FORGOT_PASSWORD = "/forgot-password",
    HISTORY = "/profile/history",
    HISTORY_EXPORT = "/profile/history/export",
    HISTORY_IMPORTS = "/profile/history/imports",
    HISTORY_WAITING = "/profile/history/waiting",
    HISTORY_WAITING_FILE = "/profile/history/waiting/file",
    ICON = "/icon.svg",
    ICONS = "/icons.svg",
    LARGE_ICON = "/icon-512.png",
    LIST = "/list",
    LIST_DELETE = "/list/delete",
    LIST_NEXT = "/list/next",
    LIST_SAVE = "/list/save",
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
    PROFILE_PASSWORD = "/profile/password",
    PROFILE_PRIVACY = "/profile/privacy",
    PROFILE_SETTINGS = "/profile/settings",
    PROFILE_SIGN_OUT_EVERYWHERE = "/profile/sign-out-everywhere",
    PROFILE_TOKEN = "/profile/developer/token",
    PROFILE_TOKEN_REVOKE = "/profile/developer/token/revoke",
    PROFILE_VERIFICATION = "/profile/verification",
    REFERENCE = "/reference",
    SCRIPT = "/site.js",
    SIGN_IN = "/sign-in",
    SIGN_OUT = "/sign-out",
    START = "/",
    STATISTICS = "/statistics",
    STYLE = "/style.css",
    STYLE_GUIDE = "/style-guide",
    TOUCH_ICON = "/icon-192.png",
    WELCOME = "/welcome",
}
