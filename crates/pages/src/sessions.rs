//! The visitor of a page: the session cookie, and the other cookies of this site.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use accounts::service::AccountService;
use accounts::sessions::{ProviderSession, SESSION_S, SessionOrigin, Sessions, SignedInUser};
use accounts::throttling::KNOWN_BROWSERS_S;
use accounts::users::Account;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, SameSite};
use futures_util::try_join;
use shared::auth::{CallerAddress, ProofNeed, RegistrationMode, Tokens, proof_need};
use shared::clock::Clock;
use shared::http::{KnownAccount, PageAccount, PublicUrl, base_path};
use shared::models::{Language, TimeZone, UserId};
use shared::{Result, digest};
use time::Duration;

use crate::browser;
use crate::browser_settings::BrowserSettings;
use crate::error::PageError;
use crate::language::{Localizer, accepted_languages};
use crate::paths::{PROVE, SIGN_IN};
use crate::return_path::with_next;

const SESSION_LIFETIME: Duration = Duration::seconds(SESSION_S.cast_signed());

pub(crate) const SESSION_COOKIE: &str = "session";
pub(crate) const FORM_COOKIE: &str = "form";
const DISPLAY_COOKIE: &str = "display";

/// A cookie with the view of the list that was chosen last in the browser. It survives signing out.
const LIST_VIEW_COOKIE: &str = "view";

/// The cookie that confirms a notice ([`crate::notice`]).
const NOTICE_COOKIE: &str = "notice";

/// Lifetime of [`NOTICE_COOKIE`]. For this time, a page that is loaded again still shows its notice.
const NOTICE_LIFETIME: Duration = Duration::minutes(5);

/// A cookie with the time zone of the browser, which the script sets. Its name has no prefix: a sibling domain could
/// also set it, but it only fills in a setting that the user can change.
const TIME_ZONE_COOKIE: &str = "time_zone";

/// A cookie by which a sign-in in another browser is recognized. Only sign-ins read it.
const BROWSER_COOKIE: &str = "browser";

/// Length of the random value of [`BROWSER_COOKIE`]: 32 bytes in Base64url.
const BROWSER_ID_LENGTH: usize = 43;

const BROWSER_LIFETIME: Duration = Duration::seconds(KNOWN_BROWSERS_S.cast_signed());

const DISPLAY_LIFETIME: Duration = Duration::days(365);

/// The browser of a request: its cookies, and the languages that it prefers.
#[derive(Clone, Default)]
pub struct Visitor {
    cookies: Vec<Cookie<'static>>,
    languages: Vec<String>,
    /// Passes the account on to the error page.
    account: KnownAccount,
    /// The rule for registrations, for the navigation.
    registration: RegistrationMode,
    /// The time of the request, in seconds since the Unix epoch, for the navigation.
    now: Option<u64>,
    user_agent: Option<HeaderValue>,
    address: CallerAddress,
    /// The time of the proof at a sign-in, if it was before the sign-in ([`SessionOrigin::proved_at`]).
    proved_at: Option<u64>,
    /// The session at the identity provider in which the visitor has signed in.
    provider: ProviderSession,
    /// The settings that the visitor has chosen for this browser.
    settings: BrowserSettings,
    /// The result of [`PageSessions::find`], so that a request reads its session once.
    session: Arc<OnceLock<Option<SignedInUser>>>,
    /// Set if the session could not be read.
    is_unreadable: Arc<OnceLock<()>>,
    /// The time zone of the browser, if the script has stated it.
    time_zone: Option<TimeZone>,
}

impl Visitor {
    /// Returns the localizer for this visitor. If the visitor is signed in, the language of the account comes before
    /// those of the browser. The titles and the scale of scores are those of the account, or of the visitor's cookie if
    /// the visitor is not signed in. The theme is always that of the cookie.
    pub fn localizer(&self, signed_in: Option<&SignedInUser>) -> Localizer {
        let l10n = self.localizer_in(signed_in.map(SignedInUser::localization));
        match signed_in {
            Some(user) => l10n
                .with_public_profile(user.account.public_profile)
                .with_display(user.account.display)
                .with_time_zone(user.account.time_zone()),
            None => l10n.with_display(self.settings.display),
        }
    }

