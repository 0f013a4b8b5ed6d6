//! Conflict clauses with which several statements add to kept counts.

/// Conflict clause with which counts of an hour are added to those that the hour has.
macro_rules! more_work {
    () => {
        "on conflict (campaign_id, hour, yard_id, user_id) do update
            set inspected = activity.inspected + excluded.inspected, saves = activity.saves + excluded.saves,
                found_wrong = activity.found_wrong + excluded.found_wrong"
    };
}
pub(super) use more_work;

/// Conflict clause with which numbers of vehicles with a status are added to those that are stored.
macro_rules! more_with_status {
    () => {
        "on conflict (campaign_id, yard_id, status) do update set vehicles = status_counts.vehicles + excluded.vehicles"
    };
}
pub(super) use more_with_status;
