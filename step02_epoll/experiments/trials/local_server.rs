//! A server and its clients in one thread, for the trials of its turns.
//!
//! Except in `server_turn`, the server takes a turn only if an event is waiting, and doesn't sleep.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use anyhow::Context;
use kit::loopback::{
    connect, duplicate, is_readable, listener_at, server_of, wait_for_the_end,
    wait_until_delivered, without_room,
};
use step01_fd::{Kind, check, open_descriptors, pipe};
use step02_epoll::{EchoServer, Events};

use super::outcome;

pub(super) struct Server {
    echo: EchoServer,
    events: Events,
    /// The server's epoll, and a duplicate of it.
    epoll: (RawFd, OwnedFd),
    /// The server's listener, and a duplicate of it.
    listener: (RawFd, OwnedFd),
    clients: BTreeMap<usize, Client>,
}

#[derive(Debug)]
struct Client {
    /// `None` once the client has left.
    stream: Option<TcpStream>,
    address: SocketAddr,
    is_accepted: bool,
    is_shut_down: bool,
    /// The number of bytes that the client has sent but not received back.
    unanswered: usize,
}

impl Server {
    pub(super) fn start() -> anyhow::Result<Self> {
        Self::with_room_for(8)
    }

    /// Starts a server whose turns have room for this many events.
    pub(super) fn with_room_for(events: usize) -> anyhow::Result<Self> {
        let server = EchoServer::bind(0)?;
        let open = open_descriptors()?;
        let epoll = Kind::AnonInode("eventpoll".to_owned());
        let epoll = open.iter().find(|(_, kind)| *kind == epoll);
        let epoll = epoll.context("the server has no epoll")?.0;
        let listener = listener_at(server.local_addr()?)?.context("the server has no listener")?;
        Ok(Server {
            echo: server,
            events: Events::with_capacity(events),
            epoll: (epoll, duplicate(epoll)?),
            listener,
            clients: BTreeMap::new(),
        })
    }

    /// Connects a client. Does nothing and returns false if the client is connected already.
    pub(super) fn connect(&mut self, client: usize) -> anyhow::Result<bool> {
        if self.clients.contains_key(&client) {
            return Ok(false);
        }
        let stream = connect(&self.listener.1, self.echo.local_addr()?)?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let address = stream.local_addr()?;
        let client_now = Client {
            stream: Some(stream),
            address,
            is_accepted: false,
            is_shut_down: false,
            unanswered: 0,
        };
        self.clients.insert(client, client_now);
        Ok(true)
    }

    /// Lets a client send `count` bytes, if it can still send.
    pub(super) fn send(&mut self, client: usize, count: usize) -> anyhow::Result<bool> {
        let Some((client, mut stream, server)) = self.speaking(client)? else {
            return Ok(false);
        };
        stream.write_all(&vec![b'x'; count])?;
        client.unanswered += count;
        wait_until_delivered(&stream, server)?;
        Ok(true)
    }

    /// Lets a client shut down its writing side, unless it has done so already.
    pub(super) fn shut_down(&mut self, client: usize) -> anyhow::Result<bool> {
        let Some((client, stream, server)) = self.speaking(client)? else {
            return Ok(false);
        };
        stream.shutdown(Shutdown::Write)?;
        client.is_shut_down = true;
        wait_for_the_end(server)?;
        Ok(true)
    }

