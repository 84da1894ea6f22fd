//! The genres of the catalogue, and the tags of public databases that stand for them.
//!
//! Public databases use several tags for one genre, such as "science fiction", "sci-fi" and "SF". The catalogue uses
//! one name for each genre, in Title Case, so that a filter finds all anime of a genre. It has the 19 genres of
//! AniList, the demographics (such as Shounen), and themes from both trackers. Other tags are ignored.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The genres, each with the other tags that stand for it. Its name in lower case is also a tag.
const GENRES: [(&str, &[&str]); 157] = [
    ("Action", &[]),
    ("Adult Cast", &["primarily adult cast"]),
    ("Adventure", &[]),
    ("Agriculture", &["farming"]),
    ("Aliens", &["alien"]),
    ("Angels", &["angel"]),
    ("Animals", &[]),
    ("Anthropomorphism", &["anthropomorphic"]),
    ("Anti-Hero", &["anti hero", "antihero"]),
    ("Artificial Intelligence", &["ai"]),
    ("Assassins", &["assassin"]),
    ("Avant Garde", &["avant-garde", "dementia"]),
    ("Award Winning", &[]),
    ("Band", &["music band", "rock band"]),
    ("Baseball", &[]),
    ("Basketball", &[]),
    ("Battle Royale", &["battle-royale"]),
    ("Body Horror", &[]),
    ("Boxing", &[]),
    (
        "Boys Love",
        &["bl", "boys' love", "shonen ai", "shounen ai", "shounen-ai"],
    ),
    ("Card Battle", &["card games"]),
    ("Cars", &[]),
    ("Childcare", &["parenthood"]),
    ("Chuunibyou", &[]),
    ("Combat Sports", &[]),
    ("Comedy", &[]),
    ("Coming of Age", &["coming-of-age"]),
    ("Conspiracy", &[]),
    ("Cosmic Horror", &[]),
    ("Crime", &[]),
    ("Crossdressing", &["cross-dressing"]),
    ("Cultivation", &[]),
    ("Cute Boys Doing Cute Things", &["cbdct"]),
    ("Cute Girls Doing Cute Things", &["cgdct"]),
    ("Cyberpunk", &[]),
    ("Dark Fantasy", &["dark-fantasy"]),
    ("Death Game", &[]),
    ("Delinquents", &["delinquent"]),
    ("Demons", &["demon"]),
    ("Denpa", &[]),
    ("Detective", &["detectives"]),
    ("Dragons", &["dragon"]),
    ("Drama", &[]),
    ("Dungeon", &[]),
    ("Dystopian", &["dystopia"]),
    ("Ecchi", &[]),
    ("Educational", &[]),
    ("Erotica", &["erotic"]),
    ("Espionage", &["spies", "spy"]),
    ("Fairy Tale", &[]),
    ("Family Life", &[]),
    ("Fantasy", &[]),
    ("Football", &["soccer"]),
    ("Found Family", &[]),
    ("Gag Humor", &["gag"]),
    ("Gambling", &[]),
    ("Game", &["games"]),
    (
        "Gender Bending",
        &["gender bender", "genderswap", "magical sex shift"],
    ),
    ("Ghost", &["ghosts"]),
    (
        "Girls Love",
        &["girls' love", "gl", "shojo ai", "shoujo ai", "shoujo-ai"],
    ),
    ("Gods", &["god"]),
    ("Gore", &[]),
    ("Gourmet", &["cooking", "food"]),
    ("Harem", &["female harem"]),
    ("Hentai", &[]),
    ("High Stakes Game", &["survival game"]),
    ("Historical", &["historic", "history"]),
    ("Horror", &[]),
    ("Idol", &["idols", "idols (female)", "idols (male)"]),
    ("Isekai", &[]),
    ("Iyashikei", &["healing"]),
    ("Josei", &[]),
    ("Kaiju", &[]),
    ("Kids", &["children", "childrens", "kids anime"]),
    ("Love Triangle", &["love polygon"]),
    ("Magic", &[]),
    (
        "Mahou Shoujo",
        &[
            "magical girl",
            "magical girls",
            "maho shoujo",
            "mahou shojo",
            "mahou-shoujo",
        ],
    ),
    ("Martial Arts", &["martial art"]),
    ("Mecha", &["giant robot", "giant robots"]),
    ("Medical", &["medicine"]),
    ("Mermaid", &["mermaids"]),
    ("Military", &[]),
    ("Monster Girl", &[]),
    ("Music", &[]),
    ("Mystery", &[]),
    ("Mythology", &[]),
    ("Ninja", &["ninjas"]),
    ("Noir", &[]),
    (
        "Organized Crime",
        &["criminal organization", "gangs", "mafia", "yakuza"],
    ),
    ("Otaku Culture", &["otaku"]),
    ("Parody", &["parodies"]),
    ("Performing Arts", &["acting", "musical theater", "theater"]),
    ("Pets", &["pet"]),
    ("Philosophy", &["philosophical"]),
    ("Pirates", &["pirate"]),
    ("Police", &["cops"]),
    ("Politics", &["political"]),
    ("Post-Apocalyptic", &["post apocalyptic"]),
    ("Psychological", &[]),
    ("Racing", &["motorsport", "motorsports"]),
    ("Real Robot", &[]),
    ("Reincarnation", &[]),
    ("Revenge", &[]),
    ("Reverse Harem", &["male harem"]),
    ("Robots", &["robot"]),
    ("Romance", &[]),
    ("Samurai", &["samurais"]),
    ("Satire", &[]),
    ("School", &["high school", "school life"]),
    ("School Club", &[]),
    (
        "Sci-Fi",
        &[
            "sci fi",
            "science fiction",
            "science-fiction",
            "scifi",
            "sf",
        ],
    ),
    ("Seinen", &[]),
    ("Shoujo", &["shojo"]),
    ("Shounen", &["shonen"]),
    ("Showbiz", &[]),
    ("Slapstick", &[]),
    ("Slice of Life", &["slice-of-life"]),
    ("Space", &[]),
    ("Space Opera", &[]),
    ("Sports", &["sport"]),
    ("Steampunk", &[]),
    ("Strategy Game", &[]),
    (
        "Super Power",
        &["super powers", "super-power", "superpower", "superpowers"],
    ),
    ("Super Robot", &[]),
    ("Superhero", &["superheroes"]),
    ("Supernatural", &[]),
    ("Surreal Comedy", &[]),
    ("Survival", &[]),
    ("Suspense", &[]),
    ("Swordplay", &["sword fighting"]),
    ("Team Sports", &[]),
    ("Tennis", &[]),
    ("Thriller", &[]),
    ("Time Loop", &[]),
    ("Time Travel", &[]),
    ("Tokusatsu", &[]),
    ("Tragedy", &[]),
    ("Travel", &[]),
    ("Tsundere", &[]),
    ("Urban Fantasy", &[]),
    ("Vampire", &["vampires"]),
    ("Video Game", &["gaming", "video games", "videogame"]),
    ("Villainess", &[]),
    ("Virtual World", &["virtual reality", "vr"]),
    ("Visual Arts", &["drawing"]),
    ("Vocal Synth", &["vocaloid"]),
    ("Volleyball", &[]),
    ("War", &[]),
    ("Werewolf", &["werewolves"]),
    ("Witch", &["witches"]),
    ("Workplace", &["office", "work"]),
    ("Wuxia", &[]),
    ("Yandere", &[]),
    ("Yaoi", &[]),
    ("Youkai", &["yokai"]),
    ("Yuri", &[]),
    ("Zombie", &["zombies"]),
];

