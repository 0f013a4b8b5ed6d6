//! What follows from a parking space.
use patio_proto::{identifier::Identifier, space, walk, yard};

/// A parking space with all that is derived from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// In its normal form.
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
    /// Says that it is too long, or a date or a time.
    pub fn new(written: &str) -> Result<Self, String> {
        let space = space::parse(written).map_err(|why| format!("the parking space {why}"))?;
        Ok(Self {
            yard_id: yard::id_of(&space).map(i64::from),
            group: yard::group_of(&space).to_owned(),
            walk_key: walk::key(&space),
            space,
        })
    }
}

/// What searching looks through.
#[must_use]
pub fn haystack(identifier: &Identifier, space: &str) -> String {
    format!("{}\n{}", identifier.vin(), space).to_lowercase()
}
