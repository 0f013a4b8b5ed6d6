//! Subset of a service's replicas that one caller checks and calls.
//!
//! With many replicas on both sides, health checks of every replica by every caller would cost more than the work itself. Each
//! caller therefore uses a random subset of constant size, and adds substitutes only while replicas of its subset are unhealthy.
use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    net::SocketAddr,
};

/// Number of replicas of a service that a caller checks and calls. If the service has fewer replicas, the caller checks all of them.
pub const REPLICA_SUBSET_SIZE: usize = 8;
/// Maximum number of replicas of a service that a caller checks while replicas of its subset are unhealthy.
pub const MAX_CHECKED_REPLICAS: usize = 2 * REPLICA_SUBSET_SIZE;

/// Subset of a service's replicas that one caller checks. Each caller ranks all addresses in an order of its own, by a randomly seeded
/// hash.
///
/// The subset consists of the first [`REPLICA_SUBSET_SIZE`] addresses in this order. The order does not depend on when a replica was added,
/// so a new replica gets its share of callers at once.
#[derive(Default)]
pub struct ReplicaSubset {
    order: RandomState,
    passed_over: HashSet<SocketAddr>,
}

impl ReplicaSubset {
    /// Chooses the replicas to check and call among all `known` addresses. These are the caller's subset, and one working substitute for
    /// each failing replica of the subset, at most [`MAX_CHECKED_REPLICAS`] in total.
    ///
    /// `is_failing` returns `true` for a checked replica that is unhealthy. If `explore` is true, failing substitutes are replaced by
    /// addresses that were not tried yet, so that any healthy replica is eventually found.
    pub fn choose_replicas(
        &mut self,
        known: impl Iterator<Item = SocketAddr>,
        is_failing: impl Fn(&SocketAddr) -> bool,
        explore: bool,
    ) -> Vec<SocketAddr> {
        let mut ranked: Vec<_> = known.collect();
        ranked.sort_by_cached_key(|address| self.order.hash_one(address));
        let others = ranked.split_off(REPLICA_SUBSET_SIZE.min(ranked.len()));
        let mut chosen = ranked;
        let mut missing = chosen.iter().filter(|address| is_failing(address)).count();
        if missing == 0 {
            self.passed_over.clear();
            return chosen;
        }
        if explore {
            self.passed_over.extend(others.iter().filter(|address| is_failing(address)));
            if others.iter().all(|address| self.passed_over.contains(address)) {
                self.passed_over.clear();
            }
        }
        for substitute in others.into_iter().filter(|address| !self.passed_over.contains(address)) {
            if missing == 0 || chosen.len() == MAX_CHECKED_REPLICAS {
                break;
            }
            missing -= usize::from(!is_failing(&substitute));
            chosen.push(substitute);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Returns the addresses of `count` replicas.
    fn replicas(count: u16) -> Vec<SocketAddr> {
        (0..count).map(|number| ([10, 0, 0, 1], 1000 + number).into()).collect()
    }

    fn choose(subset: &mut ReplicaSubset, all: &[SocketAddr], failing: &HashSet<SocketAddr>) -> Vec<SocketAddr> {
        subset.choose_replicas(all.iter().copied(), |address| failing.contains(address), true)
    }

    #[test]
    fn fifty_callers_of_fifty_replicas_ask_a_bounded_number_and_leave_out_none() {
        const ROUNDS: usize = 200;
        let (all, none) = (replicas(50), HashSet::new());
        let (mut unasked, mut most) = (0, 0);
        for _ in 0..ROUNDS {
            let mut askers: HashMap<SocketAddr, usize> = HashMap::new();
            for _ in 0..50 {
                let chosen = choose(&mut ReplicaSubset::default(), &all, &none);
                assert_eq!(chosen.iter().collect::<HashSet<_>>().len(), REPLICA_SUBSET_SIZE);
                chosen.into_iter().for_each(|address| *askers.entry(address).or_default() += 1);
            }
            assert_eq!(askers.values().sum::<usize>(), 50 * REPLICA_SUBSET_SIZE, "400 pairs instead of 2,500");
            unasked += all.len() - askers.len();
            most = most.max(askers.values().copied().max().unwrap_or_default());
        }
        // A replica has no caller with a probability of (42/50)^50 = 0.016 %, 1.6 of the 10,000 replicas of all rounds.
        assert!(unasked <= 12, "{unasked} of 10,000 replicas have no caller");
        assert!(most <= 30, "{most} callers ask one replica");
    }

    #[test]
    fn few_replicas_are_all_asked() {
        let all = replicas(8);
        let chosen = choose(&mut ReplicaSubset::default(), &all, &HashSet::new());
        assert_eq!(chosen.into_iter().collect::<HashSet<_>>(), all.into_iter().collect());
    }

    #[test]
    fn an_added_replica_gets_its_share_of_callers() {
        let (all, none) = (replicas(50), HashSet::new());
        let mut callers: Vec<_> = (0..500).map(|_| ReplicaSubset::default()).collect();
        callers.iter_mut().for_each(|caller| _ = choose(caller, &all[..10], &none));
        let askers = callers.iter_mut().filter_map(|caller| choose(caller, &all, &none).contains(&all[49]).then_some(())).count();
        assert!((40..=130).contains(&askers), "{askers} of 500 callers ask the replica, about 80 should");
    }

    #[test]
    fn a_caller_whose_whole_subset_fails_gets_others_at_once() {
        let (all, mut subset) = (replicas(50), ReplicaSubset::default());
        let failing: HashSet<_> = choose(&mut subset, &all, &HashSet::new()).into_iter().collect();
        let chosen = subset.choose_replicas(all.iter().copied(), |address| failing.contains(address), false);
        let substitutes: Vec<_> = chosen.iter().filter(|address| !failing.contains(address)).collect();
        assert_eq!((chosen.len(), substitutes.len()), (MAX_CHECKED_REPLICAS, REPLICA_SUBSET_SIZE));
        assert_eq!(
            choose(&mut subset, &all, &HashSet::new()).into_iter().collect::<HashSet<_>>(),
            failing,
            "its own, once they are healthy"
        );
    }

    #[test]
    fn the_last_healthy_replica_is_found_and_an_outage_of_all_stays_bounded() {
        for rounds in 0..50 {
            let (all, mut subset) = (replicas(50), ReplicaSubset::default());
            let healthy = all[rounds];
            let mut tried = HashSet::new();
            let found = (0..10).any(|_| {
                let chosen = choose(&mut subset, &all, &tried);
                assert!(chosen.len() <= MAX_CHECKED_REPLICAS);
                let found = chosen.contains(&healthy);
                tried = chosen.into_iter().collect();
                found
            });
            assert!(found, "not found within ten lookups");
        }
    }
}
