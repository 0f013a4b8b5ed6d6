//! Walking order of vehicles in a yard: the natural order of their parking spaces, such as A-2 before A-10.
use std::fmt::Write;

/// Returns a sort key whose byte order is the walking order of parking spaces.
///
/// Letters are in upper case. Leading zeros of a number are dropped, and the number is prefixed with its length in three digits, so
/// that 2 sorts before 10.
#[must_use]
pub fn sort_key(parking_space: &str) -> String {
    let mut key = String::with_capacity(parking_space.len() + 8);
    let mut digits = String::new();
    for c in parking_space.trim().chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        flush(&mut key, &mut digits);
        key.extend(c.to_uppercase());
    }
    flush(&mut key, &mut digits);
    key
}

fn flush(key: &mut String, digits: &mut String) {
    if digits.is_empty() {
        return;
    }
    let number = digits.trim_start_matches('0');
    let _ = write!(key, "{:03}{number}", number.len());
    digits.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_sort_as_people_count() {
        let walked = ["", "- 3", "- 12", "0-7", "0-15", "A-1", "a-2", "A-10", "A-10-2", "A-10-11", "AB-1", "B-1"];
        let mut sorted = walked;
        sorted.sort_by_key(|space| sort_key(space));
        assert_eq!(sorted, walked);
    }

    #[test]
    fn spellings_of_one_space_have_one_key() {
        assert_eq!(sort_key(" a-02 "), "A-0012");
        for spelling in ["A-2", "a-2", "A-002", "\tA-2 "] {
            assert_eq!(sort_key(spelling), "A-0012", "{spelling:?}");
        }
        assert_eq!((sort_key("0"), sort_key("")), ("000".to_owned(), String::new()));
    }
}