    /// Lets a client close its end, unless it waits for an answer: a close would then reset the
    /// connection sooner or later.
    pub(super) fn leave(&mut self, client: usize) -> anyhow::Result<bool> {
        match self.speaking(client)? {
            Some((client, stream, server)) if client.unanswered == 0 => {
                client.stream = None;
                drop(stream);
                wait_for_the_end(server)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Returns a client that can still send, a duplicate of its stream, and of the server's end.
    fn speaking(
        &mut self,
        client: usize,
    ) -> anyhow::Result<Option<(&mut Client, TcpStream, OwnedFd)>> {
        let Some(client) = self.clients.get_mut(&client) else { return Ok(None) };
        let Some(stream) = &client.stream else { return Ok(None) };
        let stream = stream.try_clone()?;
        let server = server_of(client.address)?.filter(|_| !client.is_shut_down);
        Ok(server.map(|server| (client, stream, server)))
    }

    /// Takes a turn, if an event is waiting.
    pub(super) fn turn(&mut self) -> io::Result<Option<io::Result<()>>> {
        let has_something_to_do = is_readable(&self.epoll.1)?;
        Ok(has_something_to_do.then(|| self.server_turn()))
    }

    /// Takes a turn, which may sleep.
    pub(super) fn server_turn(&mut self) -> io::Result<()> {
        self.echo.turn(&mut self.events)
    }

    /// Takes a turn, if an event is waiting, and describes its effects.
    pub(super) fn turn_in_words(&mut self) -> anyhow::Result<String> {
        let Some(turn) = self.turn()? else {
            return Ok("the server would sleep".to_owned());
        };
        self.in_words(turn)
    }

    /// Takes a turn while no socket takes a byte, then describes its effects.
    pub(super) fn turn_without_room_in_words(&mut self) -> anyhow::Result<String> {
        let Some(turn) = without_room(|| self.turn())?? else {
            return Ok("the server would sleep".to_owned());
        };
        self.in_words(turn)
    }

    /// Takes a turn, if an event is waiting, and returns how many clients are accepted and how many
    /// get an answer; which clients those are can be up to the kernel.
    pub(super) fn turn_in_numbers(&mut self) -> anyhow::Result<String> {
        let turn = self.turn_in_words()?;
        let count = |what: &str| turn.split(", ").filter(|words| words.contains(what)).count();
        let (accepted, answered) = (count(" is accepted"), count(" gets 5 bytes"));
        Ok(format!("{accepted} clients are accepted, and {answered} get their answer"))
    }

    fn in_words(&mut self, turn: io::Result<()>) -> anyhow::Result<String> {
        let mut words = vec![outcome(turn)];
        let mut closed = Vec::new();
        for (number, client) in &mut self.clients {
            match client.after_a_turn()? {
                After::Nothing => {}
                After::Closed => closed.push(*number),
                After::Words(did) => words.push(format!("client {number} {did}")),
            }
        }
        for number in closed {
            self.clients.remove(&number);
            words.push(format!("client {number} is closed"));
        }
        Ok(words.join(", "))
    }

    /// Puts a pipe in place of the server's epoll.
    pub(super) fn replace_epoll(&self) -> anyhow::Result<()> {
        replace(self.epoll.0, pipe()?.0)
    }

    /// Puts a pipe in place of the server's listener, which epoll doesn't notice, because the
    /// listener lives on in its duplicate.
    pub(super) fn replace_listener(&self) -> anyhow::Result<()> {
        replace(self.listener.0, pipe()?.0)
    }
}

/// The result of a turn for a client.
enum After {
    Nothing,
    Closed,
    Words(String),
}

impl Client {
    fn after_a_turn(&mut self) -> anyhow::Result<After> {
        let Some(server) = server_of(self.address)? else {
            return Ok(if self.is_accepted { After::Closed } else { After::Nothing });
        };
        let is_new = !std::mem::replace(&mut self.is_accepted, true);
        let Some(stream) = &mut self.stream else { return Ok(After::Nothing) };
        wait_until_delivered(server, &stream)?;
        let mut buffer = [0; 8192];
        let count = match stream.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            count => count?,
        };
        self.unanswered = self.unanswered.saturating_sub(count);
        Ok(match (is_new, count) {
            (true, _) => After::Words("is accepted".to_owned()),
            (false, 0) => After::Nothing,
            (false, _) => After::Words(format!("gets {count} bytes")),
        })
    }
}

/// Makes a descriptor name the object that another descriptor names.
pub(super) fn replace(fd: RawFd, by: impl AsFd) -> anyhow::Result<()> {
    // SAFETY: the descriptor stays open and keeps its owner; only the object behind it changes.
    let replaced = unsafe { libc::dup2(by.as_fd().as_raw_fd(), fd) };
    check(replaced, || format!("dup2 onto fd {fd}"))?;
    Ok(())
}