/// The tags in the form of [`normalize_tag`], each with the genre that it stands for.
static GENRES_BY_TAG: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let mut by_tag = HashMap::new();
    for (genre, others) in GENRES {
        by_tag.insert(normalize_tag(genre), genre);
        by_tag.extend(others.iter().map(|tag| ((*tag).to_owned(), genre)));
    }
    by_tag
});

/// Tags that only adult works have: genres and explicit acts. Sorted for the binary search. Themes that other works
/// also have, such as incest, prostitution and nudity, are not in the list.
const ADULT_TAGS: [&str; 41] = [
    "18 restricted",
    "18+",
    "adult",
    "ahegao",
    "anal sex",
    "ashikoki",
    "boobjob",
    "cervix penetration",
    "cumflation",
    "cunnilingus",
    "deepthroat",
    "defloration",
    "double penetration",
    "erotic",
    "erotica",
    "facial",
    "fellatio",
    "fingering",
    "fisting",
    "futanari",
    "group sex",
    "handjob",
    "hentai",
    "human pet",
    "irrumatio",
    "mating press",
    "nakadashi",
    "oyakodon",
    "pornography",
    "public sex",
    "r-18",
    "r18",
    "rimjob",
    "scat",
    "scissoring",
    "sex toys",
    "squirting",
    "sumata",
    "threesome",
    "watersports",
    "zoophilia",
];

