//! The genres of the catalogue, and the tags of public databases that stand for them.
//!
//! Public databases use several tags for one genre, such as "science fiction", "sci-fi" and "SF". The
//! catalogue uses one name for each genre, in Title Case, so that a filter finds all anime of a genre. It has the 19
//! genres of AniList, the demographics (such as Shounen), and themes from both trackers. Other tags are
//! ignored.

/// Tags in lower case, each with the genre that it stands for. Sorted by tag, for the binary search.
const GENRE_TAGS: [(&str, &str); 280] = [
    ("acting", "Performing Arts"),
    ("action", "Action"),
    ("adult cast", "Adult Cast"),
    ("adventure", "Adventure"),
    ("agriculture", "Agriculture"),
    ("ai", "Artificial Intelligence"),
    ("alien", "Aliens"),
    ("aliens", "Aliens"),
    ("angel", "Angels"),
    ("angels", "Angels"),
    ("animals", "Animals"),
    ("anthropomorphic", "Anthropomorphism"),
    ("anthropomorphism", "Anthropomorphism"),
    ("anti hero", "Anti-Hero"),
    ("anti-hero", "Anti-Hero"),
    ("antihero", "Anti-Hero"),
    ("artificial intelligence", "Artificial Intelligence"),
    ("assassin", "Assassins"),
    ("assassins", "Assassins"),
    ("avant garde", "Avant Garde"),
    ("avant-garde", "Avant Garde"),
    ("award winning", "Award Winning"),
    ("band", "Band"),
    ("baseball", "Baseball"),
    ("basketball", "Basketball"),
    ("battle royale", "Battle Royale"),
    ("battle-royale", "Battle Royale"),
    ("bl", "Boys Love"),
    ("body horror", "Body Horror"),
    ("boxing", "Boxing"),
    ("boys love", "Boys Love"),
    ("boys' love", "Boys Love"),
    ("card battle", "Card Battle"),
    ("card games", "Card Battle"),
    ("cars", "Cars"),
    ("cbdct", "Cute Boys Doing Cute Things"),
    ("cgdct", "Cute Girls Doing Cute Things"),
    ("childcare", "Childcare"),
    ("children", "Kids"),
    ("childrens", "Kids"),
    ("chuunibyou", "Chuunibyou"),
    ("combat sports", "Combat Sports"),
    ("comedy", "Comedy"),
    ("coming of age", "Coming of Age"),
    ("coming-of-age", "Coming of Age"),
    ("conspiracy", "Conspiracy"),
    ("cooking", "Gourmet"),
    ("cops", "Police"),
    ("cosmic horror", "Cosmic Horror"),
    ("crime", "Crime"),
    ("criminal organization", "Organized Crime"),
    ("cross-dressing", "Crossdressing"),
    ("crossdressing", "Crossdressing"),
    ("cultivation", "Cultivation"),
    ("cute boys doing cute things", "Cute Boys Doing Cute Things"),
    (
        "cute girls doing cute things",
        "Cute Girls Doing Cute Things",
    ),
    ("cyberpunk", "Cyberpunk"),
    ("dark fantasy", "Dark Fantasy"),
    ("dark-fantasy", "Dark Fantasy"),
    ("death game", "Death Game"),
    ("delinquent", "Delinquents"),
    ("delinquents", "Delinquents"),
    ("dementia", "Avant Garde"),
    ("demon", "Demons"),
    ("demons", "Demons"),
    ("denpa", "Denpa"),
    ("detective", "Detective"),
    ("detectives", "Detective"),
    ("dragon", "Dragons"),
    ("dragons", "Dragons"),
    ("drama", "Drama"),
    ("drawing", "Visual Arts"),
    ("dungeon", "Dungeon"),
    ("dystopia", "Dystopian"),
    ("dystopian", "Dystopian"),
    ("ecchi", "Ecchi"),
    ("educational", "Educational"),
    ("erotic", "Erotica"),
    ("erotica", "Erotica"),
    ("espionage", "Espionage"),
    ("fairy tale", "Fairy Tale"),
    ("family life", "Family Life"),
    ("fantasy", "Fantasy"),
    ("farming", "Agriculture"),
    ("female harem", "Harem"),
    ("food", "Gourmet"),
    ("football", "Football"),
    ("found family", "Found Family"),
    ("gag", "Gag Humor"),
    ("gag humor", "Gag Humor"),
    ("gambling", "Gambling"),
    ("game", "Game"),
    ("games", "Game"),
    ("gaming", "Video Game"),
    ("gangs", "Organized Crime"),
    ("gender bender", "Gender Bending"),
    ("gender bending", "Gender Bending"),
    ("genderswap", "Gender Bending"),
    ("ghost", "Ghost"),
    ("ghosts", "Ghost"),
    ("giant robot", "Mecha"),
    ("giant robots", "Mecha"),
    ("girls love", "Girls Love"),
    ("girls' love", "Girls Love"),
    ("gl", "Girls Love"),
    ("god", "Gods"),
    ("gods", "Gods"),
    ("gore", "Gore"),
    ("gourmet", "Gourmet"),
    ("harem", "Harem"),
    ("healing", "Iyashikei"),
    ("hentai", "Hentai"),
    ("high school", "School"),
    ("high stakes game", "High Stakes Game"),
    ("historic", "Historical"),
    ("historical", "Historical"),
    ("history", "Historical"),
    ("horror", "Horror"),
    ("idol", "Idol"),
    ("idols", "Idol"),
    ("idols (female)", "Idol"),
    ("idols (male)", "Idol"),
    ("isekai", "Isekai"),
    ("iyashikei", "Iyashikei"),
    ("josei", "Josei"),
    ("kaiju", "Kaiju"),
    ("kids", "Kids"),
    ("kids anime", "Kids"),
    ("love polygon", "Love Triangle"),
    ("love triangle", "Love Triangle"),
    ("mafia", "Organized Crime"),
    ("magic", "Magic"),
    ("magical girl", "Mahou Shoujo"),
    ("magical girls", "Mahou Shoujo"),
    ("magical sex shift", "Gender Bending"),
    ("maho shoujo", "Mahou Shoujo"),
    ("mahou shojo", "Mahou Shoujo"),
    ("mahou shoujo", "Mahou Shoujo"),
    ("mahou-shoujo", "Mahou Shoujo"),
    ("male harem", "Reverse Harem"),
    ("martial art", "Martial Arts"),
    ("martial arts", "Martial Arts"),
    ("mecha", "Mecha"),
    ("medical", "Medical"),
    ("medicine", "Medical"),
    ("mermaid", "Mermaid"),
    ("mermaids", "Mermaid"),
    ("military", "Military"),
    ("monster girl", "Monster Girl"),
    ("motorsport", "Racing"),
    ("motorsports", "Racing"),
    ("music", "Music"),
    ("music band", "Band"),
    ("musical theater", "Performing Arts"),
    ("mystery", "Mystery"),
    ("mythology", "Mythology"),
    ("ninja", "Ninja"),
    ("ninjas", "Ninja"),
    ("noir", "Noir"),
    ("office", "Workplace"),
    ("organized crime", "Organized Crime"),
    ("otaku", "Otaku Culture"),
    ("otaku culture", "Otaku Culture"),
    ("parenthood", "Childcare"),
    ("parodies", "Parody"),
    ("parody", "Parody"),
    ("performing arts", "Performing Arts"),
    ("pet", "Pets"),
    ("pets", "Pets"),
    ("philosophical", "Philosophy"),
    ("philosophy", "Philosophy"),
    ("pirate", "Pirates"),
    ("pirates", "Pirates"),
    ("police", "Police"),
    ("political", "Politics"),
    ("politics", "Politics"),
    ("post apocalyptic", "Post-Apocalyptic"),
    ("post-apocalyptic", "Post-Apocalyptic"),
    ("primarily adult cast", "Adult Cast"),
    ("psychological", "Psychological"),
    ("racing", "Racing"),
    ("real robot", "Real Robot"),
    ("reincarnation", "Reincarnation"),
    ("revenge", "Revenge"),
    ("reverse harem", "Reverse Harem"),
    ("robot", "Robots"),
    ("robots", "Robots"),
    ("rock band", "Band"),
    ("romance", "Romance"),
    ("samurai", "Samurai"),
    ("samurais", "Samurai"),
    ("satire", "Satire"),
    ("school", "School"),
    ("school club", "School Club"),
    ("school life", "School"),
    ("sci fi", "Sci-Fi"),
    ("sci-fi", "Sci-Fi"),
    ("science fiction", "Sci-Fi"),
    ("science-fiction", "Sci-Fi"),
    ("scifi", "Sci-Fi"),
    ("seinen", "Seinen"),
    ("sf", "Sci-Fi"),
    ("shojo", "Shoujo"),
    ("shojo ai", "Girls Love"),
    ("shonen", "Shounen"),
    ("shonen ai", "Boys Love"),
    ("shoujo", "Shoujo"),
    ("shoujo ai", "Girls Love"),
    ("shoujo-ai", "Girls Love"),
    ("shounen", "Shounen"),
    ("shounen ai", "Boys Love"),
    ("shounen-ai", "Boys Love"),
    ("showbiz", "Showbiz"),
    ("slapstick", "Slapstick"),
    ("slice of life", "Slice of Life"),
    ("slice-of-life", "Slice of Life"),
    ("soccer", "Football"),
    ("space", "Space"),
    ("space opera", "Space Opera"),
    ("spies", "Espionage"),
    ("sport", "Sports"),
    ("sports", "Sports"),
    ("spy", "Espionage"),
    ("steampunk", "Steampunk"),
    ("strategy game", "Strategy Game"),
    ("super power", "Super Power"),
    ("super powers", "Super Power"),
    ("super robot", "Super Robot"),
    ("super-power", "Super Power"),
    ("superhero", "Superhero"),
    ("superheroes", "Superhero"),
    ("supernatural", "Supernatural"),
    ("superpower", "Super Power"),
    ("superpowers", "Super Power"),
    ("surreal comedy", "Surreal Comedy"),
    ("survival", "Survival"),
    ("survival game", "High Stakes Game"),
    ("suspense", "Suspense"),
    ("sword fighting", "Swordplay"),
    ("swordplay", "Swordplay"),
    ("team sports", "Team Sports"),
    ("tennis", "Tennis"),
    ("theater", "Performing Arts"),
    ("thriller", "Thriller"),
    ("time loop", "Time Loop"),
    ("time travel", "Time Travel"),
    ("tokusatsu", "Tokusatsu"),
    ("tragedy", "Tragedy"),
    ("travel", "Travel"),
    ("tsundere", "Tsundere"),
    ("urban fantasy", "Urban Fantasy"),
    ("vampire", "Vampire"),
    ("vampires", "Vampire"),
    ("video game", "Video Game"),
    ("video games", "Video Game"),
    ("videogame", "Video Game"),
    ("villainess", "Villainess"),
    ("virtual reality", "Virtual World"),
    ("virtual world", "Virtual World"),
    ("visual arts", "Visual Arts"),
    ("vocal synth", "Vocal Synth"),
    ("vocaloid", "Vocal Synth"),
    ("volleyball", "Volleyball"),
    ("vr", "Virtual World"),
    ("war", "War"),
    ("werewolf", "Werewolf"),
    ("werewolves", "Werewolf"),
    ("witch", "Witch"),
    ("witches", "Witch"),
    ("work", "Workplace"),
    ("workplace", "Workplace"),
    ("wuxia", "Wuxia"),
    ("yakuza", "Organized Crime"),
    ("yandere", "Yandere"),
    ("yaoi", "Yaoi"),
    ("yokai", "Youkai"),
    ("youkai", "Youkai"),
    ("yuri", "Yuri"),
    ("zombie", "Zombie"),
    ("zombies", "Zombie"),
];

