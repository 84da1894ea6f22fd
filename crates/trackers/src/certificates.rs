//! Certificates of private certificate authorities.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{Error, PemObject};

use crate::config::SetupError;

/// The environment variable with the name of a file of root certificates in PEM.
const VARIABLE: &str = "SSL_CERT_FILE";

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
        Error::Io(error) => fail(&format!("cannot be read: {error}")),
        // The error may quote the file.
        _ => fail("is not a PEM file"),
    })?;
    if certificates.is_empty() {
        return Err(fail("has no certificate in PEM"));
    }
    Ok(certificates)
}
