//! The rule for registrations.

/// The rule for registrations on a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegistrationMode {
    /// Everyone.
    #[default]
    Open,
    /// Everyone with an invitation.
    Invite,
    /// Only the first administrator, with the link that `kiroku serve` prints.
    Closed,
}

impl RegistrationMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Open, Self::Invite, Self::Closed];

    /// Returns the name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invite => "invite",
            Self::Closed => "closed",
        }
    }

    /// Reads the setting `REGISTRATION`. Without it, registration is open.
    ///
    /// # Errors
    /// The setting has another value. The error names the setting and the allowed values.
    pub fn read(setting: Option<&str>) -> Result<Self, &'static str> {
        let Some(setting) = setting else {
            return Ok(Self::default());
        };
        let mut all = Self::ALL.into_iter();
        all.find(|mode| mode.name() == setting)
            .ok_or("REGISTRATION must be open, closed or invite")
    }
}
