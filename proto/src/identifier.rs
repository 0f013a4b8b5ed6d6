//! The identifier of a vehicle: model code, one space, serial number; text, zeros and all.
use crate::normal;

/// Returns the key by which identifiers and parking spaces are compared: the normal form in upper case, without blanks,
/// hyphens and asterisks.
#[must_use]
pub fn key(written: &str) -> String {
    let written = normal::code(written);
    let mut key = String::with_capacity(written.len());
    let counting = written.chars().filter(|c| counts(*c));
    if written.is_ascii() {
        key.extend(counting.map(|c| c.to_ascii_uppercase()));
    } else {
        key.extend(counting.flat_map(char::to_uppercase));
    }
    key
}

fn counts(c: char) -> bool {
    !c.is_whitespace() && c != '-' && c != '*'
}

/// A model code and a serial number that may stand in Patio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identifier {
    /// Upper case, without blanks inside.
    pub model_code: String,
    /// Upper case, without blanks inside; leading zeros belong to it.
    pub serial_number: String,
}

/// The longest model code or serial number, in characters.
pub const LONGEST_PART: usize = 40;

impl Identifier {
    /// Takes the two parts as written, in their normal form and upper case.
    ///
    /// # Errors
    /// Names the part that is missing, too long, or holds a character other than A–Z, 0–9, `.`, `/` and `-`.
    pub fn new(model_code: &str, serial_number: &str) -> Result<Self, String> {
        Ok(Self { model_code: part("Model Code", model_code)?, serial_number: part("Serial Number", serial_number)? })
    }

    /// Reads `model serial`, the two parts separated by blanks.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse(written: &str) -> Result<Self, String> {
        let written = normal::code(written);
        let mut parts = written.split(' ').filter(|part| !part.is_empty());
        match (parts.next(), parts.next(), parts.next()) {
            (Some(model), Some(serial), None) => Self::new(model, serial),
            _ => Err(format!("`{written}` is not a model code and a serial number separated by one space")),
        }
    }

    /// The VIN as people see it.
    #[must_use]
    pub fn vin(&self) -> String {
        [self.model_code.as_str(), " ", &self.serial_number].concat()
    }

    /// The comparison key of the whole identifier.
    #[must_use]
    pub fn key(&self) -> String {
        key(&self.vin())
    }
}

fn part(name: &str, written: &str) -> Result<String, String> {
    // Far longer than any spelling of a good one: its normal form is not worth making.
    if written.len() > 16 * LONGEST_PART {
        return Err(format!("{name} is longer than {LONGEST_PART} characters"));
    }
    let text = normal::code(written).to_uppercase();
    if text.is_empty() {
        return Err(format!("{name} is missing"));
    }
    if text.chars().count() > LONGEST_PART {
        return Err(format!("{name} is longer than {LONGEST_PART} characters"));
    }
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || ['.', '/', '-'].contains(c))) {
        Some(odd) => Err(format!("{name} holds the character {odd:?}; letters, digits, '.', '/' and '-' are allowed")),
        None if !text.contains(counts) => Err(format!("{name} holds neither letters nor digits")),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_keep_their_zeros_and_compare_without_blanks_and_hyphens() {
        let one = Identifier::new(" hb20 ", "000-123").unwrap();
        assert_eq!(one.vin(), "HB20 000-123");
        assert_eq!(one.key(), key("*hb20000123*"));
    }

    #[test]
    fn what_cannot_be_an_identifier_is_named() {
        assert!(Identifier::new("", "1").unwrap_err().starts_with("Model Code is missing"));
        assert!(Identifier::new("A", "1\u{e7}2").unwrap_err().contains("Serial Number holds"));
        assert!(Identifier::new("A", "1 2").unwrap_err().contains("Serial Number holds"));
        assert_eq!(Identifier::new("ａ\u{200b}", "00\u{2013}1\u{0}").unwrap().vin(), "A 00-1");
        assert!(Identifier::new("A", &"9".repeat(40)).is_ok());
        assert!(Identifier::new("A", &"9".repeat(41)).unwrap_err().contains("longer than 40"));
        assert!(Identifier::new("A", "--").unwrap_err().contains("neither letters nor digits"));
        assert!(Identifier::parse("ONE TWO THREE").is_err());
        assert!(Identifier::parse("ONE").is_err());
    }
}
