use super::*;
use futures::future::join_all;

fn turns(most: usize) -> Turns {
    Turns::new(NonZeroUsize::new(most), &Link::Local(Arc::default()))
}

fn under_way(turns: &Turns) -> (usize, usize) {
    let room = turns.room();
    (room.saving, room.reading)
}

async fn fill(turns: &Turns, rank: Rank) -> Vec<Turn> {
    let mut all = Vec::new();
    while let Some(turn) = turns.take(rank).await {
        all.push(turn);
    }
    all
}

#[tokio::test]
async fn reads_leave_a_quarter_to_saves() {
    let turns = turns(8);
    let reads = fill(&turns, Rank::Read).await;
    let saves = fill(&turns, Rank::Save).await;
    assert_eq!((reads.len(), saves.len()), (6, 2));
}

/// How long a save waits in vain.
async fn refused_after(turns: &Turns) -> Duration {
    let begun = Instant::now();
    assert!(turns.take(Rank::Save).await.is_none());
    begun.elapsed()
}

#[tokio::test]
async fn a_rush_waits_and_whoever_comes_in_an_overload_is_told_at_once() {
    let turns = turns(4);
    let all = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
    assert!(refused_after(&turns).await >= RUSH, "it waited");
    assert!(refused_after(&turns).await < RUSH, "others have waited in vain");
    drop(all);
    for _ in 0..2 * FOUND {
        assert!(turns.take(Rank::Save).await.is_some());
    }
    let again = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
    let begun = Instant::now();
    let (late, ()) = tokio::join!(turns.take(Rank::Read), async {
        tokio::time::sleep(RUSH / 2).await;
        drop(again);
    });
    assert!(late.is_some(), "the overload is over");
    assert!(begun.elapsed() >= RUSH / 2);
}

/// Turns in an overload at its worst, right after those who were let in before it have gone.
async fn overrun() -> Turns {
    let turns = turns(4);
    let all = fill(&turns, Rank::Save).await;
    for _ in 0..all.len() * REFUSED {
        refused_after(&turns).await;
    }
    turns
}

#[tokio::test]
async fn an_overload_goes_on_while_many_of_those_who_come_are_refused() {
    let turns = overrun().await;
    for _ in 0..4 * (REFUSED - 1) * FOUND {
        assert!(turns.take(Rank::Read).await.is_some());
    }
    let _all = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
    assert!(refused_after(&turns).await < RUSH, "that many found room for a while ends no overload");
}

#[tokio::test]
async fn a_lull_ends_an_overload() {
    for looks in [LULL - 1, LULL] {
        let turns = overrun().await;
        (0..looks).for_each(|_| turns.room().look());
        let _all = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
        assert_eq!(refused_after(&turns).await >= RUSH, looks == LULL);
    }
}

#[tokio::test]
async fn a_machine_that_stood_still_had_no_lull() {
    let turns = overrun().await;
    tokio::time::sleep(2 * LULL * LOOK).await;
    turns.room().look();
    let _all = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
    assert!(refused_after(&turns).await < RUSH);
}

#[tokio::test]
async fn no_more_wait_than_can_be_served_in_time() {
    let turns = turns(2);
    let _all = join_all((0..2).map(|_| turns.take(Rank::Save))).await;
    let crowd = join_all((0..2 * QUEUE).map(|_| turns.take(Rank::Read)));
    let late = async {
        tokio::time::sleep(RUSH / 5).await;
        let begun = Instant::now();
        (turns.take(Rank::Save).await.is_none(), begun.elapsed())
    };
    let (crowd, (is_refused, after)) = tokio::join!(crowd, late);
    assert!(is_refused && after < RUSH / 2, "{after:?}");
    assert!(crowd.iter().all(Option::is_none), "nobody let them in");
}

#[tokio::test]
async fn a_save_that_waits_goes_before_the_reads_that_came_first() {
    let turns = turns(4);
    let mut all: Vec<_> = join_all((0..4).map(|_| turns.take(Rank::Save))).await;
    let order = Mutex::new(Vec::new());
    let waits = |rank, name| {
        let (turns, order) = (&turns, &order);
        async move {
            let turn = turns.take(rank).await;
            order.lock().unwrap().push(name);
            turn
        }
    };
    let ending = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            all.pop();
        }
    };
    let (read, save, ()) = tokio::join!(waits(Rank::Read, "read"), waits(Rank::Save, "save"), ending);
    assert_eq!(*order.lock().unwrap(), ["save", "read"]);
    drop((read, save, all));
    assert_eq!(under_way(&turns), (0, 0));
}

#[tokio::test]
async fn whoever_gave_up_is_passed_over() {
    let turns = turns(1);
    let first = turns.take(Rank::Save).await;
    assert!(timeout(Duration::from_millis(1), turns.take(Rank::Save)).await.is_err());
    drop(first);
    assert!(turns.take(Rank::Read).await.is_some());
    assert_eq!(under_way(&turns), (0, 0));
}
