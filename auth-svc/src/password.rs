//! Password rules, and password hashing with Argon2 under a limit of concurrent hashes.
use crate::{error::Error, hmc, random::generate_random_bytes};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, PasswordHash, Salt},
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

/// Minimum length of a password in characters.
pub const MIN_PASSWORD_LEN: usize = 8;
/// Maximum length of a password in characters.
pub const MAX_PASSWORD_LEN: usize = 128;
/// Maximum wait for a hashing permit, so that a busy server responds within two seconds.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Maximum number of requests that wait for a hashing permit; further requests are rejected as busy.
const MAX_WAITING: usize = 512;

/// Minimum strength of a new password, as the decimal logarithm of the number of guesses that an attacker needs. The value 6 means a
/// million guesses.
const MIN_GUESSES_LOG10: f64 = 6.0;
/// Number of leading characters whose strength is estimated; further characters cannot make a password weaker.
const MAX_ESTIMATED_LEN: usize = 64;
/// Words that often occur in passwords of this product's users in Brazil: everyday Portuguese words, football clubs and product terms.
/// Each word counts as easy to guess, like a common English word.
const LOCAL_WORDS: [&str; 24] = [
    "patio",
    "pátio",
    "hmc",
    "senha",
    "mudar",
    "trocar",
    "acesso",
    "brasil",
    "inspecao",
    "veiculo",
    "carro",
    "campanha",
    "supervisor",
    "operador",
    "flamengo",
    "corinthians",
    "palmeiras",
    "santos",
    "vasco",
    "gremio",
    "cruzeiro",
    "deus",
    "amor",
    "familia",
];

/// Checks a new password against the password rules.
///
/// # Errors
/// Returns `PasswordRejected` when the password is too short, too long, blank, equal to the login name (HMC), or easy to guess.
pub fn check_password_rules(password: &str, hmc_key: &str) -> Result<(), Error> {
    let length = password.chars().count();
    if length < MIN_PASSWORD_LEN {
        return Err(Error::PasswordRejected("The password needs at least 8 characters."));
    }
    if length > MAX_PASSWORD_LEN {
        return Err(Error::PasswordRejected("The password can have at most 128 characters."));
    }
    if password.trim().is_empty() {
        return Err(Error::PasswordRejected("The password cannot be blank."));
    }
    if hmc::comparison_key(password) == hmc_key {
        return Err(Error::PasswordRejected("The password cannot be the same as the HMC."));
    }
    if guesses(password, hmc_key) < MIN_GUESSES_LOG10 {
        return Err(Error::PasswordRejected("The password is easy to guess. Use several words or a longer one."));
    }
    Ok(())
}

/// Returns the decimal logarithm of the estimated number of guesses that an attacker needs. The attacker is assumed to try words,
/// names, dates and the login name (HMC).
fn guesses(password: &str, hmc_key: &str) -> f64 {
    let judged: String = password.chars().take(MAX_ESTIMATED_LEN).collect();
    let own: Vec<&str> = LOCAL_WORDS.into_iter().chain([hmc_key]).collect();
    zxcvbn::zxcvbn(&judged, &own).guesses_log10()
}

/// Cost parameters of one Argon2 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordHashCost {
    /// Memory used by one hash, in KiB.
    pub memory: u32,
    /// Number of Argon2 passes over the memory.
    pub passes: u32,
}

impl Default for PasswordHashCost {
    fn default() -> Self {
        Self { memory: 19_456, passes: 2 }
    }
}

impl PasswordHashCost {
    fn argon(self) -> Result<Argon2<'static>, Error> {
        let params = Params::new(self.memory, self.passes, 1, None).map_err(|cause| Error::Internal(cause.to_string()))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// Returns `true` if this cost exceeds the cost of a stored hash. Returns `false` when the hash cannot be parsed.
    fn exceeds(self, hash: &str) -> bool {
        let made = PasswordHash::new(hash).ok().and_then(|hash| Params::try_from(&hash).ok());
        made.is_some_and(|made| made.m_cost() < self.memory || made.t_cost() < self.passes)
    }
}

/// Verifies and hashes passwords, by default one password per core at a time. Clones share the limits for running and waiting hashes.
#[derive(Clone)]
pub struct PasswordHasher {
    queue: Arc<Semaphore>,
    permits: Arc<Semaphore>,
    memory: HashMemory,
    checks: Arc<AtomicU64>,
    cost: PasswordHashCost,
}

