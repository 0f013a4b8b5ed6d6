//! Saves that may be repeated: whose a key is, what it stands for, how long it is kept.
use crate::yard::{Yard, status};
use chrono::TimeDelta;
use patio_kit::errors::{Reason, reason};
use patio_proto::{
    access::Role,
    vehicle::{SaveVehicleRequest, VehicleStatus},
};
use patio_testing::each_database;
use tonic::{Response, Status};

#[tokio::test]
async fn a_key_is_its_savers_own_stands_for_all_that_was_saved_and_is_kept_thirty_days() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let save = async |who: i64, notes: &str| -> Result<i64, Status> {
            let save = SaveVehicleRequest {
                idempotency_key: "k".to_owned(),
                operator_notes: Some(notes.to_owned()),
                ..status(id, VehicleStatus::Ok)
            };
            yard.vehicles()
                .save_vehicle(yard.person(who, Role::Operator).sign(save))
                .await
                .map(Response::into_inner)
                .map(|saved| saved.version)
        };
        assert_eq!(save(4, "one").await.unwrap(), 2);
        assert_eq!(save(4, "one").await.unwrap(), 2, "done once");
        assert_eq!(reason(&save(4, "two").await.unwrap_err()), Some(Reason::KeyReused), "the same key for another text");
        assert_eq!(save(5, "one").await.unwrap(), 3, "another person's key is another key");
        let db = yard.host.database(vehicle_svc::SCHEMA).await.unwrap();
        let forget = async || {
            let before = yard.host.clock.now() - TimeDelta::days(30);
            db.write(move |tx| Box::pin(async move { vehicle_svc::store::keys::forget(tx, before).await })).await.unwrap()
        };
        yard.host.clock.advance(TimeDelta::minutes(30 * 24 * 60 - 1));
        assert_eq!(forget().await, 0);
        yard.host.clock.advance(TimeDelta::minutes(2));
        assert_eq!(forget().await, 2);
        assert_eq!(save(4, "two").await.unwrap(), 4, "thirty days later the key is free");
        db.close().await;
    })
    .await;
}
