//! Our solution to *From scratch* as a contestant.
//!
//! Possible unfairness, against it: each wake takes a lock, because any thread could be waking the
//! task, and each wait for a descriptor makes a new registration with a copy of the descriptor,
//! whereas the other contestants register once. Its tasks catch panics, but so do the other
//! contestants' tasks in this race. In its favour: it has no cancellation, priorities or flow
//! control.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::Result;
use from_scratch::{JoinHandle, block_on, readable, spawn};
use rustix::event::{EventfdFlags, eventfd};

use crate::from_scratch::Contest;
use crate::serving::Started;

pub(crate) const NAME: &str = "from scratch";

/// The size of a buffer, the same as tokio's.
const BUFFER: usize = 16 * 1024;

pub(crate) struct Reference;

impl Contest for Reference {
    type Task = JoinHandle<u64>;

    fn run(main: impl Future<Output = u64> + 'static) -> u64 {
        block_on(async { Self::join(spawn(main)).await })
    }

    fn spawn(task: impl Future<Output = u64> + 'static) -> JoinHandle<u64> {
        spawn(task)
    }

    async fn join(task: JoinHandle<u64>) -> u64 {
        task.await.expect("no panic")
    }

    async fn sleep(duration: Duration) {
        from_scratch::sleep(duration).await;
    }
}

/// Serves until the server is stopped. After that, `block_on` drops the remaining tasks.
pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    let stopper = Arc::clone(&stop);
    started.send(Started::new(listener.local_addr()?, move || {
        // The write fails only if the counter is full, and then the server is already stopping.
        let _ = rustix::io::write(&stopper, &1_u64.to_ne_bytes());
    }))?;
    block_on(async {
        spawn(accept_clients(listener));
        readable(&*stop).await
    })?;
    Ok(())
}

async fn accept_clients(listener: TcpListener) -> io::Result<()> {
    loop {
        match listener.accept() {
            Ok((client, _)) => {
                client.set_nodelay(true)?;
                client.set_nonblocking(true)?;
                spawn(echo(client));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => readable(&listener).await?,
            Err(error) => return Err(error),
        }
    }
}

/// Echoes everything a client sends. Unlike the other servers, it tries to read before it waits,
/// which costs one more system call per message.
async fn echo(mut client: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match client.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                readable(&client).await?;
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut rest = &buffer[..count];
        while !rest.is_empty() {
            match client.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    from_scratch::writable(&client).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
