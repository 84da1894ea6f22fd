//! The meaning of a query string does not depend on its spelling: escapes, the order of parameters, or unknown ones.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use std::fmt::Write;

use catalogue::index::{AnimeFilter, SongFilter};
use fuzz::Input;
use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;
use shared::input::{ListFilter, PageRequest, PageStart, Params};

const QUERY: &str = "title=Cowboy+Bebop&formats=0,2&formats=1&status=0&year=1998&season=1&genres=Sci-Fi\
    &nsfw=true&with_episodes=0&tracker_a_id=1&tracker_b_id=1&database_id=30991&per_page=5&page=2&search=bebop\
    &artist=%E3%82%AB&type=0&anime_id=2";

/// Returns the filter, the page and the filters as text, or all errors.
fn read<F: ListFilter>(query: &str) -> Result<(F, PageRequest, String), String> {
    let mut params = Params::parse(query);
    let filter = F::read(&mut params);
    let page = PageRequest::read(&mut params, F::LIST);
    let filters = params.finish().map_err(|error| format!("{error:?}"))?;
    Ok((filter, page, filters))
}

/// Returns the query with each byte of each name and value escaped; `None` if one cannot be decoded.
fn escaped(query: &str) -> Option<String> {
    let escape = |text: &str| {
        let spaced = text.replace('+', " ");
        // A `%` that does not begin an escape is an error of the value.
        let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
        let is_sound = |at: (usize, &str)| {
            let escape = spaced.as_bytes().get(at.0 + 1..at.0 + 3);
            escape.is_some_and(|escape| escape.iter().all(u8::is_ascii_hexdigit))
        };
        spaced.match_indices('%').all(is_sound).then(|| {
            decoded.bytes().fold(String::new(), |mut all, byte| {
                let _ = write!(all, "%{byte:02x}");
                all
            })
        })
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some(format!("{}={}", escape(name)?, escape(value)?))
    });
    Some(pairs.collect::<Option<Vec<String>>>()?.join("&"))
}

fn check<F: ListFilter + PartialEq + std::fmt::Debug>(query: &str) {
    let read = read::<F>;
    let result = read(query);
    assert_eq!(read(&format!("unknown=%&{query}&&_")), result);
    if let Some(escaped) = escaped(query) {
        assert_eq!(read(&escaped), result, "{escaped}");
    }
    let Ok((filter, page, filters)) = result else {
        return;
    };
    assert!((1..=100).contains(&page.per_page));
    // The next page has the same filters.
    let next = page.next_parameter(F::LIST, &filters, 7);
    let rest = query.split('&').filter(|pair| {
        let name = percent_decode_str(pair.split('=').next().unwrap_or_default());
        !matches!(&*name.decode_utf8_lossy(), "page" | "cursor")
    });
    let rest: Vec<&str> = rest.chain([next.as_str()]).collect();
    let (same, next, _) = read(&rest.join("&")).unwrap();
    assert_eq!(same, filter);
    let is_next = match (page.start, next.start) {
        (PageStart::Page(now), PageStart::Page(next)) => next == now + 1,
        (PageStart::First | PageStart::After(_), PageStart::After(position)) => position == 7,
        _ => false,
    };
    assert!(is_next, "{page:?} {next:?}");
}

fuzz_target!(|input: Input| {
    let query = input.text(QUERY);
    check::<AnimeFilter>(&query);
    check::<SongFilter>(&query);
});
