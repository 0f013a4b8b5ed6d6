//! Fixed list of yards, and the rules that derive the yard and the group of a parking space from its text.

/// The 28 yards, each with its id and its name, in the order of the ids. The name is the first character of the yard's parking
/// spaces.
pub const YARDS: [(i32, &str); 28] = [
    (1, "J"),
    (2, "A"),
    (3, "M"),
    (4, "B"),
    (5, "R"),
    (6, "F"),
    (7, "Y"),
    (8, "I"),
    (9, "D"),
    (10, "Z"),
    (11, "C"),
    (12, "0"),
    (13, "S"),
    (14, "G"),
    (15, "P"),
    (16, "E"),
    (17, "T"),
    (18, "K"),
    (19, "-"),
    (20, "Q"),
    (21, "V"),
    (22, "W"),
    (23, "L"),
    (24, "N"),
    (25, "X"),
    (26, "U"),
    (27, "O"),
    (28, "H"),
];

/// Id of yard `-`, whose parking spaces begin with a dash. Operators do not see this yard in lists.
pub const DASH_YARD_ID: i32 = 19;

/// Returns the id of the yard to which a parking space belongs. The first character of the parking space names the yard. Returns `None`
/// for a character that names no yard.
///
/// Leading blanks are ignored, so that ` - 3` belongs to yard `-` (id 19). A space that begins with the digit `0` belongs to yard
/// `0` (id 12).
#[must_use]
pub fn parking_space_yard_id(parking_space: &str) -> Option<i32> {
    let first = parking_space.trim_start().chars().next()?.to_uppercase().to_string();
    YARDS.iter().find(|(_, letter)| *letter == first).map(|(id, _)| *id)
}

/// Returns the group under which a parking space is listed: the part before the first dash.
///
/// A parking space that begins with a dash has the group `-`.
#[must_use]
pub fn parking_space_yard_group(parking_space: &str) -> &str {
    let space = parking_space.trim();
    if space.starts_with('-') {
        return "-";
    }
    space.split('-').next().unwrap_or_default().trim_end()
}

/// Returns the name of a yard, or `None` for an unknown id.
#[must_use]
pub fn yard_name(id: i32) -> Option<&'static str> {
    YARDS.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_leads_to_its_yard_in_both_cases() {
        let table = "J=1, A=2, M=3, B=4, R=5, F=6, Y=7, I=8, D=9, Z=10, C=11, 0=12, S=13, G=14, P=15, E=16, T=17, K=18, \
                     -=19, Q=20, V=21, W=22, L=23, N=24, X=25, U=26, O=27, H=28";
        for entry in table.split(", ") {
            let (letter, id) = entry.split_once('=').unwrap();
            assert_eq!(parking_space_yard_id(&format!("{letter}-12")), id.parse().ok(), "{letter}");
            assert_eq!(parking_space_yard_id(&format!("{}-12", letter.to_lowercase())), id.parse().ok(), "{letter}");
            assert_eq!(yard_name(id.parse().unwrap()), Some(letter));
        }
        assert_eq!(YARDS.len(), 28);
    }

    #[test]
    fn odd_spaces_lead_where_the_specification_says() {
        assert_eq!(parking_space_yard_id(" - 3"), Some(19));
        assert_eq!((parking_space_yard_id("--"), DASH_YARD_ID), (Some(19), 19));
        assert_eq!(parking_space_yard_id("0-7"), Some(12));
        assert_eq!(parking_space_yard_id("7-1"), None);
        assert_eq!(parking_space_yard_id(""), None);
    }

    #[test]
    fn groups_are_what_stands_before_the_first_dash() {
        for (space, group) in [
            ("A-2", "A"),
            ("AB-12-3", "AB"),
            ("- 3", "-"),
            ("--", "-"),
            ("0-7", "0"),
            ("X12", "X12"),
            ("", ""),
            (" A-2", "A"),
            (" X12 ", "X12"),
            ("A -2", "A"),
            (" - 3", "-"),
        ] {
            assert_eq!(parking_space_yard_group(space), group, "{space}");
        }
    }
}