/// Returns the genre that a tag stands for, if there is one. Upper and lower case make no difference.
///
/// ```
/// use catalogue::genres::genre_of_tag;
///
/// assert_eq!(genre_of_tag("science fiction"), Some("Sci-Fi"));
/// assert_eq!(genre_of_tag("female protagonist"), None);
/// ```
pub fn genre_of_tag(tag: &str) -> Option<&'static str> {
    GENRES_BY_TAG.get(&normalize_tag(tag)).copied()
}

/// Returns true if only adult works have this tag. Upper and lower case make no difference.
pub fn is_adult_tag(tag: &str) -> bool {
    ADULT_TAGS
        .binary_search(&normalize_tag(tag).as_str())
        .is_ok()
}

/// Returns a tag in the form in which the tables of this module have it: trimmed, in lower case, with plain
/// apostrophes.
fn normalize_tag(tag: &str) -> String {
    tag.trim().to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ADULT_TAGS, GENRES, GENRES_BY_TAG, genre_of_tag, is_adult_tag, normalize_tag};

    const USUAL: &str = "Action, Adventure, Comedy, Drama, Ecchi, Fantasy, Hentai, Horror, Mahou Shoujo, Mecha, Music, \
        Mystery, Psychological, Romance, Sci-Fi, Slice of Life, Sports, Supernatural, Thriller";

    #[test]
    fn tables_are_sorted_and_each_tag_stands_for_one_genre() {
        assert!(GENRES.is_sorted_by(|one, next| one.0 < next.0));
        assert!(ADULT_TAGS.is_sorted_by(|one, next| one < next));
        let tags = GENRES.iter().map(|(_, others)| 1 + others.len());
        assert_eq!(tags.sum::<usize>(), GENRES_BY_TAG.len());
    }

    #[test]
    fn every_tag_is_in_the_form_that_is_looked_up() {
        for tag in GENRES
            .iter()
            .flat_map(|(_, others)| *others)
            .chain(&ADULT_TAGS)
        {
            assert_eq!(normalize_tag(tag), *tag);
        }
    }

    #[test]
    fn every_genre_is_title_case_and_has_one_spelling() {
        let letters = |(genre, _): &(&str, _)| genre.to_lowercase().replace(['-', ' '], "");
        let spellings: BTreeSet<String> = GENRES.iter().map(letters).collect();
        assert_eq!(GENRES.len(), spellings.len());
        for (genre, _) in GENRES {
            for word in genre.split([' ', '-']).filter(|word| *word != "of") {
                let (first, rest) = word.split_at(1);
                assert_eq!(first, first.to_uppercase(), "{genre}");
                assert_eq!(rest, rest.to_lowercase(), "{genre}");
            }
        }
    }

    #[test]
    fn the_usual_genres_are_known() {
        for genre in USUAL.split(", ") {
            assert_eq!(genre_of_tag(&genre.to_uppercase()), Some(genre));
        }
    }

    #[test]
    fn synonyms_stand_for_one_genre() {
        assert_eq!(genre_of_tag("magical girl"), Some("Mahou Shoujo"));
        assert_eq!(genre_of_tag("boys' love"), Some("Boys Love"));
        assert_eq!(genre_of_tag("Boys\u{2019} Love"), Some("Boys Love"));
        assert_eq!(genre_of_tag(" Sci-Fi "), Some("Sci-Fi"));
        assert_eq!(genre_of_tag("no such thing"), None);
        assert_eq!(genre_of_tag(""), None);
    }

    #[test]
    fn adult_tags_are_explicit_ones() {
        assert!(is_adult_tag("Hentai"));
        assert!(is_adult_tag("adult"));
        for tag in ["ecchi", "nudity", "incest", "primarily adult cast", "yaoi"] {
            assert!(!is_adult_tag(tag), "{tag}");
        }
    }
}
