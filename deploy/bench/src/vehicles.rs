//! Benchmark of reading and saving one vehicle.
use crate::{
    Bench,
    fill::{Person, scatter},
    load::{Shot, Shots},
    measure::{Target, in_turns},
    stack::Served,
    table::Table,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header::CONTENT_TYPE};
use serde_json::json;
use std::sync::Arc;

impl Bench {
    /// Starts the baseline: behind one gRPC call for the form with separate services, otherwise directly on the database.
    pub async fn floor(&self) -> anyhow::Result<Served> {
        self.ground.floor(&self.source, self.is_five()).await
    }

    /// Returns Patio and the baseline as targets of equivalent requests.
    pub fn targets(&self, baseline: &Served, patio: Shots, floor: &Shots) -> [Target; 2] {
        let target = |served: &Served, shots| Target { at: served.at, groups: served.groups(), shots };
        [target(&self.patio, patio), target(baseline, floor.clone())]
    }

    /// Returns `true` for the form with separate services.
    pub fn is_five(&self) -> bool {
        self.stack == "five"
    }
}

/// Measures Patio and the baseline and adds both to the table.
pub async fn beside(bench: &Bench, table: &mut Table, name: &str, goal: f64, targets: [Target; 2]) -> anyhow::Result<()> {
    let costs = in_turns(bench.sizes, &targets).await?;
    let [patio, floor] = &costs[..] else { anyhow::bail!("two targets, two costs") };
    table.ratio((bench.stack, name), (patio.micros, floor.micros, "us"), goal, patio.words());
    table.value(bench.stack, "  its floor", format!("{:.1} us", floor.micros), floor.words());
    Ok(())
}

/// Measures reading and saving one vehicle.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let baseline = bench.floor().await?;
    let all = bench.sizes.vehicles();
    let by_number = |person: &Person, path: &'static str| -> Shots {
        let headers = person.headers.clone();
        Arc::new(move |number| Shot::get(format!("{path}/{}", scatter(number) % all + 1), &headers))
    };
    let nobody = Person { headers: HeaderMap::new() };
    let (patio, floor) = (by_number(&bench.operator, "/api/vehicles"), by_number(&nobody, "/vehicle"));
    beside(bench, table, "GET vehicle", 1.5, bench.targets(&baseline, patio, &floor)).await?;
    for (name, again) in [("PUT vehicle, first inspection", false), ("PUT vehicle, inspected before", true)] {
        let (patio, floor) = (saves(bench, "/api/vehicles", again), saves(bench, "/vehicle", again));
        beside(bench, table, name, if bench.is_five() { 1.8 } else { 1.5 }, bench.targets(&baseline, patio, &floor)).await?;
    }
    Ok(())
}

/// Returns saves like those of the web pages: each vehicle once, or the same few vehicles repeatedly if `again`.
fn saves(bench: &Bench, path: &'static str, again: bool) -> Shots {
    let (all, mut headers) = (bench.sizes.vehicles(), bench.operator.headers.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Arc::new(move |number| {
        // A step coprime to the count visits every vehicle once. Repeated saves use the vehicles that were saved first.
        let turn = if again { scatter(number) % (all / 100) } else { number };
        let id = turn * 7_919 % all + 1;
        let mut headers = headers.clone();
        if !again {
            headers.insert(HeaderName::from_static("if-match"), HeaderValue::from_static("\"1\""));
        }
        let key = format!("{:016x}-{id}-{again}", scatter(number ^ 0x5eed));
        headers.insert(HeaderName::from_static("idempotency-key"), HeaderValue::try_from(key).unwrap_or(HeaderValue::from_static("-")));
        let body = json!({ "id": id, "status": "ok", "operator_notes": format!("looked at it, {number}"), "origin": "scanned" });
        Shot { method: Method::PUT, path: format!("{path}/{id}"), headers, body: Bytes::from(body.to_string()), expected: None }
    })
}
