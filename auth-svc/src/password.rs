//! Password rules, and password hashing with Argon2 under a limit of concurrent hashes.
use crate::{error::Error, hmc};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{
        PasswordHasher as _,
        phc::{Output, PasswordHash},
    },
};
use std::{
    cell::RefCell,
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// Minimum length of a password in characters.
pub const MIN_PASSWORD_LEN: usize = 8;
/// Maximum length of a password in characters.
pub const MAX_PASSWORD_LEN: usize = 128;
/// Maximum wait for a hashing permit, so that a busy server responds within two seconds.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Number of hashing queues (lanes). A hash of the account name selects the queue; only the first request of each queue waits for a
/// permit.
const QUEUES: usize = 64;
/// Maximum number of requests that wait for hashing.
const MAX_WAITING: usize = 512;

/// Minimum strength of a new password: decimal logarithm of the number of guesses to find it; 6 is a million guesses.
const MIN_GUESSES_LOG10: f64 = 6.0;
/// Number of leading characters whose strength is estimated; further characters cannot make a password weaker.
const MAX_ESTIMATED_LEN: usize = 64;
/// Words that local users put into passwords, counted as easy to guess in addition to common English words.
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
/// Returns `BadPassword` when the password is too short, too long, blank, equal to the login name (HMC), or easy to guess.
pub fn check(password: &str, hmc_key: &str) -> Result<(), Error> {
    let length = password.chars().count();
    if length < MIN_PASSWORD_LEN {
        return Err(Error::BadPassword("The password needs at least 8 characters."));
    }
    if length > MAX_PASSWORD_LEN {
        return Err(Error::BadPassword("The password can have at most 128 characters."));
    }
    if password.trim().is_empty() {
        return Err(Error::BadPassword("The password cannot be blank."));
    }
    if hmc::comparison_key(password) == hmc_key {
        return Err(Error::BadPassword("The password cannot be the same as the HMC."));
    }
    if guesses(password, hmc_key) < MIN_GUESSES_LOG10 {
        return Err(Error::BadPassword("The password is easy to guess. Use several words or a longer one."));
    }
    Ok(())
}

/// Estimates how many guesses an attacker needs, who tries words, names, dates and the login name; returns the decimal logarithm.
fn guesses(password: &str, hmc_key: &str) -> f64 {
    let judged: String = password.chars().take(MAX_ESTIMATED_LEN).collect();
    let own: Vec<&str> = LOCAL_WORDS.into_iter().chain([hmc_key]).collect();
    zxcvbn::zxcvbn(&judged, &own).guesses_log10()
}

/// Cost parameters of one Argon2 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashCost {
    /// Memory used by one hash, in KiB.
    pub memory: u32,
    /// Number of Argon2 passes over the memory.
    pub passes: u32,
}

impl Default for HashCost {
    fn default() -> Self {
        Self { memory: 19_456, passes: 2 }
    }
}

impl HashCost {
    fn argon(self) -> Result<Argon2<'static>, Error> {
        let params = Params::new(self.memory, self.passes, 1, None).map_err(|cause| Error::Broken(cause.to_string()))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// Reads the cost parameters from a stored hash; returns `None` when the hash cannot be parsed.
    fn of(hash: &str) -> Option<Self> {
        let made = Params::try_from(&PasswordHash::new(hash).ok()?).ok()?;
        Some(Self { memory: made.m_cost(), passes: made.t_cost() })
    }

    /// Returns whether this cost exceeds the cost of a stored hash; `false` when the hash cannot be parsed.
    fn exceeds(self, hash: &str) -> bool {
        Self::of(hash).is_some_and(|made| made.memory < self.memory || made.passes < self.passes)
    }
}

/// Verifies and hashes passwords, by default one password per core at a time; clones share the limits.
#[derive(Clone)]
pub struct PasswordHasher {
    permits: Arc<Semaphore>,
    lanes: Arc<Vec<Arc<Semaphore>>>,
    lane_of: RandomState,
    waiting: Arc<AtomicUsize>,
    checks: Arc<AtomicU64>,
    cost: HashCost,
    commonest: Arc<Mutex<HashCost>>,
}

/// Permit to compute one password hash, obtained from the queue for hashing.
pub struct HashPermit {
    _lane: Option<OwnedSemaphorePermit>,
    _permit: OwnedSemaphorePermit,
}

impl Default for PasswordHasher {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(2, usize::from))
    }
}

impl PasswordHasher {
    /// Creates a hasher that computes at most `cores` hashes at once, at the default cost.
    #[must_use]
    pub fn new(cores: usize) -> Self {
        Self::with_cost(cores, HashCost::default())
    }

