//! Numbers in the form in which people read them.

/// Formats a number with a comma between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 7, 999, 1_000, 12_938, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "12,938", "1,234,567"]);
    }
}