/// Pool of working memory for Argon2, with one buffer for each hash computed at the same time. Reuse keeps the process small: with
/// a new buffer for each hash, the allocator would retain far more memory.
type HashMemory = Arc<Mutex<Vec<Vec<Block>>>>;

/// Permit to compute one password hash. The number of permits limits how many hashes are computed at the same time.
pub struct HashPermit(OwnedSemaphorePermit);

impl Default for PasswordHasher {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(2, usize::from))
    }
}

impl PasswordHasher {
    /// Creates a hasher that computes at most `cores` hashes at once, at the default cost.
    #[must_use]
    pub fn new(cores: usize) -> Self {
        Self::with_cost(cores, PasswordHashCost::default())
    }

    /// Creates a hasher that computes at most `cores` hashes at once, each at this cost.
    #[must_use]
    pub fn with_cost(cores: usize, cost: PasswordHashCost) -> Self {
        Self {
            queue: Arc::new(Semaphore::new(MAX_WAITING)),
            permits: Arc::new(Semaphore::new(cores)),
            memory: Arc::default(),
            checks: Arc::default(),
            cost,
        }
    }

    /// Returns the number of requests that wait for a hashing permit.
    #[must_use]
    pub fn waiter_count(&self) -> usize {
        MAX_WAITING - self.queue.available_permits()
    }

    /// Returns the number of passwords verified since the process started.
    #[must_use]
    pub fn verification_count(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    /// Waits for a permit to compute one password hash.
    ///
    /// # Errors
    /// Returns `Busy` when too many requests wait, or the wait times out.
    pub async fn acquire_permit(&self) -> Result<HashPermit, Error> {
        let _place = self.queue.try_acquire().map_err(|_| Error::Busy)?;
        let permit = tokio::time::timeout(PERMIT_TIMEOUT, self.permits.clone().acquire_owned()).await;
        permit.ok().and_then(Result::ok).map(HashPermit).ok_or(Error::Busy)
    }

    /// Verifies a password against the stored hash. Without a stored hash, computes a dummy hash and returns `false`, so that the
    /// duration does not reveal whether the login name exists.
    ///
    /// The dummy hash always has the current cost. A stored hash with an older, lower cost is verified faster, so the duration can
    /// reveal that the login name exists. The user's next sign-in replaces such a hash.
    ///
    /// # Errors
    /// Returns `Internal` when the stored hash cannot be parsed.
    pub async fn verify(&self, permit: HashPermit, password: String, hash: Option<String>) -> Result<bool, Error> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("patio_password_checks_total").increment(1);
        let (cost, memory) = (self.cost, self.memory.clone());
        blocking(permit, move || match hash {
            Some(hash) => matches_hash(&password, &hash, &memory),
            None => digest(&cost.argon()?, &password, DUMMY_SALT, &memory).map(|_| false),
        })
        .await
    }

    /// Returns `true` if a stored hash has a lower cost than the current cost and should be replaced.
    #[must_use]
    pub fn needs_rehash(&self, hash: &str) -> bool {
        self.cost.exceeds(hash)
    }

    /// Hashes a new password with a random salt.
    ///
    /// # Errors
    /// Returns `Busy` when too many requests wait for hashing, or the wait times out.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let (permit, cost, memory) = (self.acquire_permit().await?, self.cost, self.memory.clone());
        blocking(permit, move || {
            let (argon, salt) = (cost.argon()?, generate_random_bytes::<16>()?);
            let hash = PasswordHash {
                algorithm: Algorithm::Argon2id.ident(),
                version: Some(Version::V0x13.into()),
                params: argon.params().try_into().map_err(broken)?,
                salt: Some(Salt::new(&salt).map_err(broken)?),
                hash: Some(digest(&argon, &password, &salt, &memory)?),
            };
            Ok(hash.to_string())
        })
        .await
    }
}

const DUMMY_SALT: &[u8; 16] = b"nobody has these";

