//! Tests the contents of the answers, apart from their status.

use std::fs::{self, File};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::{Answer, Client, FILES, HUGE, large, serve, site, start};
use serve_files::Limits;

/// Sends a request with one additional field and returns the answer.
fn get(client: &mut Client, target: &str, name: &str, value: &str) -> Answer {
    client.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n{name}: {value}\r\n\r\n"));
    client.answer()
}

#[test]
fn every_file_arrives_whole_on_one_connection() {
    let mut client = Client::connect(start("answers_files"));
    for (path, content) in FILES {
        let answer = client.get(&format!("/{}", path.replace(' ', "%20")));
        assert_eq!((answer.status, &*answer.body), (200, content), "{path}");
    }
    assert!(client.get("/large.bin").body == large());
    assert_eq!(client.get("/").field("Content-Type"), Some("text/html; charset=utf-8"));
}

#[test]
fn the_answer_to_head_is_that_to_get_without_the_body() {
    let mut client = Client::connect(start("answers_head"));
    for target in ["/", "/large.bin", "/sub", "/nothing", "/.."] {
        let get = client.get(target);
        client.send(format!("HEAD {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
        let head = client.next(true).unwrap();
        let without_date = |answer: &Answer| {
            let fields = answer.fields.iter().filter(|(name, _)| name != "Date").cloned();
            (answer.status, fields.collect::<Vec<_>>())
        };
        assert_eq!(without_date(&head), without_date(&get), "{target}");
    }
}

#[test]
fn ranges_are_cut_exactly() {
    let mut client = Client::connect(start("answers_ranges"));
    let large = large();
    for (range, first, end) in [
        ("0-0", 0, 1),
        ("65536-131071", 65_536, 131_072),
        ("100000-5242879", 100_000, large.len()),
        ("-3", large.len() - 3, large.len()),
        ("5000000-", 5_000_000, large.len()),
        ("0-18446744073709551615", 0, large.len()),
        ("0-99999999999999999999999", 0, large.len()),
        ("-99999999999999999999999", 0, large.len()),
    ] {
        let answer = get(&mut client, "/large.bin", "Range", &format!("bytes={range}"));
        assert_eq!(answer.status, 206);
        assert!(answer.body == large[first..end], "{range}");
        let shown = format!("bytes {first}-{}/{}", end - 1, large.len());
        assert_eq!(answer.field("Content-Range"), Some(&*shown));
    }
    let answer = get(&mut client, "/a.txt", "Range", "bytes=10-");
    assert_eq!((answer.status, answer.field("Content-Range")), (416, Some("bytes */10")));
}

#[test]
fn a_client_can_ask_whether_its_copy_is_still_good() {
    let site = site("answers_conditions");
    let mut client = Client::connect(serve(&site, Limits::default()));
    let before = client.get("/a.txt");
    let tag = before.field("ETag").unwrap().to_owned();
    let date = before.field("Last-Modified").unwrap().to_owned();
    let status = |client: &mut Client, name, value: &str| get(client, "/a.txt", name, value).status;
    assert_eq!(status(&mut client, "If-None-Match", &tag), 304);
    assert_eq!(status(&mut client, "If-Modified-Since", &date), 304);
    assert_eq!(status(&mut client, "If-Match", &tag), 200);
    let not_modified = get(&mut client, "/a.txt", "If-None-Match", &tag);
    assert_eq!(not_modified.field("ETag"), Some(&*tag));

    // Keep the size and the modification time, as when a build sets all times to 1970.
    let modified = fs::metadata(site.join("a.txt")).unwrap().modified().unwrap();
    fs::write(site.join("new"), "9876543210").unwrap();
    File::options().write(true).open(site.join("new")).unwrap().set_modified(modified).unwrap();
    fs::rename(site.join("new"), site.join("a.txt")).unwrap();
    assert_eq!(get(&mut client, "/a.txt", "If-None-Match", &tag).body, b"9876543210");
    assert_eq!(status(&mut client, "If-Match", &tag), 412);
    client.send(format!(
        "GET /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nIf-Range: {tag}\r\n\r\n"
    ));
    assert_eq!(
        client.answer().status,
        200,
        "a part of the new file would be no part of the old one"
    );
}

#[test]
fn a_file_can_be_from_any_time() {
    let site = site("answers_times");
    let mut client = Client::connect(serve(&site, Limits::default()));
    let file = File::options().write(true).open(site.join("a.txt")).unwrap();
    let mut last_modified = |time: SystemTime| {
        file.set_modified(time).unwrap();
        let answer = client.get("/a.txt");
        assert_eq!(answer.status, 200);
        answer.field("Last-Modified").map(str::to_owned)
    };
    let year_1970 = "Thu, 01 Jan 1970 00:00:00 GMT".to_owned();
    assert_eq!(last_modified(UNIX_EPOCH), Some(year_1970));
    assert_eq!(last_modified(UNIX_EPOCH - Duration::from_secs(1)), None);
}

#[test]
fn a_redirect_names_the_directory_and_405_the_methods() {
    let mut client = Client::connect(start("answers_redirect"));
    assert_eq!(client.get("//sub?a=b").field("Location"), Some("/sub/?a=b"));
    client.send("POST / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(client.answer().field("Allow"), Some("GET, HEAD"));
}

#[test]
fn a_client_of_http_1_0_is_told_that_the_connection_stays_open() {
    let mut client = Client::connect(start("answers_1_0"));
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(client.answer().field("Connection"), Some("keep-alive"));
}

/// A file is cut short while it's being sent, as can happen when a site is rebuilt.
#[test]
fn a_file_that_shrinks_ends_its_connection_and_no_other() {
    let site = site("answers_shrinks");
    let address = serve(&site, Limits::default());
    let mut client = Client::connect(address);
    client.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.hears_within(Duration::from_secs(10)));
    File::options().write(true).open(site.join("huge.bin")).unwrap().set_len(1).unwrap();
    assert!((client.rest().len() as u64) < HUGE);
    assert_eq!(Client::connect(address).get("/huge.bin").body.len(), 1);
}

#[test]
fn a_site_can_be_removed_and_built_again() {
    let site = site("answers_rebuilt");
    let mut client = Client::connect(serve(&site, Limits::default()));
    assert_eq!(client.get("/a.txt").status, 200);
    fs::remove_dir_all(&site).unwrap();
    assert_eq!(client.get("/a.txt").status, 404);
    fs::create_dir(&site).unwrap();
    fs::write(site.join("a.txt"), "new").unwrap();
    assert_eq!(client.get("/a.txt").body, b"new");
}

#[test]
fn a_site_has_its_own_page_for_what_is_not_there() {
    let site = site("answers_missing");
    let mut client = Client::connect(serve(&site, Limits::default()));
    assert_eq!(client.get("/nothing").field("Content-Type"), Some("text/plain; charset=utf-8"));
    fs::write(site.join("404.html"), "<p>It isn't here.").unwrap();
    for target in ["/nothing", "/sub/nothing", "/no_index/"] {
        let answer = client.get(target);
        assert_eq!((answer.status, &*answer.body), (404, &b"<p>It isn't here."[..]), "{target}");
        assert_eq!(answer.field("Content-Type"), Some("text/html; charset=utf-8"));
        assert_eq!(answer.field("ETag"), None);
    }
    // A range or a condition doesn't apply to the page that's shown for a missing page.
    assert_eq!(get(&mut client, "/nothing", "Range", "bytes=0-1").status, 404);
    assert_eq!(get(&mut client, "/nothing", "If-None-Match", "*").status, 404);
    assert_eq!(client.get("/..").status, 403);
}
