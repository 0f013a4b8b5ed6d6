//! HMC: the login name of a user, which is the user's employee registration number.
use crate::error::Error;
use patio_proto::normalization;

/// Maximum length of a login name (HMC) in characters.
const MAX_HMC_LEN: usize = 64;

/// Valid login name (HMC): the name as displayed, and the key for comparison with other names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hmc {
    /// Login name (HMC) as displayed: trimmed, with unusual Unicode characters normalized.
    pub text: String,
    /// Comparison key of the login name (HMC): the name in uniform letter case, unique among all users.
    pub key: String,
}

impl Hmc {
    /// Normalizes and checks a login name (HMC) as the user typed it.
    ///
    /// # Errors
    /// Returns `InvalidHmc` when the login name (HMC) is blank, is too long, contains control characters, or mixes letters of
    /// several scripts.
    pub fn parse(written: &str) -> Result<Self, Error> {
        let refuse = |why| Err(Error::InvalidHmc(why));
        if written.chars().count() > 4 * MAX_HMC_LEN {
            return refuse("The HMC can have at most 64 characters.");
        }
        if written.trim().chars().any(char::is_control) {
            return refuse("The HMC has characters that are not allowed.");
        }
        let text = normalization::normalize_identifier(written).into_owned();
        if text.is_empty() {
            return refuse("The HMC cannot be blank.");
        }
        if text.chars().count() > MAX_HMC_LEN {
            return refuse("The HMC can have at most 64 characters.");
        }
        if mixes_scripts(&text) {
            return refuse("The HMC cannot mix letters of different alphabets. Some look alike.");
        }
        let key = comparison_key(&text);
        Ok(Self { text, key })
    }
}

/// Returns the comparison key of a login name (HMC). Two texts with equal keys are the same login name.
#[must_use]
pub fn comparison_key(text: &str) -> String {
    normalization::name_comparison_key(text)
}

/// Returns `true` if a text mixes letters of the Latin, Greek and Cyrillic scripts, which contain similar-looking letters.
fn mixes_scripts(text: &str) -> bool {
    let script = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Some(0),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(1),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}' => Some(2),
        _ => None,
    };
    let mut scripts = text.chars().filter_map(script);
    scripts.next().is_some_and(|first| scripts.any(|other| other != first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_case_and_outer_blanks_make_no_difference() {
        let plain = Hmc::parse("ab12").unwrap();
        for written in [" ab12 ", "AB12", "ＡＢ１２", "\u{a0}Ab12"] {
            assert_eq!(Hmc::parse(written).unwrap().key, plain.key, "{written:?}");
        }
        assert_eq!(Hmc::parse(" Ab12 ").unwrap().text, "Ab12");
    }

    #[test]
    fn invalid_hmcs_are_rejected() {
        for written in ["", "   ", "\u{200b}", "a\u{0}b", "a\nb", "AB\u{430}1", "\u{391}B", &"x".repeat(65), &"x".repeat(100_000)] {
            assert!(Hmc::parse(written).is_err(), "{written:.20?}");
        }
        assert!(Hmc::parse(&"é".repeat(64)).is_ok());
        assert!(Hmc::parse("АВ12").is_ok()); // all letters are Cyrillic
        assert_eq!(Hmc::parse("a\u{2013}b\u{a0} 1").unwrap().text, "a-b 1");
    }
}
