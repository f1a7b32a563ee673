//! Tests every status in tables: a request, its answer's status, and whether the connection can be
//! used again.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::support::{Client, directory, serve, site, start};
use serve_files::Limits;

/// A number that doesn't fit into 64 bits.
const HUGE: &str = "99999999999999999999999";

/// The connection's state after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Open,
    Closed,
}
use Then::{Closed, Open};

/// Sends each of these requests on a separate connection, followed by another request, which is
/// answered only if the connection stays open.
fn check(address: std::net::SocketAddr, table: &[(&str, u16, Then)]) {
    for &(request, status, then) in table {
        let mut client = Client::connect(address);
        client.send(request.replace('\n', "\r\n").replace('¶', "\n"));
        client.send("GET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\n");
        let shown = &request[..request.len().min(200)];
        let answer = client.next(request.starts_with("HEAD ")).expect(shown);
        assert_eq!(answer.status, status, "{shown}");
        assert_eq!(answer.says_close(), then == Closed, "{shown}");
        assert!(answer.field("Date").is_some() && answer.field("Server").is_some(), "{shown}");
        let second = if then == Open { client.next(false) } else { None };
        assert_eq!(
            second.map(|it| it.body),
            (then == Open).then(|| b"this is the marker".to_vec())
        );
        client.end();
        assert_eq!(client.rest(), b"", "{shown}");
    }
}

#[test]
fn files_and_directories() {
    check(
        start("statuses_files"),
        &[
            ("GET / HTTP/1.1\nHost: x\n\n", 200, Open),
            ("\n\nGET / HTTP/1.1\nHost: x\n\n", 200, Open),
            ("HEAD /a.txt HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET http://x/a.txt?b HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET HTTP://x HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET http://x?a/b HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET //%61%2Etxt HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /sub//./b%20c.txt?c=/../d HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /sub/b%20c.txt HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /empty.txt HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /sub/ HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /sub/. HTTP/1.1\nHost: x\n\n", 200, Open),
            ("GET /sub HTTP/1.1\nHost: x\n\n", 301, Open),
            ("GET /nothing HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /nothing/ HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /a.txt/ HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /a.txt/b HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /sub%2fb%20c.txt HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /..%2f HTTP/1.1\nHost: x\n\n", 404, Open),
            ("GET /... HTTP/1.1\nHost: x\n\n", 404, Open),
            (&format!("GET /{} HTTP/1.1\nHost: x\n\n", "n".repeat(5000)), 404, Open),
            ("GET /.. HTTP/1.1\nHost: x\n\n", 403, Open),
            ("GET /sub/../a.txt HTTP/1.1\nHost: x\n\n", 403, Open),
            ("GET /sub/%2e%2e/a.txt HTTP/1.1\nHost: x\n\n", 403, Open),
        ],
    );
}

#[test]
fn what_is_no_request() {
    check(
        start("statuses_bad"),
        &[
            ("\u{1}\n\n", 400, Closed),
            ("GET\n\n", 400, Closed),
            ("GET / HTTP/1.1\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nHost: x\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x y\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost : x\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\n folded\n\n", 400, Closed),
            ("GET / HTTP/1.1\n Host: x\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nno colon\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\na: \u{0}\n\n", 400, Closed),
            ("GET  / HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET / HTTP/1.1¶Host: x¶¶", 400, Closed),
            ("GET / HTTP/1.1\nHost: x¶\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\n¶", 400, Closed),
            ("¶GET / HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /%zz HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /% HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /%4 HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /%00 HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET a.txt HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET * HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET ftp://x/a.txt HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /a.txt#b HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET /\u{e4} HTTP/1.1\nHost: x\n\n", 400, Closed),
            ("GET / HTTP/2.0\nHost: x\n\n", 505, Closed),
            ("GET / HTTP/1.9\nHost: x\n\n", 505, Closed),
            (&format!("GET /{} HTTP/1.1\nHost: x\n\n", "a".repeat(9000)), 414, Closed),
            (&format!("GET / HTTP/1.1\nHost: x\na: {}\n\n", "a".repeat(17_000)), 431, Closed),
            (&format!("GET / HTTP/1.1\nHost: x\n{}\n", "a: b\n".repeat(64)), 431, Closed),
        ],
    );
}