    /// Returns the localizer for this visitor, whose account has this locale code, without the display settings of the
    /// account. An account comes before the language that the visitor has chosen for this browser.
    pub(crate) fn localizer_in(&self, localization: Option<&str>) -> Localizer {
        let chosen = self.settings.language.filter(|_| localization.is_none());
        let account = localization.or(chosen.map(Language::code));
        Localizer::new(account, &self.languages)
            .with_registration(self.registration)
            .with_theme(self.settings.theme)
            .with_unreadable_account(self.is_unreadable.get().is_some())
            .at(self.now)
    }

    /// Returns the settings that the visitor has chosen for this browser.
    pub fn settings(&self) -> BrowserSettings {
        self.settings
    }

    /// Returns the time zone of the browser, if the script has stated it.
    pub fn time_zone(&self) -> Option<TimeZone> {
        self.time_zone
    }

    /// Returns the visitor whose proof at a sign-in was made at this time, in seconds since the Unix epoch.
    #[must_use]
    pub fn proved_at(mut self, time: u64) -> Self {
        self.proved_at = Some(time);
        self
    }

    /// Returns the visitor who has signed in with a session at the identity provider.
    #[must_use]
    pub fn at_provider(mut self, session: ProviderSession) -> Self {
        self.provider = session;
        self
    }

    /// Returns the browser and the network, for the list of sessions.
    fn origin(&self) -> SessionOrigin {
        let user_agent = self.user_agent.as_ref();
        let user_agent = user_agent.and_then(|text| text.to_str().ok());
        SessionOrigin {
            browser: user_agent.map(browser::name_of).unwrap_or_default(),
            network: self.address.network(),
            proved_at: self.proved_at,
            provider: self.provider.clone(),
        }
    }

    /// Stores a cookie, as the browser does when it receives the response.
    pub fn store_cookie(&mut self, cookie: Cookie<'static>) {
        self.cookies.retain(|old| old.name() != cookie.name());
        self.cookies.push(cookie);
        self.session = Arc::default();
        self.is_unreadable = Arc::default();
    }
}

shared::hide_values!(Visitor);

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let Ok(address) = CallerAddress::from_request_parts(parts, state).await;
        let cookies = read_cookies(&parts.headers);
        let prefix = prefix_at(parts.extensions.get::<PublicUrl>());
        let settings = find_cookie(&cookies, prefix, DISPLAY_COOKIE);
        let settings = settings.map(BrowserSettings::of_cookie);
        let time_zone = find_cookie(&cookies, "", TIME_ZONE_COOKIE);
        let time_zone = time_zone.and_then(|name| TimeZone::new(name).ok());
        let languages = parts.headers.get(header::ACCEPT_LANGUAGE);
        let languages = languages.and_then(|languages| languages.to_str().ok());
        Ok(Self {
            cookies,
            user_agent: parts.headers.get(header::USER_AGENT).cloned(),
            address,
            proved_at: None,
            provider: ProviderSession::default(),
            settings: settings.unwrap_or_default(),
            session: Arc::default(),
            is_unreadable: Arc::default(),
            time_zone,
            languages: languages.map(accepted_languages).unwrap_or_default(),
            account: parts.extensions.get().cloned().unwrap_or_default(),
            registration: parts.extensions.get().copied().unwrap_or_default(),
            now: parts.extensions.get().map(Clock::now_s),
        })
    }
}

/// The prefix of cookie names. Browsers accept a cookie with this prefix only over TLS, and only from the
/// host that it is sent to (RFC 6265bis, section 4.1.3.2).
const HOST_PREFIX: &str = "__Host-";

/// The prefix of cookie names if the public URL has a path. With [`HOST_PREFIX`], browsers would send the cookies to
/// every service on the host, because it requires the path `/`.
const SECURE_PREFIX: &str = "__Secure-";

