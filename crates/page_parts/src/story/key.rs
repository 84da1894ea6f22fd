//! The story that a form is about.

use shared::models::{AnimeId, StoryState};
use shared::{Error, Result};

/// The story that a form is about, as the page showed it. A hidden field or the value of a button contains the key as a
/// text: the identifier of the anime, a colon, and the tag of the state. The tag is empty if there was no story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryKey {
    /// The anime.
    pub anime: AnimeId,
    /// The tag of the state ([`StoryState::tag`]).
    pub tag: Option<String>,
}

impl StoryKey {
    /// Returns the key of the story about this anime in this state. With `None`, the user has no story about it.
    pub fn of(anime: AnimeId, state: Option<&StoryState>) -> Self {
        let tag = state.map(StoryState::tag);
        Self { anime, tag }
    }

    /// Reads the text of a key.
    pub fn read(text: &str) -> Option<Self> {
        let (anime, tag) = text.split_once(':')?;
        Some(Self {
            anime: anime.parse().ok().and_then(AnimeId::new)?,
            tag: Some(tag.to_owned()).filter(|tag| !tag.is_empty()),
        })
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        let tag = self.tag.as_deref().unwrap_or_default();
        format!("{}:{tag}", self.anime.get())
    }

    /// Checks that the story is as the page showed it.
    pub fn check_unchanged(&self, present: Option<&StoryState>) -> Result<()> {
        // The short form of a tag, which ignores details, is not enough here.
        if present.map(StoryState::tag) == self.tag {
            Ok(())
        } else {
            Err(Error::Changed)
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{AnimeId, Details, StoryState, WatchStatus};

    use super::StoryKey;

    #[test]
    fn key_survives_the_conversion_to_text_and_back() {
        let state = StoryState {
            status: WatchStatus::Paused,
            current_episode: 3,
            watched_episodes: None,
            current_episode_ticks: 0,
            details: Details {
                private: true,
                ..Details::default()
            },
        };
        for state in [None, Some(&state)] {
            let key = StoryKey::of(AnimeId::new(21).unwrap(), state);
            assert_eq!(StoryKey::read(&key.text()).as_ref(), Some(&key));
            assert!(key.check_unchanged(state).is_ok());
        }
        for text in ["", ":", "0:", "a:", "33554432:", "-1:", "21", " 21:"] {
            assert_eq!(StoryKey::read(text), None, "{text}");
        }
    }
}
