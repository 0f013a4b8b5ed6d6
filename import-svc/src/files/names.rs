//! What the people who changed vehicles are called.
use patio_kit::{
    host::Links,
    link::{Bearer, Link},
};
use patio_proto::auth::{GetNamesRequest, user_service_client::UserServiceClient};
use std::collections::{BTreeSet, HashMap};

/// Names that have been asked for, each once.
pub struct Names {
    users: UserServiceClient<Link>,
    bearer: Bearer,
    known: HashMap<i64, String>,
}

impl Names {
    /// Knows nobody yet.
    #[must_use]
    pub fn new(links: &Links, bearer: Bearer) -> Self {
        Self { users: UserServiceClient::new(links.auth.clone()), bearer, known: HashMap::new() }
    }

    /// Asks for those who are not known yet; while auth-svc is away people are told by their number.
    pub async fn learn(&mut self, ids: impl Iterator<Item = i64>) {
        let ids: BTreeSet<i64> = ids.filter(|id| !self.known.contains_key(id)).collect();
        if ids.is_empty() {
            return;
        }
        let ask = GetNamesRequest { ids: ids.iter().copied().collect() };
        match self.users.get_names(self.bearer.sign(ask)).await {
            Ok(reply) => {
                let mut told = reply.into_inner().names;
                self.known.extend(ids.into_iter().map(|id| (id, told.remove(&id).unwrap_or_else(|| "removed".to_owned()))));
            }
            Err(cause) => {
                tracing::warn!(%cause, "names cannot be asked for");
                self.known.extend(ids.into_iter().map(|id| (id, format!("#{id}"))));
            }
        }
    }

    /// What somebody is called; empty for nobody.
    #[must_use]
    pub fn name(&self, id: Option<i64>) -> String {
        id.and_then(|id| self.known.get(&id).cloned()).unwrap_or_default()
    }
}
