//! Authenticator apps, and users with a second factor.

use std::time::Duration;

use axum::http::StatusCode;
use totp_rs::{Builder, Secret, Totp};

use crate::assertions::AssertText;
use crate::browser::{PageClient, textarea};
use crate::people::Person;
use crate::service::{Answer, Service};

/// The path of the page that sets up a second factor.
pub const SET_UP: &str = "/profile/security/second-factor";

/// An authenticator app with one key.
#[derive(Debug)]
pub struct Authenticator {
    totp: Totp,
}

impl Authenticator {
    /// Returns an app with the key that the page for the set-up shows.
    ///
    /// # Panics
    /// If the page shows no key.
    pub fn scan(page: &Answer) -> Self {
        let key = page.between("<code id=\"key\">", "<");
        let secret = Secret::try_from_base32(key.replace(' ', "")).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        Self { totp }
    }

    /// Returns the code at a time in seconds since the Unix epoch.
    pub fn code_at(&self, time: u64) -> String {
        self.totp.generate(time).to_string()
    }

    /// Returns the code that the app shows now.
    pub fn code(&self, service: &Service) -> String {
        self.code_at(service.clock.now_s())
    }

    /// Returns the key in Base32.
    pub fn key(&self) -> String {
        self.totp.secret().to_base32()
    }
}

impl Service {
    /// Sets up a second factor on the pages, and waits until its first code has expired. Returns the app and the
    /// recovery codes.
    pub async fn set_up_second_factor(&self, person: &Person) -> (Authenticator, Vec<String>) {
        let mut browser = PageClient::signed_in(self, person).await;
        let page = browser.get(SET_UP).await;
        let app = Authenticator::scan(&page);
        let code = app.code(self);
        let page = browser.submit(&page, SET_UP, &[("code", &code)]).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        let codes = textarea(&page).lines().map(str::to_owned).collect();
        self.clock.advance(Duration::from_mins(2));
        (app, codes)
    }
}
