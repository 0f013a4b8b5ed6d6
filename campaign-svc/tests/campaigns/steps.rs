//! Status transitions of a campaign by role.
use crate::support::{ADMIN, MANAGER, OPERATOR, World, refused};
use patio_kit::errors::ErrorReason;
use patio_proto::{
    access::Role,
    campaign::{
        CampaignStatus::{self, Closed, Ongoing, PendingReview, Ready},
        UpdateCampaignRequest,
    },
    status::campaign_status_text,
};
use patio_testing::each_database;
use tonic::Code;

const ALL: [CampaignStatus; 4] = [Ready, Ongoing, PendingReview, Closed];

/// Transitions specified in TRUST.md section 2.5 and API.md, by status before, role, and status after (columns as in [`ALL`]).
///
/// `.` is allowed or no change, `-` is allowed to a higher role only, `x` is allowed to no role.
const TABLE: [(CampaignStatus, [&str; 3]); 4] = [
    (Ready, [". . x x", ". . x x", ". . x x"]),
    (Ongoing, ["x . - -", "x . . .", "x . . ."]),
    (PendingReview, ["x - . -", "x . . .", "x . . ."]),
    (Closed, ["x - x .", "x - x .", "x . x ."]),
];

#[tokio::test]
async fn every_transition_of_every_role_matches_the_table() {
    each_database(async |host| {
        let world = World::start(host).await;
        for (from, rows) in TABLE {
            for (who, row) in [OPERATOR, MANAGER, ADMIN].into_iter().zip(rows) {
                for (to, expected) in ALL.into_iter().zip(row.split(' ')) {
                    check(&world, from, to, (who, expected)).await;
                }
            }
        }
    })
    .await;
}

async fn check(world: &World, from: CampaignStatus, to: CampaignStatus, (who, expected): ((i64, Role), &str)) {
    let name = format!("{} to {} by {:?}", campaign_status_text(from), campaign_status_text(to), who.1);
    let id = world.campaign_at(&name, from).await;
    let answer = world.step(who, id, to).await;
    let stored = world.get(id).await.unwrap().status();
    match expected {
        "." => assert_eq!((answer.unwrap().status(), stored), (to, to), "{name}"),
        "-" => assert_eq!((refused(answer), stored), ((Code::PermissionDenied, ErrorReason::NotAllowed), from), "{name}"),
        _ => assert_eq!((refused(answer), stored), ((Code::FailedPrecondition, ErrorReason::BadTransition), from), "{name}"),
    }
}

#[tokio::test]
async fn an_operator_starts_a_campaign_with_nothing_else_in_the_same_save() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let start = UpdateCampaignRequest { id, status: Some(Ongoing.into()), ..Default::default() };
        for (field, save) in [
            ("name", UpdateCampaignRequest { name: Some("Brakes!".to_owned()), ..start.clone() }),
            ("description", UpdateCampaignRequest { description: Some("x".to_owned()), ..start.clone() }),
            ("image", UpdateCampaignRequest { image: Some("/assets/x.png".to_owned()), ..start.clone() }),
            ("model_type", UpdateCampaignRequest { model_type: Some("x".to_owned()), ..start.clone() }),
            ("part", UpdateCampaignRequest { part: Some("x".to_owned()), ..start.clone() }),
        ] {
            let refusal = world.save(OPERATOR, save).await.unwrap_err();
            assert_eq!(patio_kit::errors::status_value(&refusal, "field").as_deref(), Some(field));
            assert_eq!(refused::<()>(Err(refusal)), (Code::PermissionDenied, ErrorReason::FieldNotAllowed));
        }
        assert_eq!(world.get(id).await.unwrap().status(), Ready, "a rejected update changes nothing");
        let whole = UpdateCampaignRequest {
            name: Some("Brakes".to_owned()),
            description: Some(String::new()),
            image: Some(String::new()),
            model_type: Some(String::new()),
            part: Some("Hose".to_owned()),
            ..start
        };
        let started = world.save(OPERATOR, whole).await.unwrap();
        assert_eq!((started.status(), started.modified_by), (Ongoing, Some(OPERATOR.0)));
    })
    .await;
}

#[tokio::test]
async fn a_status_change_is_audited_and_no_change_is_not() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.step(OPERATOR, id, Ready).await.unwrap();
        world.step(OPERATOR, id, Ongoing).await.unwrap();
        world.step(MANAGER, id, Ongoing).await.unwrap();
        let entries = world.audit().await;
        let fields: Vec<_> = entries.iter().map(|e| (e.kind.as_str(), e.user_id, e.old_values.as_str(), e.new_values.as_str())).collect();
        assert_eq!(fields[0], ("campaign-changed", Some(OPERATOR.0), r#"{"status":"Ready"}"#, r#"{"status":"Ongoing"}"#));
        assert_eq!((fields.len(), fields[1].0), (2, "campaign-imported"));
        assert_eq!(entries[0].subject, format!("campaign {id}"));
        assert_eq!(entries[0].summary, r#"campaign "Brakes": status from Ready to Ongoing"#);
        assert_eq!(entries[0].address, "192.0.2.1");
    })
    .await;
}

#[tokio::test]
async fn two_users_starting_one_campaign_both_succeed_with_one_audit_entry() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let both = futures::join!(world.step(OPERATOR, id, Ongoing), world.step(MANAGER, id, Ongoing));
        assert_eq!((both.0.unwrap().status(), both.1.unwrap().status()), (Ongoing, Ongoing));
        assert_eq!(world.audit().await.iter().filter(|e| e.kind == "campaign-changed").count(), 1);
    })
    .await;
}
