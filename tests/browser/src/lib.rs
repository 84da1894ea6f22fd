//! See pages.rs: the web pages in a real browser.
