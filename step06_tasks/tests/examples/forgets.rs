//! The example `forgets`, as the chapter shows it: its handler mistakes the city for a name.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;

use kit::clients::Server;

struct Client {
    stream: TcpStream,
    lines: Lines<BufReader<TcpStream>>,
}

impl Client {
    fn of(example: &Server) -> Self {
        let stream = TcpStream::connect(example.address).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        Client { stream, lines }
    }

    fn types(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn sees(&mut self, line: &str) {
        assert_eq!(self.lines.next().unwrap().unwrap(), line);
    }
}

#[test]
fn it_takes_the_city_for_a_name_and_serves_the_next_client() {
    let example = Server::from(kit::example("step06_tasks", "forgets").arg("127.0.0.1:0"));
    let mut ada = Client::of(&example);
    ada.sees("What's your name?");
    let mut grace = Client::of(&example);
    grace.sees("What's your name?");
    ada.types("Ada");
    ada.sees("Ada, where are you from?");
    ada.types("London");
    ada.sees("London, where are you from?");
    drop(ada);
    grace.types("Grace");
    grace.sees("Grace, where are you from?");
}
