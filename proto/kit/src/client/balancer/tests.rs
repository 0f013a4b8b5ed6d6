//! Tests of the choice of replicas from DNS answers and health checks.
use super::*;
use crate::client::subset::{MAX_CHECKED_REPLICAS, REPLICA_SUBSET_SIZE};
use tonic::service::RoutesBuilder;
use tonic_health::{
    ServingStatus,
    server::{HealthReporter, health_reporter},
};

/// Starts a server that offers only the gRPC health service.
async fn process(tasks: &BackgroundTasks) -> (SocketAddr, HealthReporter) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (reporter, health) = health_reporter();
    let mut routes = RoutesBuilder::default();
    routes.add_service(health);
    tasks.spawn(async move { axum::serve(listener, routes.routes().into_axum_router()).await.unwrap() });
    (address, reporter)
}

fn known(replicas: &LoadBalancer) -> HashSet<SocketAddr> {
    replicas.0.checked.read().unwrap().iter().map(|replica| replica.address).collect()
}

fn at<const N: usize>(addresses: [SocketAddr; N]) -> HashMap<SocketAddr, Arc<str>> {
    addresses.map(|address| (address, "localhost".into())).into()
}

/// Waits until exactly `count` replicas are healthy.
async fn until_well(replicas: &LoadBalancer, count: usize) {
    let settled = async {
        while replicas.healthy_count() != count {
            tokio::time::sleep(WAIT_POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), settled).await.unwrap();
}

#[tokio::test]
async fn an_outdated_dns_answer_does_not_remove_a_healthy_replica() {
    let tasks = BackgroundTasks::default();
    let replicas = LoadBalancer::new("test", "http://localhost:1", None, &tasks).unwrap();
    let ((old, leaves), (new, _well)) = (process(&tasks).await, process(&tasks).await);
    let begun = Instant::now();
    replicas.replace(at([old]), true, begun, &tasks);
    replicas.replace(at([old, new]), true, begun, &tasks);
    until_well(&replicas, 2).await;
    replicas.replace(at([old]), true, begun + Duration::from_secs(30), &tasks);
    leaves.set_service_status("", ServingStatus::NotServing).await;
    until_well(&replicas, 1).await;
    assert_eq!(known(&replicas), HashSet::from([old, new]), "the other DNS server does not know the new address yet");
    replicas.replace(at([new]), true, begun + Duration::from_secs(40), &tasks);
    assert_eq!(known(&replicas), HashSet::from([new]), "missing in DNS and unhealthy");
    replicas.replace(at([old]), true, begun + Duration::from_secs(99), &tasks);
    assert_eq!(known(&replicas), HashSet::from([old, new]));
    replicas.replace(at([old]), true, begun + Duration::from_secs(100), &tasks);
    assert_eq!(known(&replicas), HashSet::from([old]), "healthy, but missing in DNS for a minute");
    tasks.stop();
}

#[tokio::test]
async fn a_caller_checks_a_subset_and_looks_further_when_that_subset_fails() {
    let tasks = BackgroundTasks::default();
    let replicas = LoadBalancer::new("test", "http://localhost:1", None, &tasks).unwrap();
    let mut all = HashMap::new();
    for _ in 0..20 {
        let (address, reporter) = process(&tasks).await;
        all.insert(address, reporter);
    }
    let hosts = || all.keys().map(|address| (*address, "localhost".into())).collect();
    replicas.replace(hosts(), true, Instant::now(), &tasks);
    until_well(&replicas, REPLICA_SUBSET_SIZE).await;
    let subset = known(&replicas);
    assert_eq!(subset.len(), REPLICA_SUBSET_SIZE);
    for address in &subset {
        all[address].set_service_status("", ServingStatus::NotServing).await;
    }
    until_well(&replicas, 0).await;
    replicas.substitute(&tasks);
    until_well(&replicas, REPLICA_SUBSET_SIZE).await;
    let checked = known(&replicas);
    assert!(checked.len() == MAX_CHECKED_REPLICAS && checked.is_superset(&subset), "{checked:?}");
    assert!(!subset.contains(&replicas.pick_replica(&[]).await.replica_address()));
    tasks.stop();
}
