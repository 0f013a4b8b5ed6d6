//! Work that devices hold and have not sent.
use super::{Reply, device, reply};
use crate::{
    error::Error,
    held,
    store::{campaigns, held as store},
};
use patio_kit::{clock::Clock, db::Db, host::Host, identity};
use patio_proto::vehicle::{self as pb, held_service_server::HeldService};
use tonic::Request;

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db) -> Self {
        Self { db, clock: host.clock.clone() }
    }
}

#[tonic::async_trait]
impl HeldService for Api {
    async fn set_held(&self, request: Request<pb::SetHeldRequest>) -> Reply<pb::SetHeldReply> {
        let user = identity::caller(&request)?.user_id;
        let pb::SetHeldRequest { device: name, held: told } = request.into_inner();
        device(&name)?;
        if name.is_empty() {
            return Err(Error::Bad("device: it is 1 to 64 characters".to_owned()).into());
        }
        let (told, now) = (held::read(&told)?, self.clock.now());
        self.db.write(move |tx| Box::pin(async move { held::keep(tx, user, &name, &told, now).await })).await?;
        reply(pb::SetHeldReply {})
    }

    async fn get_held(&self, request: Request<pb::GetHeldRequest>) -> Reply<pb::GetHeldReply> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.db, id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(id))?;
        let (held, (devices, saves)) = tokio::try_join!(store::of(&self.db, id), store::count(&self.db, id)).map_err(Error::from)?;
        reply(pb::GetHeldReply { devices, saves, held: held.into_iter().map(Into::into).collect() })
    }
}
