//! Texts of vehicle and campaign statuses in the database and the JSON API, and the allowed status changes of vehicles.
use crate::{access::Role, campaign::CampaignStatus, vehicle::VehicleStatus};

/// Returns the text of a vehicle status; empty for a vehicle without a status.
#[must_use]
pub fn vehicle_status_text(status: VehicleStatus) -> &'static str {
    match status {
        VehicleStatus::Unspecified => "",
        VehicleStatus::Ok => "ok",
        VehicleStatus::Ng => "ng",
        VehicleStatus::Repair => "Repair",
        VehicleStatus::RepairOk => "Repair OK",
        VehicleStatus::NotFound => "Not Found",
        VehicleStatus::GateOut => "Gate Out",
        VehicleStatus::SOffBl => "S/OFF BL",
    }
}

/// All vehicle statuses. The first element means that the vehicle has no status.
pub const ALL_VEHICLE_STATUSES: [VehicleStatus; 8] = [
    VehicleStatus::Unspecified,
    VehicleStatus::Ok,
    VehicleStatus::Ng,
    VehicleStatus::Repair,
    VehicleStatus::RepairOk,
    VehicleStatus::NotFound,
    VehicleStatus::GateOut,
    VehicleStatus::SOffBl,
];

/// Parses a vehicle status, ignoring case and outer blanks. Returns `None` for an unknown text.
#[must_use]
pub fn parse_vehicle_status(written: &str) -> Option<VehicleStatus> {
    let written = written.trim();
    ALL_VEHICLE_STATUSES.into_iter().find(|status| vehicle_status_text(*status).eq_ignore_ascii_case(written))
}

/// Returns `true` when a role may change a vehicle from one status to another on the vehicle screen.
///
/// Supervisors may set any status. Other roles may set ok, ng or Not Found on a vehicle without a status, Repair on a
/// vehicle with any status, and Repair OK after Repair. Saving the same status again is always allowed.
#[must_use]
pub fn is_vehicle_status_change_allowed(role: Role, from: VehicleStatus, to: VehicleStatus) -> bool {
    if role == Role::Admin || from == to {
        return true;
    }
    match to {
        VehicleStatus::Ok | VehicleStatus::Ng | VehicleStatus::NotFound => from == VehicleStatus::Unspecified,
        VehicleStatus::Repair => from != VehicleStatus::Unspecified,
        VehicleStatus::RepairOk => from == VehicleStatus::Repair,
        VehicleStatus::Unspecified | VehicleStatus::GateOut | VehicleStatus::SOffBl => false,
    }
}

/// Returns the text of a campaign status; empty for an unspecified status.
#[must_use]
pub fn campaign_status_text(status: CampaignStatus) -> &'static str {
    match status {
        CampaignStatus::Unspecified => "",
        CampaignStatus::Ready => "Ready",
        CampaignStatus::Ongoing => "Ongoing",
        CampaignStatus::PendingReview => "Pending Review",
        CampaignStatus::Closed => "Closed",
    }
}

/// Parses a campaign status, ignoring case and outer blanks. Returns `None` for an unknown text.
#[must_use]
pub fn parse_campaign_status(written: &str) -> Option<CampaignStatus> {
    [CampaignStatus::Ready, CampaignStatus::Ongoing, CampaignStatus::PendingReview, CampaignStatus::Closed]
        .into_iter()
        .find(|status| campaign_status_text(*status).eq_ignore_ascii_case(written.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use VehicleStatus::{GateOut, Ng, NotFound, Ok, Repair, RepairOk, SOffBl, Unspecified};

    #[test]
    fn every_status_reads_back_as_itself_in_any_case() {
        for status in ALL_VEHICLE_STATUSES {
            assert_eq!(parse_vehicle_status(&vehicle_status_text(status).to_uppercase()), Some(status));
        }
        assert_eq!((parse_vehicle_status(" ok\t"), parse_vehicle_status("fine")), (Some(Ok), None));
        for status in [CampaignStatus::Ready, CampaignStatus::Ongoing, CampaignStatus::PendingReview, CampaignStatus::Closed] {
            assert_eq!(parse_campaign_status(&format!(" {} ", campaign_status_text(status).to_lowercase())), Some(status));
        }
        assert_eq!((parse_campaign_status(""), parse_campaign_status("Open")), (None, None));
    }

    #[test]
    fn the_192_steps_of_the_three_roles_are_as_specified() {
        let steps_of_others = [
            (Unspecified, vec![Ok, Ng, NotFound]),
            (Ok, vec![Repair]),
            (Ng, vec![Repair]),
            (NotFound, vec![Repair]),
            (Repair, vec![RepairOk]),
            (RepairOk, vec![Repair]),
            (GateOut, vec![Repair]),
            (SOffBl, vec![Repair]),
        ];
        for (from, allowed) in steps_of_others {
            for to in ALL_VEHICLE_STATUSES {
                let expected = from == to || allowed.contains(&to);
                assert_eq!(is_vehicle_status_change_allowed(Role::Operator, from, to), expected, "op {from:?} to {to:?}");
                assert_eq!(is_vehicle_status_change_allowed(Role::Manager, from, to), expected, "tm {from:?} to {to:?}");
                assert!(is_vehicle_status_change_allowed(Role::Admin, from, to));
            }
        }
    }
}
