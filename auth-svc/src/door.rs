//! Signing in: whether hmc and password belong together, and what is told of it.
use crate::{
    error::Error,
    hmc::Hmc,
    keys::{self, Holder, Keys, Minted},
    lockout::{
        Lockout, locked_out, own_password_buckets,
        rules::{BLOCK_MS, Buckets},
        sign_in_buckets,
    },
    password::{self, Passwords},
    people::{self, Act},
    sessions, signing,
    store::{
        export::subject,
        revocations, sessions as open_sessions,
        users::{self, Stored},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, Event},
    clock::Clock,
    db::{Db, Tx},
    identity::{Caller, Identity},
};
use serde_json::json;
use std::sync::Arc;

/// Most device marks of one browser that are looked at.
pub const MOST_MARKS: usize = 10;

/// A request that can be a sign-in.
pub struct Attempt {
    /// Whom it names.
    pub hmc: Hmc,
    /// What it offers.
    pub password: String,
    /// Where it comes from.
    pub address: String,
    /// What the browser keeps from earlier sign-ins, of several people; may be worthless.
    pub marks: Vec<String>,
    /// Whether the address has no try left, so that only a device that is known of this person may go on.
    pub is_limited: bool,
}

/// A person who is in.
pub struct Admitted {
    /// The token and its end.
    pub minted: Minted,
    /// Who it is.
    pub user: Stored,
    /// The mark for the browser to keep.
    pub mark: String,
}

/// A person who changes the own password.
pub struct OwnPassword {
    /// The one that must be right.
    pub old: String,
    /// The one to come.
    pub new: String,
    /// Where the call comes from.
    pub address: String,
}

/// Where people come in.
pub struct Door {
    /// The people.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// What this process believes of tokens.
    pub identity: Identity,
    /// What tokens are made with.
    pub keys: Arc<Keys>,
    /// Compares passwords.
    pub passwords: Passwords,
    /// Decides whether one may be compared.
    pub lockout: Lockout,
    /// How long a token lives.
    pub lives: TimeDelta,
    /// How long a key signs before it is succeeded.
    pub key_life: TimeDelta,
}

/// What is told, in words, of the attempts of one person.
struct Told {
    subject: String,
    address: String,
    wrong: &'static str,
}

impl Door {
    /// Lets a person in, or tells how many tries are left.
    ///
    /// Unknown hmcs take the same steps as known ones, down to the statements and the hash.
    ///
    /// # Errors
    /// `WrongCredentials`, `LockedOut`, `RateLimited`, `Busy`, and those of the database.
    pub async fn sign_in(&self, attempt: Attempt) -> Result<Admitted, Error> {
        // A flood without marks of ours ends here, at the cost of no statement.
        let marks: Vec<&String> = attempt.marks.iter().take(MOST_MARKS).filter(|mark| self.keys.is_mark(mark)).collect();
        if attempt.is_limited && marks.is_empty() {
            return Err(Error::RateLimited);
        }
        let account = self.keys.account(&attempt.hmc.key);
        let stored = users::by_hmc(&self.db, &attempt.hmc.key).await?;
        let known = stored
            .as_ref()
            .and_then(|user| marks.into_iter().find_map(|mark| Some((mark.clone(), self.keys.marked(mark, user.id, user.token_version)?))));
        if attempt.is_limited && known.is_none() {
            return Err(Error::RateLimited);
        }
        let (kept, mark) = known.unzip();
        let buckets = sign_in_buckets(&account, &self.keys.place(&attempt.address), mark.as_deref());
        let told = Told {
            subject: stored.as_ref().map_or_else(|| format!("unknown hmc {account}"), |user| subject(user.id)),
            address: attempt.address.clone(),
            wrong: "a sign-in failed",
        };
        let hash = stored.as_ref().and_then(Stored::hash);
        let left = match self.compare(&account, &buckets, attempt.password.clone(), hash).await? {
            Compared::Right(left) => {
                let known = async |user| self.admit(self.renewed(user, attempt.password).await, &attempt.address, &buckets).await;
                if let Some(user) = stored
                    && let Some(admitted) = known(user).await?
                {
                    return Ok(Admitted { mark: kept.unwrap_or(admitted.mark), ..admitted });
                }
                left
            }
            Compared::Wrong(left) => left,
        };
        Err(self.refuse(told, left, |left| Error::WrongCredentials { left }).await)
    }

