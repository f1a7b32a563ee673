//! A hyper client on the loop: fetches a page and prints the status, and the body as it arrives.
//!
//! `cargo run --example fetch -- 127.0.0.1:8000 /news`

mod program;

use std::io::Write;
use std::process::ExitCode;

use asyncio::{Error, Result, connect_tcp, create_task};
use bytes::Bytes;
use ecosystem::{HyperIo, Io, cancellable};
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper::header::HOST;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(host), path) = (words.next(), words.next().unwrap_or_else(|| "/".to_owned())) else {
        eprintln!("usage: fetch HOST:PORT [PATH]");
        return ExitCode::from(2);
    };
    program::start(fetch(host, path))
}

async fn fetch(host: String, path: String) -> Result<()> {
    let stream = connect_tcp(host.as_str()).await?;
    let (mut requests, connection) =
        cancellable(handshake(HyperIo::new(Io::from(stream))?)).await?.map_err(Error::other)?;
    // The first half sends requests. The second half, which hyper provides as a separate future,
    // moves the bytes.
    create_task(cancellable(async move {
        let _ = connection.await;
    }))?;
    let request = Request::get(&path).header(HOST, &host).body(Empty::<Bytes>::new());
    let request = request.map_err(Error::other)?;
    let mut response = cancellable(requests.send_request(request)).await?.map_err(Error::other)?;
    println!("{}", response.status());
    while let Some(frame) = cancellable(response.frame()).await? {
        if let Ok(bytes) = frame.map_err(Error::other)?.into_data() {
            let mut output = std::io::stdout().lock();
            output.write_all(&bytes)?;
            output.flush()?;
        }
    }
    Ok(())
}
