//! The first start on an empty database, and what every start makes sure of.
use crate::{
    config::Config,
    error::Error,
    hmc::Hmc,
    keys,
    password::{self, Passwords},
    store::users::{self, New},
};
use anyhow::Context;
use chrono::{DateTime, Utc};
use futures::{FutureExt, TryFutureExt};
use patio_kit::{
    audit::{self, Event},
    db::{Db, Tx},
    host::Host,
    identity::DEVELOPER,
    secret::Secret,
};
use patio_proto::access::Role;
use std::sync::Arc;

/// The id of the first supervisor.
const FIRST: i64 = 2;
/// Characters that nobody confuses, 32 of them, so that each byte of chance gives one evenly.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz123456789";

/// Who is made on an empty database.
struct Founders {
    developer: Hmc,
    admin: Hmc,
    admin_hash: String,
    /// The password to be told once, when it was made up here.
    told: Option<String>,
}

/// Makes the keys, and the first two users when there are none; returns the lines to print once.
///
/// # Errors
/// When the configured hmcs or passwords cannot be taken, or the database fails other than by being away.
pub async fn prepare(host: &Host, db: &Db, config: &Config, passwords: &Passwords) -> anyhow::Result<Vec<String>> {
    let developer = Hmc::parse(&config.developer_hmc).context("PATIO_DEVELOPER_HMC cannot be taken")?;
    let is_new = !host.once_there(|| users::any(db).map_err(Error::told).boxed()).await?;
    let founders = if is_new { Some(Arc::new(founders(config, developer.clone(), passwords).await?)) } else { None };
    let establishing = || {
        let (founders, now) = (founders.clone(), host.clock.now());
        db.write(move |tx| Box::pin(async move { establish(tx, founders.as_deref(), now).await })).map_err(Error::told).boxed()
    };
    let notices = host.once_there(establishing).await?;
    if let Some(password) = &config.developer_password {
        host.once_there(|| give_developer_password(db, password, &developer, passwords).boxed()).await?;
    }
    Ok(notices)
}

async fn founders(config: &Config, developer: Hmc, passwords: &Passwords) -> anyhow::Result<Founders> {
    let admin = Hmc::parse(&config.admin_hmc).context("PATIO_ADMIN_HMC cannot be taken")?;
    anyhow::ensure!(admin.key != developer.key, "PATIO_ADMIN_HMC and PATIO_DEVELOPER_HMC must differ");
    let (password, told) = match &config.admin_password {
        Some(given) => (given.expose().to_owned(), None),
        None => {
            let made = generate()?;
            (made.clone(), Some(made))
        }
    };
    password::check(&password, &admin.key).context("PATIO_ADMIN_PASSWORD cannot be taken")?;
    let admin_hash = passwords.hash(password).await?;
    Ok(Founders { developer, admin, admin_hash, told })
}

/// Twenty characters in four groups, 100 bits.
fn generate() -> Result<String, Error> {
    let chance = keys::chance::<20>()?;
    let groups: Vec<String> =
        chance.chunks(5).map(|group| group.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()).collect();
    Ok(groups.join("-"))
}

/// Only the replica that finds nobody makes the founders, and only it has something to tell.
async fn establish(tx: &mut Tx<'_>, founders: Option<&Founders>, now: DateTime<Utc>) -> Result<Vec<String>, Error> {
    users::lock(tx).await?;
    keys::make_missing(tx, now).await?;
    let Some(founders) = founders else { return Ok(Vec::new()) };
    if users::current(tx, DEVELOPER).await?.is_some() {
        // It may have made them itself, and the connection was lost before it heard so.
        let first = users::current(tx, FIRST).await?.and_then(|stored| stored.hash());
        return Ok(if first.as_ref() == Some(&founders.admin_hash) { notices(founders) } else { Vec::new() });
    }
    let notices = notices(founders);
    let developer = New { id: Some(DEVELOPER), hmc: founders.developer.clone(), role: Role::Admin, password_hash: String::new() };
    let admin = New { id: Some(FIRST), hmc: founders.admin.clone(), role: Role::Admin, password_hash: founders.admin_hash.clone() };
    for new in [developer, admin] {
        let made = users::insert(tx, &new, now).await?;
        let subject = crate::store::export::subject(made.id);
        let event = Event { kind: "user-changed", subject, summary: "made on the first start".to_owned(), ..Event::default() };
        audit::append(tx, now, None, event).await?;
    }
    Ok(notices)
}

fn notices(founders: &Founders) -> Vec<String> {
    let Some(password) = &founders.told else { return Vec::new() };
    vec![
        "The first supervisor has been made; this is shown only once:".to_owned(),
        format!("  HMC: {}", founders.admin.text),
        format!("  Password: {password}"),
    ]
}

async fn give_developer_password(db: &Db, password: &Secret, hmc: &Hmc, passwords: &Passwords) -> anyhow::Result<()> {
    if users::by_id(db, DEVELOPER).await.map_err(Error::told)?.is_none_or(|stored| stored.hash().is_some()) {
        return Ok(());
    }
    password::check(password.expose(), &hmc.key).context("PATIO_DEVELOPER_PASSWORD cannot be taken")?;
    let hash = passwords.hash(password.expose().to_owned()).await?;
    db.write(move |tx| Box::pin(async move { users::set_missing_password(tx, DEVELOPER, &hash).await })).await.map_err(Error::told)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Told {
        #[command(flatten)]
        settings: patio_kit::config::Settings,
    }

    fn made_up(password: &str) -> Arc<Founders> {
        let hmc = |text| Hmc::parse(text).unwrap();
        let (admin_hash, told) = (format!("a hash of {password}"), Some(password.to_owned()));
        Arc::new(Founders { developer: hmc("9000"), admin: hmc("1000"), admin_hash, told })
    }

    #[tokio::test]
    async fn who_lost_the_answer_tells_the_password_when_it_asks_again_and_nobody_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let told: Told = clap::Parser::parse_from(["x", "--data-dir", folder.path().to_str().unwrap()]);
        let db = Db::open(crate::SCHEMA, &told.settings).await.unwrap();
        db.migrate(crate::SCHEMA).await.unwrap();
        let establishing = async |founders: &Arc<Founders>| {
            let founders = founders.clone();
            db.write(move |tx| Box::pin(async move { establish(tx, Some(&founders), patio_kit::clock::Clock::default().now()).await }))
                .await
                .unwrap()
        };
        let (own, other) = (made_up("one"), made_up("another"));
        let first = establishing(&own).await;
        assert!(first[2].ends_with("one"), "{first:?}");
        assert_eq!(establishing(&other).await, [""; 0], "its founders are not those who were made");
        assert_eq!(establishing(&own).await, first);
        db.close().await;
    }

    #[test]
    fn a_generated_password_is_long_readable_and_never_the_same() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert!(one.len() == 23 && one != other, "{one} {other}");
        assert!(one.chars().all(|c| c == '-' || ALPHABET.contains(&(c as u8))), "{one}");
        assert!(password::check(&one, "1000").is_ok());
    }
}
