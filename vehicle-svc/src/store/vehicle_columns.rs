//! SQL columns of a vehicle that several modules of `store` select, and the struct of a vehicle to insert.
use crate::parking_space::ParkingSpace;
use patio_proto::vin::Vin;

/// Selected columns of the vehicle `v` and its campaign `c`, named like the fields of `Vehicle`. The column `next` is
/// not included.
macro_rules! columns {
    () => {
        "v.id, v.campaign_id, c.name as campaign_name, c.gate, v.model_code, v.serial_number, v.parking_space, v.yard_id, v.yard_group,
         v.walk_key, v.status, v.inspected, v.admin_notes, v.operator_notes, v.modified_by, v.modified_at, v.version,
         case when exists (select 1 from conflicts where settled_at is null)
              then (select count(*) from conflicts k where k.vehicle_id = v.id and k.settled_at is null) else 0 end as open_conflicts"
    };
}
pub(super) use columns;

/// SQL for the column `next`: id of the next uninspected vehicle after `v` in walking order (by parking space), in the same campaign.
/// After the last vehicle, the search continues from the first. The two arguments are further SQL conditions on the next vehicle `n`,
/// and may be empty. The first condition limits the search to some yards, the second excludes vehicles that are being saved.
macro_rules! next_after {
    ($yard:literal, $not:literal) => {
        concat!(
            "coalesce(
               (select n.id from vehicles n where n.campaign_id = v.campaign_id and not n.inspected",
            $yard,
            $not,
            " and (n.walk_key, n.id) > (v.walk_key, v.id) order by n.walk_key, n.id limit 1),
               (select n.id from vehicles n where n.campaign_id = v.campaign_id and not n.inspected",
            $yard,
            $not,
            " and (n.walk_key, n.id) < (v.walk_key, v.id) order by n.walk_key, n.id limit 1)) as next"
        )
    };
}
pub(super) use next_after;

/// A vehicle to be inserted by an import.
#[derive(Debug, Clone)]
pub struct ImportedVehicle {
    /// VIN of the vehicle: model code and serial number.
    pub identifier: Vin,
    /// Parking space of the vehicle with its yard, its group (heading under which lists show it) and its sort key in walking order.
    pub place: ParkingSpace,
}
