//! The languages that a browser prefers.

/// Returns the language tags of an `Accept-Language` header, the preferred one first (RFC 9110, section 12.5.4).
/// Leaves out languages with a weight of 0, and `*`.
pub fn accepted_languages(header: &str) -> Vec<String> {
    /// The maximum number of items that are read, which is enough for every browser. Reading more would only cost time.
    const MAX_ITEMS: usize = 20;
    let parse = |item: &str| {
        let (tag, weight) = item.split_once(';').unwrap_or((item, "q=1"));
        let weight: f32 = weight.trim().strip_prefix("q=")?.trim().parse().ok()?;
        let tag = tag.trim();
        let is_tag = !tag.is_empty()
            && tag
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (is_tag && weight > 0.0).then(|| (weight, tag.to_owned()))
    };
    let mut tags: Vec<(f32, String)> = header
        .split(',')
        .take(MAX_ITEMS)
        .filter_map(parse)
        .collect();
    tags.sort_by(|one, other| other.0.total_cmp(&one.0));
    tags.into_iter().map(|(_, tag)| tag).collect()
}

#[cfg(test)]
mod tests {
    use super::accepted_languages;

    #[test]
    fn weights_order_languages() {
        let tags =
            accepted_languages("en;q=0.5, *;q=0.9, fr-FR, fr;q=0, ,;, x y, it;q=0.8;a=b, jp;q=x");
        assert_eq!(tags, ["fr-FR", "en"]);
        assert_eq!(accepted_languages(&"a,".repeat(10_000)).len(), 20);
    }
}
