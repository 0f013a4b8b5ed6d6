//! Passwords: what is accepted as one, and the dear work of hashing, which is bounded.
use crate::{error::Error, hmc};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{
        PasswordHasher,
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

/// The fewest characters of a password.
pub const SHORTEST: usize = 8;
/// The most characters of a password.
pub const LONGEST: usize = 128;
/// How long anybody waits for a turn, so that who gets none is told so within two seconds.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// How many accounts can wait for a hashing permit at once, one request each.
const LANES: usize = 64;
/// How many requests may wait at all; a waiting one holds little more than itself.
const MOST_WAITING: usize = 512;

/// How many guesses a new password has to withstand, as a power of ten.
const LEAST_GUESSES: f64 = 6.0;
/// How many characters of it are judged by that; more make it no easier to guess.
const JUDGED: usize = 64;
/// Words beside the common ones of English that people here make passwords of.
const WORDS: [&str; 24] = [
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

/// Judges a new password.
///
/// # Errors
/// When it is too short, too long, blank, the hmc itself, or one of those that are tried first.
pub fn check(password: &str, hmc_key: &str) -> Result<(), Error> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err(Error::BadPassword("must have at least 8 characters"));
    }
    if length > LONGEST {
        return Err(Error::BadPassword("must have at most 128 characters"));
    }
    if password.trim().is_empty() {
        return Err(Error::BadPassword("must not be blank"));
    }
    if hmc::key(password) == hmc_key {
        return Err(Error::BadPassword("must not be the hmc"));
    }
    if guesses(password, hmc_key) < LEAST_GUESSES {
        return Err(Error::BadPassword("must not be easy to guess; take several words, or a longer one"));
    }
    Ok(())
}

/// How many guesses somebody needs who knows words, names, dates, keyboards and the hmc, as a power of ten.
fn guesses(password: &str, hmc_key: &str) -> f64 {
    let judged: String = password.chars().take(JUDGED).collect();
    let own: Vec<&str> = WORDS.into_iter().chain([hmc_key]).collect();
    zxcvbn::zxcvbn(&judged, &own).guesses_log10()
}

/// How dear one hash is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    /// The memory it takes, in KiB.
    pub memory: u32,
    /// The passes over it.
    pub passes: u32,
}

impl Default for Cost {
    fn default() -> Self {
        Self { memory: 19_456, passes: 2 }
    }
}

impl Cost {
    fn argon(self) -> Result<Argon2<'static>, Error> {
        let params = Params::new(self.memory, self.passes, 1, None).map_err(|cause| Error::Broken(cause.to_string()))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// What a hash took to make; none when it cannot be read.
    fn of(hash: &str) -> Option<Self> {
        let made = Params::try_from(&PasswordHash::new(hash).ok()?).ok()?;
        Some(Self { memory: made.m_cost(), passes: made.t_cost() })
    }

    /// Whether a hash was cheaper to make; one that cannot be read is not judged here.
    fn exceeds(self, hash: &str) -> bool {
        Self::of(hash).is_some_and(|made| made.memory < self.memory || made.passes < self.passes)
    }
}

/// Checks and makes hashes, as many at once as there are cores; clones share the bounds.
#[derive(Clone)]
pub struct Passwords {
    permits: Arc<Semaphore>,
    lanes: Arc<Vec<Arc<Semaphore>>>,
    lane_of: RandomState,
    waiting: Arc<AtomicUsize>,
    checks: Arc<AtomicU64>,
    cost: Cost,
    commonest: Arc<Mutex<Cost>>,
}

/// The right to make one hash now.
pub struct Turn {
    _lane: Option<OwnedSemaphorePermit>,
    _permit: OwnedSemaphorePermit,
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(2, usize::from))
    }
}

impl Passwords {
    /// Makes at most so many hashes at once.
    #[must_use]
    pub fn new(cores: usize) -> Self {
        Self::costing(cores, Cost::default())
    }

