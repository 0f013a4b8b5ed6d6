//! Pending saves: reports of devices about saves that wait in their outboxes.
use crate::yard::{CAMPAIGN, Yard};
use chrono::TimeDelta;
use patio_kit::{
    clock,
    errors::{ErrorReason, reason},
};
use patio_proto::{access::Role, vehicle as pb};
use patio_testing::each_database;
use tonic::{Response, Status};

impl Yard {
    fn work(&self, campaign_id: i64, saves: i64) -> pb::PendingSaves {
        let oldest_at = Some(clock::to_timestamp(self.host.clock.now() - TimeDelta::hours(3)));
        pb::PendingSaves { campaign_id, saves, oldest_at }
    }

    async fn holds(&self, who: i64, device: &str, held: Vec<pb::PendingSaves>) -> Result<(), Status> {
        let ask = pb::ReportPendingSavesRequest { device: device.into(), held };
        self.held().report_pending_saves(self.person(who, Role::Operator).grpc_request(ask)).await.map(drop)
    }

    async fn held_here(&self) -> pb::ListPendingSavesResponse {
        let ask = pb::ListPendingSavesRequest { campaign_id: CAMPAIGN };
        self.held().list_pending_saves(self.person(3, Role::Manager).grpc_request(ask)).await.map(Response::into_inner).unwrap()
    }
}

#[tokio::test]
async fn the_last_report_of_a_device_counts_until_its_saves_are_sent() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        assert_eq!(yard.held_here().await, pb::ListPendingSavesResponse::default());
        yard.holds(4, "phone", vec![yard.work(CAMPAIGN, 3), yard.work(99, 1)]).await.unwrap();
        yard.holds(4, "tablet", vec![yard.work(CAMPAIGN, 2)]).await.unwrap();
        yard.holds(5, "phone", vec![yard.work(CAMPAIGN, 4)]).await.unwrap();
        yard.holds(4, "phone", vec![yard.work(CAMPAIGN, 7)]).await.unwrap();
        let held = yard.held_here().await;
        assert_eq!((held.devices, held.saves, held.held.len()), (3, 13, 3));
        let report = held.held.iter().find(|report| report.device == "phone" && report.user_id == 4).unwrap();
        assert_eq!(report.told_at.unwrap().seconds - report.oldest_at.unwrap().seconds, 3 * 3600);
        yard.holds(4, "phone", Vec::new()).await.unwrap();
        assert_eq!(yard.held_here().await.saves, 6, "reports of another user on the same phone are separate");
        yard.host.clock.advance(TimeDelta::days(31));
        let db = yard.host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        let before = yard.host.clock.now() - TimeDelta::days(30);
        db.write(move |tx| Box::pin(async move { vehicle_svc::store::pending_saves::purge_expired(tx, before).await })).await.unwrap();
        assert_eq!(yard.held_here().await.saves, 0, "the report of a device that never returned expires");
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn invalid_reports_are_rejected_and_reports_are_deleted_with_their_campaign() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let far = pb::PendingSaves { oldest_at: Some(prost_types::Timestamp { seconds: 1 << 50, nanos: 0 }), ..yard.work(CAMPAIGN, 1) };
        for (device, held) in [
            ("", vec![]),
            ("a\nb", vec![]),
            ("phone", vec![yard.work(CAMPAIGN, 0)]),
            ("phone", vec![yard.work(0, 1)]),
            ("phone", vec![far]),
            ("phone", vec![yard.work(CAMPAIGN, 1); 201]),
        ] {
            assert_eq!(reason(&yard.holds(4, device, held).await.unwrap_err()), Some(ErrorReason::BadRequest), "{device:?}");
        }
        for device in 0..50 {
            yard.holds(4, &format!("phone {device}"), vec![yard.work(CAMPAIGN, 1)]).await.unwrap();
        }
        assert_eq!(reason(&yard.holds(4, "one more", vec![yard.work(CAMPAIGN, 1)]).await.unwrap_err()), Some(ErrorReason::BadRequest));
        yard.holds(4, "phone 7", vec![yard.work(CAMPAIGN, 2)]).await.unwrap();
        assert_eq!((yard.held_here().await.devices, yard.held_here().await.saves), (50, 51));
        let gone = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().grpc_request(gone)).await.unwrap();
        let ask = pb::ListPendingSavesRequest { campaign_id: CAMPAIGN };
        let refused = yard.held().list_pending_saves(yard.person(3, Role::Manager).grpc_request(ask)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NoCampaign));
        yard.holds(4, "one more", Vec::new()).await.unwrap();
    })
    .await;
}
