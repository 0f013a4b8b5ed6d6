//! In-memory search index over the vehicles of a campaign. Without the index, a page or a search of a large campaign would scan
//! a hundred thousand rows.
//!
//! The index holds only data that rarely changes: walking order (by parking space), VINs, parking spaces and
//! yards. The fields shown on screen are read from the database. The layout number of a campaign increases when
//! vehicles move. An index is valid while its layout number equals the layout number of the campaign.
use crate::store::{
    campaigns::Campaign,
    vehicles::{self, SearchIndexEntry, VehicleFilter},
};
use crate::yard_filter::YardFilter;
use memchr::memmem;
use moka::sync::Cache;
use patio_kit::{db::Db, lifecycle::BackgroundTasks, pagination::PageWindow};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Minimum number of vehicles in a campaign for which a search index is built. Smaller campaigns are searched in the database.
const MIN_INDEXED_VEHICLES: i64 = 1_000;
/// Maximum memory of all search indexes together, in bytes.
const MAX_INDEX_BYTES: u64 = 96 << 20;
/// Time after which an unused search index is evicted from the cache.
const IDLE_LIFETIME: Duration = Duration::from_secs(1800);
/// Number of vehicles read per statement while a search index is built.
const READ_CHUNK_LEN: i64 = 5_000;
/// Separator after the search text of each vehicle: the null character, which search texts and search input cannot contain.
const END: char = '\0';

/// Cache of the search indexes of all campaigns. All clones share one cache.
#[derive(Clone)]
pub struct SearchIndexCache {
    tasks: BackgroundTasks,
    db: Db,
    known: Cache<i64, Arc<CampaignSearchIndex>>,
    building: Arc<Mutex<HashSet<i64>>>,
}

impl SearchIndexCache {
    /// Creates an empty cache. Indexes are built in background tasks on `tasks` from the vehicles in `db`.
    pub fn new(tasks: BackgroundTasks, db: Db) -> Self {
        let weigh = |_: &i64, roster: &Arc<CampaignSearchIndex>| u32::try_from(roster.bytes()).unwrap_or(u32::MAX);
        let known = Cache::builder().weigher(weigh).max_capacity(MAX_INDEX_BYTES).time_to_idle(IDLE_LIFETIME).build();
        Self { tasks, db, known, building: Arc::default() }
    }

    /// Returns the index of a campaign if the index is current. Otherwise returns `None`, and starts to build an
    /// index in the background unless the campaign is small.
    pub fn find_current_search_index(&self, campaign: &Campaign) -> Option<Arc<CampaignSearchIndex>> {
        let known = self.known.get(&campaign.id).filter(|roster| roster.layout == campaign.layout);
        if known.is_none() && campaign.total >= MIN_INDEXED_VEHICLES {
            self.build(campaign.id, campaign.layout);
        }
        known
    }

    /// Builds the search index of a campaign in the background. Does nothing while a build for this campaign is
    /// running.
    fn build(&self, campaign: i64, layout: i64) {
        if !self.builds_in_progress().insert(campaign) {
            return;
        }
        let own = self.clone();
        self.tasks.spawn(async move {
            match CampaignSearchIndex::read(&own.db, campaign, layout).await {
                Ok(roster) => own.known.insert(campaign, Arc::new(roster)),
                Err(cause) => {
                    tracing::warn!(%cause, campaign, "failed to build the search index of a campaign, searching in the database instead")
                }
            }
            own.builds_in_progress().remove(&campaign);
        });
    }

    fn builds_in_progress(&self) -> std::sync::MutexGuard<'_, HashSet<i64>> {
        self.building.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Search index over the vehicles of one campaign, in walking order (by parking space).
pub struct CampaignSearchIndex {
    layout: i64,
    ids: Vec<i64>,
    yards: Vec<Option<i64>>,
    /// Positions of the vehicles of each yard, in walking order. A page without a search finds its vehicles here, without a scan.
    positions_by_yard: HashMap<i64, Vec<usize>>,
    /// Search texts of all vehicles, each ended by [`END`].
    text: String,
    /// Byte offset at which the text of each vehicle ends.
    ends: Vec<usize>,
}

impl CampaignSearchIndex {
    /// Creates an empty index for one layout number of the campaign. The layout number increases whenever vehicles move, and the
    /// index is then out of date.
    #[must_use]
    pub fn new(layout_revision: i64) -> Self {
        Self {
            layout: layout_revision,
            ids: Vec::new(),
            yards: Vec::new(),
            positions_by_yard: HashMap::new(),
            text: String::new(),
            ends: Vec::new(),
        }
    }

