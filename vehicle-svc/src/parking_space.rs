//! Parking space of a vehicle with three derived values: the yard, the group in lists, and the sort key of the walking order.
use patio_proto::{parking_space, vin::Vin, walking_order, yard};

/// A parking space with three values derived from its text: the yard, the group in lists, and the sort key of the walking order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ParkingSpace {
    /// Normalized text of the parking space, such as `A-10`.
    pub space: String,
    /// Id of the yard to which the parking space belongs; `None` when the first character of the parking space names no yard.
    pub yard_id: Option<i64>,
    /// Name of the group under which lists show the parking space: the part before the first dash.
    pub group: String,
    /// Sort key of the walking order: natural order of parking spaces, A-2 before A-10.
    pub walk_key: String,
}

impl ParkingSpace {
    /// Parses a parking space as typed by a user or read from a file.
    ///
    /// # Errors
    /// Returns a sentence for the user when the text is too long, or is a date or a time. Spreadsheet programs convert some parking
    /// spaces to dates.
    pub fn new(written: &str) -> Result<Self, String> {
        let space = parking_space::parse(written).map_err(|why| format!("The parking space {why}"))?;
        Ok(Self {
            yard_id: yard::parking_space_yard_id(&space).map(i64::from),
            group: yard::parking_space_yard_group(&space).to_owned(),
            walk_key: walking_order::sort_key(&space),
            space,
        })
    }
}

/// Returns the text that searches match against: VIN and parking space in lower case, on two lines.
#[must_use]
pub fn vehicle_search_text(identifier: &Vin, space: &str) -> String {
    format!("{}\n{}", identifier.to_text(), space).to_lowercase()
}