    /// Makes at most so many hashes at once, each at this cost.
    #[must_use]
    pub fn costing(cores: usize, cost: Cost) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(cores)),
            lanes: Arc::new((0..LANES).map(|_| Arc::new(Semaphore::new(1))).collect()),
            lane_of: RandomState::new(),
            waiting: Arc::default(),
            checks: Arc::default(),
            cost,
            commonest: Arc::new(Mutex::new(cost)),
        }
    }

    /// How many wait for their password to be hashed.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many passwords have been compared with a hash.
    #[must_use]
    pub fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    /// Waits for the right to compare one password.
    ///
    /// Requests for one account pass one by one, so that a storm on it neither fills the queue
    /// before the hashing nor delays anybody else, and is refused as soon as the account is blocked.
    ///
    /// # Errors
    /// Busy when too many wait, or the wait is too long.
    pub async fn turn(&self, account: &str) -> Result<Turn, Error> {
        let lane = usize::try_from(self.lane_of.hash_one(account) % LANES as u64).unwrap_or_default();
        self.wait(async {
            let lane = self.lanes[lane].clone().acquire_owned().await.ok();
            Some(Turn { _lane: lane, _permit: self.permits.clone().acquire_owned().await.ok()? })
        })
        .await
    }

    async fn wait(&self, turn: impl Future<Output = Option<Turn>>) -> Result<Turn, Error> {
        let queue = Queued(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return Err(Error::Busy);
        }
        let came = tokio::time::timeout(PATIENCE, turn).await;
        drop(queue);
        came.ok().flatten().ok_or(Error::Busy)
    }

    /// Takes note of what the stored hashes cost: a person nobody knows costs what most people do, also
    /// while hashes of an earlier cost are replaced one by one.
    pub fn follow(&self, hashes: &[String]) {
        let mut counted: HashMap<Cost, usize> = HashMap::new();
        for cost in hashes.iter().filter_map(|hash| Cost::of(hash)) {
            *counted.entry(cost).or_default() += 1;
        }
        let commonest = counted.into_iter().max_by_key(|(cost, count)| (*count, *cost));
        *self.commonest.lock().unwrap_or_else(PoisonError::into_inner) = commonest.map_or(self.cost, |(cost, _)| cost);
    }

    /// What a comparison costs for a person nobody knows.
    #[must_use]
    pub fn unknown(&self) -> Cost {
        *self.commonest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the password belongs to the hash; without a hash it takes as long and is wrong.
    ///
    /// # Errors
    /// When the stored hash cannot be read.
    pub async fn is_right(&self, turn: Turn, password: String, hash: Option<String>) -> Result<bool, Error> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("patio_password_checks_total").increment(1);
        let unknown = self.unknown();
        blocking(turn, move || match hash {
            Some(hash) => belongs(&password, &hash),
            None => digest(&unknown.argon()?, &password, NOBODYS_SALT).map(|_| false),
        })
        .await
    }

    /// Whether a stored hash was cheaper to make than one made now.
    #[must_use]
    pub fn is_cheap(&self, hash: &str) -> bool {
        self.cost.exceeds(hash)
    }

    /// Makes the hash of a new password.
    ///
    /// # Errors
    /// Busy as with [`Self::turn`].
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let permit = async { Some(Turn { _lane: None, _permit: self.permits.clone().acquire_owned().await.ok()? }) };
        let turn = self.wait(permit).await?;
        let cost = self.cost;
        blocking(turn, move || {
            cost.argon()?.hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(|cause| Error::Broken(cause.to_string()))
        })
        .await
    }
}

const NOBODYS_SALT: &[u8; 16] = b"nobody has these";

thread_local! {
    /// The memory of a hash, kept by each thread that makes them: asked for anew for every hash, a storm of them would
    /// leave the allocator with many times as much.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Whether a password belongs to a hash, made with whatever parameters it names.
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
    MEMORY.with_borrow_mut(|memory| {
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

/// One place in the queue, given back however the wait ends.
struct Queued<'q>(&'q AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The threads that hash, as many as there are cores.
///
/// They are few and their own because an allocator keeps what a thread gave back for that thread: on
/// the threads that all blocking work shares, each would in time hold the memory of one hash.
static HASHERS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    Builder::new_current_thread().thread_name("hash").max_blocking_threads(cores).build()
});

/// Runs the work off the async threads; the turn ends with the work, even when nobody waits for it any more.
async fn blocking<T: Send + 'static>(turn: Turn, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let hashers = HASHERS.as_ref().map_err(|cause| Error::Broken(cause.to_string()))?;
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
        let passwords = Passwords::new(2);
        let hash = passwords.hash(" pass word ".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        for (tried, right) in [(" pass word ", true), ("pass word", false)] {
            let turn = passwords.turn("a").await.unwrap();
            assert_eq!(passwords.is_right(turn, tried.to_owned(), Some(hash.clone())).await.unwrap(), right);
        }
        assert_eq!(passwords.checks(), 2);
    }

    #[tokio::test]
    async fn a_hash_is_cheap_when_it_took_less_memory_or_fewer_passes_than_one_made_now() {
        let ours = Cost { memory: 64, passes: 2 };
        for (memory, passes, cheap) in [(64, 2, false), (128, 2, false), (64, 3, false), (32, 2, true), (64, 1, true), (128, 1, true)] {
            let hash = Passwords::costing(1, Cost { memory, passes }).hash("pass word".to_owned()).await.unwrap();
            assert_eq!(ours.exceeds(&hash), cheap, "{hash}");
        }
        assert!(!ours.exceeds("") && !ours.exceeds("rubbish"));
    }

    #[tokio::test]
    async fn whom_nobody_knows_costs_what_most_people_do() {
        let cheap = Cost { memory: 64, passes: 1 };
        let [ours, theirs] = [Passwords::default(), Passwords::costing(1, cheap)];
        assert_eq!(ours.unknown(), Cost::default());
        let hash = async |by: &Passwords| by.hash("pass word".to_owned()).await.unwrap();
        let (dear, cheaper) = (hash(&ours).await, hash(&theirs).await);
        ours.follow(&[cheaper.clone(), dear.clone(), cheaper.clone(), String::new()]);
        assert_eq!(ours.unknown(), cheap);
        ours.follow(&[dear.clone(), cheaper, dear]);
        assert_eq!(ours.unknown(), Cost::default());
        ours.follow(&[]);
        assert_eq!(ours.unknown(), Cost::default());
    }

    #[tokio::test]
    async fn whoever_cannot_get_a_turn_is_told_so_within_two_seconds_and_leaves_the_queue() {
        let passwords = Passwords::new(1);
        let held = passwords.turn("a").await.unwrap();
        let started = std::time::Instant::now();
        assert!(matches!(passwords.turn("b").await, Err(Error::Busy)));
        assert!(started.elapsed() < Duration::from_millis(2500));
        assert_eq!(passwords.waiting.load(Ordering::Relaxed), 0);
        drop(held);
        assert!(passwords.turn("b").await.is_ok());
    }
}
