//! A channel spread over the replicas behind one DNS name.
use crate::lifecycle::Tasks;
use anyhow::Context;
use http::Uri;
use std::{collections::HashSet, net::SocketAddr, time::Duration};
use tokio::sync::mpsc::Sender;
use tonic::transport::{Channel, Endpoint, channel::Change};

/// How often the name is looked up again.
const LOOK_UP_EVERY: Duration = Duration::from_secs(2);

/// Opens a channel to `http://name:port`; replicas that come and go are followed.
pub fn channel(url: &str, tasks: &Tasks) -> anyhow::Result<Channel> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
    let host = uri.host().with_context(|| format!("`{url}` names no host"))?.to_owned();
    let port = uri.port_u16().with_context(|| format!("`{url}` names no port"))?;
    let (channel, changes) = Channel::balance_channel::<SocketAddr>(64);
    let ended = tasks.clone();
    tasks.spawn(async move {
        let mut known = HashSet::new();
        while !ended.is_stopping() {
            follow(&host, port, &mut known, &changes).await;
            tokio::select! {
                () = tokio::time::sleep(LOOK_UP_EVERY) => {}
                () = ended.stopped() => {}
            }
        }
    });
    Ok(channel)
}

/// Tells the channel what changed; the old set is kept when the name cannot be looked up.
async fn follow(host: &str, port: u16, known: &mut HashSet<SocketAddr>, changes: &Sender<Change<SocketAddr, Endpoint>>) {
    let found: HashSet<_> = match tokio::net::lookup_host((host, port)).await {
        Ok(found) => found.collect(),
        Err(cause) => {
            tracing::warn!(%cause, host, "cannot look up a service");
            return;
        }
    };
    if found.is_empty() {
        return;
    }
    for gone in known.difference(&found) {
        let _ = changes.send(Change::Remove(*gone)).await;
    }
    for new in found.difference(known) {
        if let Ok(endpoint) = endpoint(*new) {
            let _ = changes.send(Change::Insert(*new, endpoint)).await;
        }
    }
    *known = found;
}

fn endpoint(address: SocketAddr) -> anyhow::Result<Endpoint> {
    Ok(Endpoint::from_shared(format!("http://{address}"))?
        .connect_timeout(Duration::from_millis(500))
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(3))
        .tcp_nodelay(true))
}
