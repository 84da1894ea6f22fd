//! The web pages, in headless Chromium.
