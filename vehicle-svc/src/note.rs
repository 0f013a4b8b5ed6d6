//! Notes, as people write them.

/// Most characters of a note.
pub const LONGEST: usize = 4_000;

/// Says what is wrong with a note, if anything is; `field` as the person knows it.
///
/// # Errors
/// A sentence for the person.
pub fn check(field: &str, text: &str) -> Result<(), String> {
    if text.chars().count() > LONGEST {
        return Err(format!("{field} is longer than {LONGEST} characters"));
    }
    if text.chars().any(|c| c.is_control() && !['\n', '\r', '\t'].contains(&c)) {
        return Err(format!("{field} holds a control character"));
    }
    Ok(())
}
