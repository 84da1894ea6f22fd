//! Tests of the search as its callers use it.

use super::texts::RankKey;
use super::{SearchQuery, TextSearch, TextSearchBuilder, estimate_fame, work};

/// A row: its titles, its synonyms and its fame.
type SampleRow = (&'static [&'static str], &'static [&'static str], u16);

/// Made-up rows in list order.
const ROWS: [SampleRow; 14] = [
    (
        &["Hoshi no Tabibito", "Star Traveler", "星の旅人"],
        &["HnT"],
        200,
    ),
    (
        &["Hoshi no Tabibito 2nd Season", "Star Traveler 2"],
        &[],
        100,
    ),
    (
        &["Hoshi no Tabibito Movie 2", "Star Traveler: The Movie 2"],
        &[],
        50,
    ),
    (&["Mahou Shoujo Ringo", "Magical Girl Apple"], &[], 120),
    (&["Kiki to Neko", "Kiki's Cat", "Il gatto di Kiki"], &[], 80),
    (&["InuNeko"], &["Inu to Neko no Monogatari"], 30),
    (&["Aoi Sora", "Blue Sky"], &[], 10),
    (&["Aoi Sora (2019)"], &[], 90),
    (&["Sora"], &[], 5),
    (&["Sorairo Densetsu", "Legend of the Sky"], &[], 5),
    (&["Kaze no Densetsu", "Ветер"], &[], 5),
    (&["Ginga Densetsu Wing", "Galaxy Legend Wing"], &[], 5),
    (&["Wing of the Galaxy"], &[], 5),
    (&["!!!"], &[], 400),
];

fn search_of(rows: &[SampleRow]) -> TextSearch {
    let mut builder = TextSearchBuilder::default();
    for (titles, synonyms, fame) in rows {
        builder.push(titles.iter().copied(), synonyms.iter().copied(), *fame);
    }
    builder.build()
}

fn query(text: &str) -> SearchQuery {
    SearchQuery::new(text).expect("a query with words")
}

/// Returns the rows that a query finds among [`ROWS`], best first.
fn find(text: &str) -> Vec<u32> {
    let page = search_of(&ROWS).search(&query(text), |_| true, None, 0, 100);
    let keys = page.expect("texts").keys.into_iter();
    keys.map(|key| key.row).collect()
}

/// Asserts that a row comes first for each of these queries, which commas separate.
#[track_caller]
fn assert_first(row: u32, queries: &str) {
    for query in queries.split(", ") {
        assert_eq!(find(query).first(), Some(&row), "{query}");
    }
}

#[test]
fn matches_are_ranked_by_form_then_fame_then_list_order() {
    // Exact matches come first, then a word among others, then the beginning of a word.
    assert_eq!(find("sora"), [8, 7, 6, 9]);
    // Words in the same order, side by side or apart, come before words in another order.
    assert_eq!(find("galaxy wing"), [11, 12]);
    // Equal matches are sorted by fame, then by list order.
    assert_eq!(find("aoi sora"), [7, 6]);
    // The shorter main title comes first.
    assert_eq!(find("densetsu"), [9, 10, 11]);
}

#[test]
fn titles_in_all_languages_synonyms_and_abbreviations_are_found() {
    assert_first(0, "hoshi no tabibito, STAR TRAVELER, 星の旅人, 旅人, hnt");
    assert_first(10, "ветер, ВЕТЕР");
    assert_first(4, "il gatto di kiki");
    assert_first(5, "inu to neko no monogatari");
}

#[test]
fn spelling_spaces_and_order_may_differ() {
    assert_first(
        3,
        "maho shojo ringo, mahō shōjo ringo, mahoushoujoringo, mahou shoujo",
    );
    assert_first(5, "inu neko, inuneko, inuenko, nuneko");
    assert_first(4, "kikis cat, kiki's cat, kikiscat, cat kiki's");
    assert_first(
        0,
        "startraveler, star travler, tsar traveler, traveler star, ster traveller",
    );
    assert_first(
        0,
        "hoshi tabibito, hoshi no tab, star traveler anime, star traveler qwertz",
    );
}