/// Verifies a password against a PHC hash, with the algorithm and parameters named in the hash.
fn matches_hash(password: &str, hash: &str, memory: &HashMemory) -> Result<bool, Error> {
    let hash = PasswordHash::new(hash).map_err(broken)?;
    let algorithm = Algorithm::try_from(hash.algorithm.as_str()).map_err(broken)?;
    let version = hash.version.map_or(Ok(Version::default()), Version::try_from).map_err(broken)?;
    let argon = Argon2::new(algorithm, version, Params::try_from(&hash).map_err(broken)?);
    let (Some(salt), Some(made)) = (hash.salt, hash.hash) else {
        return Err(Error::Internal("a stored hash has no salt or no digest".to_owned()));
    };
    Ok(digest(&argon, password, &salt, memory)? == made)
}

fn digest(argon: &Argon2<'_>, password: &str, salt: &[u8], memory: &HashMemory) -> Result<Output, Error> {
    let mut out = [0; Output::MAX_LENGTH];
    let out = &mut out[..argon.params().output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    let unused = || memory.lock().unwrap_or_else(PoisonError::into_inner);
    let mut blocks = unused().pop().unwrap_or_default();
    blocks.resize(argon.params().block_count().max(blocks.len()), Block::default());
    let hashed = argon.hash_password_into_with_memory(password.as_bytes(), salt, out, &mut blocks[..argon.params().block_count()]);
    unused().push(blocks);
    hashed.map_err(broken)?;
    Output::new(out).map_err(broken)
}

fn broken(cause: impl std::fmt::Display) -> Error {
    Error::Internal(cause.to_string())
}

/// Runs `work` on a blocking thread. The permit is released when the work ends, even if the caller has stopped waiting.
async fn blocking<T: Send + 'static>(permit: HashPermit, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let done = spawn_blocking(move || {
        let done = work();
        drop(permit.0);
        done
    });
    done.await.map_err(broken)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused_and_good_ones_are_not() {
        let long = "x".repeat(129);
        let common = ["password", "12345678", "11111111", "aaaaaaaa", "qwertyui", "senha123", "Patio2026", "register12", "Flamengo10"];
        for weak in ["", "1234567", "        ", "Register1", " register1 ", &long].into_iter().chain(common) {
            assert!(check_password_rules(weak, "register1").is_err(), "{weak:.20?}");
        }
        for good in ["correct horse", "ção e açúcar", &"üa9ö-".repeat(25), " blanks around ", "yard-walk-2026!"] {
            assert!(check_password_rules(good, "register1").is_ok(), "{good:.20?}");
        }
    }

    #[tokio::test]
    async fn blanks_around_a_password_belong_to_it() {
        let passwords = PasswordHasher::new(2);
        let hash = passwords.hash(" pass word ".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        for (tried, right) in [(" pass word ", true), ("pass word", false)] {
            let permit = passwords.acquire_permit().await.unwrap();
            assert_eq!(passwords.verify(permit, tried.to_owned(), Some(hash.clone())).await.unwrap(), right);
        }
        assert_eq!(passwords.verification_count(), 2);
    }

    #[tokio::test]
    async fn a_hash_with_less_memory_or_fewer_passes_than_now_needs_a_rehash() {
        let ours = PasswordHashCost { memory: 64, passes: 2 };
        for (memory, passes, cheap) in [(64, 2, false), (128, 2, false), (64, 3, false), (32, 2, true), (64, 1, true), (128, 1, true)] {
            let hash = PasswordHasher::with_cost(1, PasswordHashCost { memory, passes }).hash("pass word".to_owned()).await.unwrap();
            assert_eq!(ours.exceeds(&hash), cheap, "{hash}");
        }
        assert!(!ours.exceeds("") && !ours.exceeds("rubbish"));
    }

    #[tokio::test]
    async fn a_wait_for_a_permit_times_out_within_two_seconds_and_leaves_the_queue() {
        let passwords = PasswordHasher::new(1);
        let held = passwords.acquire_permit().await.unwrap();
        let started = std::time::Instant::now();
        assert!(matches!(passwords.acquire_permit().await, Err(Error::Busy)));
        let (took, most) = (started.elapsed(), Duration::from_secs(2));
        assert!(PERMIT_TIMEOUT < most && took >= PERMIT_TIMEOUT && took < patio_testing::patience(most), "{took:?}");
        assert_eq!(passwords.waiter_count(), 0);
        drop(held);
        assert!(passwords.acquire_permit().await.is_ok());
    }
}
