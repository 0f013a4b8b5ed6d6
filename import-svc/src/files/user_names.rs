//! Display names of the users who changed vehicles.
use patio_kit::{
    client::{call_context::CallContext, service_channel::ServiceChannel},
    host::Clients,
};
use patio_proto::auth::{ResolveUserNamesRequest, user_service_client::UserServiceClient};
use std::collections::{BTreeSet, HashMap};

/// Cache of user names for one export.
pub struct UserNames {
    users: UserServiceClient<ServiceChannel>,
    bearer: CallContext,
    known: HashMap<i64, String>,
}

impl UserNames {
    /// Creates an empty cache of user names, which fetches names from auth-svc.
    #[must_use]
    pub fn new(links: &Clients, bearer: CallContext) -> Self {
        Self { users: UserServiceClient::new(links.auth.clone()), bearer, known: HashMap::new() }
    }

    /// Fetches the names of users that are not cached yet. If auth-svc is unavailable, `#` and the user id are used as the name.
    pub async fn fetch_missing(&mut self, ids: impl Iterator<Item = i64>) {
        let ids: BTreeSet<i64> = ids.filter(|id| !self.known.contains_key(id)).collect();
        if ids.is_empty() {
            return;
        }
        let ask = ResolveUserNamesRequest { ids: ids.iter().copied().collect() };
        match self.users.resolve_user_names(self.bearer.request(ask)).await {
            Ok(reply) => {
                let mut told = reply.into_inner().names;
                self.known.extend(ids.into_iter().map(|id| (id, told.remove(&id).unwrap_or_else(|| "removed".to_owned()))));
            }
            Err(cause) => {
                tracing::warn!(%cause, "failed to fetch user names from auth-svc");
                self.known.extend(ids.into_iter().map(|id| (id, format!("#{id}"))));
            }
        }
    }

    /// Returns the name of a user; empty if `id` is `None` because no user has changed the vehicle.
    #[must_use]
    pub fn name(&self, id: Option<i64>) -> String {
        id.and_then(|id| self.known.get(&id).cloned()).unwrap_or_default()
    }
}