#[test]
fn seasons_and_movies_are_told_apart() {
    assert_first(0, "star traveler season 1, hoshi no tabibito");
    assert_first(
        1,
        "star traveler s2, star traveler ii, hoshi no tabibito season 2",
    );
    assert_first(
        1,
        "star traveler second season, hoshi no tabibito 2, hoshinotabibito 2",
    );
    assert_first(2, "star traveler movie 2, hoshi no tabibito movie");
}

#[test]
fn unrelated_queries_find_nothing() {
    for query in "qwertz, xyz, zzzzzzzzzzzz, how to cook pasta, 猫, привет, 12345".split(", ")
    {
        assert_eq!(find(query), [0; 0], "{query}");
    }
}

#[test]
fn any_text_is_a_query_or_has_no_words() {
    for text in ["", " ", "!?!", "...", "🎉🎉", "\0", "\u{200d}\u{fe0f}"] {
        assert_eq!(SearchQuery::new(text), None, "{text:?}");
    }
    let odd = [
        "a", "猫", "ア", "א", "س", "ก", "é", "🎉a", "\0b", "ab ", "no ", "第", "第2", "' ",
    ];
    for text in odd {
        for text in [text.to_owned(), text.repeat(10_000), format!("sora {text}")] {
            if SearchQuery::new(&text).is_some() {
                find(&text);
            }
        }
    }
}

#[test]
fn pages_follow_each_other_and_count_accepted_rows() {
    let search = search_of(&ROWS);
    let query = query("s");
    let search = |from, skip, per_page| {
        let page = search.search(&query, |row| row != 9, from, skip, per_page);
        page.expect("texts")
    };
    let all = search(None, 0, 100);
    assert!(all.keys.len() > 3 && all.keys.is_sorted() && !all.has_more);
    assert_eq!(all.total, all.keys.len());
    assert!(all.keys.iter().all(|key| key.row != 9));
    let mut from = None;
    for (at, key) in all.keys.iter().enumerate() {
        let has_more = at + 1 < all.total;
        for page in [search(from, 0, 1), search(None, at, 1)] {
            assert_eq!((page.total, page.has_more), (all.total, has_more));
            assert_eq!(page.keys, [*key]);
        }
        from = Some(RankKey {
            row: key.row + 1,
            ..*key
        });
    }
    assert_eq!(search(from, 0, 1).keys, []);
    assert_eq!(search(None, usize::MAX, 1).keys, []);
}

