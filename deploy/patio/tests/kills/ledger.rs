//! What the databases of the services hold, read past the services.
use patio_harness::Database;

/// Looks into the one database that all services share.
pub struct Ledger(pub Database);

/// Vehicles that no living campaign has, campaigns that are neither whole nor gone, imports that have not ended.
const UNSETTLED: [(&str, &str); 7] = [
    (
        "vehicles of no campaign",
        "select count(*) from vehicle.vehicles v
        where not exists (select 1 from campaign.campaigns c where c.id = v.campaign_id and c.state = 'live')",
    ),
    ("drafts and tombstones", "select count(*) from campaign.campaigns where state <> 'live'"),
    ("changes not told", "select count(*) from campaign.campaigns where synced_revision < revision"),
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

/// Campaigns whose counters differ from their rows.
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
    /// One number; `$id` stands for `id`.
    pub fn number(&self, text: &str, id: i64) -> i64 {
        self.0.sql(&text.replace("$id", &id.to_string())).parse().unwrap()
    }

    /// How much is neither whole nor gone, each with its number.
    pub fn unsettled(&self) -> Vec<String> {
        let each = UNSETTLED.map(|(what, text)| format!("select '{what}', ({text}) as number"));
        let all = format!("select * from ({}) counts where number > 0", each.join(" union all "));
        self.0.sql(&all).lines().map(str::to_owned).collect()
    }

    /// Makes the last sign of life of running imports so old that those whose process died are found at the next look.
    pub fn age_imports(&self) {
        self.0.sql("update imports.imports set seen_at = seen_at - interval '20 seconds' where outcome = 'running'");
    }

    /// Proves that every counter equals its rows.
    pub fn counters_equal_the_rows(&self) {
        assert_eq!(self.number(MISCOUNTED, 0), 0, "counters differ from the rows");
    }
}
