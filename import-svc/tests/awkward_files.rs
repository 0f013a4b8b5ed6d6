//! Files that are not workbooks, damaged or malicious: each is rejected with its error code and a helpful message.
use crate::common::{
    FIRST, HEADER, awkward,
    book::{Book, row},
    good, read, vehicles, with_rows,
};
use std::time::{Duration, Instant};
use workbook_reader::{WorkbookReadError, WorkbookReader, rejection::MAX_FILE_BYTES};

#[tokio::test]
async fn every_awkward_file_gets_its_code_and_words_that_help() {
    let files = awkward::files();
    assert!(files.len() >= 60, "only {}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let begun = Instant::now();
        let outcome = read(file.file).await.map(|book| book.sheet);
        let fits = outcome.as_ref().is_err_and(|rejection| {
            rejection.code == file.code
                && (rejection.message.contains(file.words) || rejection.rows.iter().any(|row| row.message.contains(file.words)))
        });
        if !fits || begun.elapsed() > Duration::from_secs(15) {
            wrong.push(format!("{}: {outcome:?} after {:?}", file.name, begun.elapsed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn padded_to(size: usize) -> Vec<u8> {
    let empty = Book::new(&[&HEADER, &FIRST]).stored("xl/media/padding", Vec::new()).bytes().len();
    let file = Book::new(&[&HEADER, &FIRST]).stored("xl/media/padding", vec![7; size - empty]).bytes();
    assert_eq!(file.len(), size);
    file
}

#[tokio::test]
async fn a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    assert_eq!(vehicles(&read(padded_to(MAX_FILE_BYTES)).await.unwrap()).len(), 1);
    assert_eq!(read(padded_to(MAX_FILE_BYTES + 1)).await.unwrap_err().code, 52);
}

#[tokio::test]
async fn a_million_empty_formatted_rows_cost_nothing_but_time() {
    let blank: String = (3..=1_048_576).map(|number| format!(r#"<row r="{number}"><c r="A{number}" s="1"/></row>"#)).collect();
    let file = Book::of_data(&format!("{}{}{blank}", row(1, &HEADER), row(2, &FIRST))).bytes();
    assert_eq!(vehicles(&read(file).await.unwrap()), [["HB20", "000123", "A-2"]]);
}

#[tokio::test]
async fn an_empty_cell_in_the_farthest_corner_is_no_value() {
    let corner = r#"<row r="1048576"><c r="XFD1048576" s="1"/></row>"#;
    let file = Book::of_data(&format!("{}{}{corner}", row(1, &HEADER), row(2, &FIRST))).bytes();
    assert_eq!(read(file).await.unwrap().sheet.vehicles, 1);
}

#[tokio::test]
async fn two_hundred_thousand_vehicles_are_taken_and_one_more_is_not() {
    let whole = read(good("Large", 200_000)).await.unwrap();
    assert_eq!((whole.sheet.vehicles, whole.vehicles.len()), (200_000, 400));
    let refused = read(good("Larger", 200_001)).await.unwrap_err();
    assert_eq!(refused.code, 57);
    assert!(refused.message.contains("at most 200000 vehicles"), "{}", refused.message);
}

#[tokio::test]
async fn a_hundred_bad_rows_are_listed_and_all_are_counted() {
    let bad: [&str; 7] = ["", "", "", "", "HB20", "", "A-1"];
    let rows: Vec<&[&str]> = std::iter::once(&FIRST[..]).chain(std::iter::repeat_n(&bad[..], 150)).collect();
    let refused = read(with_rows(&rows)).await.unwrap_err();
    assert_eq!((refused.code, refused.rows.len(), refused.total_errors), (57, 100, 150));
    assert_eq!((refused.rows[0].row, refused.rows[0].column.as_str()), (3, "Serial Number"));
    assert!(refused.message.contains("150 cells"), "{}", refused.message);
}

/// Runs a shell command in place of the reader process, to simulate its failures.
async fn read_by_a_program_that(does: &str, patience: Duration) -> Result<(), WorkbookReadError> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("reader");
    // Another process writes the program. A child process that another test starts at this moment would inherit an open file of this
    // process, and a file that is open for writing cannot be executed.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let written = std::process::Command::new("sh").args(["-c", write]).arg(&program).arg(does).status().unwrap();
    assert!(written.success());
    WorkbookReader::new(program, patience).read(7, good("Any", 3).into(), &mut |_| {}).await.map(drop)
}

#[tokio::test]
async fn a_reading_process_that_dies_costs_only_its_file() {
    for death in ["kill -9 $$", "kill -ABRT $$", "exit 0", "echo this is no record at all", "printf '\\377\\377\\377\\377'"] {
        let Err(WorkbookReadError::Rejected(rejection)) = read_by_a_program_that(death, Duration::from_secs(5)).await else {
            panic!("{death}")
        };
        assert_eq!(rejection.code, 51, "{death}");
    }
}

#[tokio::test]
async fn a_reading_process_that_hangs_is_ended() {
    let begun = Instant::now();
    let Err(WorkbookReadError::Rejected(rejection)) = read_by_a_program_that("exec sleep 60", Duration::from_millis(300)).await else {
        panic!()
    };
    assert!(rejection.message.contains("too long") && rejection.code == 51, "{rejection:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_reading_program_that_is_not_there_is_a_fault_of_ours() {
    let reader = WorkbookReader::new("/nowhere/import-svc".into(), Duration::from_secs(1));
    assert!(matches!(reader.read(7, good("Any", 1).into(), &mut |_| {}).await, Err(WorkbookReadError::NotStarted(_))));
}

#[tokio::test]
async fn the_reader_reports_the_number_of_rows_read_so_far() {
    let mut reported = Vec::new();
    crate::common::reader().read(7, good("Rows", 1_200).into(), &mut |rows| reported.push(rows)).await.unwrap();
    assert_eq!(reported, [500, 1_000, 1_200]);
}

#[tokio::test]
async fn a_person_with_many_files_keeps_nobody_else_waiting() {
    let reader = crate::common::reader();
    let many: Vec<_> = (0..6).map(|n| (reader.clone(), good(&format!("Many {n}"), 20_000))).collect();
    let all = futures::future::join_all(
        many.into_iter().map(|(reader, file)| async move { reader.read(7, file.into(), &mut |_| {}).await.map(|_| Instant::now()) }),
    );
    let other = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        reader.read(8, good("One", 3).into(), &mut |_| {}).await.map(|_| Instant::now())
    };
    let (all, other) = tokio::join!(all, other);
    let (all, other) = (all.into_iter().collect::<Result<Vec<_>, _>>().unwrap(), other.unwrap());
    let later = all.iter().filter(|read| **read > other).count();
    assert!(later >= 3, "{later} of six files of the other user were read later");
}
