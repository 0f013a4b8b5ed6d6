//! Counters of vehicles per yard and campaign, updated in the transaction that changes the vehicles.
use crate::store::{
    dialect,
    save_sql::{CampaignCounterSql, milestone_sql},
};
use patio_kit::{db::Tx, on};
use sqlx::{FromRow, query, query_as, query_scalar};
use std::{collections::BTreeMap, sync::LazyLock};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Yard id under which vehicles without a yard are counted.
pub const NO_YARD_ID: i64 = 0;

/// Change of the vehicle counters of one yard in one campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CounterDelta {
    /// Difference between the new and the old number of vehicles.
    pub total: i64,
    /// Difference between the new and the old number of inspected vehicles.
    pub inspected: i64,
}

/// Changes of one campaign's vehicle counters in one transaction, by yard.
#[derive(Debug, Clone, Default)]
pub struct CounterDeltasByYard {
    yards: BTreeMap<i64, CounterDelta>,
    /// Whether the walking order (by parking space) of uninspected vehicles changed.
    pub order_changed: bool,
}

impl CounterDeltasByYard {
    /// Adds the change of one vehicle to the counter changes: `from` is its yard and inspected state before the change, `to` after the
    /// change.
    pub fn add_vehicle_change(&mut self, from: (Option<i64>, bool), to: (Option<i64>, bool)) {
        for ((yard, inspected), sign) in [(from, -1), (to, 1)] {
            let yard = yard.unwrap_or(NO_YARD_ID);
            let delta = self.yards.entry(yard).or_default();
            delta.total += sign;
            delta.inspected += sign * i64::from(inspected);
            if *delta == CounterDelta::default() {
                self.yards.remove(&yard);
            }
        }
    }

    /// Returns the counter changes of the yards that the save of one vehicle affects. A save affects at most two yards. An unused
    /// array element contains `None` instead of a yard id, and a zero change.
    #[must_use]
    pub fn affected_yard_deltas(&self) -> [(Option<i64>, CounterDelta); 2] {
        let mut yards = self.yards.iter().map(|(yard, delta)| (Some(*yard), *delta));
        [yards.next().unwrap_or_default(), yards.next().unwrap_or_default()]
    }

    /// Returns the id of each changed yard, with the change of the number of inspected vehicles in the yard.
    pub fn inspected_count_deltas_by_yard(&self) -> impl Iterator<Item = (i64, i64)> {
        self.yards.iter().map(|(yard, delta)| (*yard, delta.inspected))
    }

    /// Returns `true` when these changes affect any vehicle counter, or the walking order (by parking space) of uninspected vehicles.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.order_changed || !self.yards.is_empty()
    }

    /// Returns the change of the campaign's counters, summed over all yards.
    #[must_use]
    pub fn total(&self) -> CounterDelta {
        self.yards
            .values()
            .fold(CounterDelta::default(), |sum, d| CounterDelta { total: sum.total + d.total, inspected: sum.inspected + d.inspected })
    }
}

/// Vehicle counters and revision of a campaign after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignCounts {
    /// Id of the campaign whose vehicles are counted.
    pub campaign_id: i64,
    /// Number of vehicles in the campaign.
    pub total: i64,
    /// Number of inspected vehicles in the campaign.
    pub inspected: i64,
    /// Revision of the campaign after the change.
    pub revision: i64,
    /// Whether the change reached a milestone of the campaign: work begun, complete, or incomplete again.
    pub reached_milestone: bool,
    /// Ids of the vehicles that a bulk change changed, for the change event. Empty for a single save, or when more vehicles changed
    /// than an event can list.
    pub vehicles: Vec<i64>,
}

#[derive(FromRow)]
struct After {
    total: i64,
    inspected: i64,
    counts_revision: i64,
    milestone: Option<i32>,
}

/// SQL statement that updates the counters of a campaign. `$4` is true when the work in the campaign had begun before the update.
static UPDATE_CAMPAIGN: LazyLock<String> = LazyLock::new(|| {
    let counters = CampaignCounterSql {
        was_total: "(total - $2)",
        was_inspected: "(inspected - $3)",
        total: "total",
        inspected: "inspected",
        begun: "$4",
    };
    format!(
        "update campaigns set total = total + $2, inspected = inspected + $3, counts_revision = counts_revision + 1, layout = layout + 1,
                begun = true
          where id = $1 returning total, inspected, counts_revision, {} as milestone",
        milestone_sql(&counters)
    )
});

