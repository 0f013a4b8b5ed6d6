//! Tests of response bodies, and of how errors of services become HTTP errors.
use crate::stack::Stack;
use patio_proto::access::Role;
use serde_json::json;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn a_page_of_campaigns_resolves_all_names_in_one_call() {
    let stack = Stack::new().await;
    let page = stack.ask("GET", "/api/campaigns?status=ongoing&yard=2&per_page=200", None).await.json();
    assert_eq!(page["meta"], json!({ "page_index": 0, "total_count": 2, "per_page": 200, "yard_name": "A" }));
    let campaign = &page["campaigns"][0];
    assert_eq!(
        (&campaign["created_by_name"], &campaign["modified_by_name"], &campaign["status"]),
        (&json!("ana"), &json!("removed"), &json!("Pending Review"))
    );
    assert_eq!((&campaign["allClosed"], &campaign["next"]), (&json!(false), &json!(null)));
    assert_eq!(stack.auth.names_asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn service_errors_are_returned_without_internal_details() {
    let stack = Stack::new().await;
    for (id, status, code) in
        [(404, 404, "NO_CAMPAIGN"), (500, 500, "INTERNAL"), (503, 503, "UNAVAILABLE"), (504, 504, "TIMEOUT"), (1, 500, "INTERNAL")]
    {
        let answer = stack.ask("GET", &format!("/api/campaigns/{id}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{id}");
        assert!(!answer.text().contains("select") && !answer.text().contains("10.0.0.1"), "{}", answer.text());
        if status >= 500 {
            assert_eq!(answer.json()["request_id"], answer.header("x-request-id"));
        }
        assert_eq!(answer.header("retry-after"), if status == 503 { "1" } else { "" });
    }
}

#[tokio::test]
async fn business_rule_errors_are_422_or_409() {
    let stack = Stack::new().await;
    let closed = stack.ask("PUT", "/api/campaigns/1", Some(json!({ "status": "Closed" }))).await;
    assert_eq!((closed.status.as_u16(), closed.code().as_str()), (422, "BAD_TRANSITION"));
    let short = stack.ask("PUT", "/api/me/password", Some(json!({ "old": "a", "new": "b" }))).await;
    assert_eq!((short.status.as_u16(), short.code().as_str()), (422, "BAD_PASSWORD"));
    let own = stack.ask("DELETE", "/api/users/2", None).await;
    assert_eq!((own.status.as_u16(), own.code().as_str()), (409, "OWN_ACCOUNT"));
    let taken = stack.ask("POST", "/api/sign-up", Some(json!({ "hmc": "ana", "password": "12345678", "user_type": "op" }))).await;
    assert_eq!((taken.status.as_u16(), taken.code().as_str()), (409, "HMC_TAKEN"));
    assert_eq!(stack.ask("DELETE", "/api/campaigns/1", None).await.json(), json!({ "success": true }));
}

#[tokio::test]
async fn a_rejected_user_change_is_plain_text() {
    let stack = Stack::new().await;
    let refused = stack.ask("PUT", "/api/users/3", Some(json!({ "hmc": "ana", "user_type": "op" }))).await;
    assert_eq!((refused.status.as_u16(), refused.text().as_str()), (409, "There must be at least one supervisor."));
    assert!(refused.header("content-type").starts_with("text/plain"));
    assert_eq!(
        stack.ask("PUT", "/api/users/3", Some(json!({ "user_type": "king" }))).await.header("content-type"),
        refused.header("content-type")
    );
    assert_eq!(stack.ask_as((7, Role::Operator), "PUT", "/api/users/3", Some(json!({}))).await.status, 403);
}

#[tokio::test]
async fn users_are_an_array_and_personal_data_is_passed_through() {
    let stack = Stack::new().await;
    assert_eq!(
        stack.ask("GET", "/api/users", None).await.json(),
        json!([{ "id": 3, "hmc": "ana", "user_type": "tm", "created_at": "2026-09-21T14:13:20Z", "last_login_at": null }])
    );
    assert_eq!(stack.ask("GET", "/api/me/data", None).await.json(), json!({ "id": 2 }));
    assert_eq!(stack.ask("GET", "/api/users/3/data", None).await.json(), json!({ "id": 3 }));
    let me = stack.ask_as((1, Role::Operator), "GET", "/api/me", None).await.json();
    assert_eq!(
        me,
        json!({ "id": 1, "hmc": "dev", "user_type": "op", "developer": true, "must_change_password": false, "product_name": "Patio" })
    );
}

#[tokio::test]
async fn audit_entries_of_all_services_are_merged_by_time() {
    let stack = Stack::new().await;
    let audit = async |query: &str| stack.ask_as((1, Role::Admin), "GET", &format!("/api/logs/audit?{query}"), None).await;
    let mut ids = Vec::new();
    for page in 0..7 {
        let answer = audit(&format!("page={page}&per_page=150")).await.json();
        assert_eq!(answer["meta"]["has_more"], page < 6);
        ids.extend(
            answer["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| (event["at"].as_str().unwrap().to_owned(), event["id"].as_str().unwrap().to_owned())),
        );
    }
    let mut sorted = ids.clone();
    sorted.sort_by(|a, b| b.0.cmp(&a.0));
    sorted.dedup();
    assert_eq!(ids.len(), 1000);
    assert_eq!(sorted.len(), 1000);
    assert!(ids.windows(2).all(|two| two[0].0 >= two[1].0));
    let first = audit("per_page=1").await.json();
    assert_eq!(
        (&first["events"][0]["hmc"], &first["events"][0]["user_type"], &first["meta"]["total_count"]),
        (&json!("ana"), &json!("tm"), &json!(2))
    );
    assert_eq!(audit("hmc=nobody").await.json()["events"], json!([]));
    assert_eq!(audit("hmc=ANA&per_page=1").await.json()["events"][0]["hmc"], "ana");
    assert_eq!(audit("page=20&per_page=200").await.status, 400);
    assert_eq!(audit("from=yesterday").await.status, 400);
}

#[tokio::test]
async fn page_views_are_left_out_of_the_audit_log_on_request() {
    let stack = Stack::new().await;
    let audit = async |query: &str| stack.ask_as((1, Role::Admin), "GET", &format!("/api/logs/audit?{query}"), None).await;
    let count = async |filter: &str| {
        let (mut page_views, mut others) = (0, 0);
        for page in 0..5 {
            let answer = audit(&format!("per_page=200&page={page}{filter}")).await.json();
            let events = answer["events"].as_array().unwrap().clone();
            let some = events.iter().filter(|event| event["kind"] == "page-view").count();
            (page_views, others) = (page_views + some, others + events.len() - some);
        }
        (page_views, others)
    };
    assert_eq!(count("").await, (200, 800));
    assert_eq!(count("&page_views=true").await, (200, 800));
    assert_eq!(count("&page_views=false").await, (0, 800));
    assert_eq!(audit("page_views=some").await.status, 400);
}

#[tokio::test]
async fn lists_work_while_user_names_are_unavailable() {
    let stack = Stack::new().await;
    stack.auth.names_away.store(true, Ordering::Relaxed);
    let page = stack.ask("GET", "/api/campaigns", None).await;
    assert_eq!((page.status.as_u16(), &page.json()["campaigns"][0]["created_by_name"]), (200, &json!("#3")));
    stack.auth.names_away.store(false, Ordering::Relaxed);
    assert_eq!(stack.ask("GET", "/api/campaigns", None).await.json()["campaigns"][0]["created_by_name"], "ana");
}

#[tokio::test]
async fn without_loaded_keys_requests_get_503_instead_of_401() {
    let stack = Stack::new().await;
    stack.host.identity.replace_signing_keys([]);
    let answer = stack.ask("GET", "/api/me", None).await;
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "1"));
}