/// Returns the prefix of cookie names. It is empty without TLS (local development), where browsers reject
/// [`HOST_PREFIX`] and [`SECURE_PREFIX`].
fn cookie_prefix(public_url: &str) -> &'static str {
    if !public_url.starts_with("https:") {
        ""
    } else if base_path(public_url).is_empty() {
        HOST_PREFIX
    } else {
        SECURE_PREFIX
    }
}

fn prefix_at(public_url: Option<&PublicUrl>) -> &'static str {
    public_url.map_or(HOST_PREFIX, |url| cookie_prefix(url.as_str()))
}

pub(crate) fn read_cookies(headers: &HeaderMap) -> Vec<Cookie<'static>> {
    let lines = headers.get_all(header::COOKIE).iter();
    let cookies = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| Cookie::split_parse(line.to_owned()))
        .filter_map(Result::ok)
        .filter(|cookie| !cookie.value().is_empty());
    cookies.collect()
}

/// Returns the value of the cookie that confirms a notice.
pub(crate) fn notice_digest<'c>(
    cookies: &'c [Cookie<'static>],
    public_url: Option<&PublicUrl>,
) -> Option<&'c str> {
    find_cookie(cookies, prefix_at(public_url), NOTICE_COOKIE)
}

/// Returns the digest of the query of a page with a notice, for the cookie.
pub(crate) fn digest_of_query(path: &str) -> String {
    let (address, _) = path.split_once('#').unwrap_or((path, ""));
    digest(address.split_once('?').map_or("", |(_, query)| query))
}

