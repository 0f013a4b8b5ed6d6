//! What the texts of a campaign may hold.
use crate::error::Error;
use patio_proto::normal;

/// The longest name, in characters.
pub const LONGEST_NAME: usize = 120;
/// The longest other text, in characters.
pub const LONGEST_TEXT: usize = 2000;
/// The longest search or import id, in characters.
const LONGEST_WORD: usize = 200;

pub use normal::name_key;

/// Gathers what is wrong with the fields of a request, so that all of it is told at once.
#[derive(Default)]
pub struct Checks(Vec<(&'static str, String)>);

impl Checks {
    /// Takes a field that passed its check; one that did not is noted and left empty.
    pub fn take<T: Default>(&mut self, field: &'static str, checked: Result<T, String>) -> T {
        checked.unwrap_or_else(|why| {
            self.0.push((field, why));
            T::default()
        })
    }

    /// # Errors
    /// [`Error::BadFields`] when any check failed.
    pub fn done(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::BadFields(self.0)) }
    }
}

/// A campaign's name in its normal form.
///
/// It goes into file names, headers and log lines, so it is one line and reads in one direction.
pub fn name(written: &str) -> Result<String, String> {
    if written.trim().chars().any(|c| turns_direction(c) || breaks_line(c)) {
        return Err("holds a line break or an invisible mark that changes the direction of writing".to_owned());
    }
    limited(written.trim(), 4 * LONGEST_NAME)?;
    let name = normal::name(written);
    if name.is_empty() { Err("is missing".to_owned()) } else { limited(&name, LONGEST_NAME) }
}

/// A text of several lines.
pub fn text(written: &str) -> Result<String, String> {
    limited(written, LONGEST_TEXT)
}

/// A search or an id made by another program: one line.
pub fn word(written: &str) -> Result<String, String> {
    if written.chars().any(breaks_line) { Err("holds a line break".to_owned()) } else { limited(written, LONGEST_WORD) }
}

/// An image: a file below `/assets/`, or empty. A backslash would be read as a slash by browsers, and `%` may hide one.
pub fn image(written: &str) -> Result<String, String> {
    let inside = written.strip_prefix("/assets/").unwrap_or_default();
    let ours = !inside.is_empty() && !inside.contains(['\\', '%', '?', '#']) && !inside.chars().any(breaks_line);
    let ours = ours && inside.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if ours || written.is_empty() { limited(written, LONGEST_TEXT) } else { Err("is not a path of this product".to_owned()) }
}

fn limited(text: &str, longest: usize) -> Result<String, String> {
    if text.chars().count() > longest {
        return Err(format!("is longer than {longest} characters"));
    }
    match text.chars().find(|c| c.is_control() && !breaks_line(*c)) {
        Some(odd) => Err(format!("holds the control character {odd:?}")),
        None => Ok(text.to_owned()),
    }
}

/// The marks of Unicode's bidirectional algorithm.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn breaks_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_key() {
        assert_eq!(name_key(" ＡＢＣ Ünits "), name_key("abc ünits"));
        assert_ne!(name_key("abc"), name_key("ab c"));
    }

    #[test]
    fn names_are_one_line_that_reads_in_one_direction() {
        assert_eq!(name("  Brake hose \u{a0}"), Ok("Brake hose".to_owned()));
        for bad in ["", " \u{3000} ", "a\nb", "a\tb", "a\u{0}b", "a\u{202e}b", "a\u{2066}b", "a\u{200f}b", "\u{200b}"] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
        for (written, kept) in [("a\u{a0} b", "a b"), ("a\u{200b}\u{2013}b", "a-b")] {
            assert_eq!(name(written).as_deref(), Ok(kept), "{written:?}");
        }
        assert!(name(&"é".repeat(120)).is_ok());
        assert!(name(&"é".repeat(121)).is_err());
    }

    #[test]
    fn texts_hold_lines_but_no_other_control_characters() {
        assert!(text("first\r\nsecond").is_ok());
        assert!(text("a\u{1b}[31m").is_err());
        assert!(text(&"x".repeat(2001)).is_err());
    }

    #[test]
    fn images_stay_on_our_own_pages() {
        for fine in ["", "/assets/a.png", "/assets/parts/hose.svg"] {
            assert!(image(fine).is_ok(), "{fine}");
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
            assert!(image(bad).is_err(), "{bad}");
        }
    }
}
