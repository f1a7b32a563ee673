//! `-- serve`: serves the built book on 127.0.0.1.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow};
use tiny_http::{Header, Request, Response, Server};

/// Serves the pages until Ctrl-C. Port 0 lets the kernel choose a free one.
pub(crate) fn serve(pages: &Path, port: u16) -> Result<()> {
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow!("can't listen on 127.0.0.1:{port}: {error}"))?;
    println!("The book is at http://{}/  (Ctrl-C ends it)", server.server_addr());
    for request in server.incoming_requests() {
        let path = file_of(pages, request.url());
        // If the browser has gone away, keep serving.
        let _ = answer(request, path);
    }
    Ok(())
}

fn answer(request: Request, path: Option<PathBuf>) -> std::io::Result<()> {
    let Some(path) = path else {
        return request.respond(Response::from_string("not found").with_status_code(404));
    };
    let mut response = Response::from_file(File::open(&path)?);
    let header = format!("Content-Type: {}", content_type(&path));
    if let Ok(header) = header.parse::<Header>() {
        response.add_header(header);
    }
    request.respond(response)
}

/// Returns the file that an address names, if it's part of the book.
fn file_of(pages: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = pages.join(if path.is_empty() { "index.html" } else { path });
    (inside && file.is_file()).then_some(file)
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