    /// Books a try, then compares: never the other way round.
    async fn compare(&self, account: &str, buckets: &Buckets, password: String, hash: Option<String>) -> Result<Compared, Error> {
        self.lockout.look(buckets).await?;
        let turn = self.passwords.turn(account).await?;
        let left = self.lockout.reserve(buckets).await?;
        let right = self.passwords.is_right(turn, password, hash).await?;
        Ok(if right { Compared::Right(left) } else { Compared::Wrong(left) })
    }

    /// The person with a dearer hash of the password that was right, when the stored one is cheaper
    /// than those made now. A crowd at the door is no reason to refuse: it is done another time.
    async fn renewed(&self, user: Stored, password: String) -> (Stored, bool) {
        if !self.passwords.is_cheap(&user.password_hash) {
            return (user, false);
        }
        match self.passwords.hash(password).await {
            Ok(password_hash) => (Stored { password_hash, ..user }, true),
            Err(cause) => {
                tracing::debug!(%cause, "a password was not hashed again");
                (user, false)
            }
        }
    }

    /// Notes the sign-in and makes the token; none when the person was changed during the comparison.
    async fn admit(&self, (user, renewed): (Stored, bool), address: &str, buckets: &Buckets) -> Result<Option<Admitted>, Error> {
        let now = self.clock.now();
        let hash = renewed.then(|| user.password_hash.clone());
        let (session, lives) = (keys::session(), self.lives);
        let begun = session.clone();
        let (entry, settled, id, version) = (Self::came_in(&user, address, now), buckets.clone(), user.id, user.token_version);
        let made_at = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    let Some(made_at) = users::signed_in(tx, id, version, now).await? else { return Ok(None) };
                    if let Some(hash) = hash {
                        users::renew_hash(tx, id, &hash).await?;
                    }
                    open_sessions::begin(tx, &begun, id, made_at + lives.num_milliseconds(), now).await?;
                    Lockout::settle(tx, &settled, now.timestamp_millis()).await?;
                    audit::append(tx, now, Some(&entry.0), entry.1).await?;
                    Ok::<_, Error>(Some(made_at))
                })
            })
            .await?;
        let Some(made_at) = made_at else { return Ok(None) };
        self.lockout.settled(buckets).await;
        let minted = self.keys.mint(Holder { subject: id.to_string(), role: user.role(), session }, made_at, lives)?;
        let mark = self.keys.mark(id, version)?;
        Ok(Some(Admitted { minted, user: Stored { last_login_at: Some(now), ..user }, mark }))
    }

    fn came_in(user: &Stored, address: &str, now: DateTime<Utc>) -> (Caller, Event) {
        let who = Caller { user_id: user.id, role: user.role(), session_id: String::new(), issued_at: now, expires_at: now };
        let event = Event {
            kind: "login",
            subject: subject(user.id),
            summary: "signed in".to_owned(),
            address: address.to_owned(),
            ..Event::default()
        };
        (who, event)
    }

    /// Notes a failure and says it: the fifth is a lockout.
    async fn refuse(&self, told: Told, left: i64, wrong: impl FnOnce(i64) -> Error) -> Error {
        let now = self.clock.now();
        let (kind, summary, error) = match left {
            0 => ("lockout", format!("{}, the fifth time: blocked for 180 seconds", told.wrong), locked_out(BLOCK_MS)),
            left => ("login-failed", format!("{}, {left} attempts left", told.wrong), wrong(left)),
        };
        metrics::counter!("patio_sign_in_failures_total", "kind" => kind).increment(1);
        let event = Event { kind, subject: told.subject, summary, address: told.address, ..Event::default() };
        match self.db.write(move |tx| Box::pin(async move { audit::append(tx, now, None, event).await })).await {
            Ok(()) => error,
            Err(cause) => Error::Database(cause),
        }
    }

    /// Changes one's own password; all one's sessions end.
    ///
    /// # Errors
    /// `WrongOldPassword`, `LockedOut` after five of them, `BadPassword` and those of the database.
    pub async fn change_own_password(&self, caller: &Caller, change: OwnPassword) -> Result<Stored, Error> {
        let user = users::by_id(&self.db, caller.person().ok_or(Error::NotAllowed)?).await?.ok_or(Error::NotSignedIn)?;
        password::check(&change.new, &user.hmc_key)?;
        let account = self.keys.account(&user.hmc_key);
        let buckets = own_password_buckets(&account, &self.keys.place(&change.address));
        if let Compared::Wrong(left) = self.compare(&account, &buckets, change.old, user.hash()).await? {
            let told = Told { subject: subject(user.id), address: change.address, wrong: "gave a wrong old password" };
            return Err(self.refuse(told, left, |left| Error::WrongOldPassword { left }).await);
        }
        let changed = Stored { password_hash: self.passwords.hash(change.new).await?, ..user };
        self.replace_password(caller.clone(), changed.clone(), &buckets, change.address).await?;
        Ok(changed)
    }

    async fn replace_password(&self, caller: Caller, user: Stored, buckets: &Buckets, address: String) -> Result<(), Error> {
        let (now, settled) = (self.clock.now(), buckets.clone());
        let ended = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    users::lock(tx).await?;
                    if users::current(tx, user.id).await?.is_none_or(|now| now.token_version != user.token_version) {
                        return Err(Error::NotSignedIn);
                    }
                    users::update(tx, &user).await?;
                    let ended = users::end_sessions(tx, user.id, now).await?;
                    Lockout::settle(tx, &settled, now.timestamp_millis()).await?;
                    note_own_password(tx, &caller, address, now).await?;
                    Ok(ended)
                })
            })
            .await?;
        self.lockout.settled(buckets).await;
        sessions::forget_here(&self.identity, ended);
        Ok(())
    }

    /// Lifts every block and limit that failures have put on a person; whether there was one.
    ///
    /// # Errors
    /// `ReservedUser`, `NoUser`, and those of the database.
    pub async fn lift_lockout(&self, act: Act, id: i64) -> Result<bool, Error> {
        people::check_touchable(id)?;
        let user = users::by_id(&self.db, id).await?.ok_or(Error::NoUser(id))?;
        let account = self.keys.account(&user.hmc_key);
        let lifted = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    people::begin(tx, &act).await?;
                    let lifted = Lockout::lift(tx, &account, act.now.timestamp_millis()).await?;
                    if !lifted.is_empty() {
                        people::note(tx, &act, id, "lifted the lockout", [None, None]).await?;
                    }
                    Ok::<_, Error>(lifted)
                })
            })
            .await?;
        self.lockout.lifted(&lifted).await;
        Ok(!lifted.is_empty())
    }

    /// Forgets revocations and lockouts that have no effect any more, and looks after keys and the cost of hashes.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn tidy(&self) -> Result<(), Error> {
        let now = self.clock.now();
        self.db.write(move |tx| Box::pin(async move { revocations::forget(tx, now).await })).await?;
        signing::turn_over(&self.db, now, self.key_life).await?;
        self.passwords.follow(&users::hashes(&self.db).await?);
        self.lockout.tidy().await
    }
}

/// What came of a comparison, and how many tries are left beside it.
enum Compared {
    Right(i64),
    Wrong(i64),
}

async fn note_own_password(tx: &mut Tx<'_>, caller: &Caller, address: String, now: DateTime<Utc>) -> Result<(), Error> {
    let event = Event {
        kind: "user-changed",
        subject: subject(caller.user_id),
        summary: "changed the own password".to_owned(),
        new: Some(json!({ "password": "changed" })),
        address,
        ..Event::default()
    };
    Ok(audit::append(tx, now, Some(caller), event).await?)
}
