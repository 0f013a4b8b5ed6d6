//! What a stopwatch tells of who there is: nothing.
use crate::{
    lockout::{fail, somewhere},
    office::{FIRST, Office, PASSWORD, another, config, number},
};
use auth_svc::password::Passwords;
use patio_proto::access::Role;
use patio_testing::each_database;
use std::time::{Duration, Instant};

/// Tries against each of as many people, few enough to stay below every limit.
const EACH: usize = 4;

/// The chance that a sample of the one is longer than one of the other: a half when they tell nothing.
fn auc(one: &[f64], other: &[f64]) -> f64 {
    let mut all: Vec<_> = one.iter().map(|took| (*took, true)).chain(other.iter().map(|took| (*took, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks: f64 = all.iter().enumerate().filter(|(_, (_, ours))| *ours).map(|(n, _)| n as f64 + 1.0).sum();
    let (n, m) = (one.len() as f64, other.len() as f64);
    (ranks - n * (n + 1.0) / 2.0) / (n * m)
}

fn median(took: &mut [f64]) -> f64 {
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}

#[tokio::test]
async fn a_stopwatch_cannot_tell_a_person_from_an_invented_one() {
    if !patio_testing::long("a_stopwatch_cannot_tell_a_person_from_an_invented_one") {
        return;
    }
    each_database(async |host| {
        let office = Office::open_with(host, config(), Passwords::default()).await;
        let admin = office.admin().await;
        let people = 500;
        for n in 0..people {
            office.hire(&admin, &format!("real-{n}"), Role::Operator).await;
        }
        let (mut real, mut invented) = (Vec::new(), Vec::new());
        for n in 0..people * EACH {
            // In pairs and by turns, so that whatever else the machine does concerns both alike.
            let pair = [(format!("real-{}", n % people), &mut real), (format!("none-{}", n % people), &mut invented)];
            let mut pair = Vec::from(pair);
            if n % 2 == 1 {
                pair.reverse();
            }
            for (hmc, took) in pair {
                let (here, started) = (somewhere(), Instant::now());
                office.refused(&hmc, "a wrong one", &here).await;
                took.push(started.elapsed().as_secs_f64() * 1e3);
            }
        }
        let (told, medians) = (auc(&real, &invented), (median(&mut real), median(&mut invented)));
        patio_testing::tell(&format!("AUC {told:.4} over 2 x {}, medians {:.3} and {:.3} ms", real.len(), medians.0, medians.1));
        assert!((0.47..=0.53).contains(&told) && (medians.0 - medians.1).abs() <= 1.0);
    })
    .await;
}

#[tokio::test]
async fn a_block_lasts_three_minutes_by_a_watch_and_its_seconds_are_true_all_the_while() {
    if !patio_testing::long("a_block_lasts_three_minutes_by_a_watch_and_its_seconds_are_true_all_the_while") {
        return;
    }
    let redis = patio_testing::from_environment(patio_testing::REDIS);
    each_database(async |host| {
        let office = Office::open(another(&host, redis.as_deref()).await).await;
        let here = somewhere();
        fail(&office, FIRST, 5, &here).await;
        let (blocked, mut asked) = (Instant::now(), 0);
        while let Err(refused) = office.try_sign_in(FIRST, PASSWORD, &here, "").await {
            let (told, left) = (number(&refused) as f64, 180.0 - blocked.elapsed().as_secs_f64());
            assert!((1.0..=180.0).contains(&told) && (told - left.max(0.0)).abs() <= 1.5, "told {told}, {left} were left");
            assert!(blocked.elapsed() < Duration::from_secs(182), "{refused:?}");
            asked += 1;
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        let lasted = blocked.elapsed();
        patio_testing::tell(&format!("a block lasted {lasted:?}; {asked} times its seconds were true"));
        assert!((Duration::from_secs(179)..=Duration::from_secs(181)).contains(&lasted), "{lasted:?}");
        office.close().await;
    })
    .await;
}
