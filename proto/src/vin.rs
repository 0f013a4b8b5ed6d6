//! VIN of a vehicle: model code, one space and serial number. A VIN is text and not a number, because leading zeros are significant.
use crate::normalization;

/// Returns the key by which VINs and parking spaces are compared.
///
/// The key is the normalized text in upper case, without blanks, hyphens and asterisks.
#[must_use]
pub fn comparison_key(written: &str) -> String {
    let written = normalization::normalize_identifier(written);
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

/// Valid VIN of a vehicle: model code and serial number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vin {
    /// Model code in upper case, without blanks.
    pub model_code: String,
    /// Serial number in upper case, without blanks. Leading zeros are significant.
    pub serial_number: String,
}

/// Maximum length of a model code or a serial number, in characters.
pub const MAX_VIN_PART_LEN: usize = 40;

impl Vin {
    /// Creates a VIN from its two parts, normalized and in upper case.
    ///
    /// # Errors
    /// Returns a message that names the invalid part. A part is invalid if the part is missing, is too long, or contains a character
    /// other than A–Z, 0–9, `.`, `/` and `-`.
    pub fn new(model_code: &str, serial_number: &str) -> Result<Self, String> {
        Ok(Self { model_code: part("Model Code", model_code)?, serial_number: part("Serial Number", serial_number)? })
    }

    /// Parses a VIN written as `MODEL SERIAL`, the two parts separated by blanks.
    ///
    /// # Errors
    /// Returns a message that says what is wrong with the text.
    pub fn parse(written: &str) -> Result<Self, String> {
        let written = normalization::normalize_identifier(written);
        let mut parts = written.split(' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(model), Some(serial), None) => Self::new(model, serial),
            _ => Err(format!("{written} must be a model code, one space and a serial number.")),
        }
    }

    /// Returns the VIN shown to users: model code, one space, serial number.
    #[must_use]
    pub fn to_text(&self) -> String {
        [self.model_code.as_str(), " ", &self.serial_number].concat()
    }

    /// Returns the key by which VINs are compared: the VIN in upper case, without blanks, hyphens and asterisks.
    #[must_use]
    pub fn comparison_key(&self) -> String {
        comparison_key(&self.to_text())
    }
}

fn part(name: &str, written: &str) -> Result<String, String> {
    // Skips the normalization of a text that is far too long for any valid spelling.
    if written.len() > 16 * MAX_VIN_PART_LEN {
        return Err(format!("{name} has more than {MAX_VIN_PART_LEN} characters."));
    }
    let text = normalization::normalize_identifier(written).to_uppercase();
    if text.is_empty() {
        return Err(format!("{name} is missing."));
    }
    if text.chars().count() > MAX_VIN_PART_LEN {
        return Err(format!("{name} has more than {MAX_VIN_PART_LEN} characters."));
    }
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || ['.', '/', '-'].contains(c))) {
        Some(odd) => Err(format!("{name} has the character {odd:?}. Use only letters, digits, '.', '/' and '-'.")),
        None if !text.contains(counts) => Err(format!("{name} has no letters or digits.")),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_keep_their_zeros_and_compare_without_blanks_and_hyphens() {
        let one = Vin::new(" hb20 ", "000-123").unwrap();
        assert_eq!(one.to_text(), "HB20 000-123");
        assert_eq!(one.comparison_key(), comparison_key("*hb20000123*"));
    }

    #[test]
    fn what_cannot_be_an_identifier_is_named() {
        assert!(Vin::new("", "1").unwrap_err().starts_with("Model Code is missing."));
        assert!(Vin::new("A", "1\u{e7}2").unwrap_err().contains("Serial Number has the character"));
        assert!(Vin::new("A", "1 2").unwrap_err().contains("Serial Number has the character"));
        assert_eq!(Vin::new("ａ\u{200b}", "00\u{2013}1\u{0}").unwrap().to_text(), "A 00-1");
        assert!(Vin::new("A", &"9".repeat(40)).is_ok());
        assert!(Vin::new("A", &"9".repeat(41)).unwrap_err().contains("more than 40"));
        assert!(Vin::new("A", "--").unwrap_err().contains("no letters or digits"));
        assert!(Vin::parse("ONE TWO THREE").is_err());
        assert!(Vin::parse("ONE").is_err());
    }

    #[test]
    fn a_part_of_up_to_640_bytes_is_normalized_and_a_longer_one_is_refused() {
        assert_eq!(Vin::new("A", &"\u{ff11}".repeat(40)).unwrap().serial_number, "1".repeat(40));
        let with_invisible = |count: usize| format!("{}9", "\u{200b}".repeat(count));
        assert_eq!(Vin::new("A", &with_invisible(213)).unwrap().serial_number, "9", "640 bytes");
        assert!(Vin::new("A", &with_invisible(214)).unwrap_err().contains("Serial Number has more than 40"), "643 bytes");
    }
}
