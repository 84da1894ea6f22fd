//! Names of browsers, for the list of sessions.

/// The browsers: a part of the header `User-Agent`, and the name. The first match counts, because most browsers also
/// name those with which they are compatible.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// The operating systems: a part of the header `User-Agent`, and the name. The first match counts.
const SYSTEMS: [(&str, &str); 7] = [
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Returns the name of a browser and of its operating system, such as `Firefox, Linux`. It consists only of known
/// names, because a caller can send any header. Empty if neither is known.
pub(crate) fn name_of(user_agent: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        let known = names.iter().find(|(part, _)| user_agent.contains(part));
        known.map(|(_, name)| *name)
    };
    let names = [find(&BROWSERS), find(&SYSTEMS)];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn browsers_and_systems_have_names() {
        for (user_agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox, Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 \
                 Safari/537.36 Edg/142.0.0.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.6 Mobile/15E148 Safari/604.1",
                "Safari, iOS",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile \
                 Safari/537.36",
                "Chrome, Android",
            ),
            ("curl/8.17.0", "curl"),
            ("<script>", ""),
        ] {
            assert_eq!(name_of(user_agent), name);
        }
    }
}
