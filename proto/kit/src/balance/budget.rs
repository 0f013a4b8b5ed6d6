//! How much repeated calls may add to the load.
use std::sync::atomic::{AtomicI64, Ordering};

/// What one repetition costs, in first calls.
const COST: i64 = 10;
/// How much may be saved up, in first calls.
const MOST: i64 = 1000;

/// Every first call pays in a tenth of a repetition.
pub struct Budget(AtomicI64);

impl Default for Budget {
    /// Enough for the first failures after a start.
    fn default() -> Self {
        Self(AtomicI64::new(20 * COST))
    }
}

impl Budget {
    pub fn deposit(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| (held < MOST).then_some(held + 1));
    }

    pub fn withdraw(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| (held >= COST).then_some(held - COST)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_add_a_tenth_to_the_load_and_no_more() {
        let budget = Budget::default();
        let mut repeated = 0;
        for _ in 0..10_000 {
            budget.deposit();
            repeated += i32::from(budget.withdraw());
        }
        assert!((1000..=1021).contains(&repeated), "{repeated}");
    }
}
