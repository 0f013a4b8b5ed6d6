use crate::limits::admission::*;
use futures::future::join_all;

fn admission(most: usize) -> AdmissionController {
    AdmissionController::new(NonZeroUsize::new(most), &ServiceChannel::Local(Arc::default()))
}

fn under_way(admission: &AdmissionController) -> (usize, usize) {
    let state = admission.state();
    (state.saving, state.reading)
}

async fn fill(admission: &AdmissionController, rank: Priority) -> Vec<Permit> {
    let mut all = Vec::new();
    while let Some(permit) = admission.acquire_permit(rank).await {
        all.push(permit);
    }
    all
}

#[tokio::test]
async fn reads_leave_a_quarter_to_saves() {
    let admission = admission(8);
    let reads = fill(&admission, Priority::Read).await;
    let saves = fill(&admission, Priority::Save).await;
    assert_eq!((reads.len(), saves.len()), (6, 2));
}

/// Returns the time that a save waits before admission control rejects the save.
async fn refused_after(admission: &AdmissionController) -> Duration {
    let begun = Instant::now();
    assert!(admission.acquire_permit(Priority::Save).await.is_none());
    begun.elapsed()
}

#[tokio::test]
async fn a_burst_waits_and_during_an_overload_requests_are_rejected_at_once() {
    let admission = admission(4);
    let all = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
    assert!(refused_after(&admission).await >= MAX_QUEUE_WAIT, "it waited");
    assert!(refused_after(&admission).await < MAX_QUEUE_WAIT, "requests were rejected before");
    drop(all);
    for _ in 0..2 * DEBT_PER_REJECTION {
        assert!(admission.acquire_permit(Priority::Save).await.is_some());
    }
    let again = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
    let begun = Instant::now();
    let (late, ()) = tokio::join!(admission.acquire_permit(Priority::Read), async {
        tokio::time::sleep(MAX_QUEUE_WAIT / 2).await;
        drop(again);
    });
    assert!(late.is_some(), "the overload is over");
    assert!(begun.elapsed() >= MAX_QUEUE_WAIT / 2);
}

/// Returns an overloaded admission controller with all permits free. The recovery debt is at the maximum, so that further
/// rejections would not prolong the overload.
async fn overrun() -> AdmissionController {
    let admission = admission(4);
    let all = fill(&admission, Priority::Save).await;
    for _ in 0..all.len() * DEBT_CAP_PER_PERMIT {
        refused_after(&admission).await;
    }
    admission
}

#[tokio::test]
async fn an_overload_lasts_while_many_requests_are_rejected() {
    let admission = overrun().await;
    for _ in 0..4 * (DEBT_CAP_PER_PERMIT - 1) * DEBT_PER_REJECTION {
        assert!(admission.acquire_permit(Priority::Read).await.is_some());
    }
    let _all = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
    assert!(refused_after(&admission).await < MAX_QUEUE_WAIT, "admissions below the recovery debt do not end an overload");
}

#[tokio::test]
async fn enough_idle_ticks_end_an_overload() {
    for looks in [IDLE_TICKS_TO_RECOVER - 1, IDLE_TICKS_TO_RECOVER] {
        let admission = overrun().await;
        for _ in 0..looks {
            admission.state().tick();
        }
        let _all = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
        assert_eq!(refused_after(&admission).await >= MAX_QUEUE_WAIT, looks == IDLE_TICKS_TO_RECOVER);
    }
}

#[tokio::test]
async fn a_paused_process_does_not_count_as_idle() {
    let admission = overrun().await;
    tokio::time::sleep(2 * IDLE_TICKS_TO_RECOVER * TICK).await;
    admission.state().tick();
    let _all = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
    assert!(refused_after(&admission).await < MAX_QUEUE_WAIT);
}

#[tokio::test]
async fn a_full_queue_rejects_at_once() {
    let admission = admission(2);
    let _all = join_all((0..2).map(|_| admission.acquire_permit(Priority::Save))).await;
    let crowd = join_all((0..2 * QUEUE_PER_PERMIT).map(|_| admission.acquire_permit(Priority::Read)));
    let late = async {
        tokio::time::sleep(MAX_QUEUE_WAIT / 5).await;
        let begun = Instant::now();
        (admission.acquire_permit(Priority::Save).await.is_none(), begun.elapsed())
    };
    let (crowd, (is_refused, after)) = tokio::join!(crowd, late);
    assert!(is_refused && after < MAX_QUEUE_WAIT / 2, "{after:?}");
    assert!(crowd.iter().all(Option::is_none), "no queued request was admitted");
}

#[tokio::test]
async fn requests_that_stopped_waiting_do_not_fill_the_queue() {
    let admission = admission(2);
    let all = join_all((0..2).map(|_| admission.acquire_permit(Priority::Save))).await;
    let crowd = (0..2 * QUEUE_PER_PERMIT).map(|_| timeout(Duration::from_millis(1), admission.acquire_permit(Priority::Read)));
    assert!(join_all(crowd).await.iter().all(Result::is_err), "every read was abandoned");
    let ending = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(all);
    };
    let (save, ()) = tokio::join!(admission.acquire_permit(Priority::Save), ending);
    assert!(save.is_some(), "no request waited before the save");
}

#[tokio::test]
async fn a_waiting_save_is_admitted_before_earlier_reads() {
    let admission = admission(4);
    let mut all: Vec<_> = join_all((0..4).map(|_| admission.acquire_permit(Priority::Save))).await;
    let order = Mutex::new(Vec::new());
    let waits = |rank, name| {
        let (admission, order) = (&admission, &order);
        async move {
            let permit = admission.acquire_permit(rank).await;
            order.lock().unwrap().push(name);
            permit
        }
    };
    let ending = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            all.pop();
        }
    };
    let (read, save, ()) = tokio::join!(waits(Priority::Read, "read"), waits(Priority::Save, "save"), ending);
    assert_eq!(*order.lock().unwrap(), ["save", "read"]);
    drop((read, save, all));
    assert_eq!(under_way(&admission), (0, 0));
}

#[tokio::test]
async fn a_request_that_stopped_waiting_is_skipped() {
    let admission = admission(1);
    let first = admission.acquire_permit(Priority::Save).await;
    assert!(timeout(Duration::from_millis(1), admission.acquire_permit(Priority::Save)).await.is_err());
    drop(first);
    assert!(admission.acquire_permit(Priority::Read).await.is_some());
    assert_eq!(under_way(&admission), (0, 0));
}
