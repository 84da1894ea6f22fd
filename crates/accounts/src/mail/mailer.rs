//! Sends mail through Amazon SES or a queue, or writes it to a folder on a developer's machine.

use std::fmt;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::error::ProvideErrorMetadata;
use aws_sdk_sesv2::primitives::Blob;
use aws_sdk_sesv2::types::{Destination, EmailContent, RawMessage};
use mail_builder::MessageBuilder;
use mail_builder::headers::date::Date;
use mail_builder::mime::{BodyPart, MimePart};
use shared::clock::Clock;
use shared::models::EmailAddress;
use shared::random::Random;
use shared::{Error, Result};

use super::content::MailContent;

/// A mail to send.
#[derive(Clone)]
pub struct Mail {
    /// The recipient.
    pub to: EmailAddress,
    /// The subject.
    pub subject: &'static str,
    /// The text. A text in ASCII is sent without encoding, so its lines must have at most 998 characters (RFC 5322,
    /// section 2.1.1).
    pub text: String,
    /// The same content as a page in HTML.
    pub html: String,
}

impl Mail {
    /// Returns the mail with this content.
    pub(crate) fn new(to: EmailAddress, content: &MailContent) -> Self {
        Self {
            to,
            subject: content.subject,
            text: content.text(),
            html: content.html(),
        }
    }
}

/// A mail in the form in which it is sent.
#[derive(Clone)]
pub struct BuiltMail {
    /// The address of the sender.
    pub from: String,
    /// The recipient.
    pub to: EmailAddress,
    /// The Internet message (RFC 5322).
    pub message: Vec<u8>,
}

/// A queue that sends mail in the background. Another crate implements it, so that the functions on AWS, which use SES,
/// do not contain it.
pub trait MailQueue: fmt::Debug + Send + Sync {
    /// Adds a mail to the queue, and does not wait until it is sent.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the queue is full. The error contains neither address nor text.
    fn push(&self, mail: BuiltMail) -> Result<()>;
}

/// The way in which mail is sent.
#[derive(Clone, Debug)]
pub enum MailTransport {
    /// Amazon SES (API v2) sends the mail. Neither address nor text is logged.
    Ses(Client),
    /// A queue sends the mail.
    Queue(Arc<dyn MailQueue>),
    /// The mail is not sent, but written to a folder with one file for each mail, which only the user of this process
    /// can read, and optionally to standard output. This is for a developer's machine.
    Folder {
        /// The folder. With `None`, no files are written.
        folder: Option<PathBuf>,
        /// True to print each mail to standard output.
        print: bool,
    },
}

/// Sends mail.
#[derive(Clone, Debug)]
pub struct Mailer {
    transport: MailTransport,
    /// The sender: a name and an address, for example `Kiroku <no-reply@example.com>`, or an address alone.
    from: String,
    clock: Clock,
    random: Random,
}

/// Writes a new file. On Unix, whatever the umask, other users can neither read the file nor open a folder that is
/// created for it.
fn write_private(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let (mut builder, mut options) = (DirBuilder::new(), OpenOptions::new());
    builder.recursive(true);
    options.create_new(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(folder)?;
    options.open(folder.join(name))?.write_all(content)
}

impl Mailer {
    /// Creates a mailer for this sender: `Kiroku <no-reply@example.com>`, or an address alone.
    pub fn new(transport: MailTransport, from: &str, clock: Clock, random: Random) -> Self {
        Self {
            transport,
            from: from.to_owned(),
            clock,
            random,
        }
    }

    /// Sends a mail.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the mail cannot be sent. The error contains neither address nor text.
    pub async fn send(&self, mail: &Mail) -> Result<()> {
        let message = self.build_message(mail)?;
        match &self.transport {
            MailTransport::Ses(client) => {
                let raw = RawMessage::builder().data(Blob::new(message)).build();
                let raw = raw.map_err(Error::internal)?;
                let to = Destination::builder().to_addresses(mail.to.as_str());
                let sent = client
                    .send_email()
                    .destination(to.build())
                    .content(EmailContent::builder().raw(raw).build())
                    .send()
                    .await;
                sent.map(|_| ()).map_err(|error| {
                    // The error message of SES may contain the address, so only the error code is logged.
                    let code = error
                        .as_service_error()
                        .and_then(ProvideErrorMetadata::code);
                    let code = code.unwrap_or("no answer");
                    Error::Unavailable(format!("SES: {code}"))
                })
            }
            MailTransport::Queue(queue) => queue.push(BuiltMail {
                from: name_and_address(&self.from).1.to_owned(),
                to: mail.to.clone(),
                message,
            }),
            MailTransport::Folder { folder, print } => {
                if let Some(folder) = folder {
                    let name = format!("{}-{}.eml", self.clock.now_ms(), self.random.short_id());
                    write_private(folder, &name, &message)
                        .map_err(|error| Error::Unavailable(format!("the mail folder: {error}")))?;
                }
                if *print {
                    println!(
                        "\nMail to {}: {}\n\n{}",
                        mail.to.as_str(),
                        mail.subject,
                        mail.text
                    );
                }
                Ok(())
            }
        }
    }

    /// Builds the Internet message (RFC 5322). Programs show the last of its parts that they can show (RFC 2046,
    /// section 5.1.4).
    fn build_message(&self, mail: &Mail) -> Result<Vec<u8>> {
        let (name, address) = name_and_address(&self.from);
        let host = address.rsplit('@').next().unwrap_or_default();
        let seconds = i64::try_from(self.clock.now_s()).map_err(Error::internal)?;
        let text = mail.text.replace('\n', "\r\n");
        let is_ascii = text.is_ascii();
        let mut text = MimePart::new("text/plain", BodyPart::Text(text.into()));
        if is_ascii {
            // A text in ASCII needs no encoding. Without one, a link can be copied from the raw message. Other texts
            // are encoded as quoted-printable or base64 (RFC 2045).
            text = text.transfer_encoding("7bit");
        }
        let html = mail.html.replace('\n', "\r\n");
        let html = MimePart::new("text/html", BodyPart::Text(html.into()));
        let parts = BodyPart::Multipart(vec![text, html]);
        MessageBuilder::new()
            .from((name.to_owned(), address.to_owned()))
            .to(mail.to.as_str().to_owned())
            .subject(mail.subject)
            .date(Date::new(seconds))
            .message_id(format!("{}@{host}", self.random.short_id()))
            .body(MimePart::new("multipart/alternative", parts))
            .write_to_vec()
            .map_err(Error::internal)
    }
}

/// Returns the name and the address of a sender: `Kiroku <no-reply@example.com>`, or an address alone.
pub fn name_and_address(sender: &str) -> (&str, &str) {
    match sender.rsplit_once('<') {
        Some((name, address)) => (name.trim(), address.trim_end_matches('>')),
        None => ("", sender),
    }
}
