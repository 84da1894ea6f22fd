//! Second factors: one-time passwords of an authenticator app (RFC 6238) and recovery codes.

use dynamo::Database;
use shared::auth::Sealer;
use shared::clock::Clock;
use shared::models::{Factors, SecondFactor, UserId};
use shared::random::Random;
use shared::{Error, Result, digest};
use totp_rs::{Builder, Secret, Totp};

use crate::users::user::Account;
use crate::users::user_store::UserStore;

/// The duration of a time step of one-time passwords, in seconds.
const STEP_S: u64 = 30;

const TOTP_DIGITS: usize = 6;

/// The number of recovery codes that are made at a time.
const RECOVERY_CODES: usize = 10;

/// The number of digits of a recovery code. 20 digits have 66 bits of entropy, so a code cannot be guessed, neither at
/// the sign-in nor from its digest. So a fast hash without a salt is enough for the digest. Codes have only digits,
/// because the field for both kinds of codes opens the numeric keyboard of a phone, and because digits are hard to
/// confuse.
const RECOVERY_DIGITS: usize = 20;

/// The number of digits in a group of a recovery code.
const RECOVERY_GROUP: usize = 5;

/// The operations on second factors.
#[derive(Debug)]
pub struct SecondFactors {
    users: UserStore,
    sealer: Sealer,
    clock: Clock,
    random: Random,
}

/// A secret for an authenticator app.
pub struct TotpSecret(Secret);

shared::hide_values!(TotpSecret);

impl TotpSecret {
    /// Reads a secret from Base32.
    ///
    /// # Errors
    /// The text is not Base32, or is too short.
    pub fn read(base32: &str) -> Result<Self> {
        let secret = Secret::try_from_base32(base32).map_err(Error::internal)?;
        let secret = Self(secret);
        secret.generator(Builder::new()).map(|_| secret)
    }

    /// Returns the secret in Base32, as authenticator apps take it.
    pub fn base32(&self) -> String {
        self.0.to_base32()
    }

    /// Returns the URL that authenticator apps read from a QR code. `host` is the host of the service, and `username`
    /// the name of the user; the app shows both beside the codes.
    pub fn url(&self, host: &str, username: &str) -> Result<String> {
        // An issuer must not contain a colon, as IPv6 addresses do.
        let issuer = if host.contains(':') {
            "Kiroku".to_owned()
        } else {
            format!("Kiroku ({host})")
        };
        let builder = Builder::new().with_issuer(Some(issuer));
        let totp = self.generator(builder.with_account_name(username))?;
        totp.to_url().map_err(Error::internal)
    }

    /// Returns the number of the time step that a code belongs to, if it is the current, previous or next time step,
    /// and later than `last_step`. A `last_step` in the future is ignored: the clock of this machine was wrong when
    /// that code was accepted. `now` is in seconds since the Unix epoch.
    fn step_of(&self, code: &str, now: u64, last_step: u64) -> Result<Option<u64>> {
        let totp = self.generator(Builder::new())?;
        let current = now / STEP_S;
        let last_step = Some(last_step).filter(|step| *step <= current + 1);
        let first = last_step.map_or(0, |step| step + 1);
        let mut steps = current.saturating_sub(1).max(first)..=current + 1;
        Ok(steps.find(|step| totp.check(code, step * STEP_S).is_some()))
    }

    /// Returns the generator of codes: SHA-1, 6 digits and steps of 30 seconds are the only parameters that all
    /// authenticator apps support, and the defaults of the builder.
    fn generator(&self, builder: Builder) -> Result<Totp> {
        let builder = builder.with_secret(self.0.clone()).with_skew(0);
        builder.build().map_err(Error::internal)
    }
}

/// The result of [`SecondFactors::take_code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakenCode {
    /// The code of the app is right.
    Totp,
    /// The recovery code is right.
    Recovery,
    /// The code is wrong or has already been used.
    Wrong,
    /// The code cannot be checked, because the secret of the app cannot be decrypted with the current keys.
    NotReadable,
}

/// The result of using a correct code: the new factors, and the kind of the code.
type UsedCode = (Factors, TakenCode);

enum TypedCode {
    Totp(String),
    Recovery(String),
}

