//! Reads workbooks in separate reader processes: starts one process per workbook, sends the file to the process and receives
//! records from the process's standard output.
use crate::{
    CORRECTION_ARGUMENT,
    protocol::{CorrectionRow, CorrectionRowBatch, MAX_RECORD_BYTES, ReaderRecord, SheetReadResult, SheetSummary},
    rejection::unreadable_workbook_rejection,
};
use bytes::{Bytes, BytesMut};
use moka::sync::Cache;
use patio_proto::imports::Rejection;
use prost::Message;
use std::{path::PathBuf, process::Stdio, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Semaphore,
};

/// Wall-clock timeout of reading one workbook. The timeout is long, so that a valid file is not rejected on a busy machine. The
/// CPU time of the reader process has a separate, shorter limit.
pub const WORKBOOK_READ_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of concurrent reader processes; further workbooks wait.
pub const MAX_READER_PROCESSES: usize = 2;
/// Maximum total size in bytes of the encoded records of one workbook: vehicles to import, or rows with their errors. The limit is
/// enough for 200,000 vehicles with the longest values.
const MAX_ENCODED_BYTES: usize = 48 << 20;

/// Reads workbooks, each in a separate process. Clones share the concurrency limits.
#[derive(Clone)]
pub struct WorkbookReader {
    program: PathBuf,
    timeout: Duration,
    reader_slots: Arc<Semaphore>,
    /// Semaphore of each user, by user id, so that only one file of a user is read at a time.
    user_slots: Cache<i64, Arc<Semaphore>>,
}

/// Content that was read from a valid workbook.
#[derive(Debug)]
pub struct ParsedWorkbook {
    /// Campaign data and number of vehicles of the workbook.
    pub sheet: SheetSummary,
    /// Vehicles as encoded `ImportVehiclesRequest`s of up to 500 each. Their campaign id is still 0, because the campaign does not
    /// exist yet.
    pub vehicles: Vec<Bytes>,
}

/// All rows of a workbook as encoded [`CorrectionRowBatch`], each row with its errors.
#[derive(Debug)]
pub struct CorrectionRows(Vec<Bytes>);

impl CorrectionRows {
    /// Returns the rows, the header first. Stops at the first encoded [`CorrectionRowBatch`] that cannot be decoded.
    pub fn into_rows(self) -> impl Iterator<Item = CorrectionRow> {
        self.0.into_iter().map_while(|bytes| CorrectionRowBatch::decode(bytes).ok()).flat_map(|lines| lines.all)
    }
}

/// Reason that a workbook could not be read.
#[derive(Debug)]
pub enum WorkbookReadError {
    /// The file was rejected; contains the errors for the uploader.
    Rejected(Rejection),
    /// The reader process failed to start.
    NotStarted(std::io::Error),
}

impl From<Rejection> for WorkbookReadError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl WorkbookReader {
    /// Creates a reader that starts `program` for each workbook, and kills the process after `timeout`.
    #[must_use]
    pub fn new(program: PathBuf, timeout: Duration) -> Self {
        let user_slots = Cache::builder().max_capacity(10_000).time_to_idle(Duration::from_secs(600)).build();
        Self { program, timeout, reader_slots: Arc::new(Semaphore::new(MAX_READER_PROCESSES)), user_slots }
    }

    /// Reads a workbook in a new reader process. Before the start, waits until no other workbook of the user is being read and fewer
    /// than [`MAX_READER_PROCESSES`] reader processes run. Repeatedly calls `report_rows` with the number of rows read so far.
    /// Dropping the returned future kills the reader process.
    ///
    /// # Errors
    /// Returns a rejection when the workbook is invalid, or when the reader process died or timed out. Returns `NotStarted` when the
    /// reader process failed to start.
    pub async fn read(
        &self,
        person: i64,
        file: Bytes,
        report_rows: &mut (dyn FnMut(i64) + Send),
    ) -> Result<ParsedWorkbook, WorkbookReadError> {
        let output = self.run_child(person, file, &[], report_rows).await?;
        match output.end {
            SheetReadResult::Valid(sheet) => Ok(ParsedWorkbook { sheet, vehicles: output.vehicles }),
            SheetReadResult::Rejected(rejection) => Err(rejection.into()),
        }
    }

    /// Reads all rows of a workbook with their errors, in a new reader process. Before the start, waits until no other workbook of the
    /// user is being read and fewer than [`MAX_READER_PROCESSES`] reader processes run.
    ///
    /// # Errors
    /// Returns a rejection when no row of the workbook can be read. Returns `NotStarted` when the reader process failed to start.
    pub async fn read_correction_rows(&self, user_id: i64, file: Bytes) -> Result<CorrectionRows, WorkbookReadError> {
        let output = self.run_child(user_id, file, &[CORRECTION_ARGUMENT], &mut |_| {}).await?;
        match output.end {
            SheetReadResult::Rejected(rejection) if output.lines.is_empty() => Err(rejection.into()),
            SheetReadResult::Rejected(_) | SheetReadResult::Valid(_) => Ok(CorrectionRows(output.lines)),
        }
    }

