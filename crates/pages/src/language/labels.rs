//! The names of enumerations and genres in the language of a page.

use shared::models::{
    AnimeFormat, AnimeStatus, Language, Season, SongType, WatchStatus, Weekday, primary_subtag,
};

use super::Localizer;
use super::genres::OTHER_GENRES;

impl Localizer {
    /// Returns the name of a format.
    pub fn anime_format(&self, format: AnimeFormat) -> String {
        self.text(match format {
            AnimeFormat::Tv => "format-tv",
            AnimeFormat::TvShort => "format-tv-short",
            AnimeFormat::Movie => "format-movie",
            AnimeFormat::Special => "format-special",
            AnimeFormat::Ova => "format-ova",
            AnimeFormat::Ona => "format-ona",
            AnimeFormat::Music => "format-music",
        })
    }

    /// Returns the name of a release status.
    pub fn anime_status(&self, status: AnimeStatus) -> String {
        self.text(match status {
            AnimeStatus::Finished => "release-finished",
            AnimeStatus::Releasing => "release-releasing",
            AnimeStatus::NotYetReleased => "release-not-yet-released",
            AnimeStatus::Cancelled => "release-cancelled",
        })
    }

    /// Returns the name of a watch status.
    pub fn watch_status(&self, status: WatchStatus) -> String {
        self.text(match status {
            WatchStatus::Current => "watch-current",
            WatchStatus::Planning => "watch-planning",
            WatchStatus::Completed => "watch-completed",
            WatchStatus::Dropped => "watch-dropped",
            WatchStatus::Paused => "watch-paused",
            WatchStatus::Repeating => "watch-repeating",
        })
    }

    /// Returns the name of a season without its year; `None` if the season is unknown.
    pub fn season(&self, season: Season) -> Option<String> {
        let id = match season {
            Season::Winter => "season-winter",
            Season::Spring => "season-spring",
            Season::Summer => "season-summer",
            Season::Fall => "season-fall",
            Season::Unknown => return None,
        };
        Some(self.text(id))
    }

    /// Returns a season with its year, such as "Fall 2026". If only the season or only the year is known, returns it
    /// alone.
    pub fn season_of_year(&self, season: Season, year: Option<u16>) -> Option<String> {
        let Some(year) = year else {
            return self.season(season);
        };
        let year = year.to_string();
        Some(match self.season(season) {
            Some(season) => self.format(
                "season-of-year",
                [("season", season.into()), ("year", year.into())],
            ),
            None => year,
        })
    }

    /// Returns the name of a day of the week.
    pub fn weekday(&self, day: Weekday) -> String {
        self.text(match day {
            Weekday::Sunday => "weekday-sunday",
            Weekday::Monday => "weekday-monday",
            Weekday::Tuesday => "weekday-tuesday",
            Weekday::Wednesday => "weekday-wednesday",
            Weekday::Thursday => "weekday-thursday",
            Weekday::Friday => "weekday-friday",
            Weekday::Saturday => "weekday-saturday",
        })
    }

    /// Returns the name of a song type.
    pub fn song_type(&self, kind: SongType) -> String {
        self.text(match kind {
            SongType::Opening => "song-opening",
            SongType::Ending => "song-ending",
            SongType::None => "song-other",
        })
    }

    /// Returns the name of the language of a title, given its localization code. Languages that are not in
    /// [`TITLE_LANGUAGES`] share a name.
    pub fn title_language(&self, code: &str) -> String {
        let code = primary_subtag(code);
        let known = TITLE_LANGUAGES.iter().find(|(known, _)| *known == code);
        self.text(known.map_or("title-language-other", |(_, id)| id))
    }

    /// Returns the name of a genre. The genres of the catalogue are translated. All others keep the name that the
    /// catalogue has.
    pub fn genre(&self, name: &str) -> String {
        let mut genres = GENRES.iter().chain(&OTHER_GENRES);
        let known = genres.find(|(known, _)| *known == name);
        known.map_or_else(|| name.to_owned(), |(_, id)| self.text(id))
    }
}

