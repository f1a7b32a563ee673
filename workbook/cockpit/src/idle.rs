//! Makes a separate process open connections that do nothing.
//!
//! A thread for each connection would cost the server megabytes. On a loop, each connection costs
//! little more than a task and, while it's idle, takes no time at all, as the page `/loop` shows.

use std::env;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, Result, create_task};
use ecosystem::LoopTimer;
use futures_util::future::{Either, select};
use serde_json::Value;
use step01_fd::raise_descriptor_limit;

use crate::program::Programs;

/// The first argument of the process that holds the connections.
pub const IDLE: &str = "hold-idle-connections";

/// The time for which the connections are held. The server itself closes a connection after half a
/// minute of silence.
const HELD: Duration = Duration::from_secs(20);

/// The number of descriptors that we leave for other uses, and the maximum number of connections.
/// The maximum applies even if more descriptors are allowed, because an address has only about
/// 28,000 ports for connections to the same server.
const FOR_THE_REST: u64 = 100;
const MOST: u64 = 10_000;

/// Returns the number of connections that a descriptor limit allows in addition to the descriptors
/// that are already open.
pub(crate) fn allowed(limit: u64, open: usize) -> u64 {
    limit.saturating_sub(FOR_THE_REST + u64::try_from(open).unwrap_or(u64::MAX)).min(MOST)
}

/// Starts a process that holds this many connections for a while. Returns the number of connections
/// that the process could open.
pub(crate) async fn open(programs: &Rc<Programs>, address: SocketAddr, count: u64) -> Result<u64> {
    let mut command = Command::new(env::current_exe()?);
    command.args([IDLE, &address.to_string(), &count.to_string()]);
    let mut program = programs.start(&mut command)?;
    let line = program.line().await?.unwrap_or_default();
    let opened: Value = serde_json::from_str(&line).unwrap_or_default();
    let opened =
        opened["open"].as_u64().ok_or_else(|| Error::other("no connections were opened"))?;
    let task = create_task(async move {
        // The process exits by itself, or is killed when `program` is dropped.
        match select(Box::pin(program.line()), LoopTimer.sleep(2 * HELD)).await {
            Either::Left(_) | Either::Right(_) => Ok(()),
        }
    })?;
    task.set_name("holds the idle connections' process");
    Ok(opened)
}

/// Runs in the separate process: opens the connections, prints their number, and holds the
/// connections until the process's input ends or the time is up.
pub fn hold_idle_connections(arguments: &[String]) -> io::Result<()> {
    let wrong = || io::Error::other(format!("{IDLE} ADDRESS COUNT"));
    let [address, count] = arguments else { return Err(wrong()) };
    let (Ok(address), Ok(count)) = (address.parse::<SocketAddr>(), count.parse::<usize>()) else {
        return Err(wrong());
    };
    raise_descriptor_limit()?;
    let mut held = Vec::with_capacity(count);
    while held.len() < count {
        // This fails when no descriptors or no ports are left.
        let Ok(stream) = TcpStream::connect(address) else { break };
        held.push(stream);
    }
    writeln!(io::stdout(), "{{\"open\":{}}}", held.len())?;
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = io::stdin().read(&mut [0]);
        let _ = ended.send(());
    });
    let _ = end.recv_timeout(HELD);
    Ok(())
}
