//! Short-lived cache of user names, so that lists can show names instead of user ids.
use crate::client::{call_context::CallContext, service_channel::ServiceChannel};
use moka::sync::Cache;
use patio_proto::auth::{ResolveUserNamesRequest, user_service_client::UserServiceClient};
use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

/// Text shown instead of the name of a deleted user.
const DELETED_USER: &str = "removed";
/// Time for which a user name stays in the cache.
const CACHE_LIFETIME: Duration = Duration::from_secs(30);

/// Cache of user names, filled from auth-svc on demand.
pub struct UserNameCache {
    users: UserServiceClient<ServiceChannel>,
    known: Cache<i64, String>,
}

/// Display names of users, by user id.
#[derive(Debug, Clone, Default)]
pub struct UserNameMap(HashMap<i64, String>);

impl UserNameMap {
    /// Returns the name of a user, or `removed` when the user no longer exists.
    #[must_use]
    pub fn name(&self, id: i64) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| DELETED_USER.to_owned())
    }

    /// Returns `true` when the map contains a display name for the user, so that the name need not be resolved again.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.0.contains_key(&id)
    }

    /// Adds all names of the map `other` to this map.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

impl UserNameCache {
    /// Creates an empty cache of user names.
    #[must_use]
    pub fn new(users: UserServiceClient<ServiceChannel>) -> Self {
        Self { users, known: Cache::builder().max_capacity(20_000).time_to_live(CACHE_LIFETIME).build() }
    }

    /// Returns the names of the users with the given ids, with one call to auth-svc for the names that are not in the cache.
    ///
    /// While auth-svc is unavailable, a name that is not cached is replaced by the user's id, such as `#7`.
    pub async fn resolve_names(&self, caller: &CallContext, ids: impl IntoIterator<Item = i64>) -> UserNameMap {
        let ids: BTreeSet<i64> = ids.into_iter().filter(|id| *id > 0).collect();
        let mut found: HashMap<i64, String> = ids.iter().filter_map(|id| Some((*id, self.known.get(id)?))).collect();
        let missing: Vec<i64> = ids.into_iter().filter(|id| !found.contains_key(id)).collect();
        if missing.is_empty() {
            return UserNameMap(found);
        }
        match self.users.clone().resolve_user_names(caller.grpc_request(ResolveUserNamesRequest { ids: missing.clone() })).await {
            Ok(reply) => {
                let names = reply.into_inner().names;
                for id in missing {
                    let name = names.get(&id).cloned().unwrap_or_else(|| DELETED_USER.to_owned());
                    self.known.insert(id, name.clone());
                    found.insert(id, name);
                }
            }
            Err(cause) => {
                tracing::warn!(%cause, "failed to load user names from auth-svc, showing user ids instead");
                found.extend(missing.into_iter().map(|id| (id, format!("#{id}"))));
            }
        }
        UserNameMap(found)
    }
}
