//! A minimal HTTP/1.1 client that does only what a class needs: one POST with JSON per connection,
//! within two seconds. An HTTP crate would take longer to compile than the rest of the runner.

use std::fmt;
use std::io::{Read, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::arguments::Usage;
use crate::json::Json;
use judging::terminal::visible;

/// The maximum time for a request, including the name lookup and the answer.
const LIMIT: Duration = Duration::from_secs(2);
/// The port of a class, unless its address contains a different port.
const PORT: u16 = 7008;
/// The maximum number of bytes that we read of an answer. A class's answers are far shorter.
const MOST: u64 = 64 * 1024;

/// The address of a class, with its port: `192.168.1.5:7008`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(String);

/// An answer from a class's server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
}

impl Address {
    /// Parses an address in the form that a teacher dictates or a browser shows: `192.168.1.5` or
    /// `http://192.168.1.5:7008/#code=abcd-efgh`. Returns the address, and the code if the text
    /// contains one.
    pub(super) fn parse(text: &str) -> Result<(Address, Option<String>), Usage> {
        let refused = |why: &str| Err(Usage(format!("`{text}` {why}")));
        if text.starts_with("https://") {
            return refused(
                "is an HTTPS address, but `join` uses plain HTTP: type an address such as \
                 192.168.1.5:7008",
            );
        }
        let plain = text.strip_prefix("http://").unwrap_or(text);
        let host = plain.split(['/', '?', '#']).next().unwrap_or_default();
        let is_expected = |char: char| char.is_ascii_alphanumeric() || "-._:[]".contains(char);
        if host.is_empty() || !host.chars().all(is_expected) {
            return refused("isn't a class's address, such as 192.168.1.5 or 192.168.1.5:7008");
        }
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let address = match host {
            host if host.parse::<Ipv6Addr>().is_ok() => format!("[{host}]:{PORT}"),
            host if has_port => host.to_owned(),
            host => format!("{host}:{PORT}"),
        };
        let code = plain.split_once("#code=").map(|(_, code)| code.to_owned());
        Ok((Address(address), code))
    }

    /// Restores an address that was saved as text.
    pub(super) fn noted(text: &str) -> Address {
        Address(text.to_owned())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Answer {
    /// Returns a sentence for the reader: the first line of the answer's body or, if that line is
    /// empty, a sentence that contains the status.
    pub(super) fn sentence(&self) -> String {
        let line = self.body.lines().next().unwrap_or_default().trim();
        let line: String = visible(line).chars().take(300).collect();
        if line.is_empty() { format!("HTTP status {}", self.status) } else { line }
    }
}

/// Sends a POST and waits for the answer.
pub(super) fn post(
    address: &Address,
    token: Option<&str>,
    path: &str,
    body: &Json,
) -> anyhow::Result<Answer> {
    let body = body.to_string();
    let token = token.map(|token| format!("Class-Token: {token}\r\n")).unwrap_or_default();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n{token}Connection: close\r\n\r\n{body}",
        body.len()
    );
    let (tell, told) = mpsc::channel();
    let address = address.0.clone();
    // A name lookup has no time limit, so the whole request happens in a separate thread. If the
    // request takes too long, we stop waiting for the thread.
    thread::spawn(move || tell.send(ask(&address, &request)));
    match told.recv_timeout(LIMIT) {
        Ok(answer) => answer,
        Err(_) => bail!("no answer within {} s", LIMIT.as_secs()),
    }
}

fn ask(address: &str, request: &str) -> anyhow::Result<Answer> {
    let addresses: Vec<SocketAddr> =
        address.to_socket_addrs().context("look up the address")?.collect();
    let mut stream = TcpStream::connect(addresses.as_slice()).context("connect")?;
    // By the end of this time, the caller has stopped waiting for the answer.
    let limited = stream.set_write_timeout(Some(LIMIT));
    let limited = limited.and_then(|()| stream.set_read_timeout(Some(LIMIT)));
    limited.context("set the connection's time limit")?;
    stream.write_all(request.as_bytes()).context("send the request")?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer).context("read the answer")?;
    parse(&String::from_utf8_lossy(&answer))
}

/// Splits an answer into its status and its body.
fn parse(answer: &str) -> anyhow::Result<Answer> {
    let status = answer.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1));
    let status = status.and_then(|status| status.split_whitespace().next()?.parse().ok());
    let (Some(status), Some((_, body))) = (status, answer.split_once("\r\n\r\n")) else {
        bail!("the server at that address doesn't serve a class");
    };
    Ok(Answer { status, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>) {
        let (address, code) = Address::parse(text).unwrap();
        (address.0, code)
    }

    #[test]
    fn an_address_is_taken_as_a_teacher_says_it_or_as_a_browser_shows_it() {
        let none = |address: &str| (address.to_owned(), None);
        assert_eq!(parsed("192.168.1.5"), none("192.168.1.5:7008"));
        assert_eq!(parsed("192.168.1.5:80"), none("192.168.1.5:80"));
        assert_eq!(parsed("teacher.local"), none("teacher.local:7008"));
        assert_eq!(parsed("::1"), none("[::1]:7008"));
        assert_eq!(parsed("[::1]:9"), none("[::1]:9"));
        assert_eq!(parsed("http://10.0.0.1:7008/"), none("10.0.0.1:7008"));
        let code = Some("abcd-efgh".to_owned());
        assert_eq!(parsed("http://10.0.0.1:7008/#code=abcd-efgh"), ("10.0.0.1:7008".into(), code));
    }

    #[test]
    fn what_is_no_address_is_refused_before_anything_is_sent() {
        for text in ["", "http://", "/", "a b", "x\r\nHost: y", "ada@10.0.0.1"] {
            assert!(Address::parse(text).unwrap_err().0.contains("isn't a class's"), "{text}");
        }
        assert!(Address::parse("https://x").unwrap_err().0.contains("plain HTTP"));
    }

    #[test]
    fn an_answer_has_a_status_and_a_body_and_anything_else_is_no_class() {
        let answer = parse("HTTP/1.1 409 Conflict\r\nx: y\r\n\r\nAda is taken.\nMore").unwrap();
        assert_eq!((answer.status, &*answer.sentence()), (409, "Ada is taken."));
        assert_eq!(parse("HTTP/1.1 500\r\n\r\n").unwrap().sentence(), "HTTP status 500");
        for text in ["", "SSH-2.0-OpenSSH", "HTTP/1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