    /// Creates a hasher that computes at most `cores` hashes at once, each at this cost.
    #[must_use]
    pub fn with_cost(cores: usize, cost: HashCost) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(cores)),
            lanes: Arc::new((0..QUEUES).map(|_| Arc::new(Semaphore::new(1))).collect()),
            lane_of: RandomState::new(),
            waiting: Arc::default(),
            checks: Arc::default(),
            cost,
            commonest: Arc::new(Mutex::new(cost)),
        }
    }

    /// Returns the number of requests that wait for a hashing permit.
    #[must_use]
    pub fn waiter_count(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns the number of passwords verified since the process started.
    #[must_use]
    pub fn verification_count(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    /// Waits for a permit to verify one password of this account.
    ///
    /// Requests for one account are processed one at a time. A flood of requests for one account thus does not delay other users, and is
    /// rejected once the account is locked out.
    ///
    /// # Errors
    /// Returns `Busy` when too many requests wait, or the wait times out.
    pub async fn acquire(&self, account: &str) -> Result<HashPermit, Error> {
        let lane = usize::try_from(self.lane_of.hash_one(account) % QUEUES as u64).unwrap_or_default();
        self.wait(async {
            let lane = self.lanes[lane].clone().acquire_owned().await.ok();
            Some(HashPermit { _lane: lane, _permit: self.permits.clone().acquire_owned().await.ok()? })
        })
        .await
    }

    async fn wait(&self, turn: impl Future<Output = Option<HashPermit>>) -> Result<HashPermit, Error> {
        let queue = Queued(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING {
            return Err(Error::Busy);
        }
        let came = tokio::time::timeout(PERMIT_TIMEOUT, turn).await;
        drop(queue);
        came.ok().flatten().ok_or(Error::Busy)
    }

    /// Sets the cost of dummy hashes, which are computed for unknown login names, to the most frequent cost among the stored
    /// hashes. Verifying a password then takes equally long for unknown and for most known login names.
    pub fn calibrate_dummy_cost(&self, hashes: &[String]) {
        let mut counted: HashMap<HashCost, usize> = HashMap::new();
        for cost in hashes.iter().filter_map(|hash| HashCost::of(hash)) {
            *counted.entry(cost).or_default() += 1;
        }
        let commonest = counted.into_iter().max_by_key(|(cost, count)| (*count, *cost));
        *self.commonest.lock().unwrap_or_else(PoisonError::into_inner) = commonest.map_or(self.cost, |(cost, _)| cost);
    }

    /// Returns the dummy hash cost: the cost of verifying a password for an unknown login name (HMC).
    #[must_use]
    pub fn dummy_cost(&self) -> HashCost {
        *self.commonest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Verifies a password against the stored hash. Without a stored hash, computes a dummy hash at the dummy hash cost and returns
    /// `false`.
    ///
    /// # Errors
    /// Returns `Broken` when the stored hash cannot be parsed.
    pub async fn verify(&self, turn: HashPermit, password: String, hash: Option<String>) -> Result<bool, Error> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("patio_password_checks_total").increment(1);
        let unknown = self.dummy_cost();
        blocking(turn, move || match hash {
            Some(hash) => belongs(&password, &hash),
            None => digest(&unknown.argon()?, &password, DUMMY_SALT).map(|_| false),
        })
        .await
    }

    /// Returns whether a stored hash has a lower cost than the current cost and should be replaced.
    #[must_use]
    pub fn needs_rehash(&self, hash: &str) -> bool {
        self.cost.exceeds(hash)
    }

    /// Hashes a new password with a random salt.
    ///
    /// # Errors
    /// Returns `Busy` when too many requests wait for hashing, or the wait times out.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let permit = async { Some(HashPermit { _lane: None, _permit: self.permits.clone().acquire_owned().await.ok()? }) };
        let turn = self.wait(permit).await?;
        let cost = self.cost;
        blocking(turn, move || {
            cost.argon()?.hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(|cause| Error::Broken(cause.to_string()))
        })
        .await
    }
}

const DUMMY_SALT: &[u8; 16] = b"nobody has these";

thread_local! {
    /// Working memory of Argon2 for this thread, reused for every hash. If each hash allocated memory, the allocator would keep far more
    /// after many sign-ins.
    static HASH_MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Verifies a password against a PHC hash, with the algorithm and parameters named in the hash.
fn belongs(password: &str, hash: &str) -> Result<bool, Error> {
    let hash = PasswordHash::new(hash).map_err(broken)?;
    let algorithm = Algorithm::try_from(hash.algorithm.as_str()).map_err(broken)?;
    let version = hash.version.map_or(Ok(Version::default()), Version::try_from).map_err(broken)?;
    let argon = Argon2::new(algorithm, version, Params::try_from(&hash).map_err(broken)?);
    let (Some(salt), Some(made)) = (hash.salt, hash.hash) else {
        return Err(Error::Broken("a stored hash has no salt or no digest".to_owned()));
    };
    Ok(digest(&argon, password, &salt)? == made)
}

fn digest(argon: &Argon2<'_>, password: &str, salt: &[u8]) -> Result<Output, Error> {
    let mut out = [0; Output::MAX_LENGTH];
    let out = &mut out[..argon.params().output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    HASH_MEMORY.with_borrow_mut(|memory| {
        let needed = argon.params().block_count();
        if memory.len() < needed {
            memory.resize(needed, Block::default());
        }
        argon.hash_password_into_with_memory(password.as_bytes(), salt, out, &mut memory[..needed]).map_err(broken)
    })?;
    Output::new(out).map_err(broken)
}

fn broken(cause: impl std::fmt::Display) -> Error {
    Error::Broken(cause.to_string())
}

/// Guard of one place in the queue for hashing; dropping the guard frees the place.
struct Queued<'q>(&'q AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runtime whose blocking threads compute hashes, one per core.
///
/// Each hashing thread keeps the memory of one hash. On tokio's shared blocking pool, with its many threads, that
/// memory would add up.
static HASH_RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    Builder::new_current_thread().thread_name("hash").max_blocking_threads(cores).build()
});

/// Runs `work` on a hashing thread. The permit is released when the work ends, even if the caller has stopped waiting.
async fn blocking<T: Send + 'static>(turn: HashPermit, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let hashers = HASH_RUNTIME.as_ref().map_err(|cause| Error::Broken(cause.to_string()))?;
    let done = hashers.spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    done.await.map_err(|cause| Error::Broken(cause.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused_and_good_ones_are_not() {
        let long = "x".repeat(129);
        let common = ["password", "12345678", "11111111", "aaaaaaaa", "qwertyui", "senha123", "Patio2026", "register12", "Flamengo10"];
        for weak in ["", "1234567", "        ", "Register1", " register1 ", &long].into_iter().chain(common) {
            assert!(check(weak, "register1").is_err(), "{weak:.20?}");
        }
        for good in ["correct horse", "ção e açúcar", &"üa9ö-".repeat(25), " blanks around ", "yard-walk-2026!"] {
            assert!(check(good, "register1").is_ok(), "{good:.20?}");
        }
    }

    #[tokio::test]
    async fn blanks_around_a_password_belong_to_it() {
        let passwords = PasswordHasher::new(2);
        let hash = passwords.hash(" pass word ".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        for (tried, right) in [(" pass word ", true), ("pass word", false)] {
            let turn = passwords.acquire("a").await.unwrap();
            assert_eq!(passwords.verify(turn, tried.to_owned(), Some(hash.clone())).await.unwrap(), right);
        }
        assert_eq!(passwords.verification_count(), 2);
    }

    #[tokio::test]
    async fn a_hash_with_less_memory_or_fewer_passes_than_now_needs_a_rehash() {
        let ours = HashCost { memory: 64, passes: 2 };
        for (memory, passes, cheap) in [(64, 2, false), (128, 2, false), (64, 3, false), (32, 2, true), (64, 1, true), (128, 1, true)] {
            let hash = PasswordHasher::with_cost(1, HashCost { memory, passes }).hash("pass word".to_owned()).await.unwrap();
            assert_eq!(ours.exceeds(&hash), cheap, "{hash}");
        }
        assert!(!ours.exceeds("") && !ours.exceeds("rubbish"));
    }

    #[tokio::test]
    async fn the_dummy_cost_is_the_most_frequent_stored_cost() {
        let cheap = HashCost { memory: 64, passes: 1 };
        let [ours, theirs] = [PasswordHasher::default(), PasswordHasher::with_cost(1, cheap)];
        assert_eq!(ours.dummy_cost(), HashCost::default());
        let hash = async |by: &PasswordHasher| by.hash("pass word".to_owned()).await.unwrap();
        let (dear, cheaper) = (hash(&ours).await, hash(&theirs).await);
        ours.calibrate_dummy_cost(&[cheaper.clone(), dear.clone(), cheaper.clone(), String::new()]);
        assert_eq!(ours.dummy_cost(), cheap);
        ours.calibrate_dummy_cost(&[dear.clone(), cheaper, dear]);
        assert_eq!(ours.dummy_cost(), HashCost::default());
        ours.calibrate_dummy_cost(&[]);
        assert_eq!(ours.dummy_cost(), HashCost::default());
    }

    #[tokio::test]
    async fn a_wait_for_a_permit_times_out_within_two_seconds_and_leaves_the_queue() {
        let passwords = PasswordHasher::new(1);
        let held = passwords.acquire("a").await.unwrap();
        let started = std::time::Instant::now();
        assert!(matches!(passwords.acquire("b").await, Err(Error::Busy)));
        assert!(started.elapsed() < Duration::from_millis(2500));
        assert_eq!(passwords.waiting.load(Ordering::Relaxed), 0);
        drop(held);
        assert!(passwords.acquire("b").await.is_ok());
    }
}
