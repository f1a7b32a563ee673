//! Serves the built book under a prefix, as a web server for static files does.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};

use crate::book;

/// Starts a server for the book on 127.0.0.1. The server runs until the process exits. Returns the
/// address of the prefix. The 404 page gets the prefix as its base URL, as if the book had been
/// built with the prefix as its `site-url`.
pub fn serve_below(prefix: &'static str) -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = format!("http://{}{prefix}", listener.local_addr()?);
    let dir = book()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let dir = dir.clone();
            // A browser that navigates to a different page hangs up in the middle of an answer,
            // which isn't an error.
            thread::spawn(move || answer(stream, &dir, prefix).ok());
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, dir: &Path, prefix: &str) -> Result<()> {
    let mut request = String::new();
    BufReader::new(&stream).read_line(&mut request)?;
    let path = request.split(' ').nth(1).context("a request")?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let name =
        path.strip_prefix(prefix).map(|name| if name.is_empty() { "index.html" } else { name });
    let found = name.and_then(|name| Some((name, fs::read(dir.join(name)).ok()?)));
    let (status, name, body) = match found {
        Some((name, body)) => ("200 OK", name, body),
        None => {
            let page = fs::read_to_string(dir.join("404.html"))?;
            let page = page.replace("<base href=\"/\">", &format!("<base href=\"{prefix}\">"));
            ("404 Not Found", "404.html", page.into_bytes())
        }
    };
    let kind = match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
        "html" => "text/html",
        "js" => "text/javascript",
        "css" => "text/css",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    Ok(stream.write_all(&body)?)
}