/// Tags that only adult works have: genres and explicit acts. Sorted for the binary search. Themes that other
/// works have too, such as incest, prostitution and nudity, are not in the list.
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
/// use crate::genres::genre_of_tag;
///
/// assert_eq!(genre_of_tag("science fiction"), Some("Sci-Fi"));
/// assert_eq!(genre_of_tag("female protagonist"), None);
/// ```
#[must_use]
pub fn genre_of_tag(tag: &str) -> Option<&'static str> {
    let tag = normalize_tag(tag);
    let position = GENRE_TAGS.binary_search_by(|(known, _)| (*known).cmp(&tag));
    position.ok().map(|position| GENRE_TAGS[position].1)
}

/// Returns true if only adult works have this tag. Upper and lower case make no difference.
#[must_use]
pub fn is_adult_tag(tag: &str) -> bool {
    ADULT_TAGS
        .binary_search(&normalize_tag(tag).as_str())
        .is_ok()
}

/// Returns a tag in the form in which the tables of this module have it: trimmed, in lower case, with plain
/// apostrophes.
pub(super) fn normalize_tag(tag: &str) -> String {
    tag.trim().to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ADULT_TAGS, GENRE_TAGS, genre_of_tag, is_adult_tag};

    const USUAL: [&str; 19] = [
        "Action",
        "Adventure",
        "Comedy",
        "Drama",
        "Ecchi",
        "Fantasy",
        "Hentai",
        "Horror",
        "Mahou Shoujo",
        "Mecha",
        "Music",
        "Mystery",
        "Psychological",
        "Romance",
        "Sci-Fi",
        "Slice of Life",
        "Sports",
        "Supernatural",
        "Thriller",
    ];

    #[test]
    fn the_tables_are_sorted_and_without_doubles() {
        assert!(GENRE_TAGS.is_sorted_by(|one, next| one.0 < next.0));
        assert!(ADULT_TAGS.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn every_tag_is_in_the_form_that_is_looked_up() {
        let tags = GENRE_TAGS.iter().map(|(tag, _)| tag).chain(&ADULT_TAGS);
        for tag in tags {
            assert_eq!(crate::genres::normalize_tag(tag), *tag);
        }
    }

    #[test]
    fn every_genre_is_title_case() {
        for (_, genre) in GENRE_TAGS {
            for word in genre.split([' ', '-']).filter(|word| *word != "of") {
                let (first, rest) = word.split_at(1);
                assert_eq!(first, first.to_uppercase(), "{genre}");
                assert_eq!(rest, rest.to_lowercase(), "{genre}");
            }
        }
    }

    #[test]
    fn every_genre_has_one_spelling_and_is_a_tag_itself() {
        let genres: BTreeSet<&str> = GENRE_TAGS.iter().map(|(_, genre)| *genre).collect();
        let letters = |genre: &&str| genre.to_lowercase().replace(['-', ' '], "");
        let spellings: BTreeSet<String> = genres.iter().map(letters).collect();
        assert_eq!(genres.len(), spellings.len());
        for genre in genres {
            assert_eq!(genre_of_tag(genre), Some(genre));
        }
    }

    #[test]
    fn the_usual_genres_are_known() {
        for genre in USUAL {
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
