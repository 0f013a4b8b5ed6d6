//! Replays the server's writes in order and checks them against the saves of the phones.
use super::phone::Save;
use patio_proto::{access::Role, status};
use serde_json::Value;
use sqlx::{Connection, PgConnection, Row};
use std::collections::{BTreeMap, HashMap};

/// Names of the fields that phones save.
const FIELDS: [&str; 2] = ["status", "operator_notes"];
/// Statuses by precedence: of two conflicting values, the vehicle shows the one that comes first here.
const SAFER: [&str; 8] = ["ng", "Repair", "Not Found", "S/OFF BL", "Gate Out", "Repair OK", "ok", ""];

/// Conflicts by idempotency key and field, with the values theirs, mine and shown.
type Conflicts = HashMap<(String, String), (String, String, String)>;

/// Field values of a vehicle.
type Content = BTreeMap<&'static str, String>;

struct Written {
    vehicle: i64,
    old: Value,
    new: Value,
}

/// Asserts that each save was stored once, and that an unseen value was only overwritten with a conflict. Returns the number
/// of conflicts.
pub fn replayed(url: &str, campaign: i64, saves: Vec<Save>) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (written, mut conflicts, stored) = runtime.block_on(read(url, campaign));
    let all = conflicts.len();
    let mut waiting: HashMap<String, Save> = saves.into_iter().map(|save| (save.key.clone(), save)).collect();
    assert_eq!(written.len(), waiting.len(), "one audit event per save");
    let mut vehicles: HashMap<i64, Content> = HashMap::new();
    for entry in written {
        let key = entry.new["claimed_device"].as_str().unwrap();
        let save = waiting.remove(key).unwrap_or_else(|| panic!("{key} was stored twice or never sent"));
        assert_eq!(entry.vehicle, save.vehicle, "{key}");
        let content = vehicles.entry(entry.vehicle).or_insert_with(|| FIELDS.map(|field| (field, String::new())).into());
        for field in FIELDS {
            take(content, field, &save, &entry, &mut conflicts);
        }
    }
    assert!(waiting.is_empty(), "acknowledged but not stored: {:?}", waiting.keys());
    assert!(conflicts.is_empty(), "unexpected conflicts: {conflicts:?}");
    for (id, content) in vehicles {
        assert_eq!(stored[&id], content, "vehicle {id} must equal the replayed events");
    }
    all
}

/// Applies a save to one field, depending on the value that its phone had seen.
fn take(content: &mut Content, field: &'static str, save: &Save, entry: &Written, conflicts: &mut Conflicts) {
    let stored = content[field].clone();
    let Some(wanted) = save.body[field].as_str() else {
        assert!(entry.new[field].is_null(), "{}: {field} must not change", save.key);
        return;
    };
    let conflict = conflicts.remove(&(save.key.clone(), field.to_owned()));
    let conflict_values = &entry.new[format!("{field} in conflict")];
    let becomes = if stored == save.body["base"][field].as_str().unwrap() || stored == wanted {
        assert!(
            conflict.is_none() && conflict_values.is_null(),
            "{}: unexpected conflict on {field}: {conflict:?} {conflict_values}",
            save.key
        );
        wanted.to_owned()
    } else {
        let both = (conflict_values["theirs"].as_str(), conflict_values["mine"].as_str());
        assert_eq!(both, (Some(&*stored), Some(wanted)), "{}: {field}, seen as {}: both are returned", save.key, save.body["base"]);
        let rank = |value: &str| SAFER.iter().position(|known| *known == value);
        let status = |value: &str| status::parse_vehicle_status(value).unwrap();
        let may = || status::is_vehicle_status_change_allowed(Role::Operator, status(&stored), status(wanted));
        let mine_shows = field == "status" && rank(wanted) < rank(&stored) && may();
        // A later conflict of the same user on the same field replaces this one.
        if let Some((theirs, mine, shown)) = conflict {
            assert_eq!((theirs.as_str(), mine.as_str()), (stored.as_str(), wanted), "{}: both values must be stored", save.key);
            assert_eq!(shown, if mine_shows { "mine" } else { "theirs" }, "{}: {field}", save.key);
        }
        if mine_shows { wanted.to_owned() } else { stored.clone() }
    };
    assert!(field != "status" || status::parse_vehicle_status(&becomes).is_some());
    if becomes == stored {
        assert!(entry.new[field].is_null(), "{}: {field} stays", save.key);
    } else {
        assert_eq!((entry.old[field].as_str(), entry.new[field].as_str()), (Some(&*stored), Some(&*becomes)), "{}: {field}", save.key);
    }
    content.insert(field, becomes);
}

async fn read(url: &str, campaign: i64) -> (Vec<Written>, Conflicts, HashMap<i64, Content>) {
    let mut database = PgConnection::connect(url).await.unwrap();
    let text = "select subject, old_values, new_values from vehicle.audit_events where kind = 'vehicle-changed' order by id";
    let written = sqlx::query(text).fetch_all(&mut database).await.unwrap();
    let entry = |row: &sqlx::postgres::PgRow| Written {
        vehicle: row.get::<String, _>(0).trim_start_matches("vehicle ").parse().unwrap(),
        old: serde_json::from_str(row.get(1)).unwrap(),
        new: serde_json::from_str(row.get(2)).unwrap(),
    };
    let text = "select save_key, field, theirs, mine, shown from vehicle.conflicts where campaign_id = $1";
    let conflicts = sqlx::query(text).bind(campaign).fetch_all(&mut database).await.unwrap();
    let conflict = |row: &sqlx::postgres::PgRow| ((row.get(0), row.get(1)), (row.get(2), row.get(3), row.get(4)));
    let text = "select id, status, operator_notes from vehicle.vehicles where campaign_id = $1";
    let stored = sqlx::query(text).bind(campaign).fetch_all(&mut database).await.unwrap();
    let content = |row: &sqlx::postgres::PgRow| (row.get(0), Content::from([("status", row.get(1)), ("operator_notes", row.get(2))]));
    let by_save: Conflicts = conflicts.iter().map(conflict).collect();
    assert_eq!(by_save.len(), conflicts.len(), "no conflict is stored twice");
    (written.iter().map(entry).collect(), by_save, stored.iter().map(content).collect())
}