/// Returns the name of a language in itself.
pub fn own_name(language: Language) -> &'static str {
    match language {
        Language::English => "English",
        Language::French => "Français",
        Language::Italian => "Italiano",
        Language::Japanese => "日本語",
    }
}

/// The usual genres: their names in the catalogue, and the identifiers of the messages with the translated names.
pub const GENRES: [(&str, &str); 26] = [
    ("Action", "genre-action"),
    ("Adventure", "genre-adventure"),
    ("Boys Love", "genre-boys-love"),
    ("Comedy", "genre-comedy"),
    ("Drama", "genre-drama"),
    ("Ecchi", "genre-ecchi"),
    ("Fantasy", "genre-fantasy"),
    ("Girls Love", "genre-girls-love"),
    ("Gourmet", "genre-gourmet"),
    ("Historical", "genre-historical"),
    ("Horror", "genre-horror"),
    ("Isekai", "genre-isekai"),
    ("Kids", "genre-kids"),
    ("Mahou Shoujo", "genre-mahou-shoujo"),
    ("Mecha", "genre-mecha"),
    ("Music", "genre-music"),
    ("Mystery", "genre-mystery"),
    ("Psychological", "genre-psychological"),
    ("Romance", "genre-romance"),
    ("School", "genre-school"),
    ("Sci-Fi", "genre-sci-fi"),
    ("Slice of Life", "genre-slice-of-life"),
    ("Space", "genre-space"),
    ("Sports", "genre-sports"),
    ("Supernatural", "genre-supernatural"),
    ("Thriller", "genre-thriller"),
];

/// The languages of titles: their localization codes, and the identifiers of the messages with their names.
const TITLE_LANGUAGES: [(&str, &str); 60] = [
    ("rj", "title-language-rj"),
    ("af", "title-language-af"),
    ("ar", "title-language-ar"),
    ("bg", "title-language-bg"),
    ("bn", "title-language-bn"),
    ("bs", "title-language-bs"),
    ("ca", "title-language-ca"),
    ("cs", "title-language-cs"),
    ("da", "title-language-da"),
    ("de", "title-language-de"),
    ("el", "title-language-el"),
    ("en", "title-language-en"),
    ("eo", "title-language-eo"),
    ("es", "title-language-es"),
    ("et", "title-language-et"),
    ("eu", "title-language-eu"),
    ("fa", "title-language-fa"),
    ("fi", "title-language-fi"),
    ("fr", "title-language-fr"),
    ("gl", "title-language-gl"),
    ("he", "title-language-he"),
    ("hi", "title-language-hi"),
    ("hr", "title-language-hr"),
    ("ht", "title-language-ht"),
    ("hu", "title-language-hu"),
    ("id", "title-language-id"),
    ("is", "title-language-is"),
    ("it", "title-language-it"),
    ("jp", "title-language-jp"),
    ("ka", "title-language-ka"),
    ("ko", "title-language-ko"),
    ("la", "title-language-la"),
    ("lt", "title-language-lt"),
    ("lv", "title-language-lv"),
    ("mn", "title-language-mn"),
    ("ms", "title-language-ms"),
    ("my", "title-language-my"),
    ("ne", "title-language-ne"),
    ("nl", "title-language-nl"),
    ("no", "title-language-no"),
    ("pl", "title-language-pl"),
    ("pt", "title-language-pt"),
    ("ro", "title-language-ro"),
    ("ru", "title-language-ru"),
    ("si", "title-language-si"),
    ("sk", "title-language-sk"),
    ("sl", "title-language-sl"),
    ("sq", "title-language-sq"),
    ("sr", "title-language-sr"),
    ("sv", "title-language-sv"),
    ("ta", "title-language-ta"),
    ("te", "title-language-te"),
    ("th", "title-language-th"),
    ("tl", "title-language-tl"),
    ("tr", "title-language-tr"),
    ("tt", "title-language-tt"),
    ("uk", "title-language-uk"),
    ("ur", "title-language-ur"),
    ("vi", "title-language-vi"),
    ("zh", "title-language-zh"),
];
