//! Helpers for the tests: a small site, a server for it, and a client that sees every byte.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use serve_files::{FileServer, Limits};

/// The size of the large file.
pub(crate) const LARGE: usize = 5 << 20;

/// The size of a file that's far larger than all the buffers between a server and a client that
/// doesn't read. The file is one large hole and takes up no room on the disk.
pub(crate) const HUGE: u64 = 64 << 20;

/// The site's files, apart from the large ones.
pub(crate) const FILES: [(&str, &[u8]); 6] = [
    ("index.html", b"<p>index</p>"),
    ("a.txt", b"0123456789"),
    ("empty.txt", b""),
    ("marker.txt", b"this is the marker"),
    ("sub/index.html", b"<p>sub</p>"),
    ("sub/b c.txt", b"with a space"),
];

/// Makes an empty directory for this test and returns its path.
pub(crate) fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Makes a site for this test and returns its directory.
pub(crate) fn site(name: &str) -> PathBuf {
    let directory = directory(name);
    for (path, content) in FILES {
        let file = directory.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    fs::write(directory.join("large.bin"), large()).unwrap();
    File::create(directory.join("huge.bin")).unwrap().set_len(HUGE).unwrap();
    directory
}

/// Returns the large file's content, in which no part is the same as any other.
pub(crate) fn large() -> &'static [u8] {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let words = (0..LARGE as u64 / 8).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        words.flat_map(u64::to_le_bytes).collect()
    });
    &CONTENT
}

/// Serves a directory on a new thread until the process exits. Returns the server's address.
pub(crate) fn serve(directory: &Path, limits: Limits) -> SocketAddr {
    // A long run of random requests may take any amount of time, so it has no time limit.
    if std::env::var_os("SERVE_FILES_CASES").is_none() {
        kit::limit_time();
    }
    let server = FileServer::bind(directory, "127.0.0.1:0").unwrap().with_limits(limits);
    let address = server.local_addr().unwrap();
    thread::spawn(|| asyncio::run(server.serve()).unwrap());
    address
}

/// Makes a site, serves it with the default limits, and returns the server's address.
pub(crate) fn start(name: &str) -> SocketAddr {
    serve(&site(name), Limits::default())
}

/// An answer, with all its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn says_close(&self) -> bool {
        self.field("Connection") == Some("close")
    }
}

/// The time that a client waits for the server before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client { stream, received: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    pub(crate) fn end(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// Sends a GET request and returns the answer.
    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
        self.answer()
    }

    /// Reads the answer to any request except HEAD.
    pub(crate) fn answer(&mut self) -> Answer {
        self.next(false).expect("an answer")
    }

    /// Reads an answer, or returns `None` at the end of the connection. Panics if neither an answer
    /// nor the end arrives.
    pub(crate) fn next(&mut self, is_to_head: bool) -> Option<Answer> {
        let head = loop {
            let end = self.received.windows(4).position(|bytes| bytes == b"\r\n\r\n");
            if let Some(end) = end {
                break self.received.drain(..end + 4).collect::<Vec<u8>>();
            }
            if !self.read() {
                assert_eq!(self.received, b"", "half an answer");
                return None;
            }
        };
        let (status, fields) = parse_head(&head);
        let mut answer = Answer { status, fields, body: Vec::new() };
        if !is_to_head && status != 304 {
            let length = answer.field("Content-Length").expect("a length").parse().unwrap();
            while self.received.len() < length {
                assert!(self.read(), "{} of {length} bytes", self.received.len());
            }
            answer.body = self.received.drain(..length).collect();
        }
        Some(answer)
    }

    /// Returns all bytes that arrive until the end of the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.read() {}
        std::mem::take(&mut self.received)
    }

    fn read(&mut self) -> bool {
        let mut buffer = vec![0; 64 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(count) => {
                self.received.extend(&buffer[..count]);
                count > 0
            }
            Err(error) => panic!("the answer was lost: {error}"),
        }
    }

    /// Returns true if the server sends bytes or closes the connection within this time.
    pub(crate) fn hears_within(&self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let peeked = self.stream.peek(&mut [0]);
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        !peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

fn parse_head(head: &[u8]) -> (u16, Vec<(String, String)>) {
    let head = str::from_utf8(head).expect("ASCII");
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let status_line = lines.next().unwrap();
    let status = status_line.strip_prefix("HTTP/1.1 ").expect(status_line);
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a field");
        assert!(!value.contains(['\r', '\n']), "{line:?}");
        (name.to_owned(), value.to_owned())
    };
    (status[..3].parse().unwrap(), lines.map(field).collect())
}
