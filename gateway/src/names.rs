//! What people are called, asked for once and remembered for a little while.
use crate::bearer::Signed;
use moka::sync::Cache;
use patio_kit::link::Link;
use patio_proto::auth::{GetNamesRequest, user_service_client::UserServiceClient};
use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

/// What a person is called who is no user any more.
pub const REMOVED: &str = "removed";
/// How long a name is remembered.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The names of users.
pub struct Names {
    users: UserServiceClient<Link>,
    known: Cache<i64, String>,
}

/// The names of the people on one page.
#[derive(Debug, Clone, Default)]
pub struct People(HashMap<i64, String>);

impl People {
    /// What a person is called.
    #[must_use]
    pub fn name(&self, id: i64) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| REMOVED.to_owned())
    }
}

impl Names {
    /// Knows nobody yet.
    #[must_use]
    pub fn new(users: UserServiceClient<Link>) -> Self {
        Self { users, known: Cache::builder().max_capacity(20_000).time_to_live(REMEMBERED).build() }
    }

    /// Looks up everybody on a page, the unknown ones in one call.
    ///
    /// Pages are readable while auth-svc is away: a name that cannot be asked for is shown as its number.
    pub async fn of(&self, signed: &Signed, ids: impl IntoIterator<Item = i64>) -> People {
        let ids: BTreeSet<i64> = ids.into_iter().filter(|id| *id > 0).collect();
        let mut found: HashMap<i64, String> = ids.iter().filter_map(|id| Some((*id, self.known.get(id)?))).collect();
        let missing: Vec<i64> = ids.into_iter().filter(|id| !found.contains_key(id)).collect();
        if missing.is_empty() {
            return People(found);
        }
        match self.users.clone().get_names(signed.sign(GetNamesRequest { ids: missing.clone() })).await {
            Ok(reply) => {
                let told = reply.into_inner().names;
                for id in missing {
                    let name = told.get(&id).cloned().unwrap_or_else(|| REMOVED.to_owned());
                    self.known.insert(id, name.clone());
                    found.insert(id, name);
                }
            }
            Err(cause) => {
                tracing::warn!(%cause, "names cannot be asked for");
                found.extend(missing.into_iter().map(|id| (id, format!("#{id}"))));
            }
        }
        People(found)
    }
}