    async fn read(db: &Db, campaign: i64, layout: i64) -> Result<Self, sqlx::Error> {
        let (mut roster, mut position) = (Self::new(layout), (String::new(), 0));
        loop {
            let from = &position;
            let some = db
                .read_from_replica(|db| async move { vehicles::list_search_index_entries(&db, campaign, from, READ_CHUNK_LEN).await })
                .await?;
            let Some(last) = some.last() else { return Ok(roster) };
            position = (last.walk_key.clone(), last.id);
            some.iter().for_each(|entry| roster.add_vehicle(entry));
            tokio::task::yield_now().await;
        }
    }

    /// Adds a vehicle to the index. Vehicles must be added in walking order (by parking space).
    pub fn add_vehicle(&mut self, entry: &SearchIndexEntry) {
        if let Some(yard) = entry.yard_id {
            self.positions_by_yard.entry(yard).or_default().push(self.ids.len());
        }
        self.ids.push(entry.id);
        self.yards.push(entry.yard_id);
        self.text.push_str(&entry.search_text);
        self.text.push(END);
        self.ends.push(self.text.len());
    }

    fn bytes(&self) -> usize {
        let per_vehicle = size_of::<i64>() + size_of::<Option<i64>>() + 2 * size_of::<usize>();
        self.text.len() + self.ids.len() * per_vehicle
    }

    /// Returns the vehicle ids of one page of search results, and the total number of matches. Ignores the filter's status, since
    /// the index contains no statuses.
    pub fn search_page(&self, filter: &VehicleFilter, window: PageWindow) -> (Vec<i64>, i64) {
        let (skip, take) = (usize::try_from(window.offset()).unwrap_or(usize::MAX), usize::try_from(window.limit()).unwrap_or_default());
        let (page, total) = if filter.needle.is_empty() {
            self.page_of_yard_filter(filter.yard_filter, skip, take)
        } else {
            self.page_of_matches(filter, skip, take)
        };
        (page, i64::try_from(total).unwrap_or(i64::MAX))
    }

    /// Returns the ids of one page of the vehicles that match a yard filter, and the total number of matching vehicles.
    fn page_of_yard_filter(&self, yard_filter: YardFilter, skip: usize, take: usize) -> (Vec<i64>, usize) {
        let positions_of_yard = |yard: i64| self.positions_by_yard.get(&yard).map_or(&[][..], Vec::as_slice);
        match yard_filter {
            YardFilter::All => (self.ids.iter().skip(skip).take(take).copied().collect(), self.ids.len()),
            YardFilter::Yard(yard) => {
                let positions = positions_of_yard(yard);
                (positions.iter().skip(skip).take(take).map(|position| self.ids[*position]).collect(), positions.len())
            }
            YardFilter::ExceptYard(yard) => {
                let hidden = positions_of_yard(yard);
                // A hidden vehicle precedes the page if at most `skip` visible vehicles precede the hidden vehicle.
                let hidden_before = hidden.iter().enumerate().take_while(|(rank, position)| *position - rank <= skip).count();
                let visible =
                    self.ids.iter().zip(&self.yards).skip(skip.saturating_add(hidden_before)).filter(|(_, of)| **of != Some(yard));
                (visible.take(take).map(|(id, _)| *id).collect(), self.ids.len() - hidden.len())
            }
        }
    }

    /// Returns the ids of one page of the vehicles that match the filter's search text, and the total number of matching vehicles.
    fn page_of_matches(&self, filter: &VehicleFilter, skip: usize, take: usize) -> (Vec<i64>, usize) {
        let (mut page, mut total) = (Vec::with_capacity(take), 0);
        for place in self.matches(&filter.needle).filter(|place| filter.yard_filter.includes(self.yards[*place])) {
            if total >= skip && page.len() < take {
                page.push(self.ids[place]);
            }
            total += 1;
        }
        (page, total)
    }

