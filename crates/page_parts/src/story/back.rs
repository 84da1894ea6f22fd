//! The page to which a form about a story leads back: the start page, the list with its filters, the page of an
//! anime, or another page with cards of anime.

use pages::paths::{ANIME, LIST, SONG, START, WELCOME};
use shared::input::Params;
use shared::models::{AnimeId, SongId};
use shared::value_names;

use super::list_request::ListRequest;

/// The name of the hidden field with the address of the page.
pub const BACK: &str = "back";

/// The maximum size of the address of a [`ReturnPage::Browse`], in bytes.
const MAX_ADDRESS: usize = 2048;

/// A page that shows stories, and to which a form leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnPage {
    /// The start page.
    Start,
    /// The list.
    List(ListRequest),
    /// The page of an anime.
    Anime(AnimeId),
    /// Another page with cards: the address of `/anime` with its query, of `/welcome`, or of the page of a song.
    Browse(String),
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
    /// The status was set on a card.
    Status,
    /// The entry was deleted.
    Deleted,
}

value_names! {
    StoryFormOutcome {
        Next = "next",
        Undone = "undone",
        Saved = "saved",
        Scored = "scored",
        Status = "status",
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
            None if has_cards(path) && is_plain(text) => Self::Browse(without_notice(path, query)),
            None => Self::List(ListRequest::default()),
        }
    }

    /// Returns the path and query.
    pub fn address(&self) -> String {
        match self {
            Self::Start => START.to_owned(),
            Self::List(request) => request.address(LIST),
            Self::Anime(anime) => format!("{ANIME}/{}", anime.get()),
            Self::Browse(address) => address.clone(),
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

/// Returns true for the paths of a [`ReturnPage::Browse`].
fn has_cards(path: &str) -> bool {
    let song = path
        .strip_prefix(SONG)
        .and_then(|rest| rest.strip_prefix('/'));
    let is_song = song.is_some_and(|id| id.parse().ok().and_then(SongId::new).is_some());
    path == ANIME || path == WELCOME || is_song
}

/// Returns true if a text can be an address in a header and in a page, without a fragment.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"#\\\"<>".contains(&byte);
    text.len() <= MAX_ADDRESS && text.bytes().all(is_plain)
}

/// Returns the address without the parameters of an earlier notice.
fn without_notice(path: &str, query: &str) -> String {
    let rest = Params::without(query, &["done", "of"]);
    match rest.as_deref().unwrap_or(query) {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
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
            "/anime?search=a b",
            "/anime?search=\r\nset-cookie: a=b",
            "/anime?search=界",
            "/anime#a",
            "/anime\\evil",
            "/anime//evil",
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
        let long = format!("/anime?search={}", "a".repeat(2048));
        assert_eq!(ReturnPage::read(&long).address(), "/list");
    }

    #[test]
    fn pages_with_cards_keep_their_query() {
        for address in [
            "/anime",
            "/anime?genre=Sci%2DFi&page=2",
            "/welcome",
            "/song/1024",
        ] {
            let back = ReturnPage::read(address);
            assert_eq!(back, ReturnPage::Browse(address.to_owned()));
            assert_eq!(back.address(), address);
        }
        let noticed = ReturnPage::read("/anime?page=2&done=status&of=21");
        assert_eq!(noticed.address(), "/anime?page=2");
        for other in ["/song", "/song/0", "/song/x", "/welcome/1", "/anime/random"] {
            assert_eq!(ReturnPage::read(other).address(), "/list", "{other}");
        }
    }

    #[test]
    fn notice_follows_the_query() {
        let anime = AnimeId::new(21).unwrap();
        for (back, query, outcome) in [
            ("/list", "?done=next", StoryFormOutcome::Next),
            ("/list?status=1", "&done=deleted", StoryFormOutcome::Deleted),
            ("/", "?done=undone", StoryFormOutcome::Undone),
            ("/anime/21", "?done=saved", StoryFormOutcome::Saved),
            ("/anime?page=2", "&done=status", StoryFormOutcome::Status),
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