#[test]
fn methods_and_bodies() {
    check(
        start("statuses_methods"),
        &[
            ("POST / HTTP/1.1\nHost: x\n\n", 405, Open),
            ("OPTIONS * HTTP/1.1\nHost: x\n\n", 405, Open),
            ("get / HTTP/1.1\nHost: x\n\n", 405, Open),
            ("DELETE /a.txt HTTP/1.1\nHost: x\nContent-Length: 0\n\n", 405, Open),
            ("PUT /a.txt HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello", 405, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 0\n\n", 200, Open),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 000\n\n", 200, Open),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello", 413, Closed),
            ("GET / HTTP/1.1\nHost: x\ncontent-length: 5\n\nhello", 413, Closed),
            (&format!("GET / HTTP/1.1\nHost: x\nContent-Length: {HUGE}\n\nhello"), 413, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n0\n\n", 413, Closed),
            ("GET / HTTP/1.1\nHost: x\nTRANSFER-ENCODING: Chunked\n\n0\n\n", 413, Closed),
            ("HEAD / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nzz\n", 413, Closed),
        ],
    );
}

#[test]
fn requests_that_two_programs_could_read_differently() {
    check(
        start("statuses_smuggling"),
        &[
            (
                "GET / HTTP/1.1\nHost: x\nContent-Length: 6\nTransfer-Encoding: chunked\n\n0\n\nG",
                400,
                Closed,
            ),
            (
                "GET / HTTP/1.1\nHost: x\nContent-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n",
                400,
                Closed,
            ),
            (
                "GET / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n",
                400,
                Closed,
            ),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 1\nContent-Length: 2\n\nab", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 1\nContent-Length: 1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 1, 1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: +1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: -1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length: 0x1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length:\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nContent-Length : 1\n\na", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding: xchunked\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding:\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding : chunked\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked, identity\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding:\n chunked\n\n", 400, Closed),
            ("GET / HTTP/1.1\nHost: x\nTransfer-Encoding: \u{b}chunked\n\n", 400, Closed),
            ("GET / HTTP/1.0\nTransfer-Encoding: chunked\n\n", 400, Closed),
        ],
    );
}

#[test]
fn connections_stay_open_as_the_version_and_the_client_have_it() {
    check(
        start("statuses_keep_alive"),
        &[
            ("GET / HTTP/1.1\nHost: x\nConnection: close\n\n", 200, Closed),
            ("GET / HTTP/1.1\nHost: x\nConnection: upgrade, CLOSE\n\n", 200, Closed),
            ("GET / HTTP/1.1\nHost: x\nConnection: closed\n\n", 200, Open),
            ("GET / HTTP/1.1\nHost: x\nConnection:\n\n", 200, Open),
            ("GET /nothing HTTP/1.1\nHost: x\nConnection: close\n\n", 404, Closed),
            ("GET / HTTP/1.0\n\n", 200, Closed),
            ("GET / HTTP/1.0\nConnection: keep-alive\n\n", 200, Open),
            ("GET / HTTP/1.0\nConnection: Keep-Alive\n\n", 200, Open),
            ("GET / HTTP/1.0\nConnection: keep-alive, close\n\n", 200, Closed),
        ],
    );
}

#[test]
fn conditions_and_ranges() {
    check(
        start("statuses_conditions"),
        &[
            ("GET /a.txt HTTP/1.1\nHost: x\nIf-None-Match: *\n\n", 304, Open),
            ("GET /nothing HTTP/1.1\nHost: x\nIf-None-Match: *\n\n", 404, Open),
            ("HEAD /a.txt HTTP/1.1\nHost: x\nIf-Match: \"x\"\n\n", 412, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=2-3\n\n", 206, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: Bytes= 2-3\n\n", 206, Open),
            ("HEAD /a.txt HTTP/1.1\nHost: x\nRange: bytes=2-3\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=2-3\nIf-Range: \"x\"\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=1-2, 4-5\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=5-3\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=1-2-3\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=+1-2\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=a-b\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=-\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: lines=1-2\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange:\n\n", 200, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=10-\n\n", 416, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=10-20\n\n", 416, Open),
            (&format!("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes={HUGE}-\n\n"), 416, Open),
            ("GET /a.txt HTTP/1.1\nHost: x\nRange: bytes=-0\n\n", 416, Open),
            ("GET /empty.txt HTTP/1.1\nHost: x\nRange: bytes=0-0\n\n", 416, Open),
            ("GET /empty.txt HTTP/1.1\nHost: x\nRange: bytes=0-\n\n", 416, Open),
            ("GET /empty.txt HTTP/1.1\nHost: x\nRange: bytes=-1\n\n", 416, Open),
        ],
    );
}

/// Tests that only regular files inside the directory are served, and that no other file makes the
/// server hang.
#[test]
fn what_else_a_directory_can_have() {
    let site = site("statuses_others");
    let outside = directory("statuses_outside");
    fs::write(outside.join("secret.txt"), "secret").unwrap();
    let link = |target: &Path, name: &str| symlink(target, site.join(name)).unwrap();
    link(&outside.join("secret.txt"), "absolute");
    link(Path::new("../statuses_outside/secret.txt"), "relative");
    link(Path::new("../statuses_outside"), "directory_outside");
    link(Path::new("a.txt"), "inside");
    link(Path::new("sub"), "directory_inside");
    link(Path::new("circle"), "circle");
    link(Path::new("nothing"), "dangling");
    link(Path::new("/proc/self/exe"), "magic");
    fs::create_dir_all(site.join("no_index/index.html")).unwrap();
    assert!(Command::new("mkfifo").arg(site.join("fifo")).status().unwrap().success());
    let _socket = UnixListener::bind(site.join("socket")).unwrap();
    fs::write(site.join("unreadable"), "").unwrap();
    fs::set_permissions(site.join("unreadable"), fs::Permissions::from_mode(0o000)).unwrap();
    // If the test may read every file, for example as root, the file is served.
    let unreadable = if fs::File::open(site.join("unreadable")).is_ok() { 200 } else { 403 };

    let address = serve(&site, Limits::default());
    let table = [
        ("absolute", 403),
        ("relative", 403),
        ("directory_outside", 403),
        ("directory_outside/", 403),
        ("directory_outside/secret.txt", 403),
        ("inside", 200),
        ("directory_inside", 301),
        ("directory_inside/", 200),
        ("circle", 403),
        ("dangling", 404),
        ("magic", 403),
        ("no_index", 301),
        ("no_index/", 404),
        ("fifo", 403),
        ("socket", 403),
        ("unreadable", unreadable),
    ];
    for (name, status) in table {
        let request = format!("GET /{name} HTTP/1.1\nHost: x\n\n");
        check(address, &[(&request, status, Open)]);
    }
}
