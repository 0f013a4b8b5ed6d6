//! Retry budget: limits the number of retries to a tenth of the number of calls, so that retries do not overload a service.
use std::sync::atomic::{AtomicI64, Ordering};

/// Cost of one retry: each retry uses up the credit of ten calls (their first attempts).
const RETRY_COST: i64 = 10;
/// Maximum balance of the retry budget, as a number of first attempts; ten first attempts allow one retry.
const MAX_BALANCE: i64 = 1000;

/// Balance of the retry budget. Every first attempt deposits a tenth of a retry.
pub struct RetryBudget(AtomicI64);

impl Default for RetryBudget {
    /// Creates a retry budget with 20 retries, enough for the failures right after a start.
    fn default() -> Self {
        Self(AtomicI64::new(20 * RETRY_COST))
    }
}

impl RetryBudget {
    pub fn deposit(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| (held < MAX_BALANCE).then_some(held + 1));
    }

    pub fn withdraw(&self) -> bool {
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
            repeated += i32::from(budget.withdraw());
        }
        assert!((1000..=1021).contains(&repeated), "{repeated}");
    }
}
