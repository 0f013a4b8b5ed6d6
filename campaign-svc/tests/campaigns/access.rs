//! Access rules: which roles and services may make which calls.
use crate::support::{ADMIN, MANAGER, OPERATOR, SERVICE, World, page, refused};
use patio_kit::errors::ErrorReason;
use patio_proto::{
    audit::{ListEventsRequest, audit_service_client::AuditServiceClient},
    campaign::{CampaignStatus, DeleteCampaignRequest, GetCampaignRequest, UpdateCampaignRequest},
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn calls_without_a_token_are_rejected() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let outside = (Code::Unauthenticated, ErrorReason::NotSignedIn);
        assert_eq!(refused(world.campaigns().list_campaigns(page(0, 10)).await), outside);
        assert_eq!(refused(world.campaigns().get_campaign(GetCampaignRequest { id, yard: None }).await), outside);
        assert_eq!(refused(world.campaigns().delete_campaign(DeleteCampaignRequest { id }).await), outside);
    })
    .await;
}

#[tokio::test]
async fn operators_cannot_delete_and_only_the_developer_reads_the_audit_log() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let denied = (Code::PermissionDenied, ErrorReason::NotAllowed);
        let delete = world.by(OPERATOR, DeleteCampaignRequest { id });
        assert_eq!(refused(world.campaigns().delete_campaign(delete).await), denied);
        for who in [OPERATOR, MANAGER, ADMIN, SERVICE] {
            let ask = world.by(who, ListEventsRequest { limit: 10, ..Default::default() });
            let answer = AuditServiceClient::new(world.host.channels.campaign.clone()).list_events(ask).await;
            assert_eq!(refused(answer), denied);
        }
    })
    .await;
}

#[tokio::test]
async fn a_service_without_a_user_cannot_edit_a_campaign() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", CampaignStatus::Ongoing).await;
        let rename = UpdateCampaignRequest { id, name: Some("Hose".to_owned()), ..Default::default() };
        assert_eq!(refused(world.save(SERVICE, rename).await), (Code::PermissionDenied, ErrorReason::FieldNotAllowed));
        assert_eq!(refused(world.step(SERVICE, id, CampaignStatus::Closed).await), (Code::PermissionDenied, ErrorReason::NotAllowed));
    })
    .await;
}
