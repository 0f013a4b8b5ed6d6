//! Pages of lists and patterns of searches.
use patio_kit::pagination::{DEFAULT_PAGE_SIZE, HistoryWindow, MAX_PAGE_SIZE, PageWindow, to_like_pattern};
use patio_proto::common::{self, Page};

#[test]
fn a_page_is_kept_within_its_bounds() {
    assert_eq!((DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE), (10, 200));
    for ((index, size), (kept_index, kept_size)) in [
        ((0, 0), (0, 10)),
        ((3, 25), (3, 25)),
        ((0, 200), (0, 200)),
        ((0, 201), (0, 200)),
        ((0, i32::MAX), (0, 200)),
        ((0, -1), (0, 1)),
        ((-1, 10), (0, 10)),
        ((i32::MIN, i32::MIN), (0, 1)),
    ] {
        assert_eq!(
            PageWindow::from_request(Some(&Page { index, size })),
            PageWindow { index: kept_index, size: kept_size },
            "{index}, {size}"
        );
    }
    assert_eq!(PageWindow::from_request(None), PageWindow { index: 0, size: 10 });
}

#[test]
fn the_last_page_that_can_be_named_is_skipped_to_without_overflow() {
    let last = PageWindow::from_request(Some(&Page { index: i32::MAX, size: 200 }));
    assert_eq!((last.limit(), last.offset()), (200, 429_496_729_400));
    let meta = PageWindow::from_request(Some(&Page { index: 2, size: 50 })).to_page_meta(i64::MAX);
    assert_eq!((meta.index, meta.size, meta.total_count), (2, 50, i64::MAX));
}

#[test]
fn a_history_begins_with_the_newest_entry_and_is_kept_within_its_bounds() {
    let newest = HistoryWindow::from_request(None);
    assert_eq!((newest.before.to_rfc3339().as_str(), newest.before_id, newest.limit), ("9999-12-31T23:59:59+00:00", 0, 1));
    let window = |seconds, limit| {
        let before = Some(prost_types::Timestamp { seconds, nanos: 0 });
        HistoryWindow::from_request(Some(&common::HistoryWindow { before, before_id: 7, limit }))
    };
    assert_eq!([-1, 0, 1, 101, 102, i32::MAX].map(|limit| window(0, limit).limit), [1, 1, 1, 101, 101, 101]);
    assert_eq!((window(60, 5).before.timestamp(), window(60, 5).before_id), (60, 7));
    assert_eq!(window(i64::MAX, 5).before, newest.before, "a time out of range");
}

#[test]
fn a_pattern_escapes_what_like_reads_as_a_wildcard() {
    for (text, pattern) in [("", "%%"), ("AB", "%ab%"), ("50%", "%50\\%%"), ("a_b", "%a\\_b%"), ("a\\b", "%a\\\\b%"), ("a\0b", "%a\u{1}b%")]
    {
        assert_eq!(to_like_pattern(text), pattern);
    }
}
