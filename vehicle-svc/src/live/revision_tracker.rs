//! Detection of missing revisions of a campaign: changes for which the change feed has received no event.
use std::collections::BTreeSet;

/// Tracks which revisions of a campaign were received, to detect gaps.
#[derive(Debug, Default)]
pub struct RevisionTracker {
    /// Revision up to which no revision is missing; 0 before the first received revision.
    upto: i64,
    /// Received revisions after the first missing revision.
    beyond: BTreeSet<i64>,
    /// Highest received revision at the previous check for gaps.
    looked: i64,
}

impl RevisionTracker {
    /// Marks one revision of the campaign as received.
    pub fn mark_received(&mut self, revision: i64) {
        if self.upto == 0 {
            self.upto = revision;
        }
        if revision > self.upto {
            self.beyond.insert(revision);
        }
        while self.beyond.remove(&(self.upto + 1)) {
            self.upto += 1;
        }
    }

    fn last(&self) -> i64 {
        self.beyond.last().copied().unwrap_or(self.upto)
    }

    /// Marks all revisions up to `revision` as received, if `revision` is newer than every received revision. Otherwise changes
    /// nothing and returns `false`.
    pub fn mark_received_up_to(&mut self, revision: i64) -> bool {
        let is_new = revision > self.last();
        if is_new {
            self.upto = revision;
            self.beyond.clear();
        }
        is_new
    }

    /// Returns the highest received revision if the campaign has a gap; otherwise `None`. The campaign has a gap if a revision is still
    /// missing and a later revision had already been received at the previous check. Each gap is reported once: all missing revisions
    /// then count as received.
    pub fn detect_gap(&mut self) -> Option<i64> {
        let waited = self.beyond.first().is_some_and(|first| *first <= self.looked);
        let last = self.last();
        self.looked = last;
        if waited {
            self.upto = last;
            self.beyond.clear();
        }
        waited.then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reordered_revisions_are_no_gap_but_a_missing_one_is() {
        let mut followed = RevisionTracker::default();
        [7, 9, 8, 10].into_iter().for_each(|revision| followed.mark_received(revision));
        assert_eq!((followed.upto, followed.detect_gap(), followed.detect_gap()), (10, None, None));
        followed.mark_received(12);
        assert_eq!(followed.detect_gap(), None, "the revision may still arrive");
        followed.mark_received(14);
        assert_eq!(followed.detect_gap(), Some(14), "the revision did not arrive until the next check");
        assert_eq!((followed.detect_gap(), followed.upto), (None, 14), "a gap is reported once");
        followed.mark_received(11);
        assert_eq!(followed.detect_gap(), None, "a late revision is no gap");
    }

    #[test]
    fn a_polled_revision_is_new_only_if_no_event_announced_it() {
        let mut followed = RevisionTracker { upto: 5, ..RevisionTracker::default() };
        followed.mark_received(6);
        assert!(!followed.mark_received_up_to(6) && followed.mark_received_up_to(8) && !followed.mark_received_up_to(8));
        followed.mark_received(9);
        assert_eq!((followed.upto, followed.detect_gap()), (9, None));
    }
}
