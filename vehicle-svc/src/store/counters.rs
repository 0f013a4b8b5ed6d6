//! Counters, kept in the transaction that changes what they count.
use patio_kit::{db::Tx, on};
use sqlx::{FromRow, query, query_as};
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The yard that counts vehicles whose space leads to none.
pub const NO_YARD: i64 = 0;

/// What a change does to one yard of one campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delta {
    /// More or fewer vehicles.
    pub total: i64,
    /// More or fewer inspected ones.
    pub inspected: i64,
}

/// What one transaction does to the counters of one campaign.
#[derive(Debug, Clone, Default)]
pub struct Deltas {
    yards: BTreeMap<i64, Delta>,
    /// Whether the walking order of vehicles that are not inspected changed.
    pub order: bool,
}

impl Deltas {
    /// Takes note that a vehicle went from one yard and state to another.
    pub fn moved(&mut self, from: (Option<i64>, bool), to: (Option<i64>, bool)) {
        for ((yard, inspected), sign) in [(from, -1), (to, 1)] {
            let yard = yard.unwrap_or(NO_YARD);
            let delta = self.yards.entry(yard).or_default();
            delta.total += sign;
            delta.inspected += sign * i64::from(inspected);
            if *delta == Delta::default() {
                self.yards.remove(&yard);
            }
        }
    }

    /// The yards of a change to one vehicle: the one it left and the one it stands in, as far as their counters move.
    #[must_use]
    pub fn few(&self) -> [(Option<i64>, Delta); 2] {
        let mut yards = self.yards.iter().map(|(yard, delta)| (Some(*yard), *delta));
        [yards.next().unwrap_or_default(), yards.next().unwrap_or_default()]
    }

    /// Whether it moves counters or the walk.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.order || !self.yards.is_empty()
    }

    /// All yards together.
    #[must_use]
    pub fn whole(&self) -> Delta {
        self.yards.values().fold(Delta::default(), |sum, d| Delta { total: sum.total + d.total, inspected: sum.inspected + d.inspected })
    }
}

/// The counters of a campaign after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The campaign.
    pub campaign_id: i64,
    /// Its vehicles.
    pub total: i64,
    /// The inspected ones.
    pub inspected: i64,
    /// Grows with every change.
    pub revision: i64,
    /// Whether this change passed a turning point.
    pub turned: bool,
    /// The changed vehicles, when they are few enough to be told.
    pub vehicles: Vec<i64>,
}

#[derive(FromRow)]
struct After {
    total: i64,
    inspected: i64,
    counts_revision: i64,
    begun: bool,
}

/// Moves the counters of the yards of a campaign whose vehicles change; [`apply`] comes after it.
pub async fn move_yards(tx: &mut Tx<'_>, campaign: i64, deltas: &Deltas) -> Result<()> {
    for (yard, delta) in &deltas.yards {
        add(tx, campaign, *yard, *delta).await?;
    }
    Ok(())
}

/// Moves the counters of a campaign whose vehicles change, and notes a turning point when one is passed.
/// Its revision and layout grow even when no counter moves: whoever holds its list has to fetch it again.
///
/// The campaigns' own rows come last, after the yards of all of them, as in [`super::dialect::SAVE_ALL`]: their locks are
/// held as shortly as can be, and nobody waits for a yard who holds a campaign.
pub async fn apply(tx: &mut Tx<'_>, campaign: i64, deltas: &Deltas) -> Result<Counted> {
    let whole = deltas.whole();
    let before_begun: bool =
        on!(tx.on(), c => sqlx::query_scalar("select begun from campaigns where id = $1").bind(campaign).fetch_one(c).await)?;
    let after: After = on!(tx.on(), c => query_as(
        "update campaigns set total = total + $2, inspected = inspected + $3, counts_revision = counts_revision + 1, layout = layout + 1, begun = true
          where id = $1 returning total, inspected, counts_revision, begun")
        .bind(campaign).bind(whole.total).bind(whole.inspected).fetch_one(c).await)?;
    let turn = turn(&after, whole, !before_begun && after.begun);
    if let Some(turn) = turn {
        super::turns::note(tx, campaign, turn, after.counts_revision).await?;
    }
    Ok(Counted {
        campaign_id: campaign,
        total: after.total,
        inspected: after.inspected,
        revision: after.counts_revision,
        turned: turn.is_some(),
        vehicles: Vec::new(),
    })
}

fn turn(after: &After, whole: Delta, begins: bool) -> Option<patio_proto::campaign::Turn> {
    use patio_proto::campaign::Turn;
    let was_complete = after.total - whole.total == after.inspected - whole.inspected;
    let is_complete = after.total == after.inspected && after.total > 0;
    match (was_complete, is_complete) {
        (false, true) => Some(Turn::Complete),
        (true, false) if !begins => Some(Turn::Incomplete),
        _ if begins => Some(Turn::Begun),
        _ => None,
    }
}

async fn add(tx: &mut Tx<'_>, campaign: i64, yard: i64, delta: Delta) -> Result<()> {
    on!(tx.on(), c => query(
        "insert into counters (campaign_id, yard_id, total, inspected) values ($1, $2, $3, $4)
         on conflict (campaign_id, yard_id) do update
            set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected")
        .bind(campaign).bind(yard).bind(delta.total).bind(delta.inspected).execute(c).await.map(drop))
}

/// Counts the vehicles of a draft once, when all are stored; how many there are.
pub async fn count_draft(tx: &mut Tx<'_>, campaign: i64) -> Result<i64> {
    on!(tx.on(), c => query("delete from counters where campaign_id = $1").bind(campaign).execute(c).await.map(drop))?;
    on!(tx.on(), c => query(
        "insert into counters (campaign_id, yard_id, total, inspected)
         select campaign_id, coalesce(yard_id, 0), count(*), 0 from vehicles where campaign_id = $1 group by campaign_id, coalesce(yard_id, 0)")
        .bind(campaign).execute(c).await.map(drop))?;
    on!(tx.on(), c => sqlx::query_scalar(
        "update campaigns set total = coalesce((select cast(sum(total) as bigint) from counters where campaign_id = $1), 0),
                inspected = 0, counts_revision = counts_revision + 1, layout = layout + 1
          where id = $1 returning total")
        .bind(campaign).fetch_one(c).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_within_a_yard_that_changes_nothing_leaves_no_delta() {
        let mut deltas = Deltas::default();
        deltas.moved((Some(2), true), (Some(2), true));
        assert!(deltas.yards.is_empty());
        deltas.moved((Some(2), false), (Some(2), true));
        assert_eq!(deltas.yards[&2], Delta { total: 0, inspected: 1 });
        deltas.moved((Some(2), true), (None, true));
        assert_eq!(deltas.whole(), Delta { total: 0, inspected: 1 });
        assert_eq!(deltas.yards[&NO_YARD], Delta { total: 1, inspected: 1 });
    }
}
