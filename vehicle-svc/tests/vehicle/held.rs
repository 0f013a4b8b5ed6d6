//! Work that devices hold and have not sent.
use crate::yard::{CAMPAIGN, Yard};
use chrono::TimeDelta;
use patio_kit::{
    clock,
    errors::{Reason, reason},
};
use patio_proto::{access::Role, vehicle as pb};
use patio_testing::each_database;
use tonic::{Response, Status};

impl Yard {
    fn work(&self, campaign_id: i64, saves: i64) -> pb::HeldWork {
        let oldest_at = Some(clock::timestamp(self.host.clock.now() - TimeDelta::hours(3)));
        pb::HeldWork { campaign_id, saves, oldest_at }
    }

    async fn holds(&self, who: i64, device: &str, held: Vec<pb::HeldWork>) -> Result<(), Status> {
        let ask = pb::SetHeldRequest { device: device.into(), held };
        self.held().set_held(self.person(who, Role::Operator).sign(ask)).await.map(drop)
    }

    async fn held_here(&self) -> pb::GetHeldReply {
        let ask = pb::GetHeldRequest { campaign_id: CAMPAIGN };
        self.held().get_held(self.person(3, Role::Manager).sign(ask)).await.map(Response::into_inner).unwrap()
    }
}

#[tokio::test]
async fn what_a_device_told_last_counts_until_it_sends_its_work() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        assert_eq!(yard.held_here().await, pb::GetHeldReply::default());
        yard.holds(4, "phone", vec![yard.work(CAMPAIGN, 3), yard.work(99, 1)]).await.unwrap();
        yard.holds(4, "tablet", vec![yard.work(CAMPAIGN, 2)]).await.unwrap();
        yard.holds(5, "phone", vec![yard.work(CAMPAIGN, 4)]).await.unwrap();
        yard.holds(4, "phone", vec![yard.work(CAMPAIGN, 7)]).await.unwrap();
        let held = yard.held_here().await;
        assert_eq!((held.devices, held.saves, held.held.len()), (3, 13, 3));
        let one = held.held.iter().find(|one| one.device == "phone" && one.user_id == 4).unwrap();
        assert_eq!(one.told_at.unwrap().seconds - one.oldest_at.unwrap().seconds, 3 * 3600);
        yard.holds(4, "phone", Vec::new()).await.unwrap();
        assert_eq!(yard.held_here().await.saves, 6, "another person's on the same phone stays theirs");
        yard.host.clock.advance(TimeDelta::days(31));
        let db = yard.host.database(vehicle_svc::SCHEMA).await.unwrap();
        let before = yard.host.clock.now() - TimeDelta::days(30);
        db.write(move |tx| Box::pin(async move { vehicle_svc::store::held::forget(tx, before).await })).await.unwrap();
        assert_eq!(yard.held_here().await.saves, 0, "a device that never came back is not waited for");
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_goes_with_its_campaign() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let far = pb::HeldWork { oldest_at: Some(prost_types::Timestamp { seconds: 1 << 50, nanos: 0 }), ..yard.work(CAMPAIGN, 1) };
        for (device, held) in [
            ("", vec![]),
            ("a\nb", vec![]),
            ("phone", vec![yard.work(CAMPAIGN, 0)]),
            ("phone", vec![yard.work(0, 1)]),
            ("phone", vec![far]),
            ("phone", vec![yard.work(CAMPAIGN, 1); 201]),
        ] {
            assert_eq!(reason(&yard.holds(4, device, held).await.unwrap_err()), Some(Reason::BadRequest), "{device:?}");
        }
        for device in 0..50 {
            yard.holds(4, &format!("phone {device}"), vec![yard.work(CAMPAIGN, 1)]).await.unwrap();
        }
        assert_eq!(reason(&yard.holds(4, "one more", vec![yard.work(CAMPAIGN, 1)]).await.unwrap_err()), Some(Reason::BadRequest));
        yard.holds(4, "phone 7", vec![yard.work(CAMPAIGN, 2)]).await.unwrap();
        assert_eq!((yard.held_here().await.devices, yard.held_here().await.saves), (50, 51));
        let gone = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().sign(gone)).await.unwrap();
        let ask = pb::GetHeldRequest { campaign_id: CAMPAIGN };
        let refused = yard.held().get_held(yard.person(3, Role::Manager).sign(ask)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(Reason::NoCampaign));
        yard.holds(4, "one more", Vec::new()).await.unwrap();
    })
    .await;
}
