//! Assertions about texts and responses, and parts of them. The messages of failures have the whole text.

use std::borrow::Cow;

use serde_json::Value;

use crate::service::{Answer, PUBLIC_URL};

/// A text with assertions about its parts. A part that is missing fails the test.
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
            "does not start with {start:?}: {whole}"
        );
    }

    /// Checks that the text does not have a part.
    #[track_caller]
    fn assert_lacks(&self, part: &str) {
        let whole = self.whole();
        assert!(!whole.contains(part), "{part:?} is in: {whole}");
    }

    /// Returns the text after the first `start`.
    #[track_caller]
    fn after(&self, start: &str) -> String {
        let whole = self.whole();
        let Some((_, after)) = whole.split_once(start) else {
            panic!("{start:?} is missing in: {whole}");
        };
        after.to_owned()
    }

    /// Returns the text before the first `end`.
    #[track_caller]
    fn before(&self, end: &str) -> String {
        let whole = self.whole();
        let Some((before, _)) = whole.split_once(end) else {
            panic!("{end:?} is missing in: {whole}");
        };
        before.to_owned()
    }

    /// Returns the text between the first `start` and the next `end`.
    #[track_caller]
    fn between(&self, start: &str, end: &str) -> String {
        self.after(start).before(end)
    }

    /// Returns the text as [`Self::between`] does; `None` if there is no `start`.
    #[track_caller]
    fn find_between(&self, start: &str, end: &str) -> Option<String> {
        let whole = self.whole();
        let after = whole.split_once(start).map(|(_, after)| after);
        after.map(|after| after.before(end))
    }

    /// Returns the text between each `start` and the next `end`.
    #[track_caller]
    fn all_between(&self, start: &str, end: &str) -> Vec<String> {
        let whole = self.whole();
        let parts = whole.split(start).skip(1);
        parts.map(|part| part.before(end)).collect()
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
    /// Checks some fields of an object. The object can have others.
    fn assert_fields(&self, expected: Value);
}

impl AssertFields for Value {
    #[track_caller]
    fn assert_fields(&self, expected: Value) {
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(self.get(name), Some(value), "{name} of {self}");
        }
    }
}

impl Answer {
    /// Checks the status of the response.
    #[track_caller]
    pub fn assert_status(&self, expected: u16) {
        assert_eq!(self.status, expected, "{}", self.text());
    }

    /// Checks a header of the response.
    #[track_caller]
    pub fn assert_header(&self, name: &str, expected: &str) {
        assert_eq!(self.header(name), expected, "{name}: {}", self.text());
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
