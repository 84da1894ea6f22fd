//! HTTP clients for calls to other servers, with the root certificates that they trust.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

/// The time after which an idle connection is closed. Lambda freezes a process between two runs, so a connection
/// that was idle for longer may be dead.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The environment variable with the name of a file of root certificates in PEM.
const VARIABLE: &str = "SSL_CERT_FILE";

/// An error in the configuration of a client.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A URL is invalid, or is not safe to send a secret to. Holds the name of the setting.
    #[error("{0} must be an https:// address without a user name")]
    Address(&'static str),
    /// The certificates of `SSL_CERT_FILE` cannot be used. Holds the reason.
    #[error("{0}")]
    Certificates(String),
    /// The HTTP client could not be created.
    #[error("cannot create the HTTP client: {0}")]
    Client(#[from] reqwest::Error),
    /// TLS could not be set up.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Returns the builder of an HTTP client. `connect_timeout` is the maximum time to open a connection.
///
/// # Errors
/// The certificates of `SSL_CERT_FILE` cannot be used, or TLS cannot be set up.
pub fn client_builder(connect_timeout: Duration) -> Result<ClientBuilder, SetupError> {
    Ok(Client::builder()
        .tls_backend_preconfigured(tls_config()?)
        .no_proxy()
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .user_agent(concat!("kiroku/", env!("CARGO_PKG_VERSION"))))
}

/// Builds the TLS configuration, with Mozilla's root certificates and those of `SSL_CERT_FILE`. Mozilla's are compiled
/// in, because Lambda does not guarantee a system's certificate store. As constants, they need no parsing. The AWS
/// clients use the same crypto provider.
fn tls_config() -> Result<ClientConfig, SetupError> {
    let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    // The certificates of a whole system may include old ones that rustls cannot use.
    roots.add_parsable_certificates(extra_certificates()?);
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// Returns the root certificates in the file that `SSL_CERT_FILE` names. They are trusted in addition to the built-in
/// ones. Returns no certificates if the variable is unset or empty.
///
/// # Errors
/// [`SetupError::Certificates`] if the file cannot be read, is not PEM, or has no certificate.
pub fn extra_certificates() -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let file = std::env::var_os(VARIABLE).filter(|file| !file.is_empty());
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let fail = |reason: &str| {
        let file = file.display();
        SetupError::Certificates(format!("{VARIABLE}: {file}: {reason}"))
    };
    let certificates = CertificateDer::pem_file_iter(&file).and_then(Iterator::collect);
    let certificates: Vec<_> = certificates.map_err(|error| match error {
        pem::Error::Io(error) => fail(&format!("cannot be read: {error}")),
        // The error may quote the file.
        _ => fail("is not a PEM file"),
    })?;
    if certificates.is_empty() {
        return Err(fail("has no certificate in PEM"));
    }
    Ok(certificates)
}
