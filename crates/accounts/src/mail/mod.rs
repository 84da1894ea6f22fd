//! The mails of the service, and the ways to send them.

pub(crate) mod content;
pub(crate) mod link_mail;
pub(crate) mod links;
pub(crate) mod mailer;
pub(crate) mod security_mail;

pub use self::links::{RESET_PASSWORD, SIGN_UP, VERIFY_EMAIL, invitation_link};
pub use self::mailer::{BuiltMail, MailQueue, MailTransport, Mailer, name_and_address};
pub use self::security_mail::SecurityEvent;
