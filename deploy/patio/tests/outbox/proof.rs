//! Goes through what the server wrote, in its order, and proves that it is what the phones were promised.
use super::phone::Save;
use patio_proto::{access::Role, status};
use serde_json::Value;
use sqlx::{Connection, PgConnection, Row};
use std::collections::{BTreeMap, HashMap};

/// The fields that phones save.
const FIELDS: [&str; 2] = ["status", "operator_notes"];
/// Of two statuses the one that shows, first to last.
const SAFER: [&str; 8] = ["ng", "Repair", "Not Found", "S/OFF BL", "Gate Out", "Repair OK", "ok", ""];

/// A conflict by the key of its save and its field: theirs, mine, and which shows.
type Conflicts = HashMap<(String, String), (String, String, String)>;

/// What a vehicle holds.
type Content = BTreeMap<&'static str, String>;

struct Written {
    vehicle: i64,
    old: Value,
    new: Value,
}

/// Proves that each save was written once, and that no value was written over that its saver had not seen, unless both are
/// kept; how many conflicts there are.
pub fn replayed(url: &str, campaign: i64, saves: Vec<Save>) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (written, mut conflicts, stored) = runtime.block_on(read(url, campaign));
    let all = conflicts.len();
    let mut waiting: HashMap<String, Save> = saves.into_iter().map(|save| (save.key.clone(), save)).collect();
    assert_eq!(written.len(), waiting.len(), "as many entries as saves");
    let mut vehicles: HashMap<i64, Content> = HashMap::new();
    for entry in written {
        let key = entry.new["device"].as_str().unwrap();
        let save = waiting.remove(key).unwrap_or_else(|| panic!("{key} was written twice, or by nobody"));
        assert_eq!(entry.vehicle, save.vehicle, "{key}");
        let content = vehicles.entry(entry.vehicle).or_insert_with(|| FIELDS.map(|field| (field, String::new())).into());
        for field in FIELDS {
            take(content, field, &save, &entry, &mut conflicts);
        }
    }
    assert!(waiting.is_empty(), "acknowledged and not there: {:?}", waiting.keys());
    assert!(conflicts.is_empty(), "conflicts of nothing: {conflicts:?}");
    for (id, content) in vehicles {
        assert_eq!(stored[&id], content, "vehicle {id} holds what the entries say");
    }
    all
}

/// What a save makes of one field, judged by what its saver saw.
fn take(content: &mut Content, field: &'static str, save: &Save, entry: &Written, conflicts: &mut Conflicts) {
    let stored = content[field].clone();
    let Some(wanted) = save.body[field].as_str() else {
        assert!(entry.new[field].is_null(), "{}: {field} was not to change", save.key);
        return;
    };
    let conflict = conflicts.remove(&(save.key.clone(), field.to_owned()));
    let told = &entry.new[format!("{field} in conflict")];
    let becomes = if stored == save.body["base"][field].as_str().unwrap() || stored == wanted {
        assert!(conflict.is_none() && told.is_null(), "{}: nobody disagrees over {field}: {conflict:?} {told}", save.key);
        wanted.to_owned()
    } else {
        let both = (told["theirs"].as_str(), told["mine"].as_str());
        assert_eq!(both, (Some(&*stored), Some(wanted)), "{}: {field}, seen as {}: both values are told", save.key, save.body["base"]);
        let rank = |value: &str| SAFER.iter().position(|known| *known == value);
        let status = |value: &str| status::parse(value).unwrap();
        let may = || status::step_allowed(Role::Operator, status(&stored), status(wanted));
        let mine_shows = field == "status" && rank(wanted) < rank(&stored) && may();
        // A later conflict of the same person over the same field takes the place of this one.
        if let Some((theirs, mine, shown)) = conflict {
            assert_eq!((theirs.as_str(), mine.as_str()), (stored.as_str(), wanted), "{}: both values are kept", save.key);
            assert_eq!(shown, if mine_shows { "mine" } else { "theirs" }, "{}: {field}", save.key);
        }
        if mine_shows { wanted.to_owned() } else { stored.clone() }
    };
    assert!(field != "status" || status::parse(&becomes).is_some());
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
    assert_eq!(by_save.len(), conflicts.len(), "no conflict is there twice");
    (written.iter().map(entry).collect(), by_save, stored.iter().map(content).collect())
}
