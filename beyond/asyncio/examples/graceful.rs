//! A server that's told to end and finishes what's under way first.
//!
//! `cargo run -p asyncio --example graceful`

mod program;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    AnyTask, Error, Event, Result, SIGINT, SIGTERM, StreamReader, StreamWriter, current_task,
    get_running_loop, sleep, start_server,
};
use lexopt::{Arg, Parser, ValueExt};
use program::{say, text};
use step05_selfpipe::has_default_action;

const HELP: &str = "\
Works for each client: a line is a request, and says for how many seconds. Ctrl-C (SIGINT) or SIGTERM
ends it gracefully: it accepts no more clients, sends the idle ones away, and finishes the requests
that are under way. After some seconds, or at a second signal, it cuts off the rest, and its exit
status is 1.

    cargo run -p asyncio --example graceful -- [options]

    --port N    listen on this port of 127.0.0.1 (7000; with 0 the kernel chooses)
    --grace N   how many seconds there are for the requests that are under way (10)

In a second terminal and a third, and then press Ctrl-C here:

    echo 5 | nc 127.0.0.1 7000
    echo 60 | nc 127.0.0.1 7000
";

struct Options {
    port: u16,
    grace: u64,
    /// The signals that end the server.
    signals: Vec<(i32, &'static str)>,
}

fn main() -> ExitCode {
    program::start(HELP, read_options, graceful)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Options, lexopt::Error> {
    // What's ignored when it starts stays so: a shell has SIGINT ignored in a script's background.
    let mut signals = vec![(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")];
    signals.retain(|(signal, _)| has_default_action(*signal).unwrap_or(true));
    let mut options = Options { port: 7000, grace: 10, signals };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("port") => options.port = arguments.value()?.parse()?,
            Arg::Long("grace") => options.grace = arguments.value()?.parse()?,
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

/// The state that the clients' tasks and the shutdown share.
#[derive(Default)]
struct Desk {
    is_closing: Event,
    clients: RefCell<BTreeMap<SocketAddr, Client>>,
    cut_off: Cell<usize>,
}

struct Client {
    task: AnyTask,
    /// True while the client has a request under way.
    is_busy: Rc<Cell<bool>>,
}

// ANCHOR: graceful
async fn graceful(Options { port, grace, signals }: Options) -> Result<()> {
    let (event_loop, desk) = (get_running_loop()?, Rc::new(Desk::default()));
    for (signal, name) in signals {
        let desk = Rc::clone(&desk);
        event_loop.add_signal_handler(signal, move || {
            say!("{name}");
            if desk.is_closing.is_set() {
                desk.cut_off_the_busy();
            }
            desk.is_closing.set();
        })?;
    }
    let inner = Rc::clone(&desk);
    let serve = move |reader, writer| serve(Rc::clone(&inner), reader, writer);
    let server = start_server(serve, ("127.0.0.1", port)).await?;
    say!("listening on {}", server.local_addrs()?[0]);

    desk.is_closing.wait().await?;
    server.close();
    let busy = desk.send_away_the_idle();
    say!("no more clients; {grace} s for what's under way: {busy}");
    let late = Rc::clone(&desk);
    let deadline = event_loop.call_later(Duration::from_secs(grace), move || {
        say!("the time is up");
        late.cut_off_the_busy();
    });
    server.wait_closed().await?;
    deadline.cancel();
    match desk.cut_off.get() {
        0 => say!("everything is finished"),
        count => return Err(Error::other(format!("requests that were cut off: {count}"))),
    }
    Ok(())
}
// ANCHOR_END: graceful

impl Desk {
    /// Cancels the tasks that wait for a request and returns how many others there are.
    fn send_away_the_idle(&self) -> usize {
        let clients = self.clients.borrow();
        let (busy, idle): (Vec<_>, Vec<_>) = clients.values().partition(|it| it.is_busy.get());
        for client in idle {
            client.task.cancel();
        }
        busy.len()
    }

    /// Cancels the tasks that work. A second call finds some of them again, if they haven't ended.
    fn cut_off_the_busy(&self) {
        for client in self.clients.borrow().values() {
            client.task.cancel();
        }
    }
}

/// Serves a client, as a task that's in the list.
async fn serve(desk: Rc<Desk>, mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    let Some(task) = current_task() else { return Ok(()) };
    // A client that resets its connection at once has no address any more.
    let Ok(peer) = writer.peer_addr() else { return Ok(()) };
    let is_busy = Rc::new(Cell::new(false));
    let client = Client { task, is_busy: Rc::clone(&is_busy) };
    desk.clients.borrow_mut().insert(peer, client);
    let mut ended = answer(&desk, &mut reader, &writer, &is_busy).await;
    let is_cancelled = |ended: &Result<()>| ended.as_ref().is_err_and(Error::is_cancelled);
    if ended.is_ok() || is_cancelled(&ended) && !is_busy.get() {
        // Until the kernel has taken all that's unsent. It's the end of the last request.
        is_busy.set(true);
        writer.close();
        ended = writer.wait_closed().await;
    }
    if is_cancelled(&ended) {
        desk.cut_off.set(desk.cut_off.get() + 1);
        // What the client hasn't read mustn't keep the server from ending.
        writer.abort();
    }
    desk.clients.borrow_mut().remove(&peer);
    Ok(())
}

// ANCHOR: answer
/// Answers requests until the client leaves or the server closes. The task can be cancelled
/// wherever it awaits, and `is_busy` then says whether a request was under way.
async fn answer(
    desk: &Desk,
    reader: &mut StreamReader,
    writer: &StreamWriter,
    is_busy: &Cell<bool>,
) -> Result<()> {
    while !desk.is_closing.is_set()
        && let Some(request) = reader.next_line().await?
    {
        is_busy.set(true);
        let seconds = text(&request).trim().parse().unwrap_or_default();
        say!("works for {seconds} s");
        sleep(Duration::from_secs(seconds)).await?;
        writer.write(format!("worked for {seconds} s\n").as_bytes())?;
        writer.drain().await?;
        is_busy.set(false);
    }
    Ok(())
}
// ANCHOR_END: answer
