//! The names of studios and tags, as files of public databases have them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The maximum number of studios of an anime. Real anime have up to 13.
pub const MAX_STUDIOS: usize = 30;

/// The maximum number of tags of an anime.
pub const MAX_TAGS: usize = 100;

/// The maximum length of a name, in bytes. Longer names are left out.
pub const MAX_NAME_BYTES: usize = 100;

/// The names whose usual spelling is not Title Case, separated by commas.
const SPELLINGS: &str = "\
    8bit, AC-bu, ACTAS, AIC, AIC ASTA, AIC Build, AIC Classic, AIC PLUS+, AIC Spirits, AIC Takarazuka, \
    ARMS, C2C, CloverWorks, CoMix Wave Films, CONNECT, CyberConnect2, DLE, DMM.futureworks, drive, \
    EKACHI EPILKA, EMT Squared, ENCOURAGE FILMS, feel., GoHands, GONZO, ILCA, IMAGIN, LIDENFILMS, \
    Live2D Creative Studio, manglobe, MAPPA, NUT, Office DCI, OKURUTO NOBORU, OLM, OLM Digital, \
    PINE JAM, PRA, ROLL2, SANZIGEN, SHAFT, SILVER LINK., Studio 3Hz, Studio VOLN, SynergySP, \
    Team YokkyuFuman, ufotable, WHITE FOX, WIT STUDIO, XEBEC M2, ZEXCS";

/// The names in [`SPELLINGS`], by their forms in the files: in lower case, and with a space instead of a hyphen.
static SPELLINGS_BY_NAME: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let in_files = |name: &str| name.to_lowercase().replace('-', " ");
    let spellings = SPELLINGS.split(", ");
    spellings.map(|name| (in_files(name), name)).collect()
});

/// Returns the names of studios as pages show them; `None` if there are none.
pub(super) fn studio_names(names: &[String]) -> Option<Vec<String>> {
    let names = names.iter().map(|name| studio_name(name));
    collect_names(names, MAX_STUDIOS)
}

/// Returns tags in lower case; `None` if there are none.
pub(super) fn tag_names(names: &[String]) -> Option<Vec<String>> {
    let names = names
        .iter()
        .map(|name| without_commas(&name.to_lowercase()));
    collect_names(names, MAX_TAGS)
}

fn collect_names(names: impl Iterator<Item = String>, most: usize) -> Option<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let is_usable = !name.is_empty() && name.len() <= MAX_NAME_BYTES && !all.contains(&name);
        if is_usable && all.len() < most {
            all.push(name);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Returns the name of a studio in its usual spelling. A name with capital letters keeps its spelling. Any other name
/// gets Title Case, with words without vowels in capital letters, because they are abbreviations.
fn studio_name(name: &str) -> String {
    let name = without_commas(name);
    if name.contains(char::is_uppercase) {
        return name;
    }
    if let Some(known) = SPELLINGS_BY_NAME.get(&name) {
        return (*known).to_owned();
    }
    let mut spelled = String::with_capacity(name.len());
    // An apostrophe does not end a word: Brain's Base.
    for word in name.split_inclusive(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')) {
        if is_abbreviation(word.trim_end_matches(|c: char| !c.is_alphanumeric())) {
            spelled.push_str(&word.to_uppercase());
            continue;
        }
        let mut characters = word.chars();
        if let Some(first) = characters.next() {
            spelled.extend(first.to_uppercase());
            spelled.push_str(characters.as_str());
        }
    }
    spelled
}

/// Returns true for two to four consonants, such as `tms`.
fn is_abbreviation(word: &str) -> bool {
    let is_consonant = |c: char| c.is_ascii_lowercase() && !"aeiouy".contains(c);
    let is_word = matches!(
        word,
        "st" | "nd" | "rd" | "th" | "mr" | "mrs" | "dr" | "ltd" | "vs"
    );
    (2..=4).contains(&word.len()) && word.chars().all(is_consonant) && !is_word
}

/// Returns a name without commas, because they separate the names in a query and in a form. Runs of spaces become one.
fn without_commas(name: &str) -> String {
    let name = name.replace(',', " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{MAX_TAGS, studio_name, studio_names, tag_names};

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn studios_get_their_usual_spelling() {
        for (name, spelling) in [
            ("kyoto animation", "Kyoto Animation"),
            ("brain's base", "Brain's Base"),
            ("j.c.staff", "J.C.Staff"),
            ("production i.g", "Production I.G"),
            ("p.a. works", "P.A. Works"),
            ("a-1 pictures", "A-1 Pictures"),
            ("studio 4°c", "Studio 4°C"),
            ("studio 1st", "Studio 1st"),
            ("mappa", "MAPPA"),
            ("8bit", "8bit"),
            ("ac bu", "AC-bu"),
            ("zexcs", "ZEXCS"),
            ("ufotable", "ufotable"),
            ("bmt films", "BMT Films"),
            ("dry ltd.", "Dry Ltd."),
            ("MAdHouSe", "MAdHouSe"),
            (" yamamura  animation, inc.", "Yamamura Animation Inc."),
            ("エイトビット", "エイトビット"),
        ] {
            assert_eq!(studio_name(name), spelling);
        }
    }

    #[test]
    fn empty_long_and_repeated_names_are_left_out() {
        let long = "x".repeat(101);
        let names = owned(&["olm", "OLM", "", " , ", &long, "bones"]);
        assert_eq!(studio_names(&names), Some(owned(&["OLM", "Bones"])));
        assert_eq!(studio_names(&owned(&[" "])), None);
        assert_eq!(tag_names(&[]), None);
        let tags = tag_names(&owned(&["Time Travel", "time travel", "space"]));
        assert_eq!(tags, Some(owned(&["time travel", "space"])));
        let many: Vec<String> = (0..200).map(|number| format!("tag {number}")).collect();
        assert_eq!(tag_names(&many).unwrap().len(), MAX_TAGS);
    }
}