#[test]
fn loaded_texts_find_the_same() {
    let built = search_of(&ROWS);
    let bytes = built.to_bytes().expect("bytes");
    let read = TextSearch::default();
    assert!(read.load(&bytes, ROWS.len()));
    assert_eq!(read, built);
    assert_eq!(read.to_bytes().expect("bytes"), bytes);
    let query = query("sora");
    let pages = [&built, &read].map(|search| search.search(&query, |_| true, None, 0, 10));
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn damaged_texts_and_those_of_another_index_are_not_loaded() {
    let query = query("sora");
    let search = TextSearch::default();
    let bytes = search_of(&ROWS).to_bytes().expect("bytes");
    assert!(!search.load(&[1, 2, 3], ROWS.len()));
    assert!(!search.load(&bytes[..bytes.len() - 1], ROWS.len()));
    assert!(!search.load(&bytes, ROWS.len() + 1));
    assert!(!search.is_loaded() && search.to_bytes().is_err());
    assert_eq!(search.search(&query, |_| true, None, 0, 10), None);
}

#[test]
fn search_without_texts_finds_nothing() {
    let query = query("sora");
    let found = search_of(&[]).search(&query, |_| true, None, 0, 10);
    assert_eq!(found.expect("a page").total, 0);
}

#[test]
fn fame_grows_with_languages_and_popularity() {
    assert_eq!(estimate_fame(0, 0, 0, None), 0);
    assert_eq!(estimate_fame(3, 5, 2, None), 50);
    assert_eq!(estimate_fame(3, 5, 2, Some(1)), 50);
    assert_eq!(estimate_fame(3, 5, 2, Some(1 << 20)), 250);
    assert_eq!(estimate_fame(1_000_000, 5, 2, Some(u32::MAX)), 400);
}

/// The number of rows of [`large_search`].
const LARGE: usize = 12_000;

/// Returns a made-up word of this many syllables. Different numbers mostly have different words.
fn made_up(number: usize, syllables: u32) -> String {
    let scattered = number.wrapping_mul(7_919) + 1;
    let syllable = |nth| {
        let at = scattered / 70_usize.pow(nth) % 70;
        let consonant = &"bdfghjklmnprtz"[at / 5..=at / 5];
        consonant.to_owned() + &"aeiou"[at % 5..=at % 5]
    };
    (0..syllables).map(syllable).collect()
}

/// Returns a made-up word in kana.
fn kana(number: usize) -> String {
    let scattered = number.wrapping_mul(7_919) + 1;
    let kana =
        |nth| char::from_u32(0x30a2 + u32::try_from(scattered / 60_usize.pow(nth) % 60).ok()?);
    (0..4).filter_map(kana).collect()
}

/// Returns a search over many rows, with more than 40,000 words.
fn large_search() -> TextSearch {
    let mut builder = TextSearchBuilder::default();
    for row in 0..LARGE {
        let long = made_up(row, 4);
        let titles = [
            format!("{long} no {}", made_up(row, 3)),
            format!("{} {}", made_up(row, 2), made_up(row, 1)),
            kana(row),
        ];
        builder.push(titles.iter().map(String::as_str), [], 0);
    }
    builder.build()
}

/// Returns the work of a search, and its first result.
fn work_of(search: &TextSearch, query: &str) -> (usize, Option<u32>) {
    work::take_total();
    let page = search.search(&self::query(query), |_| true, None, 0, 1);
    let first = page.expect("texts").keys.first().map(|key| key.row);
    (work::take_total(), first)
}

/// Returns a word with two letters swapped.
fn misspelled(word: &str) -> String {
    [&word[..2], &word[3..4], &word[2..3], &word[4..]].concat()
}

/// Returns a query of 24 words.
fn query_of(word: impl Fn(usize) -> String) -> String {
    (0..24).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn hostile_query_takes_at_most_three_times_the_work_of_a_misspelled_one() {
    let search = large_search();
    let mut usual: Vec<usize> = (100..121)
        .map(|row| {
            let (long, short) = (made_up(row, 4), made_up(row, 3));
            let (work, first) = work_of(&search, &format!("{} no {short}", misspelled(&long)));
            assert_eq!(first, u32::try_from(row).ok());
            work
        })
        .collect();
    usual.sort_unstable();
    let usual = usual[usual.len() / 2];
    let letter = |row: usize| kana(row).chars().take(1).collect::<String>();
    let typo = |row: usize| misspelled(&made_up(row, 3));
    // The first or the second half of a word.
    let part = |at: usize| made_up(100 + at / 2, 2)[2 * (at % 2)..][..2].to_owned();
    let hostile = [
        query_of(typo),
        query_of(|row| misspelled(&made_up(row, 4))),
        query_of(letter),
        query_of(|row| kana(row).chars().take(2).collect()),
        query_of(part),
        query_of(|row| if row < 20 { part(row) } else { letter(row) }),
        query_of(|row| if row < 12 { part(row) } else { typo(row) }),
        query_of(|row| if row % 2 == 0 { typo(row) } else { letter(row) }),
        query_of(|row| made_up(row, 8)),
        query_of(|_| "no".to_owned()),
    ];
    for query in hostile {
        let (work, _) = work_of(&search, &query);
        assert!(work <= 3 * usual, "{work}, usually {usual}: {query}");
    }
}
