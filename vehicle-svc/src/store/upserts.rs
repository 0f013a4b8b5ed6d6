//! SQL `on conflict` clauses that add new counts to stored counts.

/// SQL `on conflict` clause that adds inspection, save and defect counts to the stored counts of the same campaign, hour, yard and user.
macro_rules! more_work {
    () => {
        "on conflict (campaign_id, hour, yard_id, user_id) do update
            set inspected = activity.inspected + excluded.inspected, saves = activity.saves + excluded.saves,
                found_wrong = activity.found_wrong + excluded.found_wrong"
    };
}
pub(super) use more_work;

/// SQL `on conflict` clause that adds a number of vehicles to the stored number for the same campaign, yard and status.
macro_rules! more_with_status {
    () => {
        "on conflict (campaign_id, yard_id, status) do update set vehicles = status_counts.vehicles + excluded.vehicles"
    };
}
pub(super) use more_with_status;
