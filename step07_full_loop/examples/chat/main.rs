//! A chat in which a client that doesn't read hurts no other.
//!
//! `cargo run -p step07_full_loop --example chat`

mod demo;
#[path = "../program/mod.rs"]
mod program;

use std::cell::{Cell, RefCell};
use std::process::ExitCode;
use std::rc::Rc;

use lexopt::{Arg, Parser, ValueExt};
use program::say;
use rustix::net::sockopt::set_socket_send_buffer_size;
use step07_full_loop::{
    Event, Queue, Result, StreamReader, StreamWriter, create_task, start_server, yield_now,
};

const HELP: &str = "\
A chat: a client sends its name, and then lines for all the others. Lines wait in a queue for a client
that doesn't read. When that's full, they're dropped, and the client is told how many.

    cargo run -p step07_full_loop --example chat -- [options]

    --port N    listen on this port of 127.0.0.1 (7000; with 0 the kernel chooses)
    --room N    how many lines can wait for a client (256; 0 is any number)
    --patient   drop nothing: wait until there's room
    --demo      start a hundred clients, one of which doesn't read, and see what they receive

In a second terminal and a third: nc 127.0.0.1 7000
Ctrl-C ends the server.
";

struct Options {
    port: u16,
    room: usize,
    patient: bool,
    demo: bool,
}

fn main() -> ExitCode {
    program::start(HELP, read_options, chat)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options = Options { port: 7000, room: 256, patient: false, demo: false };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("port") => options.port = arguments.value()?.parse()?,
            Arg::Long("room") => options.room = arguments.value()?.parse()?,
            Arg::Long("patient") => options.patient = true,
            Arg::Long("demo") => options.demo = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

async fn chat(Options { port, room, patient, demo }: Options) -> Result<()> {
    let chat = Rc::new(Chat { members: RefCell::default(), room, patient });
    let serve = move |reader, writer| Rc::clone(&chat).serve(reader, writer);
    let port = if demo { 0 } else { port };
    let server = start_server(serve, ("127.0.0.1", port)).await?;
    // Clients inherit this. The kernel would buffer megabytes for a client that doesn't read, and
    // nothing would look slow.
    for socket in server.sockets() {
        set_socket_send_buffer_size(&socket, 16 * 1024).map_err(std::io::Error::from)?;
    }
    let address = server.local_addrs()?[0];
    say!("listening on {address}");
    if demo { demo::run(address, patient).await } else { Event::new().wait().await }
}

struct Chat {
    members: RefCell<Vec<Rc<Member>>>,
    room: usize,
    patient: bool,
}

struct Member {
    name: String,
    /// The lines that wait until this member reads.
    lines: Queue<Rc<str>>,
    /// How many lines weren't queued since the queue was full.
    missed: Cell<usize>,
}

impl Chat {
    /// Serves a client: this task receives its lines, and another one sends it those of the others.
    async fn serve(self: Rc<Self>, mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
        writer.write(b"* your name?\n")?;
        let Some(name) = reader.next_line().await? else { return Ok(()) };
        let name = String::from_utf8_lossy(&name).trim_end().to_owned();
        let (lines, missed) = (Queue::new(self.room), Cell::new(0));
        let member = Rc::new(Member { name, lines, missed });
        self.members.borrow_mut().push(Rc::clone(&member));
        let sender = create_task(Rc::clone(&member).send_lines(writer))?;
        self.tell_all(format!("* {} is here\n", member.name)).await?;
        let ended = self.receive_lines(&member, &mut reader).await;
        sender.cancel();
        self.members.borrow_mut().retain(|other| !Rc::ptr_eq(other, &member));
        match ended {
            Err(error) if error.is_cancelled() => Err(error),
            // It has left, or its connection is lost.
            _ => self.tell_all(format!("* {} has left\n", member.name)).await,
        }
    }

    async fn receive_lines(&self, member: &Member, reader: &mut StreamReader) -> Result<()> {
        while let Some(line) = reader.next_line().await? {
            let line = String::from_utf8_lossy(&line);
            self.tell_all(format!("{}: {}\n", member.name, line.trim_end())).await?;
            // A client that sends many lines at once doesn't keep the others waiting.
            yield_now().await?;
        }
        Ok(())
    }

    // ANCHOR: tell_all
    async fn tell_all(&self, line: String) -> Result<()> {
        let (line, members) = (Rc::from(line), self.members.borrow().clone());
        for member in members {
            if self.patient {
                member.lines.put(Rc::clone(&line)).await?;
            } else {
                member.offer(&line)?;
            }
        }
        Ok(())
    }
    // ANCHOR_END: tell_all
}

impl Member {
    // ANCHOR: offer
    /// Queues a line, or counts it as missed. What follows a missed line is missed, too, until the
    /// member has read all that was queued, and knows what it has missed.
    fn offer(&self, line: &Rc<str>) -> Result<()> {
        if self.missed.get() > 0 || self.lines.full() {
            self.missed.set(self.missed.get() + 1);
            return Ok(());
        }
        self.lines.put_nowait(Rc::clone(line))
    }

    /// Sends what's queued, as fast as the client reads.
    async fn send_lines(self: Rc<Self>, writer: StreamWriter) -> Result<()> {
        // This task alone waits for this client. If the connection is lost, the reader says so, too.
        while writer.drain().await.is_ok() {
            if self.lines.empty() && self.missed.get() > 0 {
                let count = self.missed.take();
                writer
                    .write(format!("! you were too slow: {count} lines are lost\n").as_bytes())?;
            } else {
                writer.write(self.lines.get().await?.as_bytes())?;
            }
        }
        Ok(())
    }
    // ANCHOR_END: offer
}
