//! Retry budget: limits the retries of calls that may have reached a replica to about a tenth of all calls. Without the limit,
//! retries could overload a service. Retries of calls that reached no replica are not limited by the budget.
use std::sync::atomic::{AtomicI64, Ordering};

/// Cost of one retry, in credits. The first attempt of each call deposits one credit.
const RETRY_COST: i64 = 10;
/// Maximum balance of the retry budget, in credits; each retry costs [`RETRY_COST`] credits.
const MAX_BALANCE: i64 = 1000;

/// Retry budget for the calls to one service: a balance of credits. The first attempt of each call deposits one credit, and each
/// retry of a call that may have reached a replica withdraws `RETRY_COST` credits.
pub struct RetryBudget(AtomicI64);

impl Default for RetryBudget {
    /// Creates a retry budget that initially allows 20 retries, so that the first calls of a process can be retried too.
    fn default() -> Self {
        Self(AtomicI64::new(20 * RETRY_COST))
    }
}

impl RetryBudget {
    pub fn deposit(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| (held < MAX_BALANCE).then_some(held + 1));
    }

    pub fn try_withdraw(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| (held >= RETRY_COST).then_some(held - RETRY_COST)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_add_at_most_a_tenth_to_the_load() {
        let budget = RetryBudget::default();
        let mut repeated = 0;
        for _ in 0..10_000 {
            budget.deposit();
            repeated += i32::from(budget.try_withdraw());
        }
        assert!((1000..=1021).contains(&repeated), "{repeated}");
    }
}
