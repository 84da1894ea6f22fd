//! OAuth parameters, from a query string or a form. They are parsed from the raw text of the request, in which repeated
//! parameters are still separate. API Gateway also passes parsed parameters, in which it has merged them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

/// The description of the error for a scope parameter that is not valid.
pub(crate) const BAD_SCOPE: &str = "scope must be playback, read, or read write.";

/// The description of the error for a repeated parameter.
pub(crate) const REPEATED: &str = "Each parameter may be given only once.";

/// The description of the error for a parameter that is not UTF-8.
pub(crate) const NOT_UTF8: &str = "Parameters must be valid UTF-8.";

/// Every character except the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The decoded parameters of a request, in the order they were sent.
#[derive(Default)]
pub(crate) struct RequestParameters(Vec<(Vec<u8>, Vec<u8>)>);

/// A parameter is repeated (RFC 6749, section 3.1) or not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MalformedParameter;

impl RequestParameters {
    /// Splits and decodes `application/x-www-form-urlencoded` text.
    pub fn parse(text: &[u8]) -> Self {
        let pairs = text
            .split(|byte| *byte == b'&')
            .filter(|pair| !pair.is_empty());
        let decoded = |pair: &[u8]| {
            let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &[][..]),
            };
            (decode(name), decode(value))
        };
        Self(pairs.map(decoded).collect())
    }

    /// Appends other parameters.
    pub fn append(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the value of a parameter as bytes. An empty value counts as absent (RFC 6749, section 3.1).
    pub fn bytes(&self, name: &str) -> Result<Option<&[u8]>, MalformedParameter> {
        let mut values = self.0.iter().filter(|(key, _)| key == name.as_bytes());
        let value = values.next().map(|(_, value)| value.as_slice());
        match values.next() {
            None => Ok(value.filter(|value| !value.is_empty())),
            Some(_) => Err(MalformedParameter),
        }
    }

    /// Returns the value of a parameter as text. An empty value counts as absent.
    pub fn text(&self, name: &str) -> Result<Option<&str>, MalformedParameter> {
        let bytes = self.bytes(name)?;
        bytes
            .map(std::str::from_utf8)
            .transpose()
            .map_err(|_| MalformedParameter)
    }

    /// Returns true if any parameter is repeated. Parameters that this service does not know also count.
    pub fn has_repeated(&self) -> bool {
        let names = self.0.iter().map(|(name, _)| name);
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Returns true if the parameter was sent, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name.as_bytes())
    }

    /// Encodes the parameters as a query string.
    pub fn to_query(&self) -> String {
        let pair =
            |(name, value): &(Vec<u8>, Vec<u8>)| format!("{}={}", encode(name), encode(value));
        self.0.iter().map(pair).collect::<Vec<_>>().join("&")
    }
}

/// Percent-encodes bytes for a query or fragment. Decoding restores any bytes, including invalid UTF-8.
pub(crate) fn encode(bytes: &[u8]) -> String {
    percent_encode(bytes, RESERVED).to_string()
}

/// Decodes a form-encoded name or value (WHATWG URL, `application/x-www-form-urlencoded`).
pub(crate) fn decode(text: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = text
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    percent_decode(&spaced).collect()
}
