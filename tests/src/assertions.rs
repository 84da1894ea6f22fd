//! Assertions about texts and responses. Their messages have the whole text.

use std::borrow::Cow;

use serde_json::Value;

use crate::service::{Answer, PUBLIC_URL};

/// A text with assertions about its parts.
pub trait AssertText {
    /// Returns the whole text.
    fn whole(&self) -> Cow<'_, str>;

    /// Checks that the text has a part.
    #[track_caller]
    fn assert_has(&self, part: &str) {
        let whole = self.whole();
        assert!(whole.contains(part), "{part:?} is missing in: {whole}");
    }

    /// Checks the beginning of the text.
    #[track_caller]
    fn assert_starts_with(&self, start: &str) {
        let whole = self.whole();
        assert!(
            whole.starts_with(start),
            "{start:?} does not start: {whole}"
        );
    }

    /// Checks that the text does not have a part.
    #[track_caller]
    fn assert_lacks(&self, part: &str) {
        let whole = self.whole();
        assert!(!whole.contains(part), "{part:?} is in: {whole}");
    }
}

impl AssertText for str {
    fn whole(&self) -> Cow<'_, str> {
        self.into()
    }
}

impl AssertText for Answer {
    fn whole(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// A JSON value with assertions about its parts.
pub trait AssertFields {
    /// Checks some fields of an object. A field that is expected to be null can also be missing.
    fn assert_fields(&self, expected: Value);
}

impl AssertFields for Value {
    #[track_caller]
    fn assert_fields(&self, expected: Value) {
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(self[name], *value, "{name} of {self}");
        }
    }
}

impl Answer {
    /// Checks the status of the response.
    #[track_caller]
    pub fn assert_status(&self, expected: u16) {
        assert_eq!(self.status, expected, "{}", self.text());
    }

    /// Checks that the request was refused with this status, and after how many seconds it can be repeated.
    #[track_caller]
    pub fn assert_retry_after(&self, status: u16, seconds: &str) {
        self.assert_status(status);
        assert_eq!(self.header("retry-after"), seconds);
    }

    /// Checks that the response leads a browser to a path of the service.
    #[track_caller]
    pub fn assert_leads_to(&self, path: &str) {
        self.assert_status(303);
        assert_eq!(self.header("location"), format!("{PUBLIC_URL}{path}"));
    }
}
