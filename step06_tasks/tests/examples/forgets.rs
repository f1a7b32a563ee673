//! The example `forgets`, as the chapter shows it: its handler mistakes the city for a name.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// The running example, which ends with the test.
struct Example {
    process: Child,
    address: String,
}

impl Example {
    fn start() -> Self {
        let mut command = kit::example("step06_tasks", "forgets");
        let mut process = command.arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Example { process, address }
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        Client { stream, lines }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Client {
    stream: TcpStream,
    lines: Lines<BufReader<TcpStream>>,
}

impl Client {
    fn types(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn sees(&mut self, line: &str) {
        assert_eq!(self.lines.next().unwrap().unwrap(), line);
    }
}

#[test]
fn it_takes_the_city_for_a_name_and_serves_the_next_client() {
    let example = Example::start();
    let mut ada = example.client();
    ada.sees("What's your name?");
    let mut grace = example.client();
    grace.sees("What's your name?");
    ada.types("Ada");
    ada.sees("Ada, where are you from?");
    ada.types("London");
    ada.sees("London, where are you from?");
    drop(ada);
    grace.types("Grace");
    grace.sees("Grace, where are you from?");
}
