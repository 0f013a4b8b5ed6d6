//! Statuses that a vehicle has ever had: one bit per status in the column `vehicles.statuses_had`, set by every
//! statement that writes a status.
use patio_proto::{status, vehicle::VehicleStatus};

/// SQL expression that converts a status to its bit in `vehicles.statuses_had`. The argument is the SQL expression of the status
/// text.
macro_rules! bit {
    ($($status:literal)+) => {
        concat!(
            "case ", $($status,)+ " when '' then 1 when 'ok' then 2 when 'ng' then 4 when 'Repair' then 8 when 'Repair OK' then 16
             when 'Not Found' then 32 when 'Gate Out' then 64 when 'S/OFF BL' then 128 else 0 end"
        )
    };
}
pub(super) use bit;

/// Returns `true` when a vehicle has ever had the status `wanted`. `bits` is the value of the column `vehicles.statuses_had`.
#[must_use]
pub fn had_status(bits: i64, wanted: VehicleStatus) -> bool {
    status::ALL_VEHICLE_STATUSES.iter().position(|known| *known == wanted).is_some_and(|place| bits & (1 << place) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_and_rust_use_the_same_bit_for_each_status() {
        for (place, known) in status::ALL_VEHICLE_STATUSES.into_iter().enumerate() {
            assert!(bit!("x").contains(&format!("when '{}' then {}", status::vehicle_status_text(known), 1 << place)), "{known:?}");
            assert_eq!(status::ALL_VEHICLE_STATUSES.map(|other| had_status(1 << place, other)).iter().filter(|had| **had).count(), 1);
            assert!(had_status(1 << place, known));
        }
    }
}
