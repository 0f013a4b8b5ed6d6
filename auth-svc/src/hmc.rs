//! The register number people sign in with.
use crate::error::Error;
use patio_proto::normal;

/// The longest hmc, in characters.
const LONGEST: usize = 64;

/// An hmc as it is shown, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hmc {
    /// In its normal form.
    pub text: String,
    /// The same without case; unique among all users.
    pub key: String,
}

impl Hmc {
    /// Takes what a person wrote.
    ///
    /// # Errors
    /// When nothing is left of it, it is too long, it has control characters, or it mixes the letters of several scripts.
    pub fn parse(written: &str) -> Result<Self, Error> {
        let refuse = |why| Err(Error::BadField { field: "hmc", why });
        if written.chars().count() > 4 * LONGEST {
            return refuse("must have at most 64 characters");
        }
        if written.trim().chars().any(char::is_control) {
            return refuse("must not have control characters");
        }
        let text = normal::code(written).into_owned();
        if text.is_empty() {
            return refuse("must not be blank");
        }
        if text.chars().count() > LONGEST {
            return refuse("must have at most 64 characters");
        }
        if mixes_scripts(&text) {
            return refuse("must not mix letters of several scripts, as some of them look the same");
        }
        let key = key(&text);
        Ok(Self { text, key })
    }
}

/// The form in which two texts are the same hmc.
#[must_use]
pub fn key(text: &str) -> String {
    normal::name_key(text)
}

/// Returns `true` for letters of more than one of the scripts whose letters look like each other: Latin, Greek, Cyrillic.
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
    fn what_cannot_be_an_hmc_is_refused() {
        for written in ["", "   ", "\u{200b}", "a\u{0}b", "a\nb", "AB\u{430}1", "\u{391}B", &"x".repeat(65), &"x".repeat(100_000)] {
            assert!(Hmc::parse(written).is_err(), "{written:.20?}");
        }
        assert!(Hmc::parse(&"é".repeat(64)).is_ok());
        assert!(Hmc::parse("АВ12").is_ok()); // all of it is Cyrillic
        assert_eq!(Hmc::parse("a\u{2013}b\u{a0} 1").unwrap().text, "a-b 1");
    }
}
