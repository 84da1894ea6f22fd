//! Mail by SMTP (RFC 5321, RFC 8314). A request does not wait for the server: mails are sent in the background, so that
//! a response never waits for a slow server, and its duration does not reveal that a mail is sent.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use accounts::mail::{BuiltMail, MailQueue, name_and_address};
use anyhow::{anyhow, bail};
use lettre::address::{Address, Envelope};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use percent_encoding::percent_decode_str;
use runtime::aws::secret;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use shared::{Error, Result};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use url::{Host, Url};

/// The maximum number of mails that wait. Each takes about 6 KB of memory.
const MAX_QUEUED: usize = 1_000;

/// The maximum number of connections at the same time.
const MAX_SMTP_CONNECTIONS: u32 = 4;

/// Time limit for sending a mail, from the connection to the end.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// The pauses before the second and the third attempt. Servers that refuse unknown senders at first (greylisting)
/// accept them after some minutes.
const PAUSES: [Duration; 2] = [Duration::from_mins(1), Duration::from_mins(10)];

/// The forms of a valid address. The address itself is in no error, because it can have a password.
const FORMS: &str = "SMTP_URL must be smtps://USER:PASSWORD@HOST[:PORT] for TLS, smtp://USER:PASSWORD@HOST[:PORT] for \
    STARTTLS, or smtp://HOST[:PORT]?tls=none for a relay without TLS and without a password; special characters of the \
    user and the password must be percent-encoded";

/// The settings of an SMTP server. It shows only the host and the port, so that no log contains the password.
pub struct SmtpServer {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<(String, String)>,
}

/// The protection of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// The connection uses TLS from the start.
    Tls,
    /// The server must offer STARTTLS, or nothing is sent.
    StartTls,
    /// The connection is not protected.
    None,
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SmtpServer({}:{})", self.host, self.port)
    }
}

impl SmtpServer {
    /// Reads the setting `SMTP_URL`.
    ///
    /// # Errors
    /// The setting is invalid. The error contains no part of the address.
    pub fn read(setting: &str) -> anyhow::Result<Self> {
        let url = Url::parse(setting).map_err(|_| anyhow!(FORMS))?;
        let security = match (url.scheme(), url.query()) {
            ("smtps", None) => Security::Tls,
            ("smtp", None) => Security::StartTls,
            ("smtp", Some("tls=none")) => Security::None,
            _ => bail!(FORMS),
        };
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| anyhow!(FORMS))?;
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            bail!(FORMS);
        }
        let decode = |text: &str| {
            let text = percent_decode_str(text).decode_utf8();
            text.map(String::from).map_err(|_| anyhow!(FORMS))
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, Some(password)) if !user.is_empty() && !password.is_empty() => {
                Some((decode(user)?, decode(password)?))
            }
            _ => bail!(FORMS),
        };
        if security == Security::None && credentials.is_some() {
            bail!(FORMS);
        }
        let default_port = match security {
            Security::Tls => 465,
            Security::StartTls => 587,
            Security::None => 25,
        };
        Ok(Self {
            // IPv6 addresses have brackets in URLs only.
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(default_port),
            security,
            credentials,
        })
    }
}

/// Reads `SMTP_URL` or the file in `SMTP_URL_FILE`. Returns the queue and the sender, or `None` without either setting.
/// `from` is the option `--mail-from`.
///
/// # Errors
/// The setting or the sender is invalid, or one of them is missing.
pub fn read_settings(
    from: Option<&str>,
    public_url: &str,
) -> anyhow::Result<Option<(Arc<SmtpQueue>, String)>> {
    let setting = secret("SMTP_URL").map_err(anyhow::Error::from_boxed)?;
    let (setting, from) = match (setting, from) {
        (Some(setting), Some(from)) => (setting, from),
        (Some(_), None) => bail!("--mail-from is required with SMTP_URL: the sender of mail"),
        (None, Some(_)) => bail!("--mail-from is of no use without SMTP_URL or SMTP_URL_FILE"),
        (None, None) => return Ok(None),
    };
    let (_, address) = name_and_address(from);
    let is_valid = !from.contains(['\r', '\n']) && address.parse::<Address>().is_ok();
    anyhow::ensure!(
        is_valid,
        "--mail-from must be an e-mail address, or a name and an address in <>"
    );
    let queue = SmtpQueue::new(SmtpServer::read(&setting)?, client_name(public_url))?;
    Ok(Some((queue, from.to_owned())))
}

/// Returns the name with which this service introduces itself to the SMTP server. IP addresses are written in a special
/// form (RFC 5321, section 4.1.3).
fn client_name(public_url: &str) -> ClientId {
    let url = Url::parse(public_url).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => ClientId::Domain(name.to_owned()),
        Some(Host::Ipv4(address)) => ClientId::Ipv4(address),
        Some(Host::Ipv6(address)) => ClientId::Ipv6(address),
        None => ClientId::Domain("localhost".to_owned()),
    }
}

