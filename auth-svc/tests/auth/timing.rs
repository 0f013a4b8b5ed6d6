//! Timing: response times do not reveal which login names (HMCs) exist, and a block lasts exactly three minutes.
use crate::{
    lockout::{fail, somewhere},
    office::{FIRST, Office, PASSWORD, another, config, number},
};
use auth_svc::password::PasswordHasher;
use patio_proto::access::Role;
use patio_testing::each_database;
use std::time::{Duration, Instant};

/// Number of attempts per user, below every lockout limit.
const EACH: usize = 4;

/// Returns the probability that a sample of `one` exceeds a sample of `other` (AUC); 0.5 means indistinguishable.
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
async fn response_times_do_not_reveal_which_hmcs_exist() {
    if !patio_testing::long("response_times_do_not_reveal_which_hmcs_exist") {
        return;
    }
    each_database(async |host| {
        let office = Office::open_with(host, config(), PasswordHasher::default()).await;
        let admin = office.admin().await;
        let people = 500;
        for n in 0..people {
            office.hire(&admin, &format!("real-{n}"), Role::Operator).await;
        }
        let (mut real, mut invented) = (Vec::new(), Vec::new());
        for n in 0..people * EACH {
            // Samples alternate in pairs, so that other load on the machine affects both alike.
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
        let (auc, medians) = (auc(&real, &invented), (median(&mut real), median(&mut invented)));
        patio_testing::print_to_stderr(&format!("AUC {auc:.4} over 2 x {}, medians {:.3} and {:.3} ms", real.len(), medians.0, medians.1));
        assert!((0.47..=0.53).contains(&auc) && (medians.0 - medians.1).abs() <= 1.0);
    })
    .await;
}

#[tokio::test]
async fn a_block_lasts_three_minutes_and_its_remaining_seconds_are_right() {
    if !patio_testing::long("a_block_lasts_three_minutes_and_its_remaining_seconds_are_right") {
        return;
    }
    let redis = patio_testing::from_environment(patio_testing::REDIS);
    each_database(async |host| {
        let office = Office::open(another(&host, redis.as_deref()).await).await;
        let here = somewhere();
        fail(&office, FIRST, 5, &here).await;
        let (blocked, mut asked) = (Instant::now(), 0);
        while let Err(refused) = office.try_sign_in(FIRST, PASSWORD, &here, "").await {
            let (reported, left) = (number(&refused) as f64, 180.0 - blocked.elapsed().as_secs_f64());
            assert!(
                (1.0..=180.0).contains(&reported) && (reported - left.max(0.0)).abs() <= 1.5,
                "{reported} s were reported, {left} s were left"
            );
            assert!(blocked.elapsed() < Duration::from_secs(182), "{refused:?}");
            asked += 1;
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        let lasted = blocked.elapsed();
        patio_testing::print_to_stderr(&format!("a block lasted {lasted:?}; its remaining seconds were right {asked} times"));
        assert!((Duration::from_secs(179)..=Duration::from_secs(181)).contains(&lasted), "{lasted:?}");
        office.close().await;
    })
    .await;
}
