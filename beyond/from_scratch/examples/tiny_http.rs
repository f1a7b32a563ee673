//! A web server for a single page, on a loop from scratch: `cargo run -p from_scratch --example
//! tiny_http` runs it on the reference, and `cargo run -- run-mine from_scratch --example
//! tiny_http` on yours. Open the address that the program prints in a browser.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use from_scratch::{block_on, readable, sleep, spawn, writable};

/// The time that the slow page takes. All requests for it wait at the same time, on one thread.
const A_WHILE: Duration = Duration::from_secs(1);
/// The maximum length of a request, in bytes.
const MOST: usize = 16 * 1024;

/// The state that all tasks share. There's one thread, so a cell is enough.
struct Counts {
    began: Instant,
    requests: Cell<usize>,
    open: Cell<usize>,
}

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    println!("open http://{}/ in a browser", listener.local_addr()?);
    let counts =
        Rc::new(Counts { began: Instant::now(), requests: Cell::new(0), open: Cell::new(0) });
    block_on(async {
        loop {
            readable(&listener).await?;
            if let Ok((client, _)) = listener.accept() {
                let counts = Rc::clone(&counts);
                drop(spawn(async move {
                    counts.open.set(counts.open.get() + 1);
                    // A client that disconnects early mustn't stop the server.
                    let _ = answer(client, &counts).await;
                    counts.open.set(counts.open.get() - 1);
                }));
            }
        }
    })
}

async fn answer(mut client: TcpStream, counts: &Counts) -> io::Result<()> {
    client.set_nonblocking(true)?;
    let request = read_request(&mut client).await?;
    counts.requests.set(counts.requests.get() + 1);
    if request.starts_with("GET /slow ") {
        sleep(A_WHILE).await;
    }
    let page = format!(
        "<!doctype html><title>Your loop</title><h1>This page comes from your loop</h1>\
         <p>The loop has run for {:.1} s and received {} requests. {} connections are open now.</p>\
         <p><a href=\"/\">Again</a>, or <a href=\"/slow\">again in a second</a>. Ten \
         simultaneous requests for the slow page take one second in all.</p>\n",
        counts.began.elapsed().as_secs_f64(),
        counts.requests.get(),
        counts.open.get()
    );
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        page.len()
    );
    write_all(&mut client, (head + &page).as_bytes()).await
}

/// Reads a request up to and including its empty line.
async fn read_request(client: &mut TcpStream) -> io::Result<String> {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        readable(&*client).await?;
        match client.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => request.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if request.len() > MOST {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    Ok(String::from_utf8_lossy(&request).into_owned())
}

async fn write_all(client: &mut TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        writable(&*client).await?;
        match client.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
