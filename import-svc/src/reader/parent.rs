//! The side of reading that goes on living: it starts a process for each file and listens to it.
use super::{
    CHECK,
    wire::{End, LONGEST_RECORD, Line, Lines, Record, Sheet},
};
use crate::refusal::unreadable;
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

/// How long reading one file may take by the clock. Its processor time is limited more narrowly; on a machine that is
/// busy with other things a good file is not refused for that.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How many files are read at once; the others wait for their turn.
pub const AT_ONCE: usize = 2;
/// Most bytes of encoded vehicles that are held: 200,000 of the longest.
const MOST_HELD: usize = 48 << 20;

/// Reads workbooks, each in a process of its own; clones share the turns.
#[derive(Clone)]
pub struct Reader {
    program: PathBuf,
    patience: Duration,
    turns: Arc<Semaphore>,
    /// The turn of each person, who has one file read at a time.
    own: Cache<i64, Arc<Semaphore>>,
}

/// A workbook that is good as a whole.
#[derive(Debug)]
pub struct Book {
    /// What it says beside the vehicles.
    pub sheet: Sheet,
    /// The vehicles as encoded `ImportVehiclesRequest`s, 500 each, without a campaign's id yet.
    pub vehicles: Vec<Bytes>,
}

/// A workbook's rows as they are, each with what is wrong with it.
#[derive(Debug)]
pub struct Checked(Vec<Bytes>);

impl Checked {
    /// The rows, the header first; what does not decode ends them.
    pub fn lines(self) -> impl Iterator<Item = Line> {
        self.0.into_iter().map_while(|bytes| Lines::decode(bytes).ok()).flat_map(|lines| lines.all)
    }
}

/// Why there is no book.
#[derive(Debug)]
pub enum Failure {
    /// The file is refused.
    Refused(Rejection),
    /// The reading process could not be started.
    NotStarted(std::io::Error),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}

impl Reader {
    /// Starts `program` for each file.
    #[must_use]
    pub fn new(program: PathBuf, patience: Duration) -> Self {
        let own = Cache::builder().max_capacity(10_000).time_to_idle(Duration::from_secs(600)).build();
        Self { program, patience, turns: Arc::new(Semaphore::new(AT_ONCE)), own }
    }

    /// Reads a workbook when its turn has come, one of a person after the other; `tell` hears how many rows have been read.
    ///
    /// When the answer is not awaited to the end, the process ends too.
    ///
    /// # Errors
    /// The refusal of the file, also when the process died or took too long over it.
    pub async fn read(&self, person: i64, file: Bytes, tell: &mut (dyn FnMut(i64) + Send)) -> Result<Book, Failure> {
        let heard = self.hear(person, file, &[], tell).await?;
        match heard.end {
            End::Whole(sheet) => Ok(Book { sheet, vehicles: heard.vehicles }),
            End::Refused(rejection) => Err(rejection.into()),
        }
    }

    /// Reads a workbook's rows as they are when its turn has come.
    ///
    /// # Errors
    /// The refusal of a file that has no rows to be corrected.
    pub async fn check(&self, person: i64, file: Bytes) -> Result<Checked, Failure> {
        let heard = self.hear(person, file, &[CHECK], &mut |_| {}).await?;
        match heard.end {
            End::Refused(rejection) if heard.lines.is_empty() => Err(rejection.into()),
            End::Refused(_) | End::Whole(_) => Ok(Checked(heard.lines)),
        }
    }

    async fn hear(&self, person: i64, file: Bytes, more: &[&str], tell: &mut (dyn FnMut(i64) + Send)) -> Result<Heard, Failure> {
        let own = self.own.get_with(person, || Arc::new(Semaphore::new(1)));
        let _own = own.acquire().await.map_err(|_| unreadable("the service is stopping"))?;
        let _turn = self.turns.acquire().await.map_err(|_| unreadable("the service is stopping"))?;
        let (mut child, stdin, stdout) = self.start(more).map_err(Failure::NotStarted)?;
        let both = futures::future::join(hand_in(stdin, file), listen(stdout, tell));
        let heard = tokio::time::timeout(self.patience, both).await;
        end(&mut child).await;
        match heard {
            Ok((_, heard)) => heard,
            Err(_) => Err(unreadable("it takes too long to read").into()),
        }
    }

    /// Starts the process with nothing of ours but the three pipes.
    fn start(&self, more: &[&str]) -> std::io::Result<(Child, ChildStdin, ChildStdout)> {
        let mut child = Command::new(&self.program)
            .arg(super::ARGUMENT)
            .args(more)
            .env_clear()
            .env("MIMALLOC_ARENA_RESERVE", "0") // what is reserved ahead would be room that no limit takes away again
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok((child, stdin, stdout)),
            _ => Err(std::io::Error::other("the reading process has no pipes")),
        }
    }
}

/// A process that does not want the whole file says why in its records.
async fn hand_in(mut stdin: ChildStdin, file: Bytes) {
    if let Err(cause) = stdin.write_all(&file).await {
        tracing::debug!(%cause, "the reading process did not take the whole file");
    }
}

/// What the reading process said.
struct Heard {
    vehicles: Vec<Bytes>,
    lines: Vec<Bytes>,
    end: End,
}

async fn listen(stdout: ChildStdout, tell: &mut (dyn FnMut(i64) + Send)) -> Result<Heard, Failure> {
    let mut stdout = BufReader::with_capacity(64 << 10, stdout);
    let (mut vehicles, mut lines, mut held) = (Vec::new(), Vec::new(), 0);
    loop {
        let Some(record) = next(&mut stdout).await else {
            return Err(unreadable("its contents are damaged or far too large").into());
        };
        held += record.vehicles.len() + record.lines.len();
        if held > MOST_HELD {
            return Err(unreadable("it holds too much text").into());
        }
        if !record.vehicles.is_empty() {
            vehicles.push(record.vehicles);
        }
        if !record.lines.is_empty() {
            lines.push(record.lines);
        }
        match record.end {
            Some(end) => return Ok(Heard { vehicles, lines, end }),
            None => tell(record.read),
        }
    }
}

/// The next record; none when the process died over it.
async fn next(stdout: &mut BufReader<ChildStdout>) -> Option<Record> {
    let length = usize::try_from(stdout.read_u32_le().await.ok()?).ok()?;
    if length > LONGEST_RECORD {
        return None;
    }
    let mut bytes = BytesMut::zeroed(length);
    stdout.read_exact(&mut bytes).await.ok()?;
    Record::decode(bytes.freeze()).ok()
}

/// Makes sure that the process is gone, and takes its exit code off the system's table.
async fn end(child: &mut Child) {
    match tokio::time::timeout(Duration::from_millis(200), child.wait()).await {
        Ok(Ok(code)) if code.success() => {}
        Ok(Ok(code)) => tracing::info!(%code, "the reading process died over a file"),
        Ok(Err(cause)) => tracing::warn!(%cause, "the reading process cannot be waited for"),
        Err(_) => {
            if let Err(cause) = child.kill().await {
                tracing::warn!(%cause, "the reading process cannot be ended");
            }
        }
    }
}
