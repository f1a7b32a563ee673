//! Ten thousand pages, fifty at a time: once with a semaphore, once with a queue.
//!
//! `cargo run --release -p asyncio --example crawl`

mod program;

use std::cell::Cell;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;
use std::time::Instant;

use asyncio::{
    Completer, Error, Event, EventLoop, LoopResult, Queue, Result, Semaphore, StreamReader,
    StreamWriter, TaskGroup, get_running_loop, open_connection, start_server,
};
use kit::memory::{Counting, Memory};
use lexopt::{Arg, Parser, ValueExt};
use program::say;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const HELP: &str = "\
Reads a list of pages from a web server, and fetches them all, fifty at a time: first with a task for
each page and a semaphore, then with a queue and a few workers. Prints how long that takes, and the most
memory that it needs. (The server is on a thread of its own, and its memory isn't counted.)

    cargo run --release -p asyncio --example crawl -- [options]

    --pages N       how many pages there are (10000)
    --at-a-time N   how many are fetched at a time (50)
    --room N        how many pages the queue has room for (1000)
";

struct Options {
    pages: usize,
    at_a_time: usize,
    room: usize,
}

fn main() -> ExitCode {
    program::start(HELP, read_options, crawl)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Options, lexopt::Error> {
    let mut options = Options { pages: 10_000, at_a_time: 50, room: 1000 };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("pages") => options.pages = arguments.value()?.parse()?,
            Arg::Long("at-a-time") => options.at_a_time = arguments.value()?.parse()?,
            Arg::Long("room") => options.room = arguments.value()?.parse()?,
            other => return Err(other.unexpected()),
        }
    }
    if options.at_a_time == 0 {
        return Err("--at-a-time has to be 1 at least".into());
    }
    // Each of these is a worker, and more workers than pages would only take time and memory.
    options.at_a_time = options.at_a_time.min(options.pages.max(1));
    Ok(options)
}

async fn crawl(Options { pages, at_a_time, room }: Options) -> Result<()> {
    let (server, address) = get_running_loop()?.create_remote_future();
    thread::spawn(move || serve_pages(pages, address));
    let server = server.await?;
    say!("{pages} pages at http://{server}/, {at_a_time} at a time");
    let tally = Tally::begin(server);
    with_a_semaphore(&tally, at_a_time).await?;
    tally.say("a task for each, and a semaphore");
    let tally = Tally::begin(server);
    with_a_queue(&tally, at_a_time, room).await?;
    tally.say("a queue, and workers");
    Ok(())
}

// ANCHOR: with_a_semaphore
async fn with_a_semaphore(tally: &Rc<Tally>, at_a_time: usize) -> Result<()> {
    let (group, semaphore) = (TaskGroup::new(), Rc::new(Semaphore::new(at_a_time)));
    let start_all = async {
        let (mut list, _writer) = get(tally.server, "/").await?;
        while let Some(page) = list.next_line().await? {
            let (tally, semaphore) = (Rc::clone(tally), Rc::clone(&semaphore));
            group.create_task(async move {
                let _permit = semaphore.hold().await?;
                tally.fetch(&page).await
            })?;
        }
        Ok(())
    };
    group.run(start_all).await
}
// ANCHOR_END: with_a_semaphore

// ANCHOR: with_a_queue
async fn with_a_queue(tally: &Rc<Tally>, at_a_time: usize, room: usize) -> Result<()> {
    let (group, queue) = (TaskGroup::new(), Rc::new(Queue::<Option<Vec<u8>>>::new(room)));
    let feed_workers = async {
        for _ in 0..at_a_time {
            let (tally, queue) = (Rc::clone(tally), Rc::clone(&queue));
            group.create_task(async move {
                while let Some(page) = queue.get().await? {
                    tally.fetch(&page).await?;
                }
                Ok(())
            })?;
        }
        let (mut list, _writer) = get(tally.server, "/").await?;
        while let Some(page) = list.next_line().await? {
            queue.put(Some(page)).await?;
        }
        for _ in 0..at_a_time {
            queue.put(None).await?;
        }
        Ok(())
    };
    group.run(feed_workers).await
}
// ANCHOR_END: with_a_queue

/// The results and the cost of a crawl.
struct Tally {
    server: SocketAddr,
    began: Instant,
    memory_before: isize,
    /// The most memory that was in use at the beginning of a fetch.
    most_memory: Cell<isize>,
    pages: Cell<usize>,
    bytes: Cell<usize>,
}

impl Tally {
    fn begin(server: SocketAddr) -> Rc<Self> {
        let (began, memory_before) = (Instant::now(), Memory::until_now().in_use);
        let most_memory = Cell::new(memory_before);
        let (pages, bytes) = Default::default();
        Rc::new(Tally { server, began, memory_before, most_memory, pages, bytes })
    }

    // ANCHOR: fetch
    async fn fetch(&self, page: &[u8]) -> Result<()> {
        self.most_memory.set(self.most_memory.get().max(Memory::until_now().in_use));
        let (mut body, _writer) = get(self.server, &String::from_utf8_lossy(page)).await?;
        // Not inside `set`: other tasks add theirs during the await, and that would be lost.
        let count = body.read_to_end().await?.len();
        self.bytes.set(self.bytes.get() + count);
        self.pages.set(self.pages.get() + 1);
        Ok(())
    }
    // ANCHOR_END: fetch

    fn say(&self, how: &str) {
        let kib = (self.most_memory.get() - self.memory_before) / 1024;
        let (pages, bytes) = (self.pages.get(), self.bytes.get());
        let took = self.began.elapsed().as_secs_f64();
        say!("{how:>34}: {pages} pages, {bytes} bytes, {took:.2} s, {kib} KiB at most");
    }
}

/// Asks for a path by HTTP/1.0 and returns the connection, from which the answer's body can be
/// read.
async fn get(server: SocketAddr, path: &str) -> Result<(StreamReader, StreamWriter)> {
    let (mut reader, writer) = open_connection(server).await?;
    writer.write(format!("GET {} HTTP/1.0\r\n\r\n", path.trim_end()).as_bytes())?;
    let head = reader.read_until(b"\r\n\r\n").await?;
    if !head.starts_with(b"HTTP/1.0 200 ") {
        return Err(Error::other(format!("{path}: {}", String::from_utf8_lossy(&head))));
    }
    Ok((reader, writer))
}

/// A web server, on this thread and a loop of its own.
fn serve_pages(pages: usize, address: Completer<SocketAddr>) -> LoopResult<()> {
    let serve = move |reader, writer| serve_page(pages, reader, writer);
    // Not with `run`, which would take Ctrl-C from the crawl.
    EventLoop::new()?.run_until_complete(async move {
        let server = start_server(serve, "127.0.0.1:0").await?;
        address.complete(Ok(server.local_addrs()?[0]))?;
        Event::new().wait().await
    })
}

/// Answers one request. `/` is the list of all pages.
async fn serve_page(pages: usize, mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    // A crawl that's broken off leaves without asking, or in the middle of the list.
    let Ok(request) = reader.read_until(b"\r\n\r\n").await else { return Ok(()) };
    writer.write(b"HTTP/1.0 200 OK\r\n\r\n")?;
    if !request.starts_with(b"GET / ") {
        return writer.write(&request.repeat(50));
    }
    for page in 1..=pages {
        writer.write(format!("/page/{page}\n").as_bytes())?;
        if writer.drain().await.is_err() {
            break;
        }
    }
    Ok(())
}
