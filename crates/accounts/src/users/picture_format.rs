//! The formats of the pictures of users.

/// The formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
    /// GIF.
    Gif,
}

impl PictureFormat {
    pub(super) const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::WebP, Self::Gif];

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}
