//! The page to which a form about a story leads back: the start page, the list with its filters, or the page of an
//! anime.

use pages::paths::{ANIME, LIST, START};
use shared::input::Params;
use shared::models::AnimeId;
use shared::value_names;

use super::list_request::ListRequest;

/// The name of the hidden field with the address of the page.
pub const BACK: &str = "back";

/// A page that shows stories, and to which a form leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnPage {
    /// The start page.
    Start,
    /// The list.
    List(ListRequest),
    /// The page of an anime.
    Anime(AnimeId),
}

/// The change that a form has made, for the notice of the page that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryFormOutcome {
    /// The next episode was watched.
    Next,
    /// The latest change was undone.
    Undone,
    /// The entry was saved.
    Saved,
    /// The score was set.
    Scored,
    /// The entry was deleted.
    Deleted,
}

value_names! {
    StoryFormOutcome {
        Next = "next",
        Undone = "undone",
        Saved = "saved",
        Scored = "scored",
        Deleted = "deleted",
    }
}

impl StoryFormOutcome {
    /// Reads the query of a page: the change that was made, and the anime of the changed story.
    pub fn read(query: &str) -> Option<(Self, AnimeId)> {
        let mut params = Params::parse(query);
        let name = params.token("done")?;
        let done = Self::from_name(&name)?;
        let anime = params
            .setting("of", 1..=AnimeId::MAX)
            .and_then(AnimeId::new)?;
        Some((done, anime))
    }
}

impl ReturnPage {
    /// Reads the field [`BACK`]. The field is parsed, and [`Self::address`] writes the address again, so that a form
    /// cannot lead to any other page. A text that is not an address of these pages means the whole list.
    pub fn read(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let anime = path
            .strip_prefix(ANIME)
            .and_then(|rest| rest.strip_prefix('/'));
        match anime.and_then(|id| id.parse().ok()).and_then(AnimeId::new) {
            Some(anime) => Self::Anime(anime),
            None if text == START => Self::Start,
            None if path == LIST => Self::List(ListRequest::read(query)),
            None => Self::List(ListRequest::default()),
        }
    }

    /// Returns the path and query.
    pub fn address(&self) -> String {
        match self {
            Self::Start => START.to_owned(),
            Self::List(request) => request.address(LIST),
            Self::Anime(anime) => format!("{ANIME}/{}", anime.get()),
        }
    }

    /// Returns the path and query of the page with a notice about the story of `anime`.
    pub fn address_after(&self, done: StoryFormOutcome, anime: AnimeId) -> String {
        let address = self.address();
        let separator = if address.contains('?') { '&' } else { '?' };
        let (done, anime) = (done.name(), anime.get());
        format!("{address}{separator}done={done}&of={anime}")
    }
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeId;

    use super::{ReturnPage, StoryFormOutcome};

    #[test]
    fn other_addresses_mean_the_whole_list() {
        let list = "/list?status=1&sort=title&page=2";
        for address in ["/", "/list", list, "/anime/21"] {
            assert_eq!(ReturnPage::read(address).address(), address);
        }
        for other in [
            "",
            "/?next=//evil",
            "//evil",
            "//evil/list",
            "/\\evil",
            "https://evil/list",
            "/list/../profile",
            "/list#a",
            "/list?next=//evil",
            "/listen",
            "/anime",
            "/anime/0",
            "/anime/33554432",
            "/anime/21/..//evil",
            "/profile",
            "javascript:alert(1)",
        ] {
            assert_eq!(ReturnPage::read(other).address(), "/list", "{other}");
        }
        let anime = ReturnPage::read("/anime/21?next=//evil");
        assert_eq!(anime.address(), "/anime/21");
    }

    #[test]
    fn notice_follows_the_query() {
        let anime = AnimeId::new(21).unwrap();
        for (back, query, outcome) in [
            ("/list", "?done=next", StoryFormOutcome::Next),
            ("/list?status=1", "&done=deleted", StoryFormOutcome::Deleted),
            ("/", "?done=undone", StoryFormOutcome::Undone),
            ("/anime/21", "?done=saved", StoryFormOutcome::Saved),
        ] {
            let after = ReturnPage::read(back).address_after(outcome, anime);
            assert_eq!(after, format!("{back}{query}&of=21"));
        }
        let read = StoryFormOutcome::read("done=saved&of=21");
        assert_eq!(read, Some((StoryFormOutcome::Saved, anime)));
        for query in ["", "done=saved", "done=<b>&of=21", "done=next&of=0"] {
            assert_eq!(StoryFormOutcome::read(query), None, "{query}");
        }
    }
}
