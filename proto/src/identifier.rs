//! The identifier of a vehicle: model code, one space, serial number; text, zeros and all.

/// What two spellings of one identifier have in common: upper case, without blanks, hyphens and asterisks.
#[must_use]
pub fn key(written: &str) -> String {
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
    /// Takes the two parts as written, trimmed and upper-cased.
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
        let mut parts = written.split_whitespace();
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
    let text = written.trim().to_uppercase();
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
        assert!(Identifier::new("A", "1\u{0}2").unwrap_err().contains("Serial Number holds"));
        assert!(Identifier::new("A", &"9".repeat(40)).is_ok());
        assert!(Identifier::new("A", &"9".repeat(41)).unwrap_err().contains("longer than 40"));
        assert!(Identifier::new("A", "--").unwrap_err().contains("neither letters nor digits"));
        assert!(Identifier::parse("ONE TWO THREE").is_err());
        assert!(Identifier::parse("ONE").is_err());
    }
}