/// Returns the value of a cookie. Its name must have the prefix, because a sibling domain could set a cookie without
/// it.
fn find_cookie<'c>(cookies: &'c [Cookie<'static>], prefix: &str, name: &str) -> Option<&'c str> {
    let has_name = |cookie: &&Cookie| cookie.name().strip_prefix(prefix) == Some(name);
    cookies.iter().find(has_name).map(Cookie::value)
}

/// The sessions of the web pages.
#[derive(Clone, Debug)]
pub struct PageSessions {
    pub(crate) inner: Sessions,
    public_url: String,
    /// Remembers browsers and tells users of new browsers. `None` in functions without a sign-in.
    account_service: Option<Arc<AccountService>>,
}

impl PageSessions {
    /// Creates the sessions of the site whose tokens these are.
    pub fn new(inner: Sessions, tokens: &Tokens) -> Self {
        Self {
            inner,
            public_url: tokens.public_url().to_owned(),
            account_service: None,
        }
    }

    /// Makes sign-ins remember their browsers and tell users of new browsers.
    #[must_use]
    pub fn with_mail(mut self, account_service: Arc<AccountService>) -> Self {
        self.account_service = Some(account_service);
        self
    }

    /// Returns the signed-in user, if the visitor has a session. Reads the session once for each request.
    pub async fn find(&self, visitor: &Visitor) -> Result<Option<SignedInUser>> {
        if let Some(found) = visitor.session.get() {
            return Ok(found.clone());
        }
        let found = match self.cookie(visitor, SESSION_COOKIE) {
            Some(secret) => {
                let found = self.inner.find(secret).await;
                if found.is_err() {
                    visitor.is_unreadable.get_or_init(|| ());
                }
                found?
            }
            None => None,
        };
        visitor.account.set(found.as_ref().map(page_account));
        Ok(visitor.session.get_or_init(|| found).clone())
    }

    /// Returns the public URL of the service, without a trailing slash.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Returns the path of the public URL ([`base_path`]).
    pub fn base_path(&self) -> &str {
        base_path(&self.public_url)
    }

    /// Returns the signed-in user, for a public page. Returns `None` if the session cannot be read, since the page
    /// is useful without it. Then the page says so ([`Localizer::has_unreadable_account`]).
    pub async fn find_if_readable(&self, visitor: &Visitor) -> Option<SignedInUser> {
        match self.find(visitor).await {
            Ok(signed_in) => signed_in,
            Err(error) => {
                tracing::warn!(%error, "a public page is shown without the account of its visitor");
                None
            }
        }
    }

    /// Returns the name of the signed-in user, for a public page ([`Self::find_if_readable`]).
    pub async fn name_if_readable(&self, visitor: &Visitor) -> Option<String> {
        let signed_in = self.find_if_readable(visitor).await;
        signed_in.map(|signed_in| signed_in.account.user.username)
    }

    /// Returns the user that the visitor's session cookie names, so that a page can read the user's rows together with
    /// the session. `None` for a cookie that this service has not made, so a forged cookie causes no reads. The rows
    /// may be shown only if [`Self::find`] returns the same user, because the session may have ended.
    pub async fn named_user(&self, visitor: &Visitor) -> Result<Option<UserId>> {
        match self.cookie(visitor, SESSION_COOKIE) {
            Some(secret) => self.inner.named_user(secret).await,
            None => Ok(None),
        }
    }

    /// Returns the signed-in user of a page that requires one.
    ///
    /// # Errors
    /// [`PageError::SignInFirst`] without a session. The visitor returns to `path` after signing in.
    pub async fn require_user(
        &self,
        visitor: &Visitor,
        path: &str,
    ) -> Result<SignedInUser, PageError> {
        let found = self.find(visitor).await?;
        found.ok_or_else(|| self.sign_in_first(path))
    }

    /// Returns the signed-in user of a page that requires one, and the user's rows. `read` reads them at the same time
    /// as the session ([`Self::named_user`]).
    ///
    /// # Errors
    /// [`PageError::SignInFirst`] without a session. The visitor returns to `path` after signing in.
    pub async fn require_user_and<R, T>(
        &self,
        visitor: &Visitor,
        path: &str,
        read: impl FnOnce(UserId) -> R,
    ) -> Result<(SignedInUser, T), PageError>
    where
        R: Future<Output = Result<T>>,
    {
        let named_user = self.named_user(visitor).await?;
        let named_user = named_user.ok_or_else(|| self.sign_in_first(path))?;
        // Boxed, because both together are large.
        let session = Box::pin(self.find(visitor));
        let (owner, rows) = try_join!(session, Box::pin(read(named_user)))?;
        let owner = owner.filter(|owner| owner.account.user.id == named_user);
        Ok((owner.ok_or_else(|| self.sign_in_first(path))?, rows))
    }

    /// Returns the redirect to the sign-in page. The visitor returns to `path` after signing in.
    pub fn sign_in_first(&self, path: &str) -> PageError {
        let sign_in = with_next(SIGN_IN, Some(path));
        PageError::SignInFirst(format!("{}{sign_in}", self.public_url))
    }

    /// Returns the signed-in user of a page that requires one, and a fresh proof ([`Self::require_proof`]).
    ///
    /// # Errors
    /// Those of [`Self::require_user`] and [`Self::require_proof`].
    pub async fn require_proved_user(
        &self,
        visitor: &Visitor,
        path: &str,
    ) -> Result<SignedInUser, PageError> {
        let owner = self.require_user(visitor, path).await?;
        self.require_proof(&owner, path)?;
        Ok(owner)
    }

    /// Checks that the last proof that the user owns the account is at most 10 minutes old, as the requests in
    /// [`shared::auth::PROOF_RULES`] need it.
    ///
    /// # Errors
    /// [`PageError::ProveFirst`]. The user returns to `path` after the proof.
    pub fn require_proof(&self, owner: &SignedInUser, path: &str) -> Result<(), PageError> {
        if self.has_fresh_proof(owner) {
            return Ok(());
        }
        Err(self.prove_first(path))
    }

    /// Checks that the user has the proof that a request needs by [`shared::auth::PROOF_RULES`]. `route` is the method
    /// and the path of its route.
    ///
    /// # Errors
    /// [`PageError::ProveFirst`]. The user returns to `path` after the proof.
    pub(crate) fn require_proof_of_request(
        &self,
        owner: &SignedInUser,
        route: (&str, &str),
        path: &str,
    ) -> Result<(), PageError> {
        match proof_need(route.0, route.1) {
            ProofNeed::Fresh(_) => self.require_proof(owner, path),
            ProofNeed::Token | ProofNeed::None => Ok(()),
        }
    }

    fn prove_first(&self, path: &str) -> PageError {
        let prove = with_next(PROVE, Some(path));
        PageError::ProveFirst(format!("{}{prove}", self.public_url))
    }

    /// Returns true if the last proof that the user owns the account is at most 10 minutes old.
    pub(crate) fn has_fresh_proof(&self, owner: &SignedInUser) -> bool {
        self.inner.has_fresh_proof(owner)
    }

    /// Records a proof that a user owns the account.
    pub async fn record_proof(&self, owner: &SignedInUser) -> Result<()> {
        self.inner.record_proof(owner).await
    }

    /// Returns an identifier of the visitor's browser, for ceremonies. It changes when the visitor signs in or out, and
    /// when the session ends. `None` if the visitor has no cookie, which every page with a form sets.
    pub fn browser_id(&self, visitor: &Visitor) -> Option<String> {
        self.csrf_secret(visitor).map(digest)
    }

    /// Returns [`Self::browser_id`] of a visitor who gets this cookie for CSRF tokens with the response.
    pub fn browser_with(&self, visitor: &Visitor, new_cookie: Option<&Cookie<'_>>) -> String {
        let new = new_cookie.map(Cookie::value);
        new.or_else(|| self.csrf_secret(visitor))
            .map(digest)
            .unwrap_or_default()
    }

    /// Starts a session for a user who has just signed in, and ends the visitor's earlier one. Remembers the browser,
    /// tells the user of a new browser, and stores the browser's time zone in an account without a time zone. Returns
    /// the session cookie, and the cookie by which the browser is recognized. The secret of the session is always new,
    /// which prevents session fixation.
    pub async fn begin(
        &self,
        visitor: &Visitor,
        account: &Account,
    ) -> Result<[Cookie<'static>; 2]> {
        let known = self.cookie(visitor, BROWSER_COOKIE);
        let browser = match known.filter(|id| id.len() == BROWSER_ID_LENGTH) {
            Some(id) => id.to_owned(),
            None => URL_SAFE_NO_PAD.encode(self.inner.random.bytes::<32>()),
        };
        let origin = visitor.origin();
        let name = origin.browser.clone();
        let begin = self.inner.begin(account, origin);
        let remember = async {
            if let Some(account_service) = &self.account_service {
                account_service
                    .remember_browser(account, &browser, &name)
                    .await;
                account_service
                    .remember_time_zone(account, visitor.time_zone)
                    .await;
            }
            Ok(())
        };
        // Boxed, because all three together are large.
        let (secret, (), ()) = try_join!(
            Box::pin(begin),
            self.end_session(visitor),
            Box::pin(remember)
        )?;
        Ok([
            self.new_cookie(SESSION_COOKIE, secret, Some(SESSION_LIFETIME)),
            self.new_cookie(BROWSER_COOKIE, browser, Some(BROWSER_LIFETIME)),
        ])
    }

    /// Ends the visitor's session. Returns an expired cookie, which makes the browser remove its session cookie.
    pub async fn end(&self, visitor: &Visitor) -> Result<Cookie<'static>> {
        self.end_session(visitor).await?;
        Ok(self.new_cookie(SESSION_COOKIE, String::new(), Some(Duration::ZERO)))
    }

    async fn end_session(&self, visitor: &Visitor) -> Result<()> {
        match self.cookie(visitor, SESSION_COOKIE) {
            Some(secret) => self.inner.end(secret).await,
            None => Ok(()),
        }
    }

    /// Returns the value of the cookie that CSRF tokens are computed from: the cookie of the session, or the form
    /// cookie if there is no session. Once [`Self::find`] has noticed that a session has ended, its cookie no longer
    /// counts, because a form or a ceremony from that session must not continue as a visitor's.
    pub(crate) fn csrf_secret<'v>(&self, visitor: &'v Visitor) -> Option<&'v str> {
        let has_ended = matches!(visitor.session.get(), Some(None));
        let session = self.cookie(visitor, SESSION_COOKIE);
        let session = session.filter(|_| !has_ended);
        session.or_else(|| self.cookie(visitor, FORM_COOKIE))
    }

    /// Returns true if the visitor has a cookie of a session, which may have ended.
    pub(crate) fn has_session_cookie(&self, visitor: &Visitor) -> bool {
        self.cookie(visitor, SESSION_COOKIE).is_some()
    }

    /// Returns the cookie that keeps the settings of a browser for a year. For the default settings, returns an expired
    /// cookie, which makes the browser remove it.
    pub fn settings_cookie(&self, settings: BrowserSettings) -> Cookie<'static> {
        if settings == BrowserSettings::default() {
            self.new_cookie(DISPLAY_COOKIE, String::new(), Some(Duration::ZERO))
        } else {
            self.new_cookie(DISPLAY_COOKIE, settings.to_cookie(), Some(DISPLAY_LIFETIME))
        }
    }

    /// Returns the name of the view of the list that was chosen last in this browser.
    pub fn list_view<'v>(&self, visitor: &'v Visitor) -> Option<&'v str> {
        self.cookie(visitor, LIST_VIEW_COOKIE)
    }

    /// Returns the cookie that keeps the name of a view of the list for a year.
    pub fn list_view_cookie(&self, name: &'static str) -> Cookie<'static> {
        self.new_cookie(LIST_VIEW_COOKIE, name.to_owned(), Some(DISPLAY_LIFETIME))
    }

    /// Returns the cookie that confirms the notice of the page at this address ([`crate::notice`]).
    pub(crate) fn notice_cookie(&self, path: &str) -> Cookie<'static> {
        self.new_cookie(NOTICE_COOKIE, digest_of_query(path), Some(NOTICE_LIFETIME))
    }

    /// Returns the value of a cookie with the prefix in its name.
    pub(crate) fn cookie<'v>(&self, visitor: &'v Visitor, name: &str) -> Option<&'v str> {
        find_cookie(&visitor.cookies, self.prefix(), name)
    }

    fn prefix(&self) -> &'static str {
        cookie_prefix(&self.public_url)
    }

    /// Builds a cookie with the attributes that RFC 6265bis recommends. Without TLS (local development) it is not
    /// `Secure`, because browsers would reject it. If `age` is `None`, the browser drops the cookie when the browser
    /// is closed.
    pub(crate) fn new_cookie(
        &self,
        name: &str,
        value: String,
        age: Option<Duration>,
    ) -> Cookie<'static> {
        let prefix = self.prefix();
        let mut cookie = Cookie::new(format!("{prefix}{name}"), value);
        cookie.set_path(match self.base_path() {
            "" => "/".to_owned(),
            path => path.to_owned(),
        });
        cookie.set_secure(!prefix.is_empty());
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Lax);
        cookie.set_max_age(age);
        cookie
    }
}

/// Returns the parts of an account that error pages need.
pub(crate) fn page_account(user: &SignedInUser) -> PageAccount {
    PageAccount {
        username: user.username().to_owned(),
        localization: user.localization().to_owned(),
        has_public_profile: user.account.public_profile,
    }
}

/// Returns true if the browser says that a page of this site has sent the request (W3C Fetch Metadata). Pages
/// cannot set this header. Browsers send it only over TLS or to the machine that they run on.
pub fn is_from_this_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_some_and(|site| site == "same-origin")
}

/// Returns true if the browser says that a page of another site has sent the request (W3C Fetch Metadata). Browsers
/// send the header only over TLS or to the machine that they run on.
pub fn is_from_other_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_some_and(|site| site != "same-origin" && site != "none")
}
