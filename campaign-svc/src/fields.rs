//! Checks of the text fields of a campaign.
use crate::error::Error;
use patio_proto::normalization;

/// Maximum length of a campaign name in characters.
pub const MAX_NAME_LEN: usize = 120;
/// Maximum length of a campaign's text fields other than the name, in characters.
pub const MAX_TEXT_LEN: usize = 2000;
/// Maximum length of a search text or import id in characters.
const MAX_SEARCH_LEN: usize = 200;

pub use normalization::name_comparison_key;

/// Collects the errors of all fields of a request, so that one response names every invalid field.
#[derive(Default)]
pub struct FieldErrors(Vec<(&'static str, String)>);

impl FieldErrors {
    /// Returns the checked value of a field. After a failed check, collects the error and returns the default value of the type.
    pub fn unwrap_or_record_error<T: Default>(&mut self, field: &'static str, checked: Result<T, String>) -> T {
        checked.unwrap_or_else(|why| {
            self.0.push((field, why));
            T::default()
        })
    }

    /// Returns `Ok` if no error was collected.
    ///
    /// # Errors
    /// Returns [`Error::InvalidFields`] with all collected errors.
    pub fn into_result(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::InvalidFields(self.0)) }
    }
}

/// Normalizes and checks a campaign name.
///
/// Names appear in file names, headers and log lines, so line breaks and bidirectional marks are rejected.
pub fn validate_name(written: &str) -> Result<String, String> {
    if written.trim().chars().any(|c| is_direction_mark(c) || is_line_break(c)) {
        return Err("has a line break or an invisible character".to_owned());
    }
    validate_characters_and_len(written.trim(), 4 * MAX_NAME_LEN)?;
    let name = normalization::normalize_name(written);
    if name.is_empty() { Err("is missing".to_owned()) } else { validate_characters_and_len(&name, MAX_NAME_LEN) }
}

/// Checks the length and characters of a text field, which may have several lines.
pub fn validate_text(written: &str) -> Result<String, String> {
    validate_characters_and_len(written, MAX_TEXT_LEN)
}

/// Checks a search text or import id, which must be one line.
pub fn validate_single_line(written: &str) -> Result<String, String> {
    if written.chars().any(is_line_break) {
        Err("has a line break".to_owned())
    } else {
        validate_characters_and_len(written, MAX_SEARCH_LEN)
    }
}

/// Checks an image path, which must be empty or a file below `/assets/`.
///
/// Backslashes are rejected because browsers read a backslash as a slash, and percent signs because `%2f` encodes a slash.
pub fn validate_image_path(written: &str) -> Result<String, String> {
    let inside = written.strip_prefix("/assets/").unwrap_or_default();
    let ours = !inside.is_empty() && !inside.contains(['\\', '%', '?', '#']) && !inside.chars().any(is_line_break);
    let ours = ours && inside.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if ours || written.is_empty() {
        validate_characters_and_len(written, MAX_TEXT_LEN)
    } else {
        Err("must be a path below /assets/".to_owned())
    }
}

fn validate_characters_and_len(text: &str, longest: usize) -> Result<String, String> {
    if text.chars().count() > longest {
        return Err(format!("has more than {longest} characters"));
    }
    match text.chars().find(|c| c.is_control() && !is_line_break(*c)) {
        Some(odd) => Err(format!("has the invisible character {odd:?}")),
        None => Ok(text.to_owned()),
    }
}

/// Returns `true` if a character is an invisible Unicode mark that changes the text direction.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_key() {
        assert_eq!(name_comparison_key(" ＡＢＣ Ünits "), name_comparison_key("abc ünits"));
        assert_ne!(name_comparison_key("abc"), name_comparison_key("ab c"));
    }

    #[test]
    fn names_are_one_line_that_reads_in_one_direction() {
        assert_eq!(validate_name("  Brake hose \u{a0}"), Ok("Brake hose".to_owned()));
        for bad in ["", " \u{3000} ", "a\nb", "a\tb", "a\u{0}b", "a\u{202e}b", "a\u{2066}b", "a\u{200f}b", "\u{200b}"] {
            assert!(validate_name(bad).is_err(), "{bad:?}");
        }
        for (written, kept) in [("a\u{a0} b", "a b"), ("a\u{200b}\u{2013}b", "a-b")] {
            assert_eq!(validate_name(written).as_deref(), Ok(kept), "{written:?}");
        }
        assert!(validate_name(&"é".repeat(120)).is_ok());
        assert!(validate_name(&"é".repeat(121)).is_err());
    }

    #[test]
    fn texts_hold_lines_but_no_other_control_characters() {
        assert!(validate_text("first\r\nsecond").is_ok());
        assert!(validate_text("a\u{1b}[31m").is_err());
        assert!(validate_text(&"x".repeat(2001)).is_err());
    }

    #[test]
    fn images_stay_on_our_own_pages() {
        for fine in ["", "/assets/a.png", "/assets/parts/hose.svg"] {
            assert!(validate_image_path(fine).is_ok(), "{fine}");
        }
        for bad in [
            "//elsewhere/a.png",
            "https://elsewhere/a.png",
            "javascript:alert(1)",
            "data:image/png;base64,",
            "a.png",
            "/\\elsewhere",
            "/../x",
            "/api/users",
            "/assets/../api/users",
            "/assets//x",
            "/assets/%2e%2e/x",
            "/assets/",
            "/assets/./x",
        ] {
            assert!(validate_image_path(bad).is_err(), "{bad}");
        }
    }
}
