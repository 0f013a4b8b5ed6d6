//! gRPC service for pending saves: each device reports how many saves the device has not sent to the server yet.
use super::{ApiContext, Reply, device, reply};
use crate::{
    error::Error,
    live::pending_saves,
    store::{campaigns, pending_saves as store},
};
use patio_kit::auth::identity;
use patio_proto::vehicle::{self as pb, pending_save_service_server::PendingSaveService};
use tonic::Request;

/// gRPC service that stores and lists the devices' reports of pending saves (saves not sent to the server yet).
pub struct PendingSaveApi(pub ApiContext);

#[tonic::async_trait]
impl PendingSaveService for PendingSaveApi {
    async fn report_pending_saves(&self, request: Request<pb::ReportPendingSavesRequest>) -> Reply<pb::ReportPendingSavesResponse> {
        let user = identity::authenticated_caller(&request)?.user_id;
        let pb::ReportPendingSavesRequest { device: name, held: reports } = request.into_inner();
        device(&name)?;
        if name.is_empty() {
            return Err(Error::InvalidField("device: must have 1 to 64 characters".to_owned()).into());
        }
        let (reports, now) = (pending_saves::validate_device_reports(&reports)?, self.0.clock.now());
        self.0
            .db
            .write(move |tx| Box::pin(async move { pending_saves::replace_device_reports(tx, user, &name, &reports, now).await }))
            .await?;
        reply(pb::ReportPendingSavesResponse {})
    }

    async fn list_pending_saves(&self, request: Request<pb::ListPendingSavesRequest>) -> Reply<pb::ListPendingSavesResponse> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.0.db, id).await.map_err(Error::from)?.ok_or(Error::CampaignNotFound(id))?;
        let (held, (devices, saves)) =
            tokio::try_join!(store::list_device_reports(&self.0.db, id), store::count_devices_and_saves(&self.0.db, id))
                .map_err(Error::from)?;
        reply(pb::ListPendingSavesResponse { devices, saves, held: held.into_iter().map(Into::into).collect() })
    }
}
