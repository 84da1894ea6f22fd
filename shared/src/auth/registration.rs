//! The rule for registrations.

use crate::value_names;

// The names are those in settings.
value_names! {
    /// The rule for registrations on a server.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum RegistrationMode {
        /// Everyone.
        #[default]
        Open = "open",
        /// Everyone with an invitation.
        Invite = "invite",
        /// Only the first administrator, with the link that `kiroku serve` prints.
        Closed = "closed",
    }
}

impl RegistrationMode {
    /// Reads the setting `REGISTRATION`. Without it, registration is open.
    ///
    /// # Errors
    /// The setting has another value. The error names the setting and the allowed values.
    pub fn read(setting: Option<&str>) -> Result<Self, &'static str> {
        let mode = setting.map_or(Some(Self::default()), Self::from_name);
        mode.ok_or("REGISTRATION must be open, closed or invite")
    }
}
