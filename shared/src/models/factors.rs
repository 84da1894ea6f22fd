//! The ways in which a user signs in besides the password, and the second factor (docs/data-model.md, "Factors").

use serde::{Deserialize, Serialize};

use crate::{Error, Missing, Result};

/// The maximum number of passkeys of a user.
pub const MAX_PASSKEYS: usize = 10;

/// The passkeys, the account at an identity provider and the second factor of a user.
///
/// A change is written only if [`Self::version`] is still that of the factors that were read. So of two concurrent
/// changes that together would remove the last way to sign in or use a code twice, only one is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factors {
    /// Counts the changes.
    pub version: u64,
    /// The passkeys, oldest first, at most [`MAX_PASSKEYS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passkeys: Vec<Passkey>,
    /// The account at an identity provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The second factor, which is asked for after the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<SecondFactor>,
}

/// A passkey (Web Authentication, Level 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    /// The identifier of the credential, in Base64url.
    pub id: String,
    /// The name that the user has given it.
    pub name: String,
    /// The credential with its public key and its signature counter, as JSON.
    pub credential: String,
    /// The time of its creation, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The time of its last use, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<u64>,
}

/// An account at an identity provider (OpenID Connect Core 1.0, section 2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The issuer: the URL of the provider.
    pub issuer: String,
    /// The subject: the identifier of the account, unique at the issuer.
    pub subject: String,
    /// The time of the connection, in milliseconds since the Unix epoch.
    pub connected_at: u64,
}

/// A second factor: one-time passwords of an authenticator (RFC 6238), and recovery codes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondFactor {
    /// The encrypted secret that the authenticator shares with this service.
    pub secret: String,
    /// The number of the last time step whose code was taken. Codes of this and earlier time steps are refused.
    pub last_step: u64,
    /// The digests of the recovery codes that are left.
    pub recovery_codes: Vec<String>,
    /// The time at which it was set up, in milliseconds since the Unix epoch.
    pub created_at: u64,
}

crate::hide_values!(SecondFactor);

impl Factors {
    /// Returns true if the user has no factors and never had any.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the passkey with this identifier.
    pub fn passkey(&self, id: &str) -> Option<&Passkey> {
        self.passkeys.iter().find(|passkey| passkey.id == id)
    }

    /// Returns the account at the identity provider with this issuer.
    pub fn identity_at(&self, issuer: &str) -> Option<&Identity> {
        let identity = self.identity.as_ref();
        identity.filter(|identity| identity.issuer == issuer)
    }

    /// Adds a passkey.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `passkey` if the user has [`MAX_PASSKEYS`] passkeys or already has this one.
    pub fn add_passkey(&mut self, passkey: Passkey) -> Result<()> {
        if self.passkeys.len() >= MAX_PASSKEYS {
            return Err(Error::conflict(
                "passkey",
                "is one too many; remove another one first",
            ));
        }
        if self.passkey(&passkey.id).is_some() {
            return Err(Error::conflict("passkey", "is there already"));
        }
        self.passkeys.push(passkey);
        Ok(())
    }

    /// Removes the passkey with this identifier, and returns it. `has_password` is true if the user can sign in with a
    /// password.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `passkey` if it is the last way in, or [`Error::NotFound`].
    pub fn remove_passkey(&mut self, id: &str, has_password: bool) -> Result<Passkey> {
        let position = self.passkeys.iter().position(|passkey| passkey.id == id);
        let position = position.ok_or(Error::NotFound(Missing::Passkey))?;
        let passkey = self.passkeys.remove(position);
        self.check_way_in("passkey", has_password)?;
        Ok(passkey)
    }

    /// Removes the account at the identity provider, and returns it. `has_password` is true if the user can sign in
    /// with a password.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `provider` if it is the last way in, or [`Error::NotFound`].
    pub fn remove_identity(&mut self, has_password: bool) -> Result<Identity> {
        let removed = self.identity.take();
        let identity = removed.ok_or(Error::NotFound(Missing::Provider))?;
        self.check_way_in("provider", has_password)?;
        Ok(identity)
    }

    /// Checks that a way to sign in remains after the removal of the way that `field` names.
    fn check_way_in(&self, field: &'static str, has_password: bool) -> Result<()> {
        let last = || Error::conflict(field, "is the last way to sign in; add another one first");
        let is_left = has_password || !self.passkeys.is_empty() || self.identity.is_some();
        is_left.then_some(()).ok_or_else(last)
    }
}

#[cfg(test)]
mod tests {
    use super::{Factors, Identity, MAX_PASSKEYS, Passkey};
    use crate::Error;

    fn passkey(id: &str) -> Passkey {
        Passkey {
            id: id.to_owned(),
            name: String::new(),
            credential: String::new(),
            created_at: 0,
            used_at: None,
        }
    }

    fn identity() -> Identity {
        Identity {
            issuer: "https://id.example".to_owned(),
            subject: "7".to_owned(),
            connected_at: 0,
        }
    }

    #[test]
    fn last_way_in_stays() {
        let mut factors = Factors::default();
        factors.add_passkey(passkey("a")).unwrap();
        factors.identity = Some(identity());
        let mut one = factors.clone();
        one.remove_identity(false).unwrap();
        assert!(matches!(
            one.remove_passkey("a", false),
            Err(Error::Conflict(_))
        ));
        factors.remove_passkey("a", false).unwrap();
        assert!(matches!(
            factors.clone().remove_identity(false),
            Err(Error::Conflict(_))
        ));
        factors.remove_identity(true).unwrap();
        assert!(factors.passkeys.is_empty() && factors.identity.is_none());
    }

    #[test]
    fn passkeys_are_limited_and_unique() {
        let mut factors = Factors::default();
        for number in 0..MAX_PASSKEYS {
            factors.add_passkey(passkey(&number.to_string())).unwrap();
            let again = factors.add_passkey(passkey("0"));
            assert!(matches!(again, Err(Error::Conflict(_))));
        }
        assert!(matches!(
            factors.add_passkey(passkey("x")),
            Err(Error::Conflict(_))
        ));
        assert!(matches!(
            factors.remove_passkey("x", true),
            Err(Error::NotFound(_))
        ));
    }
}