impl TypedCode {
    /// Reads a code. Spaces and dashes are ignored, and the wide digits of Japanese keyboards count as digits. Returns
    /// `None` for a text that is not a code of either kind.
    fn read(text: &str) -> Option<Self> {
        let mut digits = String::new();
        for character in text.chars() {
            let digit = match character {
                '0'..='9' => character,
                '０'..='９' => char::from_digit(u32::from(character) - u32::from('０'), 10)?,
                '-' | '‐' | '–' => continue,
                _ if character.is_whitespace() => continue,
                _ => return None,
            };
            digits.push(digit);
        }
        match digits.len() {
            TOTP_DIGITS => Some(Self::Totp(digits)),
            RECOVERY_DIGITS => Some(Self::Recovery(digits)),
            _ => None,
        }
    }
}

fn seal_context(user: UserId) -> String {
    format!("second factor of user {}", user.get())
}

impl SecondFactors {
    /// Creates the operations on the users of this database, with these keys.
    pub fn new(database: &Database, sealer: Sealer) -> Self {
        Self {
            users: UserStore::new(database),
            sealer,
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Returns a new secret of 20 bytes, the length of a SHA-1 digest (RFC 4226, section 4).
    pub fn new_secret(&self) -> TotpSecret {
        TotpSecret(Secret::from(self.random.bytes::<20>()))
    }

    /// Returns the factors of a user who sets up a second factor, and its recovery codes. `code` proves that the
    /// authenticator app has the secret.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `code`.
    pub async fn set_up(
        &self,
        account: &Account,
        secret: &TotpSecret,
        code: &str,
    ) -> Result<(Factors, Vec<String>)> {
        let step = match TypedCode::read(code) {
            Some(TypedCode::Totp(code)) => secret.step_of(&code, self.clock.now_s(), 0)?,
            _ => None,
        };
        let reason = "is wrong; check that the clock of your device is right";
        let last_step = step.ok_or_else(|| Error::invalid("code", reason))?;
        let codes = self.new_recovery_codes();
        let context = seal_context(account.user.id);
        let second_factor = SecondFactor {
            secret: self.sealer.seal(&context, &secret.base32()).await?,
            last_step,
            recovery_codes: digests(&codes),
            created_at: self.clock.now_ms(),
        };
        let factors = Factors {
            second_factor: Some(second_factor),
            ..account.factors.clone()
        };
        Ok((factors, codes))
    }

    /// Returns the factors of a user with new recovery codes, and these codes. The old codes end. `None` if the user
    /// has no second factor.
    pub fn renew_recovery_codes(&self, account: &Account) -> Option<(Factors, Vec<String>)> {
        let mut factors = account.factors.clone();
        let codes = self.new_recovery_codes();
        factors.second_factor.as_mut()?.recovery_codes = digests(&codes);
        Some((factors, codes))
    }

    /// Uses a code of the user's second factor. Each code works once: of several requests with the same code, only one
    /// succeeds.
    pub(crate) async fn take_code(&self, account: &Account, text: &str) -> Result<TakenCode> {
        let id = account.user.id;
        let mut factors = account.factors.clone();
        // If another request changes the factors at the same time, they are read once more, because it may have used
        // another code or a passkey.
        for _ in 0..2 {
            let (new, kind) = match self.use_code(id, &factors, text).await? {
                Ok(used) => used,
                Err(refused) => return Ok(refused),
            };
            if self.users.record_factor_use(id, &factors, new).await? {
                return Ok(kind);
            }
            match self.users.account(id).await? {
                Some(account) => factors = account.factors,
                None => return Ok(TakenCode::Wrong),
            }
        }
        Err(Error::Contended)
    }

    /// Returns the factors after the use of a code, and its kind; or the reason why the code is not accepted.
    async fn use_code(
        &self,
        user: UserId,
        factors: &Factors,
        text: &str,
    ) -> Result<Result<UsedCode, TakenCode>> {
        let mut new = factors.clone();
        let (Some(code), Some(second_factor)) = (TypedCode::read(text), &mut new.second_factor)
        else {
            return Ok(Err(TakenCode::Wrong));
        };
        let kind = match code {
            TypedCode::Totp(code) => {
                let sealed = &second_factor.secret;
                let opened = self.sealer.open(&seal_context(user), sealed).await?;
                let Some(secret) = opened else {
                    tracing::error!(
                        "cannot decrypt the secret of an authenticator app: are the keys those of the data?"
                    );
                    return Ok(Err(TakenCode::NotReadable));
                };
                let secret = TotpSecret::read(&secret)?;
                let (now, last_step) = (self.clock.now_s(), second_factor.last_step);
                let Some(step) = secret.step_of(&code, now, last_step)? else {
                    return Ok(Err(TakenCode::Wrong));
                };
                second_factor.last_step = step;
                TakenCode::Totp
            }
            TypedCode::Recovery(code) => {
                let (digest, left) = (digest(&code), &mut second_factor.recovery_codes);
                let Some(position) = left.iter().position(|other| *other == digest) else {
                    return Ok(Err(TakenCode::Wrong));
                };
                left.remove(position);
                TakenCode::Recovery
            }
        };
        Ok(Ok((new, kind)))
    }

    /// Returns new recovery codes, in groups of digits.
    fn new_recovery_codes(&self) -> Vec<String> {
        let digit = |_| char::from_digit(u32::try_from(self.random.below(10)).ok()?, 10);
        let code = |_| {
            let digits: Vec<char> = (0..RECOVERY_DIGITS).filter_map(digit).collect();
            let groups = digits.chunks(RECOVERY_GROUP);
            let groups: Vec<String> = groups.map(|group| group.iter().collect()).collect();
            groups.join("-")
        };
        (0..RECOVERY_CODES).map(code).collect()
    }
}

/// Returns the digests of recovery codes, without the dashes between their groups.
fn digests(codes: &[String]) -> Vec<String> {
    let codes = codes.iter();
    codes.map(|code| digest(&code.replace('-', ""))).collect()
}

#[cfg(test)]
mod tests {
    use super::{TotpSecret, TypedCode};

    /// The secret of RFC 6238, appendix B: `12345678901234567890`.
    fn secret() -> TotpSecret {
        TotpSecret::read("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap()
    }

    /// The test vectors of RFC 6238, appendix B, for SHA-1. They have 8 digits, of which an authenticator app shows the
    /// last 6.
    const VECTORS: [(u64, &str); 6] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];

    #[test]
    fn codes_are_those_of_rfc_6238() {
        for (time, code) in VECTORS {
            let step = time / 30;
            assert_eq!(secret().step_of(code, time, 0).unwrap(), Some(step));
        }
    }

    #[test]
    fn window_is_one_step_before_and_after() {
        let (time, code) = VECTORS[4];
        let step = time / 30;
        let taken_at = |now: u64| secret().step_of(code, now, 0).unwrap() == Some(step);
        let first_second = step * 30;
        assert!(!taken_at(first_second - 31));
        assert!(taken_at(first_second - 30));
        assert!(taken_at(first_second + 59));
        assert!(!taken_at(first_second + 60));
        assert_eq!(secret().step_of(code, time, step).unwrap(), None);
        assert_eq!(secret().step_of(code, time, step - 1).unwrap(), Some(step));
    }

    #[test]
    fn step_of_a_clock_in_the_future_is_ignored() {
        let (time, code) = VECTORS[4];
        let step = time / 30;
        for (last_step, expected) in [
            (step + 1, None),
            (step + 2, Some(step)),
            (step + 1_000_000, Some(step)),
            (u64::MAX, Some(step)),
        ] {
            let accepted = secret().step_of(code, time, last_step).unwrap();
            assert_eq!(accepted, expected, "{last_step}");
        }
    }

    #[test]
    fn codes_are_read_leniently() {
        let digits = |text: &str| match TypedCode::read(text) {
            Some(TypedCode::Totp(digits)) => format!("totp {digits}"),
            Some(TypedCode::Recovery(digits)) => format!("recovery {digits}"),
            None => String::new(),
        };
        for text in [
            "123456",
            " 123 456\n",
            "123-456",
            "１２３４５６",
            "1-2 3–4‐56",
        ] {
            assert_eq!(digits(text), "totp 123456", "{text}");
        }
        for text in [
            "12345-67890-12345-67890",
            "12345678901234567890",
            "12345 67890 12345 67890",
        ] {
            assert_eq!(digits(text), "recovery 12345678901234567890", "{text}");
        }
        for text in [
            "",
            "12345",
            "1234567",
            "12345a",
            "+12345",
            "１２３",
            "٣٣٣٣٣٣",
        ] {
            assert_eq!(digits(text), "", "{text}");
        }
    }

    #[test]
    fn url_has_the_defaults_of_authenticator_apps() {
        let url = secret().url("kiroku.example", "taki").unwrap();
        assert_eq!(
            url,
            "otpauth://totp/Kiroku%20%28kiroku.example%29:taki?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Kiroku%20%28kiroku.example%29"
        );
    }
}
