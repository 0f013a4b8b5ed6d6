//! Benchmark of the latency of reads and saves at half load during a large import.
use crate::{
    Bench, fill,
    fill::scatter,
    load::{Load, Shot, Shots, count, fire},
    table::Table,
};
use bytes::Bytes;
use http::{HeaderValue, Method, header::CONTENT_TYPE};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Number of requests per save.
pub const SAVES: f64 = 10.0;

/// Measures the latency during an import.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let (at, number) = (bench.patio.at, Arc::new(AtomicU64::new(1 << 20)));
    let (reads, saves) = (reads(bench), saves(bench));
    let load = Load { connections: bench.sizes.connections, time: bench.sizes.time, pace: None };
    let knee = fire(at, load, &number, &both(&reads, &saves)).await?.rate();
    let file = fill::workbook("Import under load", 60, bench.sizes.each)?;
    let imported = AtomicBool::new(false);
    let importing = async {
        let done = bench.patio.import(&bench.admin, &file).await;
        imported.store(true, Ordering::Relaxed);
        done
    };
    let at_pace = |share: f64, connections| Load { connections, pace: Some(knee / 2.0 * share), ..load };
    let firing = async {
        let (mut all_reads, mut all_saves) = (None, None);
        while !imported.load(Ordering::Relaxed) {
            let (read, saved) = (at_pace(1.0 - 1.0 / SAVES, bench.sizes.connections), at_pace(1.0 / SAVES, 4));
            let (read, saved) = tokio::try_join!(fire(at, read, &number, &reads), fire(at, saved, &number, &saves))?;
            for (all, new) in [(&mut all_reads, read), (&mut all_saves, saved)] {
                match all {
                    None => *all = Some(new),
                    Some(all) => all.add(new)?,
                }
            }
        }
        anyhow::Ok((all_reads, all_saves))
    };
    let (_, (all_reads, all_saves)) = tokio::try_join!(importing, firing)?;
    for (name, all, most) in [("GET", all_reads, 5.0), ("PUT", all_saves, 20.0)] {
        let Some(volley) = all else { continue };
        let p99 = count(volley.waits.value_at_quantile(0.99)) / 1000.0;
        let name = format!("{name} p99 at half load during an import");
        table.most((bench.stack, &name), (p99, most), "ms", format!("{:.0}/s of {knee:.0}/s, {} refused", volley.rate(), volley.refused));
    }
    Ok(())
}

/// Mixes reads with saves: every tenth request is a save.
pub fn both(reads: &Shots, saves: &Shots) -> Shots {
    let (reads, saves) = (reads.clone(), saves.clone());
    Arc::new(move |number| if number % 10 == 0 { saves(number) } else { reads(number) })
}

/// Returns requests that read random vehicles.
pub fn reads(bench: &Bench) -> Shots {
    let (all, headers) = (bench.sizes.vehicles(), bench.operator.headers.clone());
    Arc::new(move |number| Shot::get(format!("/api/vehicles/{}", scatter(number) % all + 1), &headers))
}

/// Returns requests that save random vehicles.
pub fn saves(bench: &Bench) -> Shots {
    let (all, mut headers) = (bench.sizes.vehicles(), bench.operator.headers.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Arc::new(move |number| {
        let body = json!({ "operator_notes": format!("under load, {number}") });
        let path = format!("/api/vehicles/{}", scatter(number ^ 0xabc) % all + 1);
        Shot { method: Method::PUT, path, headers: headers.clone(), body: Bytes::from(body.to_string()), expected: None }
    })
}
