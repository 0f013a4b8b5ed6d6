//! Random numbers that can be reproduced: a test prints its seed.

#[derive(Clone)]
pub struct Dice(pub u64);

/// Returns a new seed.
pub fn seed() -> u64 {
    u64::try_from(uuid::Uuid::now_v7().as_u128() & u128::from(u64::MAX)).unwrap() | 1
}

impl Dice {
    /// Returns a random number from 0 to `end`, exclusive.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}
