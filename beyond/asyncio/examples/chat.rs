//! A chat in which a client that doesn't read hurts no other client.
//!
//! `cargo run -p asyncio --example chat`

mod program;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::{
    Error, Event, Queue, Result, StreamReader, StreamWriter, TimeoutError, create_task, gather,
    open_connection, start_server, wait_for, yield_now,
};
use lexopt::{Arg, Parser, ValueExt};
use program::{next_line, say, text};
use rustix::net::sockopt::set_socket_send_buffer_size;

const HELP: &str = "\
A chat: a client sends its name, and then lines for all the others. Lines wait in a queue for a client
that doesn't read. When that's full, they're dropped, and the client is told how many.

    cargo run -p asyncio --example chat -- [options]

    --port N    listen on this port of 127.0.0.1 (7000; with 0 the kernel chooses)
    --room N    how many lines can wait for a client (256; 0 is any number)
    --patient   drop nothing: wait until there's room
    --demo      start a hundred clients, one of which doesn't read, and see what they receive

In a second terminal and a third: nc 127.0.0.1 7000
Ctrl-C ends the server.
";

fn main() -> ExitCode {
    program::start(HELP, read_options, chat)
}

#[derive(Default)]
struct Chat {
    port: u16,
    room: usize,
    patient: bool,
    demo: bool,
    members: RefCell<Vec<Rc<Member>>>,
}

fn read_options(mut arguments: Parser) -> std::result::Result<Chat, lexopt::Error> {
    let mut chat = Chat { port: 7000, room: 256, ..Chat::default() };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("port") => chat.port = arguments.value()?.parse()?,
            Arg::Long("room") => chat.room = arguments.value()?.parse()?,
            Arg::Long("patient") => chat.patient = true,
            Arg::Long("demo") => chat.demo = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok(chat)
}

async fn chat(chat: Chat) -> Result<()> {
    let chat = Rc::new(chat);
    let inner = Rc::clone(&chat);
    let serve = move |reader, writer| Rc::clone(&inner).serve(reader, writer);
    let server = start_server(serve, ("127.0.0.1", if chat.demo { 0 } else { chat.port })).await?;
    // Clients inherit this. The kernel would buffer megabytes for a client that doesn't read, and
    // nothing would look slow.
    set_socket_send_buffer_size(&server.sockets()[0], 16 * 1024).map_err(std::io::Error::from)?;
    let address = server.local_addrs()?[0];
    say!("listening on {address}");
    if chat.demo { show_a_hundred(address, chat.patient).await } else { Event::new().wait().await }
}

struct Member {
    /// The lines that wait until this member reads.
    lines: Queue<Rc<str>>,
    /// The number of lines that weren't queued because the queue was full.
    missed: Cell<usize>,
}

impl Chat {
    // ANCHOR: serve
    /// Serves a client: this task receives its lines, and another task sends it the lines of all
    /// members.
    async fn serve(self: Rc<Self>, mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
        // If that fails, there's no line to read either.
        let _ = writer.write(b"* your name?\n");
        // A port scanner, for one, leaves without a name.
        let Some(name) = next_line(&mut reader).await? else { return Ok(()) };
        let member = Rc::new(Member { lines: Queue::new(self.room), missed: Cell::new(0) });
        self.members.borrow_mut().push(Rc::clone(&member));
        let sender = create_task(send_lines(Rc::clone(&member), writer))?;
        self.tell_all(format!("* {name} is here\n")).await?;
        while let Some(line) = next_line(&mut reader).await? {
            self.tell_all(format!("{name}: {line}\n")).await?;
            // A client that sends many lines at once doesn't keep the others waiting.
            yield_now().await?;
        }
        sender.cancel();
        // Tasks that wait for room there must not wait forever.
        member.lines.shutdown(true);
        self.members.borrow_mut().retain(|other| !Rc::ptr_eq(other, &member));
        self.tell_all(format!("* {name} has left\n")).await
    }
    // ANCHOR_END: serve

