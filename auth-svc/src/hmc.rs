//! The register number people sign in with.
use crate::error::Error;
use unicode_normalization::UnicodeNormalization;

/// The longest hmc, in characters.
const LONGEST: usize = 64;

/// An hmc as it is shown, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hmc {
    /// Trimmed and NFKC.
    pub text: String,
    /// The same without case; unique among all users.
    pub key: String,
}

impl Hmc {
    /// Takes what a person wrote.
    ///
    /// # Errors
    /// When nothing is left of it, it is too long, or it has control characters.
    pub fn parse(written: &str) -> Result<Self, Error> {
        let refuse = |why| Err(Error::BadField { field: "hmc", why });
        if written.chars().count() > 4 * LONGEST {
            return refuse("must have at most 64 characters");
        }
        let text = written.nfkc().collect::<String>().trim().to_owned();
        if text.is_empty() {
            return refuse("must not be blank");
        }
        if text.chars().count() > LONGEST {
            return refuse("must have at most 64 characters");
        }
        if text.chars().any(char::is_control) {
            return refuse("must not have control characters");
        }
        let key = key(&text);
        Ok(Self { text, key })
    }
}

/// The form in which two texts are the same hmc.
#[must_use]
pub fn key(text: &str) -> String {
    text.nfkc().collect::<String>().trim().to_lowercase().nfkc().collect()
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
        for written in ["", "   ", "a\u{0}b", "a\nb", &"x".repeat(65), &"x".repeat(100_000)] {
            assert!(Hmc::parse(written).is_err(), "{written:.20?}");
        }
        assert!(Hmc::parse(&"é".repeat(64)).is_ok());
    }
}
