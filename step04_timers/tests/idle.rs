//! Ten thousand clients of the echo server: the silent ones are sent away, the others stay, and what
//! they say costs no memory.
//!
//! The server runs in a process of its own, for the two sides of so many connections are more
//! descriptors than most systems grant one process.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use step01_fd::raise_descriptor_limit;
use step04_timers::EchoServer;

const CLIENTS: usize = 10_000;
/// How long a client may be silent here. Those who speak must get around in this time, on a busy
/// machine, too.
const IDLE_LIMIT: Duration = Duration::from_secs(3);
/// How long to wait for a server that does not send its clients away.
const PATIENCE: Duration = Duration::from_secs(30);
const THIS_IS_THE_SERVER: &str = "STEP04_IDLE_SERVER";

#[test]
fn of_ten_thousand_the_silent_are_sent_away_and_what_the_others_say_costs_no_memory() {
    let limit = raise_descriptor_limit().unwrap();
    if limit < CLIENTS as u64 + 100 {
        eprintln!("SKIPPED: {CLIENTS} clients need more descriptors than the {limit} allowed here");
        return;
    }
    let mut server = start();
    let address = address_of(&mut server);

    let (mut speakers, mut silent) = (Vec::new(), Vec::new());
    let mut first_came = None;
    for _ in 0..CLIENTS / 2 {
        silent.push(TcpStream::connect(address).unwrap());
        first_came.get_or_insert_with(Instant::now);
        let mut speaker = TcpStream::connect(address).unwrap();
        kit::clients::exchange(&mut speaker, b"x");
        speakers.push(speaker);
    }
    let before = resident_kib(&server);
    let mut bytes = 0;
    // Each byte counts: these outlive the limit by far.
    while first_came.unwrap().elapsed() < IDLE_LIMIT * 3 / 2 || bytes < 200_000 {
        for speaker in &mut speakers {
            kit::clients::exchange(speaker, b"x");
            bytes += 1;
        }
    }
    let grown = resident_kib(&server).saturating_sub(before);

    for client in &mut speakers {
        client.set_nonblocking(true).unwrap();
        let nothing = client.read(&mut [0; 8]).unwrap_err();
        assert_eq!(nothing.kind(), ErrorKind::WouldBlock, "who spoke stays");
    }
    for client in &mut silent {
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "a silent client is sent away");
    }
    // A timer for each byte would have been 8 MB and more.
    assert!(grown < 4 * 1024, "{bytes} bytes from {} clients: {grown} KiB more", speakers.len());

    // Now they are silent, too, and go in their turn.
    for mut client in speakers {
        client.set_nonblocking(false).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    }
}

/// Not a test by itself: the process in which the server runs.
#[test]
#[ignore = "the other test starts it"]
fn the_server() {
    if env::var_os(THIS_IS_THE_SERVER).is_none() {
        return;
    }
    raise_descriptor_limit().unwrap();
    let mut server = EchoServer::bind(0).unwrap().with_idle_limit(IDLE_LIMIT);
    println!("\nlistening on {}", server.local_addr().unwrap());
    server.run().unwrap();
}

/// A process that ends with the test, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start() -> Server {
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_server", "--ignored", "--nocapture"])
        .env(THIS_IS_THE_SERVER, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    Server(child)
}

/// The harness says something before the server does.
fn address_of(server: &mut Server) -> SocketAddr {
    let lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let mut addresses = lines.filter_map(|line| {
        line.unwrap().strip_prefix("listening on ").map(|address| address.parse().unwrap())
    });
    addresses.next().unwrap()
}

fn resident_kib(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.0.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
