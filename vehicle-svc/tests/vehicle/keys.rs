//! Idempotency keys: scope per user, match of the saved values, and retention.
use crate::yard::{Yard, status};
use chrono::TimeDelta;
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    vehicle::{SaveVehicleRequest, VehicleStatus},
};
use patio_testing::each_database;
use tonic::{Response, Status};

#[tokio::test]
async fn an_idempotency_key_is_per_user_covers_all_saved_values_and_expires_after_thirty_days() {
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
                .save_vehicle(yard.person(who, Role::Operator).grpc_request(save))
                .await
                .map(Response::into_inner)
                .map(|saved| saved.version)
        };
        assert_eq!(save(4, "one").await.unwrap(), 2);
        assert_eq!(save(4, "one").await.unwrap(), 2, "the save is written once");
        assert_eq!(reason(&save(4, "two").await.unwrap_err()), Some(ErrorReason::KeyReused), "the same key with other notes is rejected");
        assert_eq!(save(5, "one").await.unwrap(), 3, "the same key of another user is independent");
        let db = yard.host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        let forget = async || {
            let before = yard.host.clock.now() - TimeDelta::days(30);
            db.write(move |tx| Box::pin(async move { vehicle_svc::store::idempotency_keys::purge_expired(tx, before).await }))
                .await
                .unwrap()
        };
        yard.host.clock.advance(TimeDelta::minutes(30 * 24 * 60 - 1));
        assert_eq!(forget().await, 0);
        yard.host.clock.advance(TimeDelta::minutes(2));
        assert_eq!(forget().await, 2);
        assert_eq!(save(4, "two").await.unwrap(), 4, "the key can be reused after thirty days");
        db.close().await;
    })
    .await;
}