/// Updates the vehicle counters of a campaign's yards. Must run for every changed campaign before the first call of
/// [`update_campaign_counters`], to prevent deadlocks.
pub async fn update_yard_counters(tx: &mut Tx<'_>, campaign: i64, deltas: &CounterDeltasByYard) -> Result<()> {
    for (yard, delta) in &deltas.yards {
        add(tx, campaign, *yard, *delta).await?;
    }
    Ok(())
}

/// Updates the counters of a campaign. Records a milestone when the change begins or completes the work, or makes complete work
/// incomplete again.
///
/// The update increases the campaign's revision, so that clients fetch the changes. The update also increases the campaign's layout
/// number (version of the walking order and the VINs), so that the search index is rebuilt.
///
/// To prevent deadlocks, a transaction updates the rows of all yards before the rows of campaigns, as in
/// [`super::save_sql::POSTGRES_SAVE_SQL`]. No transaction then holds the lock of a campaign while waiting for the lock of a yard.
pub async fn update_campaign_counters(tx: &mut Tx<'_>, campaign: i64, deltas: &CounterDeltasByYard) -> Result<CampaignCounts> {
    let whole = deltas.total();
    let select = dialect::choose_dialect_sql(
        tx.is_postgres(),
        "select begun from campaigns where id = $1",
        "select begun from campaigns where id = $1 for no key update",
    );
    let begun: bool = on!(tx.connection(), c => query_scalar(select).bind(campaign).fetch_one(c).await)?;
    let after: After = on!(tx.connection(), c => query_as(UPDATE_CAMPAIGN.as_str())
        .bind(campaign).bind(whole.total).bind(whole.inspected).bind(begun).fetch_one(c).await)?;
    if let Some(milestone) = after.milestone {
        super::milestone_outbox::insert(tx, campaign, milestone, after.counts_revision).await?;
    }
    Ok(CampaignCounts {
        campaign_id: campaign,
        total: after.total,
        inspected: after.inspected,
        revision: after.counts_revision,
        reached_milestone: after.milestone.is_some(),
        vehicles: Vec::new(),
    })
}

async fn add(tx: &mut Tx<'_>, campaign: i64, yard: i64, delta: CounterDelta) -> Result<()> {
    on!(tx.connection(), c => query(
        "insert into counters (campaign_id, yard_id, total, inspected) values ($1, $2, $3, $4)
         on conflict (campaign_id, yard_id) do update
            set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected")
        .bind(campaign).bind(yard).bind(delta.total).bind(delta.inspected).execute(c).await.map(drop))
}

/// Computes the vehicle counters of a draft campaign after all its vehicles are stored. Returns the number of
/// vehicles.
pub async fn recompute_draft_counters(tx: &mut Tx<'_>, campaign: i64) -> Result<i64> {
    on!(tx.connection(), c => query("delete from counters where campaign_id = $1").bind(campaign).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query(
        "insert into counters (campaign_id, yard_id, total, inspected)
         select campaign_id, coalesce(yard_id, 0), count(*), 0 from vehicles where campaign_id = $1 group by campaign_id, coalesce(yard_id, 0)")
        .bind(campaign).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query_scalar(
        "update campaigns set total = coalesce((select cast(sum(total) as bigint) from counters where campaign_id = $1), 0),
                inspected = 0, counts_revision = counts_revision + 1, layout = layout + 1
          where id = $1 returning total")
        .bind(campaign).fetch_one(c).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_within_a_yard_without_effect_leaves_no_delta() {
        let mut deltas = CounterDeltasByYard::default();
        deltas.add_vehicle_change((Some(2), true), (Some(2), true));
        assert!(deltas.yards.is_empty());
        deltas.add_vehicle_change((Some(2), false), (Some(2), true));
        assert_eq!(deltas.yards[&2], CounterDelta { total: 0, inspected: 1 });
        deltas.add_vehicle_change((Some(2), true), (None, true));
        assert_eq!(deltas.total(), CounterDelta { total: 0, inspected: 1 });
        assert_eq!(deltas.yards[&NO_YARD_ID], CounterDelta { total: 1, inspected: 1 });
    }
}