/// Mails that wait to be sent through an SMTP server.
pub struct SmtpQueue {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    waiting: Arc<Semaphore>,
    connections: Arc<Semaphore>,
}

impl fmt::Debug for SmtpQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SmtpQueue")
    }
}

impl SmtpQueue {
    /// Creates the queue. It trusts the same certificates as calls to trackers ([`http_client::extra_certificates`]).
    /// `name` is the name with which this service introduces itself.
    ///
    /// # Errors
    /// The file of additional certificates is invalid, or TLS cannot be set up.
    pub fn new(server: SmtpServer, name: ClientId) -> anyhow::Result<Arc<Self>> {
        let extra = http_client::extra_certificates()?;
        let parameters = || -> anyhow::Result<TlsParameters> {
            let mut parameters = TlsParameters::builder(server.host.clone());
            // As for trackers, old certificates that rustls cannot use are left out.
            let is_usable = |certificate: &&CertificateDer<'_>| {
                RootCertStore::empty().add((*certificate).clone()).is_ok()
            };
            for certificate in extra.iter().filter(is_usable) {
                let certificate = Certificate::from_der(certificate.to_vec())?;
                parameters = parameters.add_root_certificate(certificate);
            }
            let parameters = parameters.build();
            parameters.map_err(|_| anyhow!("cannot set up TLS for SMTP"))
        };
        let tls = match server.security {
            Security::Tls => Tls::Wrapper(parameters()?),
            Security::StartTls => Tls::Required(parameters()?),
            Security::None => Tls::None,
        };
        let mut transport =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host.as_str())
                .port(server.port)
                .tls(tls)
                .hello_name(name)
                .timeout(Some(SEND_TIMEOUT));
        if let Some((user, password)) = server.credentials {
            transport = transport.credentials(Credentials::new(user, password));
        }
        Ok(Arc::new(Self {
            transport: transport.build(),
            waiting: Arc::new(Semaphore::new(MAX_QUEUED)),
            connections: Arc::new(Semaphore::new(MAX_SMTP_CONNECTIONS as usize)),
        }))
    }

    /// Returns the number of mails that wait or are being sent.
    pub fn waiting(&self) -> u32 {
        let free = self.waiting.available_permits();
        u32::try_from(MAX_QUEUED.saturating_sub(free)).unwrap_or(u32::MAX)
    }

    /// Waits until all attempts that began before this call have ended. Mails that wait for another attempt are lost
    /// when the process ends; their users can request new ones.
    pub async fn finish_attempts(&self) {
        // Waiting attempts get their permits in order, so all of them come first. The semaphore is never closed.
        let _ = self.connections.acquire_many(MAX_SMTP_CONNECTIONS).await;
    }
}

impl MailQueue for SmtpQueue {
    fn push(&self, mail: BuiltMail) -> Result<()> {
        let envelope = envelope(&mail)?;
        let slot = Arc::clone(&self.waiting).try_acquire_owned();
        let slot = slot.map_err(|_| Error::Unavailable("SMTP: too many mails wait".to_owned()))?;
        let (transport, connections) = (self.transport.clone(), Arc::clone(&self.connections));
        tokio::spawn(async move {
            let _slot = slot;
            let mut pauses = PAUSES.into_iter();
            loop {
                let attempt = async {
                    let _connection = connections.acquire().await;
                    timeout(SEND_TIMEOUT, transport.send_raw(&envelope, &mail.message)).await
                };
                let (cause, can_retry) = match attempt.await {
                    Ok(Ok(_)) => return,
                    Ok(Err(error)) => (describe(&error), !error.is_permanent()),
                    Err(_) => ("timed out".to_owned(), true),
                };
                let Some(pause) = pauses.next().filter(|_| can_retry) else {
                    tracing::error!(cause, "a mail was not sent by SMTP");
                    return;
                };
                let retry_s = pause.as_secs();
                tracing::warn!(
                    cause,
                    retry_s,
                    "a mail was not sent by SMTP; it is tried again"
                );
                sleep(pause).await;
            }
        });
        Ok(())
    }
}

/// Returns the sender and the recipient in the form that the SMTP client needs.
fn envelope(mail: &BuiltMail) -> Result<Envelope> {
    // The errors of these calls can have the address.
    let address = |text: &str| {
        let address: Result<Address, _> = text.parse();
        address.map_err(|_| Error::internal("SMTP: the address of a mail is invalid"))
    };
    let (from, to) = (address(&mail.from)?, address(mail.to.as_str())?);
    Envelope::new(Some(from), vec![to]).map_err(Error::internal)
}

