//! Validation of a vehicle's notes: the notes of operators and team leaders, and the notes of supervisors.

/// Maximum length of each of the two notes of a vehicle, in characters.
pub const MAX_NOTES_LEN: usize = 4_000;

/// Checks the length and the characters of a vehicle's notes. `field` is the name of the notes in the error message.
///
/// # Errors
/// Returns an error message for the user when the notes are too long or contain a control character.
pub fn validate_notes(field: &str, text: &str) -> Result<(), String> {
    if text.chars().count() > MAX_NOTES_LEN {
        return Err(format!("{field} can have at most {MAX_NOTES_LEN} characters."));
    }
    if text.chars().any(|c| c.is_control() && !['\n', '\r', '\t'].contains(&c)) {
        return Err(format!("{field} has an invisible character. Type the value again."));
    }
    Ok(())
}
