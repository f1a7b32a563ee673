//! A heartbeat beside work: work in the loop, which stops it, and the same work on a thread.
//!
//! `cargo run -p asyncio --example blocked`

mod program;

use std::cell::RefCell;
use std::hint::black_box;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::{Result, create_task, get_running_loop, sleep, to_thread};
use lexopt::{Arg, Parser, ValueExt};
use program::say;

const HELP: &str = "\
Prints a dot for each heartbeat, twenty per second, while there's no work, while there's work in the
loop, and while the same work is done on a thread. Each line ends with how late the latest beat was.

    cargo run -p asyncio --example blocked -- [options]

    --milliseconds N   how long the work takes (1000)
    --sleep            sleep instead of computing
    --read FILE        read a file instead, with std

A FIFO makes a file that takes as long as you like. In a second terminal, with a line for each read:

    mkfifo /tmp/slow          (and then start `blocked -- --read /tmp/slow`)
    echo done > /tmp/slow
    echo done > /tmp/slow
";

const BEAT: Duration = Duration::from_millis(50);

/// Work that holds its thread until it's done.
#[derive(Clone)]
enum Work {
    Compute(Duration),
    Sleep(Duration),
    Read(PathBuf),
}

fn main() -> ExitCode {
    program::start(HELP, read_options, compare)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Work, lexopt::Error> {
    let (mut took, mut sleeps, mut file) = (1000, false, None);
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("milliseconds") => took = arguments.value()?.parse()?,
            Arg::Long("sleep") => sleeps = true,
            Arg::Long("read") => file = Some(arguments.value()?.into()),
            other => return Err(other.unexpected()),
        }
    }
    let took = Duration::from_millis(took);
    Ok(match file {
        Some(file) => Work::Read(file),
        None if sleeps => Work::Sleep(took),
        None => Work::Compute(took),
    })
}

impl Work {
    fn run(&self) -> io::Result<()> {
        match self {
            Work::Compute(took) => compute(*took),
            Work::Sleep(took) => std::thread::sleep(*took),
            Work::Read(file) => {
                let named = |error| io::Error::other(format!("read {}: {error}", file.display()));
                std::fs::read(file).map_err(named)?;
            }
        }
        Ok(())
    }
}

/// Hashes numbers until the time is up.
fn compute(took: Duration) {
    let (began, mut hash) = (Instant::now(), 0xcbf2_9ce4_8422_2325_u64);
    while began.elapsed() < took {
        for number in 0..10_000 {
            hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
        }
        black_box(hash);
    }
}

// ANCHOR: compare
async fn compare(work: Work) -> Result<()> {
    let event_loop = get_running_loop()?;
    event_loop.set_debug(true);
    let reports: Reports = Rc::default();
    let inner = Rc::clone(&reports);
    event_loop.set_exception_handler(move |it| inner.borrow_mut().push(it.message.clone()));

    measure("no work at all", &reports, sleep(20 * BEAT)).await?;
    let in_the_loop = work.clone();
    measure("in the loop", &reports, async move { Ok(in_the_loop.run()?) }).await?;
    measure("on a thread", &reports, to_thread(move || Ok(work.run()?))).await
}
// ANCHOR_END: compare

/// The reports of debug mode.
type Reports = Rc<RefCell<Vec<String>>>;

/// Runs the work as a task beside a heartbeat and prints how late the beats were.
async fn measure(
    name: &str,
    reports: &Reports,
    work: impl Future<Output = Result<()>> + 'static,
) -> Result<()> {
    program::print(format_args!("{name:>14}  "));
    let beats = Rc::default();
    let heart = create_task(beat(Rc::clone(&beats)))?;
    sleep(5 * BEAT).await?;
    create_task(work)?.await.inspect_err(|_| say!(""))?;
    sleep(5 * BEAT).await?;
    heart.cancel();
    let beats = beats.borrow();
    let latest = beats.iter().max().copied().unwrap_or_default();
    say!("  beats: {}, at most {:.1} ms late", beats.len(), latest.as_secs_f64() * 1000.0);
    for report in reports.take() {
        say!("                debug mode: {report}");
    }
    Ok(())
}

// ANCHOR: beat
/// Beats forever and notes how late each beat is.
async fn beat(beats: Rc<RefCell<Vec<Duration>>>) -> Result<()> {
    loop {
        let began = Instant::now();
        sleep(BEAT).await?;
        beats.borrow_mut().push(began.elapsed().saturating_sub(BEAT));
        program::print(format_args!("."));
    }
}
// ANCHOR_END: beat
