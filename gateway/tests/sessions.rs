//! Tests of signing in: data passed to auth-svc, the response, and the device cookie.
use crate::stack::{Answer, Stack, config};
use axum::body::Body;
use gateway::{http::peer::Peer, server::static_files::StaticFiles};
use http::Request;
use serde_json::json;
use std::time::{Duration, Instant};

async fn sign_in(stack: &Stack, hmc: &str, password: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::post("/api/sessions").header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::from(json!({ "hmc": hmc, "password": password }).to_string())).unwrap();
    request.extensions_mut().insert(Peer { address: "192.0.2.9".parse().unwrap(), tls: false });
    stack.send(request).await
}

#[tokio::test]
async fn sign_in_returns_the_session_and_sets_the_device_cookie() {
    let stack = Stack::new().await;
    let answer = sign_in(&stack, "ana", "right", &[("cookie", "a=b; patio_dev=old-1.old-2")]).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let expected = json!({
        "token": "t", "id": 3, "hmc": "ana", "user_type": "tm", "expires_at": "2026-09-21T14:13:29Z", "session_id": "s",
        "seal_key": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc", "must_change_password": false,
    });
    assert_eq!(answer.json(), expected);
    assert_eq!(answer.header("set-cookie"), "patio_dev=mark-1.old-1.old-2; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict");
    let asked = stack.auth.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.address.as_str(), asked.device_marks), ("192.0.2.9", vec!["old-1".to_owned(), "old-2".to_owned()]));
}

#[tokio::test]
async fn forwarding_headers_count_only_from_trusted_proxies() {
    let mut config = config();
    config.trusted_proxies = vec!["192.0.2.9".parse().unwrap()];
    let headers = [("x-forwarded-for", "6.6.6.6, 2001:db8:1:2:3::4"), ("x-forwarded-proto", "https")];
    let stack = Stack::with(config, StaticFiles::default()).await;
    let answer = sign_in(&stack, "ana", "right", &headers).await;
    assert!(answer.header("set-cookie").starts_with("__Host-patio_dev=mark-1;") && answer.header("set-cookie").ends_with("; Secure"));
    assert_eq!(stack.auth.asked.lock().unwrap()[0].address, "2001:db8:1:2::/64");
    let stack = Stack::new().await;
    let answer = sign_in(&stack, "ana", "right", &headers).await;
    assert!(answer.header("set-cookie").starts_with("patio_dev="));
    assert_eq!(stack.auth.asked.lock().unwrap()[0].address, "192.0.2.9");
}

#[tokio::test]
async fn sign_in_errors_have_the_message_and_the_numbers() {
    let stack = Stack::new().await;
    let wrong = sign_in(&stack, "ana", "wrong", &[]).await;
    assert_eq!(wrong.status, 401);
    assert_eq!(
        wrong.json(),
        json!({ "code": "INVALID_CREDENTIALS", "message": "Invalid credentials. You have more 4 attempt(s).", "attempts_left": 4 })
    );
    let locked = sign_in(&stack, "locked", "right", &[]).await;
    assert_eq!((locked.status.as_u16(), locked.header("retry-after")), (429, "171"));
    assert_eq!((locked.code().as_str(), locked.json()["retry_after"].as_i64()), ("LOCKED_OUT", Some(171)));
    assert_eq!(locked.header("set-cookie"), "");
}

#[tokio::test]
async fn sign_ins_are_limited_per_address_and_invalid_bodies_do_not_count() {
    // Retried, because the address gets one more attempt per second.
    for _ in 0..10 {
        if seven_sign_ins_are_limited().await {
            return;
        }
    }
    panic!("seven sign-ins take longer than a second each time");
}

/// Checks the rate limit of an address that allows six attempts. Returns `false` if seven attempts took so long that none was limited.
async fn seven_sign_ins_are_limited() -> bool {
    let mut config = config();
    config.sign_in_burst = 6;
    let stack = Stack::with(config, StaticFiles::default()).await;
    let bad = stack.send(Request::post("/api/sessions").header("content-type", "application/json").body(Body::from("{")).unwrap()).await;
    assert_eq!(bad.status, 400);
    let begun = Instant::now();
    for _ in 0..6 {
        assert_eq!(sign_in(&stack, "ana", "wrong", &[]).await.status, 401);
    }
    let limited = sign_in(&stack, "ana", "right", &[]).await;
    if begun.elapsed() >= Duration::from_secs(1) {
        return false;
    }
    assert_eq!((limited.status.as_u16(), limited.code().as_str(), limited.header("retry-after")), (429, "RATE_LIMITED", "1"));
    let asked: Vec<bool> = stack.auth.asked.lock().unwrap().iter().map(|ask| ask.is_limited).collect();
    assert_eq!(asked, [false, false, false, false, false, false, true], "auth-svc receives the rate-limit flag and decides itself");
    let known = sign_in(&stack, "ana", "right", &[("cookie", "patio_dev=known")]).await;
    assert_eq!(known.status, 200, "a known device is not limited by others at the same address");
    true
}

#[tokio::test]
async fn incomplete_credentials_do_not_count_towards_the_rate_limit() {
    let mut config = config();
    config.sign_in_burst = 2;
    let stack = Stack::with(config, StaticFiles::default()).await;
    for (hmc, password) in [(" ", "x"), ("ana", ""), ("", " ")].into_iter().cycle().take(60) {
        sign_in(&stack, hmc, password, &[]).await;
    }
    assert!(stack.auth.asked.lock().unwrap().iter().all(|ask| !ask.is_limited));
    assert_eq!(sign_in(&stack, "ana", "right", &[]).await.status, 200);
}
