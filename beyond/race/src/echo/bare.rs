//! A server on bare epoll, which costs hardly more than its system calls. The other servers are
//! compared with it.
//!
//! Don't expose this server to strangers: it waits only for input, so a client that doesn't read
//! its answers brings the server down.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use anyhow::{Context, Result};
use rustix::event::{EventfdFlags, epoll, eventfd};

use crate::serving::Started;

/// The size of the buffer, the same as in our servers.
const BUFFER: usize = 64 * 1024;

const LISTENER: u64 = u64::MAX;
const STOP: u64 = u64::MAX - 1;

pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    add(&epoll, &listener, LISTENER)?;
    let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    add(&epoll, &*stop, STOP)?;
    // Keep a reference to the eventfd here, too. If the eventfd were closed, epoll would remove it,
    // along with its event.
    let stopper = Arc::clone(&stop);
    started.send(Started::new(listener.local_addr()?, move || {
        // The write fails only if the counter is full, and then the server is already stopping.
        let _ = rustix::io::write(&stopper, &1_u64.to_ne_bytes());
    }))?;
    serve_until_stopped(&epoll, &listener)
}

fn add(epoll: &OwnedFd, source: impl AsFd, token: u64) -> Result<()> {
    let data = epoll::EventData::new_u64(token);
    epoll::add(epoll, source, data, epoll::EventFlags::IN).context("epoll_ctl ADD")
}

fn serve_until_stopped(epoll: &OwnedFd, listener: &TcpListener) -> Result<()> {
    let mut clients = HashMap::new();
    let mut buffer = vec![0; BUFFER];
    let mut events = Vec::with_capacity(256);
    loop {
        events.clear();
        epoll::wait(epoll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            match event.data.u64() {
                STOP => return Ok(()),
                LISTENER => accept(epoll, listener, &mut clients)?,
                client => echo(client, &mut clients, &mut buffer)?,
            }
        }
    }
}

fn accept(
    epoll: &OwnedFd,
    listener: &TcpListener,
    clients: &mut HashMap<u64, TcpStream>,
) -> Result<()> {
    loop {
        let (stream, _) = match listener.accept() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            accepted => accepted?,
        };
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let token = u64::from(stream.as_raw_fd().unsigned_abs());
        add(epoll, &stream, token)?;
        clients.insert(token, stream);
    }
}

/// Echoes the bytes of a single read. When a client's descriptor is closed, the kernel removes the
/// descriptor from the epoll object's interest list by itself.
fn echo(client: u64, clients: &mut HashMap<u64, TcpStream>, buffer: &mut [u8]) -> Result<()> {
    let mut stream = clients.get(&client).context("a client of ours")?;
    match stream.read(buffer) {
        Ok(0) => drop(clients.remove(&client)),
        read => stream.write_all(&buffer[..read?])?,
    }
    Ok(())
}