    // ANCHOR: backpressure
    /// Queues a line for each member, or counts it as missed. After a missed line, the member
    /// misses all further lines until it has read everything in its queue and knows what it has
    /// missed.
    async fn tell_all(&self, line: String) -> Result<()> {
        let (line, members) = (Rc::from(line), self.members.borrow().clone());
        for Member { lines, missed } in members.iter().map(Rc::as_ref) {
            if !self.patient && (lines.full() || missed.get() > 0) {
                missed.set(missed.get() + 1);
            } else if let Err(error) = lines.put(Rc::clone(&line)).await
                && error.is_cancelled()
            {
                // Any other error says that the member has left.
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Sends what's queued, as fast as the client reads. Only this task waits for the client.
async fn send_lines(member: Rc<Member>, writer: StreamWriter) -> Result<()> {
    let Member { lines, missed } = &*member;
    // If the connection is lost, the reader says so, too.
    while writer.drain().await.is_ok() {
        if lines.empty() && missed.get() > 0 {
            let lost = missed.take();
            writer.write(format!("! you were too slow: {lost} lines are lost\n").as_bytes())?;
        } else {
            writer.write(lines.get().await?.as_bytes())?;
        }
    }
    Ok(())
}
// ANCHOR_END: backpressure

const TALKERS: usize = 99;
const LINES: usize = 20;
const ALL: usize = TALKERS * LINES;

/// The demonstration. A `patient` chat soon gets stuck, so the demonstration waits for only a few
/// seconds.
async fn show_a_hundred(chat: SocketAddr, patient: bool) -> Result<()> {
    let (mut sleepy, _stays) = join(chat, "sleepy").await?;
    let mut talkers = Vec::new();
    for number in 0..TALKERS {
        talkers.push(join(chat, &format!("talker {number}")).await?);
    }
    say!("{TALKERS} clients say {LINES} lines each; sleepy doesn't read");
    // ANCHOR: all_or_five_seconds
    let (began, limit) = (Instant::now(), patient.then_some(Duration::from_secs(5)));
    let talked = wait_for(gather(talkers.into_iter().map(talk))?, limit).await;
    if talked.as_ref().is_err_and(TimeoutError::is) {
        say!("after 5 s none of them has received everything: all wait for sleepy");
        return Ok(());
    }
    let _they_stay = talked?;
    // ANCHOR_END: all_or_five_seconds
    say!("each of them has received all {ALL} lines, in {:.1?}", began.elapsed());
    let (count, last) = hear(&mut sleepy, ALL).await?;
    say!("sleepy wakes up and receives {count} of them. The last line that it reads:\n{last}");
    Ok(())
}

/// Connects and waits until the chat knows the name.
async fn join(chat: SocketAddr, name: &str) -> Result<(StreamReader, StreamWriter)> {
    let (mut reader, writer) = open_connection(chat).await?;
    writer.write(format!("{name}\n").as_bytes())?;
    reader.read_until(format!("* {name} is here\n").as_bytes()).await?;
    Ok((reader, writer))
}

/// Sends its lines and waits after each line until it has heard as many lines as there are talkers.
/// The client stays connected while the caller keeps the writer.
async fn talk((mut reader, writer): (StreamReader, StreamWriter)) -> Result<Rc<StreamWriter>> {
    for number in 1..=LINES {
        writer.write(format!("{number:.>200}\n").as_bytes())?;
        let (heard, last) = hear(&mut reader, TALKERS).await?;
        if heard < TALKERS {
            return Err(Error::other(last));
        }
    }
    Ok(Rc::new(writer))
}

/// Reads lines until it has heard this many lines from talkers, or until the chat says that some
/// are lost. Returns how many it has heard, and the last line.
async fn hear(reader: &mut StreamReader, count: usize) -> Result<(usize, String)> {
    let (mut heard, mut line) = (0, String::new());
    while heard < count && !line.starts_with('!') {
        line = text(&reader.read_until(b"\n").await?);
        heard += usize::from(line.starts_with("talker"));
    }
    Ok((heard, line))
}
