//! The statuses that a vehicle has had: one bit each in `vehicles.statuses_had`, set by every statement that sets a status.
use patio_proto::{status, vehicle::VehicleStatus};

/// The bit of a status in SQL, by the expression of its text.
macro_rules! bit {
    ($($status:literal)+) => {
        concat!(
            "case ", $($status,)+ " when '' then 1 when 'ok' then 2 when 'ng' then 4 when 'Repair' then 8 when 'Repair OK' then 16
             when 'Not Found' then 32 when 'Gate Out' then 64 when 'S/OFF BL' then 128 else 0 end"
        )
    };
}
pub(super) use bit;

/// Whether a vehicle with these bits has had a status.
#[must_use]
pub fn has(bits: i64, wanted: VehicleStatus) -> bool {
    status::ALL.iter().position(|known| *known == wanted).is_some_and(|place| bits & (1 << place) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_code_number_the_statuses_alike() {
        for (place, known) in status::ALL.into_iter().enumerate() {
            assert!(bit!("x").contains(&format!("when '{}' then {}", status::text(known), 1 << place)), "{known:?}");
            assert_eq!(status::ALL.map(|other| has(1 << place, other)).iter().filter(|had| **had).count(), 1);
            assert!(has(1 << place, known));
        }
    }
}
