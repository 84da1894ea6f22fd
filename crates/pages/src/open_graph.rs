//! The metadata that other sites show with a link to a page: Open Graph (<https://ogp.me>).

use maud::{Markup, Render, html};

/// The metadata of a page.
pub struct OpenGraph<'a> {
    /// The type of the object that the page is about, such as `music.song`.
    pub kind: &'a str,
    /// The title of the object.
    pub title: &'a str,
    /// The URL of the page.
    pub address: &'a str,
    /// The description of the object.
    pub description: Option<&'a str>,
    /// The address of an image. It is left out unless its scheme is `https`.
    pub image: Option<&'a str>,
}

impl Render for OpenGraph<'_> {
    fn render(&self) -> Markup {
        let image = self.image.filter(|image| image.starts_with("https://"));
        html! {
            link rel="canonical" href=(self.address);
            meta property="og:site_name" content="Kiroku";
            meta property="og:type" content=(self.kind);
            meta property="og:title" content=(self.title);
            meta property="og:url" content=(self.address);
            @if let Some(description) = self.description {
                meta name="description" content=(description);
                meta property="og:description" content=(description);
            }
            @if let Some(image) = image { meta property="og:image" content=(image); }
        }
    }
}
