//! Direct checks of the services' databases.
use patio_harness::Database;

/// Direct access to the database that all services share.
pub struct Ledger(pub Database);

/// Queries that count inconsistent or unfinished state: orphaned vehicles, drafts, tombstones, unsynced campaigns, running jobs.
const UNSETTLED: [(&str, &str); 7] = [
    (
        "vehicles of no campaign",
        "select count(*) from vehicle.vehicles v
        where not exists (select 1 from campaign.campaigns c where c.id = v.campaign_id and c.state = 'live')",
    ),
    ("drafts and tombstones", "select count(*) from campaign.campaigns where state <> 'live'"),
    ("unsynced changes", "select count(*) from campaign.campaigns where synced_revision < revision"),
    (
        "campaigns without a gate",
        "select count(*) from campaign.campaigns c
        where not exists (select 1 from vehicle.campaigns k where k.id = c.id and k.gate in ('open', 'closed'))",
    ),
    (
        "gates without a campaign",
        "select count(*) from vehicle.campaigns k where k.gate in ('open', 'closed')
        and not exists (select 1 from campaign.campaigns c where c.id = k.id and c.state = 'live')",
    ),
    ("imports", "select count(*) from imports.imports where outcome = 'running'"),
    ("undos of imports", "select count(*) from vehicle.jobs where removing is not null"),
];

/// Query that counts the campaigns whose counters differ from their rows.
const MISCOUNTED: &str = "
    with rows as (select campaign_id, coalesce(yard_id, 0) as yard_id, count(*) as total, count(*) filter (where inspected) as inspected
                    from vehicle.vehicles group by 1, 2),
         wrong as (select k.id from vehicle.campaigns k where k.gate in ('open', 'closed')
                      and (k.total <> (select coalesce(sum(r.total), 0) from rows r where r.campaign_id = k.id)
                        or k.inspected <> (select coalesce(sum(r.inspected), 0) from rows r where r.campaign_id = k.id))
                   union all
                   select coalesce(r.campaign_id, y.campaign_id) from rows r full join vehicle.counters y using (campaign_id, yard_id)
                    where coalesce(r.total, 0) <> coalesce(y.total, 0) or coalesce(r.inspected, 0) <> coalesce(y.inspected, 0))
    select count(*) from wrong";

impl Ledger {
    /// Runs a query for one number. `$id` in the text is replaced by `id`.
    pub fn number(&self, text: &str, id: i64) -> i64 {
        self.0.run_sql(&text.replace("$id", &id.to_string())).parse().unwrap()
    }

    /// Returns each kind of unfinished state with its count.
    pub fn unsettled(&self) -> Vec<String> {
        let each = UNSETTLED.map(|(what, text)| format!("select '{what}', ({text}) as number"));
        let all = format!("select * from ({}) counts where number > 0", each.join(" union all "));
        self.0.run_sql(&all).lines().map(str::to_owned).collect()
    }

    /// Backdates the heartbeats of running imports, so that orphaned ones are recovered without waiting for the timeout.
    pub fn age_imports(&self) {
        self.0.run_sql("update imports.imports set seen_at = seen_at - interval '20 seconds' where outcome = 'running'");
    }

    /// Asserts that every counter equals the number of its rows.
    pub fn counters_equal_the_rows(&self) {
        assert_eq!(self.number(MISCOUNTED, 0), 0, "counters differ from the rows");
    }
}
