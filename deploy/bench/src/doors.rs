//! Benchmark of sign-ins: their cost compared with the password hash alone, and the cost of a blocked sign-in.
use crate::{
    Bench,
    load::{Shot, Shots, count, once},
    measure::{Sizes, Target, in_turns},
    proc,
    stack::PASSWORD,
    table::{Table, micros},
};
use anyhow::Context;
use argon2::{Argon2, password_hash::PasswordHasher};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header::CONTENT_TYPE};
use serde_json::json;
use std::{sync::Arc, time::Instant};

/// Measures sign-ins.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let sizes = Sizes { connections: 2, ..bench.sizes };
    let target = |shots| Target { at: bench.patio.at, groups: bench.patio.groups(), shots };
    let floor = tokio::task::spawn_blocking(move || hashing(sizes)).await??;
    for cost in in_turns(sizes, &[target(tries("3000", PASSWORD, None))]).await? {
        table.ratio((bench.stack, "sign-in, beside argon2id itself"), (cost.micros / 1000.0, floor / 1000.0, "ms"), 1.1, cost.words());
    }
    let blocked = tries("9999", "a-wrong-password", Some(StatusCode::TOO_MANY_REQUESTS));
    for _ in 0..5 {
        once(bench.patio.at, blocked(0)).await?;
    }
    for cost in in_turns(sizes, &[target(blocked)]).await? {
        table.most((bench.stack, "sign-in while blocked"), (cost.micros, 150.0), "us", cost.words());
    }
    Ok(())
}

/// Returns requests that repeat a sign-in.
pub fn tries(hmc: &'static str, password: &'static str, expected: Option<StatusCode>) -> Shots {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    let body = Bytes::from(json!({ "hmc": hmc, "password": password }).to_string());
    Arc::new(move |_| Shot {
        method: Method::POST,
        path: "/api/sessions".to_owned(),
        headers: headers.clone(),
        body: body.clone(),
        expected,
    })
}

/// Returns the CPU time in microseconds of one password hash with Patio's parameters.
fn hashing(sizes: Sizes) -> anyhow::Result<f64> {
    let taken = || proc::own_thread().context("/proc does not show the CPU time of a thread");
    let (begun, before, mut hashes) = (Instant::now(), taken()?, 0);
    while hashes == 0 || begun.elapsed() < sizes.time {
        Argon2::default().hash_password(PASSWORD.as_bytes()).map_err(|cause| anyhow::anyhow!("{cause}"))?;
        hashes += 1;
    }
    Ok(micros(taken()? - before) / count(hashes))
}