    /// Returns the position of each vehicle whose search text contains `needle`, without duplicates.
    fn matches<'s>(&'s self, needle: &'s str) -> impl Iterator<Item = usize> + 's {
        let finder = memmem::Finder::new(needle);
        let (mut from, mut place) = (0, 0);
        std::iter::from_fn(move || {
            let at = from + finder.find(&self.text.as_bytes()[from..])?;
            while *self.ends.get(place)? <= at {
                place += 1;
            }
            from = self.ends[place];
            Some(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(all: &[(&str, i64)]) -> CampaignSearchIndex {
        let mut roster = CampaignSearchIndex::new(1);
        for (id, (search_text, yard)) in (100..).zip(all) {
            roster.add_vehicle(&SearchIndexEntry {
                id,
                search_text: (*search_text).to_owned(),
                yard_id: Some(*yard),
                walk_key: String::new(),
            });
        }
        roster
    }

    fn page(roster: &CampaignSearchIndex, needle: &str, yard_filter: YardFilter, index: i32) -> (Vec<i64>, i64) {
        roster.search_page(
            &VehicleFilter { needle: needle.to_owned(), yard_filter, ..VehicleFilter::default() },
            PageWindow { index, size: 2 },
        )
    }

    #[test]
    fn search_matches_needles_of_any_length_but_never_across_two_vehicles() {
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
            let all: Vec<i64> = (0..3).flat_map(|index| page(&roster, needle, YardFilter::All, index).0).collect();
            assert_eq!(
                (all, page(&roster, needle, YardFilter::All, 0).1),
                (found.clone(), i64::try_from(found.len()).unwrap()),
                "{needle}"
            );
        }
    }

    #[test]
    fn page_and_total_respect_the_yard_filter() {
        let roster = roster(&[("a", 2), ("ab", 4), ("abc", 4), ("abcd", 2), ("b", 4)]);
        assert_eq!(page(&roster, "", YardFilter::All, 1), (vec![102, 103], 5));
        assert_eq!(page(&roster, "", YardFilter::Yard(4), 0), (vec![101, 102], 3));
        assert_eq!(page(&roster, "", YardFilter::Yard(4), 1), (vec![104], 3));
        assert_eq!(page(&roster, "", YardFilter::ExceptYard(4), 0), (vec![100, 103], 2));
        assert_eq!(page(&roster, "", YardFilter::ExceptYard(9), 2), (vec![104], 5));
        assert_eq!(page(&roster, "ab", YardFilter::Yard(4), 0), (vec![101, 102], 2));
        assert_eq!(page(&roster, "ab", YardFilter::Yard(9), 0), (vec![], 0));
        assert_eq!(page(&roster, "ab", YardFilter::ExceptYard(4), 0), (vec![103], 1));
        assert_eq!(page(&roster, "ab", YardFilter::ExceptYard(9), 1), (vec![103], 3));
        assert_eq!(page(&roster, "ab", YardFilter::All, 7), (vec![], 3));
        assert_eq!(page(&roster, "", YardFilter::Yard(9), 0), (vec![], 0));
        assert_eq!(page(&roster, "", YardFilter::ExceptYard(2), 7), (vec![], 3));
    }

    #[test]
    fn pages_without_a_hidden_yard_list_every_other_vehicle_once_in_walking_order() {
        let yards = [3, 3, 1, 3, 2, 3, 3, 3, 1, 2, 3, 1, 1, 3];
        let all: Vec<(&str, i64)> = yards.iter().map(|yard| ("a", *yard)).collect();
        for hidden in 1..=4 {
            let visible: Vec<i64> = (100..).zip(yards).filter(|(_, yard)| *yard != hidden).map(|(id, _)| id).collect();
            let roster = roster(&all);
            let listed: Vec<i64> = (0..8).flat_map(|index| page(&roster, "", YardFilter::ExceptYard(hidden), index).0).collect();
            assert_eq!(listed, visible, "yard {hidden} hidden");
        }
    }
}