/// Returns the cause of a failure for the log. The text of the server is left out, because it can have the address of
/// the recipient.
fn describe(error: &lettre::transport::smtp::Error) -> String {
    if let Some(code) = error.status() {
        format!("the server answered {code}")
    } else if error.is_timeout() {
        "timed out".to_owned()
    } else if let Some(error) = find_tls_error(error) {
        describe_tls(error)
    } else if error.is_tls() {
        "TLS failed; is the certificate trusted?".to_owned()
    } else if error.is_client() {
        // These are fixed texts of the SMTP client: the server does not offer STARTTLS, or no known way to sign in.
        error.to_string()
    } else if error.is_response() {
        "the server's answer is unreadable".to_owned()
    } else {
        "no connection".to_owned()
    }
}

/// Returns the TLS error among the causes of an error.
fn find_tls_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.find_map(|cause| {
        let inner = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let inner = inner.and_then(|inner| inner.downcast_ref());
        inner.or_else(|| cause.downcast_ref())
    })
}

fn describe_tls(error: &rustls::Error) -> String {
    use rustls::CertificateError as Reason;

    let rustls::Error::InvalidCertificate(reason) = error else {
        // The server may speak no TLS on this port, or only versions that are too old.
        return "TLS failed; are the scheme and the port of SMTP_URL right?".to_owned();
    };
    let reason = match reason {
        Reason::UnknownIssuer => {
            "its authority is not trusted; name a file with the certificate of the authority in SSL_CERT_FILE"
        }
        Reason::Expired | Reason::ExpiredContext { .. } => "it has expired",
        Reason::NotValidYet | Reason::NotValidYetContext { .. } => {
            "it is not valid yet; is the clock of this machine right?"
        }
        Reason::NotValidForName | Reason::NotValidForNameContext { .. } => {
            "it is for another host name than the one in SMTP_URL"
        }
        _ => "it is invalid",
    };
    format!("the certificate of the server is refused: {reason}")
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::CertificateError;

    use super::{FORMS, Security, SmtpServer, describe_tls, find_tls_error};

    /// The SMTP client wraps the TLS error in an I/O error.
    #[test]
    fn reason_for_refusing_a_certificate_is_described() {
        for (reason, expected) in [
            (CertificateError::UnknownIssuer, "SSL_CERT_FILE"),
            (CertificateError::Expired, "it has expired"),
            (CertificateError::NotValidForName, "another host name"),
            (CertificateError::Revoked, "it is invalid"),
        ] {
            let error = io::Error::other(rustls::Error::InvalidCertificate(reason));
            let text = describe_tls(find_tls_error(&error).unwrap());
            assert!(text.contains(expected), "{text}");
        }
        let error = io::Error::other(rustls::Error::DecryptError);
        let text = describe_tls(find_tls_error(&error).unwrap());
        assert!(text.contains("SMTP_URL"), "{text}");
        assert!(find_tls_error(&io::Error::other("refused")).is_none());
    }

    #[test]
    fn addresses_of_servers_are_read() {
        let cases = [
            ("smtps://mail.example", 465, Security::Tls, None),
            ("smtp://mail.example/", 587, Security::StartTls, None),
            ("smtp://[::1]:2525?tls=none", 2525, Security::None, None),
            ("smtp://127.0.0.1?tls=none", 25, Security::None, None),
            (
                "smtps://me%40x.example:p%3Aw%C3%A9@mail.example:10465",
                10465,
                Security::Tls,
                Some(("me@x.example".to_owned(), "p:wé".to_owned())),
            ),
        ];
        for (setting, port, security, credentials) in cases {
            let server = SmtpServer::read(setting).unwrap();
            let found = (server.port, server.security, &server.credentials);
            assert_eq!(found, (port, security, &credentials), "{setting}");
        }
        assert_eq!(SmtpServer::read("smtp://[::1]").unwrap().host, "::1");
    }

    #[test]
    fn invalid_address_is_refused_without_being_repeated() {
        for setting in [
            "secret",
            "smtps://",
            "smtps:///x",
            "https://me:secret@mail.example",
            "smtps://me:secret@mail.example:99999",
            "smtps://me:secret@mail.example/path",
            "smtps://me:secret@mail.example?tls=none",
            "smtp://me:secret@mail.example?tls=none",
            "smtp://me:secret@mail.example?tls=opportunistic",
            "smtp://me@mail.example",
            "smtp://:secret@mail.example",
            "smtps://me:%FF@mail.example",
            "smtps://me:secret@mail.example#secret",
        ] {
            let error = SmtpServer::read(setting).unwrap_err();
            assert_eq!(error.to_string(), FORMS, "{setting}");
        }
        let server = SmtpServer::read("smtps://me:secret@mail.example").unwrap();
        assert_eq!(format!("{server:?}"), "SmtpServer(mail.example:465)");
    }
}
