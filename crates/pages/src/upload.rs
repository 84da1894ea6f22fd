//! Forms with a file (`multipart/form-data`, RFC 7578).

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use multer::Multipart;
use shared::http::ApiError;
use shared::http::body;

use crate::error::PageError;
use crate::form_page::FormPage;
use crate::return_path::page_of_form;
use crate::sessions::{PageSessions, Visitor};

/// The maximum size of a file in a form, in bytes: 4 MB. Lambda limits a request to 6 MB, and the form in it is
/// encoded in Base64, which makes it a third larger.
const MAX_UPLOAD: usize = 4 * 1024 * 1024;

/// The maximum size of a form, in bytes: 8.1 MB. A form whose file is above [`MAX_UPLOAD`] is also read, so that the
/// page can show the error beside the field: a browser does not show a response that arrives before the whole form is
/// sent.
const MAX_FORM: usize = 2 * (MAX_UPLOAD + body::MAX_BODY);

/// The maximum size of a packed file that a page keeps, in bytes: 384 KB, a list of about 6,000 entries. In the page it
/// is a third larger.
const MAX_KEPT: usize = 384 * 1024;

/// The name of the hidden field with the file that a page keeps ([`pack_file`]).
pub const KEPT_FILE: &str = "kept_file";

/// The first bytes of the files that are packed already: gzip and ZIP.
const PACKED: [&[u8]; 2] = [&[0x1f, 0x8b], b"PK"];

const INCOMPLETE: &str =
    "The form is incomplete or malformed. Go back, reload the page and send it again.";
const REPEATED_FIELD: &str = "The form must have each field only once.";
const TOO_LARGE: &str =
    "List files on this page are limited to 4 MB. Compress a larger file with gzip.";

/// A form with a file, sent by a signed-in user. Its CSRF token is valid: a page of this site, shown to this
/// visitor, has sent it.
pub struct Upload {
    /// The page that the form belongs to.
    pub page: FormPage,
    /// The fields.
    pub fields: UploadFields,
}

/// The fields of a form with a file.
pub struct UploadFields(HashMap<String, Bytes>);

impl<S> FromRequest<S> for Upload
where
    S: Send + Sync,
    Arc<PageSessions>: FromRef<S>,
{
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        let sessions = Arc::<PageSessions>::from_ref(state);
        let (mut parts, body) = request.into_parts();
        let Ok(visitor) = Visitor::from_request_parts(&mut parts, state).await;
        if content_length(&parts.headers).is_some_and(|length| length > MAX_FORM) {
            return Err(ApiError::PayloadTooLarge(TOO_LARGE).into());
        }
        // The body is read only for signed-in users, because it takes up to 8 MB of memory. The CSRF token is
        // in the body, so it is checked afterwards.
        let owner = sessions
            .require_user(&visitor, &page_of_form(parts.uri.path()))
            .await?;
        let media_type = parts.headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        // A form of another media type has no boundary. It counts as empty, so the check of the CSRF token refuses it.
        let fields = match multer::parse_boundary(media_type.unwrap_or_default()) {
            Ok(boundary) => {
                let form = body::read_limited(body, MAX_FORM, TOO_LARGE).await?;
                read_fields(form, boundary).await?
            }
            Err(_) => HashMap::new(),
        };
        let fields = UploadFields(fields);
        sessions.check_csrf(&visitor, fields.value("csrf")).await?;
        Ok(Self {
            page: FormPage::new(&sessions, visitor, owner, parts.uri),
            fields,
        })
    }
}

impl UploadFields {
    /// Returns the value of a field, or an empty string if the field is absent.
    pub fn value(&self, name: &str) -> &str {
        let value = self.0.get(name);
        value
            .and_then(|value| str::from_utf8(value).ok())
            .unwrap_or_default()
    }

    /// Returns true if the field is present. The name of a button is present only if the button was pressed.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the file in a field, or the file that the page has kept if no other one was chosen.
    ///
    /// # Errors
    /// The reason, if there is no file, or if it is too large.
    pub fn file(&self, name: &str) -> Result<Bytes, &'static str> {
        match self.0.get(name) {
            Some(file) if file.len() > MAX_UPLOAD => {
                Err("must have at most 4 MB; compress a larger file with gzip")
            }
            Some(file) => Ok(file.clone()),
            None => self.kept_file().ok_or("is required"),
        }
    }

    fn kept_file(&self) -> Option<Bytes> {
        let kept = self.0.get(KEPT_FILE)?;
        let kept = URL_SAFE_NO_PAD.decode(kept).ok()?;
        // A larger one is not from a page of this site.
        (kept.len() <= MAX_KEPT).then(|| Bytes::from(kept))
    }
}

/// Packs a file with gzip and encodes it for the hidden field [`KEPT_FILE`], so that a page can send it again. Returns
/// `None` if the packed file is larger than [`MAX_KEPT`].
pub fn pack_file(file: &[u8]) -> Option<String> {
    let encode = |packed: &[u8]| (packed.len() <= MAX_KEPT).then(|| URL_SAFE_NO_PAD.encode(packed));
    if PACKED.iter().any(|start| file.starts_with(start)) {
        return encode(file);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(file).ok()?;
    encode(&encoder.finish().ok()?)
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    let value = headers.get(header::CONTENT_LENGTH)?;
    value.to_str().ok()?.parse().ok()
}

/// Returns the fields of a form. A file field for which no file was chosen counts as absent.
///
/// # Errors
/// [`ApiError::MalformedBody`] if the form is malformed, ends before its last boundary or repeats a field. An
/// incomplete form is rejected, because the missing field could ask for a preview instead of an import.
async fn read_fields(form: Bytes, boundary: String) -> Result<HashMap<String, Bytes>, ApiError> {
    let mut fields = HashMap::new();
    let mut parts = Multipart::new(stream::iter([Ok::<_, Infallible>(form)]), boundary);
    loop {
        match read_part(&mut parts).await {
            Ok(Some((Some(name), value))) => {
                if fields.insert(name, value).is_some() {
                    return Err(ApiError::MalformedBody(REPEATED_FIELD));
                }
            }
            Ok(Some((None, _))) => {}
            Ok(None) => return Ok(fields),
            Err(_) => return Err(ApiError::MalformedBody(INCOMPLETE)),
        }
    }
}

/// Reads the next part of a form: its name and its content. The name is `None` for a part that does not count:
/// one without a name, or a file field for which no file was chosen.
async fn read_part(
    parts: &mut Multipart<'_>,
) -> Result<Option<(Option<String>, Bytes)>, multer::Error> {
    let Some(part) = parts.next_field().await? else {
        return Ok(None);
    };
    let name = part.name().filter(|_| part.file_name() != Some(""));
    let name = name.map(str::to_owned);
    Ok(Some((name, part.bytes().await?)))
}
