//! What follows from a parking space.
use patio_proto::{identifier::Identifier, walk, yard};

/// The longest parking space, in characters.
pub const LONGEST_SPACE: usize = 40;

/// A parking space with all that is derived from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// As people write it, without outer blanks.
    pub space: String,
    /// None for an unknown letter.
    pub yard_id: Option<i64>,
    /// The group it is listed under.
    pub group: String,
    /// Sorts as people walk.
    pub walk_key: String,
}

impl Place {
    /// Reads a parking space.
    ///
    /// # Errors
    /// Says that it is too long or holds control characters.
    pub fn new(written: &str) -> Result<Self, String> {
        let space = written.trim();
        if space.chars().count() > LONGEST_SPACE {
            return Err(format!("a parking space has at most {LONGEST_SPACE} characters"));
        }
        if space.chars().any(char::is_control) {
            return Err("a parking space holds no control characters".to_owned());
        }
        Ok(Self {
            space: space.to_owned(),
            yard_id: yard::id_of(space).map(i64::from),
            group: yard::group_of(space).to_owned(),
            walk_key: walk::key(space),
        })
    }
}

/// What searching looks through.
#[must_use]
pub fn haystack(identifier: &Identifier, space: &str) -> String {
    format!("{}\n{}", identifier.vin(), space).to_lowercase()
}
