//! The roster of a campaign: who stands where, in memory, so that any page and any search is found without
//! reading a hundred thousand rows.
//!
//! It holds only what seldom changes: the walk, identifiers and places. Everything shown is read from the
//! database. Whether it still holds is told by the campaign's layout, which every list reads anyway.
use crate::store::{
    campaigns::Campaign,
    vehicles::{self, Entry, Filter},
};
use crate::view::View;
use memchr::memmem;
use moka::sync::Cache;
use patio_kit::{db::Db, lifecycle::Tasks, page::Window};
use roaring::RoaringBitmap;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Smaller campaigns are searched by the database.
const SMALLEST: i64 = 1_000;
/// Most bytes of all rosters.
const MOST_BYTES: u64 = 96 << 20;
/// How long a roster that nobody uses is kept.
const UNUSED: Duration = Duration::from_secs(1800);
/// How many vehicles are read at once.
const STEP: i64 = 5_000;
/// How many searches of one roster are remembered.
const SEARCHES: u64 = 500;

/// The rosters of the campaigns that are looked through; clones share them.
#[derive(Clone)]
pub struct Rosters {
    tasks: Tasks,
    db: Db,
    known: Cache<i64, Arc<Roster>>,
    building: Arc<Mutex<HashSet<i64>>>,
}

impl Rosters {
    /// None yet.
    pub fn new(tasks: Tasks, db: Db) -> Self {
        let weigh = |_: &i64, roster: &Arc<Roster>| u32::try_from(roster.bytes()).unwrap_or(u32::MAX);
        let known = Cache::builder().weigher(weigh).max_capacity(MOST_BYTES).time_to_idle(UNUSED).build();
        Self { tasks, db, known, building: Arc::default() }
    }

    /// The roster of a campaign as it was read; none while there is none that holds, and then one is made.
    pub fn of(&self, campaign: &Campaign) -> Option<Arc<Roster>> {
        let known = self.known.get(&campaign.id).filter(|roster| roster.layout == campaign.layout);
        if known.is_none() && campaign.total >= SMALLEST {
            self.build(campaign.id, campaign.layout);
        }
        known
    }

