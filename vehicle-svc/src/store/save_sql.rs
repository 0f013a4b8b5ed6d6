//! SQL of a save, built from the templates in `sql/`. A template contains names in braces, which are replaced by SQL that the
//! templates for `SQLite` and `PostgreSQL` share.
use crate::{
    store::{
        status_history,
        upserts::{more_with_status, more_work},
        vehicle_columns::{columns, next_after},
    },
    yard_filter::YardFilter,
};
use std::sync::LazyLock;

/// Names of the values that a save writes to a vehicle. The values are the SQL parameters from `$4` on, in this order.
const VALUES: [&str; 13] = [
    "model_code",
    "serial_number",
    "vin_key",
    "parking_space",
    "yard_id",
    "yard_group",
    "walk_key",
    "haystack",
    "status",
    "admin_notes",
    "operator_notes",
    "saved_by",
    "saved_at",
];

/// SQL expressions for the counters of a campaign. `was_total` and `was_inspected` are the values before a change, `total` and
/// `inspected` the values after the change. `begun` is true when work in the campaign had begun before the change.
pub struct CampaignCounterSql {
    pub was_total: &'static str,
    pub was_inspected: &'static str,
    pub total: &'static str,
    pub inspected: &'static str,
    pub begun: &'static str,
}

/// Fills an SQL template: removes the comments, and replaces each name in braces with the SQL for this name in `parts`.
fn fill(file: &str, parts: &[(&str, &str)]) -> String {
    let lines: Vec<_> = file.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    parts.iter().fold(lines.join("\n"), |text, (name, part)| text.replace(&format!("{{{name}}}"), part))
}

/// Returns the SQL expression for the milestone that a change of counters reaches: work begun, complete, or incomplete again. The
/// value is the protobuf number of the milestone, or null.
#[must_use]
pub fn milestone_sql(counters: &CampaignCounterSql) -> String {
    let CampaignCounterSql { was_total, was_inspected, total, inspected, begun } = *counters;
    let parts = [("was_total", was_total), ("was_inspected", was_inspected), ("total", total), ("inspected", inspected), ("begun", begun)];
    fill(include_str!("sql/milestone.sql"), &parts)
}

/// Returns the SQL assignments with which a save updates a vehicle. `value` returns the SQL expression of a value by its index in
/// [`VALUES`].
fn assignments(value: impl Fn(usize) -> String) -> String {
    let text = fill(include_str!("sql/save_assignments.sql"), &[("status_bit", status_history::bit!("{status}"))]);
    VALUES.iter().enumerate().fold(text, |text, (place, name)| text.replace(&format!("{{{name}}}"), &value(place)))
}

fn on_sqlite(next: &str) -> String {
    let counters = CampaignCounterSql {
        was_total: "total",
        was_inspected: "inspected",
        total: "(total + $23)",
        inspected: "(inspected + $24)",
        begun: "begun",
    };
    let assignments = assignments(|place| format!("${}", place + 4));
    let parts = [
        ("assignments", &*assignments),
        ("milestone", &milestone_sql(&counters)),
        ("columns", columns!()),
        ("next", next),
        ("add_work", more_work!()),
        ("add_statuses", more_with_status!()),
    ];
    fill(include_str!("sql/save_sqlite.sql"), &parts)
}

/// Returns the script that writes a save and selects the vehicle afterwards, on `SQLite`.
#[must_use]
pub fn sqlite_save_sql(yard_filter: YardFilter) -> &'static str {
    static ALL: LazyLock<String> = LazyLock::new(|| on_sqlite(next_after!("", "")));
    static IN_YARD: LazyLock<String> = LazyLock::new(|| on_sqlite(next_after!(" and n.yard_id = $35", "")));
    static OUTSIDE_YARD: LazyLock<String> = LazyLock::new(|| on_sqlite(next_after!(" and n.yard_id is distinct from -$35", "")));
    match yard_filter {
        YardFilter::All => &ALL,
        YardFilter::Yard(_) => &IN_YARD,
        YardFilter::ExceptYard(_) => &OUTSIDE_YARD,
    }
}

/// SQL statement that writes a group of saves and then selects the saved vehicles, on `PostgreSQL`.
pub static POSTGRES_SAVE_SQL: LazyLock<String> = LazyLock::new(|| {
    let counters = CampaignCounterSql {
        was_total: "c.was_total",
        was_inspected: "c.was_inspected",
        total: "c.total",
        inspected: "c.inspected",
        begun: "awaited.begun",
    };
    let assignments = assignments(|place| format!("s.{}", VALUES[place]));
    let parts = [
        ("assignments", &*assignments),
        ("milestone", &milestone_sql(&counters)),
        ("columns", columns!()),
        ("next_of_all", next_after!("", " and n.id <> all ($1)")),
        ("next_outside_yard", next_after!(" and n.yard_id is distinct from -s.view", " and n.id <> all ($1)")),
        ("next_in_yard", next_after!(" and n.yard_id = s.view", " and n.id <> all ($1)")),
        ("add_work", more_work!()),
        ("add_statuses", more_with_status!()),
    ];
    fill(include_str!("sql/save_postgres.sql"), &parts)
});

#[cfg(test)]
mod tests {
    use super::*;
    use patio_proto::campaign::Milestone;

    #[test]
    fn every_name_in_the_texts_has_its_part() {
        let views = [YardFilter::All, YardFilter::Yard(2), YardFilter::ExceptYard(2)];
        for text in views.map(sqlite_save_sql).into_iter().chain([POSTGRES_SAVE_SQL.as_str()]) {
            assert!(!text.contains(['{', '}']) && !text.contains("--"), "{text}");
        }
    }

    #[test]
    fn the_numbers_of_turns_in_statements_are_the_contract_s() {
        assert_eq!((Milestone::Begun as i32, Milestone::Complete as i32, Milestone::Incomplete as i32), (1, 2, 3));
    }
}