    async fn run_child(
        &self,
        person: i64,
        file: Bytes,
        more: &[&str],
        report_rows: &mut (dyn FnMut(i64) + Send),
    ) -> Result<ChildOutput, WorkbookReadError> {
        let user_slot = self.user_slots.get_with(person, || Arc::new(Semaphore::new(1)));
        let _user_slot = user_slot.acquire().await.map_err(|_| unreadable_workbook_rejection("the service is stopping"))?;
        let _slot = self.reader_slots.acquire().await.map_err(|_| unreadable_workbook_rejection("the service is stopping"))?;
        let (mut child, stdin, stdout) = self.start(more).map_err(WorkbookReadError::NotStarted)?;
        let both = futures::future::join(send_file(stdin, file), listen(stdout, report_rows));
        let output = tokio::time::timeout(self.timeout, both).await;
        end(&mut child).await;
        match output {
            Ok((_, output)) => output,
            Err(_) => Err(unreadable_workbook_rejection("it takes too long to read").into()),
        }
    }

    /// Starts the reader process with pipes for standard input and output. The process does not inherit the environment variables of
    /// this process, which may contain secrets.
    fn start(&self, more: &[&str]) -> std::io::Result<(Child, ChildStdin, ChildStdout)> {
        let mut child = Command::new(&self.program)
            .arg(crate::RUN_AS_READER_ARGUMENT)
            .args(more)
            .env_clear()
            .env("MIMALLOC_ARENA_RESERVE", "0") // memory reserved before the limit is set would escape the limit
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok((child, stdin, stdout)),
            _ => Err(std::io::Error::other("the workbook reader process has no pipes")),
        }
    }
}

/// Writes the file to the reader process. A write error is only logged, because a process that stops reading early reports the reason in
/// its records.
async fn send_file(mut stdin: ChildStdin, file: Bytes) {
    if let Err(cause) = stdin.write_all(&file).await {
        tracing::debug!(%cause, "workbook reader process stopped reading before the end of the file");
    }
}

/// Complete output of a reader process: the encoded vehicles or rows of all records, and the result from the last record.
struct ChildOutput {
    vehicles: Vec<Bytes>,
    lines: Vec<Bytes>,
    end: SheetReadResult,
}

async fn listen(stdout: ChildStdout, report_rows: &mut (dyn FnMut(i64) + Send)) -> Result<ChildOutput, WorkbookReadError> {
    let mut stdout = BufReader::with_capacity(64 << 10, stdout);
    let (mut vehicles, mut lines, mut held) = (Vec::new(), Vec::new(), 0);
    loop {
        let Some(record) = next(&mut stdout).await else {
            return Err(unreadable_workbook_rejection("its contents are damaged or far too large").into());
        };
        held += record.vehicles.len() + record.lines.len();
        if held > MAX_ENCODED_BYTES {
            return Err(unreadable_workbook_rejection("it holds too much text").into());
        }
        if !record.vehicles.is_empty() {
            vehicles.push(record.vehicles);
        }
        if !record.lines.is_empty() {
            lines.push(record.lines);
        }
        match record.end {
            Some(end) => return Ok(ChildOutput { vehicles, lines, end }),
            None => report_rows(record.read),
        }
    }
}

/// Reads the next record from the reader process. Returns `None` if the process died or the record is invalid.
async fn next(stdout: &mut BufReader<ChildStdout>) -> Option<ReaderRecord> {
    let length = usize::try_from(stdout.read_u32_le().await.ok()?).ok()?;
    if length > MAX_RECORD_BYTES {
        return None;
    }
    let mut bytes = BytesMut::zeroed(length);
    stdout.read_exact(&mut bytes).await.ok()?;
    ReaderRecord::decode(bytes.freeze()).ok()
}

/// Waits for the reader process to exit, and kills the process after a short grace period.
async fn end(child: &mut Child) {
    match tokio::time::timeout(Duration::from_millis(200), child.wait()).await {
        Ok(Ok(code)) if code.success() => {}
        Ok(Ok(code)) => tracing::info!(status = %code, "workbook reader process failed, the file is rejected as damaged or too large"),
        Ok(Err(cause)) => tracing::warn!(%cause, "failed to wait for the workbook reader process to exit, its exit status is unknown"),
        Err(_) => {
            if let Err(cause) = child.kill().await {
                tracing::warn!(%cause, "failed to kill the workbook reader process, it may keep running");
            }
        }
    }
}
