//! Assertions about texts and responses. Their messages have the whole text.

use std::borrow::Cow;

use crate::service::Answer;

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

impl Answer {
    /// Checks the status of the response.
    #[track_caller]
    pub fn assert_status(&self, expected: u16) {
        assert_eq!(self.status, expected, "{}", self.text());
    }
}