    /// Reads a roster in the background, each campaign's by one task at a time.
    fn build(&self, campaign: i64, layout: i64) {
        if !self.under_way().insert(campaign) {
            return;
        }
        let own = self.clone();
        self.tasks.spawn(async move {
            match Roster::read(&own.db, campaign, layout).await {
                Ok(roster) => own.known.insert(campaign, Arc::new(roster)),
                Err(cause) => tracing::warn!(%cause, campaign, "the roster of campaign {campaign} was not read"),
            }
            own.under_way().remove(&campaign);
        });
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, HashSet<i64>> {
        self.building.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The vehicles of one campaign in walking order; each is known by its place in it.
pub struct Roster {
    layout: i64,
    ids: Vec<i64>,
    /// What is searched, one vehicle after another, and where each ends.
    text: String,
    ends: Vec<usize>,
    yards: HashMap<i64, RoaringBitmap>,
    /// The vehicles whose text holds one byte, or two in a row.
    ones: HashMap<u8, RoaringBitmap>,
    twos: HashMap<[u8; 2], RoaringBitmap>,
    searched: Cache<String, Arc<RoaringBitmap>>,
}

impl Roster {
    /// One without vehicles, of a campaign whose layout is this.
    #[must_use]
    pub fn empty(layout: i64) -> Self {
        Self {
            layout,
            ids: Vec::new(),
            text: String::new(),
            ends: Vec::new(),
            yards: HashMap::new(),
            ones: HashMap::new(),
            twos: HashMap::new(),
            searched: Cache::new(SEARCHES),
        }
    }

    async fn read(db: &Db, campaign: i64, layout: i64) -> Result<Self, sqlx::Error> {
        let (mut roster, mut position) = (Self::empty(layout), (String::new(), 0));
        loop {
            let some = vehicles::entries_after(db, campaign, &position, STEP).await?;
            let Some(last) = some.last() else { return Ok(roster) };
            position = (last.walk_key.clone(), last.id);
            some.iter().for_each(|entry| roster.add(entry));
            tokio::task::yield_now().await;
        }
    }

    /// Adds the vehicle that comes next in walking order.
    pub fn add(&mut self, entry: &Entry) {
        let place = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        self.ids.push(entry.id);
        self.text.push_str(&entry.haystack);
        self.ends.push(self.text.len());
        if let Some(yard) = entry.yard_id {
            self.yards.entry(yard).or_default().insert(place);
        }
        let bytes = entry.haystack.as_bytes();
        for byte in bytes {
            self.ones.entry(*byte).or_default().insert(place);
        }
        for two in bytes.array_windows() {
            self.twos.entry(*two).or_default().insert(place);
        }
    }

    fn bytes(&self) -> usize {
        let sets = self.yards.values().chain(self.ones.values()).chain(self.twos.values());
        let searches = usize::try_from(SEARCHES).unwrap_or_default() * self.ids.len() / 8 / 16;
        self.text.len() + self.ids.len() * 16 + sets.map(RoaringBitmap::serialized_size).sum::<usize>() + searches
    }

    /// The ids of one page of those that pass the filter but for its status, and how many pass.
    pub fn page(&self, filter: &Filter, window: Window) -> (Vec<i64>, i64) {
        let (skip, take) = (usize::try_from(window.offset()).unwrap_or(usize::MAX), usize::try_from(window.limit()).unwrap_or_default());
        let yard = |id| self.yards.get(&id);
        let found = match (filter.needle.as_str(), filter.view) {
            ("", View::All) => {
                let page = self.ids.iter().skip(skip).take(take).copied().collect();
                return (page, i64::try_from(self.ids.len()).unwrap_or(i64::MAX));
            }
            ("", View::Yard(only)) => Arc::new(yard(only).cloned().unwrap_or_default()),
            ("", View::Without(hidden)) => Arc::new(yard(hidden).map_or_else(|| self.every(), |hidden| self.every() - hidden)),
            (needle, View::All) => self.holding(needle),
            (needle, View::Yard(only)) => Arc::new(yard(only).map(|there| there & &*self.holding(needle)).unwrap_or_default()),
            (needle, View::Without(hidden)) => {
                let found = self.holding(needle);
                yard(hidden).map_or_else(|| found.clone(), |hidden| Arc::new(&*found - hidden))
            }
        };
        let first = u32::try_from(skip).ok().and_then(|skip| found.select(skip));
        let page = first.map(|first| found.range(first..).take(take).filter_map(|place| self.id_at(place)).collect());
        (page.unwrap_or_default(), i64::try_from(found.len()).unwrap_or(i64::MAX))
    }

    fn every(&self) -> RoaringBitmap {
        (0..u32::try_from(self.ids.len()).unwrap_or(u32::MAX)).collect()
    }

    fn id_at(&self, place: u32) -> Option<i64> {
        self.ids.get(usize::try_from(place).ok()?).copied()
    }

    fn text_at(&self, place: u32) -> &[u8] {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let from = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.ends.get(place).map(|to| &self.text.as_bytes()[from..*to]).unwrap_or_default()
    }

    /// The vehicles whose text holds the needle.
    fn holding(&self, needle: &str) -> Arc<RoaringBitmap> {
        self.searched.get(needle).unwrap_or_else(|| {
            let found = Arc::new(self.search(needle.as_bytes()));
            self.searched.insert(needle.to_owned(), found.clone());
            found
        })
    }

    fn search(&self, needle: &[u8]) -> RoaringBitmap {
        match needle {
            [one] => self.ones.get(one).cloned().unwrap_or_default(),
            [one, two] => self.twos.get(&[*one, *two]).cloned().unwrap_or_default(),
            _ => {
                let Some(mut sets) = needle.array_windows().map(|two| self.twos.get(two)).collect::<Option<Vec<_>>>() else {
                    return RoaringBitmap::new();
                };
                sets.sort_by_key(|set| set.len());
                let Some((rarest, others)) = sets.split_first() else { return RoaringBitmap::new() };
                let candidates = others.iter().fold((*rarest).clone(), |found, set| found & *set);
                let finder = memmem::Finder::new(needle);
                candidates.into_iter().filter(|place| finder.find(self.text_at(*place)).is_some()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(all: &[(&str, i64)]) -> Roster {
        let mut roster = Roster::empty(1);
        for (id, (haystack, yard)) in (100..).zip(all) {
            roster.add(&Entry { id, haystack: (*haystack).to_owned(), yard_id: Some(*yard), walk_key: String::new() });
        }
        roster
    }

    fn page(roster: &Roster, needle: &str, view: View, index: i32) -> (Vec<i64>, i64) {
        roster.page(&Filter { needle: needle.to_owned(), view, ..Filter::default() }, Window { index, size: 2 })
    }

    #[test]
    fn needles_of_any_length_find_what_holds_them_and_nothing_across_two_vehicles() {
        let roster = roster(&[("hb20 0001\na-1", 2), ("hb20 0012\na-2", 2), ("ação 0123\nb-1", 4), ("hb20 9999\nb-2", 4)]);
        for (needle, found) in [
            ("1", vec![100, 101, 102]),
            ("00", vec![100, 101]),
            ("001", vec![100, 101]),
            ("0012\na-2", vec![101]),
            ("ção", vec![102]),
            ("a-1hb", vec![]),
            ("x", vec![]),
            ("xyz", vec![]),
        ] {
            let all: Vec<i64> = (0..3).flat_map(|index| page(&roster, needle, View::All, index).0).collect();
            assert_eq!((all, page(&roster, needle, View::All, 0).1), (found.clone(), i64::try_from(found.len()).unwrap()), "{needle}");
        }
    }

    #[test]
    fn pages_and_yards_count_what_passes() {
        let roster = roster(&[("a", 2), ("ab", 4), ("abc", 4), ("abcd", 2), ("b", 4)]);
        assert_eq!(page(&roster, "", View::All, 1), (vec![102, 103], 5));
        assert_eq!(page(&roster, "", View::Yard(4), 0), (vec![101, 102], 3));
        assert_eq!(page(&roster, "", View::Yard(4), 1), (vec![104], 3));
        assert_eq!(page(&roster, "", View::Without(4), 0), (vec![100, 103], 2));
        assert_eq!(page(&roster, "", View::Without(9), 2), (vec![104], 5));
        assert_eq!(page(&roster, "ab", View::Yard(4), 0), (vec![101, 102], 2));
        assert_eq!(page(&roster, "ab", View::Yard(9), 0), (vec![], 0));
        assert_eq!(page(&roster, "ab", View::Without(4), 0), (vec![103], 1));
        assert_eq!(page(&roster, "ab", View::Without(9), 1), (vec![103], 3));
        assert_eq!(page(&roster, "ab", View::All, 7), (vec![], 3));
    }
}
