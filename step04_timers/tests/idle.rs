//! Two thousand clients of the echo server: it closes the silent clients and keeps the others,
//! whose messages cost no memory.
//!
//! The server runs in its own process, because both sides of so many connections are more
//! descriptors than most systems allow one process.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::env;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use kit::clients::Server;
use libtest_mimic::{Arguments, Trial};
use step01_fd::raise_descriptor_limit;
use step04_timers::EchoServer;

const CLIENTS: usize = 2000;
/// The time for which a client can be silent here. The active clients all have to send a byte in
/// this time, on a busy machine too.
const IDLE_LIMIT: Duration = Duration::from_secs(5);
/// The longest wait for a server that doesn't close its silent clients.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time that the active clients can take for all their bytes. A server that's busy with
/// its timers can be slow.
const LONGEST: Duration = Duration::from_mins(2);
/// The argument that makes this program the server.
const THIS_IS_THE_SERVER: &str = "--serve";

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some(THIS_IS_THE_SERVER) {
        serve();
        return ExitCode::SUCCESS;
    }
    let name = "of_two_thousand_clients_the_silent_are_closed_and_the_others_cost_no_memory";
    let trial = Trial::test(name, || {
        of_two_thousand_clients_the_silent_are_closed_and_the_others_cost_no_memory();
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

/// Serves, in the process of the server.
fn serve() {
    raise_descriptor_limit().unwrap();
    let mut server = EchoServer::bind(0).unwrap().with_idle_limit(IDLE_LIMIT);
    println!("listening on {}", server.local_addr().unwrap());
    server.run().unwrap();
}

fn of_two_thousand_clients_the_silent_are_closed_and_the_others_cost_no_memory() {
    let limit = raise_descriptor_limit().unwrap();
    if limit < CLIENTS as u64 + 100 {
        eprintln!("SKIPPED: {CLIENTS} clients need more descriptors than the {limit} allowed here");
        return;
    }
    let server = Server::from(Command::new(env::current_exe().unwrap()).arg(THIS_IS_THE_SERVER));

    let (mut speakers, mut silent) = (Vec::new(), Vec::new());
    let mut first_came = None;
    for count in 1..=CLIENTS / 2 {
        silent.push(TcpStream::connect(server.address).unwrap());
        first_came.get_or_insert_with(Instant::now);
        let speaker = TcpStream::connect(server.address).unwrap();
        speakers.push(speaker);
        // An answer shows that the server has accepted all clients so far. The queue of connections
        // that wait for `accept` holds 128; if it's full, a connect takes a second or more.
        if count % 50 == 0 {
            speak(&mut speakers);
        }
    }
    let before = resident_kib(&server);
    let mut bytes = 0;
    // Each byte counts as activity: these clients outlive the limit by far.
    while first_came.unwrap().elapsed() < IDLE_LIMIT * 3 / 2 || bytes < 200_000 {
        speak(&mut speakers);
        bytes += speakers.len();
        assert!(first_came.unwrap().elapsed() < LONGEST, "only {bytes} bytes in {LONGEST:?}");
        if bytes > 200_000 {
            thread::sleep(IDLE_LIMIT / 20);
        }
    }
    let grown = resident_kib(&server).saturating_sub(before);

    for client in &mut speakers {
        client.set_nonblocking(true).unwrap();
        let nothing = client.read(&mut [0; 8]).unwrap_err();
        assert_eq!(nothing.kind(), ErrorKind::WouldBlock, "an active client stays");
    }
    for client in &mut silent {
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "a silent client is closed");
    }
    // With a timer per byte it was more than 6 MB.
    assert!(grown < 4 * 1024, "{bytes} bytes from {} clients: {grown} KiB more", speakers.len());

    // Now these clients are silent, too, and the server closes them.
    for mut client in speakers {
        client.set_nonblocking(false).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    }
}

/// Sends a byte from each client before the first answer is read, so the round takes only a
/// fraction of the limit: a switch between the processes for each byte would take far longer.
fn speak(clients: &mut [TcpStream]) {
    for client in &mut *clients {
        client.write_all(b"x").unwrap();
    }
    for client in clients {
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client.read_exact(&mut [0]).unwrap();
    }
}

fn resident_kib(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
