//! The pages of the account: signing up and in, the profile, the applications of developers. The pages of
//! administrators, and those on which moderators delete users, are among them, because they write the same tables.

mod administration;
mod developer;
mod moderation;
mod passkeys;
mod password_reset;
mod profile;
mod proof;
mod settings;
mod sign_in;
mod sign_up;
mod state;
mod verify_email;
mod welcome;

use axum::middleware::from_fn;
use pages::error_page::error_page_of;
use pages::form_page::FormPage;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::http::routing::ApiRouter;

pub use state::{AccountPagesState, warm};

/// Routes requests to the pages.
pub fn router(state: AccountPagesState) -> ApiRouter {
    use sign_in::provider::{self, logout, newcomer};

    let error_page = error_page_of(&state);
    let pages = ApiRouter::new()
        .get(paths::SETTINGS, settings::page)
        .post(paths::SETTINGS, settings::save)
        .get(paths::SIGN_UP, sign_up::page)
        .post(paths::SIGN_UP, sign_up::sign_up)
        .post(paths::SIGN_UP_PASSKEY, sign_up::passkey::begin)
        .post(paths::SIGN_UP_PASSKEY_CREATE, sign_up::passkey::create)
        .get(paths::WELCOME, welcome::page)
        .get(paths::SIGN_IN, sign_in::page)
        .post(paths::SIGN_IN, sign_in::sign_in)
        .post(paths::SIGN_IN_PASSKEY, sign_in::sign_in_with_passkey)
        .post(paths::SIGN_IN_CODE, sign_in::send_code)
        .post(paths::SIGN_OUT, sign_in::sign_out)
        .get(paths::PROVE, proof::page)
        .post(paths::PROVE, proof::prove)
        .post(paths::PROVE_PASSKEY, proof::prove_with_passkey)
        .get(paths::SIGN_IN_PROVIDER, provider::sign_in)
        .get(openid::CALLBACK_PATH, provider::callback)
        .get(paths::SIGN_IN_PROVIDER_PROVE, provider::prove)
        .post(paths::SIGN_IN_PROVIDER_NEW, newcomer::sign_up)
        .post(paths::SIGN_IN_PROVIDER_LOGOUT, logout::logout)
        .get(paths::VERIFY_EMAIL, async |page: FormPage<_>| {
            verify_email::page(&page)
        })
        .post(paths::VERIFY_EMAIL, verify_email::verify)
        .get(paths::FORGOT_PASSWORD, password_reset::forgot_page)
        .post(paths::FORGOT_PASSWORD, password_reset::request_reset)
        .get(paths::RESET_PASSWORD, password_reset::reset_page)
        .post(paths::RESET_PASSWORD, password_reset::reset)
        .get(paths::DEVELOPER, developer::page)
        .post(paths::DEVELOPER, developer::create)
        .get(paths::DEVELOPER_CLIENT, developer::client_page)
        .post(paths::DEVELOPER_CLIENT, developer::save)
        .post("/developer/{client_id}/secret", developer::rotate_secret)
        .get("/developer/{client_id}/delete", developer::delete_page)
        .post("/developer/{client_id}/delete", developer::delete)
        .get(paths::ADMINISTRATION, administration::page)
        .post(paths::ADMINISTRATION_INVITE, administration::invite)
        .post(paths::ADMINISTRATION_REVOKE, administration::revoke)
        .get(paths::MODERATION, moderation::page)
        .get("/moderation/user/{id}", moderation::user_page)
        .get("/moderation/user/{id}/delete", moderation::delete_page)
        .post("/moderation/user/{id}/delete", moderation::delete)
        .get("/moderation/user/{id}/picture", moderation::picture_page)
        .post("/moderation/user/{id}/picture", moderation::remove_picture);
    add_profile_pages(pages)
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}

/// Adds the parts of the profile, and the pages that belong to them.
fn add_profile_pages(pages: ApiRouter<AccountPagesState>) -> ApiRouter<AccountPagesState> {
    use profile::security::{self, passkeys, password, provider, second_factor, sessions};
    use profile::{account, connections, data, deletion, developer, picture, privacy, trackers};

    pages
        .get(paths::PROFILE, async |page: FormPage| account::page(page))
        .post(paths::PROFILE_VERIFICATION, account::send_verification)
        .post(paths::PROFILE_EMAIL, account::change_email)
        .post(paths::PROFILE_SETTINGS, account::save_settings)
        .post(paths::PROFILE_PICTURE, picture::upload)
        .post(paths::PROFILE_PICTURE_REMOVE, picture::remove)
        .get(paths::PROFILE_DELETE, async |page: FormPage| {
            deletion::page(&page)
        })
        .post(paths::PROFILE_DELETE, deletion::delete)
        .get(paths::PROFILE_SECURITY, security::page)
        .post(paths::PROFILE_PASSKEYS, passkeys::add)
        .post(paths::PROFILE_PASSKEYS_RENAME, passkeys::rename)
        .post(paths::PROFILE_PASSKEYS_REMOVE, passkeys::remove)
        .post(paths::PROFILE_PASSWORD, password::change)
        .post(paths::PROFILE_SESSION_END, sessions::end)
        .post(
            paths::PROFILE_SIGN_OUT_EVERYWHERE,
            sessions::sign_out_everywhere,
        )
        .get(paths::PROFILE_PROVIDER, provider::connect)
        .post(paths::PROFILE_PROVIDER_DISCONNECT, provider::disconnect)
        .get(paths::PROFILE_SECOND_FACTOR, second_factor::set_up_page)
        .post(paths::PROFILE_SECOND_FACTOR, second_factor::set_up)
        .post(
            paths::PROFILE_SECOND_FACTOR_CODES,
            second_factor::renew_codes,
        )
        .post(paths::PROFILE_SECOND_FACTOR_REMOVE, second_factor::remove)
        .get(paths::PROFILE_PRIVACY, async |page: FormPage| {
            privacy::page(page)
        })
        .post(paths::PROFILE_PRIVACY, privacy::save)
        .get(paths::PROFILE_CONNECTIONS, connections::page)
        .post(paths::PROFILE_DISCONNECT, connections::disconnect)
        .get("/profile/trackers/{tracker}/connect", trackers::connect)
        .get("/profile/trackers/{tracker}/callback", trackers::callback)
        .post(
            "/profile/connections/{tracker}/disconnect",
            trackers::disconnect,
        )
        .get(paths::PROFILE_DATA, async |page: FormPage| {
            data::page(&page)
        })
        .get(paths::PROFILE_DOWNLOAD, data::download)
        .get(paths::PROFILE_DEVELOPER, developer::page)
        .post(paths::PROFILE_TOKEN, developer::create_token)
        .post(paths::PROFILE_TOKEN_REVOKE, developer::revoke_token)
}
