//! The trailers that pages can show in a frame.

use shared::models::Anime;

/// Returns the address of the trailer's video for a frame, if the trailer is at YouTube.
pub(super) fn embedded_trailer(anime: &Anime) -> Option<String> {
    let address = anime.trailer_url.as_deref()?;
    let sites = ["https://www.youtube.com/watch?v=", "https://youtu.be/"];
    let video = sites.iter().find_map(|site| address.strip_prefix(site))?;
    let video = video.split(['&', '?', '#']).next()?;
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let is_video = !video.is_empty() && video.chars().all(is_valid);
    is_video.then(|| format!("https://www.youtube-nocookie.com/embed/{video}?autoplay=1"))
}

#[cfg(test)]
mod tests {
    use shared::models::{Anime, AnimeFormat, AnimeId};

    use super::embedded_trailer;

    #[test]
    fn only_videos_of_youtube_are_embedded() {
        let embedded = |address: &str| {
            let mut anime = Anime::new(AnimeId::new(1).unwrap(), AnimeFormat::Tv);
            anime.trailer_url = Some(address.to_owned());
            embedded_trailer(&anime)
        };
        let expected = "https://www.youtube-nocookie.com/embed/qig4KOK2R2g?autoplay=1";
        for address in [
            "https://www.youtube.com/watch?v=qig4KOK2R2g",
            "https://www.youtube.com/watch?v=qig4KOK2R2g&t=3",
            "https://youtu.be/qig4KOK2R2g",
        ] {
            assert_eq!(embedded(address).as_deref(), Some(expected), "{address}");
        }
        for address in [
            "https://video.example/watch?v=qig4KOK2R2g",
            "http://www.youtube.com/watch?v=qig4KOK2R2g",
            "https://www.youtube.com/watch?v=",
            "https://www.youtube.com/watch?v=a/../b",
        ] {
            assert_eq!(embedded(address), None, "{address}");
        }
    }
}
